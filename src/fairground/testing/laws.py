"""The laws: what every game and every dealer must obey, as plain functions.

`tests/test_laws.py` runs them over all that is registered, so a new game or scheme is
covered from its first day. A law raises AssertionError and says what it met.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, product
from typing import Any, NamedTuple

from tests.helpers.samples import Sample

from fairground.core import Draw, Game, IllegalMove, Move, Over, Seat, Turn
from fairground.fair.bits import SeededStream
from fairground.table import Table
from fairground.testing.driving import Driver, FixedVault, Mode, length_of, open_table
from fairground.transcript import canonical
from fairground.verify import verify

Rules = Game[Any]

PLAYOUTS = 12
LONGEST = 300
NODES = 1500
GARBAGE: tuple[Any, ...] = (
    None, True, False, -1, 10**30, 1.5, float("nan"), "", "0", "1", "roll ", "ROLL", "\ud800",
    b"roll", (), ((),), (0,) * 60, (None,), ("a", "b"), (0, 0.0), (True, False), ((0, 1), (1, 0)),
    [0], {}, {"move": 0}, {0}, frozenset(), object,
)  # fmt: skip


class Spot(NamedTuple):
    """A position, and everything that happened before it."""

    state: Any
    history: tuple[Any, ...]


def choices(game: Rules, s: Any, most: int = 64) -> list[tuple[Any, Any]]:
    """Every way on from here (or many of them): what happens, and the state after it."""
    awaits = game.awaits(s)
    if isinstance(awaits, Draw):
        return [
            (("draw", awaits.n, awaits.to, value), game.drawn(s, value))
            for value in islice(range(awaits.n), most)
        ]
    if isinstance(awaits, Turn):
        lists = [list(islice(game.moves(s, seat), most)) for seat in awaits.seats]
        ways = [dict(zip(awaits.seats, way, strict=True)) for way in product(*lists)]
        return [(("moves", tuple(way.items())), game.played(s, way)) for way in ways[:most]]
    return []


def playouts(game: Rules, count: int = PLAYOUTS) -> Iterator[Spot]:
    """The positions of a few games played at random."""
    for number in range(count):
        chance = SeededStream(f"law {game.name}", number)
        s: Any = game.start()
        history: tuple[Any, ...] = ()
        for _ in range(LONGEST):
            yield Spot(s, history)
            ways = choices(game, s)
            if not ways:
                break
            what, s = ways[chance.below(len(ways))]
            history += (what,)


def every_history(game: Rules, most: int = NODES) -> Iterator[Spot]:
    """All histories, the shortest first, up to so many."""
    queue = [Spot(game.start(), ())]
    at = 0
    while at < len(queue):
        spot = queue[at]
        at += 1
        yield spot
        if len(queue) < most:
            ways = choices(game, spot.state)
            queue += [Spot(after, (*spot.history, what)) for what, after in ways]


def positions(game: Rules) -> list[Any]:
    """Different states, from both kinds of exploration."""
    met = dict.fromkeys(spot.state for spot in playouts(game))
    met.update(dict.fromkeys(spot.state for spot in every_history(game, 200)))
    return list(met)


def refuses(game: Rules, s: Any, seat: Seat, move: Any) -> bool:
    """Whether a move is refused, in the one way in which rules may refuse."""
    try:
        game.check(s, seat, move)
    except IllegalMove as error:
        assert str(error), f"{game.name} refuses {move!r} without a reason"
        return True
    return False


# Laws of games


def states_are_pure_values(game: Rules) -> None:
    """The same call gives an equal result, and changes nothing that it was given."""
    for s in positions(game):
        before = repr(s)
        assert hash(s) == hash(s)
        assert game.start() == game.start()
        assert game.awaits(s) == game.awaits(s)
        assert choices(game, s, 8) == choices(game, s, 8)
        for seat in (None, *range(game.seats)):
            assert game.view(s, seat) == game.view(s, seat)
        for seat in range(game.seats):
            assert game.forfeit(s, seat) == game.forfeit(s, seat)
        assert repr(s) == before, f"{game.name} changed a state that it was given"


def draws_accept_their_range_and_nothing_else(game: Rules) -> None:
    """Every value of range(n) is accepted; -1, n, true, text and nothing are refused."""
    for s in positions(game):
        awaits = game.awaits(s)
        values: list[Any] = [-1, True, False, "0", None, 0.0, (0,)]
        if isinstance(awaits, Draw):
            assert awaits.n >= 1
            assert awaits.to is None or set(awaits.to) <= set(range(game.seats))
            for value in islice(range(awaits.n), 200):
                game.drawn(s, value)
            values += [awaits.n, awaits.n + 1, 10**60]
        else:
            values += [0, 1]
        for value in values:
            try:
                game.drawn(s, value)
            except IllegalMove:
                continue
            raise AssertionError(f"{game.name} takes {value!r} as a draw at {awaits}")


def check_agrees_with_moves(game: Rules) -> None:
    """Every listed move passes, once; garbage is refused, and always by IllegalMove."""
    for s in positions(game):
        awaits = game.awaits(s)
        for seat in awaits.seats if isinstance(awaits, Turn) else ():
            listed = list(islice(game.moves(s, seat), 300))
            assert listed, f"{game.name} asks seat {seat} for a move that does not exist"
            assert len(set(listed)) == len(listed)
            assert list(islice(game.moves(game.view(s, seat), seat), 300)) == listed, (
                "a seat must know its moves from its own view"
            )
            for move in listed:
                assert not refuses(game, s, seat, move)
                assert json.loads(canonical(move)) == json.loads(json.dumps(move))
            exact = {repr(move) for move in listed}  # True and 1.0 equal 1, and are no moves
            for move in GARBAGE:
                legal = repr(move) in exact
                assert refuses(game, s, seat, move) != legal, f"{game.name}: {move!r}"


def wrong_seats_are_refused(game: Rules) -> None:
    """Who is not asked cannot move, whatever the move; nor can a seat that is not there."""
    for s in positions(game):
        awaits = game.awaits(s)
        asked = awaits.seats if isinstance(awaits, Turn) else ()
        assert len(set(asked)) == len(asked)
        some: list[Move] = [0, "roll", (0, 0)]
        for seat in asked:
            some += islice(game.moves(s, seat), 20)
        for seat in {-1, game.seats, *range(game.seats)} - set(asked):
            for move in some:
                assert refuses(game, s, seat, move), f"{game.name}: seat {seat}, {move!r}"


def payoffs_are_integers(game: Rules) -> None:
    """One integer for each seat, at the end and after a forfeit anywhere."""
    ended = 0
    for s in positions(game):
        awaits = game.awaits(s)
        paid = [game.forfeit(s, seat) for seat in range(game.seats)]
        for seat, payoff in enumerate(paid):
            assert payoff[seat] == min(payoff), "who walks away takes the worst result"
        if isinstance(awaits, Over):
            ended += 1
            paid.append(awaits.payoff)
        for payoff in paid:
            assert isinstance(payoff, tuple) and len(payoff) == game.seats
            assert all(type(amount) is int for amount in payoff)
    assert ended, f"no playout of {game.name} ended: give it smaller sample parameters"


def params_round_trip(game: Rules) -> None:
    """`from_params(params())` is the same game, and params are canonical JSON."""
    params = game.params()
    text = canonical(params)
    again = type(game).from_params(json.loads(text))
    assert canonical(again.params()) == text
    assert again.seats == game.seats
    ours = [(spot.state, game.awaits(spot.state)) for spot in playouts(game, 4)]
    theirs = [(spot.state, again.awaits(spot.state)) for spot in playouts(again, 4)]
    assert ours == theirs


def observed(history: tuple[Any, ...], seat: Seat | None) -> tuple[Any, ...]:
    """What a seat could see: public draws, hidden draws meant for it, and opened moves."""
    seen = []
    for event in history:
        if event[0] == "draw":
            _, n, to, value = event
            known = to is None or seat in to
            seen.append(("draw", n, to, value if known else "hidden"))
        else:
            seen.append(event)
    return tuple(seen)


def views_leak_nothing(game: Rules) -> None:
    """Two histories that look the same to a seat give it equal views."""
    views: dict[Any, Any] = {}
    spots = [*every_history(game), *playouts(game)]
    for state, history in spots:
        over = isinstance(game.awaits(state), Over)
        for seat in (None, *range(game.seats)):
            view = game.view(state, seat)
            assert type(view) is type(state)
            assert game.view(view, seat) == view, "a view of a view is that view"
            if not over:  # what the end reveals is for each game to say
                before = views.setdefault((seat, observed(history, seat)), view)
                assert before == view, f"seat {seat} of {game.name} can tell {before} from {view}"


GAME_LAWS = (
    states_are_pure_values,
    draws_accept_their_range_and_nothing_else,
    check_agrees_with_moves,
    wrong_seats_are_refused,
    payoffs_are_integers,
    params_round_trip,
    views_leak_nothing,
)


# Laws of dealers, each over a mode of use and a sample game


def plays_to_a_verified_end(sample: Sample, mode: Mode) -> Table:
    """Every dealer carries every game to an end that verifies, with the same payoff."""
    table = open_table(sample.game, sample.params, mode)
    Driver(table, length=length_of(mode)).play()
    assert table.closed and not table.asks()
    verdict = verify(bytes(table.transcript))
    assert verdict.ok, verdict.fault and verdict.fault.reason
    assert verdict.payoff == table.payoff
    assert verdict.events == table.transcript.step
    return table


def secrets_are_told_at_their_time(sample: Sample, mode: Mode) -> None:
    """No secret is in the transcript before the last share of its run is."""
    vault = FixedVault()
    table = open_table(sample.game, sample.params, mode, vault)
    driver = Driver(table, length=length_of(mode))
    while asks := table.asks():
        written = bytes(table.transcript).lower()
        hidden = [run.index for run in table.runs if run.hidden]
        dealt = [run.index for run in table.runs if run.line]
        for name, (kept, _) in vault.secrets.items():
            family, _, number = name.partition(".")
            index = int(number or 0)
            if family == "hmac":
                early = index not in dealt or index in hidden
                told = kept.split()[0].lower()
            elif family == "root":
                early, told = index in hidden, kept.hex().encode()
            elif family == "chain":  # the secret is the very last link
                early = len(dealt) < (index + 1) * length_of(mode)
                told = kept.hex().encode()
            else:  # blind keys and contest seeds wait for the end
                early, told = True, kept.hex().encode()
            assert not (early and told in written), f"{name} is out while {asks} is asked"
            if not early:
                assert told in written
        driver.once()


def hidden_draws_wait_for_the_end(sample: Sample, mode: Mode, forfeit_at: int | None) -> None:
    """A hidden draw is blank when dealt and told after the end, after a forfeit too."""
    table = open_table(sample.game, sample.params, mode)
    Driver(table, length=length_of(mode)).play(10_000 if forfeit_at is None else forfeit_at)
    if not table.closed:
        table.forfeit(table.game.seats - 1, "left")
    events = table.transcript.events
    hidden = {e["run"] for e in events if e["kind"] == "ticket" and e["hidden"]}
    opened = {e["run"]: e["draws"] for e in events if e["kind"] == "opening"}
    for event in events:
        if event["kind"] == "dealt":
            for _, value in event["draws"]:
                assert (value is None) == (event["run"] in hidden)
            if event["run"] in hidden:
                index = 0 if table.scheme.opens_once else event["run"]
                assert index in opened, f"{mode.name}: run {event['run']} was never opened"
                if index:
                    assert all(value is not None for _, value in opened[index])
    kinds = [event["kind"] for event in events]
    if "opening" in kinds:
        first = kinds.index("opening")
        assert set(kinds[first:]) == {"opening", "end"}
    verdict = verify(bytes(table.transcript))
    assert verdict.ok, verdict.fault and verdict.fault.reason


DEALER_LAWS = (plays_to_a_verified_end, secrets_are_told_at_their_time)

"""The laws: what every game and every dealer must obey, as plain functions.

A law explores a small game, alone or at a table, and raises `Broken` with what it met.
`check` runs them all; `cases` yields each, for pytest's ``parametrize``. The game
need not be registered anywhere.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any, Final, NamedTuple

from fairground.core import BadParams, Draw, Game, IllegalMove, Move, Over, Params, Seat, Turn
from fairground.fair.bits import SIZE, SeededStream
from fairground.table import Table
from fairground.testing.driving import Driver, judge, open_table
from fairground.testing.modes import ALL_MODES, FixedVault, Mode
from fairground.transcript import canonical

Rules = Game[Any]

PLAYOUTS: Final = 12
LONGEST: Final = 300
NODES: Final = 1500
GARBAGE: Final[tuple[Any, ...]] = (
    None, True, False, -1, 10**30, 1.5, float("nan"), "", "0", "1", "roll ", "ROLL", "\ud800",
    b"roll", (), ((),), (0,) * 60, (None,), ("a", "b"), (0, 0.0), (True, False), ((0, 1), (1, 0)),
    [0], {}, {"move": 0}, {0}, frozenset(), object,
)  # fmt: skip
LEAVING: Final = (None, 0, 1, 2, 3, 5)
"""After how many answers the last seat leaves, in the law about hidden draws."""


class Broken(AssertionError):
    """A game or a dealer breaks a law; the text says what was met."""


class Position(NamedTuple):
    """A position, and everything that happened before it."""

    state: Any
    history: tuple[Any, ...]


def ways_on(game: Rules, s: Any, most: int = 64) -> list[tuple[Any, Any]]:
    """Return the ways on from a state, up to a maximum: what happens, and the state after it."""
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


def playouts(game: Rules, count: int = PLAYOUTS) -> Iterator[Position]:
    """Yield the positions of a few games played at random."""
    for number in range(count):
        chance = SeededStream(f"law {game.name}", number)
        s: Any = game.start()
        history: tuple[Any, ...] = ()
        for _ in range(LONGEST):
            yield Position(s, history)
            ways = ways_on(game, s)
            if not ways:
                break
            what, s = ways[chance.below(len(ways))]
            history += (what,)


def every_history(game: Rules, most: int = NODES) -> Iterator[Position]:
    """Yield all histories, the shortest first, up to a maximum number."""
    queue = [Position(game.start(), ())]
    at = 0
    while at < len(queue):
        spot = queue[at]
        at += 1
        yield spot
        if len(queue) < most:
            ways = ways_on(game, spot.state)
            queue += [Position(after, (*spot.history, what)) for what, after in ways]


def positions(game: Rules) -> list[Any]:
    """Return different states, from both kinds of exploration."""
    met = dict.fromkeys(spot.state for spot in playouts(game))
    met.update(dict.fromkeys(spot.state for spot in every_history(game, 200)))
    return list(met)


def refuses(game: Rules, s: Any, seat: Seat, move: Any) -> bool:
    """Return true if a move is refused by the exception that rules may raise."""
    try:
        game.check(s, seat, move)
    except IllegalMove as error:
        if not str(error):
            raise Broken(f"{game.name} refuses {move!r} without a reason") from None
        return True
    return False


def departures(game: Rules, s: Any) -> list[Any]:
    """Return the result of each seat's departure; nothing if the game is over."""
    over = isinstance(game.awaits(s), Over)
    return [] if over else [game.departed(s, seat) for seat in range(game.seats)]


def _not_asked(game: Rules, s: Any) -> set[Seat]:
    """Return the seats that owe no move now, and two that do not exist."""
    awaits = game.awaits(s)
    asked = awaits.seats if isinstance(awaits, Turn) else ()
    if len(set(asked)) < len(asked):
        raise Broken(f"{game.name} asks a seat twice: {awaits}")
    return {-1, game.seats, *range(game.seats)} - set(asked)


# Laws of games


def states_are_pure_values(game: Rules) -> None:
    """A repeated call gives an equal result, and changes none of its arguments."""
    for s in positions(game):
        before = repr(s)
        for first, second in zip(_answers(game, s), _answers(game, s), strict=True):
            if first != second:
                raise Broken(f"{game.name} gives {first}, then {second}, at the same state {s}")
        if repr(s) != before:
            raise Broken(f"{game.name} changed a state that it was given: {before} to {s}")


def _answers(game: Rules, s: Any) -> list[Any]:
    """Return the results of all queries of a game on a state."""
    seats = range(game.seats)
    return [
        hash(s),
        game.start(),
        game.awaits(s),
        ways_on(game, s, 8),
        [game.view(s, seat) for seat in (None, *seats)],
        departures(game, s),
    ]


def draws_accept_their_range_and_nothing_else(game: Rules) -> None:
    """Every value of range(n) is accepted; -1, n, true, text and nothing are refused."""
    for s in positions(game):
        awaits = game.awaits(s)
        values: list[Any] = [-1, True, False, "0", None, 0.0, (0,)]
        if isinstance(awaits, Draw):
            if awaits.n < 1 or not set(awaits.to or ()) <= set(range(game.seats)):
                raise Broken(f"{game.name} awaits an impossible draw: {awaits}")
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
            raise Broken(f"{game.name} takes {value!r} as a draw at {awaits}")


def check_agrees_with_moves(game: Rules) -> None:
    """Every listed move passes, once; garbage is refused, and always by IllegalMove."""
    for s in positions(game):
        awaits = game.awaits(s)
        for seat in awaits.seats if isinstance(awaits, Turn) else ():
            listed = list(islice(game.moves(s, seat), 300))
            if not listed:
                raise Broken(f"{game.name} asks seat {seat} for a move that does not exist: {s}")
            if len(set(listed)) < len(listed):
                raise Broken(f"{game.name} lists a move twice: {listed}")
            if list(islice(game.moves(game.view(s, seat), seat), 300)) != listed:
                raise Broken(f"seat {seat} of {game.name} cannot know its moves from its view {s}")
            for move in listed:
                if refuses(game, s, seat, move):
                    raise Broken(f"{game.name} lists {move!r} and refuses it: {s}")
                if json.loads(canonical(move)) != json.loads(json.dumps(move)):
                    raise Broken(f"{game.name}: JSON does not keep the move {move!r}")
            exact = {repr(move) for move in listed}  # True and 1.0 equal 1, and are no moves
            for move in GARBAGE:
                if refuses(game, s, seat, move) == (repr(move) in exact):
                    raise Broken(f"{game.name}: check and moves disagree on {move!r}: {s}")


def wrong_seats_are_refused(game: Rules) -> None:
    """A seat that is not asked, or does not exist, cannot make any move."""
    for s in positions(game):
        awaits = game.awaits(s)
        some: list[Move] = [0, "roll", (0, 0)]
        for seat in awaits.seats if isinstance(awaits, Turn) else ():
            some += islice(game.moves(s, seat), 20)
        for seat in _not_asked(game, s):
            for move in some:
                if not refuses(game, s, seat, move):
                    raise Broken(f"{game.name} lets seat {seat} play {move!r} at {awaits}")


def only_who_is_asked_has_moves(game: Rules) -> None:
    """Listing the moves of a seat that owes none is refused; an empty list would hide it."""
    for s in positions(game):
        for seat in _not_asked(game, s):
            try:
                listed = list(islice(game.moves(s, seat), 5))
            except IllegalMove:
                continue
            raise Broken(f"{game.name} lists {listed} for seat {seat} at {game.awaits(s)}")


def payoffs_are_integers(game: Rules) -> None:
    """One integer for each seat, at the end and after a forfeit anywhere."""
    ended = False
    for s in positions(game):
        ends = [game.awaits(s), *departures(game, s)]
        ended = ended or isinstance(ends[0], Over)
        for payoff in [end.payoff for end in ends if isinstance(end, Over)]:
            whole = isinstance(payoff, tuple) and all(type(amount) is int for amount in payoff)
            if not whole or len(payoff) != game.seats:
                raise Broken(f"{game.name} must pay {game.seats} integers, not {payoff!r}")
    if not ended:
        raise Broken(f"no playout of {game.name} ended: give the laws a smaller game")


def who_leaves_is_out_and_gains_nothing(game: Rules) -> None:
    """A seat that leaves gets the worst result, at once or when the others have played on."""
    for s in positions(game):
        for seat, left in enumerate(departures(game, s)):
            after, moved = left, 0
            chance = SeededStream(f"left {game.name}", seat)
            while not isinstance(after, Over) and moved < LONGEST:
                awaits = game.awaits(after)
                if isinstance(awaits, Turn) and seat in awaits.seats:
                    raise Broken(f"{game.name} asks seat {seat}, which has left: {after}")
                ways = ways_on(game, after)
                after = ways[chance.below(len(ways))][1] if ways else awaits
                moved += 1
            if isinstance(after, Over) and after.payoff[seat] != min(after.payoff):
                raise Broken(f"{game.name}: seat {seat} left, and is not worst off: {after}")


def params_round_trip(game: Rules) -> None:
    """`from_params(params())` is the same game, and params are canonical JSON."""
    text = canonical(game.params())
    again = type(game).from_params(json.loads(text))
    if canonical(again.params()) != text or again.seats != game.seats:
        raise Broken(f"{game.name} made of {text.decode()} says that it is {again.params()}")
    ours = [(spot.state, game.awaits(spot.state)) for spot in playouts(game, 4)]
    theirs = [(spot.state, again.awaits(spot.state)) for spot in playouts(again, 4)]
    if ours != theirs:
        raise Broken(f"{game.name} made again of {text.decode()} plays differently")


def games_are_equal_by_name_and_params(game: Rules) -> None:
    """A game made again is equal, hashes the same, and shows what it is and its parameters."""
    again = type(game).from_params(json.loads(canonical(game.params())))
    if again != game or hash(again) != hash(game):
        raise Broken(f"{game!r} and {again!r} have the same parameters and are not equal")
    if repr(again) != repr(game):
        raise Broken(f"equal games show themselves as {game!r} and {again!r}")
    for word in (type(game).__name__, *game.params()):
        if word not in repr(game):
            raise Broken(f"{game!r} does not show {word!r}")
    for params in odd_params(game):
        try:
            other = type(game).from_params(params)
        except BadParams:
            continue
        same = canonical(other.params()) == canonical(game.params())
        if (other == game) != same:
            raise Broken(f"{other!r} and {game!r}: equal must mean equal parameters")


def odd_params(game: Rules) -> Iterator[dict[str, Any]]:
    """Yield the parameters of a game with one changed, left out or added: most make no game."""
    params: Params = json.loads(canonical(game.params()))
    for name, value in params.items():
        yield {key: kept for key, kept in params.items() if key != name}
        odd: list[Any] = [None, True, -1, 0, 1, 2, 10**6, 2**70, 0.5, "", "x", [], [None], {}]
        if isinstance(value, list) and value:
            odd += [value[:-1], value[::-1], [*value, value[0]], [*value[:-1], None]]
        yield from ({**params, name: other} for other in odd if other != value)
    yield {**params, "unknown parameter": 1}


def constructors_validate(game: Rules) -> None:
    """`from_params` refuses by BadParams only; and no constructor accepts what it refuses.

    The constructor is tried only where its arguments are named as the parameters are.
    """
    rules = type(game)
    arguments = inspect.signature(rules).parameters
    for params in odd_params(game):
        refused = None
        try:
            rules.from_params(params)
        except BadParams as reason:
            refused = reason
        if refused is None or not set(params) <= set(arguments):
            continue
        if any(v is None and arguments[name].default is None for name, v in params.items()):
            continue  # in Python, None means that it is left out
        try:
            made = rules(**params)
        except (BadParams, TypeError, ValueError, AttributeError):
            continue
        raise Broken(f"{game.name}: from_params says {refused}, but {made!r} exists")


def observed(history: tuple[Any, ...], seat: Seat | None) -> tuple[Any, ...]:
    """Return a seat's knowledge: public draws, hidden draws meant for it, and opened moves."""
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
    for state, history in [*every_history(game), *playouts(game)]:
        over = isinstance(game.awaits(state), Over)
        for seat in (None, *range(game.seats)):
            view = game.view(state, seat)
            if type(view) is not type(state):
                raise Broken(f"{game.name}: a view must be a state, not {view!r}")
            if game.view(view, seat) != view:
                raise Broken(f"{game.name}: the view of a view is another view: {view}")
            if not over:  # what the end reveals is for each game to say
                before = views.setdefault((seat, observed(history, seat)), view)
                if before != view:
                    raise Broken(f"seat {seat} of {game.name} can tell {before} from {view}")


def declarations_are_true(game: Rules) -> None:
    """A game's declarations are true: seats, parameters, what it hides, what it offers."""
    least, most = (sum(getattr(role, end) for role in game.roles) for end in ("least", "most"))
    if not least <= game.seats <= most:
        raise Broken(f"{game.name} has {game.seats} seats, and declares {game.roles}")
    if not all(game.role(seat) for seat in range(game.seats)):
        raise Broken(f"{game.name} has a seat that is no role")
    if unknown := set(game.params()) - {parameter.name for parameter in game.parameters}:
        raise Broken(f"{game.name} does not declare its parameters {sorted(unknown)}")
    for s in positions(game):
        for seat in range(game.seats):
            if not game.hides and game.view(s, seat) != s:
                raise Broken(
                    f"{game.name} declares that it hides nothing, and seat {seat} sees "
                    f"{game.view(s, seat)} of {s}"
                )
        awaits = game.awaits(s)
        for seat in awaits.seats if isinstance(awaits, Turn) else ():
            offered = list(islice(game.choices(s, seat), 300))
            if not offered or any(refuses(game, s, seat, move) for move in offered):
                raise Broken(f"{game.name} offers seat {seat} no legal choice: {offered}, at {s}")


GameLaw = Callable[[Rules], object]

GAME_LAWS: Final[tuple[GameLaw, ...]] = (
    states_are_pure_values,
    draws_accept_their_range_and_nothing_else,
    check_agrees_with_moves,
    wrong_seats_are_refused,
    only_who_is_asked_has_moves,
    payoffs_are_integers,
    who_leaves_is_out_and_gains_nothing,
    params_round_trip,
    games_are_equal_by_name_and_params,
    constructors_validate,
    views_leak_nothing,
    declarations_are_true,
)


# Laws of dealers, each over a game and a mode


def plays_to_a_verified_end(game: Rules, mode: Mode) -> None:
    """Every dealer carries every game to an end that verifies, with the same payoff."""
    table = Driver(open_table(game, mode)).play()
    if not table.closed or table.asks():
        raise Broken(f"{game.name} under {mode.name} did not end: it asks {table.asks()}")
    verdict = _verified(table, mode)
    if (verdict.payoff, verdict.events) != (table.payoff, table.transcript.step):
        raise Broken(f"{game.name} under {mode.name} ended in {table.payoff}, not {verdict.payoff}")


def _verified(table: Table, mode: Mode) -> Any:
    verdict = judge(table, mode)
    if verdict.fault is not None:
        where = f"{table.game.name} under {mode.name}, line {verdict.fault.line}"
        raise Broken(f"{where} does not hold: {verdict.fault.reason}")
    return verdict


def secrets_are_told_at_their_time(game: Rules, mode: Mode) -> None:
    """A secret is first told by the run that it decides, when the shares are in, or at the end.

    So no secret stands in the first event, in a ticket or among the shares. Evidence is new
    when its run is dealt. The opening of a hidden run comes after the end, and not before.
    """
    vault = FixedVault()
    table = Driver(open_table(game, mode, vault)).play()
    events = table.transcript.events
    lines = [line.decode().lower() for line in table.transcript.lines]

    def told(word: str) -> dict[str, Any] | None:
        return next((e for e, line in zip(events, lines, strict=True) if word in line), None)

    for name, (kept, _) in vault.secrets.items():
        for word in _long_words(kept.hex() if len(kept) == SIZE else kept.decode()):
            first = told(word)
            if first is not None and first["kind"] not in ("dealt", "opening"):
                raise Broken(f"{mode.name}: the secret {name} is told by the {first['kind']} event")
    hidden = {e["run"] for e in events if e["kind"] == "ticket" and e["hidden"]}
    openings = {e["run"]: e for e in events if e["kind"] == "opening"}
    for event in events:
        if event["kind"] != "dealt":
            continue
        for word in _long_words(event["evidence"]):
            if told(word) is not event:
                raise Broken(f"{mode.name}: the evidence of run {event['run']} was known before")
        if event["run"] in hidden and vault.secrets:
            opening = openings[0 if table.scheme.opens_once else event["run"]]
            words = _long_words(opening["evidence"])
            if not words or any(told(word) is not opening for word in words):
                raise Broken(f"{mode.name}: the hidden run {event['run']} was open before the end")


def _long_words(value: Any) -> list[str]:
    """Return the keys, seeds and links in JSON or text: words of 32 signs or more."""
    if isinstance(value, dict):
        return [word for item in value.values() for word in _long_words(item)]
    if isinstance(value, (list, tuple)):
        return [word for item in value for word in _long_words(item)]
    words = value.lower().split() if isinstance(value, str) else []
    return [word for word in words if len(word) >= SIZE]


def hidden_draws_wait_for_the_end(game: Rules, mode: Mode, leaves_after: int | None = None) -> None:
    """A hidden draw is blank when dealt and told after the end, also when a seat has left."""
    table = open_table(game, mode)
    driver = Driver(table)
    driver.play(10_000 if leaves_after is None else leaves_after)
    if not table.closed:
        table.forfeit(game.seats - 1, "left")
        driver.play()  # the others may play on
    events = table.transcript.events
    hidden = {e["run"] for e in events if e["kind"] == "ticket" and e["hidden"]}
    opened = {e["run"]: e["draws"] for e in events if e["kind"] == "opening"}
    for event in events:
        if event["kind"] != "dealt":
            continue
        run = event["run"]
        if any((value is None) != (run in hidden) for _, value in event["draws"]):
            raise Broken(f"{mode.name}: run {run}, hidden or not, was dealt as {event['draws']}")
        index = 0 if table.scheme.opens_once else run
        if run in hidden and index not in opened:
            raise Broken(f"{mode.name}: run {run} was never opened")
        if run in hidden and any(value is None for _, value in opened[index]):
            raise Broken(f"{mode.name}: run {run} was opened without its draws")
    kinds = [event["kind"] for event in events]
    if "opening" in kinds and set(kinds[kinds.index("opening") :]) != {"opening", "end"}:
        raise Broken(f"{mode.name}: the game went on after an opening: {kinds}")
    _verified(table, mode)


DealerLaw = Callable[[Rules, Mode], object]

DEALER_LAWS: Final[tuple[DealerLaw, ...]] = (
    plays_to_a_verified_end,
    secrets_are_told_at_their_time,
)


# All of them


class Case(NamedTuple):
    """One law on one game (in one mode); call it, and it raises if the law is broken."""

    name: str
    law: Callable[..., object]
    given: tuple[Any, ...]

    def __call__(self) -> None:
        """Run the law."""
        self.law(*self.given)

    def __str__(self) -> str:
        return self.name


def cases(*games: Rules, modes: Sequence[Mode] = ALL_MODES) -> list[Case]:
    """Return every law on each of these games, and every law of dealers in each mode."""
    out = []
    for number, game in enumerate(games):
        label = game.name if len(games) == 1 else f"{game.name}#{number}"
        out += [Case(f"{label}: {law.__name__}", law, (game,)) for law in GAME_LAWS]
        for mode in modes:
            where = f"{label} under {mode.name}"
            out += [Case(f"{where}: {law.__name__}", law, (game, mode)) for law in DEALER_LAWS]
            for after in LEAVING:
                left = "" if after is None else f", left after {after}"
                law = hidden_draws_wait_for_the_end
                out.append(Case(f"{where}{left}: {law.__name__}", law, (game, mode, after)))
    return out


def check(*games: Rules, modes: Sequence[Mode] = ALL_MODES) -> None:
    """Run every law on each of these games; raise `Broken` at the first that fails."""
    for case in cases(*games, modes=modes):
        try:
            case()
        except Broken as broken:
            raise Broken(f"{case}: {broken}") from None


def histories(game: Game[Any], most_states: int = 10_000, longest: int = 20) -> list[int]:
    """Count the histories of each length, from 0 on: chess programmers call this *perft*.

    A history is everything that happened: each draw and each move, in order. The counts are a sharp
    fingerprint of the rules: one move too few or one draw too wide, and some number differs.

    Histories that lead to equal states are counted together, so the numbers may be huge.
    The list stops early, after ``longest`` steps or before more than ``most_states`` states.
    """
    layer: Counter[Any] = Counter({game.start(): 1})
    counts: list[int] = []
    while layer and len(layer) <= most_states and len(counts) <= longest:
        counts.append(layer.total())
        following: Counter[Any] = Counter()
        for state, ways in layer.items():
            for _, after in ways_on(game, state, sys.maxsize):
                following[after] += ways
            if len(following) > most_states:
                break
        layer = following
    return counts

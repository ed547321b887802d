"""Three and four zombies who all play to win: against the rules, and against the best reply."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np
import pytest

from fairground.core import Draw, Over
from fairground.fair.bits import SeededStream, SystemStream
from fairground.games.zombie.judge import CrowdJudge, judge
from fairground.games.zombie.players import Optimal
from fairground.games.zombie.rules import EMPTY, HOLD, ROLL, State, Zombie
from fairground.games.zombie.solver import duel, several, sweeps, tables, turn
from fairground.players import play
from tests.helpers.bench import load_bench
from tests.helpers.width import WIDE

WINS = {
    3: (0.29978075, 0.33101925, 0.36920000),
    4: (0.22013011, 0.23798243, 0.25870586, 0.28318159),
}
"""With the usual dice. Those of three were found by another program as well."""

replies = load_bench("_zombie_replies")

OFF = 1e-11
"""How far stored chances may be off."""

FEW: dict[str, Any] = {
    "weak_dice": 3,
    "strong_dice": 0,
    "tough_dice": 0,
    "weak_die_faces": "bfss",
    "brains_to_win": 3,
}


def make(players: int, **params: Any) -> Zombie:
    return Zombie.from_params({"players": players, **params})


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


class Together:
    """The twin: the rules themselves, plain iteration, everybody's chances."""

    def __init__(self, game: Zombie, most: int) -> None:
        self.game, self.most = game, most
        self.begin = game.start()._replace(phase="decide", unsettled=0)
        self.after = self.explore()
        self.values: dict[State, tuple[float, ...]] = {}
        self.iterate()

    def normal(self, s: State) -> State:
        """What the future depends on: in a round of ties, only by how much scores differ."""
        if s.extra:
            low = min(s.scores[seat] for seat in s.playing)
            scores = [
                max(score - low, 0) if i in s.playing else 0 for i, score in enumerate(s.scores)
            ]
            s = s._replace(scores=tuple(scores), extra=1)
        return s._replace(
            round=1, turns=(0,) * self.game.seats, rolled=EMPTY, rolls=min(s.rolls, 1), last=None
        )

    def explore(self) -> dict[State, list[State]]:
        after: dict[State, list[State]] = {}
        waiting = [self.begin]
        while waiting:
            s = waiting.pop()
            if s in after:
                continue
            awaits = self.game.awaits(s)
            if isinstance(awaits, Draw):
                after[s] = [self.normal(self.game.drawn(s, value)) for value in range(awaits.n)]
            elif isinstance(awaits, Over):
                after[s] = []
            else:
                (seat,) = awaits.seats
                moves = [ROLL] if not s.rolls else [HOLD] if s.brains >= self.most else [ROLL, HOLD]
                after[s] = [self.normal(self.game.played(s, {seat: move})) for move in moves]
            waiting += after[s]
        return after

    def iterate(self) -> None:
        order = list(reversed(self.after))
        for s in order:
            over = not self.after[s]
            self.values[s] = tuple(
                float(seat == s.playing[0]) if over else 1 / len(s.scores)
                for seat in range(len(s.scores))
            )
        moved = 1.0
        while moved > 1e-10:
            moved = 0.0
            for s in order:
                options = [self.values[x] for x in self.after[s]]
                if not options:
                    continue
                if s.phase == "decide":
                    new = max(options, key=itemgetter(s.playing[s.at]))
                else:
                    new = tuple(sum(column) / len(options) for column in zip(*options, strict=True))
                moved = max(moved, *(abs(a - b) for a, b in zip(new, self.values[s], strict=True)))
                self.values[s] = new


def tiny(players: int) -> dict[str, Any]:
    return {**FEW, "weak_die_faces": "bss", "players": players, "brains_to_win": 5 - players}


@pytest.fixture(scope="module", params=[3, 4])
def together(request: pytest.FixtureRequest) -> Together:
    return Together(make(**tiny(request.param)), 7 if request.param == 3 else 6)


@pytest.mark.campaign
def test_perfect_players_win_as_often_as_by_the_rules(together: Together) -> None:
    found = several.all_win(several.solve(together.game, together.game.seats))
    assert sum(found) == pytest.approx(1.0, abs=1e-12)
    assert found == pytest.approx(together.values[together.begin], abs=1e-5)


@pytest.mark.campaign
def test_nobody_gives_a_chance_away(together: Together) -> None:
    game = together.game
    payoffs = several.Payoffs(game, several.solve(game, game.seats))
    found, decided = turn.turns(game), 0
    for s, after in together.after.items():
        if s.phase != "decide" or len(after) < 2 or len(s.playing) < game.seats:
            continue
        seat = s.playing[s.at]
        choice = found.best(payoffs.at(several.situation(s, seat)))
        rolls = s.brains < len(choice) and bool(choice[s.brains, found.shape_of(s)])
        got = together.values[after[0 if rolls else 1]][seat]
        assert got == pytest.approx(together.values[s][seat], abs=1e-5)
        decided += 1
    assert decided > 100


def stored(players: int) -> several.Several:
    known = several.ready(make(players), players)
    assert known is not None
    return known


def some(cases: Any, players: int) -> Any:
    """Six rows, or in a campaign all."""
    chance = SeededStream("sample", players)
    return cases if WIDE else cases[[chance.below(len(cases)) for _ in range(6)]]


@pytest.mark.parametrize("players", [3, 4])
def test_the_stored_games_are_in_equilibrium(players: int) -> None:
    """Nobody gains by one other decision: each chance follows from those after it."""
    known = stored(players)
    assert several.all_win(known) == pytest.approx(WINS[players], abs=1e-7)
    assert known.rounds.sum(axis=-1) == pytest.approx(1.0, abs=1e-12)
    again = several.Solver(make(players), known.ties[:-1, :-1])
    again.ties[:] = known.ties
    again.rounds[..., :-1] = known.rounds
    scores = some(np.indices((13,) * players).reshape(players, -1).T, players)
    deciding = several.Payoffs(make(players), known).deciding
    for table, was in list(zip(again.deciding, deciding, strict=True))[1:]:
        table[..., :-1] = was
    mixed = set()
    for k in range(players):
        off = abs(again.turns(k, scores)[:, :-1] - known.rounds[(k, *scores.T)])
        assert off[:, k].max() < 1e-9
        mixed |= {tuple(row) for row in scores[off.max(axis=1) >= OFF].tolist()}
    # There the third does not care, but the others do, and what is stored is a mix.
    assert mixed <= {(5, 6, 9, 3)}
    for k in range(1, players):
        behind = np.indices((again.top + 1,) * (players - k)).reshape(players - k, -1).T
        behind = some(behind[np.ptp(behind, axis=1) < 13], players)
        again.deciding[k][:] = np.nan
        again.answer(k, behind)
        met = (slice(1, None), *behind.T)
        assert abs(again.deciding[k][met][..., :-1] - deciding[k][met]).max() < OFF


def test_choices_that_go_round_in_a_circle_are_mixed() -> None:
    """Of two who roll or hold: the second rolls where the round is worth less than 0.4 to it."""

    def rows(x: Any) -> Any:
        y = np.array([0.8, 0.2]) if x[1] >= 0.4 else np.array([0.3, 0.7])
        again = 0.25 if x[1] >= 0.4 else 0.1
        second = np.array([*((1 - again) * y + again * x), again])
        return np.array([[*second[:2], again], second])

    with_circle, unsettled = several.closed(lambda x, _: rows(x[0])[:1], np.array([[0.5, 0.5]]))
    assert list(unsettled) == [0]
    found = several.balanced(rows, with_circle[0])
    assert found[0, :2] == pytest.approx([0.6, 0.4], abs=1e-10)
    assert found[1, :2] == pytest.approx([0.6, 0.4], abs=1e-10)
    assert 0.1 < found[1, 2] < 0.25


@pytest.mark.parametrize("players", [3, 4])
def test_the_best_reply_gains_nothing_from_perfect_play_but_much_from_others(players: int) -> None:
    game = make(players, **FEW)
    known = several.load_or_compute(game, players)
    perfect, alike = replies.Solution(game, known), several.all_win(known)
    assert replies.played(game, [perfect] * players) == pytest.approx(alike, abs=OFF)
    assert replies.replied(game, perfect, players) == pytest.approx(alike, abs=OFF)
    for mind, robbed in ((replies.Brains(game), 1e-2), (replies.Rival(game), 1e-4)):
        among, best = replies.played(game, [mind] * players), replies.replied(game, mind, players)
        assert sum(among) == pytest.approx(1.0, abs=1e-12)
        assert min(best - among) > -1e-12
        assert sum(best) - 1 > robbed * players


@pytest.mark.parametrize("players", [3, 4])
def test_whatever_a_turn_brings_somebody_wins(players: int) -> None:
    game = make(players, **FEW)
    payoffs = several.Payoffs(game, several.solve(game, players))
    scores = np.indices((3,) * players).reshape(players, -1).T
    for k in range(players):
        assert payoffs.regular(k, scores).sum(axis=-1) == pytest.approx(1.0, abs=1e-12)


def test_the_mind_of_optimal_among_many_is_its_own() -> None:
    """What `replies` says that it thinks is what it thinks, in rounds of every kind."""
    game, stream = make(4), SeededStream("minds")
    mind, found, known = replies.Rival(game), turn.turns(game), duel.load_or_compute(game)
    seats = game.start()._replace(phase="decide", unsettled=0, playing=(0, 1, 2, 3))
    for case in range(60):
        k, kind = stream.below(4), case % 3
        scores = [stream.below(13) for _ in range(4)]
        if kind == 1:  # somebody before has reached the goal
            k = 1 + stream.below(3)
            scores[stream.below(k)] = 13 + stream.below(4)
        if kind == 2:  # an extra round
            scores = [15 + (seat < k) * stream.below(4) for seat in range(4)]
        s = seats._replace(at=k, scores=tuple(scores), extra=int(kind == 2))
        thought = duel.stakes(found, known, game, duel.situation(game, s, k))
        if kind == 0:
            mine = mind.regular(k, np.array([scores]))
        else:
            best = max(scores[:k], default=15)
            behind = [[max(best - score, 0) for score in scores[k:]]]
            mine = mind.answered(k, np.array([1]), np.array(behind))
        assert (mine[0] == thought).all()


@pytest.mark.campaign
@pytest.mark.parametrize("seat", range(4))
def test_the_best_reply_gains_nothing_from_the_stored_game_of_four(seat: int) -> None:
    game = make(4)
    minds: list[Any] = [replies.Solution(game, stored(4))] * 4
    minds[seat] = None
    assert replies.played(game, minds)[seat] == pytest.approx(WINS[4][seat], abs=1e-6)


def wins(game: Zombie, games: int) -> list[int]:
    """How often the first to move wins, the second, ... when all are `optimal`."""
    players, won = [Optimal(game, SystemStream())] * game.seats, [0] * game.seats
    for number in range(games):
        *_, s = play(game, players, SeededStream("optimal among its like", number))
        won[s.order.index(s.playing[0])] += 1
    return won


def must_be_likely(won: list[int], chances: Any) -> None:
    """Within four standard deviations."""
    games = sum(won)
    for many, chance in zip(won, chances, strict=True):
        assert abs(many - chance * games) < 4 * (games * chance * (1 - chance)) ** 0.5


def test_four_machines_win_as_often_as_computed() -> None:
    game = make(4, **FEW)
    known = several.load_or_compute(game, 4)
    assert set(several.all_ready(game)) >= {4}
    must_be_likely(wins(game, 1500), several.all_win(known))


@pytest.mark.campaign
def test_four_machines_with_the_usual_dice_win_as_often_as_computed() -> None:
    must_be_likely(wins(make(4), 4000), WINS[4])


@pytest.mark.parametrize("case", range(4 if not WIDE else 40))
def test_a_quick_sweep_finds_what_a_plain_one_finds(case: int) -> None:
    """The plain one follows every roll; payoffs are odd ones here, that no game has."""
    found, chance = turn.turns(make(2)), np.random.default_rng(case)
    hold = chance.random((found.top + 4, 12)).round(1 + case % 3)
    if case % 2:
        hold = np.sort(hold, axis=0)
    hold[20:] = hold[20]
    value = sweeps.sweeper(found)(hold, 3, found.quiet(hold[:, ::3], hold[0, ::3]))
    for g in range(0, 12, 3):
        plain = found.worths(hold[:, g : g + 3], 0)[0, -1]
        assert value[g : g + 3] == pytest.approx(plain, abs=1e-12)


def test_a_sweep_counts_more_brains_than_fit_into_a_byte() -> None:
    found = turn.turns(make(2, strong_dice=0, tough_dice=0, brains_to_win=1))
    assert found.top > 128
    hold = np.linspace(0, 1, 3 * (found.top + 4)).reshape(-1, 3)
    value = sweeps.sweeper(found)(hold, 3, found.top)
    assert value == pytest.approx(found.worths(hold, 0)[0, -1], abs=1e-12)


def test_chances_on_disk_are_rounded_as_told() -> None:
    chances = np.random.default_rng(1).dirichlet((1, 1, 1, 1), (3, 5, 4))
    for bits in (8, 24, 48):
        again = tables.restored(tables.compressed(chances, bits), bits, chances.shape)
        assert abs(again - chances)[..., :-1].max() <= 0.5**bits / 2
        assert again.sum(axis=-1) == pytest.approx(1.0, abs=1e-12)


def test_who_leaves_four_leaves_a_game_of_three() -> None:
    """The coach judges such a game by the tables of three, and five by its model."""
    assert not isinstance(judge(make(4)), CrowdJudge)
    assert isinstance(judge(make(5)), CrowdJudge)
    game = make(5)
    assert set(several.all_ready(game)) == {3, 4}


@pytest.mark.parametrize(
    ("players", "params", "reason"),
    [
        (5, {}, "games of 5 are not solved"),
        (4, {"max_turns": 3}, "not of rounds"),
        (4, {"brains_to_win": 30}, "4 players to 30 brains"),
        (3, {"brains_to_win": 200}, "3 players to 200 brains"),
        (4, {**FEW, "brains_to_win": 32}, "4 players to 32 brains"),
    ],
)
def test_what_cannot_be_solved_is_refused(
    players: int, params: dict[str, Any], reason: str
) -> None:
    with pytest.raises(turn.TooMuchWork, match=reason):
        several.solve(make(2, **params), players)

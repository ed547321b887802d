"""The tree search: budgets, regret matching, and that it finds what is known to be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import pytest

from fairground.core import Awaits, Draw, Game, InputError, Move, Over, Params, Seat, Turn
from fairground.fair.bits import SeededStream
from fairground.games.fatestones.players import GreedyPlayer, OptimalPlayer, sample
from fairground.games.fatestones.rules import FateStones, State, all_dice
from fairground.games.fatestones.solver import mcts as compiled
from fairground.games.fatestones.solver.choices import greedy_pick, solve
from fairground.games.kernels import NativeStream
from fairground.players.mcts import Budget, MctsPlayer, Position, Search, parse_budget, pick


class Duel(Game[tuple[Any, ...]]):
    """Two seats choose at once from a matrix whose entries are chances of a win in tenths."""

    name: ClassVar[str] = "duel/1"
    seats = 2

    def __init__(self, chances: tuple[tuple[int, ...], ...]) -> None:
        self.chances = chances

    @classmethod
    def from_params(cls, params: Params) -> Self:
        return cls(params["chances"])

    def params(self) -> dict[str, Any]:
        return {"chances": self.chances}

    def start(self) -> tuple[Any, ...]:
        return ()

    def awaits(self, s: tuple[Any, ...]) -> Awaits:
        if len(s) == 0:
            return Turn((0, 1))
        if len(s) == 2:
            return Draw(10)
        won = s[2] < self.chances[s[0]][s[1]]
        return Over((1, -1) if won else (-1, 1))

    def drawn(self, s: tuple[Any, ...], value: int) -> tuple[Any, ...]:
        return (*s, value)

    def check(self, s: tuple[Any, ...], seat: Seat, move: Move) -> None:
        assert move in self.moves(s, seat)

    def moves(self, s: tuple[Any, ...], seat: Seat) -> Iterable[Move]:
        return range(len(self.chances) if seat == 0 else len(self.chances[0]))

    def played(self, s: tuple[Any, ...], moves: Mapping[Seat, Move]) -> tuple[Any, ...]:
        return (moves[0], moves[1])

    def forfeit(self, s: tuple[Any, ...], seat: Seat) -> tuple[int, ...]:
        raise NotImplementedError


class Climb(Duel):
    """One seat alone: stop with what it has, or draw again and risk it; three steps at most."""

    name: ClassVar[str] = "climb/1"
    seats = 1

    def awaits(self, s: tuple[Any, ...]) -> Awaits:
        if s[-1:] == ("stop",) or s[-1:] == (0,) or len(s) >= 6:
            return Over((0,) if s[-1] == 0 else (len(s) // 2,))
        return Draw(4) if s[-1:] == ("go",) else Turn((0,))

    def moves(self, s: tuple[Any, ...], seat: Seat) -> Iterable[Move]:
        return ("go", "stop")

    def played(self, s: tuple[Any, ...], moves: Mapping[Seat, Move]) -> tuple[Any, ...]:
        return (*s, moves[0])


def strategy_after(game: Game[Any], iterations: int, seat: int = 0, seed: str = "mcts") -> Any:
    search = Search(game, game.start(), SeededStream(seed))
    search.run(Budget(iterations, None))
    return search.strategy(seat)


def test_matching_pennies_is_mixed_evenly() -> None:
    for seat in (0, 1):
        strategy = strategy_after(Duel(((10, 0), (0, 10))), 4000, seat)
        assert strategy[0] == pytest.approx(0.5, abs=0.05)


def test_a_lopsided_game_is_mixed_in_its_own_proportions() -> None:
    """Rows (8, 2), (3, 6): x = (6-3)/(8+6-2-3) = 1/3, y = (6-2)/9 = 4/9."""
    duel = Duel(((8, 2), (3, 6)))
    assert strategy_after(duel, 20_000, 0)[0] == pytest.approx(1 / 3, abs=0.08)
    assert strategy_after(duel, 20_000, 1)[0] == pytest.approx(4 / 9, abs=0.08)


def test_a_dominated_move_is_dropped() -> None:
    strategy = strategy_after(Duel(((9, 8, 7), (2, 3, 1), (6, 5, 5))), 3000)
    assert strategy[0] > 0.9


def test_a_seat_alone_finds_the_best_move() -> None:
    """Going on from nothing costs nothing; the search must not be shy."""
    strategy = strategy_after(Climb(((1,),)), 3000)
    assert strategy["go"] > 0.9


def test_the_known_deal_of_fatestones() -> None:
    mine, theirs = ("134445", "144444", "234444"), ("233346", "333336", "333444")
    strategy = strategy_after(FateStones(hands=(mine, theirs)), 4000)
    assert strategy[1] > 0.8
    assert solve(mine, theirs).my_mix[1] == 1


def test_the_search_goes_through_a_new_deal() -> None:
    """With the last dice equal a scratch is common, and the search plays on after it."""
    game = FateStones(["111112"] * 6)
    state = game.start()
    for _ in range(6):
        state = game.drawn(state, 0)
    search = Search(game, state, SeededStream("scratch"))
    search.run(Budget(50, None))
    assert sum(search.strategy(1).values()) == pytest.approx(1.0)


def test_outcomes_of_a_draw_inside_the_tree_come_evenly() -> None:
    game = Duel(((5,),))
    search = Search(game, game.start(), SeededStream("even"))
    search.run(Budget(10, None))
    # The single cell was visited ten times, once for each of the ten outcomes.
    visits, means = search.root.means[0, 0]
    assert (visits, [round(mean, 12) for mean in means]) == (10, [0.0, 0.0])


def test_the_same_tape_gives_the_same_choice() -> None:
    game = FateStones(hands=(("111666", "123456"), ("333444", "222555")))
    choices = [
        MctsPlayer(game, SeededStream("same", 7), "60").choose(game, game.start(), 1)
        for _ in range(2)
    ]
    assert choices[0] == choices[1]
    assert choices[0] in (0, 1)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("iterations", [1, 2, 40, 1500])
def test_the_compiled_search_is_the_same_to_the_last_bit(size: int, iterations: int) -> None:
    for number in range(4):
        deal, bag = SeededStream("hands", number), list(all_dice())
        few = 2 if number % 2 else len(bag)  # two kinds of dice: hands with several alike
        dice = [bag[deal.below(few)] for _ in range(2 * size)]
        hands = dice[:size], dice[size:]
        game, plain = FateStones(hands=hands), SeededStream("search", number, 1)
        native = NativeStream("search", number, 1)
        assert native.take(number) == plain.take(number)  # it goes on from where the tape stands
        search = Search(game, game.start(), plain)
        search.run(Budget(iterations, None))
        found = compiled.averages(hands, iterations, native)
        assert found == [search.root.averages[0], search.root.averages[1]]
        assert native.take(4) == plain.take(4)


def test_a_simulated_player_chooses_what_one_at_a_table_would() -> None:
    deal = ("134445", "144444", "234444"), ("233346", "333336", "333444")
    redealt, ended = FateStones(), FateStones(hands=deal)
    for game, view in ((ended, ended.start()), (redealt, State("choose", deal))):
        for number in range(5):
            native, plain = (
                MctsPlayer(game, tape("chosen", number, 1), "60").choose(game, view, 0)
                for tape in (NativeStream, SeededStream)
            )
            assert native == plain


def test_a_single_move_needs_no_thought() -> None:
    game = FateStones(hands=(("111666",), ("333444",)))

    class Silent(SeededStream):
        def take(self, k: int) -> bytes:
            raise AssertionError("nothing is to be drawn")

    assert MctsPlayer(game, Silent("x"), "50").choose(game, game.start(), 0) == 0


def test_a_time_budget_thinks_at_least_once() -> None:
    game = FateStones(hands=(("111666", "123456"), ("333444", "222555")))
    player = MctsPlayer(game, SeededStream("time"), "1ms")
    assert sum(player.strategy(game, game.start(), 0).values()) == pytest.approx(1.0)


def test_budgets() -> None:
    assert parse_budget(None) == Budget(1000, None)
    assert parse_budget("200") == Budget(200, None)
    assert parse_budget("50ms") == Budget(None, 50)


@pytest.mark.parametrize("argument", ["", "0", "-5", "ms", "1.5", "200 ", "5s", "12345678901", "٣"])
def test_bad_budgets_are_refused_with_an_example(argument: str) -> None:
    with pytest.raises(InputError, match="mcts:200"):
        parse_budget(argument)


def test_regret_matching_by_hand() -> None:
    game = Duel(((10, 0), (0, 10)))
    position = Position(game, (), (0, 1))
    assert position.strategy(0) == [0.5, 0.5]
    assert position.average(0) == [0.5, 0.5]
    position.learn((0, 0), (1, -1))
    assert position.regrets == [[0.0, 0.0], [0.0, 0.0]]  # nothing else has been seen yet
    position.learn((1, 0), (-1, 1))
    assert position.regrets[0] == [2.0, 0.0]  # the other row had earned two more
    assert position.strategy(0) == [1.0, 0.0]
    position.learn((0, 1), (-1, 1))
    assert position.regrets[1] == [0.0, 0.0]  # negative regret is forgotten
    position.learn((0, 0), (1, -1))
    assert position.means[0, 0] == (2, [1.0, -1.0])
    assert position.regrets[1] == [0.0, 2.0]


def test_picking_by_a_running_sum() -> None:
    assert [pick([0.25, 0.0, 0.75], at) for at in (0.0, 0.2499, 0.25, 0.9999)] == [0, 0, 2, 2]
    assert pick([0.5, 0.4999999, 0.0], 0.99999999) == 1


def test_the_optimal_player_draws_exactly_its_strategy() -> None:
    mine, theirs = ("111666", "222555", "144444"), ("333336", "123456", "114555")
    game = FateStones(hands=(mine, theirs))
    mix = solve(mine, theirs).my_mix
    assert sum(share > 0 for share in mix) > 1, "a deal in which perfect play must mix"
    player = OptimalPlayer(game, SeededStream("optimal"))
    picks = [player.choose(game, game.start(), 0) for _ in range(3000)]
    for i, share in enumerate(mix):
        assert picks.count(i) / 3000 == pytest.approx(float(share), abs=0.04)
    seat1 = OptimalPlayer(game, SeededStream("optimal")).choose(game, game.start(), 1)
    assert solve(theirs, mine).my_mix[int(str(seat1))] > 0


def test_sampling_uses_every_number_once() -> None:
    from fractions import Fraction

    class Counting(SeededStream):
        value = 0

        def below(self, n: int) -> int:
            assert n == 12
            return self.value

    mix = (Fraction(1, 4), Fraction(0), Fraction(2, 3), Fraction(1, 12))
    chance = Counting("count")
    seen = []
    for chance.value in range(12):
        seen.append(sample(mix, chance))
    assert [seen.count(i) for i in range(4)] == [3, 0, 8, 1]


def test_the_greedy_player_sees_its_own_seat() -> None:
    mine, theirs = ("111666", "222555", "144444"), ("333336", "123456", "114555")
    game = FateStones(hands=(mine, theirs))
    player = GreedyPlayer(game, SeededStream("unused"))
    assert player.choose(game, game.start(), 0) == greedy_pick(mine, theirs)
    assert player.choose(game, game.start(), 1) == greedy_pick(theirs, mine)

"""Keepers: the honest one, the kind one, and the evil one, which never contradicts itself."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from fairground.core import HouseFault, InputError, Move, Over
from fairground.fair.bits import SeededStream
from fairground.games.codebreaking.players import FORCED, EvilKeeper, FairKeeper, Keeper, NiceKeeper
from fairground.games.codebreaking.rules import (
    GIVE_UP,
    KEEPER,
    NO_CODE,
    Code,
    CodeBreaking,
    Row,
    State,
    digits,
    fits,
    marks,
)
from fairground.games.codebreaking.solver import sets
from tests.helpers.codes import Trees, parts


def chance(game: int = 0) -> SeededStream:
    return SeededStream("keepers", game)


def asked(game: CodeBreaking, keeper: Keeper, guesses: list[Code]) -> State:
    """The board after the keeper answered these guesses."""
    s = game.start()
    for guess in guesses:
        s = game.played(s, {1: guess})
        s = game.played(s, {0: keeper.choose(game, game.view(s, KEEPER), KEEPER)})
        if s.phase == "show":
            break
    return s


def test_a_fair_keeper_tells_the_truth() -> None:
    game = CodeBreaking(6, 4, "fair")
    keeper = FairKeeper(game, chance())
    s = game.drawn(game.start(), 259)
    for move in ((0, 5, 1, 1), GIVE_UP):
        s = game.played(s, {1: move})
        s = game.played(s, {0: keeper.choose(game, game.view(s, KEEPER), KEEPER)})
    assert s.shown == s.code == digits(259, 6, 4)


def test_a_nice_keeper_agrees_at_once() -> None:
    game = CodeBreaking(100, 40, "nice")
    keeper = NiceKeeper(game, chance())
    s = asked(game, keeper, [tuple(range(40))])
    s = game.played(s, {0: keeper.choose(game, s, KEEPER)})
    assert game.awaits(s) == Over((1, -1))
    s = game.played(game.start(), {1: GIVE_UP})
    assert game.played(s, {0: keeper.choose(game, s, KEEPER)}).shown == (0,) * 40


def test_keepers_do_not_break() -> None:
    game = CodeBreaking(6, 4, "evil")
    with pytest.raises(InputError, match="keeps codes"):
        EvilKeeper(game, chance()).choose(game, game.start(), 1)


@pytest.mark.parametrize(("base", "length"), [(2, 3), (4, 2), (3, 3)])
def test_deep_evil_forces_the_most_guesses_on_perfect_play(base: int, length: int) -> None:
    """After each answer as many guesses are needed as after any other that was possible."""
    game = CodeBreaking(base, length, "evil")
    trees = Trees(base, length)
    greedy_was_weaker = 0
    for seed in range(12):
        stream = SeededStream("guesses", seed)
        guesses = [digits(stream.below(game.codes), base, length) for _ in range(3)]
        s = asked(game, EvilKeeper(game, chance(), "deep"), guesses)
        left = frozenset(trees.codes)
        for row in s.rows:
            split = parts(left, row.guess)
            worst = {a: trees.least(part - {row.guess})[1] for a, part in split.items()}
            assert worst[row.marks] == max(worst.values()), row
            least = max(split, key=lambda answer: len(split[answer]))
            greedy_was_weaker += worst[least] < worst[row.marks]
            left = split[row.marks]
    assert greedy_was_weaker or (base, length) != (3, 3), "the two keepers differ"


@pytest.mark.parametrize(
    ("base", "length", "word", "told"),
    [(6, 4, "deeper", "'evil:deeper'"), (10, 5, "deep", "at most 10000 codes")],
)
def test_how_evil_cannot_be(base: int, length: int, word: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        EvilKeeper(CodeBreaking(base, length, "evil"), chance(), word)


@pytest.mark.parametrize(("base", "length"), [(3, 3), (6, 3), (2, 5), (20, 2)])
def test_evil_is_least_informative_where_that_can_be_counted(base: int, length: int) -> None:
    game = CodeBreaking(base, length, "evil")
    for seed in range(4):
        stream = SeededStream("guesses", seed)
        keeper = EvilKeeper(game, chance())
        guesses = [digits(stream.below(game.codes), base, length) for _ in range(8)]
        s = asked(game, keeper, guesses)
        left = frozenset(product(range(base), repeat=length))
        for row in s.rows:
            split = parts(left, row.guess)
            assert row.marks == min(split, key=lambda answer: (-len(split[answer]), answer))
            left = split[row.marks]


def consistent_game(base: int, length: int, seed: int, walks: int) -> tuple[int, State, EvilKeeper]:
    """A game against guesses that lean on what evil itself still thinks possible."""
    game = CodeBreaking(base, length, "evil")
    keeper = EvilKeeper(game, chance(seed))
    other = sets.Sampled(base, length, seed + 1000)
    s = game.start()
    for k in range(60):
        guess = other.code(0) if len(other) else digits(seed * 7919 + k * 104729, base, length)
        s = game.played(s, {1: guess})
        answer = keeper.choose(game, s, KEEPER)
        s = game.played(s, {0: answer})
        if s.phase == "show":
            break
        if len(other):
            other.keep(s.rows[-1])
            if len(other):
                other.refresh(walks)
    if s.phase == "guess":
        s = game.played(s, {1: GIVE_UP})
    s = game.played(s, {0: keeper.choose(game, s, KEEPER)})
    return len(s.rows), s, keeper


@pytest.mark.parametrize(("base", "length", "seed"), [(20, 10, 1), (30, 6, 3)])
def test_evil_shows_a_code_that_fits_at_sizes_nobody_can_list(
    base: int, length: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sets, "WALKS", 400)
    _, s, _ = consistent_game(base, length, seed, 200)
    assert s.shown is not None and fits(s.shown, s.rows)
    proofs = CodeBreaking(base, length, "evil").proves(s)
    assert proofs["CONSISTENT"].answer == "yes"
    assert proofs["LEAST_TELLING"] == (
        "not shown",
        f"{base}^{length} codes are too many",
    )


def test_evil_answers_at_the_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "WALKS", 200)
    game = CodeBreaking(100, 40, "evil")
    guesses = [tuple((7 * i + 13 * k * (i % 3 + 1)) % 100 for i in range(40)) for k in range(6)]
    keeper = EvilKeeper(game, chance())
    s = game.played(asked(game, keeper, guesses), {1: GIVE_UP})
    s = game.played(s, {0: keeper.choose(game, s, KEEPER)})
    assert s.shown is not None and fits(s.shown, s.rows) and len(s.rows) == 6


def test_evil_depends_on_board_and_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "WALKS", 200)
    game = CodeBreaking(20, 10, "evil")
    guesses = [digits(10**12 * k + 1234567 * k, 20, 10) for k in range(1, 8)]
    first = asked(game, EvilKeeper(game, chance(1)), guesses)
    assert asked(game, EvilKeeper(game, chance(1)), guesses) == first
    # A keeper that takes over in the middle goes on as the first did.
    middle = first._replace(rows=first.rows[:5], phase="answer", asked=first.rows[5].guess)
    fresh = EvilKeeper(game, chance(1))
    assert fresh.choose(game, middle, KEEPER) == first.rows[5].marks
    # Asked something else instead, and then the first question again: the same answer.
    fresh.choose(game, middle._replace(asked=guesses[0]), KEEPER)
    assert fresh.choose(game, middle, KEEPER) == first.rows[5].marks


def test_a_forced_concession_is_noted_as_proven() -> None:
    game = CodeBreaking(2, 2, "evil")
    keeper = EvilKeeper(game, chance())
    asked(game, keeper, list(product(range(2), repeat=2)))
    assert keeper.remarks == [FORCED]


def test_before_conceding_evil_looks_harder() -> None:
    """A sample that has shrunk to the guess itself is searched for another code."""
    game = CodeBreaking(30, 6, "evil")
    mind = sets.Sampled(30, 6, 7)
    guess = mind.code(0)
    mind._codes = mind._codes[:1]
    mind.rows = (Row((29,) * 6, marks((29,) * 6, guess)),)
    assert mind.look_harder(guess)
    assert len(mind) > 1
    assert all(fits(mind.code(k), mind.rows) for k in range(len(mind)))
    # And where nothing else fits, that is proven.
    assert 29 not in guess
    probes = [tuple(d if i == at else 29 for i in range(6)) for at, d in enumerate(guess)]
    alone = tuple(Row(probe, marks(guess, probe)) for probe in probes)
    mind._codes = np.array([guess], np.uint8)
    mind.rows = alone
    assert mind.look_harder(guess) and len(mind) == 1
    assert keeper_concedes(game, guess, alone)


def keeper_concedes(game: CodeBreaking, guess: Code, rows: tuple[Row, ...]) -> bool:
    keeper = EvilKeeper(game, chance())
    mind = sets.Sampled(game.base, game.length, 1)
    mind._codes = np.array([guess], np.uint8)
    mind.rows = rows
    keeper._mind, keeper._rows = mind, rows
    said: Move = keeper.choose(game, State("answer", rows=rows, asked=guess), KEEPER)
    assert keeper.remarks == [FORCED]
    return said == (game.length, 0)


def test_a_witness_is_scored_again_before_every_answer() -> None:
    game = CodeBreaking(6, 4, "evil")
    keeper = EvilKeeper(game, chance())
    rows = (Row((0, 1, 2, 3), (0, 0)),)
    keeper._mind, keeper._rows = sets.Listed(6, 4), rows  # a mind that forgot the row
    with pytest.raises(HouseFault, match="does not fit the board"):
        keeper.choose(game, State("answer", rows=rows, asked=(0, 1, 2, 3)), KEEPER)


def test_evil_admits_a_board_that_others_made_impossible() -> None:
    game = CodeBreaking(6, 4, "evil")
    rows = (Row((0, 0, 0, 0), (4, 0)), Row((1, 1, 1, 1), (4, 0)))
    s = State("show", rows=rows, given_up=True)
    assert EvilKeeper(game, chance()).choose(game, s, KEEPER) == NO_CODE

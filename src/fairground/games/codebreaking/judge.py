"""The judges of code breaking: guesses on average against a fair keeper, at worst else.

A position is the set of codes that fit all answers. Against a **fair** keeper each of them is
equally likely, so a guess is worth the guesses that are still needed on average. The answer is
chance: its luck is how much it narrowed the set, against what was to be expected. Against an
**evil** keeper a guess is worth the guesses that are needed at worst, and the answers are the
keeper's decisions. A **nice** keeper needs one guess, whatever it is.

Values are the breaker's guesses in all, counted as a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, cast

from fairground.coach.judging import GUESSES, Basis, Judge, Option, Spread, Values
from fairground.core import Move, Seat, TooMany
from fairground.games.codebreaking.rules import (
    BREAKER,
    EVIL,
    FAIR,
    GIVE_UP,
    KEEPER,
    NICE,
    NO_CODE,
    STAKE,
    Code,
    CodeBreaking,
    Row,
    State,
    fits,
)
from fairground.registry import needs
from fairground.words import reasons
from fairground.words.plain import PlainWords


class CodeJudge(Judge[CodeBreaking]):
    """The common part of the three keepers' judges: the ends of a game."""

    unit = GUESSES
    basis = Basis(
        True, 0.0, "A nice keeper takes the first guess for its code: nothing can go wrong."
    )

    def paid(self, payoff: Sequence[int]) -> Values:
        return tuple(map(Fraction, payoff))

    def worth(self, state: State) -> Values:
        rows = len(state.rows)
        if state.phase == "show":
            return self._shown(state)
        if state.phase == "answer":
            assert state.asked is not None
            return _broken(rows + self._asking(state.rows, state.asked))
        return self._open(state.rows)

    def _open(self, rows: tuple[Row, ...]) -> Values:
        """With a guess to come."""
        return _broken(len(rows) + self._needed(rows))

    def _shown(self, state: State) -> Values:
        """All that is left is to show a code."""
        if not self._fits(state.rows):
            return _broken(-STAKE)
        return _broken(STAKE if state.given_up else len(state.rows))

    def _fits(self, rows: tuple[Row, ...]) -> bool:
        return True

    def _needed(self, rows: tuple[Row, ...]) -> Fraction:
        """Return the number of further guesses."""
        return Fraction(1)

    def _asking(self, rows: tuple[Row, ...], guess: Code) -> Fraction:
        """Return the number of further guesses, if this one is next."""
        return Fraction(1)

    def _suggested(self, rows: tuple[Row, ...]) -> Code | None:
        """A best guess; ``None`` where all are."""
        return None

    def options(self, state: State, seat: Seat, also: Sequence[Move] = ()) -> list[Option]:
        if state.phase == "show":
            return self._to_show(state, also)
        if state.phase == "answer":
            return self._to_answer(state, also)
        rows, fits = len(state.rows), self._fits(state.rows)
        guesses = [cast(Code, move) for move in also if move != GIVE_UP]
        if (best := self._suggested(state.rows)) is not None:
            guesses.append(best)
        elif fits:
            guesses = guesses or [(0,) * self.game.length]
        options = [
            Option(guess, _broken(rows + self._asking(state.rows, guess)))
            for guess in dict.fromkeys(guesses)
        ]
        if GIVE_UP in also or not fits:
            # A keeper whose answers no code fits cannot show one, and loses.
            options.insert(0, Option(GIVE_UP, _broken(STAKE if fits else -STAKE)))
        return sorted(options, key=lambda option: -option.values[seat])

    def forced(self, state: State, seat: Seat) -> bool:
        return state.phase == "show" or super().forced(state, seat)

    def _to_show(self, state: State, also: Sequence[Move]) -> list[Option]:
        """Any code that fits is as good as another; none at all is a lie admitted."""
        moves = [move for move in also if move != NO_CODE]
        if NO_CODE in also and self._fits(state.rows):
            with suppress(TooMany):  # then none can be named
                moves.append(next(iter(self.game.choices(state, KEEPER))))
        shown = [Option(move, self._shown(state)) for move in moves]
        if NO_CODE in also:
            shown.append(Option(NO_CODE, _broken(-STAKE)))
        return shown or [Option("", self._shown(state))]

    def _to_answer(self, state: State, also: Sequence[Move]) -> list[Option]:
        """Return the only answer that the rules leave."""
        return [Option(move, self.worth(state)) for move in also] or [
            Option((self.game.length, 0), self.worth(state))
        ]

    def why(
        self, words: PlainWords[Any], state: State, seat: Seat, chosen: Option, best: Option
    ) -> str:
        if chosen.move == NO_CODE:
            return reasons.code_kept_back(words.option(state, seat, best.move))
        return ""

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        return reasons.code_any()


class SolvedCodeJudge(CodeJudge):
    """A keeper who has, or pretends to have, one of the codes that fit."""

    def __init__(self, game: CodeBreaking) -> None:
        super().__init__(game)
        with needs("solve", "judging code breaking"):
            from fairground.games.codebreaking import codesets
        self._sets = codesets.sets_for(game)
        self.basis = self._sets.basis

    def _fits(self, rows: tuple[Row, ...]) -> bool:
        return self._sets.size(rows) > 0

    def _open(self, rows: tuple[Row, ...]) -> Values:
        return super()._open(rows) if self._fits(rows) else _broken(-STAKE)

    def _needed(self, rows: tuple[Row, ...]) -> Fraction:
        return self._sets.best(rows).guesses

    def _asking(self, rows: tuple[Row, ...], guess: Code) -> Fraction:
        if not self._fits(rows):
            return Fraction(-STAKE - len(rows))
        return self._sets.worth(rows, guess)

    def _suggested(self, rows: tuple[Row, ...]) -> Code | None:
        if not self._fits(rows):
            return None
        return self._sets.best(rows).guess or self._sets.suggestion(rows)

    def _average_left(self, rows: tuple[Row, ...], guess: Code) -> Fraction:
        """Return the average number of codes that the answer to a guess leaves."""
        size = Fraction(self._sets.size(rows))
        shares = self._sets.parts(rows, guess)
        return size * sum((s * s for a, s in shares.items() if a != self._sets.win), Fraction(0))


class FairJudge(SolvedCodeJudge):
    """The keeper's answers are chance: the code was drawn before the first guess."""

    def reveals(self, state: State) -> bool:
        return state.phase == "answer"

    def spread(self, before: State, after: State, seat: Seat) -> Spread | None:
        if before.phase == "draw":
            return [(self.worth(before)[seat], Fraction(1))]
        assert before.asked is not None
        rows = len(before.rows) + 1
        after_each = self._sets.after(before.rows, before.asked).values()
        return [(_broken(rows + guesses)[seat], share) for share, guesses in after_each]

    def why(
        self, words: PlainWords[Any], state: State, seat: Seat, chosen: Option, best: Option
    ) -> str:
        if chosen.move == GIVE_UP:
            return reasons.code_gave_up(
                self._sets.size(state.rows), -best.values[BREAKER], worst=False
            )
        mine, theirs = cast(Code, chosen.move), cast(Code, best.move)
        return reasons.code_guess(
            guess=words.option(state, seat, mine),
            best=words.option(state, seat, theirs),
            left=self._sets.size(state.rows),
            average=self._average_left(state.rows, mine),
            best_average=self._average_left(state.rows, theirs),
            possible=fits(mine, state.rows),
            best_possible=fits(theirs, state.rows),
            answers=len(self._sets.parts(state.rows, mine)),
            best_answers=len(self._sets.parts(state.rows, theirs)),
            needed=-chosen.values[BREAKER] - len(state.rows),
            best_needed=-best.values[BREAKER] - len(state.rows),
        )

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        if best.move == GIVE_UP:
            return reasons.code_none()
        needed = -best.values[BREAKER] - len(state.rows)
        guess = words.option(state, seat, best.move)
        return reasons.code_average(guess, self._sets.size(state.rows), needed)


class EvilJudge(SolvedCodeJudge):
    """The keeper chooses its answers."""

    def _to_answer(self, state: State, also: Sequence[Move]) -> list[Option]:
        assert state.asked is not None
        rows = len(state.rows) + 1
        after = self._sets.after(state.rows, state.asked)
        options = [
            Option(answer, _broken(rows + guesses)) for answer, (_, guesses) in after.items()
        ]
        options += [Option(move, _broken(-STAKE)) for move in also if move not in after]
        return sorted(options, key=lambda option: (-option.values[0], option.move))

    def why(
        self, words: PlainWords[Any], state: State, seat: Seat, chosen: Option, best: Option
    ) -> str:
        if chosen.move == NO_CODE:
            return super().why(words, state, seat, chosen, best)
        if chosen.move == GIVE_UP:
            return reasons.code_gave_up(
                self._sets.size(state.rows), -best.values[BREAKER], worst=True
            )
        mine, theirs = (words.option(state, seat, option.move) for option in (chosen, best))
        guesses = [abs(option.values[BREAKER]) for option in (chosen, best)]
        if seat == BREAKER:
            left = self._sets.size(state.rows)
            return reasons.code_worst(mine, theirs, left, guesses[0], guesses[1])
        if chosen.values[BREAKER] > 0:
            return reasons.code_contradiction(mine)
        return reasons.code_answer(mine, theirs, guesses[0], guesses[1])

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        if best.move == GIVE_UP:
            return reasons.code_none()
        move = words.option(state, seat, best.move)
        return reasons.code_at_worst(move, self._sets.size(state.rows), -best.values[BREAKER])


def _broken(guesses: Fraction | int) -> Values:
    """Both seats, from the guesses that the breaker needs in all."""
    return Fraction(guesses), -Fraction(guesses)


def judge(game: CodeBreaking) -> CodeJudge:
    """The judge for the keeper of this game."""
    made: dict[str, type[CodeJudge]] = {FAIR: FairJudge, EVIL: EvilJudge, NICE: CodeJudge}
    return made[game.oracle](game)

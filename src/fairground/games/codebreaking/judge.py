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
from fairground.words.plain import PlainWords, count, number

NO_CODE_FITS = "No code fits these answers. The keeper must now show one, and cannot."


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
            code = words.option(state, seat, best.move)
            return f"{code} fits all answers: to show it was enough."
        return ""

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        return "Any guess is right: a nice keeper takes it for its code."


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

    def _gave_up(self, state: State, best: Option, when: str) -> str:
        """Tell what the breaker who gave up could have had."""
        guesses = f"{number(-best.values[BREAKER])} guesses {when}"
        left = fitting(self._sets.size(state.rows))
        return f"{left}: the code is found with {guesses}, those already asked included."


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
            return self._gave_up(state, best, "on average")
        left = self._sets.size(state.rows)
        guess, better = (words.option(state, seat, option.move) for option in (chosen, best))
        if round(left) == 1:
            return f"Only one code still fits, and that is {better}."
        mine, theirs = cast(Code, chosen.move), cast(Code, best.move)
        leaves, best_leaves = (self._average_left(state.rows, code) for code in (mine, theirs))
        answers, best_answers = (len(self._sets.parts(state.rows, code)) for code in (mine, theirs))
        told = (
            f"{fitting(left)}. {guess} has {count(answers, 'answer')} and leaves "
            f"{number(leaves)} codes on average; {better} has {best_answers} and leaves "
            f"{number(best_leaves)}."
        )
        if best_leaves >= leaves:
            needed, best_needed = (self._more(state, option) for option in (chosen, best))
            told += (
                f" Still {better} finds the code sooner: it takes {best_needed} more guesses on "
                f"average, and {needed} with {guess}."
            )
        if not fits(mine, state.rows):
            can = f", but {better} can." if fits(theirs, state.rows) else "."
            told += f" And {guess} cannot be the code{can}"
        return told

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        if best.move == GIVE_UP:
            return NO_CODE_FITS
        guess, left = words.option(state, seat, best.move), self._sets.size(state.rows)
        more = self._more(state, best)
        return f"{fitting(left)}. With {guess} the code takes {more} more guesses on average."

    def _more(self, state: State, option: Option) -> str:
        """Return the number of guesses that the code still takes."""
        return number(-option.values[BREAKER] - len(state.rows))


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
            return self._gave_up(state, best, "at most")
        mine, theirs = (words.option(state, seat, option.move) for option in (chosen, best))
        last, best_last = (number(abs(option.values[BREAKER])) for option in (chosen, best))
        if seat == BREAKER:
            return (
                f"{fitting(self._sets.size(state.rows))}. After {mine} an evil keeper can hold out "
                f"until guess {last}, after {theirs} only until guess {best_last}."
            )
        if chosen.values[BREAKER] > 0:
            return f"No code fits any more after the answer {mine}."
        return (
            f"After the answer {mine} the code can be found with guess {last}; after {theirs} not "
            f"before guess {best_last}."
        )

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        if best.move == GIVE_UP:
            return NO_CODE_FITS
        move, last = words.option(state, seat, best.move), number(-best.values[BREAKER])
        return (
            f"{fitting(self._sets.size(state.rows))}. With {move} the code is found with guess "
            f"{last} at the latest."
        )


def fitting(left: float) -> str:
    """Return the number of codes that still fit; a very large one by its order of magnitude."""
    many = (
        f"about 10^{len(str(int(left))) - 1} codes"
        if left >= 10**15
        else count(round(left), "code")
    )
    return f"{many} still {'fits' if left == 1 else 'fit'}"


def _broken(guesses: Fraction | int) -> Values:
    """Both seats, from the guesses that the breaker needs in all."""
    return Fraction(guesses), -Fraction(guesses)


def judge(game: CodeBreaking) -> CodeJudge:
    """The judge for the keeper of this game."""
    made: dict[str, type[CodeJudge]] = {FAIR: FairJudge, EVIL: EvilJudge, NICE: CodeJudge}
    return made[game.oracle](game)

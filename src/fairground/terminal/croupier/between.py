"""Between two hands: deal, change the stake, look at the pay table, or leave.

Nothing here needs the Bank. So it can be asked for the first time while the Bank still opens.
"""

from __future__ import annotations

from collections.abc import Callable

from fairground.games.poker import BETS, LEVELS, Poker
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.croupier import words
from fairground.terminal.croupier.input import HELP, PAYS, QUIT, SPELLINGS
from fairground.terminal.croupier.look import CardArt
from fairground.terminal.seat import Left


class Between:
    """What is played for, and the question whether to play on."""

    def __init__(self, console: Console, art: CardArt, bet: int, level: int) -> None:
        self._console = console
        self._art = art
        self.bet = bet
        self.level = level

    @property
    def chips(self) -> int:
        """How many chips a hand costs."""
        return Poker(self.bet, self.level).stake

    def ask(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Until the person wants the next hand; raise `Left` if they want none.

        ``meanwhile`` is done before each prompt.
        """
        while True:
            meanwhile()
            what = f"bet {self.bet}, level {self.level}: {self.chips} chips"
            try:
                typed = self._console.ask(f"Enter deals ({what}; ? helps, q quits): ").lower()
            except EndOfInput:
                raise Left from None  # nothing is at stake now
            if not typed:
                return
            typed = SPELLINGS.get(typed, typed)
            if typed == QUIT:
                raise Left
            if typed == PAYS:
                self.pays()
            elif typed == HELP:
                self.help(words.BETWEEN)
            else:
                self._change(typed)

    def _change(self, typed: str) -> None:
        if typed.startswith("b") and (bet := words.number_behind(typed, "bet", BETS)):
            self.bet = bet
        elif typed.startswith("l") and (level := words.number_behind(typed, "level", LEVELS)):
            self.level = level
        else:
            self._say(f"{typed!r} is not understood. {words.BETWEEN}")
            return
        self.pays()

    def pays(self) -> None:
        """The pay table."""
        self._console.say()
        self._say(f"What a hand pays, in chips, for a bet of {self.bet}:")
        for line in self._art.pays(self.bet, self.level):
            self._console.say(line)
        self._console.say()

    def help(self, keys: str) -> None:
        """The rules, and what can be typed."""
        for rule in words.RULES:
            self._console.say(self._art.fold(rule, "* ", "  "))
        self._say(keys)

    def _say(self, text: str) -> None:
        self._console.say(self._art.fold(text))

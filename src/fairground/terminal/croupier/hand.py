"""Video poker at a terminal: cards, the pay table, a person's decisions, and the protocol in words.

Five cards lie side by side where there is room, else in a line of signs::

    +-----+ +-----+ +-----+ +-----+ +-----+
    |J    | |7    | |9    | |10   | |J    |
    |  Jc | |  7d | |  9c | | 10c | |  Jh |
    |    J| |    7| |    9| |   10| |    J|
    +-----+ +-----+ +-----+ +-----+ +-----+
       1       2       3       4       5
     HELD                            HELD
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

from fairground.bank.bank_port import BankEvent, GameOutcome, Silence
from fairground.bank.messages import Bet
from fairground.bank.player.game import (
    BankRecorded,
    Checked,
    Complained,
    GameEnded,
    News,
    Sent,
    Suspicion,
    Waiting,
    in_chips,
)
from fairground.bank.seeds import unpacked_hand, unpacked_order
from fairground.games.poker.holds import holds
from fairground.games.poker.rules import (
    BETS,
    HAND,
    KINDS,
    LEVELS,
    PAYS,
    RANKS,
    SUITS,
    Card,
    Poker,
    Rank,
    rank,
)
from fairground.terminal.console import (
    END,
    ENTER,
    Console,
    EndOfInput,
    Ink,
    can_read_keys,
    decimal,
    forget_typed,
    reading_keys,
)
from fairground.terminal.sitting import Left
from fairground.words.plain import listed

LETTERS: Final = "hdcs"
SUIT_NAMES: Final = ("hearts", "diamonds", "clubs", "spades")
RANK_NAMES: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)
RED: Final = (0, 1)
"""Hearts and diamonds."""

CARD: Final = 7
ROW: Final = HAND * (CARD + 1) - 1
NAMES: Final = max(len(rank.words) for rank in Rank)
CELL: Final = 7


def in_words(card: Card) -> str:
    """A card as it is spoken of: "jack of clubs"."""
    return f"{RANK_NAMES[card % KINDS]} of {SUIT_NAMES[card // KINDS]}"


class CardArt(Ink):
    """Cards and the pay table."""

    # Cards

    def card(self, card: Card) -> str:
        suits = LETTERS if self.ascii_only else SUITS
        return RANKS[card % KINDS] + suits[card // KINDS]

    def cards(self, cards: Sequence[Card]) -> str:
        return " ".join(map(self.card, cards))

    def row(
        self, hand: Sequence[Card], held: Collection[int] = (), *, marks: bool = False
    ) -> list[str]:
        """The hand on the table, each card over its number; ``held`` are places from 0.

        With ``marks`` there is a line for the held ones even if there are none.
        """
        if self.columns <= ROW:
            return [self._small(hand, held)]
        edges = self.edges
        top, foot = (
            ends[0] + edges.across * (CARD - 2) + ends[2] for ends in (edges.top, edges.foot)
        )
        faces = [self._face(card) for card in hand]
        lines = [
            " ".join([top] * HAND),
            *(" ".join(row) for row in zip(*faces, strict=True)),
            " ".join([foot] * HAND),
            " ".join(f"{place:^{CARD}}" for place in range(1, HAND + 1)).rstrip(),
        ]
        if held or marks:
            each = (f"{'HELD' if place in held else '':^{CARD}}" for place in range(HAND))
            lines.append(self.ink(" ".join(each).rstrip(), "good"))
        return lines

    def _face(self, card: Card) -> tuple[str, str, str]:
        rank, down = RANKS[card % KINDS], self.edges.down
        style = "suit" if card // KINDS in RED else "bold"
        rows = (f"{rank:<5}", f"{self.card(card):>4} ", f"{rank:>5}")
        first, middle, last = (down + self.ink(text, style) + down for text in rows)
        return first, middle, last

    def _small(self, hand: Sequence[Card], held: Collection[int]) -> str:
        return " ".join(
            f"[{self.card(card)}]" if place in held else self.card(card)
            for place, card in enumerate(hand)
        )

    # The pay table

    def pays(self, bet: int, level: int, made: Rank | None = None) -> list[str]:
        """Draw the pay table in chips. The level is marked, and ``made`` marks a row."""
        narrow = self.columns <= NAMES + CELL * len(LEVELS) + 4
        levels = (level,) if narrow else tuple(LEVELS)

        def cell(text: str, at: int) -> str:
            return f"{f'[{text}]':>{CELL}}" if at == level else f"{text} ".rjust(CELL)

        head = "".join(cell(str(at), at) for at in levels)
        lines = [self.ink(f"{'level':<{NAMES}}{head}", "bold")]
        for paid in list(Rank)[:0:-1]:
            row = "".join(cell(str(bet * PAYS[at][paid]), at) for at in levels)
            line = f"{paid.words:<{NAMES}}{row}"
            lines.append(self.ink(f"{line} <--", "good") if paid is made else line)
        return lines


RULES: Final = (
    "You stake bet x level chips. Five cards are dealt; hold those that you like, once, and the "
    "others are replaced. The final hand pays by the table: a pair of jacks or better at the "
    "least. What it pays includes your stake.",
    "Nobody chooses a card. Before the first is dealt, you and the Croupier have each committed "
    "to two seeds, in a bet that you signed; the deal is made of both first seeds, the "
    "replacements are made of both second ones. Your program checks each, and the Bank does, too.",
    "If the Croupier falls silent, your program complains to the Bank when his time is up: before "
    "the deal you get your stake back and one more, after your order more than the cards that "
    "did not come were worth. If you fall silent, your stake is lost.",
)
HOLD_KEYS: Final = (
    "1 to 5 hold a card or let it go, Enter draws, b tells the best hold, p the pay table, q quits."
)
HOLD_LINE: Final = (
    "Type the numbers of the cards that you hold, such as 13, and Enter; nothing holds none, "
    "12345 all. b tells the best hold, p the pay table, q quits."
)
BETWEEN: Final = (
    "Enter deals. bet N (1 to 10) and level N (1 to 5) change the stake; p shows the pay table, "
    "q quits."
)

COMPLAINTS: Final = {
    Silence.FIRST_CROUPIER_SEED: "you complained: he did not show seed 0, so you get your stake",
    Silence.SECOND_CROUPIER_SEED: "you complained: he did not show seed 1, so he pays for it",
}

LONGEST_HEX: Final = 24


def best_hold(art: CardArt, hand: Sequence[Card], level: int) -> Iterator[str]:
    """Yield the best holds and their values."""
    best, second = holds(hand, level)[:2]
    kept = art.cards(best.kept(hand)) or "nothing"
    value = f"{decimal(best.value, 4)} stakes expected, exactly {best.value}"
    yield f"The best is to hold {kept}: {value}."
    kept = art.cards(second.kept(hand)) or "nothing"
    yield f"Next best: hold {kept}, {decimal(second.value, 4)}."


def minutes(seconds: int) -> str:
    """A time as people say it."""
    if seconds < 120:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    return f"{seconds // 60} minutes"


def short(text: str) -> str:
    """Long hex digits by their beginning."""
    return " ".join(
        f"{word[:16]}..." if len(word) > LONGEST_HEX and _is_hex(word) else word
        for word in text.split()
    )


def _is_hex(word: str) -> bool:
    return all(digit in "0123456789abcdef" for digit in word.removeprefix("0x").lower())


def parse_hold(text: str) -> frozenset[int] | None:
    """The places, from 0, of cards such as ``13`` or ``1 3``; ``None`` if it is not that.

    A card that is named twice may be a slip, so it is not taken.
    """
    digits = text.replace(" ", "").replace(",", "")
    places = {digit: place for place, digit in enumerate("12345"[:HAND])}
    if any(digit not in places for digit in digits) or len(set(digits)) < len(digits):
        return None
    return frozenset(places[digit] for digit in digits)


def number_behind(text: str, word: str, allowed: range) -> int | None:
    """The N of ``bet N``, also written ``bN``; ``None`` if it is not that, or out of range."""
    rest = text.removeprefix(word) if text.startswith(word) else text.removeprefix(word[0])
    rest = rest.strip()
    if not rest.isascii() or not rest.isdigit() or len(rest) > 2 or int(rest) not in allowed:
        return None
    return int(rest)


# Decisions of a person: the stake between two hands, and which cards to hold

BEST: Final = "b"
PAY_TABLE: Final = "p"
HELP: Final = "?"
QUIT: Final = "q"
ASIDES: Final = (BEST, PAY_TABLE, HELP, QUIT)
SPELLINGS: Final = {"best": BEST, "hint": BEST, "help": HELP, "quit": QUIT, "x": QUIT, "exit": QUIT}
"""The words of other games for the same things."""

PLACES: Final = tuple("12345"[:HAND])

WARN_AT: Final = (300, 120, 60, 30, 10)
"""Seconds before the deadline at which the person is warned."""


Answer = frozenset[int] | str
"""The places, from 0, of the cards to keep; or one of `ASIDES`."""


class Hurry:
    """The time left for a decision, by the clock of this machine."""

    def __init__(
        self,
        seconds: int,
        clock: Callable[[], float] = time.monotonic,
        then: str = "the stake is lost",
    ) -> None:
        self._clock, self._then = clock, then
        self._until = clock() + seconds
        self._said = [limit for limit in WARN_AT if limit < seconds]

    @property
    def left(self) -> int:
        return max(0, int(self._until - self._clock()))

    def warning(self) -> str | None:
        """Return the warning that is due, each once."""
        due = [limit for limit in self._said if self.left <= limit]
        if not due:
            return None
        self._said = [limit for limit in self._said if limit not in due]
        return f"Only {self.left} seconds are left to decide; then {self._then}."

    def next_in(self) -> float | None:
        return max(0.0, self._until - self._clock() - self._said[0]) if self._said else None


def ask_line(console: Console, prompt: str) -> Answer | None:
    """One line; ``None`` if it cannot be understood (then the caller says so)."""
    typed = console.ask(prompt)
    word = SPELLINGS.get(typed.lower(), typed.lower())
    return word if word in ASIDES else parse_hold(typed)


class KeyHold:
    """Holding by keys: the cards are marked, and the line below them changes, in place."""

    def __init__(self, art: CardArt, hand: Sequence[Card], hurry: Hurry) -> None:
        self._art = art
        self._hand = hand
        self._hurry = hurry
        self.held: set[int] = set()
        self._drawn = 0
        """Number of lines above the prompt that are drawn again."""

    def ask(self) -> Answer:
        """Until Enter, or a key that asks for something else."""
        forget_typed()
        self._drawn = 0
        with reading_keys(self._draw) as keys:
            self._draw()
            while True:
                if said := self._hurry.warning():
                    self._clear()
                    print(said)
                    self._show()
                key = keys.read(self._hurry.next_in())
                if key is None:
                    continue
                if key == ENTER:
                    print()
                    return frozenset(self.held)
                if key == END:
                    print()
                    raise EndOfInput
                if (aside := SPELLINGS.get(key.lower(), key.lower())) in ASIDES:
                    print()
                    return aside
                if key in PLACES:
                    self.held ^= {int(key) - 1}
                    self._show()

    def _clear(self) -> None:
        """Take the cards and the prompt away, where the cursor stands behind them."""
        up = f"\x1b[{self._drawn}A" if self._drawn else ""
        print(f"\r{up}\x1b[J", end="")
        self._drawn = 0

    def _show(self) -> None:
        self._clear()
        self._draw()

    def _draw(self) -> None:
        lines = self._art.row(self._hand, self.held, marks=True)
        print("\n".join(lines))
        self._drawn = len(lines)
        kept = [self._hand[place] for place in sorted(self.held)]
        text = self._art.cards(kept) if kept else "nothing"
        print(f"Hold {text} > ", end="", flush=True)


class Person:
    """Asks a person for the stake between two hands, and for the cards to hold.

    Cards are chosen by keys where there are some, else by lines.
    """

    def __init__(self, console: Console, art: CardArt, bet: int, level: int) -> None:
        self.console, self.art = console, art
        self.bet, self.level = bet, level
        self._by_keys = can_read_keys()
        self._told_how = False

    @property
    def chips(self) -> int:
        return Poker(self.bet, self.level).stake

    def ask_for_hand(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Until the person wants the next hand; raise `Left` if they want none.

        ``meanwhile`` is done before each prompt.
        """
        while True:
            meanwhile()
            what = f"bet {self.bet}, level {self.level}: {self.chips} chips"
            try:
                typed = self.console.ask(f"Enter deals ({what}; ? helps, q quits): ").lower()
            except EndOfInput:
                raise Left from None  # nothing is at stake now
            if not typed:
                return
            typed = SPELLINGS.get(typed, typed)
            if typed == QUIT:
                raise Left
            if typed == PAY_TABLE:
                self.pays()
            elif typed == HELP:
                self.help(BETWEEN)
            else:
                self._change(typed)

    def _change(self, typed: str) -> None:
        if typed.startswith("b") and (bet := number_behind(typed, "bet", BETS)):
            self.bet = bet
        elif typed.startswith("l") and (level := number_behind(typed, "level", LEVELS)):
            self.level = level
        else:
            self.say(f"{typed!r} is not understood. {BETWEEN}")
            return
        self.pays()

    def pays(self) -> None:
        self.console.say()
        self.say(f"What a hand pays, in chips, for a bet of {self.bet}:")
        for line in self.art.pays(self.bet, self.level):
            self.console.say(line)
        self.console.say()

    def help(self, keys: str) -> None:
        for rule in RULES:
            self.console.say(self.art.fold(rule, "* ", "  "))
        self.say(keys)

    def tell(self, hand: tuple[Card, ...]) -> None:
        """The cards that were dealt, drawn (unless the keys will draw them) and in words."""
        self.console.say()
        if not self._by_keys:
            self._show(hand)
        text = listed([in_words(card) for card in hand])
        self.say(f"{text[0].upper()}{text[1:]}. That is {_worth(hand)}.")

    def ask_to_hold(
        self, hand: tuple[Card, ...], level: int, hurry: Hurry, leave: Callable[[], None]
    ) -> tuple[int, ...]:
        """Ask for the order: 1 replaces a card. ``leave`` confirms leaving, and may raise."""
        how = HOLD_KEYS if self._by_keys else HOLD_LINE
        if not self._told_how:
            self._told_how = True
            self.say(how)
            if hurry.left:
                self.say(f"You have {minutes(hurry.left)} to decide.")
        keys = KeyHold(self.art, hand, hurry)
        while True:
            answer: Answer | None
            answer = keys.ask() if self._by_keys else ask_line(self.console, "Hold: ")
            if isinstance(answer, frozenset):
                return tuple(int(place not in answer) for place in range(HAND))
            if answer == QUIT:
                leave()
            elif answer == BEST:
                for line in best_hold(self.art, hand, level):
                    self.say(line)
            elif answer == PAY_TABLE:
                self.pays()
            elif answer == HELP:
                self.help(how)
            else:
                self.say(f"That is not understood. {HOLD_LINE}")
            if not self._by_keys and (said := hurry.warning()):
                self.say(said)

    def show_final(
        self, final: tuple[Card, ...], order: tuple[int, ...], prize: int, stake: int
    ) -> None:
        """The cards in the end, and what they pay, in chips."""
        self.console.say()
        self._show(final, [place for place in range(HAND) if not order[place]])
        title = _worth(final).capitalize()
        if prize:
            back = "your stake back" if prize == stake else f"{prize:,} chips for {stake}"
            self.say(f"{title}: {back}.", "good")
        else:
            self.say(f"{title}: your stake of {in_chips(stake, 1)} is lost.", "bad")

    def say(self, text: str, style: str = "") -> None:
        folded = self.art.fold(text)
        self.console.say(self.art.ink(folded, style) if style else folded)

    def _show(self, hand: tuple[Card, ...], held: Collection[int] = ()) -> None:
        for line in self.art.row(hand, held):
            self.console.say(line)


def _worth(hand: tuple[Card, ...]) -> str:
    made = rank(hand)
    return made.words if made else "nothing that pays"


# The protocol in words


class NewsWords:
    """News in words, for a Bank whose chip costs so much."""

    def __init__(self, art: CardArt, chip_cost: int) -> None:
        self._art = art
        self._chip_cost = chip_cost

    def chips(self, wei: int) -> str:
        return in_chips(wei, self._chip_cost)

    def explained(self, news: News) -> str:
        """A step of the protocol, for who wants to see each."""
        match news:
            case Checked(what, found):
                return f"Player checks {what}: {short(found)}"
            case Sent(sender, receiver, what, detail):
                more = f": {short(detail)}" if detail else ""
                return f"{sender.value} {self._arrow} {receiver.value}: {what}{more}"
            case BankRecorded(event, bet):
                return f"Bank records {event.name}: {self._recorded(event, bet)}"
            case _:
                return self.told(news)

    def told(self, news: News) -> str:
        """Return the sentence for news that everybody must hear, else nothing."""
        match news:
            case Waiting(_, what, seconds):
                most = f", at most {minutes(seconds)}" if seconds > 0 else ""
                return f"Waiting for {what}{most}."
            case Suspicion(party, reason):
                return f"Beware of the {party.value}: {reason}."
            case Complained(silence):
                return f"The Croupier is silent: {COMPLAINTS[silence]}."
            case GameEnded(outcome) if outcome != GameOutcome.SETTLED:
                return self._ended(news)
            case _:
                return ""

    @property
    def _arrow(self) -> str:
        return "->" if self._art.ascii_only else "→"

    def _recorded(self, event: BankEvent, bet: Bet) -> str:
        values: dict[str, Any] = event.values
        match event.name:
            case "BetSubmitted":
                stake, top = self.chips(bet.stake), self.chips(bet.top_prize)
                return f"it locks your stake, {stake}, and the top prize, {top}"
            case "CroupierSeedSubmitted" if values["seedId"] == 0:
                return "his seed 0 fits; the stake is his, the prize stays locked"
            case "CroupierSeedSubmitted":
                return "his seed 1 fits"
            case "PlayerSeedSubmitted":
                hand = self._art.cards(unpacked_hand(values["hand"]))
                return f"your seed {values['seedId']} fits; both give {hand}"
            case "ReplacementOrderSubmitted":
                order = ",".join(map(str, unpacked_order(values["order"])))
                return f"your order {order} (1 replaces)"
            case "GameSettled":
                paid = self.chips(values["prize"])
                return f"{paid} to you, the rest of the lock to the Croupier"
            case "CroupierForfeited":
                return f"{self.chips(values['penalty'])} to you"
            case _:
                return "the game is over"

    def _ended(self, ended: GameEnded) -> str:
        if ended.lapsed:
            return "The Croupier did not bring the bet to the Bank in time. Nothing was staked."
        match ended.outcome:
            case GameOutcome.CROUPIER_FORFEITED:
                return f"The Croupier forfeits, and the Bank pays you {self.chips(ended.paid)}."
            case _:
                return f"You were silent too long: your stake of {self.chips(ended.stake)} is lost."

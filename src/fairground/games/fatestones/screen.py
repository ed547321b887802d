"""``fairground fatestones``: its options, dice as boxes, advice, and the screen of a game.

A die is shown as its six faces in a row::

    0  133446
    +---+---+---+---+---+---+
    |   |o  |o  |o o|o o|o o|
    | o | o | o |   |   |o o|
    |   |  o|  o|o o|o o|o o|
    +---+---+---+---+---+---+

Two hands lie beside each other where there is room, else one above the other. Without room for a
drawing, only the digits remain. The screen follows the table's events alone. Choices of people are
sealed by this process; a machine's seal is recorded and shown before anyone is asked.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import Final

from fairground.core import BadParams, InputError, Seat, Unreadable
from fairground.fair.schemes import Chair
from fairground.games.fatestones.rules import (
    FACES,
    HAND,
    Die,
    FateStones,
    Hand,
    Round,
    parse_dice,
    pips,
    wrong_with,
)
from fairground.games.fatestones.solver.choices import ROLLS, meeting, regrets, solve
from fairground.games.fatestones.words import FateStonesWords
from fairground.players import Player
from fairground.players.runner import Runner
from fairground.table import Ask, Change
from fairground.terminal.console import Arguments, Console, Ink, percent
from fairground.terminal.evening import (
    HousePlayers,
    OpenTable,
    Parlour,
    SeatPlan,
    TablePlan,
    add_difficulty,
    add_playing,
    company,
    player_for,
)
from fairground.terminal.options import add_ascii, add_stir, players_in_words
from fairground.terminal.sitting import Sitting
from fairground.transcript import Event
from fairground.words.plain import listed

KEYS: Final = (
    "0, 1 or 2 (or the die itself) chooses; hint tells what perfect play would do; X leaves."
)


class SeatNames:
    """Sentences about the two seats: "you" and "I" against a machine, else two names."""

    def __init__(self, names: Sequence[str], me: Seat | None) -> None:
        self._names = names
        self._me = me

    def does(self, seat: Seat, verb: str) -> str:
        """Return subject and verb: "You roll", "I roll", "Ann rolls"."""
        if self._me is None:
            return f"{self._names[seat]} {verb}s"
        return f"{'You' if seat == self._me else 'I'} {verb}"

    def whose(self, seat: Seat) -> str:
        """Return the possessive at the beginning of a sentence."""
        if self._me is None:
            return f"{self._names[seat]}'s"
        return "Your" if seat == self._me else "My"

    def asked(self, seat: Seat, request: str) -> str:
        """Return a request to a seat, by its name where two people are at the keyboard."""
        if self._me is None:
            return f"{self._names[seat]}, {request[0].lower()}{request[1:]}"
        return request


def choices(hand: Sequence[str]) -> str:
    """Return the numbers that can be typed for a die: "0, 1, 2"."""
    return ", ".join(str(number) for number in range(len(hand)))


FILE_OF_DICE: Final = (
    "a file of dice: 123456 or 1 2 3 4 5 6 on each line, at least six dice; # begins a comment"
)
LARGEST_FILE: Final = 1_000_000
HANDS: Final = "--mine 134445,144444,234444 --theirs 233346,333336,333444"


def add_hands(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add ``--mine`` and ``--theirs``: the dice on the table."""
    for option, whose in (("--mine", "your"), ("--theirs", "the other side's")):
        parser.add_argument(
            option, metavar="A,B,C", required=required, help=f"{whose} dice, one to three of them"
        )


def add_dice(parser: argparse._ActionsContainer) -> None:
    """Add ``--dice``: another bag than the 32 fair dice."""
    parser.add_argument("--dice", metavar="FILE", type=Path, help=FILE_OF_DICE)


def hand(text: str, option: str) -> Hand:
    """Return the dice that were typed behind an option."""
    dice: Hand = tuple(die.strip() for die in text.split(","))
    bad = [f"{die!r}: {reason}" for die in dice if (reason := wrong_with(die)) is not None]
    if bad:
        raise BadParams(f"{option} {text!r} is not understood\n{_lines(bad)}\nFor example: {HANDS}")
    return dice


def hands(options: argparse.Namespace) -> tuple[Hand, Hand]:
    """Return both hands of a command line: as many dice on either side, one to three."""
    mine, theirs = hand(options.mine, "--mine"), hand(options.theirs, "--theirs")
    if len(mine) != len(theirs) or len(mine) > HAND:
        raise BadParams(
            "both sides need the same number of dice, one to three each, not "
            f"{len(mine)} and {len(theirs)}.\nFor example: {HANDS}"
        )
    return mine, theirs


def _lines(problems: list[str]) -> str:
    return "\n".join(f"  {problem}" for problem in problems)


def dice_file(path: Path | None) -> tuple[Die, ...] | None:
    """Return the dice of a file; ``None`` where no file is named, which means the 32 fair dice."""
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise Unreadable(f"{str(path)!r} is too large. Expected is {FILE_OF_DICE}.")
        lines = data.decode("utf-8-sig").splitlines()
        return parse_dice("\n".join(line.partition("#")[0] for line in lines))
    except OSError as error:
        raise Unreadable(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{str(path)!r} is not text. Expected is {FILE_OF_DICE}.") from None
    except BadParams as problem:
        what, *bad = str(problem).splitlines()
        raise BadParams(
            f"{str(path)!r} is {what}\n{_lines(bad)}\nExpected is {FILE_OF_DICE}."
        ) from None


def two_players(text: str) -> tuple[str, str]:
    """Return two players such as ``optimal,mcts:200``."""
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise InputError(
            f"--players {text!r} is not understood: two players are needed, the first for player "
            "1. For example: --players optimal,mcts:200"
        )
    return names[0], names[1]


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what goes wrong with an output file into plain words, before the work if possible."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a directory, not a file that can be written")
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


PIPS: Final[Mapping[int, tuple[str, str, str]]] = {
    1: ("   ", " o ", "   "),
    2: ("o  ", "   ", "  o"),
    3: ("o  ", " o ", "  o"),
    4: ("o o", "   ", "o o"),
    5: ("o o", " o ", "o o"),
    6: ("o o", "o o", "o o"),
}

GAP: Final = 3


class DiceArt(Ink):
    """Dice with pips."""

    def strip(self, faces: Sequence[int], wide: bool) -> list[str]:
        """Draw faces in a row, sharing their edges: five lines."""
        edges, margin = self.edges, " " if wide else ""
        edge, down = edges.across * (3 + 2 * len(margin)), edges.down

        def row(ends: str, cells: Sequence[str]) -> str:
            return ends[0] + ends[1].join(cells) + ends[2]

        lines = (
            row(down * 3, [f"{margin}{PIPS[face][line]}{margin}" for face in faces])
            for line in range(3)
        )
        drawn = [line.replace("o", "o" if self.ascii_only else "●") for line in lines]
        flat = [edge] * len(faces)
        return [row(edges.top, flat), *drawn, row(edges.foot, flat)]

    def die(self, label: str, die: Die, wide: bool) -> list[str]:
        return [f"{label}  {die}", *self.strip(pips(die), wide)]

    def hands(self, titles: Sequence[str], hands: Sequence[Hand]) -> list[str]:
        """Draw both hands with the numbers of their dice, side by side if they fit."""
        layouts = [(True, True), (True, False), (False, True), (False, False)]
        for beside, wide in layouts:
            if _width(wide) * (2 if beside else 1) + (GAP if beside else 0) <= self.columns:
                break
        else:
            return [
                line
                for title, hand in zip(titles, hands, strict=True)
                for line in (title, *(f"{i} {die}" for i, die in enumerate(hand)))
            ]
        columns = [
            [title, *(line for i, die in enumerate(hand) for line in self.die(str(i), die, wide))]
            for title, hand in zip(titles, hands, strict=True)
        ]
        if not beside:
            return [line for first, *rest in columns for line in (self.ink(first, "bold"), *rest)]
        room = _width(wide) + GAP
        first = self.ink(titles[0], "bold") + " " * (room - len(titles[0]))
        pairs = zip_longest(columns[0][1:], columns[1][1:], fillvalue="")
        return [
            first + self.ink(titles[1], "bold"),
            *(f"{left:<{room}}{right}".rstrip() for left, right in pairs),
        ]

    def rolled(self, faces: tuple[int, int], captions: tuple[str, str]) -> list[str]:
        """Draw two faces as they fell, each below its caption; beside each other if they fit."""
        shown = [self.strip([face], wide=True) for face in faces]
        room = max(len(captions[0]), len(shown[0][0])) + GAP
        if room + max(len(captions[1]), len(shown[1][0])) > self.columns:
            return [
                line
                for caption, face in zip(captions, shown, strict=True)
                for line in (caption, *face)
            ]
        rows = zip((captions[0], *shown[0]), (captions[1], *shown[1]), strict=True)
        return [f"{left:<{room}}{right}".rstrip() for left, right in rows]


def _width(wide: bool) -> int:
    """Width of a drawn die, in cells."""
    return FACES * (6 if wide else 4) + 1


LONGEST_FRACTION: Final = 15
"""Values can be fractions of forty digits: ``fairground solve fatestones`` shows them all."""


def exactly(share: Fraction) -> str:
    """Return a share in percents, and as a fraction where that is short enough to be read."""
    text = str(share)
    return f"{text} ({percent(share)})" if len(text) <= LONGEST_FRACTION else percent(share)


def advice(mine: Hand, theirs: Hand) -> list[str]:
    """Return the mix of perfect play with these dice, and the cost of each other choice."""
    found = solve(mine, theirs)
    costs, _ = regrets(mine, theirs)
    lines = [
        f"With perfect play you win with chance {exactly(found.value)}, "
        "a scratch counting one half. Choose by chance:",
    ]
    for number, (die, chance, cost) in enumerate(zip(mine, found.my_mix, costs, strict=True)):
        if chance == 1:
            lines.append(f"  {number}  {die}  always")
        elif chance:
            lines.append(f"  {number}  {die}  {exactly(chance)}")
        elif cost:
            lines.append(f"  {number}  {die}  never (costs {percent(cost)})")
        else:
            lines.append(f"  {number}  {die}  not needed (costs nothing)")
    return lines


def cost(mine: Hand, theirs: Hand, pick: int) -> str:
    """Return the cost of an opened choice, in chance to win against perfect play."""
    lost = regrets(mine, theirs)[0][pick]
    if not lost:
        return f"Your choice of {mine[pick]} was as good as any: it cost nothing."
    return f"Your choice of {mine[pick]} cost {percent(lost)} against perfect play."


def odds(mine: Hand, theirs: Hand) -> list[str]:
    """Return the table of ways to win and to tie, out of 36, for each pair of dice."""
    lines = [
        f"Your dice (left) against theirs: ways to win + ways to tie, of {ROLLS}.",
        " " * 9 + "".join(f"  {die}" for die in theirs),
    ]
    for number, die in enumerate(mine):
        cells = "".join(
            f"{f'{meet.wins}+{meet.ties}':>8}" for meet in (meeting(die, other) for other in theirs)
        )
        lines.append(f"{number}  {die}{cells}")
    return lines


PERSON: Seat = 0
MACHINE: Seat = 1


class FateStonesScreen(Sitting):
    """Tells one game as it happens, and asks those at the keyboard."""

    def __init__(self, console: Console, art: DiceArt, place: Runner) -> None:
        super().__init__(console, art, place)
        assert isinstance(place.game, FateStones)
        self._art = art
        self._table = place.table
        self._game = place.game
        self._me = place.people[0] if len(place.people) == 1 else None
        """The reader's seat; ``None`` if two people or none play."""
        self._hot_seat = self._me is None
        self._words = SeatNames(place.names, self._me)
        self._state = self._game.start()
        self._deals = 0

    def left(self, seat: Seat) -> None:
        self.say(f"{self._words.does(seat, 'leave')} the game, and so the other side wins.")

    # Asking

    def asides(self) -> Mapping[str, Callable[[], None]]:
        return {"?": self._help, "hint": self._hint}

    def occasion(self) -> str:
        return "the deal" if self._state.phase == "deal" else "the roll"

    def addressed(self, seat: Seat, request: str) -> str:
        return self._words.asked(seat, request)

    def choose(self, ask: Ask) -> int:
        mine = self._state.hands[ask.seat]
        hidden = "hidden: " if self._hot_seat else ""
        asked = f"Your die ({hidden}{choices(mine)}, hint, ?, X): "
        prompt = self.addressed(ask.seat, asked)
        while True:
            answer = self.ask(prompt, hidden=self._hot_seat)
            if answer in mine:
                return mine.index(answer)
            if answer in [str(number) for number in range(len(mine))]:
                return int(answer)
            # Behind a hidden prompt nothing that was typed is shown, not even nonsense.
            said = "That" if self._hot_seat or not answer else repr(answer)
            self.say(
                f"{said} is none of the dice. Type {choices(mine)} or the die itself, "
                "hint for advice, ? for help or X to exit."
            )

    def _hands(self) -> tuple[Hand, Hand]:
        """Return the asked seat's dice, and those of the other side."""
        return self._state.hands[self.asked], self._state.hands[1 - self.asked]

    def _hint(self) -> None:
        mine, theirs = self._hands()
        mix = {str(i): str(chance) for i, chance in enumerate(solve(mine, theirs).my_mix)}
        self._table.note({"hint": mix, "seat": self.asked})
        first, *lines = advice(mine, theirs)
        self.say(first)
        self.console.say("\n".join(lines))

    def _help(self) -> None:
        for rule in FateStonesWords.rules.splitlines():
            self.say(rule, first="* ")
        self.console.say()
        first, *lines = odds(*self._hands())
        self.say(first)
        self.console.say("\n".join(lines))
        self.console.say()
        self.say(KEYS)

    # Telling

    def tell(self, event: Event) -> None:
        match event["kind"]:
            case "dealt":
                for change in self._table.changes(self.told):
                    self._drawn(change)
                if self._state.phase == "choose":
                    self._show_dice()
            case "seal":
                seat = event["seat"]
                self.say(f"{self._words.whose(seat)} choice is made, and sealed:")
                self.say(event["commitment"], "dim")
            case "open":
                (change,) = self._table.changes(self.told)
                self._state = change.after
                if change.after != change.before:
                    self._tell_choices()

    def _drawn(self, change: Change) -> None:
        before, self._state = change.before, change.after
        played = self._state.last
        if before.phase == "roll" and self._state.phase != "roll" and played is not None:
            self._tell_round(played)
        elif before.phase == "deal" and not before.hands[0]:
            self._deals += 1

    def _show_dice(self) -> None:
        self.console.say()
        if len(self._state.hands[0]) < 3:
            self.say("These dice are left:")
        elif self._deals > 1:
            self.say(f"Deal number {self._deals}:")
        titles = [f"{self._words.whose(seat)} dice" for seat in (0, 1)]
        for line in self._art.hands(titles, self._state.hands):
            self.console.say(line)
        self.console.say()

    def _tell_choices(self) -> None:
        picks = self._state.picks
        assert picks is not None
        taken = [
            f"{self._words.does(seat, 'take')} {self._state.hands[seat][picks[seat]]}"
            for seat in (0, 1)
        ]
        self.say(f"Both seals are opened. {taken[0]}, {taken[1]}.")

    def _tell_round(self, played: Round) -> None:
        does, dice = self._words.does, played.dice
        mine, yours = played.rolls
        captions = [f"{does(seat, 'roll')} {dice[seat]}" for seat in (0, 1)]
        self.console.say()
        for line in self._art.rolled(played.rolls, (captions[0], captions[1])):
            self.console.say(line)
        if mine != yours:
            winner = 0 if mine > yours else 1
            style = "good" if self._me in (None, winner) else "bad"
            high, low = max(mine, yours), min(mine, yours)
            self.say(f"{does(winner, 'win')}: {high} is more than {low}.", style)
        elif len(played.hands[0]) > 1:
            self.say(f"A tie: {mine} and {yours}. Both dice are gone; choose again.", "bold")
        else:
            self.say(
                f"A tie: {mine} and {yours}, with the last dice. That is a scratch: the bag is "
                "filled, and dealt anew.",
                "bold",
            )
        if self._me is not None and len(played.hands[self._me]) > 1:
            hands = played.hands[self._me], played.hands[1 - self._me]
            self.say(cost(*hands, played.picks[self._me]))


OPPONENT: Final = "optimal"


def _arguments() -> Arguments:
    parser = Arguments(
        "fatestones",
        "Play FateStones: three odd dice each, all on show. Choose one in secret; the higher roll\n"
        "wins; a tie uses up both dice. The choices are sealed, so that neither side can peek,\n"
        "and every roll is dealt by hash-chains/1, into which you stir words of your own.",
        "Examples:\n"
        "  fairground fatestones\n"
        "  fairground fatestones --opponent mcts:500 --stir each --save game.jsonl\n"
        "  fairground fatestones --hot-seat Ann,Bob --match 3\n\n"
        "At every prompt: ? helps, X exits. Where a die is asked for, hint tells what perfect\n"
        "play would do (and the record says that you asked).",
    )
    against = parser.add_mutually_exclusive_group()
    against.add_argument(
        "--opponent",
        metavar="PLAYER",
        default=OPPONENT,
        help=f"who plays against you: {players_in_words(FateStones(), MACHINE, OPPONENT)}",
    )
    against.add_argument(
        "--hot-seat",
        nargs="?",
        const="Player 1,Player 2",
        metavar="ANN,BOB",
        help="two people at one keyboard, under these names; choices are not shown",
    )
    add_playing(parser, "who plays, as in all games: Ann=me, Hal=optimal")
    add_difficulty(parser, FateStones(), MACHINE)
    add_dice(parser)
    add_stir(parser, "before each deal and roll")
    add_ascii(parser, "draw dice with plain characters", "with boxes")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground fatestones``"""
    options = _arguments().parse_args(arguments)
    return FateStonesParlour(FateStones(dice_file(options.dice)), options, arguments).run()


def go_on(opened: OpenTable, arguments: Sequence[str], house: HousePlayers) -> int:
    """Go on with an unfinished game."""
    game = opened.table.game
    assert isinstance(game, FateStones)
    options = _arguments().parse_args(arguments)
    return FateStonesParlour(game, options, arguments).resume(opened, house)


def _company(options: argparse.Namespace, game: FateStones) -> SeatPlan:
    """Return the seat plan from ``--seat`` or from this game's own options."""
    if options.seat:
        return company(game, options.seat)
    if options.hot_seat is not None:
        names = [name.strip() for name in options.hot_seat.split(",")]
        if len(names) != 2 or not all(names):
            raise InputError(
                f"--hot-seat {options.hot_seat!r} is not understood: two names are needed, such "
                "as --hot-seat Ann,Bob"
            )
        return SeatPlan(dict(enumerate(names)), {})
    spec = player_for(game, MACHINE, options.difficulty or options.opponent)
    return SeatPlan({PERSON: "Player"}, {MACHINE: spec})


class FateStonesParlour(Parlour):
    """Games from one bag."""

    def __init__(
        self, game: FateStones, options: argparse.Namespace, arguments: Sequence[str]
    ) -> None:
        self._dice_art = DiceArt.of_terminal(options.ascii)
        super().__init__(options, arguments, self._dice_art, _company(options, game))
        self._game = game

    def wanted(self) -> TablePlan:
        who = self.who
        lends = "nothing" if self.options.seed is not None else "stir"
        chairs = [
            Chair(who.people[seat] or f"Player {seat + 1}", by="self", lends=lends)
            if seat in who.people
            else Chair(f"Machine ({who.players[seat]})", by="house")
            for seat in range(self._game.seats)
        ]
        stir = {"stir": self.options.stir}
        return TablePlan("fatestones", self.arguments, self._game, chairs, options=stir)

    def screen(self, opened: OpenTable, players: Mapping[Seat, Player]) -> FateStonesScreen:
        console, art = self.console, self._dice_art
        names = [chair.name for chair in opened.table.setting.chairs]
        against = listed([f"against {name}" for name in self.who.players.values()])
        console.say(art.ink(art.fold(f"FateStones {against or 'for ' + listed(names)}"), "bold"))
        console.say(
            art.fold(
                f"A bag of {len(self._game.bag)} dice, three for each of you. Choose one in "
                "secret: the higher roll wins. ? helps, X leaves."
            )
        )
        return FateStonesScreen(console, art, Runner(opened.table, players, opened.vault))

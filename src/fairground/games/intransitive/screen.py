"""``fairground dice`` and ``fairground solve dice``: intransitive dice on a terminal."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from fairground.core import BadParams, InputError, Seat
from fairground.fair.schemes import Chair
from fairground.games.intransitive.rules import (
    COMPUTER,
    FEWEST_DICE,
    USER,
    Die,
    Intransitive,
    State,
)
from fairground.games.intransitive.solver import WinOdds, ratio
from fairground.games.intransitive.words import IntransitiveWords, label
from fairground.players import Player
from fairground.players.runner import Runner
from fairground.table import Ask, Change
from fairground.terminal.console import Arguments, Console, Ink
from fairground.terminal.evening import (
    HousePlayers,
    OpenTable,
    Parlour,
    TablePlan,
    add_difficulty,
    add_playing,
    company,
    player_for,
)
from fairground.terminal.options import add_stir_always, players_in_words
from fairground.terminal.sitting import Sitting
from fairground.transcript import Event

if TYPE_CHECKING:
    from rich.table import Table as RichTable

EXAMPLE: Final = "fairground dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3"

LONGEST_FACE: Final = 1000
"""Maximum number of digits of a face: far beyond 64 bits, and still readable."""

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_GUARD: Final = "\0"


class DiceParser:
    """Turns arguments such as ``2,2,4,4,9,9`` into dice, or says what is wrong with which."""

    def __init__(self, example: str = EXAMPLE) -> None:
        self._example = example

    def parse(self, arguments: Sequence[str]) -> list[Die]:
        """Return the dice; at least three."""
        dice = [self._die(number, text) for number, text in enumerate(arguments, 1)]
        if not dice:
            raise self._error(f"no dice were given; at least {FEWEST_DICE} are needed")
        if len(dice) < FEWEST_DICE:
            count = "one die was" if len(dice) == 1 else "only two dice were"
            raise self._error(f"{count} given; at least {FEWEST_DICE} are needed")
        return dice

    def _die(self, number: int, text: str) -> Die:
        where = f"die {number} ({text if len(text) <= 60 else text[:57] + '...'!r})"
        if not text.strip():
            raise self._error(f"{where} is empty; a die is a list of integers with commas between")
        faces = []
        for place, face in enumerate(text.split(","), 1):
            word = face.strip()
            if not word:
                raise self._error(f"{where} has an empty face at place {place} (a stray comma)")
            if not _INTEGER.fullmatch(word):
                raise self._error(f"{where} has the face {word!r}, which is not an integer")
            if len(word) > LONGEST_FACE:
                raise self._error(f"die {number} has a face of {len(word)} digits: too long")
            faces.append(int(word))
        return Die(tuple(faces))

    def _error(self, reason: str) -> BadParams:
        return BadParams(f"{reason}.\nFor example: {self._example}")


def guard_negative_dice(arguments: Sequence[str]) -> list[str]:
    """Keep a die such as ``-1,2,3`` from being taken for an option."""
    return [_GUARD + word if re.match(r"-[^a-zA-Z-]", word) else word for word in arguments]


def unguard(word: str) -> str:
    """Undo `guard_negative_dice`."""
    return word.removeprefix(_GUARD)


USUAL_HOUSE = "computer=optimal"
ABOUT = "Each of us takes one die, and the higher roll wins."
KEYS = "? shows the rules and all odds, hint advises, q leaves."
LONGEST_MENU = 20
"""Maximum number of numbers that are listed; more are a range."""
FEW_DICE = 40
"""With more dice the search for a circle would delay the first prompt."""
PRACTISED = "This is practice: the seed decides."


class DiceScreen(Sitting):
    """Tells one game as it happens, and asks the user what the table asks of them."""

    def __init__(self, console: Console, art: Ink, place: Runner) -> None:
        super().__init__(console, art, place)
        assert isinstance(place.game, Intransitive)
        self._game = place.game
        self._table = place.table
        self._state: State = self._game.start()
        """The state after the last line that was told."""
        self._shares: dict[int, int] = {}
        """The user's number for each draw."""
        self._art = art
        self._again: Callable[[], None] = lambda: None
        """Shows the menu once more, after an aside."""
        self._checks: list[str] = []
        """For each draw, the command with which the user can check its HMAC."""

    def play(self) -> None:
        if self._art.on_a_terminal:
            self._say("Intransitive dice", "bold")
            self._say(self._about())
            self.console.say()
        try:
            super().play()
        finally:
            self._say_how_to_check()

    def _about(self) -> str:
        if len(self._game.dice) > FEW_DICE:
            return f"{ABOUT} {KEYS}"
        return f"{ABOUT} {WinOdds(self._game.dice).summary()} {KEYS}"

    def _say_how_to_check(self) -> None:
        if self._checks:
            self.console.say(
                "\nCheck me: each of these prints the HMAC that I showed (in small letters):"
            )
        for check in self._checks:
            self.console.say(f"  {check}")

    def leave(self, reason: str) -> None:
        if not self.place.over:
            self.console.say("You leave the game.")
        super().leave(reason)

    # Asking

    def choose(self, ask: Ask) -> int:
        left = [move for move in self._game.moves(self._state, USER) if isinstance(move, int)]
        dice = [label(self._game.dice[die]) for die in left]
        return left[self._chosen("Choose your dice:", dice, listed=True)]

    def bound(self, text: str) -> None:
        """Print nothing: each HMAC is shown with its draw."""

    def number(self, ask: Ask) -> int:
        guess = self._state.first is None
        heading = "Try to guess my selection." if guess else f"Add your number modulo {ask.n}."
        numbers = [str(number) for number in range(ask.n)]
        return self._chosen(heading, numbers, listed=ask.n <= LONGEST_MENU)

    def _chosen(self, heading: str, labels: Sequence[str], *, listed: bool) -> int:
        """Show a menu, and ask until an option is chosen. Too many numbers are not listed."""
        keys = [str(key) for key in range(len(labels))]
        lines = [f"{key} - {text}" for key, text in zip(keys, labels, strict=True)]
        expected = ", ".join(keys)
        if not listed:
            lines, expected = [f"0..{keys[-1]} - your number"], f"a number from 0 to {keys[-1]}"
        menu = "\n".join([heading, *lines, "X - exit", "? - help"])
        self._again = partial(self.console.say, menu)
        self._again()
        while (typed := self.ask("Your selection: ")) not in keys:
            said = f"{typed!r} is not an option" if typed else "Nothing was chosen"
            self.console.say(f"{said}. Type {expected}, X to exit or ? for help.")
        return int(typed)

    def asides(self) -> Mapping[str, Callable[[], None]]:
        return {"?": self._help, "help": self._help, "hint": self._hint}

    def _help(self) -> None:
        for paragraph in IntransitiveWords.rules.splitlines():
            self.say(paragraph)
        HelpTable(self._game.dice, self._art).show(self.console)
        self._again()

    def _hint(self) -> None:
        if self._state.first is None or self._state.picks[USER] is not None:
            self.console.say("Any number is as good as any other: the draw is fair.")
            return
        if best := self.advice(self._state):
            self.say(f"Hint: take [{best.option}]. {best.says}")
        self._again()

    # Telling

    def _say(self, text: str, style: str = "") -> None:
        self.console.say(self._art.ink(self._art.fold(text) if style else text, style))

    def tell(self, event: Event) -> None:
        match event["kind"]:
            case "ticket":
                self._tell_ticket(event)
            case "share":
                self._shares[event["run"]] = event["value"]
            case "dealt":
                self._tell_dealt(event)
            case "move":
                self._tell_move(event)
            case "opening":
                number, key = event["evidence"]["number"], event["evidence"]["key"]
                self._say(f"My number was {number} (KEY={key}).")
                self._remember_check(number, key)
            case "end":
                self._tell_end()

    def _tell_ticket(self, event: Event) -> None:
        if self._state.first is None:
            self._say("Let's determine who makes the first move.")
        else:
            mine = self._state.rolls[COMPUTER] is None
            self._say(f"It's time for {'my' if mine else 'your'} roll.")
        if not event["ticket"]:
            return  # practice: nothing binds me
        self._say(
            f"I selected a random value in the range 0..{event['n'] - 1} "
            f"(HMAC={event['ticket']['hmac']})."
        )

    def _tell_dealt(self, event: Event) -> None:
        for change in self._table.changes(self.told):
            self._tell_draw(event, change)

    def _tell_draw(self, event: Event, change: Change) -> None:
        say = self._say
        before, self._state = change.before, change.after
        evidence = event["evidence"]
        if not evidence:
            said, summed = PRACTISED, ""
        else:
            number, key = evidence["number"], evidence["key"]
            self._remember_check(number, key)
            what = "My selection:" if before.first is None else "My number is"
            said = f"{what} {number} (KEY={key})."
            added = (
                f"{number} + {self._shares.get(event['run'], 0)} = {change.value} (mod {change.n})"
            )
            summed = f"The fair number generation result is {added}."
        say(said)
        if before.first is None:
            if self._state.first == USER:
                say("You make the first move.")
            return
        if summed:
            say(summed)
        seat = COMPUTER if before.rolls[COMPUTER] is None else USER
        whose = "My" if seat == COMPUTER else "Your"
        say(f"{whose} roll result is {self._game.result(self._state, seat)}.")

    def _remember_check(self, number: int, key: str) -> None:
        self._checks.append(f"printf %s {number} | openssl dgst -sha3-256 -hmac {key}")

    def _tell_move(self, event: Event) -> None:
        die = label(self._game.dice[event["move"]])
        (change,) = self._table.changes(self.told)
        self._state = change.after
        if event["seat"] == USER:
            self._say(f"You choose the [{die}] dice.")
        elif self._state.first == COMPUTER:
            self._say(f"I make the first move and choose the [{die}] dice.")
        else:
            self._say(f"I choose the [{die}] dice.")

    def _tell_end(self) -> None:
        state = self._state
        if None in state.rolls:
            self._say("You left, so the computer wins.")
            return
        mine, yours = self._game.result(state, COMPUTER), self._game.result(state, USER)
        if mine == yours:
            self._say(f"It's a tie ({yours} = {mine})!", "bold")
        elif yours > mine:
            self._say(f"You win ({yours} > {mine})!", "good")
        else:
            self._say(f"I win ({mine} > {yours})!", "bad")


def _arguments() -> Arguments:
    parser = Arguments(
        "dice",
        "Play intransitive dice: you and the computer take different dice and roll; the\n"
        "higher roll wins. Every number is made fairly by both of you, and you can check\n"
        "each with openssl. Give three or more dice, each a list of integers.",
        f"Example:\n  {EXAMPLE}\n\n"
        "At every prompt: a number chooses, ? shows the rules and the odds of all pairs of dice,\n"
        "hint advises, q leaves after a question, X at once.",
    )
    parser.add_argument("dice", nargs="*", metavar="DIE", help="faces, such as 2,2,4,4,9,9")
    add_playing(
        parser,
        "who plays: user=me:Ann is you, under your name; user=optimal and computer=random let a "
        "program play. There are: " + players_in_words(Intransitive.from_params({}), USER),
    )
    add_difficulty(parser, Intransitive.from_params({}), COMPUTER)
    add_stir_always(parser, "your number is in every draw")
    return parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command's arguments; dice may begin with a minus sign."""
    options: argparse.Namespace = _arguments().parse_intermixed_args(guard_negative_dice(arguments))
    options.dice = [unguard(word) for word in options.dice]
    return options


def run(arguments: Sequence[str]) -> int:
    """``fairground dice``"""
    options = parse(arguments)
    return DiceParlour(Intransitive(DiceParser().parse(options.dice)), options, arguments).run()


def go_on(opened: OpenTable, arguments: Sequence[str], house: HousePlayers) -> int:
    """Go on with an unfinished game."""
    game = opened.table.game
    assert isinstance(game, Intransitive)
    return DiceParlour(game, parse(arguments), arguments).resume(opened, house)


class DiceParlour(Parlour):
    """Games with one set of dice."""

    def __init__(
        self, game: Intransitive, options: argparse.Namespace, arguments: Sequence[str]
    ) -> None:
        usual = [] if any(seat.startswith("computer=") for seat in options.seat) else [USUAL_HOUSE]
        seats = company(game, [*options.seat, *usual])
        if COMPUTER in seats.people:
            raise InputError("--seat computer=me: the computer's seat is for a program")
        if options.difficulty is not None:
            seats.players[COMPUTER] = player_for(game, COMPUTER, options.difficulty)
        super().__init__(options, arguments, Ink.of_terminal(), seats)
        self._game = game

    def wanted(self) -> TablePlan:
        name = self.who.people.get(USER)
        lends = "nothing" if self.options.seed is not None else "number"
        user = Chair("User", by="house") if name is None else Chair(name or "User", lends=lends)
        chairs = [Chair("Computer", by="house"), user]
        return TablePlan("dice", self.arguments, self._game, chairs, "hmac-sha3-user/1")

    def screen(self, opened: OpenTable, players: Mapping[Seat, Player]) -> DiceScreen:
        return DiceScreen(self.console, self._art, Runner(opened.table, players, opened.vault))


HEADING: Final = "Probability of the win for the user:"
CORNER: Final = "User dice v"
HOW_TO_READ: Final = (
    "Your die is the row, mine is the column; the cell is your chance to roll higher\n"
    "than I do. The diagonal, in brackets, is a die against its equal."
)
LONGEST_LABEL: Final = 30
CELL: Final = len("- (0.3333)")
MOST_DICE: Final = 50
"""Maximum number of dice in a table that is not split into pages."""
PADDING: Final = 3
"""Two blanks and a border around each cell."""


class HelpTable:
    """Renders win probabilities, a page at a time where the terminal is too small."""

    def __init__(self, dice: Sequence[Die], art: Ink) -> None:
        self._odds = WinOdds(dice)
        self._art = art
        room = (art.columns - 2 * PADDING - 1) // 2 if art.on_a_terminal else LONGEST_LABEL
        longest = min(LONGEST_LABEL, max(room, CELL))
        self._labels = [_cut(str(die), longest) for die in dice]

    def cell(self, row: int, column: int) -> str:
        """Return the user's chance, with four digits; on the diagonal only in brackets."""
        text = f"{self._odds.wins(row, column) / self._odds.rolls(row, column):.4f}"
        return f"- ({text})" if row == column else text

    def table(self, rows: Sequence[int], columns: Sequence[int]) -> RichTable:
        """Return one page: these dice of the user against those of the computer."""
        from rich import box
        from rich.table import Table as RichTable

        page = RichTable(box=box.ASCII2, show_lines=True, header_style="bold cyan")
        page.add_column(CORNER, style="bold", no_wrap=True)
        for column in columns:
            page.add_column(self._labels[column], no_wrap=True)
        for row in rows:
            page.add_row(self._labels[row], *(self.cell(row, column) for column in columns))
        return page

    def pages(self, width: int, height: int) -> list[tuple[range, list[int]]]:
        """Which rows and columns each page shows, for a screen of this size."""
        everything = range(len(self._labels))
        columns = self._column_groups(width)
        rows_each = max(1, (height - 6) // 2)
        rows = [everything[i : i + rows_each] for i in range(0, len(everything), rows_each)]
        return [(some, group) for some in rows for group in columns]

    def _column_groups(self, width: int) -> list[list[int]]:
        first = max(len(CORNER), *map(len, self._labels)) + PADDING + 1
        groups: list[list[int]] = [[]]
        used = first
        for column, heading in enumerate(self._labels):
            wide = max(len(heading), CELL) + PADDING
            if groups[-1] and used + wide > width:
                groups.append([])
                used = first
            groups[-1].append(column)
            used += wide
        return groups

    def show(self, console: Console) -> None:
        """Print page by page on a terminal, waiting between them; else one page."""
        from rich.console import Console as RichConsole

        if self._art.on_a_terminal:
            pages = self.pages(self._art.columns, int(self._art.lines))
        else:
            shown = range(min(len(self._labels), MOST_DICE))
            pages = [(shown, list(shown))]
        console.say(HOW_TO_READ)
        if not self._art.on_a_terminal and len(self._labels) > MOST_DICE:
            console.say(f"These are the first {MOST_DICE} of {len(self._labels):,} dice.")
        console.say(HEADING)
        for number, (rows, columns) in enumerate(pages, 1):
            # In a pipe nothing is cut: a table is as wide as it is. There are no emoji in it, and
            # Rich would load the names of all of them.
            width = None if self._art.on_a_terminal else 10**6
            rich = RichConsole(highlight=False, emoji=False, width=width)
            rich.print(self.table(rows, columns), crop=False, no_wrap=True)
            if number < len(pages):
                more = f"Page {number} of {len(pages)}. Enter for the next, q to go back: "
                if self._art.on_a_terminal and console.ask(more).lower() in (
                    "q",
                    "quit",
                    "x",
                    "exit",
                ):
                    return


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


MOST_CIRCLES: Final = 1000
"""A thousand dice can have forty million circles of three."""


def _solve_arguments() -> Arguments:
    parser = Arguments(
        "solve dice",
        "Exact odds: how often each die rolls higher than each other one, which die beats\n"
        "which, every circle of three, and the best reply to each die.",
        f"Example:\n  {EXAMPLE.replace('dice', 'solve dice')}",
    )
    parser.add_argument("dice", nargs="*", metavar="DIE", help="faces, such as 2,2,4,4,9,9")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--all-circles",
        action="store_true",
        help=f"list every circle of three, not only the first {MOST_CIRCLES:,}",
    )
    return parser


def run_solve(arguments: Sequence[str]) -> int:
    """``fairground solve dice``"""
    options = _solve_arguments().parse_intermixed_args(guard_negative_dice(arguments))
    example = EXAMPLE.replace("dice", "solve dice")
    dice = DiceParser(example).parse([unguard(word) for word in options.dice])
    odds = WinOdds(dice)
    most = None if options.all_circles else MOST_CIRCLES
    if options.json:
        print(json.dumps(odds.as_json(most)))
        return 0

    names = [f"{number}: {label(die)}" for number, die in enumerate(dice)]
    print("\n".join(names) + "\n")
    HelpTable(dice, Ink.of_terminal()).show(Console())
    print("\nWho beats whom (more often higher than lower):")
    for i in range(len(dice)):
        for j in odds.prey(i):
            rolls = odds.rolls(i, j)
            won, lost, tied = odds.wins(i, j), odds.wins(j, i), odds.ties(i, j)
            print(
                f"  {i} beats {j}: {ratio(won, rolls)} to {ratio(lost, rolls)}, "
                f"ties {ratio(tied, rolls)}"
            )
    count = odds.count_circles()
    print(f"\nIntransitive circles of three: {count or 'none'}")
    for i, j, k in islice(odds.circles(), most):
        print(f"  {i} beats {j} beats {k} beats {i}")
    if most is not None and count > most:
        print(f"  ... and {count - most:,} more: --all-circles lists them")
    print("\nBest reply:")
    for number in range(len(dice)):
        reply = odds.best_reply(number)
        wins = ratio(odds.wins(reply, number), odds.rolls(reply, number))
        print(f"  to {number}: take {reply}, which wins {wins}")
    print(f"\nBest first choice: {odds.best_guaranteed()}")
    return 0

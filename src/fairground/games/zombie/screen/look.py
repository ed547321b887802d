"""The look of Zombie Dice on any terminal: boxes, signs, colours and phrases.

A line is a list of spans, each a text and a style. Widths are counted in cells (an emoji takes
two) before any colour is added. Colour never says anything that a letter does not say as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from fairground import __version__
from fairground.core import Seat
from fairground.games.zombie.rules import (
    BRAIN,
    COLOURS,
    FOOTPRINTS,
    SHOTGUN,
    Ended,
    Pile,
    State,
    Zombie,
)
from fairground.games.zombie.words import ZombieWords, lost, rolled
from fairground.terminal.console import Ink
from fairground.words.plain import count

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = list[Span]

WIDEST: Final = 66
NARROWEST: Final = 32


class ZombieSigns(NamedTuple):
    """The signs of a screen."""

    zombie: str
    faces: Mapping[str, str]
    dice: tuple[str, str, str]
    """A die of each colour: its letter says the colour, too."""
    more: str

    def die(self, colour: int) -> Span:
        """A die, in its colour."""
        return self.dice[colour], COLOURS[colour]


EMOJI: Final = ZombieSigns(
    "🧟", {BRAIN: "🧠", FOOTPRINTS: "👣", SHOTGUN: "💥"}, ("🟩G", "🟨Y", "🟥R"), "…"
)
_TWO_CELLS: Final = str.maketrans(dict.fromkeys("🧟🧠👣💥🟩🟨🟥", "##"))
ASCII: Final = ZombieSigns(
    "Z", {BRAIN: "brain", FOOTPRINTS: "steps", SHOTGUN: "shot"}, ("[G]", "[Y]", "[R]"), "~"
)


class ZombieArt(Ink):
    """Draws boxes of a certain width, with certain signs."""

    def __init__(
        self,
        columns: int,
        ascii_only: bool = True,
        colour: bool = False,
        lines: float = math.inf,
    ) -> None:
        super().__init__(columns, ascii_only, colour, lines)
        self.signs = ASCII if ascii_only else EMOJI
        self.width = max(NARROWEST, min(columns, WIDEST))

    @property
    def room(self) -> int:
        return self.width - 4

    def line(self, spans: Iterable[Span]) -> str:
        """A line as it is printed."""
        return "".join(self.ink(text, style) for text, style in spans).rstrip()

    def title(self) -> list[Line]:
        """The first region."""
        zombie = self.signs.zombie
        text = f"---> {zombie} Zombie Dice (v {__version__}) {zombie} <---"
        return [[("", "")], [(self.centred(text), "title")]]

    def cut(self, text: str, cells: int) -> str:
        """Pad a text to this many cells, or cut it and mark the cut."""
        if cells_of(text) <= cells:
            return fitted(text, cells)
        if cells == 0:
            return ""
        return fitted(text, cells - 1) + self.signs.more

    def centred(self, text: str, cells: int | None = None) -> str:
        """A text in the middle."""
        wide = self.width if cells is None else cells
        text = self.cut(text, wide) if cells_of(text) > wide else text
        before = (wide - cells_of(text)) // 2
        return fitted(" " * before + text, wide)

    def wrapped(self, text: str, cells: int | None = None) -> list[str]:
        """Wrap a text to this many cells, between words where possible."""
        most = self.room if cells is None else cells
        lines = [""]
        for word in text.split():
            for piece in chopped(word, most) if cells_of(word) > most else [word]:
                longer = f"{lines[-1]} {piece}".strip()
                if cells_of(longer) > most:
                    lines.append(piece)
                else:
                    lines[-1] = longer
        return lines

    def edge(self, corners: str, heading: str = "") -> Line:
        """A horizontal line of a box, with a heading in it."""
        across = self.edges.across
        text = f"[ {self.cut(heading, min(cells_of(heading), self.width - 8))} ]" if heading else ""
        rest = self.width - 3 - cells_of(text)
        return [(corners[0] + across, ""), (text, "bold"), (across * rest + corners[2], "")]

    def inside(self, spans: Sequence[Span]) -> Line:
        """A line of a box: the spans, padded to its room; what does not fit is cut off."""
        line: Line = []
        left = self.room
        for text, style in spans:
            fitting = self.cut(text, left) if cells_of(text) > left else text
            line.append((fitting, style))
            left -= cells_of(fitting)
        down = self.edges.down
        return [(f"{down} ", ""), *line, (" " * left + f" {down}", "")]

    def box(self, heading: str, lines: Iterable[Sequence[Span]]) -> list[Line]:
        """A box around lines that fit it."""
        return [
            self.edge(self.edges.top, heading),
            *(self.inside(spans) for spans in lines),
            self.edge(self.edges.foot),
        ]

    def piles(self, pile: Pile) -> list[Line]:
        """Return the dice of an area drawn in two ways: one by one, and counted by colour."""
        signs = self.signs
        each = [signs.die(colour) for colour in range(3) for _ in range(pile[colour])]
        counted = [
            (f"{signs.dice[colour]}x{pile[colour]}", COLOURS[colour])
            for colour in range(3)
            if pile[colour]
        ]
        return [[span for die in dice for span in ((" ", ""), die)] for dice in (each, counted)]


def cells_of(text: str) -> int:
    """Return the width of a text in cells. Rich measures all but ASCII and our emoji."""
    if _is_plain(plain := text.translate(_TWO_CELLS)):
        return len(plain)
    from rich.cells import cell_len

    return cell_len(text)


def fitted(text: str, cells: int) -> str:
    """Pad or cut a text to this many cells."""
    if _is_plain(text):
        return text[: max(cells, 0)].ljust(cells)
    if _is_plain(plain := text.translate(_TWO_CELLS)) and len(plain) <= cells:
        return text + " " * (cells - len(plain))
    from rich.cells import set_cell_size

    return set_cell_size(text, cells)


def _is_plain(text: str) -> bool:
    """Return True if every sign takes one cell."""
    return text.isascii() and text.isprintable()


def chopped(text: str, cells: int) -> list[str]:
    """Split a text into pieces of at most this many cells."""
    from rich.cells import chop_cells

    return chop_cells(text, cells)


def width(line: Iterable[Span]) -> int:
    """Return the width of a line in cells."""
    return sum(cells_of(text) for text, _ in line)


STIR_HELP: Final = (
    "Type a word that nobody can guess, such as the throw of a real die. It is mixed into the "
    "chance, so that nobody alone decides the dice. An empty line is allowed, but it proves "
    "nothing. q leaves the game."
)


def how_it_went(s: State, names: Sequence[str]) -> str:
    """Return how the turn before this one ended."""
    ended = s.last
    if ended is None:
        return ""
    name = names[ended.seat]
    if ended.how == "held":
        total = s.scores[ended.seat]
        return f"{name} holds {count(ended.scored, 'brain')} and has {total} now."
    if ended.how == "shot":
        return f"{name} was shot {sum(ended.shotgun_dice)} times: {lost(ended.brains)}."
    return f"{name} lost the turn: {lost(ended.brains)}."


def before_decision(game: Zombie, s: State, names: Sequence[str]) -> list[str]:
    """Return what has just happened, and what the next roll would take."""
    name = names[s.playing[s.at]]
    if s.rolls == 0:
        return [
            how_it_went(s, names),
            f"It is {name}'s turn. {ZombieWords(game, names).next_roll(s)}",
        ]
    return [f"{name} rolled {rolled(s.rolled)}.", ZombieWords(game, names).next_roll(s)]


def commands(s: State) -> str:
    """Return the commands that a person can type."""
    if s.rolls == 0:
        return "<enter> rolls, ? helps, hint advises, q quits."
    held = count(s.brains, "brain")
    return f"<enter> rolls again, h holds {held}, ? helps, hint advises, q quits."


def not_a_command(typed: str) -> str:
    """Anything else."""
    return f"Unknown command: {typed[:20]!r}."


def sentence(text: str) -> str:
    """An error of the rules as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def shot(ended: Ended, names: Sequence[str]) -> list[str]:
    """Three shotguns."""
    return [
        f"{names[ended.seat]} rolled {rolled(ended.rolled)}.",
        f"{sum(ended.shotgun_dice)} shotguns end the turn: {lost(ended.brains)}.",
    ]


def tie(s: State, names: Sequence[str], ask: bool) -> list[str]:
    """The source's message for a tie."""
    return [
        "We have a tie!",
        "Players in tie break:",
        " ".join(f'"{names[seat]}"' for seat in s.playing),
        *(["Press <enter> to continue."] if ask else []),
    ]


def winner(s: State, names: Sequence[str], rolls: int) -> list[str]:
    """The last message."""
    (seat,) = s.playing
    rounds = count(s.round, "round")
    extra = f", {s.extra} of them to break a tie" if s.extra else ""
    return [
        f'The winner is "{names[seat]}" with {count(s.scores[seat], "brain")}!',
        f"{rounds}{extra}, {count(rolls, 'roll')}.",
    ]


def turn_in_brief(s: State, names: Sequence[str], round_: int, rolls: int) -> str:
    """One line for a turn of a machine that nobody watches."""
    ended = s.last
    assert ended is not None
    what = {
        "held": f"holds {count(ended.scored, 'brain')}",
        "shot": f"is shot, {lost(ended.brains)}",
        "passed": f"loses the turn, {lost(ended.brains)}",
    }[ended.how]
    total = s.scores[ended.seat]
    return f"Turn {round_}: {names[ended.seat]}, {count(rolls, 'roll')}, {what}; total {total}"


def occasion(s: State, names: Sequence[str], seat: Seat) -> str:
    """Return the occasion of a stir: the order of players, or a roll."""
    if s.phase == "shuffle":
        return "the order of players"
    current = s.playing[s.at]
    return "your roll" if current == seat else f"the roll of {names[current]}"


def how_it_ends(game: Zombie) -> str:
    """The mode in force, in a sentence."""
    if game.max_turns:
        turns = "1 turn" if game.max_turns == 1 else f"{game.max_turns} turns"
        return (
            f"This game is played by number of turns: everybody has {turns} (max_turns = "
            f"{game.max_turns}), and most brains win."
        )
    brains = "brain" if game.brains_to_win == 1 else "brains"
    return (
        f"The game goes to {game.brains_to_win} {brains}: when someone has as many, the round is "
        "played to its end, and most brains win."
    )

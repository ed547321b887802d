"""The playing screen: what lies on the table, and how it is drawn.

A `Board` is what a screen shows, taken from a state of the game; `playing_screen` and
`winner_screen` draw boards and know nothing of the game's flow.

All screens of a game are equally high as long as the message fits its area, so that in a
terminal each new one stands where the last one stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from fairground import __version__
from fairground.core import Seat
from fairground.games.zombie import (
    BRAIN,
    CELLS,
    FOOTPRINTS,
    SHOTGUN,
    Cells,
    Die,
    Ended,
    Pile,
    State,
    Zombie,
)
from fairground.terminal.zombie.look import Line, Paper, Span, width

MESSAGE_LINES: Final = 4
NARROW: Final = 56
"""Below this many columns messages need more lines."""
TABLE: Final = 34
"""The room that all figures of the winner screen need, beside names that can be read."""


class Row(NamedTuple):
    """A line of the scoreboard."""

    name: str
    brains: int
    turns: int
    current: bool
    playing: bool


class Board(NamedTuple):
    """All that a playing screen shows."""

    mode: str
    rows: tuple[Row, ...]
    player: str
    turn: int
    bag: int
    """How many dice are in the bag; their colours are the players' to deduce."""
    cells: Cells
    brains: int
    brain_dice: Pile
    shotgun_dice: Pile


class Tally:
    """What a player has done so far, for the winner screen."""

    def __init__(self) -> None:
        self.rolls = 0
        self.shot = 0
        self.best = 0
        self.lost = 0

    def count(self, ended: Ended) -> None:
        """Take in how a turn ended."""
        self.shot += ended.how == "shot"
        self.best = max(self.best, ended.scored)
        self.lost += ended.brains - ended.scored


def mode(game: Zombie, s: State) -> str:
    """How the game ends, and where it stands."""
    if s.extra:
        return f"tie-break, extra round {s.extra}"
    if game.max_turns:
        return f"turn {min(s.round, game.max_turns)} of {game.max_turns}, most brains win"
    last = ", last round" if max(s.scores) >= game.brains_to_win else ""
    return f"to {game.brains_to_win} brains{last}"


class Who(NamedTuple):
    """What the players are called."""

    names: Sequence[str]
    labels: Sequence[str]
    """The names with the strategies that play them, for the scoreboard."""


def board(game: Zombie, s: State, who: Who) -> Board:
    """The table as it lies before a decision."""
    current = s.playing[s.at]
    return Board(
        mode(game, s),
        rows(s, who.labels, current),
        who.names[current],
        s.turns[current] + 1,
        sum(s.bag),
        s.cells,
        s.brains,
        s.brain_dice,
        s.shotgun_dice,
    )


def rows(s: State, names: Sequence[str], current: Seat | None) -> tuple[Row, ...]:
    """The scoreboard in the order of turns."""
    return tuple(
        Row(names[seat], s.scores[seat], s.turns[seat], seat == current, seat in s.playing)
        for seat in s.order
    )


def rolled_board(game: Zombie, before: State, after: State, who: Who) -> Board:
    """The dice as they were thrown, before they are sorted into the areas."""
    ended = after.last if after.turns != before.turns else None
    state = ended if ended is not None else after
    brain_dice = minus(state.brain_dice, showing(state.rolled, BRAIN))
    shotgun_dice = minus(state.shotgun_dice, showing(state.rolled, SHOTGUN))
    on_the_table = sum(brain_dice) + sum(shotgun_dice) + CELLS - state.rolled.count(None)
    return board(game, before, who)._replace(
        bag=sum(game.dice) - on_the_table,
        cells=state.rolled,
        brains=before.brains,
        brain_dice=brain_dice,
        shotgun_dice=shotgun_dice,
    )


def shot_board(game: Zombie, before: State, ended: Ended, who: Who) -> Board:
    """The areas after the roll that ended a turn, before they are cleared."""
    left = tuple(die if die and die.face == FOOTPRINTS else None for die in ended.rolled)
    on_the_table = sum(ended.brain_dice) + sum(ended.shotgun_dice) + CELLS - left.count(None)
    return board(game, before, who)._replace(
        bag=sum(game.dice) - on_the_table,
        cells=left,
        brains=ended.brains,
        brain_dice=ended.brain_dice,
        shotgun_dice=ended.shotgun_dice,
    )


def showing(cells: Cells, face: str) -> Pile:
    """The dice that show this face, by colour."""
    colours = [die.colour for die in cells if die and die.face == face]
    return colours.count(0), colours.count(1), colours.count(2)


def minus(a: Pile, b: Pile) -> Pile:
    """A pile without another."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def title(paper: Paper) -> list[Line]:
    """The first region."""
    zombie = paper.look.zombie
    text = f"---> {zombie} Zombie Dice (v {__version__}) {zombie} <---"
    return [[("", "")], [(paper.centred(text), "title")]]


def playing_screen(paper: Paper, shown: Board, message: Sequence[str]) -> list[str]:
    """The five regions, but for the prompt, which follows with the question."""
    lines = title(paper)
    lines += scoreboard(paper, shown)
    lines += [status(paper, shown)]
    lines += areas(paper, shown)
    lines += message_area(paper, message)
    return [paper.ink(line) for line in lines]


def scoreboard(paper: Paper, shown: Board) -> list[Line]:
    """Who has how many brains, who is on, and how the game ends."""
    return paper.box(f"Scoreboard: {shown.mode}", [_row(paper, row, shown) for row in shown.rows])


def _row(paper: Paper, row: Row, shown: Board) -> Line:
    digits = max(len(str(other.brains)) for other in shown.rows)
    turns = max(len(str(other.turns)) for other in shown.rows)
    brain = paper.look.faces[BRAIN] if cell_len(paper.look.faces[BRAIN]) == 2 else "brains"
    figures = f" {brain} {row.brains:>{digits}}  turns {row.turns:>{turns}}"
    name = row.name if row.playing else f"({row.name})"
    prefix = "> " if row.current else "  "
    style = "bold" if row.current else "" if row.playing else "dim"
    return [(prefix + paper.cut(name, paper.room - 2 - cell_len(figures)) + figures, style)]


def status(paper: Paper, shown: Board) -> Line:
    """Player, turn number, and how many dice are in the bag."""
    dice = "die" if shown.bag == 1 else "dice"
    rest = f", turn {shown.turn}, {shown.bag} {dice} in the bag"
    name = paper.cut(shown.player, min(cell_len(shown.player), paper.width - 2 - cell_len(rest)))
    return [(f" {name}", "bold"), (rest, "")]


def areas(paper: Paper, shown: Board) -> list[Line]:
    """The dice rolling area with its three cells, and the two storage areas."""
    corner = paper.look.corners
    wide = _cell_widths(paper)
    return [
        paper.edge(corner[0], corner[1], "Dice Rolling Area"),
        _cell_line(paper, wide, (None,) * CELLS),
        _cell_line(paper, wide, shown.cells),
        _cell_line(paper, wide, (None,) * CELLS),
        paper.edge(corner[4], corner[5], "Brain Storage Area"),
        paper.inside(_stored(paper, BRAIN, shown.brains, shown.brain_dice)),
        paper.edge(corner[4], corner[5], "Shotgun Storage Area"),
        paper.inside(_stored(paper, SHOTGUN, sum(shown.shotgun_dice), shown.shotgun_dice)),
        paper.edge(corner[2], corner[3]),
    ]


def _cell_widths(paper: Paper) -> list[int]:
    """Three cells that fill the width between the borders, with a line between them."""
    room = paper.width - 4
    return [(room + i) // CELLS for i in range(CELLS)]


def _cell_line(paper: Paper, wide: Sequence[int], cells: Cells) -> Line:
    down = paper.look.down
    line: Line = [(down, "")]
    for room, die in zip(wide, cells, strict=True):
        line += [*_cell(paper, die, room), (down, "")]
    return line


def _cell(paper: Paper, die: Die | None, room: int) -> list[Span]:
    if die is None:
        return [(" " * room, "")]
    text, style = paper.look.die(die.colour)
    face = paper.look.faces.get(die.face, "")
    used = cell_len(text) + 1 + cell_len(face)
    before = (room - used) // 2
    return [
        (" " * before, ""),
        (text, style),
        (f" {face}" + " " * (room - used - before), ""),
    ]


def _stored(paper: Paper, face: str, count: int, dice: Pile) -> Line:
    """How many there are, and the dice that show them."""
    sign = paper.look.faces[face]
    words = f"{sign} x{count}" if cell_len(sign) == 2 else f"{sign}s: {count}"
    gone = count - sum(dice)
    backs = (f" (+{gone} back in the bag)", f" (+{gone} in bag)") if gone else ("",)
    lines: list[Line] = [
        [(words, "bold"), (" ", ""), *shown, (back, "dim")]
        for shown in paper.piles(dice)
        for back in backs
    ]
    return next((line for line in lines if width(line) <= paper.room), lines[-1])


def message_area(paper: Paper, message: Sequence[str]) -> list[Line]:
    """What happened, and what can be done."""
    lines = [line for text in message for line in paper.wrapped(text)]
    least = MESSAGE_LINES if paper.width >= NARROW else MESSAGE_LINES + 2
    lines += [""] * (least - len(lines))
    return paper.box("Message area", [[(line, "")] for line in lines])


def winner_screen(
    paper: Paper, s: State, names: Sequence[str], tallies: Sequence[Tally], message: Sequence[str]
) -> list[str]:
    """The final scores, the best first, and who has won."""
    heads = ("brains", "turns", "shot", "best") if paper.room >= TABLE else ("brains", "turns")
    room = paper.room - 2 - sum(len(head) + 1 for head in heads)

    def line(mark: str, name: str, figures: Sequence[object], style: str) -> Line:
        columns = "".join(
            f" {figure!s:>{len(head)}}" for head, figure in zip(heads, figures, strict=False)
        )
        return [(f"{mark} {paper.cut(name, room)}{columns}", style)]

    lines = [line(" ", "", heads, "dim")]
    # The winner of a tie-break is ahead by score, too: it is not over before that.
    for seat in sorted(s.order, key=lambda seat: -s.scores[seat]):
        wins = s.phase == "over" and seat in s.playing
        figures = (s.scores[seat], s.turns[seat], tallies[seat].shot, tallies[seat].best)
        mark, style = ("*", "bold") if wins else (" ", "")
        lines.append(line(mark, names[seat], figures, style))
    drawn = [*title(paper), *paper.box("Final scores", lines), *message_area(paper, message)]
    return [paper.ink(line) for line in drawn]

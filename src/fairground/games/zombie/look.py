"""The look of Zombie Dice on any terminal: boxes, signs, colours, phrases and boards.

A line is a list of spans, each a text and a style. Widths are counted in cells (an emoji takes
two) before any colour is added. Colour never says anything that a letter does not say as well.

A `ZombieBoard` is what a screen shows, taken from a state of the game. All screens are equally high
as long as the message fits its area, so each new one stands where the last one stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size

from fairground import __version__
from fairground.core import Seat
from fairground.games.zombie.rules import (
    BRAIN,
    CELLS,
    COLOURS,
    FOOTPRINTS,
    ROLL,
    SHOTGUN,
    Cells,
    Die,
    Ended,
    Pile,
    State,
    Zombie,
)
from fairground.games.zombie.words import ZombieWords, lost, rolled
from fairground.table import Change
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
        return self.dice[colour], COLOURS[colour]


EMOJI: Final = ZombieSigns(
    "🧟", {BRAIN: "🧠", FOOTPRINTS: "👣", SHOTGUN: "💥"}, ("🟩G", "🟨Y", "🟥R"), "…"
)
ASCII: Final = ZombieSigns(
    "Z", {BRAIN: "brain", FOOTPRINTS: "steps", SHOTGUN: "shot"}, ("[G]", "[Y]", "[R]"), "~"
)


class ZombieArt(Ink):
    """Draws boxes of a certain width, with certain signs."""

    @property
    def signs(self) -> ZombieSigns:
        return ASCII if self.ascii_only else EMOJI

    @property
    def width(self) -> int:
        return max(NARROWEST, min(self.columns, WIDEST))

    @property
    def room(self) -> int:
        return self.width - 4

    def line(self, spans: Iterable[Span]) -> str:
        return "".join(self.ink(text, style) for text, style in spans).rstrip()

    def fits(self, line: Iterable[Span]) -> bool:
        """Return True if a line fits a box."""
        return sum(cell_len(text) for text, _ in line) <= self.room

    def title(self) -> list[Line]:
        zombie = self.signs.zombie
        text = f"---> {zombie} Zombie Dice (v {__version__}) {zombie} <---"
        text = self.cut(text, min(cell_len(text), self.width))
        before = " " * ((self.width - cell_len(text)) // 2)
        return [[("", "")], [(before + text, "title")]]

    def cut(self, text: str, cells: int) -> str:
        """Pad a text to this many cells, or cut it and mark the cut."""
        if cell_len(text) <= cells:
            return set_cell_size(text, cells)
        if cells == 0:
            return ""
        return set_cell_size(text, cells - 1) + self.signs.more

    def wrapped(self, text: str) -> list[str]:
        """Wrap a text to the room of a box, between words where possible."""
        lines = [""]
        for word in text.split():
            for piece in chop_cells(word, self.room) if cell_len(word) > self.room else [word]:
                longer = f"{lines[-1]} {piece}".strip()
                if cell_len(longer) > self.room:
                    lines.append(piece)
                else:
                    lines[-1] = longer
        return lines

    def edge(self, corners: str, heading: str = "") -> Line:
        """Return a horizontal line of a box, with a heading in it."""
        across = self.edges.across
        text = f"[ {self.cut(heading, min(cell_len(heading), self.width - 8))} ]" if heading else ""
        rest = self.width - 3 - cell_len(text)
        return [(corners[0] + across, ""), (text, "bold"), (across * rest + corners[2], "")]

    def inside(self, spans: Sequence[Span]) -> Line:
        """Return a line of a box: the spans, padded to its room; what does not fit is cut off."""
        line: Line = []
        left = self.room
        for text, style in spans:
            fitting = self.cut(text, left) if cell_len(text) > left else text
            line.append((fitting, style))
            left -= cell_len(fitting)
        down = self.edges.down
        return [(f"{down} ", ""), *line, (" " * left + f" {down}", "")]

    def box(self, heading: str, lines: Iterable[Sequence[Span]]) -> list[Line]:
        """Return a box around lines that fit it."""
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


def shot(ended: Ended, names: Sequence[str]) -> list[str]:
    """Tell that the third shotgun ended a turn."""
    return [
        f"{names[ended.seat]} rolled {rolled(ended.rolled)}.",
        f"{sum(ended.shotgun_dice)} shotguns end the turn: {lost(ended.brains)}.",
    ]


def tie(s: State, names: Sequence[str], ask: bool) -> list[str]:
    """Return the source's message for a tie."""
    return [
        "We have a tie!",
        "Players in tie break:",
        " ".join(f'"{names[seat]}"' for seat in s.playing),
        *(["Press <enter> to continue."] if ask else []),
    ]


def winner(s: State, names: Sequence[str], rolls: int) -> list[str]:
    """Return the last message."""
    (seat,) = s.playing
    rounds = count(s.round, "round")
    extra = f", {s.extra} of them to break a tie" if s.extra else ""
    return [
        f'The winner is "{names[seat]}" with {count(s.scores[seat], "brain")}!',
        f"{rounds}{extra}, {count(rolls, 'roll')}.",
    ]


def turn_in_brief(s: State, names: Sequence[str], round_: int, rolls: int) -> str:
    """Return one line for a turn of a machine that nobody watches."""
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
    """Return the mode in force, in a sentence."""
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


MESSAGE_LINES: Final = 4
BORDERS: Final = 2
PROMPT_LINES: Final = 1
NARROW: Final = 56
"""Below this many columns messages need more lines."""
TABLE: Final = 34
"""The room that all figures of the winner screen need, beside names that can be read."""


class Who(NamedTuple):
    """The names of the players, for messages and for the scoreboard."""

    names: Sequence[str]
    labels: Sequence[str]
    """The names with the strategies that play them, for the scoreboard."""


class Areas(NamedTuple):
    """The dice on the table, and the brains of this turn."""

    cells: Cells
    brains: int
    brain_dice: Pile
    shotgun_dice: Pile


class ZombieBoard(NamedTuple):
    """All that a playing screen shows."""

    game: Zombie
    state: State
    """The score and the current player."""
    who: Who
    areas: Areas

    @property
    def bag(self) -> int:
        """Number of dice in the bag. Players deduce their colours."""
        cells, _, brain_dice, shotgun_dice = self.areas
        on_the_table = sum(brain_dice) + sum(shotgun_dice) + CELLS - cells.count(None)
        return sum(self.game.dice) - on_the_table


def mode(game: Zombie, s: State) -> str:
    """Return the mode of the game and its stage, such as "to 13 brains, last round"."""
    if s.extra:
        return f"tie-break, extra round {s.extra}"
    if game.max_turns:
        return f"turn {min(s.round, game.max_turns)} of {game.max_turns}, most brains win"
    last = ", last round" if max(s.scores) >= game.brains_to_win else ""
    return f"to {game.brains_to_win} brains{last}"


def board(game: Zombie, s: State, who: Who) -> ZombieBoard:
    """Return the table as it lies before a decision."""
    return ZombieBoard(game, s, who, Areas(s.cells, s.brains, s.brain_dice, s.shotgun_dice))


def rolled_board(game: Zombie, before: State, after: State, who: Who) -> ZombieBoard:
    """Return the dice as they were thrown, before they are sorted into the areas."""
    sorted_ = after.last if after.turns != before.turns and after.last else after
    brain_dice = _less(sorted_.brain_dice, sorted_.rolled, BRAIN)
    shotgun_dice = _less(sorted_.shotgun_dice, sorted_.rolled, SHOTGUN)
    areas = Areas(sorted_.rolled, before.brains, brain_dice, shotgun_dice)
    return ZombieBoard(game, before, who, areas)


def shot_board(game: Zombie, before: State, ended: Ended, who: Who) -> ZombieBoard:
    """Return the areas after the roll that ended a turn, before they are cleared."""
    left = tuple(die if die and die.face == FOOTPRINTS else None for die in ended.rolled)
    areas = Areas(left, ended.brains, ended.brain_dice, ended.shotgun_dice)
    return ZombieBoard(game, before, who, areas)


def _less(pile: Pile, cells: Cells, face: str) -> Pile:
    """Return a pile without the dice that show this face."""
    colours = [die.colour for die in cells if die and die.face == face]
    green, yellow, red = (many - colours.count(at) for at, many in enumerate(pile))
    return green, yellow, red


def playing_screen(art: ZombieArt, shown: ZombieBoard, message: Sequence[str]) -> list[str]:
    """Draw the five regions, but for the prompt, which follows with the question."""
    above = [*art.title(), *scoreboard(art, shown), status(art, shown), *areas(art, shown)]
    below = message_area(art, message)
    if len(above) + len(below) + PROMPT_LINES > art.lines:
        first, *rest = areas(art, shown)
        cells = [first, rest[1], *rest[3:]]  # without the empty lines around the dice
        above = [*art.title()[1:], *scoreboard(art, shown), status(art, shown), *cells]
        room = art.lines - len(above) - PROMPT_LINES - BORDERS
        below = message_area(art, message, least=max(0, min(MESSAGE_LINES, int(room))))
    return [art.line(line) for line in (*above, *below)]


def scoreboard(art: ZombieArt, shown: ZombieBoard) -> list[Line]:
    """Draw the scoreboard: brains, the active player, and when the game ends."""
    s = shown.state
    current = s.playing[s.at]
    digits, turns = (max(len(str(n)) for n in column) for column in (s.scores, s.turns))
    brain = art.signs.faces[BRAIN] if cell_len(art.signs.faces[BRAIN]) == 2 else "brains"
    lines: list[Line] = []
    for seat in s.order:
        figures = f" {brain} {s.scores[seat]:>{digits}}  turns {s.turns[seat]:>{turns}}"
        label = shown.who.labels[seat]
        name = label if seat in s.playing else f"({label})"
        prefix = "> " if seat == current else "  "
        style = "bold" if seat == current else "" if seat in s.playing else "dim"
        lines.append([(prefix + art.cut(name, art.room - 2 - cell_len(figures)) + figures, style)])
    return art.box(f"Scoreboard: {mode(shown.game, s)}", lines)


def status(art: ZombieArt, shown: ZombieBoard) -> Line:
    """Player, turn number, and how many dice are in the bag."""
    s = shown.state
    current = s.playing[s.at]
    dice = count(shown.bag, "die", "dice")
    rest = f", turn {s.turns[current] + 1}, {dice} in the bag"
    name = shown.who.names[current]
    name = art.cut(name, min(cell_len(name), art.width - 2 - cell_len(rest)))
    return [(f" {name}", "bold"), (rest, "")]


def areas(art: ZombieArt, shown: ZombieBoard) -> list[Line]:
    """Draw the dice rolling area with its three cells, and the two storage areas."""
    edges, wide = art.edges, [(art.width - 4 + i) // CELLS for i in range(CELLS)]
    cells, brains, brain_dice, shotgun_dice = shown.areas
    return [
        art.edge(edges.top, "Dice Rolling Area"),
        _cell_line(art, wide, (None,) * CELLS),
        _cell_line(art, wide, cells),
        _cell_line(art, wide, (None,) * CELLS),
        art.edge(edges.middle, "Brain Storage Area"),
        art.inside(_stored(art, BRAIN, brains, brain_dice)),
        art.edge(edges.middle, "Shotgun Storage Area"),
        art.inside(_stored(art, SHOTGUN, sum(shotgun_dice), shotgun_dice)),
        art.edge(edges.foot),
    ]


def _cell_line(art: ZombieArt, wide: Sequence[int], cells: Cells) -> Line:
    down = art.edges.down
    line: Line = [(down, "")]
    for room, die in zip(wide, cells, strict=True):
        line += [*_cell(art, die, room), (down, "")]
    return line


def _cell(art: ZombieArt, die: Die | None, room: int) -> list[Span]:
    if die is None:
        return [(" " * room, "")]
    text, style = art.signs.die(die.colour)
    face = art.signs.faces.get(die.face, "")
    used = cell_len(text) + 1 + cell_len(face)
    before = (room - used) // 2
    return [
        (" " * before, ""),
        (text, style),
        (f" {face}" + " " * (room - used - before), ""),
    ]


def _stored(art: ZombieArt, face: str, count: int, dice: Pile) -> Line:
    """Draw a count with the dice that show it."""
    sign = art.signs.faces[face]
    said = f"{sign} x{count}" if cell_len(sign) == 2 else f"{sign}s: {count}"
    gone = count - sum(dice)
    backs = (f" (+{gone} back in the bag)", f" (+{gone} in bag)") if gone else ("",)
    lines: list[Line] = [
        [(said, "bold"), (" ", ""), *shown, (back, "dim")]
        for shown in art.piles(dice)
        for back in backs
    ]
    return next((line for line in lines if art.fits(line)), lines[-1])


def message_area(art: ZombieArt, message: Sequence[str], least: int | None = None) -> list[Line]:
    """Draw the message area with at least this many lines."""
    lines = [line for text in message for line in art.wrapped(text)]
    if least is None:
        least = MESSAGE_LINES if art.width >= NARROW else MESSAGE_LINES + 2
    lines += [""] * (least - len(lines))
    return art.box("Message area", [[(line, "")] for line in lines])


class TurnTally(NamedTuple):
    """A player's statistics for the winner screen."""

    rolls: int = 0
    shot: int = 0
    best: int = 0


def tallies_of(history: Iterable[Change], seats: int) -> list[TurnTally]:
    """Count rolls, lost turns and the best turn of each seat."""
    tallies = [TurnTally()] * seats
    for change in history:
        if change.kind == "move" and change.value == ROLL:
            rolls, shot, best = tallies[change.seat]
            tallies[change.seat] = TurnTally(rolls + 1, shot, best)
        if change.kind in ("move", "draw") and change.after.turns != change.before.turns:
            ended = change.after.last
            rolls, shot, best = tallies[ended.seat]
            shot += ended.how == "shot"
            tallies[ended.seat] = TurnTally(rolls, shot, max(best, ended.scored))
    return tallies


def winner_screen(
    art: ZombieArt,
    s: State,
    names: Sequence[str],
    tallies: Sequence[TurnTally],
    message: Sequence[str],
) -> list[str]:
    """Draw the final scores, the best first, and who has won."""
    heads = ("brains", "turns", "shot", "best") if art.room >= TABLE else ("brains", "turns")
    room = art.room - 2 - sum(len(head) + 1 for head in heads)

    def line(mark: str, name: str, figures: Sequence[object], style: str) -> Line:
        columns = "".join(
            f" {figure!s:>{len(head)}}" for head, figure in zip(heads, figures, strict=False)
        )
        return [(f"{mark} {art.cut(name, room)}{columns}", style)]

    lines = [line(" ", "", heads, "dim")]
    # The winner of a tie-break is ahead by score, too: it is not over before that.
    for seat in sorted(s.order, key=lambda seat: -s.scores[seat]):
        wins = s.phase == "over" and seat in s.playing
        figures = (s.scores[seat], s.turns[seat], tallies[seat].shot, tallies[seat].best)
        mark, style = ("*", "bold") if wins else (" ", "")
        lines.append(line(mark, names[seat], figures, style))
    drawn = [*art.title(), *art.box("Final scores", lines), *message_area(art, message)]
    return [art.line(line) for line in drawn]

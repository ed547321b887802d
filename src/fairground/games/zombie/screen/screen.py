"""The scenes of an evening of Zombie Dice, and how each is drawn.

`TRANSITIONS` is the finite state machine. ``docs/games/zombie.md`` draws it, and a test compares
the two. A `ZombieBoard` is what a screen shows, taken from a state of the game; `playing_screen`
and `winner_screen` draw boards and know nothing of the game's flow.

All screens are equally high as long as the message fits its area, so each new one stands where the
last one stood.
"""

from __future__ import annotations

import enum
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from fairground.core import Seat
from fairground.games.zombie.rules import (
    BRAIN,
    CELLS,
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
from fairground.games.zombie.screen import look, setup
from fairground.games.zombie.screen.look import Line, Span, ZombieArt, cells_of, width
from fairground.games.zombie.screen.setup import Company, Config, Guest
from fairground.games.zombie.words import ZombieWords, rolled
from fairground.terminal.console import Console
from fairground.words.telling import Telling

if TYPE_CHECKING:
    from fairground.players.runner import Runner
    from fairground.table import Ask


class Scene(enum.Enum):
    """A state of the evening: what is shown, and which input is awaited."""

    START = "start"
    WELCOME = "welcome"
    STIR = "stir"
    ORDER = "order"
    TURN = "turn"
    THINK = "think"
    ROLLED = "rolled"
    SHOT = "shot"
    TIE = "tie"
    QUIT = "quit"
    OVER = "over"
    LEFT = "left"


TRANSITIONS: Final[dict[Scene, frozenset[Scene]]] = {
    Scene.START: frozenset({Scene.WELCOME, Scene.STIR, Scene.TURN, Scene.THINK}),
    Scene.WELCOME: frozenset({Scene.WELCOME, Scene.STIR, Scene.ORDER, Scene.LEFT}),
    Scene.STIR: frozenset({Scene.STIR, Scene.ORDER, Scene.ROLLED, Scene.QUIT}),
    Scene.ORDER: frozenset({Scene.TURN, Scene.THINK, Scene.QUIT}),
    Scene.TURN: frozenset(
        {Scene.TURN, Scene.THINK, Scene.STIR, Scene.ROLLED, Scene.TIE, Scene.OVER, Scene.QUIT}
    ),
    Scene.THINK: frozenset(
        {Scene.TURN, Scene.THINK, Scene.STIR, Scene.ROLLED, Scene.TIE, Scene.OVER}
    ),
    Scene.ROLLED: frozenset({Scene.TURN, Scene.THINK, Scene.SHOT}),
    Scene.SHOT: frozenset({Scene.TURN, Scene.THINK, Scene.TIE, Scene.OVER}),
    Scene.TIE: frozenset({Scene.TURN, Scene.THINK, Scene.QUIT}),
    Scene.QUIT: frozenset(
        {Scene.TURN, Scene.STIR, Scene.ORDER, Scene.TIE, Scene.THINK, Scene.ROLLED, Scene.LEFT}
    ),
    Scene.OVER: frozenset(),
    Scene.LEFT: frozenset(),
}


class TurnTally:
    """A player's statistics for the winner screen."""

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


class Evening:
    """A table with its guests and their statistics."""

    def __init__(
        self,
        runner: Runner,
        guests: tuple[Guest, ...],
        lasting: bool = False,
    ) -> None:
        assert isinstance(runner.game, Zombie)
        self.runner = runner
        self.table = runner.table
        self.game: Zombie = runner.game
        self.guests = guests
        self.lasting = lasting
        """True if the game can be resumed later."""
        self.names = [guest.name for guest in guests]
        """The players' names in messages."""
        self.labels = [guest.label for guest in guests]
        """The players' names on the scoreboard."""
        self.tallies = [TurnTally() for _ in guests]
        self.before = self.state
        """The table before the move whose effect is now shown."""

    @property
    def persons(self) -> Sequence[Seat]:
        return self.runner.people

    def recount(self) -> None:
        """Count what the record tells of turns that were played before."""
        telling = Telling(ZombieWords(self.game, self.names))
        for event in self.table.transcript.events[1:]:
            before: State = telling.view
            telling.line(event)
            after: State = telling.view
            if event["kind"] == "move" and event["move"] == ROLL:
                self.tallies[event["seat"]].rolls += 1
            if sum(after.turns) > sum(before.turns) and after.last is not None:
                self.tallies[after.last.seat].count(after.last)

    @property
    def stirs(self) -> bool:
        return "stir" in self.table.scheme.public

    @property
    def state(self) -> State:
        """The table as everybody sees it."""
        state: State = self.table.view(None)
        return state

    @property
    def ask(self) -> Ask:
        return self.table.asks()[0]

    @property
    def stirs_each(self) -> bool:
        return bool(self.table.scheme.public.get("stir") == "each")

    @property
    def turn_has_ended(self) -> bool:
        return self.state.turns != self.before.turns

    def end(self, reason: str) -> None:
        """Everybody leaves, one after the other, until the record is closed."""
        for _ in self.guests:
            if not self.table.closed:
                self.runner.leave(self.leaver(), reason)

    def leaver(self) -> Seat:
        """Return the seat at the prompt; at a prompt for everybody, the first person in turn."""
        asks, state = self.table.asks(), self.state
        in_turn = [*(ask.seat for ask in asks[:1]), *state.playing[state.at :], *state.order]
        return next((seat for seat in in_turn if seat in self.persons), in_turn[0])


class Wanted(NamedTuple):
    """The choices of the command line."""

    config: Config
    open: Callable[[Company], Evening]
    names: str | None = None
    """Given as an option; ``None``: they are asked for."""
    bots: tuple[str, ...] = ()


class Pauses:
    """Short waits, so that an eye can follow; none in a pipe, none with ``--fast``."""

    def __init__(self, watched: bool) -> None:
        self.watched = watched

    def wait(self, seconds: float) -> None:
        """Let the screen stand for a moment."""
        if self.watched:
            sys.stdout.flush()
            time.sleep(seconds)


MESSAGE_LINES: Final = 4
BORDERS: Final = 2
PROMPT_LINES: Final = 1
NARROW: Final = 56
"""Below this many columns messages need more lines."""
TABLE: Final = 34
"""The room that all figures of the winner screen need, beside names that can be read."""
ROOM_TO_TYPE: Final = 8


class ScoreRow(NamedTuple):
    """A line of the scoreboard."""

    name: str
    brains: int
    turns: int
    current: bool
    playing: bool


class ZombieBoard(NamedTuple):
    """All that a playing screen shows."""

    mode: str
    rows: tuple[ScoreRow, ...]
    player: str
    turn: int
    bag: int
    """Number of dice in the bag. Players deduce their colours."""
    cells: Cells
    brains: int
    brain_dice: Pile
    shotgun_dice: Pile


def mode(game: Zombie, s: State) -> str:
    """Return the mode of the game and its stage, such as "to 13 brains, last round"."""
    if s.extra:
        return f"tie-break, extra round {s.extra}"
    if game.max_turns:
        return f"turn {min(s.round, game.max_turns)} of {game.max_turns}, most brains win"
    last = ", last round" if max(s.scores) >= game.brains_to_win else ""
    return f"to {game.brains_to_win} brains{last}"


class Who(NamedTuple):
    """The names of the players, for messages and for the scoreboard."""

    names: Sequence[str]
    labels: Sequence[str]
    """The names with the strategies that play them, for the scoreboard."""


def board(game: Zombie, s: State, who: Who) -> ZombieBoard:
    """The table as it lies before a decision."""
    current = s.playing[s.at]
    return ZombieBoard(
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


def rows(s: State, names: Sequence[str], current: Seat | None) -> tuple[ScoreRow, ...]:
    """The scoreboard in the order of turns."""
    return tuple(
        ScoreRow(names[seat], s.scores[seat], s.turns[seat], seat == current, seat in s.playing)
        for seat in s.order
    )


def rolled_board(game: Zombie, before: State, after: State, who: Who) -> ZombieBoard:
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


def shot_board(game: Zombie, before: State, ended: Ended, who: Who) -> ZombieBoard:
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


def playing_screen(art: ZombieArt, shown: ZombieBoard, message: Sequence[str]) -> list[str]:
    """The five regions, but for the prompt, which follows with the question."""
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
    return art.box(f"Scoreboard: {shown.mode}", [_row(art, row, shown) for row in shown.rows])


def _row(art: ZombieArt, row: ScoreRow, shown: ZombieBoard) -> Line:
    digits = max(len(str(other.brains)) for other in shown.rows)
    turns = max(len(str(other.turns)) for other in shown.rows)
    brain = art.signs.faces[BRAIN] if cells_of(art.signs.faces[BRAIN]) == 2 else "brains"
    figures = f" {brain} {row.brains:>{digits}}  turns {row.turns:>{turns}}"
    name = row.name if row.playing else f"({row.name})"
    prefix = "> " if row.current else "  "
    style = "bold" if row.current else "" if row.playing else "dim"
    return [(prefix + art.cut(name, art.room - 2 - cells_of(figures)) + figures, style)]


def status(art: ZombieArt, shown: ZombieBoard) -> Line:
    """Player, turn number, and how many dice are in the bag."""
    dice = "die" if shown.bag == 1 else "dice"
    rest = f", turn {shown.turn}, {shown.bag} {dice} in the bag"
    name = art.cut(shown.player, min(cells_of(shown.player), art.width - 2 - cells_of(rest)))
    return [(f" {name}", "bold"), (rest, "")]


def areas(art: ZombieArt, shown: ZombieBoard) -> list[Line]:
    """The dice rolling area with its three cells, and the two storage areas."""
    edges, wide = art.edges, _cell_widths(art)
    return [
        art.edge(edges.top, "Dice Rolling Area"),
        _cell_line(art, wide, (None,) * CELLS),
        _cell_line(art, wide, shown.cells),
        _cell_line(art, wide, (None,) * CELLS),
        art.edge(edges.middle, "Brain Storage Area"),
        art.inside(_stored(art, BRAIN, shown.brains, shown.brain_dice)),
        art.edge(edges.middle, "Shotgun Storage Area"),
        art.inside(_stored(art, SHOTGUN, sum(shown.shotgun_dice), shown.shotgun_dice)),
        art.edge(edges.foot),
    ]


def _cell_widths(art: ZombieArt) -> list[int]:
    """Three cells that fill the width between the borders, with a line between them."""
    room = art.width - 4
    return [(room + i) // CELLS for i in range(CELLS)]


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
    used = cells_of(text) + 1 + cells_of(face)
    before = (room - used) // 2
    return [
        (" " * before, ""),
        (text, style),
        (f" {face}" + " " * (room - used - before), ""),
    ]


def _stored(art: ZombieArt, face: str, count: int, dice: Pile) -> Line:
    """Draw a count with the dice that show it."""
    sign = art.signs.faces[face]
    said = f"{sign} x{count}" if cells_of(sign) == 2 else f"{sign}s: {count}"
    gone = count - sum(dice)
    backs = (f" (+{gone} back in the bag)", f" (+{gone} in bag)") if gone else ("",)
    lines: list[Line] = [
        [(said, "bold"), (" ", ""), *shown, (back, "dim")]
        for shown in art.piles(dice)
        for back in backs
    ]
    return next((line for line in lines if width(line) <= art.room), lines[-1])


def message_area(art: ZombieArt, message: Sequence[str], least: int | None = None) -> list[Line]:
    """Draw the message area with at least this many lines."""
    lines = [line for text in message for line in art.wrapped(text)]
    if least is None:
        least = MESSAGE_LINES if art.width >= NARROW else MESSAGE_LINES + 2
    lines += [""] * (least - len(lines))
    return art.box("Message area", [[(line, "")] for line in lines])


def winner_screen(
    art: ZombieArt,
    s: State,
    names: Sequence[str],
    tallies: Sequence[TurnTally],
    message: Sequence[str],
) -> list[str]:
    """The final scores, the best first, and who has won."""
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


class Renderer:
    """Prints scenes one below the other, as the source has it.

    ``remarks`` are said with the next scene, and then no more; a ``reply`` to what was
    typed stands in place of the usual message.
    """

    def __init__(self, given: Wanted, console: Console, art: ZombieArt, pace: Pauses) -> None:
        self.remarks: list[str] = []
        self.reply: list[str] = []
        self._given = given
        self._console = console
        self._art = art
        self._pace = pace
        self._told_of_chance = False

    @property
    def prompt(self) -> str:
        return f"{self._art.signs.zombie}> "

    def is_brief(self, evening: Evening) -> bool:
        """Return True if nobody plays or watches: one line for each turn is enough."""
        return not evening.persons and not self._pace.watched

    def render(self, scene: Scene, evening: Evening | None) -> None:
        """Show a scene."""
        if scene is Scene.WELCOME:
            self._welcome()
        elif evening is None:
            self._console.say("  Nobody plays. Goodbye!")
        elif scene is Scene.STIR:
            self._about_chance(evening)
            self._say_remarks()
        elif scene is Scene.ORDER:
            self._order(evening)
        elif scene in (Scene.OVER, Scene.LEFT):
            self._end(scene, evening)
        elif scene is Scene.QUIT and evening.state.phase == "shuffle":
            self._say(self._quit_question(evening))
        elif not self.is_brief(evening):
            self._playing(scene, evening)
        elif scene is Scene.TIE:
            self._say(look.tie(evening.state, evening.names, ask=False))

    def turn_in_brief(self, evening: Evening, number: int, rolls: int) -> None:
        """The line for a turn that has ended."""
        self._say_remarks()
        self._say([look.turn_in_brief(evening.state, evening.names, number, rolls)])

    def stir_prompt(self, evening: Evening, seat: Seat) -> str:
        """Return the prompt for a stir."""
        what = "the game"
        if evening.stirs_each:
            what = look.occasion(evening.state, evening.names, seat)
        prompt = f"  {evening.names[seat]}, your word for {what}: "
        if cells_of(prompt) + ROOM_TO_TYPE <= self._art.width:
            return prompt
        self._say([prompt])
        return "  >>> "

    def _say(self, texts: Sequence[str]) -> None:
        """Plain text between the screens."""
        for text in texts:
            for line in self._art.wrapped(text, self._art.width - 4):
                self._console.say(f"  {line}".rstrip())

    def _say_remarks(self) -> None:
        self._say(self.remarks)
        self.remarks = []

    def _welcome(self) -> None:
        if self.remarks:
            self._say_remarks()
            return
        given = self._given
        lines = setup.welcome(self._art, given.config, given.bots, given.names is None)
        self._console.say("\n".join(lines))

    def _about_chance(self, evening: Evening) -> None:
        if self._told_of_chance:
            return
        self._told_of_chance = True
        self._say_remarks()
        if not evening.stirs:
            self._say(["", "This is practice: the seed decides every roll."])
            return
        tip = evening.table.scheme.public["tip"]
        self._say(setup.about_chance(tip, evening.stirs_each, len(evening.persons)))

    def _order(self, evening: Evening) -> None:
        self._about_chance(evening)
        labels = [evening.labels[seat] for seat in evening.state.order]
        self._say(setup.lineup(labels, bool(evening.persons)))
        self._pace.wait(0.0 if evening.persons else 2.0)

    def _playing(self, scene: Scene, evening: Evening) -> None:
        shown, message, seconds = self._scene(scene, evening)
        message = [text for text in self.reply or (*self.remarks, *message) if text]
        self._console.say("\n".join(playing_screen(self._art, shown, message)))
        self.remarks, self.reply = [], []
        self._pace.wait(seconds)

    def _scene(self, scene: Scene, evening: Evening) -> tuple[ZombieBoard, list[str], float]:
        """The board, the message, and how long they stand if nothing is asked."""
        game, state, before = evening.game, evening.state, evening.before
        names = evening.names
        who = Who(names, evening.labels)
        ended = state.last if evening.turn_has_ended else None
        if scene is Scene.ROLLED:
            thrown = ended.rolled if ended else state.rolled
            said = [f"{names[before.playing[before.at]]} rolls {rolled(thrown)}."]
            return rolled_board(game, before, state, who), said, 0.8
        if scene is Scene.SHOT:
            assert ended is not None
            shown = shot_board(game, before, ended, who)
            return shown, look.shot(ended, names), 1.5
        shown = board(game, state, who)
        if scene is Scene.TIE:
            said = look.tie(state, names, bool(evening.persons))
            return shown, [look.how_it_went(state, names), *said], 2.0
        if scene is Scene.QUIT:
            return shown, self._quit_question(evening), 0.0
        said = look.before_decision(game, state, names)
        if scene is Scene.THINK:
            return shown, [*said, f"{names[state.playing[state.at]]} decides."], 0.8
        return shown, [*said, look.commands(state)], 0.0

    def _quit_question(self, evening: Evening) -> list[str]:
        return [
            f"{evening.names[evening.leaver()]}, do you really want to quit? It counts as a loss"
            + (", and the others play on." if len(evening.state.playing) > 2 else "."),
            "y quits, anything else plays on.",
        ]

    def _end(self, scene: Scene, evening: Evening) -> None:
        state, names = evening.state, evening.names
        if scene is Scene.OVER:
            rolls = sum(tally.rolls for tally in evening.tallies)
            message = [look.how_it_went(state, names), *look.winner(state, names, rolls)]
        else:
            payoff = evening.table.payoff or ()
            winners = [f"{names[seat]} wins." for seat, paid in enumerate(payoff) if paid > 0]
            message = ["The game ends here; it is recorded as a forfeit.", *winners]
        message = [*self.remarks, *message]
        lines = winner_screen(self._art, state, evening.labels, evening.tallies, message)
        self._console.say("\n".join(lines))

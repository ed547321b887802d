"""The scenes of an evening of Zombie Dice, how each is shown, and the loop that goes through them.

`TRANSITIONS` is the finite state machine. ``docs/games/zombie.md`` draws it, and a test compares
the two. `GameController` carries answers from the prompt or a machine to the table, and decides
which scene is shown next. The rules are in ``games/zombie/rules.py``.
"""

from __future__ import annotations

import enum
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from fairground.core import IllegalMove, InputError, Seat
from fairground.fair.chains import LONGEST_STIR
from fairground.fair.vault import Vault
from fairground.games.zombie import look, setup
from fairground.games.zombie.look import ZombieArt
from fairground.games.zombie.rules import PASS, ROLL, State, Zombie
from fairground.games.zombie.setup import Company, Config, Guest, company
from fairground.games.zombie.words import TYPED, ZombieWords, rolled
from fairground.players import Player
from fairground.players.bot import BotFailure
from fairground.players.runner import Runner
from fairground.table import Ask, Table
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.sitting import (
    COMMANDS,
    LEAVE,
    LEAVE_AT_ONCE,
    NO_ADVICE,
    STIR_HELP,
    YES,
    advised,
    not_random,
)


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


class Evening(Runner):
    """A table with its guests."""

    def __init__(
        self, table: Table, players: Mapping[Seat, Player], vault: Vault, guests: Sequence[Guest]
    ) -> None:
        super().__init__(table, players, vault)
        assert isinstance(table.game, Zombie)
        self.rules = table.game
        self.who = look.Who([guest.name for guest in guests], [guest.label for guest in guests])
        self.before = self.state
        """The table before the move whose effect is now shown."""

    @property
    def called(self) -> Sequence[str]:
        return self.who.names

    @property
    def state(self) -> State:
        """The table as everybody sees it."""
        state: State = self.table.view(None)
        return state

    @property
    def ask(self) -> Ask:
        return self.table.asks()[0]

    @property
    def stir(self) -> str:
        """Return "once" or "each", or "" in practice, where no words are asked for."""
        return str(self.table.scheme.public.get("stir", ""))

    @property
    def turn_has_ended(self) -> bool:
        return self.state.turns != self.before.turns

    def leaver(self) -> Seat:
        """Return the seat at the prompt; at a prompt for everybody, the first person in turn."""
        asks, state = self.table.asks(), self.state
        in_turn = [*(ask.seat for ask in asks[:1]), *state.playing[state.at :], *state.order]
        return next((seat for seat in in_turn if seat in self.people), in_turn[0])


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


ROOM_TO_TYPE: Final = 8


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
        return not evening.people and not self._pace.watched

    def render(self, scene: Scene, evening: Evening | None) -> None:
        if scene is Scene.WELCOME:
            self._welcome()
        elif evening is None:
            self._console.say("  Nobody plays. Goodbye!")
        elif scene is Scene.STIR:
            self._about_chance(evening)
            self._say_remarks()
        elif scene is Scene.ORDER:
            self._about_chance(evening)
            labels = [evening.who.labels[seat] for seat in evening.state.order]
            self._say(setup.lineup(labels, bool(evening.people)))
            self._pace.wait(0.0 if evening.people else 2.0)
        elif scene in (Scene.OVER, Scene.LEFT):
            self._end(scene, evening)
        elif scene is Scene.QUIT and evening.state.phase == "shuffle":
            self._say(self._quit_question(evening))
        elif not self.is_brief(evening):
            shown, message, seconds = self._scene(scene, evening)
            message = [text for text in self.reply or (*self.remarks, *message) if text]
            self._console.say("\n".join(look.playing_screen(self._art, shown, message)))
            self.remarks, self.reply = [], []
            self._pace.wait(seconds)
        elif scene is Scene.TIE:
            self._say(look.tie(evening.state, evening.called, ask=False))

    def turn_in_brief(self, evening: Evening, number: int, rolls: int) -> None:
        """Print the line for a turn that has ended."""
        self._say_remarks()
        self._say([look.turn_in_brief(evening.state, evening.called, number, rolls)])

    def stir_prompt(self, evening: Evening, seat: Seat) -> str:
        """Return the prompt for a stir."""
        what = "the game"
        if evening.stir == "each":
            what = look.occasion(evening.state, evening.called, seat)
        prompt = f"  {evening.called[seat]}, your word for {what}: "
        if cell_len(prompt) + ROOM_TO_TYPE <= self._art.width:
            return prompt
        self._say([prompt])
        return "  >>> "

    def _say(self, texts: Sequence[str]) -> None:
        for text in texts:
            for line in self._art.wrapped(text):
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
        if not evening.stir:
            self._say(["", "This is practice: the seed decides every roll."])
            return
        tip = evening.table.scheme.public["tip"]
        self._say(setup.about_chance(tip, evening.stir == "each", len(evening.people)))

    def _scene(self, scene: Scene, evening: Evening) -> tuple[look.ZombieBoard, list[str], float]:
        """Return the board, the message, and the seconds they stand if nothing is asked."""
        game, state, before = evening.rules, evening.state, evening.before
        who, names = evening.who, evening.called
        ended = state.last if evening.turn_has_ended else None
        if scene is Scene.ROLLED:
            thrown = ended.rolled if ended else state.rolled
            said = [f"{names[before.playing[before.at]]} rolls {rolled(thrown)}."]
            return look.rolled_board(game, before, state, who), said, 0.8
        if scene is Scene.SHOT:
            assert ended is not None
            return look.shot_board(game, before, ended, who), look.shot(ended, names), 1.5
        shown = look.board(game, state, who)
        if scene is Scene.TIE:
            said = look.tie(state, names, bool(evening.people))
            return shown, [look.how_it_went(state, names), *said], 2.0
        if scene is Scene.QUIT:
            return shown, self._quit_question(evening), 0.0
        said = look.before_decision(game, state, names)
        if scene is Scene.THINK:
            return shown, [*said, f"{names[state.playing[state.at]]} decides."], 0.8
        return shown, [*said, look.commands(state)], 0.0

    def _quit_question(self, evening: Evening) -> list[str]:
        others = ", and the others play on" if len(evening.state.playing) > 2 else ""
        return [
            f"{evening.called[evening.leaver()]}, do you really want to quit? It counts as a "
            f"loss{others}.",
            "y quits, anything else plays on.",
        ]

    def _end(self, scene: Scene, evening: Evening) -> None:
        state, names = evening.state, evening.called
        tallies = look.tallies_of(evening.table.history, len(names))
        if scene is Scene.OVER:
            rolls = sum(tally.rolls for tally in tallies)
            message = [look.how_it_went(state, names), *look.winner(state, names, rolls)]
        else:
            payoff = evening.table.payoff or ()
            winners = [f"{names[seat]} wins." for seat, paid in enumerate(payoff) if paid > 0]
            message = ["The game ends here; it is recorded as a forfeit.", *winners]
        message = [*self.remarks, *message]
        lines = look.winner_screen(self._art, state, evening.who.labels, tallies, message)
        self._console.say("\n".join(lines))


QUIT: Final = (*LEAVE, *LEAVE_AT_ONCE)
HELP: Final = ("?", "help")
HINT: Final = "hint"


class GameController:
    """Runs an evening from the welcome screen to the winner."""

    def __init__(self, given: Wanted, console: Console, art: ZombieArt, pace: Pauses) -> None:
        self.scene = Scene.START
        self.party: Evening | None = None
        """The table, once it is set."""
        self._given = given
        self._console = console
        self._renderer = Renderer(given, console, art, pace)
        self._event = ""
        self._interrupted = Scene.START
        self._ordered = False
        """True once the players have been shuffled."""
        self._turn_rolls = 0
        self._round = 1
        self._extra = 0

    def come_back(self, evening: Evening) -> None:
        """Go on with a table that was set before, where it stopped."""
        self.party = evening
        self._ordered = evening.state.phase != "shuffle"
        self._round, self._extra = evening.state.round, evening.state.extra
        self._remark("The game goes on.")

    # The loop

    def play(self) -> None:
        """Until somebody has won, or left."""
        try:
            while TRANSITIONS[self.scene]:
                self.process_events()
                self.update()
                self.render()
        except (EndOfInput, KeyboardInterrupt) as end:
            stopped = isinstance(end, KeyboardInterrupt)
            if stopped and self.party is not None and self.party.lasting:
                self._console.say()  # nobody leaves: the game waits
            else:
                self._walk_out("Ctrl-C" if stopped else "the input ended")
            raise

    def process_events(self) -> None:
        """Read what this scene waits for; most wait for one line."""
        ask, prompt = self._console.ask, self._renderer.prompt
        match self.scene:
            case Scene.WELCOME if self._given.names is None:
                self._event = ask("  >>> ")
            case Scene.STIR:
                self._event = ask(self._renderer.stir_prompt(self.evening, self.evening.ask.seat))
            case Scene.ORDER | Scene.TIE if self.evening.people:
                self._event = ask(prompt)
            case Scene.TURN | Scene.QUIT:
                self._event = ask(prompt)
            case _:
                self._event = ""

    def update(self) -> None:
        """Let the event have its effect, and go to the next scene."""
        handlers: dict[Scene, Callable[[], Scene]] = {
            Scene.START: self._update_start,
            Scene.WELCOME: self._update_welcome,
            Scene.STIR: self._update_stir,
            Scene.ORDER: self._update_enter,
            Scene.TURN: self._update_turn,
            Scene.THINK: self._update_think,
            Scene.ROLLED: self._update_rolled,
            Scene.SHOT: self._end_of_turn,
            Scene.TIE: self._update_enter,
            Scene.QUIT: self._update_quit,
        }
        scene = handlers[self.scene]()
        assert scene in TRANSITIONS[self.scene], f"{self.scene} -> {scene}"
        self.scene = scene

    def render(self) -> None:
        self._renderer.render(self.scene, self.party)

    @property
    def evening(self) -> Evening:
        """The table; only once it is set."""
        assert self.party is not None
        return self.party

    def _remark(self, *texts: str) -> None:
        self._renderer.remarks = list(texts)

    # Updates, one for each scene

    def _update_start(self) -> Scene:
        if self.party is None:
            return Scene.WELCOME
        return Scene.STIR if self.evening.ask.kind == "stir" else self._to_move()

    def _update_welcome(self) -> Scene:
        given = self._given
        if given.names is None and not self._event:
            return Scene.LEFT
        line = self._event if given.names is None else given.names
        try:
            guests = company(line, given.bots, given.config)
            self.party = given.open(guests)
        except InputError as problem:
            if given.names is not None:
                raise
            self._remark(f"{problem}.")
            return Scene.WELCOME
        self._remark(*guests.remarks)
        return self._after_chance()

    def _update_stir(self) -> Scene:
        typed = " ".join(self._event.lower().split())
        if typed in QUIT:
            return self._interrupt()
        if typed in HELP:
            said = STIR_HELP
        elif typed == HINT:
            said = NO_ADVICE
        elif typed and typed in (*COMMANDS, *TYPED):
            said = not_random(self._event)
        else:
            try:
                self.evening.table.submit(self.evening.ask, self._event)
            except InputError:
                said = f"Letters and digits, please, at most {LONGEST_STIR} of them."
            else:
                return self._after_chance()
        self._remark(said)
        return Scene.STIR

    def _after_chance(self) -> Scene:
        """Return the scene after draws: a stir is asked for, or the roll is shown."""
        asks = self.evening.asks()
        if asks and asks[0].kind == "stir":
            return Scene.STIR
        if not self._ordered:
            self._ordered = True
            return Scene.ORDER
        return Scene.ROLLED

    def _update_enter(self) -> Scene:
        return self._interrupt() if self._event.lower() in QUIT else self._to_move()

    def _to_move(self) -> Scene:
        return Scene.TURN if self.evening.ask.seat in self.evening.people else Scene.THINK

    def _update_turn(self) -> Scene:
        state, typed = self.evening.state, self._event.lower()
        if typed in QUIT:
            return self._interrupt()
        if typed in HELP:
            said = ZombieWords.rules.splitlines()
        elif typed == HINT:
            best = advised(self.evening, state, self.evening.ask.seat)
            said = [best if isinstance(best, str) else f"Hint: {best.option}. {best.says}"]
        elif typed not in TYPED:
            said = [f"Unknown command: {self._event[:20]!r}."]
        else:
            try:
                self.evening.game.check(state, self.evening.ask.seat, TYPED[typed])
            except IllegalMove as refused:
                reason = str(refused)
                said = [f"{reason[:1].upper()}{reason[1:]}."]
            else:
                return self._play(TYPED[typed])
        self._renderer.reply = [*said, look.commands(state)]
        return Scene.TURN

    def _update_think(self) -> Scene:
        evening, seat = self.evening, self.evening.ask.seat
        try:
            move = evening.choose(evening.ask)
        except BotFailure as failure:
            evening.table.note({"seat": seat, "bot": str(failure)})
            self._remark(f"{evening.called[seat]} loses the turn: {failure}.")
            move = PASS
        return self._play(str(move))

    def _play(self, move: str) -> Scene:
        evening = self.evening
        evening.before = evening.state
        evening.table.submit(evening.ask, move)
        if move != ROLL:
            return self._end_of_turn()
        self._turn_rolls += 1
        return self._after_chance()

    def _update_rolled(self) -> Scene:
        return Scene.SHOT if self.evening.turn_has_ended else self._to_move()

    def _end_of_turn(self) -> Scene:
        """Who is next, is there a tie, is it over?"""
        evening, state = self.evening, self.evening.state
        if self._renderer.is_brief(evening):
            self._renderer.turn_in_brief(evening, self._round, self._turn_rolls)
        tied = state.extra > self._extra
        self._turn_rolls, self._round, self._extra = 0, state.round, state.extra
        if state.phase == "over":
            return Scene.OVER
        return Scene.TIE if tied else self._to_move()

    # Leaving

    def _interrupt(self) -> Scene:
        self._interrupted = self.scene
        return Scene.QUIT

    def _update_quit(self) -> Scene:
        if self._event.lower() not in YES:
            return self._interrupted
        evening, leaver = self.evening, self.evening.leaver()
        was_on = evening.state.phase != "shuffle" and evening.before.playing[evening.before.at]
        self._forfeit("quit")
        if evening.table.closed:
            return Scene.LEFT
        scene = self._after_chance()
        if scene is Scene.ROLLED and (leaver == was_on or self._interrupted is not Scene.STIR):
            # Nobody's roll is on the table any more: the next one is on.
            evening.before = evening.state
            self._turn_rolls, self._round = 0, evening.state.round
            return self._to_move()
        return scene

    def _forfeit(self, reason: str) -> None:
        evening, seat = self.evening, self.evening.leaver()
        name, person = evening.called[seat], seat in evening.people
        self._remark(f"{name} leaves the game." if person else f"It was stopped in {name}'s turn.")
        evening.leave(seat, reason)

    def _walk_out(self, reason: str) -> None:
        """Ctrl-C, or the end of the input: close the record, and show where it ended."""
        if self.party is None or self.party.table.closed:
            return
        self._console.say()
        self._forfeit(reason)
        while self.party.asks():
            self.party.leave(self.party.leaver(), reason)
        self.scene = Scene.LEFT
        self.render()

"""The game loop: read events, update, render, on the machine of `scenes`.

The rules live in ``games/zombie.py`` and the referee in ``table.py``: the controller only
carries answers from the prompt (or a machine) to the table, and decides what is shown next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fairground.core import IllegalMove, InputError
from fairground.games.zombie import PASS, ROLL
from fairground.players.bot.limits import BotFailure
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.zombie import words
from fairground.terminal.zombie.look import ZombieArt
from fairground.terminal.zombie.scenes import TRANSITIONS, Evening, Pauses, Scene, Wanted
from fairground.terminal.zombie.screen import Renderer
from fairground.terminal.zombie.setup import company
from fairground.words.zombie import TYPED, ZombieWords

QUIT: Final = ("q", "quit", "x", "exit")
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
        """Whether the players have been shuffled."""
        self._turn_rolls = 0
        self._round = 1
        self._extra = 0

    def come_back(self, evening: Evening) -> None:
        """Go on with a table that was set before, where it stopped."""
        evening.recount()
        self.party = evening
        self._ordered = evening.state.phase != "shuffle"
        self._round, self._extra = evening.state.round, evening.state.extra
        self._remark("The game goes on.")

    # The loop

    def run(self) -> None:
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
            case Scene.ORDER | Scene.TIE if self.evening.persons:
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
        """Show the scene."""
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
        if self._event.lower() == "q":  # any other word may be meant to be mixed in
            return self._interrupt()
        try:
            self.evening.table.submit(self.evening.ask, self._event)
        except InputError:
            from fairground.fair.chains import LONGEST_STIR

            self._remark(f"Letters and digits, please, at most {LONGEST_STIR} of them.")
            return Scene.STIR
        return self._after_chance()

    def _after_chance(self) -> Scene:
        """Somebody's words are wanted, or the draws have been made."""
        asks = self.evening.table.asks()
        if asks and asks[0].kind == "stir":
            return Scene.STIR
        if not self._ordered:
            self._ordered = True
            return Scene.ORDER
        return Scene.ROLLED

    def _update_enter(self) -> Scene:
        return self._interrupt() if self._event.lower() in QUIT else self._to_move()

    def _to_move(self) -> Scene:
        return Scene.TURN if self.evening.ask.seat in self.evening.persons else Scene.THINK

    def _update_turn(self) -> Scene:
        state, ask = self.evening.state, self.evening.ask
        typed = self._event.lower()
        if typed in QUIT:
            return self._interrupt()
        if typed in HELP:
            self._renderer.reply = [*ZombieWords.rules.splitlines(), words.commands(state)]
            return Scene.TURN
        if typed == HINT:
            self._renderer.reply = [self._hint(), words.commands(state)]
            return Scene.TURN
        if typed not in TYPED:
            self._renderer.reply = [words.not_a_command(self._event), words.commands(state)]
            return Scene.TURN
        try:
            self.evening.game.check(state, ask.seat, TYPED[typed])
        except IllegalMove as refused:
            self._renderer.reply = [words.sentence(str(refused)), words.commands(state)]
            return Scene.TURN
        return self._play(TYPED[typed])

    def _hint(self) -> str:
        """What the coach would do, and why. The record says that it was asked for."""
        from fairground.coach.advice import advise

        evening, seat = self.evening, self.evening.ask.seat
        names = [chair.name for chair in evening.table.setting.chairs]
        try:
            advice = advise(evening.game, evening.table.view(seat), seat, names)
        except InputError as reason:
            return f"No hint: {reason}."
        evening.table.note({"hint": advice.move, "seat": seat})
        return f"Hint: {advice.option}. {advice.says}"

    def _update_think(self) -> Scene:
        evening, seat = self.evening, self.evening.ask.seat
        try:
            move = evening.players[seat].choose(evening.game, evening.table.view(seat), seat)
        except BotFailure as failure:
            evening.table.note({"seat": seat, "bot": str(failure)})
            self._remark(f"{evening.names[seat]} loses the turn: {failure}.")
            move = PASS
        return self._play(str(move))

    def _play(self, move: str) -> Scene:
        evening = self.evening
        before = evening.before = evening.state
        evening.table.submit(evening.ask, move)
        if move != ROLL:
            return self._end_of_turn()
        self._turn_rolls += 1
        evening.tallies[before.playing[before.at]].rolls += 1
        return self._after_chance()

    def _update_rolled(self) -> Scene:
        return Scene.SHOT if self.evening.turn_has_ended else self._to_move()

    def _end_of_turn(self) -> Scene:
        """Who is next, is there a tie, is it over?"""
        evening, state = self.evening, self.evening.state
        assert state.last is not None
        evening.tallies[state.last.seat].count(state.last)
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
        from fairground.terminal.seat import YES

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
        person = seat in evening.persons
        name = evening.names[seat]
        self._remark(f"{name} leaves the game." if person else f"It was stopped in {name}'s turn.")
        evening.forfeit(seat, reason)

    def _walk_out(self, reason: str) -> None:
        """Ctrl-C, or the end of the input: close the record, and show where it ended."""
        if self.party is not None and not self.party.table.closed:
            self._console.say()
            self._forfeit(reason)
            self.party.end(reason)
            self.scene = Scene.LEFT
            self.render()

"""``render()``: what each scene shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from fairground.core import Seat
from fairground.terminal.console import Console
from fairground.terminal.zombie import screen, setup, words
from fairground.terminal.zombie.look import Paper
from fairground.terminal.zombie.scenes import Evening, Pace, Scene, Setup

ROOM_TO_TYPE: Final = 8


class Renderer:
    """Prints scenes one below the other, as the source has it.

    ``remarks`` are said with the next scene, and then no more; a ``reply`` to what was
    typed stands in place of the usual message.
    """

    def __init__(self, given: Setup, console: Console, paper: Paper, pace: Pace) -> None:
        self.remarks: list[str] = []
        self.reply: list[str] = []
        self._given = given
        self._console = console
        self._paper = paper
        self._pace = pace
        self._told_of_chance = False

    @property
    def prompt(self) -> str:
        """The fifth region."""
        return f"{self._paper.look.zombie}> "

    def is_brief(self, evening: Evening) -> bool:
        """Whether nobody plays and nobody watches: then a line for each turn is enough."""
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
            self._say(words.tie(evening.state, evening.names, ask=False))

    def turn_in_brief(self, evening: Evening, number: int, rolls: int) -> None:
        """The line for a turn that has ended."""
        self._say_remarks()
        self._say([words.turn_in_brief(evening.state, evening.names, number, rolls)])

    def stir_prompt(self, evening: Evening, seat: Seat) -> str:
        """Whose words are wanted, and what for."""
        what = "the game"
        if evening.stirs_each:
            what = words.occasion(evening.state, evening.names, seat)
        prompt = f"  {evening.names[seat]}, your word for {what}: "
        if cell_len(prompt) + ROOM_TO_TYPE <= self._paper.width:
            return prompt
        self._say([prompt])
        return "  >>> "

    def _say(self, texts: Sequence[str]) -> None:
        """Plain text between the screens."""
        for text in texts:
            for line in self._paper.wrapped(text, self._paper.width - 4):
                self._console.say(f"  {line}".rstrip())

    def _say_remarks(self) -> None:
        self._say(self.remarks)
        self.remarks = []

    def _welcome(self) -> None:
        if self.remarks:
            self._say_remarks()
            return
        given = self._given
        lines = setup.welcome(self._paper, given.config, given.bots, given.names is None)
        self._console.say("\n".join(lines))

    def _about_chance(self, evening: Evening) -> None:
        if self._told_of_chance:
            return
        self._told_of_chance = True
        self._say_remarks()
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
        self._console.say("\n".join(screen.playing_screen(self._paper, shown, message)))
        self.remarks, self.reply = [], []
        self._pace.wait(seconds)

    def _scene(self, scene: Scene, evening: Evening) -> tuple[screen.Board, list[str], float]:
        """The board, the message, and how long they stand if nothing is asked."""
        game, state, before = evening.game, evening.state, evening.before
        names = evening.names
        who = screen.Who(names, evening.labels)
        ended = state.last if evening.turn_has_ended else None
        if scene is Scene.ROLLED:
            thrown = ended.rolled if ended else state.rolled
            said = [f"{names[before.playing[before.at]]} rolls {words.rolled(thrown)}."]
            return screen.rolled_board(game, before, state, who), said, 0.8
        if scene is Scene.SHOT:
            assert ended is not None
            shown = screen.shot_board(game, before, ended, who)
            return shown, words.shot(ended, names), 1.5
        shown = screen.board(game, state, who)
        if scene is Scene.TIE:
            said = words.tie(state, names, bool(evening.persons))
            return shown, [words.how_it_went(state, names), *said], 2.0
        if scene is Scene.QUIT:
            return shown, self._quit_question(evening), 0.0
        said = words.before_decision(game, state, names)
        if scene is Scene.THINK:
            return shown, [*said, f"{names[state.playing[state.at]]} decides."], 0.8
        return shown, [*said, words.commands(state)], 0.0

    def _quit_question(self, evening: Evening) -> list[str]:
        return [
            f"{evening.names[evening.leaver()]}, do you really want to quit? It counts as a loss.",
            "y quits, anything else plays on.",
        ]

    def _end(self, scene: Scene, evening: Evening) -> None:
        state, names = evening.state, evening.names
        if scene is Scene.OVER:
            rolls = sum(tally.rolls for tally in evening.tallies)
            message = [words.how_it_went(state, names), *words.winner(state, names, rolls)]
        else:
            payoff = evening.table.payoff or ()
            winners = [f"{names[seat]} wins." for seat, paid in enumerate(payoff) if paid > 0]
            message = ["The game ends here; it is recorded as a forfeit.", *winners]
        message = [*self.remarks, *message]
        lines = screen.winner_screen(self._paper, state, evening.labels, evening.tallies, message)
        self._console.say("\n".join(lines))

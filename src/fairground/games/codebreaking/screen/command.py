"""``fairground codebreaking``: find the keeper's code, or keep one from the solver.

Every answer of a person who keeps the code is recorded as it is given. If an answer leaves no code,
the screen asks before it is recorded. A recorded answer cannot be changed, so a correction opens a
new record. The new record begins with the corrected rows and a note of the old answers.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Final

from fairground.core import InputError, Seat
from fairground.fair.schemes import Chair
from fairground.games.codebreaking.oracle import CHAIN_LENGTH, commitment, publish
from fairground.games.codebreaking.players import Breaker
from fairground.games.codebreaking.rules import (
    BREAKER,
    EVIL,
    FAIR,
    GIVE_UP,
    KEEPER,
    NO_CODE,
    ORACLES,
    Code,
    CodeBreaking,
    Row,
    State,
    fits,
    marks,
)
from fairground.games.codebreaking.screen import screen
from fairground.games.codebreaking.screen import screen as screens
from fairground.games.codebreaking.screen.screen import (
    HELP,
    CodeArt,
    CodeScreen,
    add_size,
    marks_of,
)
from fairground.games.codebreaking.solver.advice import Contradiction, Counting, contradiction
from fairground.players import DIFFICULTIES, Player, wanted_seats
from fairground.players.runner import Runner
from fairground.table import Ask, Table
from fairground.terminal.console import Arguments, Console
from fairground.terminal.evening import (
    ME,
    HousePlayers,
    OpenTable,
    Parlour,
    TablePlan,
    add_counting,
    add_practice,
    add_seats,
    player_for,
)
from fairground.terminal.files import add_saving
from fairground.terminal.options import add_ascii, players_in_words
from fairground.terminal.waiting import patiently
from fairground.words.plain import count

DEEP: Final = "evil:deep"
"""The evil keeper that forces the most guesses on perfect play."""

DIFFICULTY: Final = {"easy": "nice", "medium": "fair", "hard": "evil"}
SOLVER: Final = "best"


def _arguments() -> Arguments:
    parser = Arguments(
        "codebreaking",
        "Find a hidden code. Each guess is answered with its full matches (right digit, right\n"
        "place) and its partial ones (right digit, wrong place). A fair keeper's code is drawn\n"
        "by hash-chains/1, into which you may mix a word of your own, and is opened in the end.",
        "Examples:\n"
        "  fairground codebreaking\n"
        "  fairground codebreaking --base 10 --length 5 --oracle evil --save game.jsonl\n"
        "  fairground codebreaking --keeper\n\n"
        "At every prompt: ? helps, X exits. Where a guess is asked for: hint advises, give up\n"
        "ends the game and shows the code. Where an answer is asked for: fix 2 corrects row 2.",
    )
    add_size(parser)
    side = parser.add_mutually_exclusive_group()
    side.add_argument(
        "--oracle",
        choices=ORACLES,
        help="who keeps the code: fair draws it (the default), nice makes your first guess "
        "the code, evil gives the least informative answer that is still consistent",
    )
    add_seats(parser, "the same in one word for all games: keeper=evil; keeper=me, breaker=minimax")
    parser.add_argument(
        "--difficulty",
        choices=DIFFICULTIES,
        help="how hard it is made for you: easy (nice), medium (fair), hard (evil); with "
        "--keeper, how good the solver is",
    )
    side.add_argument(
        "--keeper", action="store_true", help="you keep a code in mind, and the solver breaks it"
    )
    parser.add_argument(
        "--solver",
        metavar="PLAYER",
        help="with --keeper, who breaks: "
        + players_in_words(CodeBreaking(oracle=EVIL), BREAKER, SOLVER),
    )
    lend = parser.add_mutually_exclusive_group()
    lend.add_argument("--share", metavar="WORD", help="lend this word to the draw, without asking")
    lend.add_argument("--no-share", action="store_true", help="lend nothing, without asking")
    add_ascii(parser, "marks as letters", "as dots")
    add_counting(parser)
    add_practice(parser)
    add_saving(parser)
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground codebreaking``"""
    options = _parse(arguments)
    return CodeParlour(options, arguments, options.keeper).run()


def go_on(opened: OpenTable, arguments: Sequence[str], house: HousePlayers) -> int:
    """Go on with an unfinished game."""
    keeps = opened.table.setting.chairs[KEEPER].by == "self"
    return CodeParlour(_parse(arguments), arguments, keeps).resume(opened, house)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _arguments()
    options: argparse.Namespace = parser.parse_args(arguments)
    options.deep = False
    _take_seats(options)
    lends = options.share is not None or options.no_share
    if options.keeper and lends:
        parser.error("with --keeper nothing is drawn: --share and --no-share have no place there")
    if options.share is not None and options.oracle not in (None, FAIR):
        parser.error(
            f"the {options.oracle} keeper draws nothing: there is nothing to mix a word into"
        )
    if options.solver is not None and not options.keeper:
        parser.error("--solver says who breaks your code: it goes with --keeper")
    if options.share is not None and (problem := screens.wrong_with(options.share)):
        raise InputError(f"--share: {problem}")
    return options


def _take_seats(options: argparse.Namespace) -> None:
    """Put ``--seat`` and ``--difficulty`` into this game's own words for them."""
    shape = CodeBreaking(oracle=EVIL)
    example = "--seat keeper=evil, or --seat keeper=me --seat breaker=minimax"
    for seat, player in wanted_seats(shape, options.seat, "--seat", example).items():
        if player.partition(":")[0] == ME:
            options.keeper = options.keeper or seat == KEEPER
        elif seat == KEEPER:
            if player not in (*ORACLES, *DIFFICULTY, DEEP):
                raise InputError(
                    f"--seat keeper={player}: a keeper is me, {', '.join(ORACLES)}, {DEEP}. "
                    f"For example: {example}"
                )
            options.deep = player == DEEP
            options.oracle = EVIL if options.deep else DIFFICULTY.get(player, player)
        else:
            options.keeper, options.solver = True, player_for(shape, BREAKER, player)
    if options.difficulty is not None and options.keeper:
        options.solver = player_for(shape, BREAKER, options.difficulty)
    elif options.difficulty is not None:
        options.oracle = DIFFICULTY[options.difficulty]


class CodeParlour(Parlour):
    """Games with codes of one size; with the sides swapped, breaker and keeper change places."""

    swaps = True

    def __init__(self, options: argparse.Namespace, arguments: Sequence[str], keeps: bool) -> None:
        self._code_art = CodeArt.of_terminal(options.ascii)
        super().__init__(options, arguments, self._code_art)
        self.swapped = keeps
        self._solver = options.solver or SOLVER

    @property
    def _game(self) -> CodeBreaking:
        oracle = EVIL if self.swapped else self.options.oracle or FAIR
        return CodeBreaking(self.options.base, self.options.length, oracle)

    def players(self, house: HousePlayers) -> dict[Seat, Player]:
        game = self._game
        if game.oracle == EVIL:
            _must_be_able_to_list(game)
        if not self.swapped:
            return {KEEPER: house.make(DEEP if self.options.deep else game.oracle, game, KEEPER)}
        return {BREAKER: house.make(self._solver, game, BREAKER)}

    def wanted(self) -> TablePlan:
        lends = "nothing" if self.options.seed is not None else "stir"
        chairs = (Chair("Keeper", by="house"), Chair("Player", lends=lends))
        if self.swapped:
            chairs = (Chair("Player"), Chair(f"Solver ({self._solver})", by="house"))
        length = {"length": CHAIN_LENGTH}
        return TablePlan("codebreaking", self.arguments, self._game, chairs, options=length)

    def screen(self, opened: OpenTable, players: Mapping[Seat, Player]) -> screens.CodeScreen:
        if self.swapped:
            solver = players[BREAKER]
            assert isinstance(solver, Breaker)
            records = Records(opened, lambda: OpenTable.new(self.wanted(), self.options))
            return KeeperScreen(self.console, self._code_art, records, solver)
        commitment = "" if opened.practice else shown_first(opened)
        share = "" if self.options.no_share else self.options.share
        place = Runner(opened.table, players, opened.vault)
        return screens.BreakerScreen(self.console, self._code_art, place, commitment, share)


def shown_first(opened: OpenTable) -> str:
    """Return the keeper's commitment; publish it on a new table."""
    return commitment(opened.table) if opened.resumed else publish(opened.table)


def _must_be_able_to_list(game: CodeBreaking) -> None:
    """List the codes now, so that a missing extra or a too large game fails before the start."""
    from fairground.games.codebreaking.solver.advice import enumerable

    patiently("Preparing", lambda: enumerable(game.base, game.length))


ANSWER: Final = "Full and partial matches: "
END: Final = ("end", "no code")


class Records:
    """The record of a game that may have to be written again."""

    def __init__(self, opened: OpenTable, another: Callable[[], OpenTable]) -> None:
        self._opened = opened
        self._another = another
        """Opens a new record of the same game."""

    @property
    def table(self) -> Table:
        return self._opened.table

    def place(self, solver: Breaker) -> Runner:
        """Return the open table as a place for a screen."""
        return Runner(self._opened.table, {BREAKER: solver}, self._opened.vault)

    def write(self, rows: tuple[Row, ...]) -> None:
        """Take down what was answered; a changed answer opens a new record."""
        recorded: tuple[Row, ...] = self.table.state.rows
        if rows[: len(recorded)] != recorded:
            self._begin_again(recorded, rows)
            recorded = ()
        for guess, answer in rows[len(recorded) :]:
            for ask in self.table.asks():
                if ask.seat == BREAKER:
                    self.table.submit(ask, guess)
            self.table.submit(self.table.asks()[0], answer)

    def _begin_again(self, before: tuple[Row, ...], now: tuple[Row, ...]) -> None:
        """End the old record, and say in the new one what was changed."""
        changes = [
            {"row": number, "said": list(old.marks), "now": list(new.marks)}
            for number, (old, new) in enumerate(zip(before, now, strict=False), 1)
            if old != new
        ]
        old = self.table
        old.forfeit(KEEPER, "an answer was corrected: the game goes on in another record")
        self._opened.become(self._another())
        self.table.note({"corrected": changes, "before": old.transcript.head})


class KeeperScreen(CodeScreen):
    """The person keeps, a solver of the house breaks."""

    def __init__(self, console: Console, art: CodeArt, records: Records, solver: Breaker) -> None:
        super().__init__(console, art, records.place(solver), "asked")
        self._records = records
        self._solver = solver
        self._lied = False
        """True if the answers contradict each other and the person keeps them."""

    @property
    def _table(self) -> Table:
        return self._records.table

    def play(self) -> None:
        self.say(f"Code breaking, you keep the code: {self._words.sizes()}", "bold")
        self.say("Think of a code, and write it down. I ask; you answer with two numbers, full")
        self.say("and partial matches. ? helps, fix 2 corrects row 2, X leaves.")
        if self._table.state.rows:
            self._fill(self._table.state.rows)
        super().play()

    def left(self, seat: Seat) -> None:
        self.say("You leave the game; a keeper that shows no code loses.")

    # Asking

    def answer(self, ask: Ask) -> None:
        state: State = self._table.state
        if state.phase == "show":
            return self._show(state)
        rows, asked = state.rows, state.asked
        assert asked is not None
        self.console.say()
        self.say(f"My guess {len(rows) + 1}: {self._code(asked)}", "bold")
        while True:
            answer = self.ask(ANSWER)
            word = answer.lower()
            if word in HELP:
                self._help()
            elif word == "hint":
                self.say("There is nothing to advise: your code decides the answer.")
            elif word == "board":
                self._show_board()
            elif word.split()[:1] == ["fix"]:
                corrected = self._corrected(rows, word.removeprefix("fix").strip())
                if corrected is not None:
                    return self._settle(corrected)
            elif (row := self._read(answer, asked)) is not None:
                return self._settle((*rows, row))

    def _read(self, answer: str, asked: Code) -> Row | None:
        try:
            return Row(asked, marks_of(answer, self._game))
        except InputError as problem:
            self.say(f"Not counted: {problem}.")
            return None

    def _corrected(self, rows: tuple[Row, ...], number: str) -> tuple[Row, ...] | None:
        """The rows with another answer in one of them; ``None``: nothing was changed."""
        if number not in [str(k) for k in range(1, len(rows) + 1)]:
            known = f"1 to {len(rows)}" if rows else "none yet"
            self.say(f"There is no row {number!r} to correct; rows: {known}.")
            return None
        at = int(number) - 1
        guess, (full, partial) = rows[at]
        self.say(f"Row {number} was {self._code(guess)}: {full} full, {partial} partial.")
        row = self._read(self.ask(ANSWER), guess)
        if row is None or row == rows[at]:
            self.say("Nothing was changed.")
            return None
        return (*rows[:at], row, *rows[at + 1 :])

    def _settle(self, rows: tuple[Row, ...]) -> None:
        """Talk about contradictions until there are none, or none is to be mended; write."""
        while True:
            counting = self._count(rows)
            clash = self._clash(rows, counting)
            if clash is None:
                break
            self._explain(rows, clash)
            answer = self.ask(f"Which row is wrong (1 to {len(rows)}), or end: ").lower()
            if answer in END:
                break
            rows = self._corrected(rows, answer.removeprefix("fix").strip()) or rows
        self._lied = clash is not None
        rows = _until_found(rows, self._game.length)
        before = tuple(entry.row for entry in self._entries)
        if rows == before:
            return  # corrected, and corrected back
        self._records.write(rows)
        self.place = self._records.place(self._solver)
        if rows[:-1] == before:
            self._put(rows[-1], counting)
        else:
            self._fill(rows)
        for ask in self._table.asks():
            if self._lied and ask.seat == BREAKER:
                self._table.submit(ask, GIVE_UP)

    def _fill(self, rows: tuple[Row, ...]) -> None:
        """Fill the board anew with corrected rows."""
        self._entries = []
        counting = self._count_from(())
        assert counting is not None
        for row in rows:
            counting.keep(row)
            self._enter(row, counting)
        self._show_board()

    def _help(self) -> None:
        self.bullets(*self._words.rules.splitlines(), screen.LEFT_HELP)
        self.say("Type two numbers, such as 1 2 (no match at all: 0 0), or:")
        self.bullets(*screen.KEEPER_KEYS)

    # Contradictions

    def _count(self, rows: tuple[Row, ...]) -> Counting:
        """The codes that fit these rows, counted on from the board where they extend it."""
        assert self._counting is not None
        if rows[:-1] == tuple(entry.row for entry in self._entries):
            counting = deepcopy(self._counting)
            patiently("Counting codes", lambda: counting.keep(rows[-1]))
            return counting
        counted = self._count_from(rows)
        assert counted is not None
        return counted

    def _clash(self, rows: tuple[Row, ...], counting: Counting) -> Contradiction | None:
        """Rows that cannot all be true, as far as that can be found out."""
        base, length = self._game.base, self._game.length
        if counting.count().value:
            return None  # a code that fits is known
        found = patiently("Looking for a code that fits", lambda: contradiction(base, length, rows))
        code = rows[-1].guess
        if found is None and rows[-1].marks[0] == length and not fits(code, rows):
            # The code is named: whatever it does not fit is wrong, or that it is the code.
            other = next(k for k, (guess, said) in enumerate(rows) if marks(code, guess) != said)
            return Contradiction((other, len(rows) - 1), False)
        return found

    def _explain(self, rows: tuple[Row, ...], clash: Contradiction) -> None:
        numbers = [k + 1 for k in clash.rows]
        if len(numbers) == 1:
            text = f"No code fits row {numbers[0]}."
        else:
            text = (
                "Your answers contradict each other: no code fits rows "
                f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]} together."
            )
        self.say(text, "bad")
        for line in self._board.some((k + 1, rows[k]) for k in clash.rows):
            self.console.say(line)
        if clash.smallest and len(numbers) > 1:
            self.say("No smaller set of rows is contradictory.")

    # The end

    def _show(self, state: State) -> None:
        """The code is known, or there is none: the rules check what is shown."""
        (ask,) = self._table.asks()
        self.console.say()
        if self._lied or state.given_up or not fits(state.rows[-1].guess, state.rows):
            self._table.submit(ask, NO_CODE)
            self.say("No code fits your answers: the keeper has none to show, and loses.", "bad")
            return
        code = state.rows[-1].guess
        self._table.submit(ask, code)
        guesses = count(len(state.rows), "guess", "guesses")
        self.say(f"Found with {guesses}: your code is {self._code(code)}.", "good")


def _until_found(rows: tuple[Row, ...], length: int) -> tuple[Row, ...]:
    """The rows up to the first that names the code: what was asked later does not count."""
    for number, row in enumerate(rows, 1):
        if row.marks[0] == length:
            return rows[:number]
    return rows

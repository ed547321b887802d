"""The referee: joins rules, dealer and seats, and writes the transcript.

No clocks, sockets, prints or threads. A table *asks*; whoever drives it (a
terminal, a server, a simulation, the verifier) brings answers with `submit`, and
the table moves on as far as it can, writing one event for everything that happens::

    table = Table.open(game, dealer, chairs)
    while table.asks():
        ask = table.asks()[0]
        table.submit(ask, answer_of(ask.seat, ask))
    table.payoff

The kinds of ask: ``move``; ``seal`` and then ``open`` for moves made at the same
time; and the shares of chance that the scheme wants: ``number``, ``tip``,
``next-tip``, ``stir``, ``link``.

The table does not trust its own dealer: every ticket and all evidence pass the
scheme's public half before they are written. So verifying is nothing but running
a table again, with the recorded dealer and the recorded answers (`verifier`).
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Self

from fairground.core import (
    SAFE,
    Awaits,
    Draw,
    Game,
    HouseFault,
    IllegalMove,
    InputError,
    Move,
    Over,
    Seat,
    StaleAsk,
    Turn,
    written,
)
from fairground.escape import must_be_showable
from fairground.fair.bits import fresh
from fairground.fair.schemes import (
    LENDS,
    RUN_BY,
    Chair,
    Dealer,
    Evidence,
    NotYet,
    Phase,
    Run,
    Scheme,
    Setting,
    Share,
    hex_share,
    is_hex,
    is_text,
)
from fairground.fair.seals import Seal, Spot, fits, seal
from fairground.transcript import FORMAT, Transcript, canonical, frozen

FORGOTTEN: Final[list[tuple[int, int]]] = []
"""The draws of a dealt run at a table that does not keep them."""

LONGEST_REASON: Final = 200
LONGEST_NAME: Final = 80


class Ask(NamedTuple):
    """Something that a seat owes. An answer counts only for the very ask it was given to."""

    kind: str
    seat: Seat
    step: int
    """Number of lines of the transcript when this was asked."""
    head: str
    """The hash of the last of them."""
    n: int = 0
    """For a ``number``: it must be in ``range(n)``."""
    run: int = 0
    """For a share of chance: which run of draws it is for."""


class Decision(NamedTuple):
    """A seat's move or forfeit, and its line."""

    seat: Seat
    line: int


class Change(NamedTuple):
    """An entry of `Table.history`: a draw, a move, or a seat that leaves.

    In a turn of several seats the state changes with the last move. A seat that leaves while draws
    are under way stays in until they are dealt: ``left`` changes nothing then, and ``out`` follows.
    """

    line: int
    kind: Literal["draw", "move", "left", "out"]
    seat: Seat
    """The seat that moved or left; -1 for a draw."""
    value: Move
    """The number drawn, or the move."""
    before: Any
    after: Any
    """The next state; `Over` where leaving ends the game."""
    n: int = 0
    """The range of a draw."""


class Departure(NamedTuple):
    """A seat that left: the line that says so, by whose word, and why."""

    line: int
    seat: Seat
    by: str
    reason: str


class SealedTurn(NamedTuple):
    """A simultaneous turn: when each seat sealed, and when moves were opened, by line."""

    seals: Mapping[Seat, int]
    first_opening: int
    opened: int
    """The line of the last opening."""

    @property
    def complete(self) -> int:
        """The line of the last seal."""
        return max(self.seals.values())


def _others(seats: Sequence[Seat], seat: Seat) -> tuple[Seat, ...]:
    return tuple(other for other in seats if other != seat)


def _written(draws: Sequence[tuple[int, int]]) -> list[tuple[Any, Any]]:
    """Draws as a transcript writes them: range and value."""
    return [draw if draw[0] <= SAFE else (written(draw[0]), written(draw[1])) for draw in draws]


def new_name() -> bytes:
    """A name for a new table: 32 fresh bytes, so that no commitment fits two tables."""
    return fresh()


def _check_chairs(game: Game[Any], chairs: Sequence[Chair]) -> None:
    if len(chairs) != game.seats:
        raise InputError(f"{game.name} is played by {game.seats}, not by {len(chairs)}")
    for seat, chair in enumerate(chairs):
        if not chair.name or not is_text(chair.name, LONGEST_NAME):
            raise InputError(
                f"seat {seat} needs a name of 1 to {LONGEST_NAME} characters, not {chair.name!r}"
            )
        if chair.by not in RUN_BY or chair.lends not in LENDS:
            raise InputError(f"seat {seat} cannot be run by {chair.by!r} and lend {chair.lends!r}")
        if chair.by == "house" and chair.lends not in ("nothing", "seed"):
            raise InputError(f"seat {seat} is run by the house: its shares would prove nothing")


class Table:
    """One game from its first event to its last."""

    def __init__(
        self,
        game: Game[Any],
        dealer: Dealer,
        scheme: Scheme,
        transcript: Transcript,
        keep: bool = True,
    ) -> None:
        self.game = game
        self._keep = keep
        self.history: list[Change] = []
        """All that happened, in order, with the state around it; empty without ``keep``."""
        self.scheme = scheme
        self.setting = scheme.setting
        self.transcript = transcript
        self.dealer = dealer
        self._enter(game.start())
        self.payoff: tuple[int, ...] | None = None
        self.closed = False
        self.waiting = False
        """True if the dealer holds back the next event (see `advance`)."""
        self.replaying = False
        """True for an older record, whose texts are taken as they are."""
        self.void_reason: str | None = None
        self.runs: list[Run] = []
        self.decisions: list[Decision] = []
        self.answers = array("Q")
        """The lines with an answer to an ask."""
        self.departures: list[Departure] = []
        self.sealed_turns: list[SealedTurn] = []
        self._run: Run | None = None
        self._phases: list[Phase] = []
        self._later: dict[int, Evidence] = {}
        self._wanted = ""
        """The kind of ask, the same for all seats in `_owing`; and where they were asked."""
        self._asked_at = (0, "")
        self._owing: list[Seat] = []
        self.gone: list[Seat] = []
        """The seats that have left a game which goes on."""
        self._leaving: list[Seat] = []
        """Those that left while a run was open: they are out when it is dealt."""
        self._seals: dict[Seat, str] = {}
        self._sealed: dict[Seat, int] = {}
        self._sealed_at = (0, "")
        self._first_opening = 0
        self._moves: dict[Seat, Move] = {}

    @classmethod
    def open(
        cls,
        game: Game[Any],
        dealer: Dealer,
        chairs: Sequence[Chair],
        *,
        transcript: Transcript | None = None,
        replaying: bool = False,
        keep: bool = True,
    ) -> Self:
        """Set a new table up: write the first event, and go on to the first ask.

        The table bears the name that the dealer was made with: 32 fresh bytes (`new_name`).
        Without ``keep`` it has no `history`, and forgets draws once they are dealt. That bounds
        the memory of a verifier.
        """
        _check_chairs(game, chairs)
        if not replaying:
            game.must_be_winnable()
            for chair in chairs:
                must_be_showable(chair.name, "a name")
        setting = Setting(dealer.table, tuple(chairs))
        scheme = dealer.scheme(setting, dealer.public)
        transcript = transcript or Transcript()
        transcript.append(
            "start",
            format=FORMAT,
            table=dealer.table.hex(),
            game=game.name,
            params=game.params(),
            dealer=scheme.name,
            public=dealer.public,
            seats=[chair._asdict() for chair in chairs],
        )
        self = cls(game, dealer, scheme, transcript, keep)
        self.replaying = replaying
        self.advance()
        return self

    # What a driver may see and do

    def asks(self) -> list[Ask]:
        """The answers that the seats owe now. Empty when the table is closed."""
        n, index = (self._run.n, self._run.index) if self._run else (0, 0)
        step, head = self._asked_at
        return [Ask(self._wanted, seat, step, head, n, index) for seat in self._owing]

    def has_left(self, seat: Seat) -> bool:
        """Return true if this seat has left a game that goes on."""
        return seat in self.scheme.gone

    def changes(self, line: int) -> list[Change]:
        """Return what one line of the transcript changed."""
        return [change for change in self.history if change.line == line]

    def view(self, seat: Seat | None) -> Any:
        """The state as this seat may see it; ``None``: a bystander."""
        return self.game.view(self.state, seat)

    def submit(self, ask: Ask, answer: Any) -> None:
        """Take the answer to an ask, or refuse it with the reason and change nothing."""
        if ask not in self.asks():
            raise StaleAsk(f"the table does not ask seat {ask.seat} for a {ask.kind} at {ask.step}")
        self.take(ask.seat, answer)

    def owing(self, kind: object, seat: object) -> Seat | None:
        """Return the seat if it is asked for this kind of answer now."""
        if kind == self._wanted and seat in self._owing:
            return self._owing[self._owing.index(seat)]
        return None

    def take(self, seat: Seat, answer: Any) -> None:
        """Take the answer that this seat owes, or refuse it with the reason and change nothing."""
        kind = self._wanted
        if kind == "move":
            self._take_move(seat, answer)
        elif kind == "seal":
            self._take_seal(seat, answer)
        elif kind == "open":
            self._take_opening(seat, answer)
        else:
            self._take_share(seat, kind, answer)
        self.answers.append(self.transcript.step)
        self._owing.remove(seat)
        if not self._owing:
            self.advance()

    def forfeit(self, seat: Seat, reason: str, by: str = "seat") -> None:
        """Let a seat walk away. The rules say whether that ends the game.

        ``by`` says who says so: the ``seat`` itself, or the ``house``, whose word on
        anybody's silence is only its word. Leaving is a decision, and it is recorded as one.
        """
        self._must_be_open()
        if type(seat) is not int or seat not in range(self.game.seats):
            raise InputError(f"there is no seat {seat!r} to forfeit")
        if seat in self.gone or seat in self._leaving:
            raise InputError(f"seat {seat} has left already")
        if by not in ("seat", "house"):
            raise InputError(f"seat {seat} cannot be forfeited by {by!r}")
        if not is_text(reason, LONGEST_REASON):
            raise InputError(f"a reason is text of at most {LONGEST_REASON} characters")
        if not self.replaying:
            must_be_showable(reason, "a reason")
        after = self.game.departed(self.state, seat)
        self.transcript.append("forfeit", seat=seat, by=by, reason=reason)
        self.decisions.append(Decision(seat, self.transcript.step))
        self.departures.append(Departure(self.transcript.step, seat, by, reason))
        if isinstance(after, Over):
            self._record("left", seat, after)
            self.payoff, self._owing = after.payoff, []
        else:
            self._go_on_without(seat)
        self.advance()

    def _go_on_without(self, seat: Seat) -> None:
        """Ask nothing more of a seat that left.

        An open run is dealt first, and only then is the seat out: else leaving would be a way
        to have other draws. What the others have sealed or played in this turn stands.
        """
        self.scheme.gone.add(seat)
        self._owing = [other for other in self._owing if other != seat]
        if self._run is None:
            self._take_out(seat, "left")
            return
        self._record("left", seat, self.state)
        self._leaving.append(seat)
        rest = [phase._replace(seats=_others(phase.seats, seat)) for phase in self._phases]
        self._phases = [phase for phase in rest if phase.seats]

    def _take_out(self, seat: Seat, kind: Literal["left", "out"]) -> None:
        """Put the game into the state that the others play on in, or end it."""
        self.gone.append(seat)
        after = self.game.departed(self.state, seat)
        self._record(kind, seat, after)
        if isinstance(after, Over):
            self.payoff, self._owing = after.payoff, []
            return
        self._enter(after)
        turn = self._awaits.seats if isinstance(self._awaits, Turn) else ()
        kept = turn if len(turn) > 1 else ()
        self._owing = [other for other in self._owing if other in kept]
        self._moves = {who: move for who, move in self._moves.items() if who in kept}
        self._seals = {who: seal for who, seal in self._seals.items() if who in kept}
        self._sealed = {who: line for who, line in self._sealed.items() if who in kept}

    def note(self, body: Mapping[str, Any]) -> None:
        """Write a remark (a hint, a proof, a keeper's statement). No rule reads it."""
        self._must_be_open()
        if not self.replaying:
            must_be_showable(body, "a note")
        self.transcript.append("note", body=dict(body))

    def _record(self, kind: Literal["left", "out"], seat: Seat, after: Any) -> None:
        if self._keep:
            line = next(left.line for left in self.departures if left.seat == seat)
            self.history.append(Change(line, kind, seat, "", self.state, after))

    def _must_be_open(self) -> None:
        if self.closed or self.payoff is not None:
            raise StaleAsk("the game has ended")

    # Answers

    def _take_move(self, seat: Seat, answer: Any) -> None:
        move = frozen(answer)
        self.game.check(self.state, seat, move)
        self.transcript.append("move", seat=seat, move=move)
        self._decide(seat, move)

    def _decide(self, seat: Seat, move: Move) -> None:
        line = self.transcript.step
        self._moves[seat] = move
        self.decisions.append(Decision(seat, line))
        if self._keep:
            self.history.append(Change(line, "move", seat, move, self.state, self.state))

    def _take_seal(self, seat: Seat, answer: Any) -> None:
        commitment = hex_share(answer, "seal").hex()
        self.transcript.append("seal", seat=seat, commitment=commitment)
        self._seals[seat] = commitment
        self._sealed[seat] = self.transcript.step

    def _take_opening(self, seat: Seat, answer: Any) -> None:
        if not isinstance(answer, Mapping) or set(answer) != {"key", "move"}:
            raise IllegalMove('a sealed move is opened with {"key": ..., "move": ...}')
        key, move = answer["key"], frozen(answer["move"])
        self.game.check(self.state, seat, move)
        if not is_hex(key) or not fits(self._seals[seat], self._spot(seat), canonical(move), key):
            raise IllegalMove(f"seat {seat}'s key and move are not what it sealed")
        self.transcript.append("open", seat=seat, key=key, move=move)
        if not self._moves:
            self._first_opening = self.transcript.step
        self._decide(seat, move)

    def seal(self, ask: Ask, move: Move, key: bytes | None = None) -> Seal:
        """Seal a move for a ``seal`` ask, on behalf of a seat that trusts this process."""
        spot = Spot(self.setting.table, ask.seat, ask.step, ask.head)
        return seal(spot, canonical(move), key)

    def _spot(self, seat: Seat) -> Spot:
        return Spot(self.setting.table, seat, *self._sealed_at)

    def _take_share(self, seat: Seat, kind: str, answer: Any) -> None:
        run = self._run
        assert run is not None
        self.scheme.check_share(run, seat, kind, answer)
        self.transcript.append("share", run=run.index, seat=seat, share=kind, value=answer)
        run.shares.append(Share(seat, kind, answer, self.transcript.step))

    # Moving on

    def advance(self) -> None:
        """Go on until a seat owes something, the game is closed, or the dealer keeps back.

        Only needed from outside when a dealer that kept its openings back (a contest
        before its close) may now tell them.
        """
        self.waiting = False
        try:
            while not self._owing and not self.closed:
                self._step()
        except NotYet:
            self.waiting = True
        except HouseFault as fault:
            self._void(fault)

    def _enter(self, state: Any) -> None:
        """Put the game into a state, and see what it awaits there."""
        self.state = state
        self._awaits: Awaits = self.game.awaits(state)

    def _step(self) -> None:
        awaits = self._awaits
        if self.payoff is not None:
            self._finish(self.payoff)
        elif isinstance(awaits, Turn):
            if len(self._moves) < len(awaits.seats):
                self._ask_for_moves(awaits)
            else:
                self._play()
        elif isinstance(awaits, Draw):
            self._step_of_chance(awaits)
        else:
            self.payoff = awaits.payoff

    def _play(self) -> None:
        """All whose turn it is have moved."""
        moves, self._moves = self._moves, {}
        if self._seals:
            self.sealed_turns.append(
                SealedTurn(self._sealed, self._first_opening, self.transcript.step)
            )
            self._seals, self._sealed = {}, {}
        self._enter(self.game.played(self.state, moves))
        if self._keep:  # what completed the turn, a move or a departure, has led here
            self.history[-1] = self.history[-1]._replace(after=self.state)

    def _ask_for_moves(self, turn: Turn) -> None:
        if len(turn.seats) == 1:
            self._ask("move", turn.seats)
        elif not self._seals:
            self._ask("seal", turn.seats)
            self._sealed_at = self._asked_at
        else:
            self._ask("open", turn.seats)

    def _ask(self, kind: str, seats: Sequence[Seat]) -> None:
        self._wanted = kind
        self._asked_at = self.transcript.step, self.transcript.head
        self._owing = list(seats)

    def _step_of_chance(self, draw: Draw) -> None:
        if self._run is None:
            self._open_run(draw)
        elif self._phases:
            phase = self._phases.pop(0)
            self._ask(phase.kind, phase.seats)
        else:
            self._deal(self._run, draw)
            self._run = None
            for seat in self._leaving:
                if self.payoff is None:
                    self._take_out(seat, "out")
            self._leaving = []

    def _open_run(self, draw: Draw) -> None:
        here = self.transcript
        run = Run(len(self.runs) + 1, draw.n, draw.to is not None, here.step, here.head)
        run.ticket = self.dealer.open(run)
        self.scheme.check_ticket(run)
        here.append("ticket", run=run.index, n=written(run.n), hidden=run.hidden, ticket=run.ticket)
        self._run = run
        self._phases = list(self.scheme.phases(run))
        self.runs.append(run)

    def _deal(self, run: Run, draw: Draw) -> None:
        """Draw until the game awaits something else (or draws for other eyes)."""
        now, later = self.dealer.evidence(run, self.transcript.head)
        chance = self.scheme.chance(run, now, later)
        game, eyes, per_draw = self.game, draw.to, self.scheme.per_draw
        awaits: Awaits = draw
        while isinstance(awaits, Draw) and awaits.to == eyes:
            n = awaits.n
            value = chance.below(n)
            run.draws.append((n, value))
            before = self.state
            self._enter(game.drawn(before, value))
            if self._keep:
                line = self.transcript.step + 1
                self.history.append(Change(line, "draw", -1, value, before, self.state, n))
            awaits = self._awaits
            if per_draw:
                break
        draws = _written(run.draws)
        if run.hidden:
            draws = [(n, None) for n, _ in draws]
        self.transcript.append("dealt", run=run.index, draws=draws, evidence=now)
        run.line = self.transcript.step
        run.bound, run.typed = self.scheme.bound(run), self.scheme.typed(run)
        run.committed, run.lent = self.scheme.committed(run), self.scheme.lent(run)
        if run.hidden or self.scheme.opens_once:
            self._later[run.index] = later
        if not self._keep and not run.hidden:
            run.draws, run.head = FORGOTTEN, ""

    def _finish(self, payoff: tuple[int, ...]) -> None:
        """Open all that is still hidden, and close the chain."""
        self.dealer.release()
        if self.scheme.opens_once and self._later:
            self._open(0, next(iter(self._later.values())))
        for run in self.runs:
            if self.scheme.must_open(run):
                self._open(run.index, self._opening_of(run), run)
        self._close(payoff)

    def _opening_of(self, run: Run) -> Evidence:
        if run.line:
            return self._later[run.index]
        opened = self.dealer.opening(run, self.transcript.head)
        self.scheme.check_abandoned(run, opened)
        run.committed = self.scheme.committed(run)
        return opened

    def _open(self, index: int, evidence: Evidence, run: Run | None = None) -> None:
        draws = _written(run.draws) if run else []
        self.transcript.append("opening", run=index, draws=draws, evidence=evidence)

    def _close(self, payoff: tuple[int, ...] | None) -> None:
        self.payoff = payoff
        self.transcript.append("end", payoff=None if payoff is None else list(payoff))
        self.closed = True

    def _void(self, fault: HouseFault) -> None:
        """The house cannot keep its word: nobody wins, nobody loses, and it is written down."""
        self._owing = []
        self.void_reason = str(fault)
        self.transcript.append("void", code=fault.code, reason=str(fault))
        self._close(None)

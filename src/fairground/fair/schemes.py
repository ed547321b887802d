"""A fairness scheme: the part that verifiers check, and the part that the house runs.

A scheme answers a **run** of draws. The conversation is always the same: the
house publishes a *ticket*; seats lend *shares* in *phases* (all of one phase
before any of the next); then the run is *dealt*, with *evidence*. Evidence comes
in two parts: ``now``, told with the numbers, and ``later``, told when the game
has ended, for draws that must stay hidden until then.

Two halves, so that a verifier never needs a secret:

* a `Scheme` knows only what is public. It judges tickets, shares and evidence,
  and turns them into chance. Every verifier runs it, and so does the house.
* a `Dealer` holds the house's secrets, and writes tickets and evidence.

A scheme's name is frozen with its bytes. A flawed one is kept, marked, and
replaced by a new name, so that old transcripts keep verifying.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, Protocol, Self

from fairground.core import BadParams, BadShare, Fault, Parameter, Seat
from fairground.fair.bits import SIZE
from fairground.fair.vault import Vault


class NotYet(Exception):
    """A dealer cannot, or may not yet, say this. The table stands still until it can."""


Evidence = dict[str, Any]
"""JSON fields that a ticket or its opening consists of."""


class Chair(NamedTuple):
    """A seat as the first event describes it.

    ``by``: who runs it: ``self`` (a person or a program of their own) or ``house`` (a
    player of ours). ``lends``: what it gives to chance: ``nothing``, a ``number`` for
    each draw, a ``stir`` (typed words), links of its own hash ``chain``, or a ``seed``
    that is a signature (Blind Croupier).
    """

    name: str
    by: str = "self"
    lends: str = "nothing"


_HEX: Final = re.compile(f"[0-9a-f]{{{2 * SIZE}}}").fullmatch
_SURROGATE: Final = re.compile("[\ud800-\udfff]").search

RUN_BY: Final = ("self", "house")
LENDS: Final = ("nothing", "number", "stir", "chain", "seed")


class Setting(NamedTuple):
    """The facts about a table that every scheme may use."""

    table: bytes
    chairs: tuple[Chair, ...]

    def lenders(self, what: str) -> tuple[Seat, ...]:
        """The seats that lend this kind of share."""
        return tuple(seat for seat, chair in enumerate(self.chairs) if chair.lends == what)


class Share(NamedTuple):
    """A seat's contribution to one run. ``line`` is where the transcript has it."""

    seat: Seat
    kind: str
    value: Any
    line: int


class Run:
    """One stretch of consecutive draws with no decision between them."""

    __slots__ = (
        "bound",
        "committed",
        "draws",
        "head",
        "hidden",
        "index",
        "lent",
        "line",
        "n",
        "shares",
        "step",
        "ticket",
        "typed",
    )

    def __init__(self, index: int, n: int, hidden: bool, step: int, head: str) -> None:
        self.index = index
        self.n = n
        """The range of the first draw: all that is known when the ticket is written."""
        self.hidden = hidden
        self.step = step
        """Number of lines before the ticket."""
        self.head = head
        """The hash of the last of them."""
        self.ticket: Evidence = {}
        self.shares: list[Share] = []
        self.draws: list[tuple[int, int]] = []
        self.line = 0
        """The line that deals the run; 0 while it is not dealt."""
        self.bound = 0
        """The line that fixed the house's part."""
        self.committed = False
        """True if the house's part was fixed before the shares and decisions it could use."""
        self.lent: dict[Seat, int] = {}
        """The seats whose own share the run depends on, and the line of that share."""
        self.typed: dict[Seat, int] = {}
        """The seats whose typed words the run depends on, and the line of those words."""

    def share(self, seat: Seat, kind: str) -> Any:
        """Return this seat's share with this name; ``None`` if it lent nothing."""
        for share in self.shares:
            if share.seat == seat and share.kind == kind:
                return share.value
        return None


class Phase(NamedTuple):
    """These seats are asked for this kind of share, all before the next phase."""

    kind: str
    seats: tuple[Seat, ...]


class Chance(Protocol):
    """The source of a run's draws."""

    def below(self, n: int) -> int:
        """One integer, uniform in ``range(n)``."""


class Review(NamedTuple):
    """A scheme's verdict on a finished record as a whole."""

    remarks: tuple[str, ...] = ()
    without: Mapping[str, str] = {}
    """Claims that the record does not support after all → why."""


class Scheme(ABC):
    """The public half: made of the first event alone, it judges all that follows."""

    name: ClassVar[str]
    per_draw: ClassVar[bool] = False
    """True if each draw is a run of its own."""
    opens_once: ClassVar[bool] = False
    """True if one opening, numbered 0, serves the whole game."""
    conditions: ClassVar[Mapping[str, str]] = {}
    """Kind of share under this scheme → the condition under which it counts, for ``{name}``."""
    unproven: ClassVar[str | None] = None
    """Why no draw under this scheme can be shown to be fair; ``None``: it can."""
    witness: ClassVar[str | None] = None
    """The condition under which a lending seat without receipts knows the house was bound."""

    def __init__(self, setting: Setting, public: Mapping[str, Any]) -> None:
        self.setting = setting
        self.public = public
        self.gone: set[Seat] = set()
        """The seats that have left: nothing is asked of them any more."""
        for chair in setting.chairs:
            if chair.lends != "nothing" and chair.lends not in self.conditions:
                raise BadParams(f"under {self.name} no seat can lend {chair.lends!r}")
        self._lending = {what: setting.lenders(what) for what in self.conditions}

    def condition(self, chair: Chair) -> str:
        """Return the condition under which this seat's share counts."""
        return self.conditions[chair.lends].format(name=chair.name)

    def lenders(self, what: str) -> tuple[Seat, ...]:
        """The seats that lend this kind of share, and are still there."""
        seats = self._lending.get(what, ())
        return tuple(seat for seat in seats if seat not in self.gone) if self.gone else seats

    def phases(self, run: Run) -> Sequence[Phase]:
        """Return the shares to ask for before this run is dealt."""
        return ()

    def check_ticket(self, run: Run) -> None:
        """Raise a `Fault` unless the run's ticket is well formed."""
        fields(run.ticket, {}, "ticket")

    def check_share(self, run: Run, seat: Seat, kind: str, value: Any) -> None:
        """Raise `BadShare` unless the seat may lend this now."""
        raise BadShare(f"{self.name} takes no {kind}")  # reached only by a scheme's mistake

    @abstractmethod
    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        """Check the evidence against ticket and shares, and derive the run's chance."""

    def must_open(self, run: Run) -> bool:
        """Return true if the house owes an opening of this run when the game has ended."""
        return False

    def check_abandoned(self, run: Run, later: Evidence) -> None:
        """Raise a `Fault` unless the opening fits a ticket whose run was never dealt."""
        fields(later, {}, "opening")

    def committed(self, run: Run) -> bool:
        """Return true if the house's part in this run was fixed before the shares and decisions."""
        return False

    def lent(self, run: Run) -> dict[Seat, int]:
        """The seats whose own share this run depends on, and the line of that share."""
        return {}

    def bound(self, run: Run) -> int:
        """The line that fixed the house's part of this run: its ticket, unless said otherwise."""
        return run.step + 1

    def typed(self, run: Run) -> dict[Seat, int]:
        """The seats whose typed words this run depends on, and the line of those words.

        Words are asked of all at the same time, so the last seat on record may have seen the
        others'. A claim for one of them therefore names the others.
        """
        return {}

    def lends_anew(self, seat: Seat) -> bool:
        """Return true if every run waits for a new share of this seat."""
        return self.setting.chairs[seat].lends != "nothing"

    def shown(self, runs: Sequence[Run]) -> list[tuple[int, str]]:
        """Return the house's commitment as a screen has shown it: line, and text to compare."""
        return []

    def check_record(self, events: Sequence[Mapping[str, Any]]) -> Review:
        """Look at a finished record as a whole: raise a `Fault`, or say what is to be said."""
        return Review()


class Dealer(ABC):
    """The house's half: it holds the secrets, and tells each at its time."""

    scheme: type[Scheme]
    options: ClassVar[tuple[Parameter, ...]] = ()
    """Options for the opener of a table: keywords of the constructor."""
    table: bytes
    """The name of the table that it deals at."""
    public: Evidence
    """The scheme's part of the first event: fixed before anything happens."""

    def __init__(self, table: bytes, vault: Vault) -> None:
        self.table = table
        self.public = {}
        self._vault = vault

    @classmethod
    def again(cls, table: bytes, vault: Vault, public: Evidence) -> Self:
        """The dealer of a table that goes on, from its public part and the vault it left."""
        return cls(table, vault)

    @abstractmethod
    def open(self, run: Run) -> Evidence:
        """The ticket of a run, published before anyone lends."""

    @abstractmethod
    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """All evidence of a run, ``now`` and ``later``, when its shares are in at ``head``."""

    def opening(self, run: Run, head: str) -> Evidence:
        """Return the opening of a ticket whose run was never dealt, because a player left."""
        now, later = self.evidence(run, head)
        return now | later

    def release(self) -> None:
        """Called before anything is opened at the end; raise `NotYet` to keep it back."""
        return


def fields(
    record: Mapping[str, Any], shape: Mapping[str, Callable[[Any], bool]], what: str
) -> None:
    """Raise a `Fault` unless a ticket or evidence has just these fields, each well formed."""
    if record == shape == {}:
        return
    if not isinstance(record, dict) or record.keys() != shape.keys():
        names = ", ".join(shape) or "nothing"
        raise Fault("fair/bad-evidence", f"the {what} must hold {names}, and has {record!r}")
    for name, fits in shape.items():
        if not fits(record[name]):
            raise Fault("fair/bad-evidence", f"the {what}'s {name} is malformed: {record[name]!r}")


def is_hex(value: Any) -> bool:
    """Return true for 32 bytes as 64 lower-case hex digits."""
    return isinstance(value, str) and _HEX(value) is not None


def is_text(value: Any, longest: int) -> bool:
    """Return true for text that a transcript can hold, up to this length."""
    return isinstance(value, str) and len(value) <= longest and _SURROGATE(value) is None


def hex_share(value: Any, what: str) -> bytes:
    """The 32 bytes of a share in hex; raise `BadShare` with what is expected."""
    if not is_hex(value):
        raise BadShare(f"a {what} is 32 bytes as 64 lower-case hex digits, not {value!r}")
    return bytes.fromhex(value)

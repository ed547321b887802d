"""`hash-chains/1`: many draws, each from a link of every party's own hash chain.

A chain is made backwards from 32 secret bytes: each link is the digest of the
next one, and the first, the *tip*, is published before anything happens. Run k
uses link k of every chain; anyone checks a link by hashing it once and comparing
with the link before it. A link cannot be chosen late, because the tip fixed them
all. It cannot be known early. Each party sends one message a run.

Seats that cannot hold a chain (people at a terminal) lend a *stir* instead: words
or numbers that they make up, recorded before any link of that run is out. Stirs
are asked for once (before the first run of each chain), or before each run.

A hidden run also mixes in 32 bytes of the house, committed in the ticket and opened
at the end. Links cannot hide a draw, since a later link gives away the earlier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final, Self

from fairground.core import BadParams, BadShare, Fault, Parameter, Seat, between
from fairground.fair.bits import HOUSE, HashStream, Tag, digest, frame, framed, fresh, hashed, same
from fairground.fair.schemes import (
    Chance,
    Dealer,
    Evidence,
    Phase,
    Run,
    Scheme,
    Setting,
    fields,
    hex_share,
    is_hex,
    is_text,
)
from fairground.fair.vault import Vault

LENGTH: Final = 1000
"""Number of runs that a chain serves before everyone publishes a new tip."""

LONGEST_STIR: Final = 200


def link_before(table: bytes, seat: int, generation: int, i: int, link: bytes) -> bytes:
    """The link before link i of a chain: one digest, which anyone can repeat.

    The common prefix of all links of a chain is framed once.
    """
    begin = _begin(table, seat, generation)
    return hashed(b"%b\0\0\0\x08%b\0\0\0\x20%b" % (begin, i.to_bytes(8, "big"), link))


@lru_cache(maxsize=256)
def _begin(table: bytes, seat: int, generation: int) -> bytes:
    return frame(Tag.LINK, table, seat, generation)


def blind(table: bytes, run: Run, key: bytes) -> str:
    """The commitment to the key of a hidden run."""
    return digest(Tag.BLIND, table, HOUSE, run.step, run.head, key).hex()


class Chain:
    """One party's chain of one generation, made from a secret that only it knows."""

    def __init__(
        self, table: bytes, seat: int, generation: int, length: int, secret: bytes
    ) -> None:
        self._make = table, seat, generation
        self._secret = secret
        self._length = length

    @cached_property
    def links(self) -> list[bytes]:
        """All links, each of them `link_before` the next; number 0 is the tip."""
        links = [self._secret]
        for i in range(self._length, 0, -1):
            links.append(link_before(*self._make, i, links[-1]))
        return links[::-1]


@lru_cache(maxsize=16)
def place(index: int, length: int) -> tuple[int, int]:
    """Generation and link number that run ``index`` (from 1) consumes."""
    generation, i = divmod(index - 1, length)
    return generation, i + 1


class HashChainsScheme(Scheme):
    """The public half of `hash-chains/1`.

    Parameters: ``length`` of every chain, ``tip`` of the house's first chain, and
    ``stir``: when stirring seats are asked, ``once`` or ``each`` run.
    """

    name = "hash-chains/1"
    conditions: ClassVar = {
        "stir": "nobody could guess the words of {name}",
        "chain": "the own program of {name} made the chain of {name} and told nobody",
    }

    def __init__(self, setting: Setting, public: Mapping[str, Any]) -> None:
        super().__init__(setting, public)
        length = public.get("length")
        if (
            set(public) != {"length", "stir", "tip"}
            or not (type(length) is int and 2 <= length <= 1_000_000)
            or public["stir"] not in ("once", "each")
            or not is_hex(public["tip"])
        ):
            raise BadParams(
                f"{self.name} wants length (2 to 1,000,000), stir (once or each) and the "
                f"house's tip, not {dict(public)!r}"
            )
        self.length: int = length
        self._last: dict[int, bytes] = {HOUSE: bytes.fromhex(public["tip"])}
        self._tip_line = 1
        """The line with the house's tip that is in force."""
        self._bound = 1
        """The line that fixed the house's part of the last run."""
        self._stirs: dict[Seat, tuple[str, int]] = {}
        self._lent: dict[Seat, int] = {}
        self._begin = frame(Tag.CHAINS, setting.table)

    def _renews(self, run: Run) -> bool:
        return place(run.index, self.length)[1] == self.length

    def phases(self, run: Run) -> Sequence[Phase]:
        """Tips (at first, and before the last link of a chain), then stirs, then links."""
        chained = self.lenders("chain")
        stirring = self.lenders("stir")
        phases = []
        if chained and run.index == 1:
            phases.append(Phase("tip", chained))
        if chained and self._renews(run):
            phases.append(Phase("next-tip", chained))
        if stirring and (self.public["stir"] == "each" or place(run.index, self.length)[1] == 1):
            phases.append(Phase("stir", stirring))
        if chained:
            phases.append(Phase("link", chained))
        return phases

    def check_ticket(self, run: Run) -> None:
        """The ticket has the house's next tip and a blind commitment where they are due."""
        shape = {}
        if self._renews(run):
            shape["tip"] = is_hex
        if run.hidden:
            shape["blind"] = is_hex
        fields(run.ticket, shape, "ticket")

    def check_share(self, run: Run, seat: Seat, kind: str, value: Any) -> None:
        """A link must hash to the link before it; tips and stirs must be well formed."""
        if kind == "stir":
            if not is_text(value, LONGEST_STIR):
                raise BadShare(
                    f"a stir is text of at most {LONGEST_STIR} characters, not {value!r}"
                )
            return
        link = hex_share(value, kind)
        if kind == "link":
            tip = run.share(seat, "tip")
            before = bytes.fromhex(tip) if tip is not None else self._last[seat]
            generation, i = place(run.index, self.length)
            if not same(link_before(self.setting.table, seat, generation, i, link), before):
                raise BadShare(f"link {i} of seat {seat} does not hash to the link before it")

    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        """Check the house's link, and key the stream with every link, stir and blind key."""
        table = self.setting.table
        generation, i = place(run.index, self.length)
        fields(now, {"link": is_hex}, "evidence")
        link = bytes.fromhex(now["link"])
        if not same(link_before(table, HOUSE, generation, i, link), self._last[HOUSE]):
            reason = f"the house's link {i} does not hash to the link before it"
            raise Fault("fair/bad-evidence", reason)
        key = self._blind_key(run, later)
        links = [
            (share.seat, bytes.fromhex(share.value)) for share in run.shares if share.kind == "link"
        ]
        self._remember(run, [(HOUSE, link), *links])
        parts: list[bytes | int | str] = [run.index, link, len(links)]
        for lent in sorted(links):
            parts += lent
        parts.append(len(self._stirs))
        for seat in sorted(self._stirs):
            parts += [seat, self._stirs[seat][0]]
        return HashStream(hashed(self._begin + framed(*parts, key)))

    def _blind_key(self, run: Run, later: Evidence) -> bytes:
        if not run.hidden:
            return b""
        fields(later, {"key": is_hex}, "opening")
        key = bytes.fromhex(later["key"])
        if not same(blind(self.setting.table, run, key), run.ticket["blind"]):
            raise Fault(
                "fair/bad-evidence", "the key of the hidden draw does not fit its commitment"
            )
        return key

    def _remember(self, run: Run, links: Iterable[tuple[int, bytes]]) -> None:
        """Move every chain on by one link, or over to its next generation."""
        self._last.update(links)
        self._bound = run.step + 1 if run.hidden else self._tip_line
        self._lent = {}
        for share in run.shares:
            if share.kind == "stir":
                self._stirs[share.seat] = (share.value, share.line)
            elif share.kind == "link":
                self._lent[share.seat] = share.line
        for seat, (text, line) in self._stirs.items():
            # Words older than the house's tip, or than its part of a hidden run, bind nothing:
            # it could choose that by them.
            if text.strip() and line > self._bound:
                self._lent[seat] = line
        if self._renews(run):
            self._last[HOUSE] = bytes.fromhex(run.ticket["tip"])
            self._tip_line = run.step + 1
            for share in run.shares:
                if share.kind == "next-tip":
                    self._last[share.seat] = bytes.fromhex(share.value)

    def must_open(self, run: Run) -> bool:
        """Only a hidden run has something to open."""
        return run.hidden

    def check_abandoned(self, run: Run, later: Evidence) -> None:
        """The blind key must fit, dealt or not."""
        self._blind_key(run, later)

    def committed(self, run: Run) -> bool:
        """The house's first tip stands in the first event, before everything.

        A later tip is written after decisions have been made, so it counts only where
        somebody else's share comes behind it.
        """
        return place(run.index, self.length)[0] == 0 or bool(run.line and self.lent(run))

    def lent(self, run: Run) -> dict[Seat, int]:
        """Seats with a chain, by their link; stirring seats, by their latest words."""
        return self._lent

    def bound(self, run: Run) -> int:
        """The tip that is in force; a hidden run is bound by its own ticket."""
        return self._bound

    def typed(self, run: Run) -> dict[Seat, int]:
        """All words that are mixed in, also blank ones: which blanks is a choice, too."""
        return {seat: line for seat, (_, line) in self._stirs.items()}

    def lends_anew(self, seat: Seat) -> bool:
        """Links always; words only where they are asked for before each run."""
        lends = self.setting.chairs[seat].lends
        return lends == "chain" or (lends == "stir" and self.public["stir"] == "each")

    def shown(self, runs: Sequence[Run]) -> list[tuple[int, str]]:
        """The house's first tip, and what commits it in tickets: later tips, hidden keys."""
        tickets = [(run.step + 1, text) for run in runs for text in run.ticket.values()]
        return [(1, self.public["tip"]), *tickets]


class HashChainsDealer(Dealer):
    """The house's half of `hash-chains/1`."""

    scheme = HashChainsScheme
    options = (
        Parameter(
            "stir",
            "whether words are asked for once a chain, or before each run",
            {"enum": ["once", "each"]},
            "once",
        ),
        Parameter("length", "how many links a chain has", between(2, 1_000_000), LENGTH),
    )

    def __init__(
        self, table: bytes, vault: Vault, *, stir: str = "once", length: int = LENGTH
    ) -> None:
        super().__init__(table, vault)
        self._length = length
        self._chains: dict[int, Chain] = {}
        self.public = {
            "length": length,
            "stir": stir,
            "tip": self._chain(0, "").links[0].hex(),
        }

    @classmethod
    def again(cls, table: bytes, vault: Vault, public: Evidence) -> Self:
        """Return the chain again, if the vault still has its secret."""
        return cls(table, vault, stir=public["stir"], length=public["length"])

    def _chain(self, generation: int, head: str | None) -> Chain:
        """The chain of a generation: made and kept if a head is given, else recalled."""
        if generation not in self._chains:
            name = f"chain.{generation}"
            secret = (
                self._vault.recall(name) if head is None else self._vault.keep(name, fresh(), head)
            )
            self._chains[generation] = Chain(self.table, HOUSE, generation, self._length, secret)
        return self._chains[generation]

    def open(self, run: Run) -> Evidence:
        """The next tip before a chain's last link, and a commitment for a hidden run."""
        ticket: Evidence = {}
        generation, i = place(run.index, self._length)
        if i == self._length:
            ticket["tip"] = self._chain(generation + 1, run.head).links[0].hex()
        if run.hidden:
            key = self._vault.keep(f"blind.{run.index}", fresh(), run.head)
            ticket["blind"] = blind(self.table, run, key)
        return ticket

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """The house's link now; the key of a hidden run at the end."""
        self._vault.spend(f"link.{run.index}", head)
        generation, i = place(run.index, self._length)
        now = {"link": self._chain(generation, None).links[i].hex()}
        return now, self._blind_opening(run)

    def _blind_opening(self, run: Run) -> Evidence:
        return {"key": self._vault.recall(f"blind.{run.index}").hex()} if run.hidden else {}

    def opening(self, run: Run, head: str) -> Evidence:
        """An abandoned run opens its blind key; its link stays unused."""
        return self._blind_opening(run)


class ChainHolder:
    """A seat's own chains, for a client that does not want to trust the house.

    It answers the asks ``tip``, ``next-tip`` and ``link``, and gives each link for one
    head only: a house that shows it two histories learns nothing from the second. It
    gives links in their order only: a later link would give away all those before it.
    """

    def __init__(self, table: bytes, seat: Seat, length: int) -> None:
        self._table, self._seat, self._length = table, seat, length
        self._chains: dict[int, Chain] = {}
        self._given: dict[int, str] = {}

    def _chain(self, generation: int) -> Chain:
        if generation not in self._chains:
            make = (self._table, self._seat, generation, self._length)
            self._chains[generation] = Chain(*make, fresh())
        return self._chains[generation]

    def answer(self, kind: str, index: int, head: str) -> str:
        """The share for run ``index``, asked for at ``head``, in hex."""
        generation, i = place(index, self._length)
        if kind == "tip":
            return self._chain(0).links[0].hex()
        if kind == "next-tip":
            return self._chain(generation + 1).links[0].hex()
        if index != len(self._given) + 1 and index not in self._given:
            raise BadShare(f"link {index} is not due: {len(self._given)} were given so far")
        if self._given.setdefault(index, head) != head:
            raise BadShare(f"link {index} was already given for another history of this table")
        return self._chain(generation).links[i].hex()

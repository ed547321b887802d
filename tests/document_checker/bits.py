"""docs/format.md, "Bytes" and "The schemes": canonical lines, digests, streams, three schemes."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

SAFE = 2**53 - 1
HOUSE = 2**64 - 1
BLANK = {
    *range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
    0x2028, 0x2029, 0x202F, 0x205F, 0x3000,
}  # fmt: skip


class Fault(Exception):
    """The first fault: a code, and a line if it is known."""

    def __init__(self, code: str, line: int | None = None) -> None:
        super().__init__(code)
        self.code, self.line = code, line


class NotCovered(Exception):
    """A scheme that this checker does not know, though it exists."""


def line_of(event: dict[str, Any]) -> bytes:
    text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode() + b"\n"


def refuse(text: str) -> Any:
    raise ValueError(text)


def integer(text: str) -> int:
    return int(text) if len(text) < 20 and abs(int(text)) <= SAFE else refuse(text)


def depth_of(line: str) -> int:
    deepest = depth = 0
    inside = escaped = False
    for sign in line:
        if inside:
            inside = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
        elif sign == '"':
            inside = True
        elif sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


def ascii_keys(value: Any) -> bool:
    if isinstance(value, dict):
        return all(key.isascii() and ascii_keys(item) for key, item in value.items())
    return all(map(ascii_keys, value)) if isinstance(value, list) else True


def parse(line: bytes, number: int) -> dict[str, Any]:
    """One canonical line."""
    try:
        text = line.decode()
        if depth_of(text) > 32:
            raise ValueError("deep")
        event = json.loads(text, parse_int=integer, parse_float=refuse, parse_constant=refuse)
        if not isinstance(event, dict) or not ascii_keys(event) or line_of(event) != line:
            raise ValueError("not canonical")
    except ValueError:
        raise Fault("transcript/not-canonical", number) from None
    return event


def sha3(data: bytes) -> str:
    return hashlib.sha3_256(data).hexdigest()


def digest(*parts: bytes | int | str) -> bytes:
    framed = b""
    for part in parts:
        data = part.to_bytes(8, "big") if isinstance(part, int) else part
        data = data.encode() if isinstance(data, str) else data
        framed += len(data).to_bytes(4, "big") + data
    return hashlib.sha3_256(framed).digest()


def is_hex(value: Any, digits: str = "0123456789abcdef") -> bool:
    return isinstance(value, str) and len(value) == 64 and all(sign in digits for sign in value)


def whole(value: Any) -> int | None:
    """An ``int`` of the format; None if it is none."""
    if type(value) is int:
        return value
    if isinstance(value, str) and len(value) <= 4000:
        digits = value[1:] if value.startswith("-") else value
        good = digits.isascii() and digits.isdigit() and digits[0] != "0"
        return int(value) if good and abs(int(value)) > SAFE else None
    return None


def written(value: int) -> int | str:
    return value if abs(value) <= SAFE else str(value)


class HashStream:
    def __init__(self, root: bytes) -> None:
        self.root, self.next, self.left = root, 0, b""

    def below(self, n: int) -> int:
        size = 0
        while 256**size < n:
            size += 1
        while True:
            while len(self.left) < size:
                self.left += digest("fairground/stream-block/1", self.root, self.next)
                self.next += 1
            value = int.from_bytes(self.left[:size], "big")
            self.left = self.left[size:]
            if value < 256**size - 256**size % n:
                return value % n


class Run:
    """A run of draws, and what the claims need of it."""

    def __init__(self, index: int, n: int, hidden: bool, step: int, head: str) -> None:
        self.index, self.n, self.hidden, self.step, self.head = index, n, hidden, step, head
        self.ticket: Any = {}
        self.shares: list[tuple[int, str, Any, int]] = []  # seat, kind, value, line
        self.draws: list[tuple[int, int]] = []
        self.line = self.bound = 0
        self.committed = False
        self.lent: dict[int, int] = {}
        self.typed: dict[int, int] = {}


def members(value: Any, *names: str) -> None:
    if not isinstance(value, dict) or set(value) != set(names):
        raise Fault("fair/bad-evidence")


class Hmac:
    """`hmac-sha3-user/1`"""

    per_draw, opens_once = True, False
    lends, UPPER = ("number",), "0123456789ABCDEF"

    def __init__(self, table: bytes, seats: list[dict[str, Any]], public: Any) -> None:
        self.users = [i for i, seat in enumerate(seats) if seat["lends"] == "number"]
        if public or len(self.users) > 1:
            raise Fault("game/params")
        self.gone: set[int] = set()
        self.keys: set[str] = set()

    def check_ticket(self, run: Run) -> None:
        members(run.ticket, "hmac")
        if not is_hex(run.ticket["hmac"], self.UPPER):
            raise Fault("fair/bad-evidence")

    def phases(self, run: Run) -> list[tuple[str, list[int]]]:
        return [("number", [seat for seat in self.users if seat not in self.gone])]

    def check_share(self, run: Run, seat: int, kind: str, value: Any) -> None:
        number = whole(value)
        if number is None or not 0 <= number < run.n:
            raise Fault("share/bad")

    def opened(self, run: Run, evidence: Any) -> int:
        members(evidence, "key", "number")
        key, number = evidence["key"], whole(evidence["number"])
        if not is_hex(key, self.UPPER) or number is None or not 0 <= number < run.n:
            raise Fault("fair/bad-evidence")
        mac = hmac.new(key.encode(), str(number).encode(), hashlib.sha3_256).hexdigest().upper()
        if mac != run.ticket["hmac"] or key in self.keys:
            raise Fault("fair/bad-evidence")
        self.keys.add(key)
        return number

    def deal(self, run: Run, now: Any, later: Any) -> Any:
        number = self.opened(run, later if run.hidden else now)
        if run.hidden:
            members(now)
        given = [whole(value) or 0 for _, _, value, _ in run.shares]
        total = (number + sum(given)) % run.n
        run.bound, run.committed = run.step + 1, bool(run.shares)
        run.lent = {seat: line for seat, _, _, line in run.shares}
        return lambda n: total

    def must_open(self, run: Run) -> bool:
        return run.hidden or not run.line

    def check_abandoned(self, run: Run, later: Any) -> None:
        self.opened(run, later)
        run.committed = True


class HashChains:
    """`hash-chains/1`"""

    per_draw, opens_once = False, False
    lends = ("stir", "chain")

    def __init__(self, table: bytes, seats: list[dict[str, Any]], public: Any) -> None:
        good = set(public) == {"length", "stir", "tip"} and type(public["length"]) is int
        if not good or not 2 <= public["length"] <= 1_000_000 or not is_hex(public["tip"]):
            raise Fault("game/params")
        if public["stir"] not in ("once", "each"):
            raise Fault("game/params")
        self.table, self.seats, self.public = table, seats, public
        self.last = {HOUSE: bytes.fromhex(public["tip"])}
        self.gone: set[int] = set()
        self.words: dict[int, tuple[str, int]] = {}
        self.tip_line = 1

    def place(self, run: Run) -> tuple[int, int]:
        return (run.index - 1) // self.public["length"], (run.index - 1) % self.public["length"] + 1

    def renews(self, run: Run) -> bool:
        return bool(self.place(run)[1] == self.public["length"])

    def check_ticket(self, run: Run) -> None:
        names = ["tip"] * self.renews(run) + ["blind"] * run.hidden
        members(run.ticket, *names)
        if not all(is_hex(run.ticket[name]) for name in names):
            raise Fault("fair/bad-evidence")

    def lenders(self, what: str) -> list[int]:
        lending = [i for i, seat in enumerate(self.seats) if seat["lends"] == what]
        return [seat for seat in lending if seat not in self.gone]

    def phases(self, run: Run) -> list[tuple[str, list[int]]]:
        chained, stirring = self.lenders("chain"), self.lenders("stir")
        stir = self.place(run)[1] == 1 or self.public["stir"] == "each"
        return [
            ("tip", chained if run.index == 1 else []),
            ("next-tip", chained if self.renews(run) else []),
            ("stir", stirring if stir else []),
            ("link", chained),
        ]

    def check_share(self, run: Run, seat: int, kind: str, value: Any) -> None:
        words = isinstance(value, str) and len(value) <= 200
        good = words if kind == "stir" else is_hex(value)
        if good and kind == "link":
            tips = [v for s, k, v, _ in run.shares if (s, k) == (seat, "tip")]
            before = bytes.fromhex(tips[0]) if tips else self.last[seat]
            good = self.before(run, seat, bytes.fromhex(value)) == before
        if not good:
            raise Fault("share/bad")

    def before(self, run: Run, seat: int, link: bytes) -> bytes:
        return digest("fairground/chain-link/1", self.table, seat, *self.place(run), link)

    def blind_key(self, run: Run, later: Any) -> bytes:
        if not run.hidden:
            return b""
        members(later, "key")
        if not is_hex(later["key"]):
            raise Fault("fair/bad-evidence")
        key = bytes.fromhex(later["key"])
        made = digest("fairground/blind-commitment/1", self.table, HOUSE, run.step, run.head, key)
        if made.hex() != run.ticket["blind"]:
            raise Fault("fair/bad-evidence")
        return key

    def deal(self, run: Run, now: Any, later: Any) -> Any:
        members(now, "link")
        if not is_hex(now["link"]):
            raise Fault("fair/bad-evidence")
        link = bytes.fromhex(now["link"])
        if self.before(run, HOUSE, link) != self.last[HOUSE]:
            raise Fault("fair/bad-evidence")
        key = self.blind_key(run, later)
        self.last[HOUSE] = link
        links = {seat: (bytes.fromhex(v), at) for seat, k, v, at in run.shares if k == "link"}
        self.words.update({seat: (v, at) for seat, k, v, at in run.shares if k == "stir"})
        parts: list[Any] = [self.table, run.index, link, len(links)]
        for seat in sorted(links):
            parts += [seat, links[seat][0]]
            self.last[seat] = links[seat][0]
        parts.append(len(self.words))
        for seat in sorted(self.words):
            parts += [seat, self.words[seat][0]]
        run.bound = run.step + 1 if run.hidden else self.tip_line
        run.lent = {seat: at for seat, (_, at) in links.items()}
        run.typed = {
            seat: at
            for seat, (text, at) in self.words.items()
            if any(ord(sign) not in BLANK for sign in text)
        }
        run.lent |= {seat: at for seat, at in run.typed.items() if at > run.bound}
        run.committed = self.place(run)[0] == 0 or bool(run.lent)
        if self.renews(run):
            self.last[HOUSE], self.tip_line = bytes.fromhex(run.ticket["tip"]), run.step + 1
            for seat, kind, value, _ in run.shares:
                if kind == "next-tip":
                    self.last[seat] = bytes.fromhex(value)
        return HashStream(digest("fairground/chains-stream/1", *parts, key)).below

    def must_open(self, run: Run) -> bool:
        return run.hidden

    def check_abandoned(self, run: Run, later: Any) -> None:
        self.blind_key(run, later)
        run.committed = self.place(run)[0] == 0


class Contest:
    """`contest/1`"""

    per_draw, opens_once = False, True
    lends = ()

    def __init__(self, table: bytes, seats: list[dict[str, Any]], public: Any) -> None:
        good = set(public) == {"commitment", "contest", "game"} and is_hex(public["commitment"])
        good = good and isinstance(public["contest"], str) and type(public["game"]) is int
        if not good or public["game"] < 0:
            raise Fault("game/params")
        self.public = public
        self.gone: set[int] = set()

    def check_ticket(self, run: Run) -> None:
        members(run.ticket)

    def phases(self, run: Run) -> list[tuple[str, list[int]]]:
        return []

    def deal(self, run: Run, now: Any, later: Any) -> Any:
        members(now)
        members(later, "seed")
        if not is_hex(later["seed"]):
            raise Fault("fair/bad-evidence")
        seed, contest = bytes.fromhex(later["seed"]), self.public["contest"]
        made = digest("fairground/contest-commitment/1", contest, seed)
        if made.hex() != self.public["commitment"]:
            raise Fault("fair/bad-evidence")
        run.bound, run.committed = 1, True
        parts = ("fairground/contest-stream/1", contest, self.public["game"], run.index, seed)
        return HashStream(digest(*parts)).below

    def must_open(self, run: Run) -> bool:
        return False


SCHEMES: dict[str, Any] = {
    "hmac-sha3-user/1": Hmac,
    "hash-chains/1": HashChains,
    "contest/1": Contest,
}
OTHERS = {"seeded/1", "system/1", "croupier/1", "croupier-2017/0"}

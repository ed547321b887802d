"""`hmac-sha3-user/1`: one draw, settled by the house's number and one user's number.

1. The house makes a key of 32 bytes, then a number x in ``range(n)``.
2. It shows HMAC-SHA3-256 of the decimal digits of x. The HMAC's key is the *text*
   of the key in upper-case hex, so that the check is one line of ``openssl``.
3. The user names a number y in ``range(n)``.
4. The house shows x and the key; the draw is ``(x + y) mod n``.

Neither side alone decides: x is fixed before y is known, y is named before x is
shown. A key serves one draw and no more: once shown, it would give the next away.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from fairground.core import BadParams, BadShare, Fault, Seat, whole, written
from fairground.fair.bits import SIZE, SystemStream, fresh, same
from fairground.fair.schemes import Chance, Dealer, Evidence, Phase, Run, Scheme, Setting, fields

_UPPER_HEX: Final = re.compile(f"[0-9A-F]{{{2 * SIZE}}}").fullmatch


class HmacKey:
    """A one-time key of 256 bits, and the HMAC that commits to a number under it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def fresh(cls) -> HmacKey:
        """A new key from the operating system's entropy."""
        return cls(fresh().hex().upper())

    def commit(self, number: int) -> str:
        """HMAC-SHA3-256 of the number's decimal digits, in upper-case hex."""
        tag = hmac.digest(self.text.encode("ascii"), b"%d" % number, hashlib.sha3_256)
        return tag.hex().upper()


class FairSum(NamedTuple):
    """The two numbers of one draw, and what they come to."""

    house: int
    user: int
    n: int

    @property
    def result(self) -> int:
        """The fair number: uniform if either of the two is, and neither knew the other."""
        return (self.house + self.user) % self.n

    def below(self, n: int) -> int:
        """The draw that this sum was made for."""
        assert n == self.n
        return self.result


def _is_upper_hex(value: Any) -> bool:
    return isinstance(value, str) and _UPPER_HEX(value) is not None


def _is_whole(value: Any) -> bool:
    try:
        whole(value, "a number")
    except BadParams:
        return False
    return True


class HmacUserScheme(Scheme):
    """The public half of `hmac-sha3-user/1`."""

    name = "hmac-sha3-user/1"
    per_draw = True
    conditions: ClassVar = {"number": "nobody could guess the numbers of {name}"}

    def __init__(self, setting: Setting, public: Mapping[str, Any]) -> None:
        super().__init__(setting, public)
        if public:
            raise BadParams(f"{self.name} has no parameters, but {dict(public)!r} was given")
        if len(setting.lenders("number")) > 1:
            raise BadParams(f"{self.name} takes the number of one user, not of several")
        self._keys: set[str] = set()

    def phases(self, run: Run) -> Sequence[Phase]:
        """One number from the user; nothing where a program of the house sits there."""
        users = self.lenders("number")
        return (Phase("number", users),) if users else ()

    def check_ticket(self, run: Run) -> None:
        """The ticket is an HMAC."""
        fields(run.ticket, {"hmac": _is_upper_hex}, "ticket")

    def check_share(self, run: Run, seat: Seat, kind: str, value: Any) -> None:
        """The user's number must be in the range of the draw."""
        if not _is_whole(value) or not 0 <= int(value) < run.n:
            raise BadShare(f"your number must be an integer in 0..{run.n - 1}, not {value!r}")

    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        """Check number and key against the HMAC, and add the user's number."""
        house = self._opened(run, later if run.hidden else now)
        if run.hidden:
            fields(now, {}, "evidence")
        user = next((whole(share.value, "number") for share in run.shares), 0)
        return FairSum(house, user, run.n)

    def _opened(self, run: Run, evidence: Evidence) -> int:
        fields(evidence, {"key": _is_upper_hex, "number": _is_whole}, "evidence")
        number = whole(evidence["number"], "the house's number")
        if not 0 <= number < run.n:
            reason = f"the house's number {number} is not in 0..{run.n - 1}"
            raise Fault("fair/bad-evidence", reason)
        key: str = evidence["key"]
        if not same(HmacKey(key).commit(number), run.ticket["hmac"]):
            reason = f"number {number} and key {key} do not give the HMAC shown before"
            raise Fault("fair/bad-evidence", reason)
        if key in self._keys:
            raise Fault("fair/bad-evidence", f"the key {key} has served another draw before")
        self._keys.add(key)
        return number

    def must_open(self, run: Run) -> bool:
        """Hidden draws open at the end; so does an HMAC that nobody answered."""
        return run.hidden or not run.line

    def check_abandoned(self, run: Run, later: Evidence) -> None:
        """The house had to have a number behind its HMAC."""
        self._opened(run, later)

    def committed(self, run: Run) -> bool:
        """The HMAC stood before the user's number. With no number it proves nothing."""
        return bool(run.shares) or not run.line

    def lent(self, run: Run) -> dict[Seat, int]:
        """The user, by the number."""
        return {share.seat: share.line for share in run.shares}

    def shown(self, runs: Sequence[Run]) -> list[tuple[int, str]]:
        """Each HMAC."""
        return [(run.step + 1, run.ticket["hmac"]) for run in runs]


class HmacUserDealer(Dealer):
    """The house's half of `hmac-sha3-user/1`: a fresh key for every draw."""

    scheme = HmacUserScheme

    def open(self, run: Run) -> Evidence:
        """Make the key, then the number; show the HMAC."""
        key = HmacKey.fresh()
        number = SystemStream().below(run.n)
        kept = self._vault.keep(f"hmac.{run.index}", f"{key.text} {number}".encode(), run.head)
        text, _, digits = kept.decode().partition(" ")
        return {"hmac": HmacKey(text).commit(int(digits))}

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """Number and key: now, or at the end for a draw that must stay hidden."""
        self._vault.spend(f"hmac.{run.index}", head)
        key, _, digits = self._vault.recall(f"hmac.{run.index}").decode().partition(" ")
        opened: Evidence = {"key": key, "number": written(int(digits))}
        return ({}, opened) if run.hidden else (opened, {})

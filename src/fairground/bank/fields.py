"""The types of fields that the contract has, as JSON: what each admits, how it is written and read.

The form is that of transcripts: addresses in EIP-55 spelling, integers beyond ±(2^53-1) as decimal
text, bytes, signatures and seeds as hex digits. What ``eth-abi`` would not encode is refused here
as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from fairground.bank.crypto.curve import Signature, checksummed
from fairground.bank.messages import Bet, SessionState, SessionTerms
from fairground.bank.seeds import Seed
from fairground.core import InputError, whole, written
from fairground.fair.schemes import is_hex

LONGEST_QUOTE: Final = 100
"""Characters of an offending value that an error repeats."""


class BadCall(InputError):
    """A call, or something else that was said to or by a Bank, is not well formed."""

    code = "bank/malformed"


class FieldType(NamedTuple):
    """A type of the contract: what is admitted, and how it is written.

    ``check`` and ``read`` are given the value and what it is called; they return it in the
    one form that we use, or raise `BadCall`.
    """

    check: Callable[[Any, str], Any]
    write: Callable[[Any], Any]
    read: Callable[[Any, str], Any]


Fields = Mapping[str, FieldType]


def quoted(value: object) -> str:
    """What was given, cut where it is long: it may be anything, from anybody."""
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


# The kinds


def address(value: object, what: str = "an address") -> str:
    """An address in EIP-55 spelling. Mixed capitals carry a checksum, which must be right."""
    if isinstance(value, str) and len(value) == 42 and value.startswith("0x"):
        digits = value[2:]
        try:
            spelled = checksummed(value)
        except InputError:
            spelled = ""
        if spelled and (value == spelled or digits in (digits.lower(), digits.upper())):
            return spelled
        if spelled:
            raise BadCall(
                f"{what}: the capitals of {quoted(value)} are a checksum that does not fit"
            )
    raise BadCall(f"{what} must be 40 hex digits behind 0x, not {quoted(value)}")


def _uint(bits: int) -> FieldType:
    def check(value: object, what: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**bits:
            raise BadCall(f"{what} must be an integer from 0 to 2^{bits}-1, not {quoted(value)}")
        return int(value)

    def read(value: object, what: str) -> int:
        try:
            return check(whole(value, what), what)
        except InputError:
            raise BadCall(
                f"{what} must be an integer from 0 to 2^{bits}-1, beyond 2^53-1 as decimal "
                f"text, not {quoted(value)}"
            ) from None

    return FieldType(check, written, read)


def _check_bytes(value: object, what: str) -> bytes:
    if not isinstance(value, bytes) or len(value) != 32:
        raise BadCall(f"{what} must be 32 bytes, not {quoted(value)}")
    return value


def _read_bytes(value: object, what: str) -> bytes:
    if not isinstance(value, str) or not is_hex(value):
        raise BadCall(f"{what} must be 64 lower-case hex digits, not {quoted(value)}")
    return bytes.fromhex(value)


def _check_signature(value: object, what: str) -> Signature:
    if not isinstance(value, Signature):
        raise BadCall(f"{what} must be a Signature, not {quoted(value)}")
    UINT8.check(value.v, f"{what}: v")
    UINT256.check(value.r, f"{what}: r")
    UINT256.check(value.s, f"{what}: s")
    return value


def _from_hex(make: Callable[[Any], Any], form: str) -> Callable[[Any, str], Any]:
    def read(value: object, what: str) -> Any:
        try:
            return make(value if isinstance(value, str) else "")
        except InputError:
            raise BadCall(f"{what} must be {form}, not {quoted(value)}") from None

    return read


def _check_seed(value: object, what: str) -> Seed:
    if not isinstance(value, Seed):
        raise BadCall(f"{what} must be a Seed, not {quoted(value)}")
    _check_bytes(value.nonce, f"{what}: nonce")
    _check_signature(value.signature, what)
    return value


def read_fields(value: object, fields: Fields, what: str) -> dict[str, Any]:
    """An object with just these members."""
    if not isinstance(value, dict) or value.keys() != fields.keys():
        raise BadCall(f"{what} has the members {', '.join(fields)}, not {quoted(value)}")
    return {name: kind.read(value[name], name) for name, kind in fields.items()}


def _message(made: Callable[..., Any], fields: Fields) -> FieldType:
    """A message with these fields, in their order."""

    def check(value: object, what: str) -> Any:
        if not isinstance(value, tuple) or type(value) is not made:
            raise BadCall(f"{what} must be a {made.__name__}, not {quoted(value)}")
        return made(*(kind.check(value[i], name) for i, (name, kind) in enumerate(fields.items())))

    def write(value: Any) -> dict[str, Any]:
        return {name: kind.write(value[i]) for i, (name, kind) in enumerate(fields.items())}

    def read(value: object, what: str) -> Any:
        return made(**read_fields(value, fields, what))

    return FieldType(check, write, read)


def _check_bool(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise BadCall(f"{what} must be true or false, not {quoted(value)}")
    return value


def _check_order(value: object, what: str) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)) or len(value) != 5:
        raise BadCall(f"{what} must be five numbers, each 0 or 1, not {quoted(value)}")
    return tuple(UINT8.check(digit, what) for digit in value)


ADDRESS: Final = FieldType(address, str, address)
UINT8: Final = _uint(8)
UINT40: Final = _uint(40)
UINT256: Final = _uint(256)
BYTES32: Final = FieldType(_check_bytes, bytes.hex, _read_bytes)
SIGNATURE: Final = FieldType(
    _check_signature,
    Signature.hex,
    _from_hex(Signature.from_hex, "130 lower-case hex digits (r, s, v)"),
)
SEED: Final = FieldType(
    _check_seed, Seed.hex, _from_hex(Seed.from_hex, "194 lower-case hex digits (nonce, r, s, v)")
)
BET: Final[Fields] = {
    "croupier": ADDRESS,
    "player": ADDRESS,
    "croupier_key": ADDRESS,
    "player_key": ADDRESS,
    "game_id": UINT256,
    "bet": UINT8,
    "level": UINT8,
    "chip_cost": UINT256,
    "croupier_commitment_0": BYTES32,
    "croupier_commitment_1": BYTES32,
    "player_commitment_0": BYTES32,
    "player_commitment_1": BYTES32,
    "expiry": UINT256,
}
THE_BET: Final = _message(Bet, BET)
BOOL: Final = FieldType(_check_bool, bool, _check_bool)
THE_SESSION: Final = _message(
    SessionTerms,
    {
        "croupier": ADDRESS,
        "player": ADDRESS,
        "croupier_key": ADDRESS,
        "player_key": ADDRESS,
        "number": UINT256,
        "player_funds": UINT256,
        "croupier_funds": UINT256,
        "expiry": UINT256,
    },
)
THE_STATE: Final = _message(
    SessionState,
    {
        "session": BYTES32,
        "hands": UINT256,
        "player_share": UINT256,
        "head": BYTES32,
        "last": BOOL,
    },
)
ORDER: Final = FieldType(_check_order, list, _check_order)

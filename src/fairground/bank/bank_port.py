"""The Bank as a port: the calls and questions that every Bank answers.

There are two Banks: `LedgerBank` is kept in a database, `ChainBank` is a contract on a chain. Both
take the same `Call`, refuse it for the same reason under the same name, and leave the same
balances; `tests/helpers/bank_laws.py` holds them to it.

A call is data. Each Bank has its own way to let the sender sign for it: a transaction on a chain,
an envelope over HTTP, nothing inside one process.

`artifact` is the compiled contract, which also defines the names of calls, events and refusals.
``tools/compile_bank`` writes ``contracts/Bank.json``; a test compiles the source again and
compares. A Bank's code on a chain equals `runtime_bytecode` except for two immutable numbers, chip
cost and step time, which its constructor filled in.

`BankClock` estimates the Bank's time. A Bank on a chain knows only the time of its last block, so
its clock stands still between two blocks although its deadlines draw near.
"""

from __future__ import annotations

import enum
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from fairground.bank.messages import Bet, Domain, Key, SessionState, SessionTerms
from fairground.bank.seeds import Seed, unpacked_hand, unpacked_order
from fairground.bank.signatures import Signature
from fairground.core import FairgroundError, InputError
from fairground.games.poker.rules import CROUPIER, PLAYER, BankPoker, State

PLAY_MONEY: Final = "Play money and test chains. Nothing here is a licence to run a casino."


class BankRefused(FairgroundError):
    """The Bank refused a call. ``name`` is the contract's own name for the reason."""

    code = "bank/refused"

    def __init__(self, name: str, values: tuple[Any, ...] = ()) -> None:
        inside = ", ".join(map(str, values))
        super().__init__(f"the Bank refused: {name}({inside})")
        self.name = name
        self.values = values


class BankAway(FairgroundError):
    """The Bank does not answer now, or not in time. The call may still come through."""

    code = "bank/away"
    exit = 1


class Step(enum.IntEnum):
    """The last step of a game that the Bank accepted."""

    NONE = 0
    BET_SUBMITTED = 1
    CROUPIER_SEED_0_SUBMITTED = 2
    HAND_DEALT = 3
    ORDER_SUBMITTED = 4
    CROUPIER_SEED_1_SUBMITTED = 5
    HAND_FINAL = 6


def step_after(step: Step, order: Sequence[int] | None) -> Step:
    """The step that follows this one. An order to replace nothing makes the hand final."""
    stands = step == Step.HAND_DEALT and not any(order or ())
    return Step.HAND_FINAL if stands else Step(step + 1)


class GameOutcome(enum.IntEnum):
    """The end of a game."""

    OPEN = 0
    SETTLED = 1
    PLAYER_FORFEITED = 3
    CROUPIER_FORFEITED = 4


NO_KEY: Final = "0x" + 40 * "0"
"""The zero address: the signing key of an account that has none."""


class Account(NamedTuple):
    """A participant's account at the Bank, without the money that games have locked."""

    available: int
    open_games: int
    key: str
    """The address of the signing key; `NO_KEY` if there is none."""


class BankGame(NamedTuple):
    """A game as the Bank keeps it. A game that it does not know is `NO_GAME`."""

    bet_hash: bytes
    step: int
    outcome: int
    deadline: int
    order: int
    hand: int

    def is_of(self, bet: Bet) -> bool:
        return self.bet_hash == short_name(bet.struct_hash())

    @property
    def cards(self) -> tuple[int, ...]:
        return unpacked_hand(self.hand) if self.step >= Step.HAND_DEALT else ()

    @property
    def replaced(self) -> tuple[int, ...] | None:
        """The order, digit by digit; ``None`` before it is given."""
        return unpacked_order(self.order) if self.step >= Step.ORDER_SUBMITTED else None


def short_name(bet_hash: bytes) -> bytes:
    """Return the part of a hash that the Bank keeps: the last 20 bytes, like an address."""
    return bytes(12) + bet_hash[12:]


def price_of_silence(bet: Bet, game: BankGame) -> int:
    """Return the wei that the Player gets out of the lock if the Croupier is silent now."""
    payoff = BankPoker(bet.bet, bet.level).forfeit(State(game.cards, game.replaced), CROUPIER)
    return bet.stake + payoff[PLAYER] * bet.chip_cost


NO_GAME: Final = BankGame(bytes(32), 0, 0, 0, 0, 0)
"""The Bank's answer for an unknown game: everything is zero."""


class BankEvent(NamedTuple):
    """Something that the Bank recorded; names and values are the contract's.

    Addresses are in EIP-55 spelling, hashes are bytes, and a signature is a `Signature`.
    """

    name: str
    values: dict[str, Any]


# The calls, named as in the contract. The fields are its parameters in their order, but a nonce and
# the signature behind it are one seed.

Order = tuple[int, ...]

SubmitPublicKey = NamedTuple("SubmitPublicKey", [("key", str), ("proof", Signature)])
DepositFunds = NamedTuple("DepositFunds", [("amount", int)])
WithdrawFunds = NamedTuple("WithdrawFunds", [("amount", int)])

# A game. ``croupiers`` is the signature that is the Croupier's seed of the same number.
SubmitBet = NamedTuple("SubmitBet", [("bet", Bet), ("signature", Signature)])
SubmitCroupierSeed = NamedTuple(
    "SubmitCroupierSeed", [("bet", Bet), ("seed_id", int), ("seed", Seed)]
)
SubmitPlayerSeed = NamedTuple(
    "SubmitPlayerSeed", [("bet", Bet), ("seed_id", int), ("seed", Seed), ("croupiers", Signature)]
)
SubmitReplacementOrder = NamedTuple(
    "SubmitReplacementOrder", [("bet", Bet), ("order", Order), ("signature", Signature)]
)
SubmitPlayerSeedAndOrder = NamedTuple(
    "SubmitPlayerSeedAndOrder",
    [
        ("bet", Bet),
        ("seed", Seed),
        ("croupiers", Signature),
        ("order", Order),
        ("signature", Signature),
    ],
)
SubmitPlayerSeedAndResult = NamedTuple(
    "SubmitPlayerSeedAndResult", [("bet", Bet), ("seed", Seed), ("croupiers", Signature)]
)
SubmitGameResult = NamedTuple("SubmitGameResult", [("bet", Bet)])

# A session. Its open hand goes on at the Bank once it was brought there.
OpenSession = NamedTuple("OpenSession", [("terms", SessionTerms), ("signature", Signature)])
CloseSession = NamedTuple(
    "CloseSession",
    [
        ("terms", SessionTerms),
        ("state", SessionState),
        ("player_signature", Signature),
        ("croupier_signature", Signature),
    ],
)
ClaimSession = NamedTuple(
    "ClaimSession",
    [
        ("terms", SessionTerms),
        ("state", SessionState),
        ("player_signature", Signature),
        ("croupier_signature", Signature),
    ],
)
BringHand = NamedTuple(
    "BringHand",
    [
        ("terms", SessionTerms),
        ("bet", Bet),
        ("player_signature", Signature),
        ("croupier_signature", Signature),
    ],
)
FinishSession = NamedTuple("FinishSession", [("terms", SessionTerms)])
SubmitAcceptedSeed = NamedTuple(
    "SubmitAcceptedSeed", [("bet", Bet), ("seed", Seed), ("acceptance", Signature)]
)
ComplainTwoOrders = NamedTuple(
    "ComplainTwoOrders", [("bet", Bet), ("order", Order), ("signature", Signature)]
)


class Phase(enum.IntEnum):
    """The phase of a session."""

    NONE = 0
    OPEN = 1
    CLAIMED = 2
    CLOSED = 3


class BankSession(NamedTuple):
    """The session of two parties, as the Bank keeps it."""

    session: bytes
    """The last 20 bytes of the hash of its terms, behind 12 zero bytes."""
    number: int
    """The number that the next session of these two must have."""
    phase: int
    deadline: int
    """Until then a newer state can be brought, if it is claimed."""
    hands: int
    """After how many hands, and who has what then: as it is claimed, else 0."""
    player_share: int
    croupier_share: int

    def is_of(self, terms: SessionTerms) -> bool:
        return self.session == short_name(terms.struct_hash())


NO_SESSION: Final = BankSession(bytes(32), 0, 0, 0, 0, 0, 0)


class Silence(enum.Enum):
    """A message that is owed and late; each is a complaint of the contract."""

    FIRST_CROUPIER_SEED = "complainNoFirstCroupierSeed"
    FIRST_PLAYER_SEED = "complainNoFirstPlayerSeed"
    REPLACEMENT_ORDER = "complainNoReplacementOrder"
    SECOND_CROUPIER_SEED = "complainNoSecondCroupierSeed"
    SECOND_PLAYER_SEED = "complainNoSecondPlayerSeed"


class Complain(NamedTuple):
    """Complain that a deadline has passed."""

    silence: Silence
    bet: Bet


Call = (
    SubmitPublicKey
    | DepositFunds
    | WithdrawFunds
    | SubmitBet
    | SubmitCroupierSeed
    | SubmitPlayerSeed
    | SubmitReplacementOrder
    | SubmitPlayerSeedAndOrder
    | SubmitPlayerSeedAndResult
    | SubmitGameResult
    | Complain
    | OpenSession
    | CloseSession
    | ClaimSession
    | BringHand
    | FinishSession
    | SubmitAcceptedSeed
    | ComplainTwoOrders
)

SILENT_AT: Final = {
    Step.BET_SUBMITTED: Silence.FIRST_CROUPIER_SEED,
    Step.CROUPIER_SEED_0_SUBMITTED: Silence.FIRST_PLAYER_SEED,
    Step.HAND_DEALT: Silence.REPLACEMENT_ORDER,
    Step.ORDER_SUBMITTED: Silence.SECOND_CROUPIER_SEED,
    Step.CROUPIER_SEED_1_SUBMITTED: Silence.SECOND_PLAYER_SEED,
}
"""The party that delays a game after this step. A final hand owes nothing."""

CROUPIER_OWES: Final = (Silence.FIRST_CROUPIER_SEED, Silence.SECOND_CROUPIER_SEED)


class Spending(NamedTuple):
    """The limits, in wei, on a call's cost outside of the Bank (on a chain: its gas)."""

    at_stake: int = 0
    """Loss of the sender if the call comes too late, in wei: the call may cost up to that."""
    keep: int = 0
    """Wei that must stay in the sender's purse, for calls that matter more."""


AS_USUAL: Final = Spending()


class Bank(ABC):
    """One Bank. Every method may raise `BankAway`."""

    domain: Domain
    """Chain and address, which every signature names."""
    terms: Terms
    """Price of a chip, and time for a step."""
    trusted: str
    """The party that a user must trust for this Bank to be honest, in a few words for people."""
    watch: Callable[[Key, Call], None] | None = None
    """Called with the sender after each call of this program that the Bank took."""
    in_process: bool = False
    """True if the Bank lives in this process, and with it both parties and all their secrets."""

    @abstractmethod
    async def now(self) -> int:
        """The Bank's own time, by which its deadlines count."""

    @abstractmethod
    async def purse(self, owner: str) -> int:
        """Return the wei that an account has outside of the Bank."""

    @abstractmethod
    async def account(self, owner: str) -> Account:
        """A participant, now."""

    @abstractmethod
    async def next_game_id(self, croupier: str, player: str) -> int:
        """The number that the next bet of these two must have."""

    @abstractmethod
    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        """Return the game under this key (`Bet.key`), as it was ``confirmations`` blocks ago.

        That state is final unless the chain takes back more blocks than that.
        """

    @abstractmethod
    async def told(self, key: bytes) -> Sequence[BankEvent]:
        """Return the events that the Bank recorded of this game, with the seeds in them."""

    @abstractmethod
    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        """Make a call, and return the recorded events; raise `BankRefused` with the reason.

        Repeating a call records nothing, where the contract lets its sender repeat it. After
        `BankAway` the call may or may not have come through: ask, or send again.
        """

    @abstractmethod
    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        """The session of these two, open or the last one; `NO_SESSION` if there was none.

        As it was ``confirmations`` blocks ago.
        """

    async def upkeep(self, calls: Iterable[type[Call]]) -> int:
        """Return the wei that a purse must hold so that such calls can be made later.

        On a chain that is several times today's cost, since gas may become dearer.
        """
        return 0

    async def block_time(self) -> float:
        """Seconds from one block to the next; 0 where what is recorded is final at once."""
        return 0

    async def close(self) -> None:  # noqa: B027 - most keep nothing open
        """Let go of what is held open."""


FOLDER: Final = files("fairground.bank.chain") / "contracts"


class WrongBank(InputError):
    """The code at this address is not the Bank that this program was made for."""

    code = "bank/wrong-code"


class Terms(NamedTuple):
    """The numbers that a Bank was deployed with."""

    chip_cost: int
    step_time: int


class Artifact(NamedTuple):
    """The compiler's output for a contract."""

    abi: list[dict[str, Any]]
    bytecode: bytes
    runtime_bytecode: bytes
    immutables: dict[str, list[int]]

    def terms_of(self, code: bytes) -> Terms:
        """Compare a chain's code with ours, byte for byte, and read its terms.

        Raise `WrongBank` unless it is this contract and nothing else.
        """
        blank = bytearray(code)
        found = {}
        for name, places in self.immutables.items():
            values = {code[at : at + 32] for at in places}
            if len(values) != 1:
                raise WrongBank("the code at this address is not the Bank's: its terms differ")
            found[name] = int.from_bytes(values.pop(), "big")
            for at in places:
                blank[at : at + 32] = bytes(32)
        if bytes(blank) != self.runtime_bytecode:
            raise WrongBank("the code at this address is not the Bank that we were made for")
        return Terms(found["CHIP_COST"], found["STEP_TIME"])


@cache
def artifact() -> Artifact:
    """The committed artifact."""
    return parse((FOLDER / "Bank.json").read_text("utf-8"))


@cache
def named(kind: str) -> dict[str, dict[str, Any]]:
    """Return the ABI's entries of a kind (``function``, ``event``, ``error``) by their names."""
    return {entry["name"]: entry for entry in artifact().abi if entry["type"] == kind}


def parse(text: str) -> Artifact:
    """Read an artifact as ``tools/compile_bank`` writes it."""
    raw = json.loads(text)
    return Artifact(
        raw["abi"],
        bytes.fromhex(raw["bytecode"].removeprefix("0x")),
        bytes.fromhex(raw["runtime_bytecode"].removeprefix("0x")),
        raw["immutables"],
    )


class BankClock:
    """The latest time that the Bank told, and the seconds that passed here since then."""

    def __init__(self, bank: Bank, own: Callable[[], float] | None = None) -> None:
        """``own`` counts seconds, from any beginning: our own clock."""
        self._bank, self._own = bank, own or time.monotonic
        self._told, self._at = 0, self._own()

    async def __call__(self) -> int:
        told, own = await self._bank.now(), self._own()
        if told > self._told + (own - self._at):
            self._told, self._at = told, own
        # Only the difference is a fraction: added to the time it would be rounded, and could fall
        # just below a whole second that has come.
        return self._told + int(own - self._at)

    def start_again(self) -> None:
        """Forget what was counted: the Bank says that it is not so late."""
        self._told, self._at = 0, self._own()


class Backoff:
    """Seconds to wait before each retry: twice as long after every failure, up to a cap."""

    def __init__(self, first: float, longest: float) -> None:
        self._first, self._longest = first, max(first, longest)
        self.failures = 0

    def failed(self) -> float:
        self.failures += 1
        return min(self._longest, self._first * 2.0 ** min(self.failures, 32))

    def worked(self) -> float:
        self.failures = 0
        return self._first

"""The Bank as a port: what a Player and a Croupier ask of any Bank.

There are two Banks: `LedgerBank` is kept in a database, `ChainBank` is a contract on a
chain. Both take the same `Call`, refuse it for the same reason under the same name, and
leave the same balances; `tests/helpers/bank_laws.py` holds them to it.

A call is data. How its sender signs for it is the Bank's affair: with a transaction on a
chain, with an envelope over HTTP, not at all inside one process.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from fairground.bank.chain.artifact import Terms
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import Bet, Domain, Key, SessionState, SessionTerms
from fairground.bank.seeds import Seed, unpacked_hand, unpacked_order
from fairground.core import FairgroundError
from fairground.games.poker import CROUPIER, PLAYER, BankPoker, Poker, State

PLAY_MONEY: Final = "Play money and test chains. Nothing here is a licence to run a casino."


RULES: Final[dict[int, type[Poker]]] = {1: Poker, 2: BankPoker}
"""The game of each version of the Bank: they differ in what silence costs."""


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
    """How a game ended."""

    OPEN = 0
    SETTLED = 1
    RELEASED = 2
    PLAYER_FORFEITED = 3
    CROUPIER_FORFEITED = 4


NO_KEY: Final = "0x" + 40 * "0"
"""The zero address: the signing key of an account that has none."""


class Account(NamedTuple):
    """A participant, as the Bank knows them. What a game has locked is in no account."""

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
        """Whether it is played under this very bet. Version 2 keeps 20 bytes of its hash."""
        name = bet.struct_hash()
        return self.bet_hash in (name, short_name(name))

    @property
    def cards(self) -> tuple[int, ...]:
        """The hand, card by card; empty before the deal."""
        return unpacked_hand(self.hand) if self.step >= Step.HAND_DEALT else ()

    @property
    def replaced(self) -> tuple[int, ...] | None:
        """The order, digit by digit; ``None`` before it is given."""
        return unpacked_order(self.order) if self.step >= Step.ORDER_SUBMITTED else None


def short_name(bet_hash: bytes) -> bytes:
    """What version 2 of the Bank keeps of a bet's hash: as many bits as an address has."""
    return bytes(12) + bet_hash[12:]


def price_of_silence(version: int, bet: Bet, game: BankGame) -> int:
    """What the Player gets out of the lock when the Croupier is silent now, in wei."""
    rules = RULES[version](bet.bet, bet.level)
    payoff = rules.forfeit(State(game.cards, game.replaced), CROUPIER)
    return bet.stake + payoff[PLAYER] * bet.chip_cost


NO_GAME: Final = BankGame(bytes(32), 0, 0, 0, 0, 0)
"""What a Bank says of a game that it does not know: everything is zero."""


class BankEvent(NamedTuple):
    """Something that the Bank recorded; names and values are the contract's.

    Addresses are in EIP-55 spelling, hashes are bytes, and a signature is a `Signature`.
    """

    name: str
    values: dict[str, Any]


# The calls, named as in the contract


class SubmitPublicKey(NamedTuple):
    """Register a signing key for all further games."""

    key: str
    proof: Signature


class DepositFunds(NamedTuple):
    """Bring money, in wei, from outside of the Bank."""

    amount: int


class WithdrawFunds(NamedTuple):
    """Take money that no game has locked."""

    amount: int


class SubmitBet(NamedTuple):
    """Accept a Player's signed bet: the Croupier's call."""

    bet: Bet
    signature: Signature


class SubmitCroupierSeed(NamedTuple):
    """Bring a seed of the Croupier."""

    bet: Bet
    seed_id: int
    seed: Seed


class SubmitPlayerSeed(NamedTuple):
    """Bring a seed of the Player, with the Croupier's of the same number."""

    bet: Bet
    seed_id: int
    seed: Seed
    croupiers: Signature


class SubmitReplacementOrder(NamedTuple):
    """Bring a signed order."""

    bet: Bet
    order: tuple[int, ...]
    signature: Signature


class SubmitPlayerSeedAndOrder(NamedTuple):
    """Bring the Player's seed 0 and the order in one call (version 2)."""

    bet: Bet
    seed: Seed
    croupiers: Signature
    order: tuple[int, ...]
    signature: Signature
    """Of the order."""


class SubmitPlayerSeedAndResult(NamedTuple):
    """Bring the Player's seed 1, and settle, in one call (version 2)."""

    bet: Bet
    seed: Seed
    croupiers: Signature


class SubmitGameResult(NamedTuple):
    """Settle a game whose final hand is known."""

    bet: Bet


# Sessions, from version 2 on


class OpenSession(NamedTuple):
    """Open a session on terms that the Player signed: the Croupier's call."""

    terms: SessionTerms
    signature: Signature


class CloseSession(NamedTuple):
    """Close a session by a last state that both have signed."""

    terms: SessionTerms
    state: SessionState
    player_signature: Signature
    croupier_signature: Signature


class ClaimSession(NamedTuple):
    """Claim that a session stands so; a newer state can be brought for a step's time."""

    terms: SessionTerms
    state: SessionState
    player_signature: Signature
    croupier_signature: Signature


class BringHand(NamedTuple):
    """Bring the hand that was open, by a bet that both have signed: it goes on at the Bank."""

    terms: SessionTerms
    bet: Bet
    player_signature: Signature
    croupier_signature: Signature


class FinishSession(NamedTuple):
    """Close a session whose claim stood."""

    terms: SessionTerms


class SubmitAcceptedSeed(NamedTuple):
    """Bring the Croupier's seed 1 for a session's hand, with his word on the order."""

    bet: Bet
    seed: Seed
    acceptance: Signature


class ComplainTwoOrders(NamedTuple):
    """Show another order that the Player signed for the same hand of a session."""

    bet: Bet
    order: tuple[int, ...]
    signature: Signature


SessionCall = (
    OpenSession
    | CloseSession
    | ClaimSession
    | BringHand
    | FinishSession
    | SubmitAcceptedSeed
    | ComplainTwoOrders
)


class Phase(enum.IntEnum):
    """How far a session is."""

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
        """Whether it is on these very terms."""
        return self.session == short_name(terms.struct_hash())


NO_SESSION: Final = BankSession(bytes(32), 0, 0, 0, 0, 0, 0)


class Silence(enum.Enum):
    """What somebody owes and did not bring in time; each is a complaint of the contract."""

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
    | SessionCall
)

SILENT_AT: Final = {
    Step.BET_SUBMITTED: Silence.FIRST_CROUPIER_SEED,
    Step.CROUPIER_SEED_0_SUBMITTED: Silence.FIRST_PLAYER_SEED,
    Step.HAND_DEALT: Silence.REPLACEMENT_ORDER,
    Step.ORDER_SUBMITTED: Silence.SECOND_CROUPIER_SEED,
    Step.CROUPIER_SEED_1_SUBMITTED: Silence.SECOND_PLAYER_SEED,
}
"""Who is silent when a game stands still after this step. A final hand owes nothing."""

CROUPIER_OWES: Final = (Silence.FIRST_CROUPIER_SEED, Silence.SECOND_CROUPIER_SEED)


class Spending(NamedTuple):
    """What a call may cost its sender outside of the Bank, where calls cost something. In wei."""

    at_stake: int = 0
    """What its sender loses if it comes too late: the call may cost up to that."""
    keep: int = 0
    """What must stay in the sender's purse, for calls that matter more."""


AS_USUAL: Final = Spending()


class Bank(ABC):
    """One Bank. Every method may raise `BankAway`."""

    domain: Domain
    """Where signatures count: chain and address."""
    version: int
    """Of its rules: see `RULES`."""
    terms: Terms
    """What a chip costs, and how long a step may take."""
    trusted: str
    """Whom one must trust for this Bank to be honest, in a few words for people."""
    in_process: bool = False
    """Whether the Bank lives in this process, and with it both parties and all their secrets."""

    @abstractmethod
    async def now(self) -> int:
        """The Bank's own time, by which its deadlines count."""

    @abstractmethod
    async def purse(self, owner: str) -> int:
        """What an account has outside of the Bank, in wei."""

    @abstractmethod
    async def account(self, owner: str) -> Account:
        """A participant, now."""

    @abstractmethod
    async def next_game_id(self, croupier: str, player: str) -> int:
        """The number that the next bet of these two must have."""

    @abstractmethod
    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        """The game under this key (`Bet.key`), as it was ``confirmations`` blocks ago.

        What is seen there is final unless the chain takes back more blocks than that.
        """

    @abstractmethod
    async def told(self, key: bytes) -> Sequence[BankEvent]:
        """What the Bank recorded of this game, with the seeds that it was told."""

    @abstractmethod
    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        """Make a call, and return what it recorded; raise `BankRefused` with the reason.

        The same call made again records nothing, where the contract lets its sender repeat
        it. After `BankAway` nobody knows whether the call came through: ask, or send again.
        """

    @abstractmethod
    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        """The session of these two, open or the last one; `NO_SESSION` if there was none.

        As it was ``confirmations`` blocks ago.
        """

    async def upkeep(self, calls: Iterable[type[Call]]) -> int:
        """What must be in a purse so that such calls can be made later, in wei.

        On a chain that is several times what they cost now, since gas may become dearer.
        """
        return 0

    async def block_time(self) -> float:
        """Seconds from one block to the next; 0 where what is recorded is final at once."""
        return 0

    async def close(self) -> None:  # noqa: B027 - most keep nothing open
        """Let go of what is held open."""

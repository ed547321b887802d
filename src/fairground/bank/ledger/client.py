"""A Bank kept in somebody else's ledger: the port `Bank` over HTTP.

It lives here and not in `clients`, which is below `bank` and knows none of its words; it
makes its requests as the clients there do (`fairground.clients.http`), from a thread.

Each call goes in an envelope that its sender signs and numbers. The ledger answers the
same envelope with the same words, so a request that was lost on its way is simply sent
again. (As with transactions on a chain, two programs with one key that make an equal call
at the same moment have made it once.)

What the ledger says is taken on trust, as the label says; but nothing is ever signed for a
ledger that claims to be on a chain, where the signature might count.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, Self, TypeVar

from fairground.bank.bank_port import (
    AS_USUAL,
    Account,
    Bank,
    BankAway,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    Call,
    GameOutcome,
    Spending,
    Step,
)
from fairground.bank.calls import Envelope, checked, event_from_json, refusal_from_json
from fairground.bank.chain.artifact import Terms
from fairground.bank.fields import ADDRESS, BYTES32, UINT40, UINT256, BadCall, address
from fairground.bank.ledger.bank import TRUSTED
from fairground.bank.ledger.lines import NO_CHAIN
from fairground.bank.ledger.rules import CHIP_COSTS, STEP_TIMES
from fairground.bank.messages import Domain, Key
from fairground.bank.seeds import unpacked_hand
from fairground.clients.http import Http, Refused, Repeat, Unreachable
from fairground.core import InputError, written
from fairground.games.poker import DECK, HAND

T = TypeVar("T")

TRIES: Final = 5
"""How often a call is numbered anew because the same key was used elsewhere meanwhile."""


class _Overtaken(BankRefused):
    """Somebody else with the same key made a call first."""

    name = "WrongNumber"


class LedgerClient(Bank):
    """See the module's text. Make one by `open`."""

    def __init__(self, url: str, about: Any, http: Http) -> None:
        self.url = url
        self._http = http
        if about["chain"] != NO_CHAIN:
            raise InputError(
                f"the ledger at {url} claims to be on the chain {about['chain']!r}: what is signed "
                "for it might count there, so nothing is"
            )
        self.domain = Domain(NO_CHAIN, address(about["bank"], "the Bank's address"))
        self.terms = Terms(
            UINT256.read(about["chip_cost"], "chip_cost"),
            UINT256.read(about["step_time"], "step_time"),
        )
        # An arena that does not say is older than the second version.
        self.version = UINT256.read(about.get("version", 1), "version")
        if self.version not in CHIP_COSTS:
            raise BadCall(f"the ledger is of version {self.version}, which is not known here")
        costs = CHIP_COSTS[self.version]
        if self.terms.chip_cost not in costs or self.terms.step_time not in STEP_TIMES:
            raise BadCall(f"no Bank has such terms: {self.terms}")
        self.trusted = f"{TRUSTED}; it is kept at {url}"
        self._turns: dict[str, asyncio.Lock] = {}
        """One call of each sender at a time, for they are numbered."""
        self._unsure: dict[str, Envelope] = {}
        """The last call of a sender, where nobody knows whether it came through."""

    @classmethod
    async def open(cls, arena: str, http: Http | None = None) -> Self:
        """The ledger Bank of the arena at this address."""
        url, http = f"{arena.rstrip('/')}/bank", http or Http()
        return await _asked(url, lambda: cls(url, http.get(url), http))

    async def _get(self, path: str, read: Callable[[Any], T]) -> T:
        return await _asked(self.url, lambda: read(self._http.get(f"{self.url}{path}")))

    async def now(self) -> int:
        """The time of the ledger's clock."""
        return await self._get("", lambda body: UINT256.read(body["now"], "now"))

    async def purse(self, owner: str) -> int:
        """What an account has outside of the Bank, in wei."""
        return await self._of(owner, lambda body: UINT256.read(body["purse"], "purse"))

    async def account(self, owner: str) -> Account:
        """A participant, now."""
        return await self._of(
            owner,
            lambda body: Account(
                UINT256.read(body["available"], "available"),
                UINT256.read(body["open_games"], "open_games"),
                ADDRESS.read(body["key"], "key"),
            ),
        )

    async def _of(self, owner: str, read: Callable[[Any], T]) -> T:
        return await self._get(f"/accounts/{address(owner)}", read)

    async def next_game_id(self, croupier: str, player: str) -> int:
        """The number that the next bet of these two must have."""
        path = f"/next/{address(croupier)}/{address(player)}"
        return await self._get(path, lambda body: UINT256.read(body["game_id"], "game_id"))

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        """The game under this key; what a ledger says is final."""
        return await self._get(f"/games/{key.hex()}", _game)

    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        """The session of these two; what a ledger says is final."""
        path = f"/sessions/{address(croupier)}/{address(player)}"
        return await self._get(path, _session)

    async def told(self, key: bytes) -> Sequence[BankEvent]:
        """What was recorded of this game, or of this session."""
        return await self._get(f"/games/{key.hex()}/events", _events)

    async def faucet(self, owner: str, amount: int) -> None:
        """Ask for play money; refused (``FaucetEmpty``) beyond what one owner may have."""
        body = {"owner": address(owner), "amount": written(amount)}
        # Not repeated: the faucet might give twice.
        await self._post("/faucet", body, lambda answer: None, repeat=Repeat.NEVER)

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        """Make a call. After `BankAway`, an equal call stands for the one that went astray."""
        call = checked(call)
        async with self._turns.setdefault(sender.address, asyncio.Lock()):
            unsure = self._unsure.pop(sender.address, None)
            if unsure is not None and unsure.call == call:
                return await self._bring(unsure)
            for _ in range(TRIES - 1):
                with suppress(_Overtaken):
                    return await self._bring(await self._sealed(sender, call))
            return await self._bring(await self._sealed(sender, call))

    async def _sealed(self, sender: Key, call: Call) -> Envelope:
        number = await self._of(
            sender.address, lambda body: UINT256.read(body["next_number"], "next_number")
        )
        return Envelope.sealed(sender, self.domain, number, call)

    async def _bring(self, envelope: Envelope) -> Sequence[BankEvent]:
        try:
            return await self._post("/calls", envelope.as_json(), _events)
        except (BankAway, asyncio.CancelledError):
            self._unsure[envelope.sender] = envelope
            raise
        except BankRefused as refused:
            if refused.name == _Overtaken.name:
                raise _Overtaken(refused.name, refused.values) from None
            raise

    async def _post(
        self, path: str, body: Any, read: Callable[[Any], T], *, repeat: Repeat = Repeat.ALWAYS
    ) -> T:
        url = f"{self.url}{path}"
        return await _asked(self.url, lambda: read(self._http.post(url, body, repeat=repeat)))


def _game(body: Any) -> BankGame:
    step, outcome, deadline, order = (
        UINT256.read(body[name], name) for name in ("step", "outcome", "deadline", "order")
    )
    if step not in list(Step) or outcome not in list(GameOutcome) or order >= 2**HAND:
        raise BadCall(f"no game is at step {step} with outcome {outcome} and order {order}")
    bet_hash = BYTES32.read(body["bet_hash"], "bet_hash")
    return BankGame(
        bet_hash, step, outcome, deadline, order, _cards(UINT40.read(body["hand"], "hand"))
    )


def _session(body: Any) -> BankSession:
    name = BYTES32.read(body["session"], "session")
    numbers = (UINT256.read(body[field], field) for field in BankSession._fields[1:])
    return BankSession(name, *numbers)


def _events(body: Any) -> list[BankEvent]:
    events = [event_from_json(event) for event in body["events"]]
    for event in events:
        hand = event.values.get("hand", 0)
        if isinstance(hand, int):  # the hand of a closed session is a game's key, and no cards
            _cards(hand)
    return events


def _cards(hand: int) -> int:
    if any(card >= DECK for card in unpacked_hand(hand)):
        raise BadCall(f"a hand is five cards, a byte each, not {hand:#012x}")
    return hand


async def _asked(url: str, ask: Callable[[], T]) -> T:
    """Ask in a thread; what goes wrong, in the words of the port."""
    try:
        return await asyncio.to_thread(ask)
    except Unreachable as error:
        raise BankAway(str(error)) from None
    except Refused as error:
        if error.code == BankRefused.code:
            raise refusal_from_json(
                {name: error.problem.get(name) for name in ("refusal", "values")}
            ) from None
        if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise BankAway(f"{url} does not work now: {error}") from None
        raise
    except (BadCall, KeyError, TypeError) as error:
        raise BankAway(f"{url} does not answer as a Bank in a ledger does: {error}") from None

"""The Croupier's desk over HTTP: the port `CroupierDesk` for a Player on another machine.

The requests are made by `fairground.clients.http`: with time limits, and repeated where the
network fails, which is harmless since the same message twice changes nothing. (It stands
here and not in `clients`, which knows nothing of bets and seeds.)

Nothing that comes back is believed further than its form: the Player checks commitments
and signatures, and asks the Bank. Nor is anything waited for without end: a Croupier who
answers a byte at a time would otherwise keep the Player from the Bank until it is too late.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from fairground.bank.chain.artifact import Terms
from fairground.bank.croupier_port import REFUSALS, STAGES, About, CroupierDesk, Offer, Sight
from fairground.bank.crypto.curve import Signature
from fairground.bank.fields import ADDRESS, BYTES32, SEED, THE_BET, UINT256
from fairground.bank.messages import Bet, Domain
from fairground.bank.seeds import Seed
from fairground.clients.http import LONGEST, Http, HttpReply, Refused, Unreachable, in_plain_words
from fairground.core import InputError

PATIENCE: Final = 20.0
"""Seconds that he has for an answer once a bet may be signed, however he uses them."""

BEFORE: Final = 300.0
"""And before: he may have to wait for the Bank himself, and nothing is at risk."""

MOST_LEFT: Final = 16
"""Questions that he may leave open before he is not asked any more."""


class DeskClient(CroupierDesk):
    """A Croupier by the address of his arena."""

    def __init__(self, url: str, http: Http | None = None, patience: float = PATIENCE) -> None:
        self.url = url.rstrip("/").removesuffix("/croupier")
        self._http = http or Http()
        self._patience = patience
        self._asking: list[threading.Thread] = []

    async def about(self) -> About:
        """Who he says he is."""
        found = await self.ask("croupier", patience=BEFORE)
        with Reading(self.url):
            return About(
                ADDRESS.read(found["account"], "account"),
                ADDRESS.read(found["key"], "key"),
                Domain(UINT256.read(found["chain"], "chain"), ADDRESS.read(found["bank"], "bank")),
                Terms(
                    UINT256.read(found["chip_cost"], "chip_cost"),
                    UINT256.read(found["step_time"], "step_time"),
                ),
                in_plain_words(found["trusted"]),
                UINT256.read(found["confirmations"], "confirmations"),
            )

    async def offer(self, player: str) -> Offer:
        """Ask for a game."""
        found = await self.ask("croupier/offers", {"player": player}, patience=BEFORE)
        with Reading(self.url):
            first, second = found["commitments"]
            return Offer(
                _name(found["id"]),
                ADDRESS.read(found["croupier"], "croupier"),
                ADDRESS.read(found["player"], "player"),
                ADDRESS.read(found["croupier_key"], "croupier_key"),
                UINT256.read(found["game_id"], "game_id"),
                (BYTES32.read(first, "commitment 0"), BYTES32.read(second, "commitment 1")),
                UINT256.read(found["expiry"], "expiry"),
            )

    async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
        """Place the signed bet."""
        body = {"bet": THE_BET.write(bet), "signature": signature.hex()}
        await self.ask(f"croupier/games/{offer_id}/bet", body)

    async def seed(self, offer_id: str, seed_id: int, seed: Seed) -> None:
        """Tell him the Player's seed."""
        body = {"seed_id": seed_id, "seed": seed.hex()}
        await self.ask(f"croupier/games/{offer_id}/seed", body)

    async def order(
        self,
        offer_id: str,
        order: Sequence[int],
        signature: Signature,
        seed: Seed | None = None,
    ) -> None:
        """Tell him the signed order, and seed 0 with it."""
        body: dict[str, Any] = {"order": list(order), "signature": signature.hex()}
        if seed is not None:
            body["seed"] = seed.hex()
        await self.ask(f"croupier/games/{offer_id}/order", body)

    async def look(self, offer_id: str) -> Sight:
        """How far the game is, as he says."""
        found = await self.ask(f"croupier/games/{offer_id}")
        with Reading(self.url):
            if found["stage"] not in STAGES:
                raise ValueError(f"the stage {found['stage']!r}")
            first, second = (
                None if seed is None else SEED.read(seed, "seed") for seed in found["seeds"]
            )
            return Sight(found["stage"], (first, second), in_plain_words(found["trouble"]))

    async def transcript(self, offer_id: str) -> bytes:
        """His record of a game; the Player's own has the same bytes."""
        where = f"{self.url}/croupier/games/{offer_id}/transcript"
        reply: HttpReply = await self._in_time(BEFORE, partial(self._http.send, "GET", where))
        return reply.data

    async def ask(self, path: str, body: Any = None, patience: float | None = None) -> Any:
        """Ask his arena: GET, or POST with a body; refused as he refuses in process."""
        where = f"{self.url}/{path}"
        ask = partial(self._http.get, where)
        if body is not None:
            ask = partial(self._http.post, where, body)
        return await self._in_time(patience or self._patience, ask)

    async def _in_time(self, seconds: float, ask: Callable[[], Any]) -> Any:
        """Ask in a thread, which is left behind when the time is up.

        A thread of its own, and a daemon: the program ends without it, and no pool that
        others need fills up with those that wait.
        """
        self._asking = [thread for thread in self._asking if thread.is_alive()]
        if len(self._asking) >= MOST_LEFT:
            raise Unreachable(f"{self.url} has {MOST_LEFT} questions to answer, and answers none")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()

        def tell(result: Any, error: Exception | None) -> None:
            if answer.done():
                return
            if error is None:
                answer.set_result(result)
            else:
                answer.set_exception(error)

        def work() -> None:
            result, failed = None, None
            try:
                result = ask()
            except Exception as error:  # whatever it is, it is told where it is awaited
                failed = error
            with contextlib.suppress(RuntimeError):  # nobody is there any more
                loop.call_soon_threadsafe(tell, result, failed)

        thread = threading.Thread(target=work, daemon=True)
        self._asking.append(thread)
        thread.start()
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except Refused as refused:
            kind = REFUSALS.get(refused.code)
            if kind is None:
                raise
            raise kind(str(refused)) from None
        except TimeoutError:
            raise Unreachable(f"{self.url} does not answer within {seconds:g} seconds") from None


def _name(value: object) -> str:
    """An offer's name, as it may stand in an address."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,200}", value):
        raise ValueError(f"the name {value!r}")
    return value


class Reading:
    """Whatever is wrong with the form of an answer is said in one way."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, (KeyError, TypeError, ValueError, InputError)):
            reason = f"{self._url} answers as no Croupier does: {error}"
            raise Unreachable(reason[:LONGEST]) from None

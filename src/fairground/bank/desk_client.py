"""The Croupier's desk over HTTP: the port `Desk` for a Player on another machine.

The requests are made as those of `players.remote`: with time limits, and repeated where the
network fails, which is harmless since the same message twice changes nothing. (It stands
here and not in `players`, which knows nothing of bets and seeds.)

Nothing that comes back is believed further than its form: the Player checks commitments
and signatures, and asks the Bank.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Final

from fairground.bank.artifact import Terms
from fairground.bank.calls import ADDRESS, BYTES32, SEED, THE_BET, UINT256
from fairground.bank.curve import Signature
from fairground.bank.desk import REFUSALS, STAGES, About, Desk, Offer, Sight
from fairground.bank.seeds import Seed
from fairground.bank.wire import Bet, Domain
from fairground.core import InputError
from fairground.players.remote import Http, Refused, Unreachable

LONGEST: Final = 1000
"""Characters of his words that are passed on."""


class DeskClient(Desk):
    """A Croupier by the address of his arena."""

    def __init__(self, url: str, http: Http | None = None) -> None:
        self.url = url.rstrip("/").removesuffix("/croupier")
        self._http = http or Http()

    async def about(self) -> About:
        """Who he says he is."""
        found = await self._ask("croupier")
        with _Reading(self.url):
            return About(
                ADDRESS.read(found["account"], "account"),
                ADDRESS.read(found["key"], "key"),
                Domain(UINT256.read(found["chain"], "chain"), ADDRESS.read(found["bank"], "bank")),
                Terms(
                    UINT256.read(found["chip_cost"], "chip_cost"),
                    UINT256.read(found["step_time"], "step_time"),
                ),
                str(found["trusted"])[:LONGEST],
                UINT256.read(found["confirmations"], "confirmations"),
            )

    async def offer(self, player: str) -> Offer:
        """Ask for a game."""
        found = await self._ask("croupier/offers", {"player": player})
        with _Reading(self.url):
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
        await self._ask(f"croupier/games/{offer_id}/bet", body)

    async def seed(self, offer_id: str, seed_id: int, seed: Seed) -> None:
        """Tell him the Player's seed."""
        body = {"seed_id": seed_id, "seed": seed.hex()}
        await self._ask(f"croupier/games/{offer_id}/seed", body)

    async def order(self, offer_id: str, order: Sequence[int], signature: Signature) -> None:
        """Tell him the signed order."""
        body = {"order": list(order), "signature": signature.hex()}
        await self._ask(f"croupier/games/{offer_id}/order", body)

    async def look(self, offer_id: str) -> Sight:
        """How far the game is, as he says."""
        found = await self._ask(f"croupier/games/{offer_id}")
        with _Reading(self.url):
            if found["stage"] not in STAGES:
                raise ValueError(f"the stage {found['stage']!r}")
            first, second = (
                None if seed is None else SEED.read(seed, "seed") for seed in found["seeds"]
            )
            return Sight(found["stage"], (first, second), str(found["trouble"])[:LONGEST])

    async def transcript(self, offer_id: str) -> bytes:
        """His record of a game; the Player's own has the same bytes."""
        where = f"{self.url}/croupier/games/{offer_id}/transcript"
        data: bytes = await self._in_a_thread(self._http.send, where)
        return data

    async def _ask(self, path: str, body: Any = None) -> Any:
        where = f"{self.url}/{path}"
        if body is None:
            return await self._in_a_thread(self._http.get, where)
        return await self._in_a_thread(self._http.post, where, body)

    @staticmethod
    async def _in_a_thread(ask: Any, *values: Any) -> Any:
        try:
            return await asyncio.to_thread(ask, *values)
        except Refused as refused:
            kind = REFUSALS.get(refused.code)
            if kind is None:
                raise
            raise kind(str(refused)) from None


def _name(value: object) -> str:
    """An offer's name, as it may stand in an address."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,200}", value):
        raise ValueError(f"the name {value!r}")
    return value


class _Reading:
    """Whatever is wrong with the form of an answer is said in one way."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, (KeyError, TypeError, ValueError, InputError)):
            reason = f"{self._url} answers as no Croupier does: {error}"
            raise Unreachable(reason[:LONGEST]) from None

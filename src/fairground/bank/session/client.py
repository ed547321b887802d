"""The Croupier's desk for sessions over HTTP: the port `SessionDesk` for a Player elsewhere.

Nothing that comes back is believed further than its form: `SessionPlayer` checks commitments and
signatures, and asks the Bank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.bank.croupier.client import BEFORE, DeskClient, Reading
from fairground.bank.crypto.curve import Signature
from fairground.bank.fields import BYTES32, SEED, SIGNATURE, THE_BET, THE_SESSION, THE_STATE
from fairground.bank.messages import Bet, SessionState, SessionTerms
from fairground.bank.seeds import Seed
from fairground.bank.session.desk import Drawn, SessionDesk, SessionSight, Taken
from fairground.core import written


class SessionDeskClient(SessionDesk):
    """A Croupier by the desk of his arena."""

    def __init__(self, desk: DeskClient) -> None:
        self._desk = desk

    async def _say(self, session: bytes, what: str, body: dict[str, Any]) -> Any:
        return await self._desk.ask(f"croupier/sessions/{session.hex()}/{what}", body)

    def _reading(self) -> Reading:
        return Reading(self._desk.url)

    async def session(self, player: str, funds: int) -> SessionTerms:
        """The terms of a new session."""
        body = {"player": player, "funds": written(funds)}
        found = await self._desk.ask("croupier/sessions", body, patience=BEFORE)
        with self._reading():
            terms: SessionTerms = THE_SESSION.read(found["terms"], "terms")
            return terms

    async def open(self, terms: SessionTerms, signature: Signature) -> None:
        """Have it opened; on a chain that takes a block or two."""
        where = f"croupier/sessions/{terms.struct_hash().hex()}/open"
        body = {"terms": THE_SESSION.write(terms), "signature": signature.hex()}
        await self._desk.ask(where, body, patience=BEFORE)

    async def offer(self, session: bytes, hand: int) -> tuple[bytes, bytes]:
        """Commitments to his two seeds for the next hand."""
        found = await self._say(session, "offer", {"hand": hand})
        with self._reading():
            first, second = found["commitments"]
            return BYTES32.read(first, "commitment 0"), BYTES32.read(second, "commitment 1")

    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
        """Place a bet on the offer."""
        body = {"bet": THE_BET.write(bet), "signature": signature.hex()}
        found = await self._say(session, "bet", body)
        with self._reading():
            his = SIGNATURE.read(found["signature"], "signature")
            return Taken(his, SEED.read(found["seed"], "seed"))

    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        """Tell the Player's seed 0, and the signed order."""
        body = {"seed": seed.hex(), "order": list(order), "signature": signature.hex()}
        found = await self._say(session, "order", body)
        with self._reading():
            if found["seed"] is None:
                return None
            his = SEED.read(found["seed"], "seed")
            return Drawn(his, SIGNATURE.read(found["acceptance"], "acceptance"))

    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        """Tell the Player's seed 1, and the signed state."""
        told = None if seed is None else seed.hex()
        body = {"seed": told, "state": THE_STATE.write(state), "signature": signature.hex()}
        found = await self._say(session, "state", body)
        with self._reading():
            his: Signature = SIGNATURE.read(found["signature"], "signature")
            return his

    async def look(self, session: bytes) -> SessionSight:
        """How far a session is, as he says."""
        found = await self._desk.ask(f"croupier/sessions/{session.hex()}")
        with self._reading():
            return SessionSight(
                THE_SESSION.read(found["terms"], "terms"),
                THE_STATE.read(found["state"], "state"),
                SIGNATURE.read(found["player_signature"], "player_signature"),
                SIGNATURE.read(found["croupier_signature"], "croupier_signature"),
                bool(found["playing"]),
                bool(found["closed"]),
            )

"""The Croupier's desk over HTTP: `CroupierDesk` and `SessionDesk` for a Player elsewhere.

The requests are made by `fairground.clients.http`, with time limits and retries. A retry is
harmless, since the same message twice changes nothing. (The module stands here and not in
`clients`, which knows nothing of bets and seeds.)

Only the form of an answer is checked here. The Player checks commitments and signatures, and asks
the Bank. Every request has a time limit: a Croupier who answers a byte at a time could otherwise
keep the Player from the Bank until it is too late.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from fairground.bank.bank_port import Terms
from fairground.bank.calls import (
    ADDRESS,
    SEED,
    THE_SESSION,
    UINT256,
    as_json,
    from_json,
    optional,
    pair,
)
from fairground.bank.croupier_port import (
    MESSAGES,
    REFUSALS,
    STAGES,
    About,
    CroupierDesk,
    Drawn,
    Offer,
    SessionDesk,
    SessionSight,
    Sight,
    Taken,
)
from fairground.bank.messages import Bet, Domain, SessionState, SessionTerms
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature
from fairground.clients.http import LONGEST, Http, HttpReply, Refused, Unreachable, in_plain_words
from fairground.core import InputError, written

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
        self.sessions = SessionDeskClient(self)

    async def about(self) -> About:
        found = await self.ask("croupier", patience=BEFORE)
        with _reading(self.url):
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
        found = await self.ask("croupier/offers", {"player": player}, patience=BEFORE)
        with _reading(self.url):
            return Offer(_name(found["id"]), *from_json(MESSAGES["offer"], found))

    async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
        body = as_json(MESSAGES["bet"], (bet, signature))
        await self.ask(f"croupier/games/{offer_id}/bet", body)

    async def seed(self, offer_id: str, seed_id: int, seed: Seed) -> None:
        body = {"seed_id": seed_id, "seed": seed.hex()}
        await self.ask(f"croupier/games/{offer_id}/seed", body)

    async def order(
        self, offer_id: str, order: Sequence[int], signature: Signature, seed: Seed | None = None
    ) -> None:
        body: dict[str, Any] = {"order": list(order), "signature": signature.hex()}
        if seed is not None:
            body["seed"] = seed.hex()
        await self.ask(f"croupier/games/{offer_id}/order", body)

    async def look(self, offer_id: str) -> Sight:
        found = await self.ask(f"croupier/games/{offer_id}")
        with _reading(self.url):
            if found["stage"] not in STAGES:
                raise ValueError(f"the stage {found['stage']!r}")
            seeds = pair(optional(SEED)).read(found["seeds"], "seed")
            return Sight(found["stage"], seeds, in_plain_words(found["trouble"]))

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
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()

        def work() -> None:
            try:
                answer.set_result(ask())
            except Exception as error:  # whatever it is, it is told where it is awaited
                answer.set_exception(error)

        thread = threading.Thread(target=work, daemon=True)
        self._asking.append(thread)
        thread.start()
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(answer)
        except Refused as refused:
            kind = REFUSALS.get(refused.code)
            if kind is None:
                raise
            raise kind(str(refused)) from None
        except TimeoutError:
            raise Unreachable(f"{self.url} does not answer within {seconds:g} seconds") from None


def _name(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,200}", value):
        raise ValueError(f"the name {value!r}")
    return value


@contextlib.contextmanager
def _reading(url: str) -> Iterator[None]:
    """Report every fault in the form of an answer as one kind of error."""
    try:
        yield
    except (KeyError, TypeError, ValueError, InputError) as error:
        raise Unreachable(f"{url} answers as no Croupier does: {error}"[:LONGEST]) from None


class SessionDeskClient(SessionDesk):
    """A Croupier by the desk of his arena."""

    def __init__(self, desk: DeskClient) -> None:
        self._desk = desk

    async def _say(self, session: bytes, what: str, body: Any, answer: str) -> Any:
        found = await self._desk.ask(f"croupier/sessions/{session.hex()}/{what}", body)
        with _reading(self._desk.url):
            return from_json(MESSAGES[answer], found)

    async def session(self, player: str, funds: int) -> SessionTerms:
        body = {"player": player, "funds": written(funds)}
        found = await self._desk.ask("croupier/sessions", body, patience=BEFORE)
        with _reading(self._desk.url):
            terms: SessionTerms = THE_SESSION.read(found["terms"], "terms")
            return terms

    async def open(self, terms: SessionTerms, signature: Signature) -> None:
        where = f"croupier/sessions/{terms.struct_hash().hex()}/open"
        body = as_json(MESSAGES["session"], (terms, signature))
        await self._desk.ask(where, body, patience=BEFORE)

    async def offer(self, session: bytes, hand: int) -> tuple[bytes, bytes]:
        (commitments,) = await self._say(session, "offer", {"hand": hand}, "offered")
        first, second = commitments
        return first, second

    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
        body = as_json(MESSAGES["bet"], (bet, signature))
        return Taken(*await self._say(session, "bet", body, "taken"))

    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        body = as_json(MESSAGES["order"], (seed, order, signature))
        his, acceptance = await self._say(session, "order", body, "drawn")
        return None if his is None or acceptance is None else Drawn(his, acceptance)

    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        body = as_json(MESSAGES["state"], (seed, state, signature))
        his: Signature
        (his,) = await self._say(session, "state", body, "signed")
        return his

    async def look(self, session: bytes) -> SessionSight:
        found = await self._desk.ask(f"croupier/sessions/{session.hex()}")
        with _reading(self._desk.url):
            return SessionSight(*from_json(MESSAGES["sight"], found))

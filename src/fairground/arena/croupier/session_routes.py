"""Sessions with the Croupier over HTTP: many hands, one settlement.

Nothing here decides anything: `bank.session.croupier` does. What counts is signed, so nobody can
speak for somebody else. Each request may be sent again: the same words get the same answer.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import FromPath, JSONBody

from fairground.arena.croupier.routes import TheCroupier
from fairground.arena.croupier.session_wire import (
    BetTaken,
    HandBet,
    HandOffered,
    HandOrder,
    NewHand,
    NewSession,
    NewState,
    OpenSessionIn,
    OrderTaken,
    SessionShown,
    SessionTermsIn,
    SessionTermsOut,
    StateIn,
    StateSigned,
)
from fairground.arena.http.addresses import address
from fairground.bank.croupier_port import Declined
from fairground.bank.fields import (
    ADDRESS,
    BYTES32,
    SEED,
    SIGNATURE,
    THE_BET,
    THE_SESSION,
    THE_STATE,
    UINT256,
)
from fairground.bank.messages import SessionTerms

TheRequest = Request[Any, Any, State]


def _name(text: str) -> bytes:
    return bytes(BYTES32.read(text, "the session's name"))


def _terms(terms: SessionTerms) -> SessionTermsIn:
    return SessionTermsIn(**THE_SESSION.write(terms))


@post("/croupier/sessions", status_code=200, summary="Ask for the terms of a session")
async def new_session(
    request: TheRequest, data: JSONBody[NewSession], desk: TheCroupier
) -> SessionTermsOut:
    """What he puts in, and the number of the session. Sign them, and open it."""
    player, funds = ADDRESS.read(data.player, "player"), UINT256.read(data.funds, "funds")
    terms = await desk.sessions.session(player, funds)
    name = terms.struct_hash().hex()
    return SessionTermsOut(address(request, f"croupier/sessions/{name}"), name, _terms(terms))


@post("/croupier/sessions/{name:str}/open", status_code=200, summary="Have a session opened")
async def open_session(
    request: TheRequest, name: FromPath[str], data: JSONBody[OpenSessionIn], desk: TheCroupier
) -> SessionShown:
    """He brings it to the Bank, which locks both parts; on a chain that takes a block."""
    terms = THE_SESSION.read(msgspec.to_builtins(data.terms), "terms")
    if terms.struct_hash() != _name(name):
        raise Declined(f"these terms are called {terms.struct_hash().hex()}, not {name}")
    await desk.sessions.open(terms, SIGNATURE.read(data.signature, "signature"))
    return await _shown(request, name, desk)


@get("/croupier/sessions/{name:str}", summary="How far a session is")
async def get_croupier_session(
    request: TheRequest, name: FromPath[str], desk: TheCroupier
) -> SessionShown:
    """With the last state that both have signed."""
    return await _shown(request, name, desk)


async def _shown(request: TheRequest, name: str, desk: TheCroupier) -> SessionShown:
    sight = await desk.sessions.look(_name(name))
    return SessionShown(
        address(request, f"croupier/sessions/{name}"),
        _terms(sight.terms),
        StateIn(**THE_STATE.write(sight.state)),
        sight.player_signature.hex(),
        sight.croupier_signature.hex(),
        sight.playing,
        sight.closed,
    )


@post("/croupier/sessions/{name:str}/offer", status_code=200, summary="Ask for the next hand")
async def offer_hand(
    name: FromPath[str], data: JSONBody[NewHand], desk: TheCroupier
) -> HandOffered:
    """Commitments to two fresh seeds, for this hand alone; the same again if asked again."""
    commitments = await desk.sessions.offer(_name(name), data.hand)
    return HandOffered([commitment.hex() for commitment in commitments])


@post("/croupier/sessions/{name:str}/bet", status_code=200, summary="Bet on the next hand")
async def bet_on_hand(name: FromPath[str], data: JSONBody[HandBet], desk: TheCroupier) -> BetTaken:
    """He signs the same bet, and tells seed 0. From then on it counts."""
    bet = THE_BET.read(msgspec.to_builtins(data.bet), "bet")
    signature = SIGNATURE.read(data.signature, "signature")
    taken = await desk.sessions.bet(_name(name), bet, signature)
    return BetTaken(taken.signature.hex(), taken.seed.hex())


@post("/croupier/sessions/{name:str}/order", status_code=200, summary="Tell the signed order")
async def order_in_hand(
    name: FromPath[str], data: JSONBody[HandOrder], desk: TheCroupier
) -> OrderTaken:
    """He tells seed 1 for it, and signs for which order he told it."""
    seed, signature = SEED.read(data.seed, "seed"), SIGNATURE.read(data.signature, "signature")
    drawn = await desk.sessions.order(_name(name), seed, data.order, signature)
    if drawn is None:
        return OrderTaken(None, None)
    return OrderTaken(drawn.seed.hex(), drawn.acceptance.hex())


@post(
    "/croupier/sessions/{name:str}/state",
    status_code=200,
    summary="Sign for how the session stands",
)
async def sign_state(
    name: FromPath[str], data: JSONBody[NewState], desk: TheCroupier
) -> StateSigned:
    """After a hand, or to close: he signs the same state. A last one he brings to the Bank."""
    seed = None if data.seed is None else SEED.read(data.seed, "seed")
    state = THE_STATE.read(msgspec.to_builtins(data.state), "state")
    signature = SIGNATURE.read(data.signature, "signature")
    return StateSigned((await desk.sessions.state(_name(name), seed, state, signature)).hex())


SESSION_ROUTES: Final = (
    new_session,
    open_session,
    get_croupier_session,
    offer_hand,
    bet_on_hand,
    order_in_hand,
    sign_state,
)

"""The Croupier over HTTP: his desk, with an address.

Nothing here decides anything: `bank.croupier` does. Whoever has the address of a game can
look at it and speak in it, but what counts is signed, so nobody can speak for somebody
else.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from fairground.arena.croupier.showing import shown_game
from fairground.arena.croupier.wire import (
    AboutOut,
    CroupierGame,
    NewBet,
    NewOffer,
    NewOrder,
    NewSeed,
    OfferOut,
)
from fairground.arena.http.addresses import address
from fairground.arena.http.problems import Unknown
from fairground.arena.http.queries import Wait
from fairground.arena.log_watch import News, at_most
from fairground.arena.state import TheArena
from fairground.bank.bank_port import PLAY_MONEY
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.fields import SEED, SIGNATURE, THE_BET
from fairground.clients.protocol import JSON_LINES
from fairground.core import written

TheCroupier = NamedDependency[Croupier]
TheRequest = Request[Any, Any, State]


def the_croupier(arena: TheArena) -> Croupier:
    """The one of this arena; there may be none."""
    if arena.croupier is None:
        raise Unknown("there is no Croupier in this arena")
    return arena.croupier


@get("/croupier", summary="Who the Croupier is, and where he plays")
async def about_croupier(desk: TheCroupier) -> AboutOut:
    """Compare it with your own view of the Bank before you deposit anything."""
    about = await desk.about()
    return AboutOut(
        about.account,
        about.key,
        written(about.domain.chain_id),
        about.domain.bank,
        written(about.terms.chip_cost),
        written(about.terms.step_time),
        about.confirmations,
        about.trusted,
        PLAY_MONEY,
    )


@post("/croupier/offers", summary="Ask for a game")
async def new_offer(request: TheRequest, data: JSONBody[NewOffer], desk: TheCroupier) -> OfferOut:
    """Commitments to two fresh seeds. Until somebody bets on it, it is the same for a while."""
    offer = await desk.offer(data.player)
    return OfferOut(
        address(request, f"croupier/games/{offer.id}"),
        offer.id,
        offer.croupier,
        offer.player,
        offer.croupier_key,
        written(offer.game_id),
        [commitment.hex() for commitment in offer.commitments],
        written(offer.expiry),
    )


@post("/croupier/games/{name:str}/bet", status_code=200, summary="Place the signed bet")
async def place_bet(
    request: TheRequest, name: FromPath[str], data: JSONBody[NewBet], desk: TheCroupier
) -> CroupierGame:
    """He checks it, keeps it, and brings it to the Bank. The same again changes nothing."""
    bet = THE_BET.read(msgspec.to_builtins(data.bet), "bet")
    await desk.bet(name, bet, SIGNATURE.read(data.signature, "signature"))
    return await shown_game(address(request, ""), name, desk)


@get("/croupier/games/{name:str}", summary="How far a game is")
async def get_croupier_game(
    request: TheRequest,
    name: FromPath[str],
    desk: TheCroupier,
    arena: TheArena,
    *,
    after: Annotated[
        str | None,
        QueryParameter(name="after", description="wait while the game is at this stage"),
    ] = None,
    wait: Wait = 0,
) -> CroupierGame:
    """With his seeds, as far as they may be told."""
    if wait and after is not None:
        await _wait(name, desk, arena.news, after, wait)
    return await shown_game(address(request, ""), name, desk)


@post("/croupier/games/{name:str}/seed", status_code=200, summary="Tell the Player's seed")
async def tell_seed(
    request: TheRequest, name: FromPath[str], data: JSONBody[NewSeed], desk: TheCroupier
) -> CroupierGame:
    """He brings it to the Bank; so may you."""
    await desk.seed(name, data.seed_id, SEED.read(data.seed, "seed"))
    return await shown_game(address(request, ""), name, desk)


@post("/croupier/games/{name:str}/order", status_code=200, summary="Tell the signed order")
async def tell_order(
    request: TheRequest, name: FromPath[str], data: JSONBody[NewOrder], desk: TheCroupier
) -> CroupierGame:
    """The first counts; and the one that the Bank has, before all others."""
    seed = None if data.seed is None else SEED.read(data.seed, "seed")
    await desk.order(name, data.order, SIGNATURE.read(data.signature, "signature"), seed)
    return await shown_game(address(request, ""), name, desk)


@get(
    "/croupier/games/{name:str}/transcript",
    media_type=JSON_LINES,
    summary="The transcript, once the final hand is known",
)
async def croupier_transcript(name: FromPath[str], desk: TheCroupier) -> Response[bytes]:
    """What ``fairground verify`` checks. The Player's client writes the same bytes itself."""
    return Response(await desk.transcript(name), media_type=JSON_LINES)


async def _wait(name: str, desk: Croupier, news: News, stage: str, seconds: float) -> None:
    """Return when the game is at another stage, or after this time."""
    with news.watch(name) as watch:
        async with at_most(seconds):
            while (await desk.look(name)).stage == stage and not news.closing:
                await watch.wait(seconds)


CROUPIER_ROUTES: Final = (
    about_croupier,
    new_offer,
    place_bet,
    get_croupier_game,
    tell_seed,
    tell_order,
    croupier_transcript,
)

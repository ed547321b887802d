"""The Croupier over HTTP: his desk, with an address. And the Bank in a ledger.

All decisions are made in `bank.croupier`. Anyone with the address of a game can read it and send
messages to it. Only signed messages count, so nobody can act for another. All queries to the Bank
are public, as they are on a chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from fairground.bank.bank_port import (
    PLAY_MONEY,
    Account,
    BankAway,
    BankGame,
    BankRefused,
    BankSession,
)
from fairground.bank.calls import (
    ADDRESS,
    BYTES32,
    SEED,
    SIGNATURE,
    THE_SESSION,
    UINT256,
    VIEWS,
    BadCall,
    Envelope,
    address,
    as_json,
    event_as_json,
    from_json,
    refusal_as_json,
)
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.croupier_port import (
    MESSAGES,
    Busy,
    Closed,
    Declined,
    SaidOtherwise,
    TooSoon,
    UnknownGame,
)
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.seeds import WrongSeed
from fairground.bank.signatures import BadSignature
from fairground.clients.protocol import JSON_LINES, PROBLEM
from fairground.core import BadShare, InputError, written
from fairground.server.croupier.wire import (
    AboutOut,
    AccountOut,
    BankOut,
    BetTaken,
    CroupierGame,
    EventsOut,
    GameOut,
    HandOffered,
    HandOrder,
    NewBet,
    NewCall,
    NewHand,
    NewMoney,
    NewOffer,
    NewOrder,
    NewSeed,
    NewSession,
    NewState,
    NextOut,
    OfferOut,
    OpenSessionIn,
    OrderTaken,
    RefusedByBank,
    SessionOut,
    SessionShown,
    SessionTermsIn,
    SessionTermsOut,
    StateSigned,
)
from fairground.server.http.addresses import address as url_of
from fairground.server.http.problems import Problem, Unknown, refuses
from fairground.server.http.requests import Wait
from fairground.server.log_watch import News, at_most
from fairground.server.state import TheArena
from fairground.store import Conflict

TheCroupier = NamedDependency[Croupier]
TheRequest = Request[Any, Any, State]


def the_croupier(arena: TheArena) -> Croupier:
    """Return the arena's Croupier, or raise `Unknown` if it has none."""
    if arena.croupier is None:
        raise Unknown("there is no Croupier in this arena")
    return arena.croupier


@get(
    "/croupier",
    summary="Who the Croupier is, and where he plays",
    response_description="Who he is, and where he plays",
    opt=refuses(Unknown, BankAway),
)
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


@post(
    "/croupier/offers",
    summary="Ask for a game",
    response_description="He is ready to play, once",
    opt=refuses(Unknown, InputError, Declined, Busy, BankAway),
)
async def new_offer(request: TheRequest, data: JSONBody[NewOffer], desk: TheCroupier) -> OfferOut:
    """Commitments to two fresh seeds. Until somebody bets on it, it is the same for a while."""
    offer = await desk.offer(data.player)
    return OfferOut(
        url_of(request, f"croupier/games/{offer.id}"),
        offer.id,
        *as_json(MESSAGES["offer"], offer[1:]).values(),
    )


@post(
    "/croupier/games/{name:str}/bet",
    status_code=200,
    summary="Place the signed bet",
    response_description="He has it, durably, and brings it to the Bank",
    opt=refuses(
        UnknownGame,
        BadCall,
        BadSignature,
        Declined,
        SaidOtherwise,
        Closed,
        Busy,
        Conflict,
        BankAway,
    ),
)
async def place_bet(
    request: TheRequest, name: FromPath[str], data: JSONBody[NewBet], desk: TheCroupier
) -> CroupierGame:
    """The Croupier checks the message, keeps it, and brings it to the Bank. Repeating it changes
    nothing.
    """
    await desk.bet(name, *_said("bet", data))
    return CroupierGame.of(url_of(request, ""), name, await desk.look(name))


@get(
    "/croupier/games/{name:str}",
    summary="How far a game is",
    response_description="How far it is, as he says",
    opt=refuses(UnknownGame),
)
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
    return CroupierGame.of(url_of(request, ""), name, await desk.look(name))


@post(
    "/croupier/games/{name:str}/seed",
    status_code=200,
    summary="Tell the Player's seed",
    response_description="He has it, durably, and brings it to the Bank",
    opt=refuses(UnknownGame, BadCall, WrongSeed, BadSignature, TooSoon, Closed, Conflict),
)
async def tell_seed(
    request: TheRequest, name: FromPath[str], data: JSONBody[NewSeed], desk: TheCroupier
) -> CroupierGame:
    """He brings it to the Bank; so may you."""
    await desk.seed(name, data.seed_id, SEED.read(data.seed, "seed"))
    return CroupierGame.of(url_of(request, ""), name, await desk.look(name))


@post(
    "/croupier/games/{name:str}/order",
    status_code=200,
    summary="Tell the signed order",
    response_description="He has it, durably, and brings it to the Bank",
    opt=refuses(
        UnknownGame,
        BadCall,
        BadSignature,
        Declined,
        TooSoon,
        SaidOtherwise,
        Closed,
        Conflict,
        BankAway,
    ),
)
async def tell_order(
    request: TheRequest, name: FromPath[str], data: JSONBody[NewOrder], desk: TheCroupier
) -> CroupierGame:
    """The first counts; and the one that the Bank has, before all others."""
    seed = None if data.seed is None else SEED.read(data.seed, "seed")
    await desk.order(name, data.order, SIGNATURE.read(data.signature, "signature"), seed)
    return CroupierGame.of(url_of(request, ""), name, await desk.look(name))


@get(
    "/croupier/games/{name:str}/transcript",
    media_type=JSON_LINES,
    summary="The transcript, once the final hand is known",
    response_description="JSON Lines, one for each event",
    opt=refuses(UnknownGame, TooSoon, Closed),
)
async def croupier_transcript(name: FromPath[str], desk: TheCroupier) -> Response[bytes]:
    """The record for ``fairground verify``. The Player's client writes identical bytes."""
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


# Sessions: many hands, one settlement
#
# All decisions are made in `bank.croupier.session`. Messages are signed, so nobody can act for
# another. Each request may be sent again, and gets the same answer.


def _said(what: str, data: msgspec.Struct) -> list[Any]:
    """Return what a body says, in the order of its members."""
    return from_json(MESSAGES[what], msgspec.to_builtins(data))


def _name(text: str) -> bytes:
    return bytes(BYTES32.read(text, "the session's name"))


IN_SESSION: Final = (
    *(UnknownGame, BadCall, BadSignature, BadShare, Declined, TooSoon, SaidOtherwise, Closed),
    *(Conflict, BankAway),
)
"""The problems of a message to the Croupier in a session."""


@post(
    "/croupier/sessions",
    status_code=200,
    summary="Ask for the terms of a session",
    response_description="The terms on which he is ready",
    opt=refuses(Unknown, BadCall, Declined, SaidOtherwise, Busy, BankAway),
)
async def new_session(
    request: TheRequest, data: JSONBody[NewSession], desk: TheCroupier
) -> SessionTermsOut:
    """The Croupier's stake, and the number of the session. Sign these terms to open the session."""
    player, funds = ADDRESS.read(data.player, "player"), UINT256.read(data.funds, "funds")
    terms = await desk.sessions.session(player, funds)
    name = terms.struct_hash().hex()
    return SessionTermsOut(
        url_of(request, f"croupier/sessions/{name}"),
        name,
        SessionTermsIn(**THE_SESSION.write(terms)),
    )


@post(
    "/croupier/sessions/{name:str}/open",
    status_code=200,
    summary="Have a session opened",
    response_description="The Bank has it",
    opt=refuses(BadCall, BadSignature, Declined, SaidOtherwise, Busy, BankRefused, BankAway),
)
async def open_session(
    request: TheRequest, name: FromPath[str], data: JSONBody[OpenSessionIn], desk: TheCroupier
) -> SessionShown:
    """He brings it to the Bank, which locks both parts; on a chain that takes a block."""
    terms, signature = _said("session", data)
    if terms.struct_hash() != _name(name):
        raise Declined(f"these terms are called {terms.struct_hash().hex()}, not {name}")
    await desk.sessions.open(terms, signature)
    return await _shown(request, name, desk)


@get(
    "/croupier/sessions/{name:str}",
    summary="How far a session is",
    response_description="How far it is, as he says",
    opt=refuses(UnknownGame, BadCall, Declined),
)
async def get_croupier_session(
    request: TheRequest, name: FromPath[str], desk: TheCroupier
) -> SessionShown:
    """With the last state that both have signed."""
    return await _shown(request, name, desk)


async def _shown(request: TheRequest, name: str, desk: TheCroupier) -> SessionShown:
    sight = await desk.sessions.look(_name(name))
    here = url_of(request, f"croupier/sessions/{name}")
    return msgspec.convert({"self": here, **as_json(MESSAGES["sight"], sight)}, SessionShown)


@post(
    "/croupier/sessions/{name:str}/offer",
    status_code=200,
    summary="Ask for the next hand",
    response_description="His commitments, to seeds that he has, durably",
    opt=refuses(UnknownGame, BadCall, Declined, TooSoon, Closed, Conflict, BankAway),
)
async def offer_hand(
    name: FromPath[str], data: JSONBody[NewHand], desk: TheCroupier
) -> HandOffered:
    """Commitments to two fresh seeds, for this hand alone; the same again if asked again."""
    commitments = await desk.sessions.offer(_name(name), data.hand)
    return HandOffered(**as_json(MESSAGES["offered"], (commitments,)))


@post(
    "/croupier/sessions/{name:str}/bet",
    status_code=200,
    summary="Bet on the next hand",
    response_description="He has signed it, and it counts",
    opt=refuses(*IN_SESSION),
)
async def bet_on_hand(name: FromPath[str], data: JSONBody[NewBet], desk: TheCroupier) -> BetTaken:
    """He signs the same bet, and tells seed 0. From then on it counts."""
    taken = await desk.sessions.bet(_name(name), *_said("bet", data))
    return BetTaken(**as_json(MESSAGES["taken"], taken))


@post(
    "/croupier/sessions/{name:str}/order",
    status_code=200,
    summary="Tell the signed order",
    response_description="His seed 1, for this order",
    opt=refuses(*IN_SESSION),
)
async def order_in_hand(
    name: FromPath[str], data: JSONBody[HandOrder], desk: TheCroupier
) -> OrderTaken:
    """He tells seed 1 for it, and signs for which order he told it."""
    drawn = await desk.sessions.order(_name(name), *_said("order", data))
    return OrderTaken(**as_json(MESSAGES["drawn"], drawn or (None, None)))


@post(
    "/croupier/sessions/{name:str}/state",
    status_code=200,
    summary="Sign for how the session stands",
    response_description="He has signed it, and it counts",
    opt=refuses(*IN_SESSION),
)
async def sign_state(
    name: FromPath[str], data: JSONBody[NewState], desk: TheCroupier
) -> StateSigned:
    """After a hand, or to close: he signs the same state. A last one he brings to the Bank."""
    return StateSigned((await desk.sessions.state(_name(name), *_said("state", data))).hex())


SESSION_ROUTES: Final = (
    new_session,
    open_session,
    get_croupier_session,
    offer_hand,
    bet_on_hand,
    order_in_hand,
    sign_state,
)


# The Bank in a ledger

MOST_LINES: Final = 1_000
"""Lines of the ledger in one answer."""

RETRY_AFTER: Final = 1

TheBank = NamedDependency[LedgerBank]


@get(
    "/",
    summary="The Bank: its terms, and where signatures for it count",
    response_description="Its terms",
    opt=refuses(Unknown, BankAway),
)
async def get_bank(bank: TheBank) -> BankOut:
    """Return the facts that a Player or a Croupier needs before signing anything."""
    return BankOut(
        bank.domain.chain_id,
        bank.domain.bank,
        written(bank.terms.chip_cost),
        bank.terms.step_time,
        written(bank.faucet),
        bank.trusted,
        PLAY_MONEY,
        await bank.now(),
    )


@get(
    "/accounts/{owner:str}",
    summary="An account",
    response_description="What the owner has",
    opt=refuses(BadCall, BankAway),
)
async def get_account(owner: FromPath[str], bank: TheBank) -> AccountOut:
    """Return the balances of an owner, in the Bank and in the purse."""
    return await _account(bank, owner)


async def _account(bank: LedgerBank, owner: str) -> AccountOut:
    owner = address(owner, "the owner")
    return AccountOut(
        owner=owner,
        purse=written(await bank.purse(owner)),
        next_number=written(await bank.next_number(owner)),
        **as_json(VIEWS[Account], await bank.account(owner)),
    )


@get(
    "/games/{key:str}",
    summary="A game",
    response_description="The game, as the Bank keeps it",
    opt=refuses(BadCall, BankAway),
)
async def get_game(key: FromPath[str], bank: TheBank) -> GameOut:
    """The game under this key (the hash of Croupier, Player and number)."""
    game = await bank.game(BYTES32.read(key, "the game's key"))
    return GameOut(**as_json(VIEWS[BankGame], game))


@get(
    "/games/{key:str}/events",
    summary="What was recorded of a game",
    response_description="What was recorded of it",
    opt=refuses(BadCall, BankAway),
)
async def game_events(key: FromPath[str], bank: TheBank) -> EventsOut:
    """Everything, in its order; so a seed that was told the Bank alone is heard."""
    return EventsOut(list(map(event_as_json, await bank.told(BYTES32.read(key, "the game's key")))))


@get(
    "/next/{croupier:str}/{player:str}",
    summary="The number of the next game of these two",
    response_description="The number of the next bet",
    opt=refuses(BadCall, BankAway),
)
async def next_game(croupier: FromPath[str], player: FromPath[str], bank: TheBank) -> NextOut:
    """Counted from 0."""
    parties = address(croupier, "the croupier"), address(player, "the player")
    return NextOut(written(await bank.next_game_id(*parties)))


@get(
    "/sessions/{croupier:str}/{player:str}",
    summary="The session of two parties",
    response_description="The session",
    opt=refuses(BadCall, BankAway),
)
async def get_session(croupier: FromPath[str], player: FromPath[str], bank: TheBank) -> SessionOut:
    """The open one, or the last."""
    parties = address(croupier, "the croupier"), address(player, "the player")
    return SessionOut(**as_json(VIEWS[BankSession], await bank.session(*parties)))


@post(
    "/calls",
    status_code=200,
    summary="Make a call",
    response_description="Recorded, durably",
    opt=refuses(Unknown, InputError, BadCall, BadSignature, BankRefused, BankAway),
)
async def make_call(data: JSONBody[NewCall], bank: TheBank) -> EventsOut:
    """The call is durable before the answer. Sending the same envelope again is harmless."""
    envelope = Envelope.from_json(msgspec.to_builtins(data))
    return EventsOut(list(map(event_as_json, await bank.submit(envelope))))


@post(
    "/faucet",
    status_code=200,
    summary="Get play money",
    response_description="Made, for this owner",
    opt=refuses(Unknown, BadCall, BankRefused, BankAway),
)
async def get_money(data: JSONBody[NewMoney], bank: TheBank) -> AccountOut:
    """Make play money for anyone who asks, up to a limit for each owner. It goes into the purse."""
    await bank.issue(data.owner, UINT256.read(data.amount, "amount"))
    return await _account(bank, data.owner)


@get(
    "/ledger",
    media_type=JSON_LINES,
    summary="The ledger itself",
    response_description="JSON Lines, one for each call",
    opt=refuses(Unknown, BankAway),
)
async def get_ledger(
    bank: TheBank,
    after: Annotated[
        int,
        QueryParameter(name="after", ge=0, le=2**31, description="leave out the lines up to this"),
    ] = 0,
) -> Response[bytes]:
    """Up to a thousand lines; with all of them anybody can run the whole history again."""
    return Response(b"".join(await bank.lines(after, MOST_LINES)), media_type=JSON_LINES)


def _refused(_: Request[Any, Any, Any], error: BankRefused) -> Response[RefusedByBank]:
    """Refused by the rules of the Bank: 409, with the contract's name for the reason."""
    status = HTTPStatus.CONFLICT
    said = refusal_as_json(error)
    problem = RefusedByBank(status.value, status.phrase, error.code, str(error), **said)
    return Response(problem, status_code=status.value, media_type=PROBLEM)


def _away(_: Request[Any, Any, Any], error: BankAway) -> Response[Problem]:
    """Answer that the outcome is unknown: the client should query it, or send the call again."""
    status = HTTPStatus.SERVICE_UNAVAILABLE
    problem = Problem(status.value, status.phrase, error.code, str(error))
    headers = {"Retry-After": str(RETRY_AFTER)}
    return Response(problem, status_code=status.value, media_type=PROBLEM, headers=headers)


def _the_bank(arena: TheArena) -> LedgerBank:
    if arena.bank is None:
        raise Unknown("there is no ledger Bank in this arena")
    return arena.bank


BANK_HANDLERS: Final = (
    get_bank,
    get_account,
    get_game,
    game_events,
    next_game,
    get_session,
    make_call,
    get_money,
    get_ledger,
)


def bank_routes(handlers: Sequence[HTTPRouteHandler] = BANK_HANDLERS) -> Router:
    """Return the routes. Without a Bank of the arena's own, they answer that it has none."""
    return Router(
        "/bank",
        route_handlers=handlers,
        dependencies={"bank": Provide(_the_bank, sync_to_thread=False)},
        exception_handlers={BankRefused: _refused, BankAway: _away},
    )

"""The Bank in a ledger, over HTTP.

All queries are public, as they are on a chain. Every call is signed, so nobody logs in.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, Router, get, post
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
    BYTES32,
    UINT256,
    VIEWS,
    BadCall,
    Envelope,
    address,
    as_json,
    event_as_json,
    refusal_as_json,
)
from fairground.bank.crypto.signatures import BadSignature
from fairground.bank.ledger.bank import LedgerBank
from fairground.clients.protocol import JSON_LINES, PROBLEM
from fairground.core import InputError, written
from fairground.server.croupier.wire import (
    AccountOut,
    BankOut,
    EventsOut,
    GameOut,
    NewCall,
    NewMoney,
    NextOut,
    RefusedByBank,
    SessionOut,
)
from fairground.server.http.problems import Problem, Unknown, refuses
from fairground.server.state import TheArena

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

"""The OpenAPI document: what the framework knows of a route, and what it cannot know.

Litestar writes paths, parameters and bodies from the signatures of the routes. Here is the
rest: which problems each route can answer with, examples, headers, and the schemas of the
bodies as msgspec itself obeys them. `ROUTES` is the one place where a new route says this;
a test compares it with the routes that there are, and another provokes every problem.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from http import HTTPStatus
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import License, OpenAPI, Tag

from fairground import __version__
from fairground.arena import monitoring
from fairground.arena.contests import examples as contest_examples
from fairground.arena.contests import wire as contest_wire
from fairground.arena.contests.factories import FactoryFailed, FactorySlow
from fairground.arena.croupier import bank_wire, session_examples, session_wire
from fairground.arena.croupier import examples as croupier_examples
from fairground.arena.croupier import wire as croupier_wire
from fairground.arena.document.schema_page import SchemaJson, SchemaPage
from fairground.arena.events import examples as event_examples
from fairground.arena.events import wire as event_wire
from fairground.arena.http.browsers import ON_THE_PAGE
from fairground.arena.http.origin import HARMLESS
from fairground.arena.http.problems import (
    AlreadyDone,
    ArenaError,
    BadName,
    BodyTooLarge,
    Forbidden,
    ForeignSite,
    GameOver,
    Malformed,
    NotAcceptable,
    Problem,
    Stopping,
    TooEarly,
    TooManyAttempts,
    TooManyRequests,
    Unknown,
    WrongMedia,
    kind_of,
)
from fairground.arena.http.requests import NAME
from fairground.arena.oracles import examples as oracle_examples
from fairground.arena.oracles import wire as oracle_wire
from fairground.arena.tables import examples as table_examples
from fairground.arena.tables import games
from fairground.arena.tables import wire as table_wire
from fairground.bank.bank_port import BankAway, BankRefused
from fairground.bank.croupier_port import (
    Busy,
    Closed,
    Declined,
    SaidOtherwise,
    TooSoon,
    UnknownGame,
)
from fairground.bank.crypto.curve import BadSignature
from fairground.bank.fields import BadCall
from fairground.bank.seeds import WrongSeed
from fairground.clients.protocol import CLOSE, PROBLEM, RECEIPT
from fairground.core import (
    BadParams,
    BadShare,
    FairgroundError,
    IllegalMove,
    InputError,
    MissingExtra,
    StaleAsk,
    UnknownName,
)
from fairground.store import Conflict, InDoubt, StoreAway

DESCRIPTION: Final = """\
Provably fair games over HTTP: oracles that hide a code, contests of programs that break
codes, tables of all games, and a Croupier with whom nobody has to trust anybody.

Whatever is answered is durable. Errors are problem details (RFC 9457) with a stable `code`
and a `detail` that quotes what is wrong. Members of bodies that we do not know are ignored.

**There are no accounts.** What is private has an address that nobody can guess: the URL of
a seat (`/tables/{name}/seats/{secret}`) plays it, the URL `/contest/{name}/close/{secret}`
closes a contest, and whoever has the URL of an oracle can play it. Each is told once, to who
made it. Keep them as you keep passwords; we keep digests of the secrets, and no log holds
them.
"""

TAGS: Final = {
    "oracles": "Code breaking against the house: the API of the source document",
    "contests": "The same codes for all, committed to before anybody enters",
    "tables": "Any game, with people, programs and our own players in its seats",
    "events": "One stream for all that a browser watches",
    "croupier": "Blind Croupier: video poker. Play money; nothing here is a casino",
    "bank": "The Bank of the Croupier, where it is a ledger of play money",
    "operation": "For whoever runs the arena",
}

WITH_RECEIPT: Final = {
    RECEIPT: "The hash of the last line that the answer stands for: keep it as a proof"
}


class Route(NamedTuple):
    """What a route does that its signature does not say."""

    tag: str
    gives: str
    """What a good answer is."""
    refuses: tuple[type[FairgroundError], ...] = ()
    """The problems of this route, besides those that `always` names."""
    headers: Mapping[str, str] = MappingProxyType({})
    """The headers of a good answer."""


IN_SESSION: Final = (
    *(UnknownGame, BadCall, BadSignature, BadShare, Declined, TooSoon, SaidOtherwise, Closed),
    *(Conflict, BankAway),
)
"""How a Croupier may refuse what he is told in a session."""

ROUTES: Final = {
    "new_oracle": Route(
        "oracles",
        "The game is open: its oracle is at `Location`",
        (BadParams,),
        {"Location": "The absolute URI of the oracle"},
    ),
    "get_oracle": Route("oracles", "The oracle as everyone may see it"),
    "submit": Route(
        "oracles",
        "How much of the submission matches",
        (IllegalMove, GameOver, TooManyAttempts, AlreadyDone, Conflict, FactoryFailed, FactorySlow),
        WITH_RECEIPT,
    ),
    "give_up": Route("oracles", "The oracle, with its code", (GameOver, Conflict)),
    "lend_share": Route(
        "oracles", "The share is mixed in", (BadShare, AlreadyDone, GameOver, Conflict)
    ),
    "codes_left": Route("oracles", "The count", (TooEarly,)),
    "oracle_transcript": Route("oracles", "JSON Lines, one for each event", (TooEarly,)),
    "new_contest": Route(
        "contests",
        "The contest is open: its watch page is at `Location`",
        (BadParams, Forbidden, FactoryFailed, FactorySlow),
        {
            "Location": "The absolute URI of the watch page",
            CLOSE: "The private URI that closes the contest early",
        },
    ),
    "open_contest": Route(
        "contests",
        "The contest is open",
        (BadParams, Forbidden, FactoryFailed, FactorySlow),
        {
            "Location": "The absolute URI of the watch page",
            CLOSE: "The private URI that closes the contest early",
        },
    ),
    "list_contests": Route("contests", "A page of the list"),
    "watch_contest": Route("contests", "The contest as everyone may see it"),
    "enter_contest": Route(
        "contests",
        "An oracle for each game, for this entry alone",
        (BadName, AlreadyDone, Forbidden, GameOver, Conflict),
        WITH_RECEIPT,
    ),
    "close_contest": Route("contests", "The contest, closed"),
    "remove_entry": Route(
        "contests",
        "The contest, without the entry",
        (BadName, AlreadyDone, GameOver, Conflict),
    ),
    "contest_standings": Route("contests", "The standings: official and training apart"),
    "contest_csv": Route("contests", "A line for each entry"),
    "contest_parts_csv": Route("contests", "A line for each part, entry and factory"),
    "contest_book": Route("contests", "JSON Lines, one for each entry and result"),
    "contest_file": Route("contests", "JSON Lines: the book and all games", (TooEarly,)),
    "contest_events": Route("contests", "The watch page, as `watch` events"),
    "get_games": Route("tables", "All games, schemes and players of this arena"),
    "new_table": Route(
        "tables",
        "The table is open; hand out the URLs of its seats",
        (InputError, BadParams, UnknownName, MissingExtra),
        {"Location": "The absolute URI of the table"},
    ),
    "list_tables": Route("tables", "A page of the list"),
    "take_seat": Route(
        "tables",
        "The seat is yours: keep its URL",
        (InputError, AlreadyDone, MissingExtra, Conflict),
        {"Location": "The private URI of the seat"},
    ),
    "make_remark": Route("tables", "Recorded", (InputError, GameOver, StaleAsk, Conflict)),
    "ask_for_hint": Route(
        "tables", "What our adviser would play", (StaleAsk, MissingExtra, Conflict)
    ),
    "play_again": Route(
        "tables",
        "The next game, with the URL of your seat",
        (StaleAsk, Conflict),
        {"Location": "The absolute URI of the table"},
    ),
    "get_table": Route("tables", "The table as everyone may see it"),
    "table_review": Route("tables", "Values, costs and luck, step by step", (TooEarly, Unknown)),
    "try_again": Route(
        "tables",
        "What it would have been worth",
        (TooEarly, Unknown, InputError, IllegalMove),
    ),
    "table_transcript": Route("tables", "JSON Lines, one for each event"),
    "table_events": Route("tables", "The lines of the transcript, as `line` events"),
    "get_seat": Route("tables", "The table as this seat sees it"),
    "answer": Route(
        "tables",
        "Recorded: in this line, which has this hash",
        (IllegalMove, BadShare, StaleAsk, AlreadyDone, GameOver, Conflict),
    ),
    "leave": Route("tables", "Recorded: in this line, which has this hash", (GameOver, Conflict)),
    "new_stream": Route(
        "events",
        "Follow the stream at `Location`",
        (InputError, TooManyRequests),
        {"Location": "The absolute URI of the stream"},
    ),
    "follow_stream": Route("events", "Messages, until one of both goes away", (InputError,)),
    "change_stream": Route("events", "It is about these topics now", (InputError, Conflict)),
    "about_croupier": Route("croupier", "Who he is, and where he plays", (Unknown, BankAway)),
    "new_offer": Route(
        "croupier", "He is ready to play, once", (Unknown, InputError, Declined, Busy, BankAway)
    ),
    "place_bet": Route(
        "croupier",
        "He has it, durably, and brings it to the Bank",
        (
            *(UnknownGame, BadCall, BadSignature, Declined, SaidOtherwise, Closed, Busy),
            *(Conflict, BankAway),
        ),
    ),
    "get_croupier_game": Route("croupier", "How far it is, as he says", (UnknownGame,)),
    "tell_seed": Route(
        "croupier",
        "He has it, durably, and brings it to the Bank",
        (UnknownGame, BadCall, WrongSeed, BadSignature, TooSoon, Closed, Conflict),
    ),
    "tell_order": Route(
        "croupier",
        "He has it, durably, and brings it to the Bank",
        (
            *(UnknownGame, BadCall, BadSignature, Declined, TooSoon, SaidOtherwise, Closed),
            *(Conflict, BankAway),
        ),
    ),
    "croupier_transcript": Route(
        "croupier", "JSON Lines, one for each event", (UnknownGame, TooSoon, Closed)
    ),
    "new_session": Route(
        "croupier",
        "The terms on which he is ready",
        (Unknown, BadCall, Declined, SaidOtherwise, Busy, BankAway),
    ),
    "open_session": Route(
        "croupier",
        "The Bank has it",
        (BadCall, BadSignature, Declined, SaidOtherwise, Busy, BankRefused, BankAway),
    ),
    "get_croupier_session": Route(
        "croupier", "How far it is, as he says", (UnknownGame, BadCall, Declined)
    ),
    "offer_hand": Route(
        "croupier",
        "His commitments, to seeds that he has, durably",
        (UnknownGame, BadCall, Declined, TooSoon, Closed, Conflict, BankAway),
    ),
    "bet_on_hand": Route("croupier", "He has signed it, and it counts", IN_SESSION),
    "order_in_hand": Route("croupier", "His seed 1, for this order", IN_SESSION),
    "sign_state": Route("croupier", "He has signed it, and it counts", IN_SESSION),
    "get_bank": Route("bank", "Its terms", (Unknown, BankAway)),
    "get_account": Route("bank", "What the owner has", (BadCall, BankAway)),
    "get_game": Route("bank", "The game, as the Bank keeps it", (BadCall, BankAway)),
    "game_events": Route("bank", "What was recorded of it", (BadCall, BankAway)),
    "next_game": Route("bank", "The number of the next bet", (BadCall, BankAway)),
    "get_session": Route("bank", "The session", (BadCall, BankAway)),
    "make_call": Route(
        "bank",
        "Recorded, durably",
        (Unknown, InputError, BadCall, BadSignature, BankRefused, BankAway),
    ),
    "get_money": Route("bank", "Made, for this owner", (Unknown, BadCall, BankRefused, BankAway)),
    "get_ledger": Route("bank", "JSON Lines, one for each call", (Unknown, BankAway)),
    "health": Route("operation", "It is alive"),
    "ready": Route("operation", "It can write"),
    "count": Route("operation", "The text format of Prometheus"),
}
"""By the name of the route's function."""

WIRES: Final = (
    *(oracle_wire, contest_wire, monitoring, table_wire, games, event_wire),
    *(croupier_wire, session_wire, bank_wire),
)
"""The modules with the bodies of requests and answers."""

SCHEMAS: Final = "#/components/schemas/"

PUBLIC_NAMES: Final = {
    "ContestOut": "Contest",
    "CountsOut": "Counts",
    "EventsOut": "Recorded",
    "NewShare": "Share",
    "OracleOut": "Oracle",
}
"""Bodies that the document calls by another name than the code does: programs know them by it."""

BODIES: Final = (
    oracle_examples.BODIES
    | contest_examples.BODIES
    | table_examples.BODIES
    | event_examples.BODIES
    | croupier_examples.BODIES
    | session_examples.BODIES
)
ANSWERS: Final = (
    oracle_examples.ANSWERS
    | contest_examples.ANSWERS
    | table_examples.ANSWERS
    | games.ANSWERS
    | event_examples.ANSWERS
    | monitoring.ANSWERS
    | croupier_examples.ANSWERS
    | session_examples.ANSWERS
)
"""The examples of all rooms."""

NAMES: Final = {
    "oracle": "The last part of an oracle's URI",
    "contest": "The last part of a contest's watch URI",
    "tables": "The last part of a table's URI",
    "croupier": "The `id` of an offer, or the `name` of a session",
    "events": "The ticket of a stream",
    "bank": "An address (40 hex digits behind 0x), or the key of a game (64 hex digits)",
}
SECRETS: Final = {
    "contest": "Told once, to who made the contest, as the end of `close`",
    "tables": "Told once, to who made the table, as the end of the seat's `url`",
}


def config() -> OpenAPIConfig:
    """What Litestar is told about the document."""
    return _Config(
        title="Fairground arena",
        version=__version__,
        description=DESCRIPTION,
        license=License(name="MIT", identifier="MIT"),
        use_handler_docstrings=True,
        render_plugins=[SchemaJson(), SchemaPage()],
        tags=[Tag(name, description) for name, description in TAGS.items()],
        operation_id_creator=lambda handler, method, _: (
            handler.handler_name if method != "HEAD" else f"{handler.handler_name}_head"
        ),
    )


class _Config(OpenAPIConfig):
    """Makes a `_Document` of what the framework knows."""

    def to_openapi_schema(self) -> OpenAPI:
        made = super().to_openapi_schema()
        return _Document(**{field.name: getattr(made, field.name) for field in fields(made)})


class _Document(OpenAPI):
    """Adds the rest when it is written, which is once."""

    def to_schema(self) -> dict[str, Any]:
        return _complete(super().to_schema())


def _complete(document: dict[str, Any]) -> dict[str, Any]:
    """The framework's document with the rest of what there is to say."""
    document["components"] = {"schemas": _schemas()}
    for path, operations in document["paths"].items():
        operations.pop("head", None)  # it is GET without its body: nothing to tell
        for method, operation in operations.items():
            _complete_operation(path, method, operation)
    published: dict[str, Any] = _published(document)
    return published


def _published(value: Any) -> Any:
    """The same with every body called by the name that the document has for it."""
    if isinstance(value, dict):
        return {key: _published(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_published(one) for one in value]
    if isinstance(value, str) and value.startswith(SCHEMAS):
        return SCHEMAS + _public_name(value.removeprefix(SCHEMAS))
    return value


def _public_name(body: str) -> str:
    return PUBLIC_NAMES.get(body, body)


def _schemas() -> dict[str, Any]:
    """All bodies, as msgspec reads and writes them."""
    found = [Problem, *(one for module in WIRES for one in vars(module).values())]
    bodies = [one for one in dict.fromkeys(filter(_is_body, found)) if one is not msgspec.Struct]
    _, schemas = msgspec.json.schema_components(bodies, ref_template=SCHEMAS + "{name}")
    for body in bodies:
        names = _names(body)
        for member, text in _described(body):
            schemas[body.__name__]["properties"][names[member]].setdefault("description", text)
    public = {name: _public_name(name) for name in schemas}
    return {public[name]: body | {"title": public[name]} for name, body in schemas.items()}


def _is_body(one: object) -> bool:
    return isinstance(one, type) and (issubclass(one, msgspec.Struct) or is_dataclass(one))


def _names(body: type) -> dict[str, str]:
    """Member → what it is called on the wire."""
    if is_dataclass(body):
        return {field.name: field.name for field in fields(body)}
    return {field.name: field.encode_name for field in msgspec.structs.fields(body)}


def _described(body: type) -> Iterator[tuple[str, str]]:
    """Members with the text that stands under each in the source."""
    (definition,) = ast.parse(inspect.getsource(body)).body
    assert isinstance(definition, ast.ClassDef)
    for member, text in pairwise(definition.body):
        match member, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(words))),
            ):
                yield name, " ".join(words.split())


def _complete_operation(path: str, method: str, operation: dict[str, Any]) -> None:
    name = operation["operationId"]
    route = ROUTES[name]
    operation["tags"] = [route.tag]
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            _complete_name(path, parameter)
    if "requestBody" in operation:
        (body,) = operation["requestBody"]["content"].values()
        body["examples"] = _named(BODIES[name])
    (status,) = [status for status in operation["responses"] if int(status) < 400]
    good = operation["responses"][status]
    good["description"] = route.gives
    good["headers"] = {header: _header(text) for header, text in route.headers.items()}
    if name not in ANSWERS:
        good.pop("content", None)
    for content in good.get("content", {}).values():
        content["examples"] = _named(ANSWERS[name])
    refusals = _refusals([*always(method, operation), *route.refuses])
    operation["responses"] = {status: good} | refusals
    if path in ON_THE_PAGE and method == "get":
        operation["responses"]["303"] = {
            "description": "To a browser (`Accept: text/html`): the page shows it",
            "headers": {"Location": _header("Where the page shows it")},
        }
    if name == "table_events":
        operation["responses"]["204"] = {"description": "It is over, and you have seen all of it"}


def _header(text: str) -> dict[str, Any]:
    return {"description": text, "required": True, "schema": {"type": "string"}}


def _complete_name(path: str, parameter: dict[str, Any]) -> None:
    kind = path.split("/")[1]
    texts = SECRETS if parameter["name"] == "secret" else NAMES
    parameter["description"] = texts[kind]
    parameter["schema"]["pattern"] = f"^{NAME.pattern}$"


def _named(examples: dict[str, Any]) -> dict[str, Any]:
    return {name: {"value": value} for name, value in examples.items()}


def always(method: str, operation: dict[str, Any]) -> Iterable[type[FairgroundError]]:
    """The problems that any request of this shape can meet."""
    if method.upper() not in HARMLESS:
        yield ForeignSite
    where = {parameter["in"] for parameter in operation.get("parameters", ())}
    if "requestBody" in operation:
        yield from (Malformed, BodyTooLarge, WrongMedia)
    elif "query" in where:
        yield Malformed
    if "path" in where:
        yield Unknown
    yield from (NotAcceptable, TooManyRequests, ArenaError, StoreAway, InDoubt, Stopping)


def _refusals(errors: Iterable[type[FairgroundError]]) -> dict[str, Any]:
    """The error answers of a route: for each status its codes, with an example of each."""
    found: dict[str, Any] = {}
    for kind in sorted(map(kind_of, errors), key=lambda kind: kind.status):
        one = found.setdefault(
            str(kind.status),
            {
                "description": "",
                "content": {PROBLEM: {"schema": {"$ref": f"{SCHEMAS}Problem"}, "examples": {}}},
            },
        )
        one["description"] = f"{one['description']}\n\n`{kind.code}`: {kind.meaning}".strip()
        title = HTTPStatus(kind.status).phrase
        example = Problem(kind.status, title, kind.code, kind.example)
        name = kind.code.replace("/", "-")
        if name in one["content"][PROBLEM]["examples"]:
            name += "-too"
        one["content"][PROBLEM]["examples"][name] = {"value": msgspec.to_builtins(example)}
        if kind.retry_after is not None:
            seconds = {"type": "string", "pattern": "^[0-9]+$"}
            one["headers"] = {
                "Retry-After": {"description": "Seconds", "required": True, "schema": seconds}
            }
    return found

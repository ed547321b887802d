"""The results and problems of each route, which its signature does not say.

Every new route gets an entry in `ROUTES`. One test compares it with the routes of the application,
and another provokes every problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from fairground.bank.bank_port import BankAway, BankRefused
from fairground.bank.calls import BadCall
from fairground.bank.croupier_port import (
    Busy,
    Closed,
    Declined,
    SaidOtherwise,
    TooSoon,
    UnknownGame,
)
from fairground.bank.crypto.signatures import BadSignature
from fairground.bank.seeds import WrongSeed
from fairground.clients.protocol import CLOSE, RECEIPT
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
from fairground.server.contests.factories import FactoryFailed, FactorySlow
from fairground.server.http.problems import (
    AlreadyDone,
    BadName,
    Forbidden,
    GameOver,
    TooEarly,
    TooManyAttempts,
    TooManyRequests,
    Unknown,
)
from fairground.store import Conflict

WITH_RECEIPT: Final = {
    RECEIPT: "The hash of the last line that the answer stands for: keep it as a proof"
}


class Route(NamedTuple):
    """The parts of a route's contract that its signature does not say."""

    tag: str
    gives: str
    """The description of a successful answer."""
    refuses: tuple[type[FairgroundError], ...] = ()
    """The problems of this route, besides those that `always` names."""
    headers: Mapping[str, str] = MappingProxyType({})
    """The headers of a good answer."""


IN_SESSION: Final = (
    *(UnknownGame, BadCall, BadSignature, BadShare, Declined, TooSoon, SaidOtherwise, Closed),
    *(Conflict, BankAway),
)
"""The problems of a message to the Croupier in a session."""


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
        (InputError, BadParams, BadName, UnknownName, MissingExtra),
        {"Location": "The absolute URI of the table"},
    ),
    "list_tables": Route("tables", "A page of the list"),
    "take_seat": Route(
        "tables",
        "The seat is yours: keep its URL",
        (InputError, BadName, AlreadyDone, MissingExtra, Conflict),
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
    "get_up": Route("tables", "Nobody sits there any more", (AlreadyDone, Conflict)),
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

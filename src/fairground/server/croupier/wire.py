"""Bodies of requests and answers of the Croupier and his Bank, with examples.

Integers beyond ±(2^53-1) are decimal text. Hashes, seeds and signatures are lower-case hex digits.
Addresses are 40 hex digits behind 0x. Calls and events of the Bank are those of
`fairground.bank.calls`.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

from msgspec import Meta, Struct

from fairground.bank.croupier_port import STAGES, Sight
from fairground.server.document.examples import HERE
from fairground.server.http.problems import Problem

SIGNATURE_DIGITS: Final = 130
SEED_DIGITS: Final = 194

Address = Annotated[str, Meta(pattern="^0x[0-9a-fA-F]{40}$")]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Number = (
    Annotated[int, Meta(ge=0, le=2**53 - 1)] | Annotated[str, Meta(pattern="^[1-9][0-9]{15,77}$")]
)
Signed = Annotated[str, Meta(pattern=f"^[0-9a-f]{{{SIGNATURE_DIGITS}}}$", description="r, s and v")]
SeedText = Annotated[
    str, Meta(pattern=f"^[0-9a-f]{{{SEED_DIGITS}}}$", description="the nonce, then r, s and v")
]
Whole = Annotated[int | str, Meta(description="an integer; beyond ±(2^53-1) as decimal text")]
Order = Annotated[list[Annotated[int, Meta(ge=0, le=1)]], Meta(min_length=5, max_length=5)]


class AboutOut(Struct):
    """The Croupier's identity, and the Bank at which he plays."""

    account: str
    key: str
    """The address of his signing key."""
    chain: int | str
    bank: str
    chip_cost: int | str
    """In wei; fixed in the Bank."""
    step_time: int | str
    """Seconds that each step of a game may take."""
    confirmations: int
    """Blocks that he waits before he takes a step for final."""
    trusted: str
    """The parties that must be honest for that Bank to be honest."""
    play_money: str


class NewOffer(Struct):
    """A Player's request for a game."""

    player: Address


class OfferOut(Struct):
    """A game that he is ready to play, once, with this player."""

    self: str
    id: str
    croupier: str
    player: str
    croupier_key: str
    game_id: int | str
    commitments: list[str]
    """To his two seeds, made for this offer alone."""
    expiry: int | str
    """The latest expiry that he takes in a bet, by the Bank's time."""


class BetIn(Struct):
    """The bet, field by field as it is signed."""

    croupier: Address
    player: Address
    croupier_key: Address
    player_key: Address
    game_id: Number
    bet: Annotated[int, Meta(ge=0, le=255)]
    level: Annotated[int, Meta(ge=0, le=255)]
    chip_cost: Number
    croupier_commitment_0: Hash
    croupier_commitment_1: Hash
    player_commitment_0: Hash
    player_commitment_1: Hash
    expiry: Number


class NewBet(Struct):
    """A bet with the Player's signature (EIP-712)."""

    bet: BetIn
    signature: Signed


class NewSeed(Struct):
    """A seed of the Player: not before his of the same number is final at the Bank."""

    seed_id: Annotated[int, Meta(ge=0, le=1)]
    seed: SeedText


class NewOrder(Struct):
    """Which cards to replace: 1 replaces, 0 keeps."""

    order: Order
    signature: Signed
    seed: SeedText | None = None
    """The Player's seed 0, if it was not told before."""


class CroupierGame(Struct):
    """A game, as the Croupier tells of it. The Bank knows better."""

    self: str
    stage: Annotated[str, Meta(description=f"one of {', '.join(STAGES)}")]
    seeds: list[str | None]
    """His seeds, as far as they may be told."""
    trouble: str
    """Why it does not go on, if it does not."""

    @classmethod
    def of(cls, here: str, name: str, sight: Sight) -> Self:
        """Return what is shown of a game; ``here`` is the arena's address."""
        seeds = [None if seed is None else seed.hex() for seed in sight.seeds]
        return cls(f"{here}croupier/games/{name}", sight.stage, seeds, sight.trouble)


# Sessions


class NewSession(Struct):
    """A Player's request for a session, with the Player's stake in wei."""

    player: Address
    funds: Number


class SessionTermsIn(Struct):
    """The terms of a session, field by field as the Player signs them."""

    croupier: Address
    player: Address
    croupier_key: Address
    player_key: Address
    number: Number
    player_funds: Number
    croupier_funds: Number
    expiry: Number


class SessionTermsOut(Struct):
    """A session that he is ready to open."""

    self: str
    name: str
    """The hash of the terms: what the session is called."""
    terms: SessionTermsIn


class OpenSessionIn(Struct):
    """The terms, with the Player's signature (EIP-712)."""

    terms: SessionTermsIn
    signature: Signed


class NewHand(Struct):
    """The number of the hand, counted from 0."""

    hand: Annotated[int, Meta(ge=0, le=2**53 - 1)]


class HandOffered(Struct):
    """His commitments to two seeds, for this hand alone."""

    commitments: list[str]


class BetTaken(Struct):
    """The bet counts."""

    signature: str
    """His, of the same bet."""
    seed: str
    """His seed 0."""


class HandOrder(Struct):
    """Which cards to replace (1 replaces, 0 keeps), and the Player's seed 0."""

    seed: SeedText
    order: Order
    signature: Signed


class OrderTaken(Struct):
    """His seed 1, for this order; both are null where nothing is replaced."""

    seed: str | None
    acceptance: str | None
    """His signature of `OrderAccepted`: without it do not tell your seed 1."""


class StateIn(Struct):
    """The state of a session after a number of hands."""

    session: Hash
    hands: Number
    player_share: Number
    """The Player's share of the session, in wei."""
    head: Hash
    """The hash of all hands so far."""
    last: bool = False
    """True if this state closes the session at once."""


class NewState(Struct):
    """The state after a hand, signed by the Player, and the Player's seed 1 where it was drawn."""

    state: StateIn
    signature: Signed
    seed: SeedText | None = None


class StateSigned(Struct):
    """His signature of the same state."""

    signature: str


class SessionShown(Struct):
    """A session, as the Croupier tells of it. The Bank knows better."""

    self: str
    terms: SessionTermsIn
    state: StateIn
    """The last one that both have signed."""
    player_signature: str
    croupier_signature: str
    playing: bool
    """True while a hand is open."""
    closed: bool


# The Bank in a ledger


class BankOut(Struct):
    """A Bank: where signatures for it count, and its terms."""

    chain: int
    """Always 0: a ledger is on no chain."""
    bank: str
    """The address that stands for it in everything that is signed."""
    chip_cost: Whole
    step_time: int
    faucet: Whole
    """Maximum play money of one owner, in wei."""
    trusted: str
    """The parties that must be honest for this Bank to be honest."""
    notice: str
    now: int
    """By the Bank's clock, in seconds since 1970."""


class AccountOut(Struct):
    """A participant's balances, without amounts that a game has locked."""

    owner: str
    available: Whole
    open_games: int
    key: str
    """The address of the signing key; the zero address if there is none."""
    purse: Whole
    """The owner's money outside of the Bank."""
    next_number: Whole
    """The number that the owner's next envelope must have."""


class GameOut(Struct):
    """A game as the Bank keeps it; of one that it does not know, everything is zero."""

    bet_hash: str
    step: int
    outcome: int
    deadline: int
    order: int
    hand: int


class SessionOut(Struct):
    """A session of two parties; if there was none, everything is zero."""

    session: str
    """The last 20 bytes of its name, behind 12 zero bytes."""
    number: Whole
    """The number that their next session must have."""
    phase: int
    """0 none, 1 open, 2 claimed, 3 closed."""
    deadline: int
    hands: Whole
    player_share: Whole
    croupier_share: Whole


class NextOut(Struct):
    """The number that the next bet of two parties must have."""

    game_id: Whole


class EventsOut(Struct):
    """The events that the Bank recorded; empty for a repeated call."""

    events: list[dict[str, Any]]


class NewCall(Struct):
    """A call in an envelope: its sender signs ``LedgerCall(sender, number, call)`` (EIP-712)."""

    sender: Annotated[str, Meta(examples=["0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"])]
    number: Whole
    call: Annotated[dict[str, Any], Meta(examples=[{"call": "depositFunds", "amount": 1000}])]
    signature: Annotated[str, Meta(description="r, s and v as 130 hex digits")]


class NewMoney(Struct):
    """Play money that somebody wants."""

    owner: Annotated[str, Meta(examples=["0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"])]
    amount: Annotated[Whole, Meta(examples=["1000000000000000000"])]


class RefusedByBank(Problem, kw_only=True):
    """The Bank refused a call: the contract's name for the reason, and its values."""

    refusal: str
    values: list[Any]


# Examples for the OpenAPI document: one game, and one session
#
# The keys of the two parties are 1 and 2, which everybody knows; the signatures are real.


GAME: Final = f"{HERE}/croupier/games/ub2fEZVxQVbUM0hDzAAxbsBn"
HOUSE: Final = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
ADA: Final = "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"
BANK: Final = "0x5f5f5f5f5f5F5f5F5F5F5F5f5F5f5f5F5F5F5F5f"
CHIP: Final = 10**15
EXPIRY: Final = 1_800_000_600
HIS: Final = (
    "ce567cb7d95f9b9e318a15495a333a01d8a8517631df6806bb0cec658b9f29fc",
    "a13b2b2e7f11c8a640263da34ffe63b182ac6359097005dbb6196db9a47a4318",
)
HIS_SEED: Final = (
    "1010101010101010101010101010101010101010101010101010101010101010"
    "2e73f060260f6bb935f44d24681d4aca67f7f680989888076cda9ee53e7abc67"
    "5e66b2d5b4fabd8ae78804ea76de178cb08023a3b3955b8ddfb2b8ae842399941b"
)
PLAY_MONEY: Final = "Play money and test chains. Nothing here is a licence to run a casino."
TRUSTED: Final = (
    "operator trusted: this Bank is a ledger of play money, and who keeps its database could "
    "leave out, refuse or rewrite what was done"
)

_DEPOSIT: Final = {
    "sender": ADA,
    "number": 0,
    "call": {"call": "depositFunds", "amount": "1000000000000000000"},
    "signature": (
        "678ed6a0d2acd48e2f1fa6e0cff19572949e3916390dea31144345bb14947f41"
        "1230ebb2781c3b3d39ade82b8f96f159d190bc13d6a59711aabfb319bc566d921b"
    ),
}

_BODIES: Final[dict[str, dict[str, Any]]] = {
    "new_offer": {"for Ada": {"player": ADA}},
    "place_bet": {
        "one chip at level 5": {
            "bet": {
                "croupier": HOUSE,
                "player": ADA,
                "croupier_key": HOUSE,
                "player_key": ADA,
                "game_id": 0,
                "bet": 1,
                "level": 5,
                "chip_cost": CHIP,
                "croupier_commitment_0": HIS[0],
                "croupier_commitment_1": HIS[1],
                "player_commitment_0": (
                    "3a69eb01c2602a1627475c75571cf766b65f947a9b4416a5af129d63fc968404"
                ),
                "player_commitment_1": (
                    "68a6de4a98c41e777b4d4646b2bf0d41ec51af77492624684042fb8d3e285746"
                ),
                "expiry": EXPIRY,
            },
            "signature": (
                "cb81943670e97e32dd113ccb55e9b53771310c36d4b53e732487729badf62e87"
                "22ed5dc67bbdb2ee70ac09db63eb2ee996e49095c44c6f92fdd35f0ac2669f891b"
            ),
        }
    },
    "tell_seed": {
        "seed 0": {
            "seed_id": 0,
            "seed": (
                "2020202020202020202020202020202020202020202020202020202020202020"
                "51a3ff61925422f7d91cc547f63fa36be8eb1ead35cba329d629defa2044e1ef"
                "5ac658cf25d761de5ea9e6501b3d3787b3c30a0484cdbd2d35cac9ff6c0ec5fd1b"
            ),
        }
    },
    "tell_order": {
        "keep the second and the last": {
            "order": [1, 0, 1, 1, 0],
            "signature": (
                "68b1abf85637e171b91943ade2beae98825cb63790a05bdf06de0377327a0ee2"
                "7c894d50449e2bb2c7e3e3626711a5b3fd2c809219cc28ae529fec5a6d2134c71b"
            ),
        }
    },
    "make_call": {"a deposit": _DEPOSIT},
    "get_money": {"a thousand chips": {"owner": ADA, "amount": "1000000000000000000"}},
}


def _game(stage: str, *seeds: str | None) -> dict[str, Any]:
    return {"self": GAME, "stage": stage, "seeds": list(seeds), "trouble": ""}


_ACCOUNT: Final = {
    "owner": ADA,
    "available": "1000000000000000000",
    "open_games": 0,
    "key": ADA,
    "purse": 0,
    "next_number": 2,
}
_EVENT: Final = {"event": "FundsDeposited", "owner": ADA, "amount": "1000000000000000000"}

_ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "about_croupier": {
        "on a ledger": {
            "account": HOUSE,
            "key": HOUSE,
            "chain": 0,
            "bank": BANK,
            "chip_cost": CHIP,
            "step_time": 600,
            "confirmations": 0,
            "trusted": TRUSTED,
            "play_money": PLAY_MONEY,
        }
    },
    "new_offer": {
        "the first game": {
            "self": GAME,
            "id": GAME.rpartition("/")[2],
            "croupier": HOUSE,
            "player": ADA,
            "croupier_key": HOUSE,
            "game_id": 0,
            "commitments": list(HIS),
            "expiry": EXPIRY,
        }
    },
    "place_bet": {"taken": _game("bet-sent", None, None)},
    "get_croupier_game": {"seed 0 is told": _game("awaits-seed-0", HIS_SEED, None)},
    "tell_seed": {"heard": _game("awaits-order", HIS_SEED, None)},
    "tell_order": {"heard": _game("order-sent", HIS_SEED, None)},
    "croupier_transcript": {"the beginning of one line": '{"dealer":"croupier/1","format":…}\n'},
    "get_bank": {
        "a ledger": {
            "chain": 0,
            "bank": BANK,
            "chip_cost": CHIP,
            "step_time": 600,
            "faucet": "1000000000000000000000",
            "trusted": TRUSTED,
            "notice": PLAY_MONEY,
            "now": EXPIRY - 600,
        }
    },
    "get_account": {"Ada's": _ACCOUNT},
    "get_game": {
        "one that it does not know": {
            "bet_hash": "0" * 64,
            "step": 0,
            "outcome": 0,
            "deadline": 0,
            "order": 0,
            "hand": 0,
        }
    },
    "game_events": {"none yet": {"events": []}},
    "next_game": {"the first": {"game_id": 0}},
    "get_session": {
        "none": {
            "session": "0" * 64,
            "number": 0,
            "phase": 0,
            "deadline": 0,
            "hands": 0,
            "player_share": 0,
            "croupier_share": 0,
        }
    },
    "make_call": {"recorded": {"events": [_EVENT]}},
    "get_money": {"made": _ACCOUNT | {"available": 0, "purse": "1000000000000000000"}},
    "get_ledger": {"the beginning of one line": '{"bank":…}\n'},
}

# A session: its terms, and the first hand

NAME: Final = "c332eb94543599f5081ddc741d141ee5e73d04dca979e6e523ba1305d6aacbc2"
HERE_IT_IS: Final = f"{HERE}/croupier/sessions/{NAME}"
TERMS: Final = {
    "croupier": HOUSE,
    "player": ADA,
    "croupier_key": HOUSE,
    "player_key": ADA,
    "number": 0,
    "player_funds": "200000000000000000",
    "croupier_funds": "50000000000000000000",
    "expiry": EXPIRY,
}
OPENING: Final = (
    "d3dc7cc083df72d38082bc9d2839d399c537394e350af0c2674179e4ce1ab15c"
    "1ea731601a6e7328e6bbd926a8aa44701615925ce84971f9139913efadbb0bda1b"
)
COMMITMENTS: Final = (
    "cbe26f25af187efcdf26d91dede77b4063727a8efee861ab14e072f05a587e85",
    "5ca0e2de9e5d5f288346d63599225ad835c84ab771057cdcb25cb0fa99d25b32",
)
BET: Final = {
    "croupier": HOUSE,
    "player": ADA,
    "croupier_key": HOUSE,
    "player_key": ADA,
    "game_id": "57896044618658097711785492504343953926634992332820282019728792003956564819968",
    "bet": 1,
    "level": 5,
    "chip_cost": CHIP,
    "croupier_commitment_0": COMMITMENTS[0],
    "croupier_commitment_1": COMMITMENTS[1],
    "player_commitment_0": ("04599a24817dfb90c626ac1c48bd389fdca24a0e25b0d0c36daf2ac44fb74d36"),
    "player_commitment_1": ("234dc3b4dff29b7e1a29093684f1caa003d10aaac93b265eb71b29ab9a6fe64e"),
    "expiry": 0,
}
BET_SIGNED: Final = (
    "edeef33a0baaa86ce9d7660fe61c11132f4b260aec542e3f9b459f3e54c2b673"
    "5e584749d819d7a95d41d6228f6292a2597c78a63f81af93020341028bec90f11b"
)
BET_TAKEN: Final = (
    "4cb7f132e3f12fb36dc495280dce55ea1ec85118b73fca790cb3cc794acca617"
    "1ae558e5f4bfc45e79151766e915fa1f559481e3630a1b4e872986b2f27b24c11b"
)
HIS_SEEDS: Final = (
    (
        "1010101010101010101010101010101010101010101010101010101010101010"
        "4b5117c5eeae4cd3e02ad525d4a2914ad2e8d2fb15b0d623c8522189bca878a9"
        "1c3f60045d4a0e61231a588e80b8e197d5e7dfebb1ebe176203700bf218d7d3a1c"
    ),
    (
        "1111111111111111111111111111111111111111111111111111111111111111"
        "4ff9eff83915443c6abb8b75cf23ca8d66af1f9ba2ab41ea0bd62bad366ddc42"
        "4991c0e54aa6984aed508c815f60d71af87355460e92c70d2018f26aee2ad7191b"
    ),
)
HER_SEEDS: Final = (
    (
        "2020202020202020202020202020202020202020202020202020202020202020"
        "b23efa895957e838d5efd450b0b901dcb9f6acefdcb3823bd35a27eca845146c"
        "15ed4505fc948ab98e85c8de257aa08c95ecd5dcba198d5e3a90c80e40d68cd71b"
    ),
    (
        "2121212121212121212121212121212121212121212121212121212121212121"
        "515aba1949ea2f4d44e50f160513db90833ece94adb3cd359895391c388c7017"
        "43cdd7a63b9c3b398f17fc8b6851fc4e308937a03821dfe924bf6f254a2daa251b"
    ),
)
ORDER_SIGNED: Final = (
    "75a4d67962e5b38f65c00b9cac5b3ef6a978f574aca992f902e9be37f6c8b3ca"
    "6482e107fa037401cb05e35ae37829a44fcb6b98a172ba823ea3c926d94b30d71c"
)
ACCEPTED: Final = (
    "09d9034b044fdd0e64d9718ed88f456387cac889e486c912ae89e3430d449892"
    "629f3e1bfa59d0f2e1580c9ed0377890834807ef1d27a94fdb7bc6ffa9ec40b11c"
)
STATE: Final = {
    "session": NAME,
    "hands": 1,
    "player_share": "215000000000000000",
    "head": "d78cc8669112efe7b87be91e7450f05dca3b6a6c202df2b66fef8beee5127392",
    "last": False,
}
STATE_SIGNED: Final = (
    "2a549e99a9aeaa38533ed4b685003694b149b90c2ccaa2bb323cf2d4934d6548"
    "2faac17bdb8826584c3d577a5e02070669bcae66048f9397c9da8af818ce6dab1c"
)
STATE_TAKEN: Final = (
    "6db8b264005def2cc4514c163d09b99afc7fc984b43de90bacde20888fd7096b"
    "64617c86ccd725adae52b8b79ced99d410e22038f5353826d24fedf746b70c801b"
)

BODIES: Final[dict[str, dict[str, Any]]] = _BODIES | {
    "new_session": {"with 200 chips": {"player": ADA, "funds": TERMS["player_funds"]}},
    "open_session": {"signed by Ada": {"terms": TERMS, "signature": OPENING}},
    "offer_hand": {"the first": {"hand": 0}},
    "bet_on_hand": {"one chip at level 5": {"bet": BET, "signature": BET_SIGNED}},
    "order_in_hand": {
        "keep the second and the last": {
            "seed": HER_SEEDS[0],
            "order": [1, 0, 1, 1, 0],
            "signature": ORDER_SIGNED,
        }
    },
    "sign_state": {
        "after one hand": {"state": STATE, "signature": STATE_SIGNED, "seed": HER_SEEDS[1]}
    },
}

_SHOWN: Final = {
    "self": HERE_IT_IS,
    "terms": TERMS,
    "state": STATE,
    "player_signature": STATE_SIGNED,
    "croupier_signature": STATE_TAKEN,
    "playing": False,
    "closed": False,
}
_OPENED: Final = _SHOWN | {
    "state": {
        "session": NAME,
        "hands": 0,
        "player_share": TERMS["player_funds"],
        "head": "0" * 64,
        "last": False,
    },
    "player_signature": "0" * 130,
    "croupier_signature": "0" * 130,
}

ANSWERS: Final[dict[str, dict[str, Any]]] = _ANSWERS | {
    "new_session": {"his terms": {"self": HERE_IT_IS, "name": NAME, "terms": TERMS}},
    "open_session": {"open": _OPENED},
    "get_croupier_session": {"after one hand": _SHOWN},
    "offer_hand": {"the first": {"commitments": list(COMMITMENTS)}},
    "bet_on_hand": {"taken": {"signature": BET_TAKEN, "seed": HIS_SEEDS[0]}},
    "order_in_hand": {"drawn": {"seed": HIS_SEEDS[1], "acceptance": ACCEPTED}},
    "sign_state": {"signed": {"signature": STATE_TAKEN}},
}

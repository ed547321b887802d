"""Examples of the Croupier and his Bank for the OpenAPI document: the beginning of one game.

The keys of these two are 1 and 2, which everybody knows; the signatures are real.
"""

from __future__ import annotations

from typing import Any, Final

from fairground.arena.document.examples import HERE

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

BODIES: Final[dict[str, dict[str, Any]]] = {
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

ANSWERS: Final[dict[str, dict[str, Any]]] = {
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
            "version": 2,
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

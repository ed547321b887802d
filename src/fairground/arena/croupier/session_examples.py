"""Examples of a session for the OpenAPI document: its terms, and the first hand.

The keys of these two are 1 and 2, which everybody knows; the signatures are real.
"""

from __future__ import annotations

from typing import Any, Final

from fairground.arena.croupier.examples import ADA, CHIP, EXPIRY, HOUSE
from fairground.arena.document.examples import HERE

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

BODIES: Final[dict[str, dict[str, Any]]] = {
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

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "new_session": {"his terms": {"self": HERE_IT_IS, "name": NAME, "terms": TERMS}},
    "open_session": {"open": _OPENED},
    "get_croupier_session": {"after one hand": _SHOWN},
    "offer_hand": {"the first": {"commitments": list(COMMITMENTS)}},
    "bet_on_hand": {"taken": {"signature": BET_TAKEN, "seed": HIS_SEEDS[0]}},
    "order_in_hand": {"drawn": {"seed": HIS_SEEDS[1], "acceptance": ACCEPTED}},
    "sign_state": {"signed": {"signature": STATE_TAKEN}},
}

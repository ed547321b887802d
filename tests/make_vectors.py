"""Make the shared vectors: ``python -m tests.make_vectors``.

They are read by our tests and by checkers in other languages. Bytes are lower-case hex;
integers that may exceed 2^53 are decimal text; text is itself. `tests/test_vectors.py` checks them
against calculations that do not use our code.

``tests/vectors/*.json`` has digests, streams and commitments, one by one. ``tests/vectors/games``
has whole records with their verdicts (`tests.vector_games`).
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from fairground.bank.messages import DOMAIN_TYPE, TYPES, ReplacementOrder, SeedMessage, Signer
from fairground.bank.schemes import historic_int, historic_shuffle
from fairground.bank.seeds import SEED_TAG, Generator, Seed, mix
from fairground.bank.signatures import keccak
from fairground.contest.games import Part, disguise, keeper_seed, oracle_name, order
from fairground.core import written
from fairground.fair.bits import (
    HOUSE,
    HashStream,
    SeededStream,
    Tag,
    Tape,
    digest,
    frame,
    philox,
    seeded_key,
)
from fairground.fair.chains import Chain, blind
from fairground.fair.contest import contest_commitment
from fairground.fair.hmac_user import HmacKey
from fairground.fair.schemes import Run
from fairground.fair.seals import Spot, seal
from fairground.games import make_game
from fairground.testing.driving import Driver, open_table
from fairground.testing.laws import histories
from fairground.testing.modes import TABLE, mode, secret
from fairground.transcript import canonical, line_hash
from tests.games.test_intransitive import SAMPLE
from tests.helpers.document_bank import historic_play
from tests.helpers.fixed_hand import DOMAIN, ORDER, Hand, key_of
from tests.helpers.samples import SAMPLES
from tests.test_transcript import REFUSED
from tests.vector_games import cases, told
from tests.vector_games import contests as contest_files

FOLDER = Path(__file__).parent / "vectors"
GAMES = FOLDER / "games"
Vectors = list[dict[str, Any]]

PARTS: list[tuple[str, list[bytes | int | str]]] = [
    ("fairground/seal/1", []),
    ("fairground/seal/1", [b""]),
    ("fairground/seal/1", ["", b"", 0]),
    ("tag", [b"\x00\x01\xff"]),
    ("tag", ["été", "🎲", "a\nb"]),
    ("tag", [0, 1, 255, 2**32, 2**64 - 1]),
    ("tag", ["ab", "c"]),
    ("tag", ["a", "bc"]),
    ("", ["", 7, b"seven"]),
]


def typed(part: bytes | int | str) -> dict[str, str]:
    if isinstance(part, bytes):
        return {"bytes": part.hex()}
    return {"int": str(part)} if isinstance(part, int) else {"text": part}


def digests() -> Vectors:
    return [
        {
            "tag": tag,
            "parts": [typed(part) for part in parts],
            "frame": frame(tag, *parts).hex(),
            "digest": digest(tag, *parts).hex(),
        }
        for tag, parts in PARTS
    ]


BELOW: list[tuple[int, bytes]] = [
    (1, b""),
    (2, b"\x00"),
    (2, b"\xff"),
    (6, b"\xfb"),
    (6, b"\xfc\xff\x05"),
    (52, bytes([208, 207])),
    (255, b"\xff\xfe"),
    (256, b"\xff"),
    (257, b"\xff\xff\x01\x02"),
    (1296, bytes.fromhex("ffff00ff")),
    (65536, b"\xff\xff"),
    (65537, b"\xff\xff\xff\x01\x00\x00"),
    (10**9, b"\xff" * 4 + b"\x12\x34\x56\x78"),
    (2**53, b"\x01" + b"\xff" * 6),
    (2**64, b"\xff" * 8),
    (2**64 + 1, b"\xff" * 9 + b"\x00" * 8 + b"\x09"),
    (100**40, bytes(range(34))),
    (100**40, b"\xff" * 34 + bytes(range(100, 134))),
]


def below() -> Vectors:
    out = []
    for n, data in BELOW:
        tape = Tape(data + b"\xaa" * 3)
        value = tape.below(n)
        out.append({"n": str(n), "bytes": data.hex(), "value": str(value), "consumed": tape.at})
    return out


def streams() -> dict[str, Any]:
    roots = [bytes(32), secret("root"), bytes(range(32))]
    seeded = [("", 0, 0), ("seed", 0, 0), ("Ärger 🎲", 2**40 + 3, 2), ("seed", 1, 0)]
    return {
        "hash": [
            {
                "root": root.hex(),
                "blocks": [HashStream(root).block(i).hex() for i in (0, 1, 2, 2**33)],
                "below_1000": _values(root, 1000, 8),
            }
            for root in roots
        ],
        "philox": [
            {"counter": _words(counter), "key": _words(key), "words": _words(philox(counter, key))}
            for counter, key in (
                ((0, 0, 0, 0), (0, 0)),
                ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2),
                ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)),
            )
        ],
        "seeded": [
            {
                "seed": seed,
                "game": str(game),
                "lane": lane,
                "key": _words(seeded_key(seed)),
                "tape": SeededStream(seed, game, lane).take(40).hex(),
            }
            for seed, game, lane in seeded
        ],
    }


def _values(root: bytes, n: int, count: int) -> list[int]:
    stream = HashStream(root)
    return [stream.below(n) for _ in range(count)]


def _words(words: tuple[int, ...]) -> list[str]:
    return [f"{word:08x}" for word in words]


def hmacs() -> Vectors:
    """The three pairs that the seed document prints, and some of ours."""
    out = [
        {"key": key, "number": str(number), "hmac": mac, "from": "seed document"}
        for mac, key, number in SAMPLE
    ]
    for number in (0, 9, 10, 2**53, 100**40 - 1):
        key = secret("hmac", number).hex().upper()
        mac = HmacKey(key).commit(number)
        out.append({"key": key, "number": str(number), "hmac": mac, "from": "fairground"})
    return out


def chains() -> dict[str, Any]:
    """Whole chains, a blind commitment, and the stream of every run of a real game."""
    made = []
    for seat, generation, length in ((HOUSE, 0, 3), (0, 0, 2), (1, 1, 2)):
        start = secret("chain", seat, generation)
        links = Chain(TABLE, seat, generation, length, start).links
        made.append(
            {
                "table": TABLE.hex(),
                "seat": str(seat),
                "generation": generation,
                "length": length,
                "links": [link.hex() for link in links],
            }
        )
    run = Run(4, 6, True, 17, "ab" * 32)
    key = secret("blind")
    commitment = blind(TABLE, run, key)
    roots = []
    for words in ([], [(1, "wörd")], [(0, ""), (2, "a b")]):
        for linked in ([], [(0, secret("link", 0))], [(1, secret("l")), (3, secret("m"))]):
            parts: list[bytes | int | str] = [TABLE, 5, secret("house"), len(linked)]
            for seat, link in linked:
                parts += [seat, link]
            parts.append(len(words))
            for seat, text in words:
                parts += [seat, text]
            blinding = key if words else b""
            root = digest(Tag.CHAINS, *parts, blinding)
            roots.append(
                {
                    "table": TABLE.hex(),
                    "run": 5,
                    "house": secret("house").hex(),
                    "links": [{"seat": seat, "link": link.hex()} for seat, link in linked],
                    "stirs": [{"seat": seat, "text": text} for seat, text in words],
                    "key": blinding.hex(),
                    "root": root.hex(),
                    "below_300": _values(root, 300, 4),
                }
            )
    blinds = {
        "table": TABLE.hex(),
        "step": 17,
        "head": "ab" * 32,
        "key": key.hex(),
        "commitment": commitment,
    }
    return {"house_seat": str(HOUSE), "chains": made, "blinds": [blinds], "streams": roots}


def contests() -> Vectors:
    out = []
    for contest, game, run in (("cup", 0, 1), ("cup", 7, 2), ("Été", 2**40, 9)):
        seed = secret("contest", contest)
        root = digest(Tag.CONTEST, contest, game, run, seed)
        out.append(
            {
                "contest": contest,
                "game": str(game),
                "run": run,
                "seed": seed.hex(),
                "commitment": contest_commitment(contest, seed),
                "root": root.hex(),
                "below_1296": _values(root, 1296, 3),
            }
        )
    return out


def disguises() -> Vectors:
    out = []
    for contest, entry, games, game in (
        ("cup", 0, 1, 0),
        ("cup", 5, 12, 3),
        ("Été", 300, 300, 299),
    ):
        seed = secret("contest", contest)
        seen = disguise(contest, seed, entry, game, Part(10, 7, "fair", games))
        out.append(
            {
                "contest": contest,
                "seed": seed.hex(),
                "entry": entry,
                "games": games,
                "order": list(order(contest, seed, entry, games)),
                "game": game,
                "base": 10,
                "length": 7,
                "digits": list(seen.digits),
                "places": list(seen.places),
                "oracle_of_slot_0": oracle_name(contest, seed, entry, 0),
                "keeper_seed": keeper_seed(contest, seed, game).hex(),
            }
        )
    return out


def seals() -> Vectors:
    out = []
    for seat, step, move in ((0, 3, 0), (1, 3, "roll"), (1, 40, (5, 0, 1)), (0, 9, "été")):
        head = secret("head", step).hex()
        key = secret("key", step)
        value = canonical(move)
        made = seal(Spot(TABLE, seat, step, head), value, key)
        out.append(
            {
                "table": TABLE.hex(),
                "seat": seat,
                "step": step,
                "head": head,
                "key": key.hex(),
                "move": value.decode(),
                "commitment": made.commitment,
            }
        )
    return out


ACCEPTED: list[Any] = [
    {},
    {"a": 1},
    {"b": [1, "x", None, True, False], "a": {"z": {}, "y": []}},
    {"text": 'quote " backslash \\ slash / tab \t bell \x07 del \x7f'},
    {"text": "été 🎲 \u2028 \u2029 \ufeff"},
    {"least": -9007199254740991, "most": 9007199254740991, "zero": 0},
    {"large": str(2**53)},
    {"A": 1, "Z": 2, "_": 3, "a": 4},
]


def lines() -> dict[str, Any]:
    return {
        "accepted": [
            {"line": (canonical(value) + b"\n").hex(), "hash": line_hash(canonical(value) + b"\n")}
            for value in ACCEPTED
        ],
        "refused": [{"why": why, "line": line.hex()} for why, line in REFUSED.items()],
        "integers": [
            {"value": str(value), "written": written(value)}
            for value in (0, -1, 2**53 - 1, 2**53, -(2**53) + 1, -(2**53), 10**30)
        ],
    }


def transcripts() -> Vectors:
    """Whole games, line by line; dice under every scheme are in tests/playthroughs."""
    out = []
    for way in ("hash-chains-each", "hmac-sha3-user-number"):
        table = open_table(make_game("intransitive/1", {"dice": [[1, 2], [2], [3, 0]]}), mode(way))
        Driver(table).play()
        out.append(
            {
                "lines": [line.decode() for line in table.transcript.lines],
                "hashes": [line_hash(line) for line in table.transcript.lines],
                "payoff": list(table.payoff or ()),
            }
        )
    return out


def perft() -> dict[str, list[int]]:
    """The number of histories of every sample, after 0, 1, 2, ... draws and turns."""
    samples = [sample for game in sorted(SAMPLES) for sample in SAMPLES[game]]
    return {sample.name: histories(sample.make(), 3000, 12) for sample in samples}


def croupier() -> dict[str, Any]:
    """One hand of the Blind Croupier, with every hash on the way from keys to cards."""
    hand = Hand.of()
    bet, name = hand.bet, hand.bet.struct_hash()
    order = ReplacementOrder.of(bet, ORDER)
    signed = {
        "bet": key_of("player").sign(DOMAIN, bet),
        "order": key_of("player").sign(DOMAIN, order),
    }
    parties = (bet.croupier, bet.player)
    seeds = []
    for role, pair in ((Signer.CROUPIER, hand.croupier), (Signer.PLAYER, hand.player)):
        for at, seed in enumerate(pair):
            message = SeedMessage(*parties, role, bet.game_id, at, seed.nonce)
            seeds.append(
                {
                    "role": int(role),
                    "seed_id": at,
                    "key": bet.key_of(role),
                    "nonce": seed.nonce.hex(),
                    "struct_hash": message.struct_hash().hex(),
                    "digest": DOMAIN.digest(message).hex(),
                    "v": seed.signature.v,
                    "r": f"{seed.signature.r:064x}",
                    "s": f"{seed.signature.s:064x}",
                    "told_as": seed.hex(),
                    "commitment": seed.commitment.hex(),
                    "value": keccak(SEED_TAG + seed.signature.words).hex(),
                }
            )
    return {
        "domain": {
            "type_hash": keccak(DOMAIN_TYPE.encode()).hex(),
            "chain": DOMAIN.chain_id,
            "bank": DOMAIN.bank,
            "separator": DOMAIN.separator.hex(),
        },
        "type_hashes": {type_: keccak(type_.encode()).hex() for type_ in TYPES.values()},
        "bet": {
            "struct_hash": name.hex(),
            "digest": DOMAIN.digest(bet).hex(),
            "signature": signed["bet"].hex(),
            "signer": bet.player_key,
        },
        "order": {
            "order": list(ORDER),
            "struct_hash": order.struct_hash().hex(),
            "digest": DOMAIN.digest(order).hex(),
            "signature": signed["order"].hex(),
        },
        "seeds": seeds,
        "games": [_game_seed(name, at, hand.croupier[at], hand.player[at]) for at in (0, 1)],
    }


def _game_seed(bet: bytes, at: int, his: Seed, theirs: Seed) -> dict[str, Any]:
    seed = mix(bet, at, his.signature, theirs.signature)
    chance = Generator(seed)
    return {
        "seed_id": at,
        "game_seed": f"{seed:064x}",
        "below": [
            [n, chance.below(n)] for n in ((52, 51, 50, 49, 48) if at == 0 else (47, 46, 45))
        ],
    }


def croupier_2017() -> dict[str, Any]:
    """The one real game of 2017, step by step."""
    first, second = (62504461 ^ 393532593), (1600494777 ^ 1301748256)
    deck = historic_shuffle(range(52), first)
    return {
        "seeds": [first, second],
        "first_values": [historic_int(first + i, 0, 51 - i)[1] for i in range(5)],
        "deck": deck,
        "rest": historic_shuffle(deck[5:], second),
        "hand": deck[:5],
        "final": list(
            historic_play((62504461, 1600494777), (393532593, 1301748256), (1, 0, 1, 1, 0))[1]
        ),
    }


@cache
def games() -> dict[str, bytes]:
    """The files of ``tests/vectors/games``, by name."""
    out: dict[str, bytes] = {}
    index = []
    for case in cases():
        expected = told(case.verdict())
        start = case.data.partition(b"\n")[0].decode(errors="replace")
        out[f"{case.name}.jsonl"] = case.data
        out[f"{case.name}.verdict.json"] = json.dumps(expected, sort_keys=True).encode() + b"\n"
        if case.receipts:
            out[f"{case.name}.receipts"] = case.receipts_file.encode()
        index.append(
            {
                "name": case.name,
                "says": case.says,
                "game": _named(start, "game"),
                "dealer": _named(start, "dealer"),
                "receipts": bool(case.receipts),
                "verdict": expected["verdict"],
                "fault": expected["fault"],
            }
        )
    files = contest_files()
    for name, (data, expected) in files.items():
        out[f"{name}.jsonl"] = data
        out[f"{name}.verdict.json"] = json.dumps(expected, sort_keys=True).encode() + b"\n"
    out["index.json"] = text_of({"transcripts": index, "contests": sorted(files)}).encode()
    return out


def _named(start: str, field: str) -> str | None:
    try:
        value = json.loads(start)[field]
    except (ValueError, KeyError):
        return None
    return value if isinstance(value, str) else None


@cache
def everything() -> dict[str, Any]:
    return {
        "digests": digests(),
        "below": below(),
        "streams": streams(),
        "hmac": hmacs(),
        "chains": chains(),
        "contest": contests(),
        "disguises": disguises(),
        "seals": seals(),
        "lines": lines(),
        "perft": perft(),
        "transcripts": transcripts(),
        "croupier": croupier(),
        "croupier_2017": croupier_2017(),
    }


def text_of(vectors: Any) -> str:
    return json.dumps(vectors, indent=1, ensure_ascii=True) + "\n"


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name, vectors in everything().items():
        (FOLDER / f"{name}.json").write_text(text_of(vectors), encoding="ascii", newline="\n")
    GAMES.mkdir(exist_ok=True)
    for path in GAMES.iterdir():
        path.unlink()
    for name, data in games().items():
        (GAMES / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())

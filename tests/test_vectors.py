"""The shared vectors, checked without our code: hashlib and hmac by hand, and openssl."""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
import subprocess
from collections.abc import Iterator
from itertools import count
from typing import Any, get_args

import pytest
from eth_account import Account
from eth_hash.auto import keccak

from fairground.claims import By
from fairground.core import Fault, whole
from fairground.fair.bits import Tape, philox
from fairground.fair.hmac_user import HmacKey
from fairground.fair.register import SCHEMES
from fairground.fair.seals import Spot, fits
from fairground.games import GAMES
from fairground.transcript import parse
from fairground.verifier import verify
from tests import make_vectors

NAMES = sorted(make_vectors.everything())


def load(name: str) -> Any:
    return json.loads((make_vectors.FOLDER / f"{name}.json").read_text(encoding="ascii"))


def sha3(*parts: bytes) -> bytes:
    """SHA3-256 over parts behind their lengths, written here a second time."""
    framed = b"".join(struct.pack(">I", len(part)) + part for part in parts)
    return hashlib.sha3_256(framed).digest()


def u64(number: Any) -> bytes:
    return struct.pack(">Q", int(number))


def openssl(*arguments: str, data: bytes) -> str:
    done = subprocess.run(
        ["openssl", "dgst", *arguments], input=data, capture_output=True, check=True
    )
    return done.stdout.decode().split()[-1].lower()


def block(root: bytes, i: int) -> bytes:
    return sha3(b"fairground/stream-block/1", root, u64(i))


def draws(root: bytes, n: int, count: int) -> list[int]:
    """Rejection sampling, written here a second time."""
    tape = b"".join(block(root, i) for i in range(8))
    size = 1
    while 256**size < n:
        size += 1
    out: list[int] = []
    while len(out) < count:
        value, tape = int.from_bytes(tape[:size], "big"), tape[size:]
        if value < 256**size // n * n:
            out.append(value % n)
    return out


@pytest.mark.parametrize("name", NAMES)
def test_the_vectors_are_those_that_our_code_makes(name: str) -> None:
    kept = (make_vectors.FOLDER / f"{name}.json").read_text(encoding="ascii")
    assert kept == make_vectors.text_of(make_vectors.everything()[name]), (
        "run `python -m tests.make_vectors`; but a frozen scheme must never change"
    )


def test_the_games_are_those_that_our_code_makes() -> None:
    made = make_vectors.games()
    kept = {path.name: path.read_bytes() for path in make_vectors.GAMES.iterdir()}
    assert kept.keys() == made.keys()
    assert [name for name in made if kept[name] != made[name]] == [], (
        "run `python -m tests.make_vectors`; but a record that verified must verify for ever"
    )


def test_the_games_have_every_game_scheme_code_and_witness() -> None:
    index = json.loads((make_vectors.GAMES / "index.json").read_text())["transcripts"]
    valid = {(case["game"], case["dealer"]) for case in index if case["verdict"] == "valid"}
    everywhere = set(SCHEMES.listed) - {"croupier/1", "croupier-2017/0"}
    for game in GAMES.listed:
        assert {dealer for name, dealer in valid if name == game} >= everywhere, game
    assert {("bank-poker/1", "croupier/1"), ("poker/2", "croupier-2017/0")} <= valid
    codes = {case["fault"]["code"] for case in index if case["fault"]}
    assert codes >= {
        "transcript/not-canonical", "transcript/broken-chain", "transcript/malformed",
        "transcript/unfinished", "transcript/receipt", "transcript/line-ends", "format/unknown",
        "name/unknown", "game/params", "input/bad", "share/bad", "move/illegal", "ask/stale",
        "table/unexpected", "table/mismatch", "table/void", "fair/bad-evidence", "fair/unopened",
        "bank/other-bet", "bank/other-order",
    }  # fmt: skip
    told = [load(f"games/{case['name']}.verdict") for case in index]
    claims = [claim for verdict in told for claim in verdict["claims"]]
    assert {claim["claim"] for claim in claims} == {
        "COMMITTED", "UNIFORM", "UNFORESEEN", "SEALED", "CONSISTENT", "LEAST_TELLING", "ORDERED"
    }  # fmt: skip
    assert {claim["witness"]["by"] for claim in claims if claim["witness"]} == set(get_args(By))


def test_nothing_lies_around_among_the_vectors() -> None:
    found = sorted(path.stem for path in make_vectors.FOLDER.glob("*.json"))
    assert found == NAMES
    assert {path.name for path in make_vectors.FOLDER.iterdir() if path.is_dir()} == {"games"}


def raw(part: dict[str, str]) -> bytes:
    ((kind, value),) = part.items()
    if kind == "bytes":
        return bytes.fromhex(value)
    return u64(value) if kind == "int" else value.encode()


def test_digests() -> None:
    vectors = load("digests")
    for case in vectors:
        parts = [case["tag"].encode(), *map(raw, case["parts"])]
        framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        assert case["frame"] == framed.hex()
        assert case["digest"] == openssl("-sha3-256", data=framed) == sha3(*parts).hex()
    assert len({case["digest"] for case in vectors}) == len(vectors)


def test_below() -> None:
    rejected = 0
    for case in load("below"):
        n, data = int(case["n"]), bytes.fromhex(case["bytes"])
        size = 0
        while 256**size < n:
            size += 1
        assert case["consumed"] == len(data), "the vector has just the bytes that are read"
        pieces = [data[i : i + size] for i in range(0, len(data), size)] if size else [b""]
        *thrown, last = [int.from_bytes(piece, "big") for piece in pieces]
        limit = 256**size // n * n
        assert all(value >= limit for value in thrown) and last < limit
        assert int(case["value"]) == last % n
        rejected += len(thrown)
        assert Tape(data).below(n) == int(case["value"])
    assert rejected >= 6


def test_streams() -> None:
    vectors = load("streams")
    for case in vectors["hash"]:
        root = bytes.fromhex(case["root"])
        assert case["blocks"] == [block(root, i).hex() for i in (0, 1, 2, 2**33)]
        assert case["below_1000"] == draws(root, 1000, 8)
    for case in vectors["seeded"]:
        root = sha3(b"fairground/seeded-key/1", case["seed"].encode())
        key = struct.unpack(">II", root[:8])
        assert case["key"] == [f"{word:08x}" for word in key]
        game, lane = int(case["game"]), case["lane"]
        tape = b"".join(
            struct.pack(">IIII", *philox((i, game % 2**32, game // 2**32, lane), key))
            for i in range(3)
        )
        assert case["tape"] == tape[:40].hex()


def test_philox_answers_are_the_published_ones() -> None:
    """From kat_vectors of Random123, by the authors of the generator."""
    words = [" ".join(case["words"]) for case in load("streams")["philox"]]
    assert words == [
        "6627e8d5 e169c58d bc57ac4c 9b00dbd8",
        "408f276d 41c83b0e a20bc7c6 6d5451fd",
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ]


def test_hmacs() -> None:
    vectors = load("hmac")
    assert [case["from"] for case in vectors[:3]] == ["seed document"] * 3
    for case in vectors:
        message = case["number"].encode()
        by_hand = hmac.new(case["key"].encode(), message, "sha3_256").hexdigest()
        by_openssl = openssl("-sha3-256", "-hmac", case["key"], data=message)
        assert case["hmac"].lower() == by_hand == by_openssl
        assert HmacKey(case["key"]).commit(int(case["number"])) == case["hmac"]


def test_chains() -> None:
    vectors = load("chains")
    house = vectors["house_seat"]
    assert house == str(2**64 - 1)
    for case in vectors["chains"]:
        links = [bytes.fromhex(link) for link in case["links"]]
        assert len(links) == case["length"] + 1
        table = bytes.fromhex(case["table"])
        for i in range(1, len(links)):
            step = (u64(case["seat"]), u64(case["generation"]), u64(i))
            assert links[i - 1] == sha3(b"fairground/chain-link/1", table, *step, links[i])
    for case in vectors["blinds"]:
        made = sha3(
            b"fairground/blind-commitment/1",
            bytes.fromhex(case["table"]),
            u64(house),
            u64(case["step"]),
            case["head"].encode(),
            bytes.fromhex(case["key"]),
        )
        assert case["commitment"] == made.hex()
    for case in vectors["streams"]:
        parts = [bytes.fromhex(case["table"]), u64(case["run"]), bytes.fromhex(case["house"])]
        parts.append(u64(len(case["links"])))
        for each in case["links"]:
            parts += [u64(each["seat"]), bytes.fromhex(each["link"])]
        parts.append(u64(len(case["stirs"])))
        for each in case["stirs"]:
            parts += [u64(each["seat"]), each["text"].encode()]
        root = sha3(b"fairground/chains-stream/1", *parts, bytes.fromhex(case["key"]))
        assert case["root"] == root.hex()
        assert case["below_300"] == draws(root, 300, 4)


def test_contests() -> None:
    for case in load("contest"):
        contest, seed = case["contest"].encode(), bytes.fromhex(case["seed"])
        assert case["commitment"] == sha3(b"fairground/contest-commitment/1", contest, seed).hex()
        address = (contest, u64(case["game"]), u64(case["run"]))
        root = sha3(b"fairground/contest-stream/1", *address, seed)
        assert case["root"] == root.hex()
        assert case["below_1296"] == draws(root, 1296, 3)


def shuffle(n: int, tape: Iterator[int]) -> list[int]:
    """Fisher and Yates over a tape of bytes, written here a second time; n is at most 2^16."""
    deck = list(range(n))
    for last in reversed(range(1, n)):
        size = 1 if last < 256 else 2
        while True:
            value = 0
            for _ in range(size):
                value = value * 256 + next(tape)
            if value < 256**size // (last + 1) * (last + 1):
                break
        pick = value % (last + 1)
        deck[last], deck[pick] = deck[pick], deck[last]
    return deck


def bytes_of(root: bytes) -> Iterator[int]:
    for i in count():
        yield from block(root, i)


def test_orders_and_disguises_of_contests() -> None:
    for case in load("disguises"):
        contest, seed = case["contest"].encode(), bytes.fromhex(case["seed"])
        entry, game = u64(case["entry"]), u64(case["game"])
        root = sha3(b"fairground/contest-order/1", contest, entry, seed)
        assert case["order"] == shuffle(case["games"], bytes_of(root))
        tape = bytes_of(sha3(b"fairground/contest-disguise/1", contest, entry, game, seed))
        assert case["digits"] == shuffle(case["base"], tape)
        assert case["places"] == shuffle(case["length"], tape)
        proof = sha3(b"fairground/contest-address/1", contest, entry, u64(0), seed)[:16].hex()
        assert case["oracle_of_slot_0"] == f"{case['contest']}.{case['entry']}.0.{proof}"
        keeper = sha3(b"fairground/contest-keeper/1", contest, game, seed)
        assert case["keeper_seed"] == keeper.hex()


def test_seals() -> None:
    for case in load("seals"):
        made = sha3(
            b"fairground/seal/1",
            bytes.fromhex(case["table"]),
            u64(case["seat"]),
            u64(case["step"]),
            case["head"].encode(),
            bytes.fromhex(case["key"]),
            case["move"].encode(),
        )
        assert case["commitment"] == made.hex()
        spot = Spot(bytes.fromhex(case["table"]), case["seat"], case["step"], case["head"])
        assert fits(case["commitment"], spot, case["move"].encode(), case["key"])


def test_lines() -> None:
    vectors = load("lines")
    for case in vectors["accepted"]:
        line = bytes.fromhex(case["line"])
        assert parse(line, 1) == json.loads(line)
        assert case["hash"] == openssl("-sha3-256", data=line)
    for case in vectors["refused"]:
        with pytest.raises(Fault):
            parse(bytes.fromhex(case["line"]), 1)
    for case in vectors["integers"]:
        value = int(case["value"])
        assert case["written"] == (value if abs(value) < 2**53 else case["value"])
        assert whole(case["written"], "it") == value


def test_transcripts() -> None:
    for case in load("transcripts"):
        lines = [line.encode() for line in case["lines"]]
        assert case["hashes"] == [openssl("-sha3-256", data=line) for line in lines]
        events = [json.loads(line) for line in lines]
        assert [event["prev"] for event in events] == ["0" * 64, *case["hashes"][:-1]]
        assert events[-1]["payoff"] == case["payoff"]
        verdict = verify(b"".join(lines))
        assert verdict.ok and verdict.payoff == tuple(case["payoff"])


def words(*parts: Any) -> bytes:
    """Values as the ABI writes them: 32 bytes each; text is hex, an address or 32 bytes."""
    out = b""
    for part in parts:
        number = part if isinstance(part, int) else int(part, 16)
        out += number.to_bytes(32, "big")
    return out


def test_a_hand_of_the_croupier_step_by_step() -> None:
    """By other people's keccak and signatures."""
    case = load("croupier")
    lines = (make_vectors.GAMES / "croupier-signed.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    public = events[0]["public"]
    types = {type_.partition("(")[0]: keccak(type_.encode()) for type_ in case["type_hashes"]}
    separator = keccak(
        keccak(
            b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
        )
        + keccak(b"Fairground Bank")
        + keccak(b"1")
        + words(public["chain"], public["bank"])
    )
    assert separator.hex() == case["domain"]["separator"]

    def signer(struct: bytes, signature: str) -> str:
        digest = keccak(b"\x19\x01" + separator + struct)
        return str(Account._recover_hash(digest, signature="0x" + signature))

    names = [
        "croupier", "player", "croupier_key", "player_key", "game_id", "bet", "level", "chip_cost",
        "croupier_commitment_0", "croupier_commitment_1", "player_commitment_0",
        "player_commitment_1", "expiry",
    ]  # fmt: skip
    bet = keccak(types["Bet"] + words(*(public[name] for name in names)))
    assert bet.hex() == case["bet"]["struct_hash"] == events[0]["table"]
    assert signer(bet, public["signature"]) == public["player_key"]
    shares = [event["value"] for event in events if event["kind"] == "share"]
    tickets = [event["ticket"]["seed"] for event in events if event["kind"] == "ticket"]
    values: list[list[bytes]] = [[], []]
    for role, name, told in ((1, "croupier", tickets), (0, "player", shares)):
        for at, text in enumerate(told):
            nonce, r, s, v = text[:64], text[64:128], text[128:192], text[192:]
            parties = (public["croupier"], public["player"])
            struct = keccak(types["Seed"] + words(*parties, role, public["game_id"], at, nonce))
            assert signer(struct, r + s + v) == public[f"{name}_key"]
            said = words(v, r, s)
            commitment = keccak(keccak(b"fairground/croupier-commitment/1") + said)
            assert commitment.hex() == public[f"{name}_commitment_{at}"]
            values[at].append(keccak(keccak(b"fairground/croupier-seed/1") + said))
    dealt = [event["draws"] for event in events if event["kind"] == "dealt"]
    for at in (0, 1):
        mixed = keccak(b"fairground/croupier-mix/1") + bet + words(at) + b"".join(values[at])
        seed = keccak(mixed)
        assert seed.hex() == case["games"][at]["game_seed"]
        for n, value in dealt[at]:
            while True:
                seed = keccak(keccak(b"fairground/croupier-generate/1") + seed)
                low = int.from_bytes(seed[-4:], "big")
                if low < 2**32 - 2**32 % n:
                    break
            assert low % n == value
    order = next(event["move"] for event in events if event["kind"] == "move")
    note = next(event["body"] for event in events if event["kind"] == "note")
    struct = keccak(
        types["ReplacementOrder"]
        + words(public["croupier"], public["player"], public["game_id"])
        + bet
        + keccak(words(*order))
    )
    assert struct.hex() == case["order"]["struct_hash"]
    assert signer(struct, note["order_signature"]) == public["player_key"]


def test_the_game_of_2017() -> None:
    case = load("croupier_2017")
    assert case["seeds"] == [62504461 ^ 393532593, 1600494777 ^ 1301748256]
    deck, after = list(range(52)), None
    for first, kept in ((case["seeds"][0], case["deck"]), (case["seeds"][1], case["rest"])):
        seed = first
        deck = deck if after is None else after[5:]
        for i in range(len(deck) - 1, 0, -1):
            j = int.from_bytes(keccak(seed.to_bytes(32, "big"))[-4:], "big") % (i + 1)
            deck[i], deck[j] = deck[j], deck[i]
            seed += 1
        assert deck == kept
        after = deck
    assert case["hand"] == case["deck"][:5]
    assert case["final"] == [case["rest"][0], 18, case["rest"][1], case["rest"][2], 5]

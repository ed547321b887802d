"""Bytes of chance: framing, digests, and an exactly uniform way from bytes to numbers."""

from __future__ import annotations

import hashlib
import struct
import subprocess
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.fair.bits import (
    HashStream,
    SeededStream,
    SystemStream,
    Tag,
    Tape,
    digest,
    frame,
    fresh,
    philox,
    same,
    seeded_key,
    token,
)

PARTS = st.lists(st.binary(max_size=6) | st.integers(0, 2**64 - 1) | st.text("aé|", max_size=4))


def framed_by_hand(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def test_the_frame_by_hand() -> None:
    assert frame("t", b"\x01\x02", "é", 258, b"") == framed_by_hand(
        b"t", b"\x01\x02", b"\xc3\xa9", b"\0\0\0\0\0\0\x01\x02", b""
    )


@given(PARTS, PARTS)
def test_different_parts_never_share_a_frame(
    a: list[bytes | int | str], b: list[bytes | int | str]
) -> None:
    def plain(parts: list[bytes | int | str]) -> list[bytes]:
        return [
            part.encode()
            if isinstance(part, str)
            else struct.pack(">Q", part)
            if isinstance(part, int)
            else part
            for part in parts
        ]

    assert (frame("t", *a) == frame("t", *b)) == (plain(a) == plain(b))
    assert frame("t", *a) != frame("u", *a)


def test_the_digest_is_openssls_sha3() -> None:
    asked = subprocess.run(
        ["openssl", "dgst", "-sha3-256", "-r"],
        input=framed_by_hand(b"tag", b"part"),
        capture_output=True,
        check=True,
    )
    assert asked.stdout.decode().split()[0] == digest("tag", b"part").hex()


@pytest.mark.parametrize("number", [-1, 2**64])
def test_an_integer_that_does_not_fit_its_eight_bytes_is_refused(number: int) -> None:
    with pytest.raises(OverflowError):
        frame("t", number)


def test_every_purpose_has_a_tag_of_its_own() -> None:
    tags = [value for name, value in vars(Tag).items() if name.isupper()]
    assert len(tags) >= 8
    assert len(set(tags)) == len(tags)
    assert all(tag.startswith("fairground/") and tag.endswith("/1") for tag in tags)


@pytest.mark.parametrize("n", range(1, 257))
def test_below_is_exactly_uniform_over_all_single_bytes(n: int) -> None:
    """Each of the 256 tapes of one byte gives a value or is rejected; values come equally often."""
    counts: Counter[int] = Counter()
    rejected = 0
    for byte in range(256):
        tape = Tape(bytes([byte]))
        try:
            counts[tape.below(n)] += 1
        except EOFError:
            rejected += 1
    assert set(counts) == set(range(n))
    assert len(set(counts.values())) == 1
    assert rejected == (256 % n if n > 1 else 0), "no more is thrown away than must be"


@pytest.mark.parametrize("n", [257, 1296])
def test_below_is_exactly_uniform_over_all_pairs_of_bytes(n: int) -> None:
    counts = [0] * n
    rejected = 0
    for value in range(65536):
        try:
            counts[Tape(value.to_bytes(2, "big")).below(n)] += 1
        except EOFError:
            rejected += 1
    assert len(set(counts)) == 1 and counts[0] == 65536 // n
    assert rejected == 65536 % n


def test_below_one_reads_nothing() -> None:
    tape = Tape(b"")
    assert [tape.below(1) for _ in range(3)] == [0, 0, 0]
    assert tape.at == 0


@pytest.mark.parametrize(
    ("n", "size"),
    [(2, 1), (256, 1), (257, 2), (65536, 2), (65537, 3), (2**64, 8), (2**64 + 1, 9), (100**40, 34)],
)
def test_below_reads_the_fewest_bytes_that_hold_n(n: int, size: int) -> None:
    tape = Tape(bytes(size))
    assert tape.below(n) == 0
    assert tape.at == size


def test_a_rejected_stretch_is_followed_by_the_next() -> None:
    tape = Tape(bytes([255, 252, 251, 7]))
    assert tape.below(6) == 251 % 6
    assert tape.at == 3


@pytest.mark.parametrize("n", [0, -1])
def test_nothing_is_drawn_below_one(n: int) -> None:
    with pytest.raises(ValueError, match="cannot draw"):
        Tape(b"abc").below(n)


def test_a_tape_ends_loudly() -> None:
    tape = Tape(b"abc")
    assert tape.take(2) == b"ab"
    with pytest.raises(EOFError, match="3 bytes is used up"):
        tape.take(2)


@given(st.lists(st.integers(0, 70), max_size=12))
def test_a_stream_does_not_depend_on_how_it_is_read(sizes: list[int]) -> None:
    pieces = b"".join(map(HashStream(b"r" * 32).take, sizes))
    assert pieces == HashStream(b"r" * 32).take(sum(sizes))
    pieces = b"".join(map(SeededStream("s", 5).take, sizes))
    assert pieces == SeededStream("s", 5).take(sum(sizes))


def test_a_hash_stream_by_hand() -> None:
    root = bytes(range(32))
    blocks = b"".join(
        hashlib.sha3_256(
            framed_by_hand(b"fairground/stream-block/1", root, struct.pack(">Q", i))
        ).digest()
        for i in range(3)
    )
    assert HashStream(root).take(96) == blocks


# The known answers that the authors of Philox publish with Random123 (kat_vectors).
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (
        (0xFFFFFFFF,) * 4,
        (0xFFFFFFFF,) * 2,
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_philox_gives_the_published_answers(
    counter: tuple[int, int, int, int], key: tuple[int, int], words: tuple[int, ...]
) -> None:
    assert philox(counter, key) == words


def test_a_seeded_tape_by_hand() -> None:
    root = hashlib.sha3_256(framed_by_hand(b"fairground/seeded-key/1", "Ärger".encode())).digest()
    key = struct.unpack(">II", root[:8])
    assert seeded_key("Ärger") == key
    game = 5 * 2**32 + 7
    words = [philox((i, 7, 5, 2), key) for i in range(2)]
    expected = b"".join(struct.pack(">IIII", *four) for four in words)
    assert SeededStream("Ärger", game, lane=2).take(32) == expected


def test_games_and_lanes_have_tapes_of_their_own() -> None:
    tapes = {
        SeededStream(seed, game, lane).take(16)
        for seed in ("a", "b", "")
        for game in (0, 1, 2**32, 2**52)
        for lane in range(3)
    }
    assert len(tapes) == 3 * 4 * 3


def test_fresh_bytes_come_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def give(size: int) -> bytes:
        asked.append(size)
        return b"x" * size

    monkeypatch.setattr("secrets.token_bytes", give)
    assert fresh() == b"x" * 32
    assert SystemStream().take(5) == b"xxxxx"
    assert asked == [32, 5]


def test_a_token_is_fit_for_a_url_and_cannot_be_guessed() -> None:
    tokens = {token() for _ in range(50)}
    assert len(tokens) == 50
    for made in tokens:
        assert len(made) == 24, "18 bytes in base 64"
        assert made.replace("-", "").replace("_", "").isalnum() and made.isascii()


def test_fresh_bytes_are_fresh() -> None:
    assert len({fresh() for _ in range(50)}) == 50
    assert {SystemStream().below(3) for _ in range(200)} == {0, 1, 2}


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [("ab", "ab", True), ("ab", b"ab", True), (b"ab", "aB", False), ("a", "ab", False)],
)
def test_digests_are_compared_whatever_their_type(
    a: str | bytes, b: str | bytes, equal: bool
) -> None:
    assert same(a, b) is equal

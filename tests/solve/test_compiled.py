"""Compiled random streams give the bytes and numbers of those in fair/bits."""

from __future__ import annotations

import pytest

from fairground.fair.bits import SeededStream, Stream, seeded_key
from fairground.games import compiled
from fairground.games.kernels import NativeStream


class CountedStream(Stream):
    """Counts the bytes that it gives."""

    def __init__(self, inner: Stream) -> None:
        self._inner, self.used = inner, 0

    def take(self, k: int) -> bytes:
        self.used += k
        return self._inner.take(k)


SIZES = (2, 3, 6, 13, 1, 255, 256, 257, 1000, 40_000, 65_535, 65_536)


@pytest.mark.parametrize("blocks", [1, 2, 8])
@pytest.mark.parametrize(("game", "lane"), [(0, 0), (7, 2), (2**32 - 1, 1), (2**40 + 7, 0)])
def test_numbers_and_bytes_read_are_those_of_the_plain_stream(
    game: int, lane: int, blocks: int
) -> None:
    plain = CountedStream(SeededStream("tape", game, lane))
    registers, data = compiled.new_stream(seeded_key("tape"), lane, blocks)
    compiled.rewind(registers, game + 1)
    compiled.below(40_000, registers, data)  # what was read of another game leaves no trace
    compiled.rewind(registers, game)
    for _ in range(25):
        for n in SIZES:
            assert compiled.below(n, registers, data) == plain.below(n)
            assert compiled.used(registers) == plain.used


def test_a_native_stream_gives_the_bytes_of_the_plain_one() -> None:
    native, plain = NativeStream("tape", 7, 2), SeededStream("tape", 7, 2)
    for k in (0, 1, 3, 8, 9, 40, 2000, 5):
        assert native.take(k) == plain.take(k)
    for n in SIZES:
        assert compiled.below(n, native.registers, native.data) == plain.below(n)
        assert native.below(n) == plain.below(n)

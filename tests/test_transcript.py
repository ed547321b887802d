"""The record: one canonical form, followed by hashes, and everything else refused."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import Fault, IllegalMove, Unreadable
from fairground.transcript import (
    DEEPEST,
    NO_LINE,
    Transcript,
    canonical,
    check_chain,
    frozen,
    line_hash,
    must_be_shallow,
    must_look_like_a_transcript,
    parse,
    read,
)
from tests.helpers.forging import plain_line, rechain

EDGES = [-(2**53) + 1, -(10**15), -(10**15) + 1, 10**15, 2**53 - 1]
SAFE_INTS = st.integers(-(2**53) + 1, 2**53 - 1) | st.sampled_from(EDGES)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
KEYS = st.text(st.characters(max_codepoint=127), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | SAFE_INTS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_what_is_written_is_read_back(event: dict[str, Any]) -> None:
    line = canonical(event) + b"\n"
    assert parse(line, 1) == event
    assert json.loads(line) == event


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.binary(max_size=3), st.integers(0, 200))
def test_there_is_only_one_way_to_write_an_event(
    event: dict[str, Any], noise: bytes, at: int
) -> None:
    line = canonical(event) + b"\n"
    at %= len(line)
    other = line[:at] + noise + line[at:]
    try:
        again = parse(other, 1)
    except Fault as fault:
        assert fault.code == "transcript/not-canonical"
    else:
        assert other == line or again != event


@pytest.mark.parametrize("number", EDGES)
def test_the_longest_integers_are_read_back(number: int) -> None:
    assert parse(canonical({"a": number}) + b"\n", 1) == {"a": number}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [(), None, True]}, '{"a":[[],null,true],"b":1}'),
        ("é\u2028\U0001f3b2", '"é\u2028\U0001f3b2"'),
        ('"\\\n\x00\x7f', '"\\"\\\\\\n\\u0000\x7f"'),
        (-9007199254740991, "-9007199254740991"),
    ],
)
def test_canonical_bytes_by_hand(value: Any, text: str) -> None:
    assert canonical(value) == text.encode()


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        float("nan"),
        2**53,
        -(2**53),
        {"a": 0.5},
        [{"a": 2**60}],
        {1: 2},
        {"ä": 1},
        b"bytes",
        {"a": {1, 2}},
        "\ud800",
    ],
    ids=repr,
)
def test_what_cannot_stand_in_a_transcript_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        canonical(value)


def nested(depth: int, value: Any = 1) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def test_deep_nesting_is_refused_everywhere_the_same() -> None:
    deep = nested(40)
    with pytest.raises(ValueError, match="nested more than 32"):
        canonical(deep)
    with pytest.raises(IllegalMove, match="nested"):
        frozen(deep)
    for depth in (40, 200, 700, 5000):
        line = b'{"a":' + b"[" * depth + b"]" * depth + b"}\n"
        with pytest.raises(Fault, match="not a canonical event") as caught:
            parse(line, 3)
        assert caught.value.line == 3
    shallow = {"a": nested(30)}
    assert parse(canonical(shallow) + b"\n", 1) == shallow
    wide: dict[str, Any] = {"a": [[]] * 100}
    assert parse(canonical(wide) + b"\n", 1) == wide


REFUSED = {
    "no line feed": b'{"a":1}',
    "a carriage return": b'{"a":1}\r\n',
    "a byte order mark": b'\xef\xbb\xbf{"a":1}\n',
    "spaces": b'{"a": 1}\n',
    "a leading space": b' {"a":1}\n',
    "unsorted keys": b'{"b":1,"a":1}\n',
    "a key twice": b'{"a":1,"a":1}\n',
    "a float": b'{"a":1.5}\n',
    "a float that is whole": b'{"a":1.0}\n',
    "an exponent": b'{"a":1e3}\n',
    "NaN": b'{"a":NaN}\n',
    "infinity": b'{"a":-Infinity}\n',
    "minus zero": b'{"a":-0}\n',
    "a large integer as a number": b'{"a":9007199254740992}\n',
    "a very large integer": b'{"a":1' + b"0" * 30 + b"}\n",
    "an absurdly large integer": b'{"a":1' + b"0" * 5000 + b"}\n",
    "leading zeros": b'{"a":01}\n',
    "an array": b"[1]\n",
    "a bare string": b'"a"\n',
    "null": b"null\n",
    "nothing": b"\n",
    "an escape that is not needed": b'{"a":"\\u0041"}\n',
    "an escaped slash": b'{"a":"\\/"}\n',
    "an escaped non-ASCII sign": b'{"a":"\\u00e9"}\n',
    "a lone surrogate": b'{"a":"\\ud800"}\n',
    "a surrogate in UTF-8": b'{"a":"\xed\xa0\x80"}\n',
    "broken UTF-8": b'{"a":"\xff"}\n',
    "overlong UTF-8": b'{"a":"\xc0\x80"}\n',
    "a raw control sign": b'{"a":"\x01"}\n',
    "a key that is not ASCII": '{"ä":1}\n'.encode(),
    "something behind it": b'{"a":1}{}\n',
    "UTF-16": '{"a":1}\n'.encode("utf-16"),
    "a comment": b'{"a":1}//\n',
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_line_that_is_not_canonical_is_refused_with_its_number(what: str) -> None:
    with pytest.raises(Fault, match=r"^line 12 is not a canonical event: .") as caught:
        parse(REFUSED[what], 12)
    assert (caught.value.code, caught.value.line) == ("transcript/not-canonical", 12)


def test_moves_are_frozen_all_the_way_down() -> None:
    assert frozen([1, ["a", []], (2,)]) == (1, ("a", ()), (2,))
    assert frozen("ab") == "ab"
    for odd in (None, 1.5, {"a": 1}, [None], [1, [{}]]):
        with pytest.raises(IllegalMove, match="a move is"):
            frozen(odd)


def test_the_chain_is_what_openssl_says_it_is() -> None:
    book = Transcript()
    book.append("start", a="é")
    book.append("move", b=[1])
    asked = subprocess.run(
        ["openssl", "dgst", "-sha3-256"], input=book.lines[0], capture_output=True, check=True
    )
    assert asked.stdout.decode().split()[-1] == book.events[1]["prev"]
    assert book.events[0]["prev"] == "0" * 64
    assert book.head == hashlib.sha3_256(book.lines[1]).hexdigest() == line_hash(book.lines[1])
    assert book.step == 2
    assert check_chain(read(bytes(book))) == book.events


def test_the_sink_has_each_line_before_it_counts() -> None:
    seen: list[tuple[bytes, int]] = []
    book = Transcript(lambda line: seen.append((line, book.step)))
    book.append("start")
    book.append("end")
    assert [line for line, _ in seen] == book.lines
    assert [step for _, step in seen] == [0, 1]


def test_a_sink_that_fails_leaves_nothing_behind() -> None:
    def full(line: bytes) -> None:
        raise OSError("no space left")

    book = Transcript(full)
    with pytest.raises(OSError, match="no space"):
        book.append("start")
    assert (book.step, book.head, bytes(book)) == (0, NO_LINE, b"")


def test_a_break_in_the_chain_names_the_line_that_was_changed() -> None:
    lines = read(rechain([{"kind": "start"}, {"kind": "note"}, {"kind": "end"}]))
    assert len(check_chain(lines)) == 3
    lines[1] = lines[1].replace(b"note", b"Note")
    with pytest.raises(Fault, match="line 3 does not follow from line 2") as caught:
        check_chain(lines)
    assert (caught.value.code, caught.value.line) == ("transcript/broken-chain", 2)


@pytest.mark.parametrize("prev", ["1" * 64, None, 0, ["0" * 64]])
def test_the_first_line_follows_nothing(prev: Any) -> None:
    with pytest.raises(Fault, match="64 zeros") as caught:
        check_chain([plain_line({"kind": "start", "prev": prev})])
    assert (caught.value.code, caught.value.line) == ("transcript/broken-chain", 1)


def test_an_event_without_prev_is_a_broken_chain() -> None:
    with pytest.raises(Fault) as caught:
        check_chain([plain_line({"kind": "start"})])
    assert caught.value.code == "transcript/broken-chain"


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"hello\n", b"\x00\xff", b"[]\n", b'{"a":1}\n', b"[" * 5000, b'{"kind":1'],
)
def test_a_file_without_a_single_event_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable, match="not a Fairground transcript"):
        read(data)


def test_reading_keeps_every_byte() -> None:
    data = b'garbage\r\n\n{"kind":"x"}\n{"kind":"y"'
    assert read(data) == [b"garbage\r\n", b"\n", b'{"kind":"x"}\n', b'{"kind":"y"']
    assert b"".join(read(data)) == data


def test_a_line_of_many_brackets_cannot_end_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a library has raised the recursion limit, the native reader would overflow."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        deep = b"[" * 1_000_000 + b"]" * 1_000_000 + b"\n"
        with pytest.raises(Fault, match="nested more than 32"):
            parse(deep, 1)
        with pytest.raises(Unreadable):
            read(deep)
    finally:
        sys.setrecursionlimit(limit)
    many = b'{"a":[' + b",".join([b"[]"] * 1000) + b"]}\n"
    assert len(parse(many, 1)["a"]) == 1000, "many brackets side by side are no depth"


def nested_as(depth: int, kind: str, inside: Any) -> Any:
    value = inside
    for level in range(depth):
        value = {"a": value} if kind == "objects" or (kind == "both" and level % 2) else [value]
    return value


@pytest.mark.parametrize("kind", ["lists", "objects", "both"])
@pytest.mark.parametrize("inside", [0, None, True, "text", [], {}], ids=repr)
def test_what_can_be_written_can_be_read(kind: str, inside: Any) -> None:
    """And what is one level too deep is refused by both."""
    deepest = DEEPEST - 1 - isinstance(inside, (list, dict))  # the event is a level, too
    event = {"body": nested_as(deepest, kind, inside), "kind": "note"}
    assert parse(canonical(event) + b"\n", 1) == event
    deeper = {"body": nested_as(deepest + 1, kind, inside), "kind": "note"}
    with pytest.raises(ValueError, match="nested more than"):
        canonical(deeper)
    with pytest.raises(Fault, match="nested more than"):
        parse(json.dumps(deeper, separators=(",", ":")).encode() + b"\n", 1)


def test_the_deepest_move_is_taken_and_the_next_is_not() -> None:
    deep: Any = "x"
    for _ in range(DEEPEST - 1):
        deep = (deep,)
    assert frozen(deep) == deep
    assert parse(canonical({"kind": "move", "move": deep}) + b"\n", 1)["kind"] == "move"
    with pytest.raises(IllegalMove, match="nested"):
        frozen((deep,))


def test_many_lists_beside_each_other_are_not_deep() -> None:
    wide = {"kind": "note", "prev": "", "body": {"a": [[] for _ in range(2 * DEEPEST)]}}
    assert parse(canonical(wide) + b"\n", 1) == wide
    must_be_shallow("[" * (DEEPEST - 1) + "[]" * 3 + "]" * (DEEPEST - 1))
    must_be_shallow("[" * DEEPEST + "]" * DEEPEST + "[" * DEEPEST)
    for before in ("", "[]" * 3):
        with pytest.raises(ValueError, match="nested"):
            must_be_shallow(before + "[" * (DEEPEST + 1))


def test_an_escape_that_was_not_needed_is_found_without_writing_again() -> None:
    with pytest.raises(Fault, match="other bytes"):
        parse(b'{"kind":"\\u0061"}\n', 1, reencode=False)


def test_what_is_wrong_with_a_line_is_said() -> None:
    for line, reason in (
        (b'{"kind":"note"}', "it does not end in a line feed"),
        (b'{"kind":"note"} {}\n', "there is more on it than one JSON value"),
    ):
        with pytest.raises(Fault, match=reason):
            parse(line, 1)
    spaced = b'{"kind": "note","prev":"' + b"0" * 64 + b'"}\n'
    with pytest.raises(Fault, match="line 1"):
        check_chain([spaced])
    assert parse(spaced, 1, reencode=False)["kind"] == "note"


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_no_json_are_no_event(word: str) -> None:
    with pytest.raises(Unreadable, match="no line of it is an event"):
        must_look_like_a_transcript([b'{"kind":%s}\n' % word.encode()])
    must_look_like_a_transcript([b'{"kind":1e999}\n'])

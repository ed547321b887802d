"""What follows from a contest's seed, the rules of its book, and the contest file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from fairground.cli import main
from fairground.commands import verify as verify_command
from fairground.contest.book import DISGUISES, DRAWN, NO_DISGUISE, Book, Entry
from fairground.contest.file import Section, check, one_by_one, until_a_fault
from fairground.contest.games import (
    Disguise,
    Part,
    check_parts,
    disguise,
    fair_code,
    keeper_seed,
    oracle_name,
    order,
    shuffled,
)
from fairground.core import BadParams, Fault, InputError, Unreadable
from fairground.fair.bits import SeededStream, Tape
from fairground.games.codebreaking.rules import BREAKER, GIVE_UP, NO_CODE, marks
from fairground.lab.simulation import workers
from fairground.transcript import canonical, line_hash
from tests.helpers.contests import SEED, House, a_contest, rechained, sections
from tests.helpers.width import WIDE

FILE = a_contest().file()
LAYOUT = sections(FILE)


def by_hand(tag: str, *parts: str | int | bytes) -> bytes:
    """`digest` without our code."""
    out = b""
    for part in (tag, *parts):
        data = (
            part.encode()
            if isinstance(part, str)
            else part.to_bytes(8, "big")
            if isinstance(part, int)
            else part
        )
        out += len(data).to_bytes(4, "big") + data
    return hashlib.sha3_256(out).digest()


def drawn_by_hand(root: bytes, *ranges: int) -> list[int]:
    """Numbers below at most 256 from a hash stream, without our code."""
    tape = b"".join(by_hand("fairground/stream-block/1", root, i) for i in range(9))
    out, at = [], 0
    for n in ranges:
        while tape[at] >= 256 - 256 % n:
            at += 1
        out.append(tape[at] % n)
        at += 1
    return out


# What follows from the seed


def test_a_shuffle_by_hand() -> None:
    # 4 places: swap 3 with 1, then 2 with 2, then 1 with 0: 0123 → 0321 → 0321 → 3021
    assert shuffled(4, Tape(bytes([1, 2, 0]))) == (3, 0, 2, 1)
    assert shuffled(1, Tape(b"")) == (0,)


def test_every_shuffle_comes_up_alike() -> None:
    counts = Counter(shuffled(4, SeededStream("shuffle", game)) for game in range(4800))
    assert len(counts) == 24
    # 23 degrees of freedom: chi-square beyond 60 has a chance below 1 in 10,000
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 60


def test_order_and_disguise_by_hand() -> None:
    root = by_hand("fairground/contest-order/1", "cup", 5, SEED)
    expected = list(range(7))
    for i, j in zip(range(6, 0, -1), drawn_by_hand(root, 7, 6, 5, 4, 3, 2), strict=True):
        expected[i], expected[j] = expected[j], expected[i]
    assert order("cup", SEED, 5, 7) == tuple(expected)
    root = by_hand("fairground/contest-disguise/1", "cup", 5, 3, SEED)
    digits, places = list(range(4)), list(range(3))
    draws = drawn_by_hand(root, 4, 3, 2, 3, 2)
    for out, at, j in zip((digits,) * 3 + (places,) * 2, (3, 2, 1, 2, 1), draws, strict=True):
        out[at], out[j] = out[j], out[at]
    part = Part(4, 3, "fair", 1)
    assert disguise("cup", SEED, 5, 3, part) == (tuple(digits), tuple(places))
    assert keeper_seed("cup", SEED, 3) == by_hand("fairground/contest-keeper/1", "cup", 3, SEED)


def test_scores_are_the_same_in_every_disguise() -> None:
    chance = SeededStream("disguises")
    for game in range(200):
        part = Part(2 + chance.below(9), 1 + chance.below(6), "fair", 1)
        seen = disguise("cup", SEED, 0, game, part)
        code, guess = (tuple(chance.below(part.base) for _ in range(part.length)) for _ in range(2))
        assert marks(seen.to_raw(code), seen.to_raw(guess)) == marks(code, guess)
        assert seen.from_raw(seen.to_raw(code)) == code
        assert seen.to_raw(seen.from_raw(code)) == code


def test_a_disguise_by_hand() -> None:
    seen = Disguise(digits=(2, 0, 1), places=(1, 2, 0))
    # digit 0 at place 0 is raw 2 at 1; digit 1 at 1 is raw 0 at 2; digit 2 at 2 is raw 1 at 0
    assert seen.to_raw((0, 1, 2)) == (1, 2, 0)


def test_disguises_are_independent_of_one_another() -> None:
    """Two entries' disguises of a game, and one entry's of two games, have nothing in common."""
    part = Part(10, 6, "fair", 1)
    by_entry = {disguise("cup", SEED, entry, 7, part) for entry in range(50)}
    by_game = {disguise("cup", SEED, 7, game, part) for game in range(50)}
    assert len(by_entry) == len(by_game) == 50
    # How one changes into the other is new each time as well: nothing is learnt from five games
    steps = set()
    for game in range(50):
        one, other = (disguise("cup", SEED, entry, game, part).digits for entry in (0, 1))
        steps.add(tuple(other.index(digit) for digit in one))
    assert len(steps) == 50
    assert len({order("cup", SEED, entry, 20) for entry in range(50)}) == 50


def test_the_code_is_what_the_scheme_deals() -> None:
    house = House()
    entry = house.enter("A")
    for slot in range(house.book.games):
        game, part, _ = house.seen(entry, slot)
        if part.oracle == "fair":
            assert house.table(entry, slot).state.code == fair_code("cup", SEED, game, part)


def test_names_of_oracles_cannot_be_made_up() -> None:
    names = {oracle_name("cup", SEED, entry, slot) for entry in range(9) for slot in range(9)}
    assert len({name.rpartition(".")[2] for name in names}) == 81
    assert oracle_name("cup", SEED, 0, 0) != oracle_name("cup", b"x" * 32, 0, 0)
    proof = by_hand("fairground/contest-address/1", "cup", 5, 3, SEED).hex()
    assert oracle_name("cup", SEED, 5, 3) == f"cup.5.3.{proof[:32]}"


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [Part(6, 4, "fair", 0)],
        [Part(1, 4, "fair", 1)],
        [Part(6, 41, "fair", 1)],
        [Part(6, 4, "moody", 1)],
        [Part(6, 4, "fair", True)],
        [Part(6, 4, "fair", 6000), Part(6, 4, "evil", 4001)],
        [Part(6, 4, "fair", 1)] * 101,
        [Part(6, 4, "moody", 1, "http://a.example/")],
        [Part(6, 4, "fair", 1, "")],
        [Part(6, 4, "fair", 1, "x" * 2001)],
    ],
)
def test_what_no_contest_is_made_of(parts: list[Part]) -> None:
    with pytest.raises(BadParams):
        check_parts(parts)


def test_a_contest_of_as_much_as_there_may_be() -> None:
    check_parts([Part(6, 4, "fair", 6000), Part(6, 4, "evil", 4000)])
    check_parts([Part(6, 4, "fair", 1)] * 100)
    check_parts([Part(6, 4, "fair", 1, "x" * 2000)])


def test_a_part_as_the_book_has_it() -> None:
    part = {"base": 6, "length": 4, "oracle": "fair", "games": 3}
    assert Part(6, 4, "fair", 3).as_json() == part
    elsewhere = "http://a.example/"
    assert Part(6, 4, "fair", 3, elsewhere).as_json() == {**part, "factory": elsewhere}


# The book


def refused(house: House, code: str, kind: str, **fields: Any) -> str:
    with pytest.raises(Fault) as caught:
        house.write(kind, **fields)
    assert caught.value.code == code
    return caught.value.reason


ENTRY = {"entry": 1, "team": "B", "version": "1", "training": False, "at": 1001}
RESULT = {"entry": 0, "slot": 0, "result": "solved", "steps": 3, "head": "a" * 64, "at": 1001}


REMOVAL = {"entry": 1, "reason": "not invited", "at": 1001}
FAILED = {"entry": 0, "slot": 0, "reason": "the factory is down", "at": 1001}
NEXT = {
    "entered": {**ENTRY, "entry": 2, "team": "C"},
    "finished": RESULT,
    "removed": REMOVAL,
    "failed": FAILED,
}
"""Kind of line → one that is right after the start of A and the entry of B."""

LATE = [("contest/late", {"at": 2000}), ("contest/time", {"at": 1000})]
MALFORMED: list[tuple[str, dict[str, Any]]] = [
    ("contest/malformed", {"reason": ""}),
    ("contest/malformed", {"more": 1}),
]
REFUSED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "entered": [
        *(("contest/entry", {"entry": number}) for number in (0, 1, 3)),
        *(("contest/entry", {"team": team}) for team in ("", "x" * 21, " B", "B\n")),
        ("contest/entry", {"version": ""}),
        ("contest/entry", {"training": True}),
        ("contest/entry", {"team": "A"}),
        ("contest/entry", {"team": "A", "version": "2"}),
        ("contest/entry", {"team": "A", "training": True}),  # with the version that it has
        ("contest/malformed", {"more": 1}),
    ],
    "finished": [
        *(("contest/result", {"entry": number}) for number in (1, 2, -1)),
        ("contest/result", {"slot": 6}),
        ("contest/result", {"result": "lost"}),
        ("contest/result", {"steps": 0}),
        ("contest/result", {"head": "a"}),
    ],
    "removed": [
        ("contest/entry", {"entry": 0}),  # it has started
        ("contest/entry", {"entry": 2}),
        ("contest/malformed", {"reason": "x" * 201}),
        *MALFORMED,
    ],
    "failed": [
        ("contest/result", {"entry": 1}),
        ("contest/result", {"slot": 6}),
        ("contest/malformed", {"reason": "x" * 2501}),
        *MALFORMED,
    ],
}


def ready() -> House:
    """A has started, and B has entered."""
    house = House()
    house.start(house.enter("A"))
    house.enter("B")
    return house


@pytest.mark.parametrize("kind", NEXT)
def test_lines_that_a_book_refuses(kind: str) -> None:
    for code, change in [*REFUSED[kind], *LATE]:
        house = ready()
        refused(house, code, kind, **{**NEXT[kind], **change})
        house.write(kind, **NEXT[kind])


@pytest.mark.parametrize("kind", NEXT)
def test_each_member_of_a_line_has_one_type(kind: str) -> None:
    house = ready()
    for name, value in NEXT[kind].items():
        others: list[Any] = ["1001", 7, True, [], None]
        for wrong in others:
            if type(wrong) is not type(value):
                refused(house, "contest/malformed", kind, **{**NEXT[kind], name: wrong})


def test_what_was_removed_or_finished_stays_so() -> None:
    house = ready()
    not_started = {**RESULT, "entry": 1}
    assert "not started" in refused(house, "contest/result", "finished", **not_started)
    house.write("removed", **REMOVAL)
    refused(house, "contest/entry", "removed", **REMOVAL)
    refused(house, "contest/entry", "started", entry=1, at=1001)
    refused(house, "contest/result", "finished", **not_started)
    house.write("finished", **RESULT)
    refused(house, "contest/result", "finished", **RESULT)


def test_an_entry_is_told_whether_it_trains() -> None:
    house = House()
    house.enter("A")
    told = refused(house, "contest/entry", "entered", **{**ENTRY, "training": True})
    assert told == "entry 1 of 'B' is official"
    again = {**ENTRY, "team": "A", "version": "2"}
    assert refused(house, "contest/entry", "entered", **again) == "entry 1 of 'A' is training"
    assert house.book.has("A", "1") and not house.book.has("A", "2")


def test_a_removed_entry_is_as_if_nobody_had_entered() -> None:
    house = House()
    house.enter("A")
    house.write("removed", **{**REMOVAL, "entry": 0})
    again = house.enter("A")
    assert not again.training
    later = house.enter("A", "2")
    assert later.training
    assert again.over
    house.write("removed", **{**REMOVAL, "entry": 2})
    assert house.enter("A", "3").training, "one of its entries is still there"
    assert [entry.number for entry in house.book.present] == [1, 3]


def test_an_entry_starts_once_and_while_it_may_play() -> None:
    house = House()
    first = house.start(house.enter("A"))
    refused(house, "contest/entry", "started", entry=first.number, at=1001)
    waits = house.enter("B")
    house.enter("B", "2")
    refused(house, "contest/entry", "started", entry=waits.number, at=1001)


def test_without_a_disguise_nothing_more_is_claimed() -> None:
    words = {}
    for parts in ([Part(3, 2, "fair", 1)], [Part(3, 2, "evil", 1)]):
        for look in DISGUISES:
            house = House(parts, disguise=look)
            house.solve(house.enter("A"), 0)
            house.close()
            words[parts[0].oracle, look] = check(b"".join(house.file())).claims[0].result
    known = " from a seed that was not chosen later (the house chose it, and knew it)"
    codes = "the codes of the fair games, "
    assert words == {
        (
            "fair",
            DRAWN,
        ): f"{codes}every order and every disguise follow{known}",
        ("fair", NO_DISGUISE): f"the codes of the fair games and every order follow{known}",
        ("evil", DRAWN): f"every order and every disguise, and no code, follow{known}",
        ("evil", NO_DISGUISE): f"every order, and no code, follows{known}",
    }


def test_a_second_entry_trains_and_ends_the_first() -> None:
    house = House()
    first = house.start(house.enter("A"))
    second = house.start(house.enter("A", "2"))
    assert (first.training, second.training) == (False, True)
    assert "entered again" in refused(house, "contest/result", "finished", **RESULT)
    third = house.enter("A", "3")
    assert third.training
    house.write("finished", **{**RESULT, "entry": 1})  # training goes on beside training
    refused(house, "contest/entry", "entered", **{**ENTRY, "entry": 3, "team": "A"})


def test_a_game_waits_until_it_goes_on_or_ends() -> None:
    house = House()
    entry = house.start(house.enter("A"))
    again = {"entry": 0, "slot": 0, "at": 1001}
    assert "does not wait" in refused(house, "contest/result", "recovered", **again)
    house.write("failed", **FAILED)
    assert entry.waiting == {0: "the factory is down"}
    assert "waits already" in refused(house, "contest/result", "failed", **FAILED)
    house.write("recovered", **again)
    assert not entry.waiting
    house.write("failed", **FAILED)
    assert entry.failures == {0: 2}
    house.write("finished", **RESULT)
    assert not entry.waiting
    refused(house, "contest/result", "failed", **FAILED)
    refused(house, "contest/result", "recovered", **again)


def test_only_a_factory_can_fail() -> None:
    """The house cannot put its own slowness on somebody else."""
    house = House()
    house.start(house.enter("A"))
    house.write("failed", **FAILED)
    house.close()
    fault = fault_of(house.file())
    assert (fault.code, fault.line) == ("contest/game", 5)
    assert "has no factory" in fault.reason


def test_closing() -> None:
    house = House()
    closed: dict[str, Any] = {"seed": SEED.hex(), "by": "time", "at": 2000}
    refused(house, "contest/time", "closed", **{**closed, "at": 1999})
    refused(house, "contest/time", "closed", **{**closed, "by": "nobody"})
    refused(house, "fair/bad-evidence", "closed", **{**closed, "seed": "0" * 64})
    refused(house, "contest/malformed", "closed", **{**closed, "seed": 7})
    refused(house, "contest/late", "filed", games=0, digest="0" * 64)
    house.write("closed", **closed)
    refused(house, "contest/late", "entered", **{**ENTRY, "entry": 0})
    refused(house, "contest/malformed", "filed", games="0", digest="0" * 64)
    house.write("filed", games=0, digest="0" * 64)
    refused(house, "contest/late", "filed", games=0, digest="0" * 64)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "fairground-contest/9"},
        {"format": "fairground-contest/1"},
        {"format": ["fairground-contest/2"]},
        {"disguise": "false moustache"},
        {"disguise": None},
        {"contest": ""},
        {"commitment": "x"},
        {"at": 2000},
        {"at": -1},
        {"parts": 7},
        {"parts": [{"base": 6}]},
        {"parts": [{"base": 1, "length": 4, "oracle": "fair", "games": 1}]},
    ],
)
def test_openings_that_a_book_refuses(change: dict[str, Any]) -> None:
    event = {**json.loads(FILE[1]), **change}
    with pytest.raises(Fault) as caught:
        Book().apply(event, b"")
    assert caught.value.code == "contest/malformed"


def test_a_contest_opens_once_and_first() -> None:
    opened = json.loads(FILE[1])
    book = Book()
    book.apply({**opened, "at": 0}, FILE[1])
    for fresh, event in ((book, opened), (Book(), json.loads(FILE[2]))):
        with pytest.raises(Fault, match="opened once, in its book's first line"):
            fresh.apply(event, b"")


# The file


def fault_of(lines: list[bytes]) -> Fault:
    verdict = check(b"".join(lines))
    assert not verdict.ok
    assert verdict.fault is not None
    return verdict.fault


def test_an_honest_file_holds() -> None:
    verdict = check(b"".join(FILE))
    assert verdict.ok, verdict.fault
    assert verdict.table is not None
    assert [row["team_name"] for row in verdict.table["official"]] == ["A", "B"]
    assert verdict.table["official"][1]["unfinished"] == 2  # one given up, one never begun
    (training,) = verdict.table["training"]
    assert (training["team_name"], training["software_version"]) == ("B", "2")
    assert [claim.name for claim in verdict.claims] == ["COMMITTED", "CONSISTENT"]
    assert verdict.games == len(LAYOUT) - 1


def tampered(value: Any) -> Any:
    """Another value of the same form."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1") if value else "x"
    if isinstance(value, list):
        return [*value[:-1], tampered(value[-1])] if value else [0]
    if value:
        key = max(value)
        return {**value, key: tampered(value[key])}
    return {"x": 0}


@pytest.mark.parametrize("i", range(0, len(FILE), 1 if WIDE else 6))
def test_no_line_can_be_changed_even_if_its_chain_is_written_anew(i: int) -> None:
    event = json.loads(FILE[i])
    for key in sorted(event.keys() - {"prev"}):
        changed = list(FILE)
        changed[i] = canonical({**event, key: tampered(event[key])}) + b"\n"
        assert not check(b"".join(changed)).ok, key
        try:
            layout = sections(changed)
            anew = rechained(changed, layout)
        except (ValueError, IndexError, TypeError):
            continue  # a heading that counts wrongly: there is nothing to chain
        assert not check(b"".join(anew)).ok, key


@pytest.mark.parametrize("section", range(0, len(LAYOUT), 1 if WIDE else 4))
def test_no_line_can_be_left_out(section: int) -> None:
    first, last = LAYOUT[section]
    for i in range(first, last + 1):
        heading = json.loads(FILE[first - 1])
        heading["lines"] -= 1
        lines = [*FILE[: first - 1], canonical(heading) + b"\n", *FILE[first:i], *FILE[i + 1 :]]
        assert not check(b"".join(rechained(lines, sections(lines)))).ok, i
        assert not check(b"".join(FILE[:i] + FILE[i + 1 :])).ok, i


@pytest.mark.parametrize("section", range(1, len(LAYOUT)))
def test_no_game_can_be_left_out(section: int) -> None:
    first, last = LAYOUT[section]
    fault = fault_of(FILE[: first - 1] + FILE[last + 1 :])
    assert fault.code in ("contest/game", "contest/malformed")


def test_no_byte_can_be_flipped() -> None:
    data = b"".join(FILE)
    for i in range(0, len(data), 97 if WIDE else 797):
        assert not check(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]).ok, i
    for cut in (data[:-1], data + b"\n", data + FILE[-1], b"".join(FILE[:-1]), FILE[-1], FILE[0]):
        assert not check(cut).ok
    with pytest.raises(Unreadable):
        check(b"hello\n")


def forged(change: Callable[[House], None], house: House | None = None) -> Fault:
    """A house that lies, and then writes book, digest, hashes and standings to fit."""
    house = house or House()
    change(house)
    house.close()
    return fault_of(house.file())


def play_three(house: House) -> None:
    entry = house.enter("B")
    for slot in range(3):
        house.solve(entry, slot)


class TestAHouseThatWritesEverythingAnew:
    def test_another_disguise_than_the_seed_gives(self) -> None:
        class Careless(House):
            def seen(self, entry: Any, slot: int) -> tuple[int, Part, Disguise]:
                game, part, _ = super().seen(entry, slot)
                return game, part, disguise("cup", SEED, 0, 0, part)

        house = Careless()
        house.enter("A")
        fault = forged(play_three, house)
        assert fault.code == "contest/disguise"

    def test_another_order_than_the_seed_gives(self) -> None:
        class Kind(House):
            def seen(self, entry: Any, slot: int) -> tuple[int, Part, Disguise]:
                part = self.book.part_of[slot]
                return slot, part, disguise("cup", SEED, entry.number, slot, part)

        fault = forged(play_three, Kind())
        assert fault.code == "contest/game"

    def test_a_player_who_never_entered(self) -> None:
        def change(house: House) -> None:
            entry = house.enter("A")
            entry.version = "2"  # the house's memory, and not its book
            house.solve(entry, 0)
            entry.version = "1"

        fault = forged(change)
        assert fault.code == "contest/game"
        assert "not by 'A 1' against the keeper" in fault.reason

    def test_a_note_of_other_digits(self) -> None:
        real = House.seen
        house = House()

        def seen(entry: Entry, slot: int) -> tuple[int, Part, Disguise]:
            game, part, look = real(house, entry, slot)
            return game, part, Disguise(look.digits[::-1], look.places)

        house.seen = seen  # type: ignore[method-assign]
        fault = forged(play_three, house)
        assert fault.code == "contest/disguise"
        assert fault.reason.endswith("; wrong: ['digits']")

    def test_a_second_note_that_is_no_remark(self) -> None:
        def change(house: House) -> None:
            entry = house.enter("A")
            house.table(entry, 0).note({"digits": [0, 1, 2]})
            house.solve(entry, 0)

        fault = forged(change)
        assert fault.code == "contest/disguise"
        assert "only the keeper's remarks" in fault.reason

    def test_a_keeper_with_no_code_for_its_answers(self) -> None:
        """No digit is in it, it said of each."""
        house = House([Part(3, 2, "evil", 1)])
        entry = house.enter("A")
        table = house.table(entry, 0)
        for move in ([0, 0], [0, 0], [1, 1], [0, 0], [2, 2], [0, 0], GIVE_UP, NO_CODE):
            (ask,) = table.asks()
            table.submit(ask, move)
        head, at = table.transcript.head, table.transcript.step
        result = {"entry": 0, "slot": 0, "result": "given up", "steps": 3, "head": head}
        house.write("finished", **result, at=1001)
        house.close()
        lines = house.file()
        fault = fault_of(lines)
        assert fault.code == "contest/lie"
        assert fault.line is not None
        assert json.loads(lines[fault.line - 1])["move"] == NO_CODE
        assert fault.line == sections(lines)[1][0] + at

    @pytest.mark.parametrize("reason", ["given up", "tired"])
    @pytest.mark.parametrize("factory", [None, "http://a.example/"])
    def test_a_game_that_its_player_left(self, factory: str | None, reason: str) -> None:
        """To give up is a move. Only a relayed game, which knows no such move, is left instead.

        Its first guess was never answered, and is no step.
        """
        house = House([Part(3, 2, "evil", 1, factory)])
        table = house.table(house.enter("A"), 0)
        table.submit(table.asks()[0], [0, 1])
        table.forfeit(BREAKER, reason)
        head = table.transcript.head
        result = {"entry": 0, "slot": 0, "result": "given up", "steps": 0, "head": head}
        house.write("finished", **result, at=1001)
        house.close()
        verdict = check(b"".join(house.file()))
        if factory and reason == "given up":
            assert verdict.ok, verdict.fault
        else:
            assert verdict.fault is not None
            assert verdict.fault.reason.endswith("was given up; it was forfeited")

    def test_a_game_that_its_player_left_and_the_book_does_not_know(self) -> None:
        """What nobody finished is ended by the house, at the close."""
        fault = forged(lambda house: house.table(house.enter("A"), 0).forfeit(BREAKER, "tired"))
        assert fault.code == "contest/result"
        assert fault.reason.endswith("was finished, but it was")

    def test_an_easier_code(self) -> None:
        def change(house: House) -> None:
            entry = house.enter("A")
            slot = next(s for s in range(6) if house.seen(entry, s)[1].oracle == "fair")
            table = house.table(entry, slot)
            table.state = table.state._replace(code=(0, 0, 0))
            house.solve(entry, slot)

        assert forged(change).code == "move/illegal"

    def test_fewer_steps(self) -> None:
        def change(house: House) -> None:
            house.solve(house.enter("A"), 0)
            result = house.chain.events.pop()
            house.chain.lines.pop()
            house.chain.head = result["prev"]
            house.book.entries[0].results.clear()
            fields = {k: result[k] for k in result.keys() - {"kind", "prev"}}
            house.write("finished", **{**fields, "steps": max(1, result["steps"] - 1) or 1})
            assert result["steps"] > 1

        assert forged(change).code == "contest/result"

    def test_another_game_of_the_same_length(self) -> None:
        """The book named the game's last line when it was finished; this is not it."""
        house, other = House(), House()
        for one in (house, other):
            entry = one.enter("A")
            if one is other:
                one.table(entry, 0).note({"remark": "this was played later"})
            one.solve(entry, 0)
        house.games = other.games
        house.close()
        fault = fault_of(house.file())
        assert fault.code == "contest/result"
        assert "this is another" in fault.reason

    def test_a_result_that_never_was(self) -> None:
        def change(house: House) -> None:
            house.start(house.enter("A"))
            house.write("finished", **RESULT)

        assert forged(change).code == "contest/game"

    def test_a_game_of_an_entry_that_never_started(self) -> None:
        """So that one which has played cannot be removed, as if it had not."""

        def change(house: House) -> None:
            entry = house.enter("A")
            house.start = lambda entry: entry  # type: ignore[method-assign]
            slot = next(s for s in range(6) if house.seen(entry, s)[1].oracle == "evil")
            house.submit(entry, slot, (0,) * 3)
            house.write("removed", entry=0, reason="it was too good", at=1001)

        fault = forged(change)
        assert fault.code == "contest/game"
        assert "never started" in fault.reason

    def test_a_result_left_out_of_the_book(self) -> None:
        def change(house: House) -> None:
            entry = house.start(house.enter("A"))
            house.write = lambda *_, **__: None  # type: ignore[method-assign]
            house.solve(entry, 0)
            del house.write

        assert forged(change).code == "contest/result"

    def test_a_rival_is_wiped_out_and_only_the_receipt_knows(self) -> None:
        """Replay proves consistency; what was is proven by what somebody kept of it."""
        honest, forger = House(), House()
        for house, entries in ((honest, "AB"), (forger, "A")):
            for team in entries:
                house.solve(house.enter(team), 0)
            house.close()
        data = b"".join(forger.file())
        assert check(data).ok
        receipt = honest.games[1, 0][0].transcript.lines[-3]
        verdict = check(data, line_hash(receipt))
        assert verdict.fault is not None
        assert verdict.fault.code == "transcript/receipt"
        kept = check(b"".join(honest.file()), line_hash(receipt).upper())
        assert kept.ok
        assert kept.claims[-1].name == "ORDERED"


def test_a_receipt_is_64_hex_digits() -> None:
    with pytest.raises(InputError, match="64 hex digits"):
        check(b"".join(FILE), "abc")


def test_an_unfinished_book_is_no_contest_file() -> None:
    house = House()
    house.solve(house.enter("A"), 0)
    fault = fault_of(house.file())
    assert fault.code == "contest/unfinished"


def test_a_game_given_up_before_the_first_step() -> None:
    house = House()
    house.submit(house.enter("A"), 0, GIVE_UP)
    house.close(at=1500)
    assert check(b"".join(house.file())).ok


def book_of(lines: list[bytes], change: Callable[[list[dict[str, Any]]], Any]) -> list[bytes]:
    """The file with other lines in its book, counted and chained anew."""
    first, last = LAYOUT[0]
    events = [json.loads(line) for line in lines[first : last + 1]]
    change(events)
    heading = canonical({**json.loads(lines[0]), "lines": len(events)}) + b"\n"
    written = [canonical(event) + b"\n" for event in events]
    made = [heading, *written, *lines[last + 1 :]]
    return rechained(made, sections(made))


def headed(section: int, **fields: Any) -> list[bytes]:
    """The file with another heading of a section."""
    first, _ = LAYOUT[section]
    heading = canonical({**json.loads(FILE[first - 1]), **fields}) + b"\n"
    return [*FILE[: first - 1], heading, *FILE[first:]]


class TestWhereTheFaultIs:
    """The line that is named, and why: by hand."""

    def test_without_a_book_or_without_standings(self) -> None:
        after = LAYOUT[0][1] + 1
        for lines, at, reason in (
            (FILE[after:], 1, "a contest file is its book, then its games"),
            (FILE[:-1], len(FILE) - 1, "the file stops before the standings"),
            ([*FILE, FILE[0]], len(FILE), "a contest file is its book, then its games"),
        ):
            fault = fault_of(lines)
            assert (fault.code, fault.line) == ("contest/malformed", at)
            assert fault.reason.startswith(reason)

    @pytest.mark.parametrize("count", [0, -1, True, "3", None, 10**6])
    def test_a_heading_that_counts_lines_that_are_not_there(self, count: Any) -> None:
        fault = fault_of(headed(2, lines=count))
        assert (fault.code, fault.line) == ("contest/malformed", LAYOUT[2][0])
        announced = type(count) is int
        wrong = f"announces {count} lines" if announced else "lines must be an integer, not"
        assert wrong in fault.reason
        verdict = check(b"".join(headed(2, lines=count)))
        assert verdict.as_json()["transcripts"] == 0

    def test_a_heading_that_counts_one_line_too_many(self) -> None:
        lines = book_of(FILE, lambda events: None)[: LAYOUT[0][1] + 1]
        whole, more = (
            canonical({**json.loads(FILE[0]), "lines": len(lines) - 1 + extra}) + b"\n"
            for extra in (0, 1)
        )
        assert fault_of([whole, *lines[1:]]).reason.startswith("the file stops")
        assert "announces" in fault_of([more, *lines[1:]]).reason

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"kind": "song"}, "a contest file is its book, then its games"),
            ({"kind": 7}, "a contest file is its book, then its games"),
            ({"kind": "book"}, "a contest file is its book, then its games"),
            ({"more": 1}, "should begin the book, a game or the standings"),
            ({"entry": "0"}, 'entry must be an integer, not "0"'),
            ({"slot": True}, "slot must be an integer, not true"),
        ],
    )
    def test_a_heading_of_nothing(self, fields: dict[str, Any], reason: str) -> None:
        fault = fault_of(headed(2, **fields))
        assert (fault.code, fault.line) == ("contest/malformed", LAYOUT[2][0])
        assert reason in fault.reason

    def test_a_book_of_one_line(self) -> None:
        fault = fault_of(book_of(FILE, lambda events: events.__delitem__(slice(1, None))))
        assert (fault.code, fault.line) == ("contest/unfinished", 2)

    def test_a_format_that_nobody_knows(self) -> None:
        fault = fault_of(headed(0, format="fairground-contest/9"))
        assert (fault.line, "does not begin a" in fault.reason) == (1, True)

    def test_a_line_that_the_book_refuses(self) -> None:
        """The fourth line of the book is the fifth of the file."""
        fault = fault_of(book_of(FILE, lambda events: events.insert(3, {**events[2]})))
        assert (fault.code, fault.line) == ("contest/entry", 5)

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"entry": 9}, "there is no entry 9"),
            ({"slot": 6}, "has no game 6"),
            ({"slot": -1}, "has no game -1"),
            ({"slot": 0}, "each once"),
            ({"entry": 0, "slot": 0}, "each once"),
        ],
    )
    def test_a_game_of_nobody(self, fields: dict[str, Any], reason: str) -> None:
        fault = fault_of(headed(2, **fields))
        assert (fault.code, fault.line) == ("contest/game", LAYOUT[2][0])
        assert reason in fault.reason

    def test_a_game_that_is_not_right(self) -> None:
        first, _ = LAYOUT[2]
        lines = list(FILE)
        at = next(i for i in range(first, len(lines)) if json.loads(lines[i])["kind"] == "move")
        event = json.loads(lines[at])
        lines[at] = canonical({**event, "seat": 1 - event["seat"]}) + b"\n"
        fault = fault_of(rechained(lines, LAYOUT))
        assert fault.line == at + 1
        assert fault.reason.startswith(f"game beginning at line {first + 1}: ")

    def test_standings_that_differ_in_two_places(self) -> None:
        said = json.loads(FILE[-1])
        said["official"][0]["rank"] = 7
        del said["final"]
        fault = fault_of([*FILE[:-1], canonical({**said, "more": 1}) + b"\n"])
        assert (fault.code, fault.line) == ("contest/standings", len(FILE))
        told, _, rest = fault.reason.partition(": ")
        assert told.endswith(" give in final, more, official")
        assert rest == "final is true, not null"
        fault = fault_of([*FILE[:-1], canonical(said | {"final": "x" * 300}) + b"\n"])
        assert fault.reason.endswith(f': final is true, not "{"x" * 196}...')
        fault = fault_of([*FILE[:-1], canonical(said | {"final": "x" * 199}) + b"\n"])
        assert fault.reason.endswith(f': final is true, not "{"x" * 196}...')
        fault = fault_of([*FILE[:-1], canonical(said | {"final": "é" * 198}) + b"\n"])
        assert fault.reason.endswith(f': final is true, not "{"é" * 198}"')


def test_games_for_another_process_are_looked_at_up_to_a_fault() -> None:
    games = [Section({"kind": "game"}, a + 1, FILE[a : b + 1]) for a, b in sections(FILE)[1:]]
    right = until_a_fault(games)
    assert right == list(one_by_one(games)) and len(right) == len(games) > 2
    games[1] = games[1]._replace(lines=games[1].lines[:-1])
    *before, fault = until_a_fault(games)
    assert before == right[:1]
    assert isinstance(fault, Fault) and fault.code == "transcript/unfinished"


def test_what_one_receipt_and_two_show() -> None:
    heads = [line_hash(FILE[i]) for i in (LAYOUT[1][0], 2)]
    one, two = check(b"".join(FILE), heads[0]).claims, check(b"".join(FILE), heads).claims
    assert one[-1].condition == "the receipt was kept before the next answer was given"
    assert two[-1].condition == "the receipts were kept before the next answer was given"
    assert (one[-1].lines, two[-1].lines) == ((LAYOUT[1][0] + 1,), (3, LAYOUT[1][0] + 1))
    assert json.loads(FILE[one[0].lines[0] - 1])["kind"] == "opened"
    assert json.loads(FILE[one[0].lines[1] - 1])["kind"] == "closed"


@pytest.mark.parametrize("oracle", ["fair", "evil"])
def test_a_game_given_up_after_a_step_and_one_that_waits_for_its_answer(oracle: str) -> None:
    house = House([Part(3, 3, oracle, 3)])
    entry = house.enter("A")
    for slot in (0, 1):
        house.submit(entry, slot, (0, 0, 1))
    house.submit(entry, 0, GIVE_UP)
    table = house.table(entry, 2)
    (ask,) = table.asks()
    table.submit(ask, [0, 0, 1])
    house.close()
    verdict = check(b"".join(house.file()))
    assert verdict.ok, verdict.fault
    assert house.book.entries[0].results[0].steps == 1


class TestTheCommand:
    def test_a_file_that_holds(self, tmp_path: Any, capsys: Any) -> None:
        path = tmp_path / "cup.jsonl"
        path.write_bytes(b"".join(FILE))
        assert main(["verify", "--contest", str(path)]) == 0
        out = capsys.readouterr().out
        assert '"A" is first of 2 official entries.' in out and "is valid." in out
        assert "1.       A 1: 6 solved, 0 unfinished" in out
        assert "training B 2: 1 solved, 5 unfinished" in out
        assert "are too close to call" in out
        assert "removed by the creator: C 1: not invited" in out
        assert "Part by part" in out
        assert "2 games of base 3, length 3, evil: 4 solved, 0 unfinished" in out
        assert "no receipts: the order is the house's word" in " ".join(out.split())
        assert main(["verify", "--contest", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["ok"] is True
        receipt = line_hash(FILE[2])
        assert main(["verify", "--contest", str(path), "--receipt", receipt]) == 0
        assert "1 receipt fits" in capsys.readouterr().out

    def test_a_file_that_does_not(self, tmp_path: Any, capsys: Any) -> None:
        path = tmp_path / "cup.jsonl"
        path.write_bytes(b"".join(FILE).replace(b'"team":"A"', b'"team":"Z"'))
        assert main(["verify", "--contest", str(path)]) == 1
        out = capsys.readouterr().out
        assert "INVALID at line 3: " in out and "(transcript/broken-chain)" in out
        assert main(["verify", "--contest", str(path), "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["fault"]["line"] == 3

    def test_several_processes_say_the_same(
        self, tmp_path: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of the whole file, and of files with a line changed: the same words, to the byte."""
        monkeypatch.setattr(verify_command, "BATCH", 2)
        path = tmp_path / "cup.jsonl"
        with workers(2) as pool:
            monkeypatch.setattr("fairground.lab.simulation.workers", lambda jobs: nullcontext(pool))
            for at in (None, *range(0, len(FILE), 1 if WIDE else 9)):
                lines = [line[:-2] + b"0}\n" if i == at else line for i, line in enumerate(FILE)]
                path.write_bytes(b"".join(lines))
                said = []
                for jobs in ("1", "2"):
                    code = main(["verify", "--contest", str(path), "--json", "--jobs", jobs])
                    said.append((code, capsys.readouterr().out))
                assert said[0] == said[1]
                assert said[0][0] == (0 if at is None else 1)

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["a", "--contest", "b"],
            ["--contest", "nowhere"],
            ["--contest", "b", "--jobs", "0"],
            ["a", "--jobs", "2"],
        ],
    )
    def test_bad_arguments(self, arguments: list[str], capsys: Any) -> None:
        assert main(["verify", *arguments]) == 2

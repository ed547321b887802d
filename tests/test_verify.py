"""What a transcript proves, for whom: every claim with its evidence, and never one without."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from fairground.core import InputError, Unreadable
from fairground.fair.bits import HOUSE
from fairground.fair.chains import Chain, HashChainsScheme
from fairground.fair.schemes import Chair, Run, Setting, Share
from fairground.fair.vault import MemoryVault
from fairground.games import make_game
from fairground.table import Ask, Table
from fairground.testing.driving import Driver, open_table, play_through
from fairground.testing.modes import ALL_MODES, SEED, TABLE, Mode, mode
from fairground.testing.toys import DUEL, GUESS, LONG, RICH, TOYS
from fairground.verifier import verify
from tests.helpers.samples import SEED_DICE

DICE = {"dice": SEED_DICE}
ALTERNATE = {"seats": 2, "steps": [["draw", 6], ["turn", [0], 2], ["draw", 6]]}
THREE = {"seats": 3, "steps": [["draw", 6], ["turn", [0], 2], ["draw", 6], ["turn", [2], 2]]}


def claims(table: Table) -> list[str]:
    verdict = verify(bytes(table.transcript))
    assert verdict.ok, verdict.fault and verdict.fault.reason
    return [str(claim) for claim in verdict.claims]


# Seat 0 is the house's; only seat 1 (and 2) can be proven anything. Made by hand.
EXPECTED: dict[str, dict[str, str]] = {
    "hmac-sha3-user-alone": {"long": "", "alternate": "", "duel": "SEALED:1", "guess": ""},
    "hmac-sha3-user-number": {
        "long": "COMMITTED UNIFORM:1 UNFORESEEN:1",
        "alternate": "COMMITTED UNIFORM:1 UNFORESEEN:1",
        "duel": "COMMITTED UNIFORM:1 UNFORESEEN:1 SEALED:1",
        "guess": "COMMITTED UNIFORM:1 UNFORESEEN:1",
    },
    "hash-chains-alone": {
        "long": "COMMITTED",
        "alternate": "COMMITTED",
        "duel": "COMMITTED SEALED:1",
        "guess": "COMMITTED",
    },
    "hash-chains-once": {
        "long": "COMMITTED UNIFORM:1 UNFORESEEN:1",  # only seat 1 itself decides
        "alternate": "COMMITTED UNIFORM:1",  # the house decides, knowing what will come
        "duel": "COMMITTED UNIFORM:1 SEALED:1",
        "guess": "COMMITTED UNIFORM:1 UNFORESEEN:1",
    },
    "hash-chains-each": {
        "long": "COMMITTED UNIFORM:1 UNFORESEEN:1",
        "alternate": "COMMITTED UNIFORM:1 UNFORESEEN:1",
        "duel": "COMMITTED UNIFORM:1 UNFORESEEN:1 SEALED:1",
        "guess": "COMMITTED UNIFORM:1 UNFORESEEN:1",
    },
    "hash-chains-chain": {
        "long": "COMMITTED UNIFORM:1 UNFORESEEN:1",
        "alternate": "COMMITTED UNIFORM:1 UNFORESEEN:1",
        "duel": "COMMITTED UNIFORM:1 UNFORESEEN:1 SEALED:1",
        "guess": "COMMITTED UNIFORM:1 UNFORESEEN:1",
    },
    "contest-cup": {
        "long": "COMMITTED",
        "alternate": "COMMITTED",
        "duel": "COMMITTED SEALED:1",
        "guess": "COMMITTED",
    },
    "seeded-tape": {"long": "", "alternate": "", "duel": "SEALED:1", "guess": ""},
    "system-plain": {"long": "", "alternate": "", "duel": "SEALED:1", "guess": ""},
}
GAMES_HERE = {"long": LONG, "alternate": ALTERNATE, "duel": DUEL, "guess": GUESS}


@pytest.mark.parametrize("name", GAMES_HERE)
@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
def test_exactly_these_claims(toy: str, way: Mode, name: str) -> None:
    table = play_through(make_game(toy, GAMES_HERE[name]), way)
    assert claims(table) == [*EXPECTED[way.name][name].split(), "PLAYED"]


def test_every_claim_has_a_condition_and_lines_of_evidence(toy: str) -> None:
    for way in ALL_MODES:
        table = play_through(make_game(toy, RICH), way)
        for claim in verify(bytes(table.transcript)).claims:
            assert claim.condition
            assert claim.sentence[0].isupper() and claim.sentence.endswith(".")
            assert claim.lines and all(1 <= line <= table.transcript.step for line in claim.lines)
            assert list(claim.lines) == sorted(set(claim.lines))


def test_the_lines_of_evidence_are_the_right_ones() -> None:
    table = play_through(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    kinds = [event["kind"] for event in table.transcript.events]
    found = {str(claim): claim for claim in verify(bytes(table.transcript)).claims}
    shares = tuple(i for i, kind in enumerate(kinds, 1) if kind == "share")
    promised = tuple(i for i, kind in enumerate(kinds, 1) if kind in ("start", "ticket", "dealt"))
    assert found["COMMITTED"].lines == promised
    assert found["UNIFORM:1"].lines == found["UNFORESEEN:1"].lines == shares
    assert found["UNIFORM:1"].sentence == (
        'If nobody could guess the numbers of "Seat 1", and "Seat 1" does not work with the '
        "house, and the house wrote the lines in this order, which is only its word, then every "
        "value of every draw was equally likely, and nobody could choose one."
    )


def test_a_seat_run_by_the_house_is_never_claimed_for(toy: str) -> None:
    for way in ALL_MODES:
        for params in TOYS.values():
            assert not [
                c for c in claims(play_through(make_game(toy, params), way)) if c.endswith(":0")
            ]


def test_only_who_lends_is_claimed_for(toy: str) -> None:
    chairs = [Chair("A", "self"), Chair("B", "self", "chain"), Chair("C", "house")]
    table = play_through(make_game(toy, THREE), mode("hash-chains-chain"), chairs=chairs)
    assert claims(table) == ["COMMITTED", "UNIFORM:1", "UNFORESEEN:1", "PLAYED"]
    uniform = verify(bytes(table.transcript)).claims[1]
    assert 'the own program of "B" made the chain of "B"' in uniform.condition


def test_a_later_tip_that_nobody_answers_commits_to_nothing(toy: str) -> None:
    way = Mode("hash-chains/1", "short", options=(("length", 2),))
    assert claims(play_through(make_game(toy, LONG), way)) == ["PLAYED"]
    assert claims(play_through(make_game(toy, ALTERNATE), way)) == ["COMMITTED", "PLAYED"]


def test_chains_are_renewed_as_often_as_it_takes(toy: str) -> None:
    for name in ("hash-chains-chain", "hash-chains-once"):
        steps = [["draw", 6], ["turn", [1], 2]] * 11
        table = play_through(make_game(toy, {"seats": 2, "steps": steps}), mode(name))
        events = table.transcript.events
        assert len(table.runs) == 11
        assert [e["run"] for e in events if "tip" in e.get("ticket", {})] == [2, 4, 6, 8, 10]
        asked = [e["run"] for e in events if e.get("share") in ("stir", "tip", "next-tip")]
        if name == "hash-chains-once":
            assert asked == [1, 3, 5, 7, 9, 11], "each new chain asks for words again"
        else:
            assert asked == [1, 2, 4, 6, 8, 10]
        assert claims(table) == ["COMMITTED", "UNIFORM:1", "UNFORESEEN:1", "PLAYED"]


def stirred(toy: str, way: str, words: list[str], params: dict[str, Any] = LONG) -> Table:
    """A game in which seat 1 stirs these words, one after the other."""
    table = open_table(make_game(toy, params), mode(way))
    driver = Driver(table)
    left = list(words)
    while asks := table.asks():
        ask = asks[0]
        table.submit(ask, left.pop(0) if ask.kind == "stir" else driver.answer(ask))
    return table


@pytest.mark.parametrize("empty", ["", " ", "\t\n", "\u3000"])
def test_an_empty_stir_earns_nothing(toy: str, empty: str) -> None:
    assert claims(stirred(toy, "hash-chains-each", [empty] * 5)) == ["COMMITTED", "PLAYED"]
    for at in range(5):
        words = ["word"] * 5
        words[at] = empty
        assert claims(stirred(toy, "hash-chains-each", words)) == ["COMMITTED", "PLAYED"]
    # Behind a renewed tip the house's part is not even committed without words.
    assert claims(stirred(toy, "hash-chains-once", ["word", empty, "word"])) == ["PLAYED"]


def test_words_older_than_the_house_s_tip_earn_nothing() -> None:
    """Straight at the scheme, since no honest table would skip the question."""
    chain = Chain(TABLE, HOUSE, 0, 2, SEED)
    after = Chain(TABLE, HOUSE, 1, 2, bytes(32))
    scheme = HashChainsScheme(
        Setting(TABLE, (Chair("A", "self", "stir"),)),
        {"length": 2, "stir": "once", "tip": chain.links[0].hex()},
    )
    lent = []
    for index, link in enumerate((chain.links[1], chain.links[2], after.links[1]), 1):
        run = Run(index, 6, False, 10 * index, "")
        run.ticket = {"tip": after.links[0].hex()} if index == 2 else {}
        run.shares = [Share(0, "stir", "word", 12)] if index == 1 else []
        scheme.chance(run, {"link": link.hex()}, {})
        lent.append((scheme.lent(run), scheme.committed(run)))
    assert lent == [({0: 12}, True), ({0: 12}, True), ({}, False)]


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_who_stirs_depends_on_all_who_stir_beside(toy: str, order: tuple[int, int]) -> None:
    """They are asked at the same time, so the order in which they are recorded is the house's."""
    table = open_table(make_game(toy, THREE), mode("hash-chains-each"))
    driver = Driver(table)

    def rank(ask: Ask) -> int:
        return order.index(ask.seat) if ask.kind == "stir" else 0

    while asks := table.asks():
        ask = min(asks, key=rank)
        table.submit(ask, driver.answer(ask))
    found = {str(c): c.condition for c in verify(bytes(table.transcript)).claims}
    first, last = order
    assert f'"Seat {last}" does not, either' in found[f"UNIFORM:{first}"]
    assert f'"Seat {first}" does not, either' in found[f"UNIFORM:{last}"]
    seen = [number for number, e in enumerate(table.transcript.events, 1) if e["kind"] == "share"]
    heads = [hashlib.sha3_256(line).hexdigest() for line in table.transcript.lines]
    kept = [{"head": heads[line - 1], "seat": last} for line in seen[::2]]
    witnessed = {str(c): c for c in verify(bytes(table.transcript), kept).claims}
    assert "either" not in witnessed[f"UNIFORM:{last}"].condition, "its receipts show the others'"
    assert "either" in witnessed[f"UNIFORM:{first}"].condition
    assert witnessed[f"UNIFORM:{last}"].witness == ("receipts", (1, 2), ())
    assert witnessed[f"UNIFORM:{first}"].witness == ("house", (), (1, 2))


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
def test_claims_after_an_early_forfeit(toy: str, way: Mode) -> None:
    """Nothing was dealt to anyone who lends: nothing but the house's own promise is proven."""
    table = open_table(make_game(toy, LONG), way)
    table.forfeit(1, "left")
    promised = {"hmac-sha3-user-number", "hash-chains-alone", "contest-cup"}
    assert claims(table) == (["COMMITTED"] if way.name in promised else [])


def test_a_verdict_as_json() -> None:
    table = play_through(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    verdict = verify(bytes(table.transcript))
    assert verdict.seats == ("House", "Seat 1")
    said = json.loads(json.dumps(verdict.as_json()))
    named = [(claim["claim"], claim["seat"], claim["name"]) for claim in said.pop("claims")]
    assert named == [
        ("COMMITTED", None, None),
        ("UNIFORM", 1, "Seat 1"),
        ("UNFORESEEN", 1, "Seat 1"),
    ]
    played = said.pop("played")
    assert played["params"] == DICE
    assert [seat["by"] for seat in played["seats"]] == ["house", "self"]
    shares = [e["value"] for e in table.transcript.events if e["kind"] == "share"]
    assert [share["value"] for share in played["seats"][1]["shares"]] == shares
    assert [c["line"] for c in played["commitments"]] == [2, 7, 10]
    assert [answer["answer"] for answer in said.pop("answers")] == [
        *("yes", "yes", "yes", "not shown", "not shown")
    ]
    assert said == {
        "ok": True,
        "verdict": "valid",
        "result": verdict.result,
        "owed": None,
        "payoff": list(table.payoff or ()),
        "fault": None,
        "game": "intransitive/1",
        "dealer": "hmac-sha3-user/1",
        "events": table.transcript.step,
        "remarks": [],
    }
    cut = verify(b"".join(table.transcript.lines[:-1])).as_json()
    assert (cut["ok"], cut["claims"], cut["payoff"]) == (False, [], None)
    assert cut["fault"]["line"] == table.transcript.step - 1
    assert cut["fault"]["code"] == "transcript/unfinished"
    assert cut["verdict"] == "unfinished"
    assert (cut["game"], cut["dealer"]) == ("intransitive/1", "hmac-sha3-user/1")


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
@pytest.mark.parametrize("name", TOYS)
def test_a_record_cut_at_any_line_is_unfinished(toy: str, name: str, way: Mode) -> None:
    lines = play_through(make_game(toy, TOYS[name]), way).transcript.lines
    for cut in range(1, len(lines)):
        verdict = verify(b"".join(lines[:cut]))
        assert not verdict.ok and verdict.fault is not None and verdict.claims == ()
        assert (verdict.fault.code, verdict.fault.line) == ("transcript/unfinished", cut)


def test_a_receipt_proves_the_order_up_to_its_line() -> None:
    table = play_through(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    data = bytes(table.transcript)
    for number, line in enumerate(table.transcript.lines, 1):
        receipt = hashlib.sha3_256(line).hexdigest()
        for text in (receipt, receipt.upper(), f" {receipt}\n"):
            verdict = verify(data, text)
            ordered = verdict.claims[-1]
            assert (str(ordered), ordered.lines) == ("ORDERED", (number,))
            assert f"lines 1 to {number} stood" in ordered.sentence
    assert "ORDERED" not in [str(claim) for claim in verify(data).claims]


def test_a_receipt_of_another_history_is_refused() -> None:
    way = mode("hmac-sha3-user-number")
    mine = play_through(make_game("intransitive/1", DICE), way)
    other = play_through(make_game("intransitive/1", DICE), way, "another seed")
    verdict = verify(bytes(other.transcript), mine.transcript.head)
    assert not verdict.ok and verdict.fault is not None
    assert verdict.fault.code == "transcript/receipt"
    assert "another history" in verdict.fault.reason
    assert not verify(bytes(other.transcript), "0" * 64).ok


@pytest.mark.parametrize("receipt", ["", "5e", "x" * 64, "0" * 63, "0" * 65, "０" * 64])
def test_a_malformed_receipt_is_an_error_of_input(receipt: str) -> None:
    data = bytes(play_through(make_game("intransitive/1", DICE), mode("seeded-tape")).transcript)
    with pytest.raises(InputError, match="a receipt is 64 hex digits"):
        verify(data, receipt)


@pytest.mark.parametrize("data", [b"", b"hello\n", b"[]", b"\xff\xfe\x00", b"{}\n{}\n"])
def test_what_never_was_a_transcript_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        verify(data)


def test_keys_never_serve_twice() -> None:
    """Every HMAC key of real games is new."""
    keys = []
    for _ in range(5):
        table = open_table(
            make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"), MemoryVault()
        )
        Driver(table).play()
        keys += [e["evidence"]["key"] for e in table.transcript.events if e["kind"] == "dealt"]
    assert len(keys) == 15 and len(set(keys)) == 15


def test_a_record_that_stops_was_checked_as_far_as_it_goes(toy: str) -> None:
    table = open_table(make_game(toy, DUEL), mode("hash-chains-alone"))
    Driver(table).play()
    verdict = verify(b"".join(table.transcript.lines[:-1]))
    assert verdict.fault is not None
    assert verdict.fault.code == "transcript/unfinished"
    assert "could not be checked" not in verdict.fault.reason

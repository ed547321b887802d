"""A house that keeps to the rules and cheats all the same: what does the verdict say then?

Here nothing in the record is false. The house owns program, clock and disk, so it writes lines when
it likes, plays at its own table under other names, chooses its secrets when it knows the answers,
and leaves when it does not like what is coming. The table "What a house could do" in
docs/fairness.md names these tests' attacks, and what catches each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fairground.claims import Claim
from fairground.cli import main
from fairground.fair.schemes import Chair
from fairground.games import make_game
from fairground.receipts import Kept, heads
from fairground.table import Table
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import FixedVault, Mode, mode, secret
from fairground.transcript import line_hash
from fairground.verifier import Verdict, verify
from tests.helpers.forging import forge, rechain
from tests.helpers.places import TESTS
from tests.helpers.samples import SEED_DICE
from tests.vector_games import LONGER, Keeping, asked, until

DICE = make_game("intransitive/1", {"dice": SEED_DICE})
ZOMBIES = make_game("zombie/2", LONGER)


def play(way: str, script: dict[str, bytes] | None = None) -> tuple[Table, list[Kept]]:
    """The user's game, with secrets of the house's choice; and what the user kept."""
    table = open_table(DICE, mode(way), FixedVault(script=script))
    user = Keeping(table, (1,))
    user.play()
    return table, user.kept


def found(verdict: Verdict) -> dict[str, Claim]:
    assert verdict.ok, verdict.fault
    return {str(claim): claim for claim in verdict.claims}


def wanted(way: str, name: str, good: Callable[[Table], bool]) -> Table:
    """Try secrets, as a house does that knows the answers already, until the result is good."""
    for tries in range(1, 500):
        made = secret("grinding", tries)
        text = made if name.startswith("chain") else f"{made.hex().upper()} {tries % 2}".encode()
        table, _ = play(way, {name: text})
        if good(table):
            return table
    raise AssertionError("nothing was found")


@pytest.mark.parametrize(
    ("way", "name"), [("hmac-sha3-user-number", "hmac.1"), ("hash-chains-each", "chain.0")]
)
def test_a_history_that_is_written_anew_is_none_that_the_user_kept(way: str, name: str) -> None:
    honest, kept = play(way)
    first = honest.runs[0].draws[0][1]
    anew = wanted(way, name, lambda table: table.runs[0].draws[0][1] != first)
    alone = verify(bytes(anew.transcript))
    assert alone.ok, "without receipts nobody can tell"
    for claim in alone.claims:
        assert "only its word" in claim.condition, "and every claim says so"
    verdict = verify(bytes(anew.transcript), heads(kept))
    assert verdict.fault is not None and verdict.fault.code == "transcript/receipt"


def test_a_number_that_was_made_after_the_answer_is_not_witnessed() -> None:
    """The house asks before it shows its HMAC, so the user's receipt is of the line before it."""
    table, kept = play("hmac-sha3-user-number")
    lines = table.transcript.lines
    shares = [run.shares[0].line for run in table.runs]
    early = [k._replace(step=k.step - 1, head=line_hash(lines[k.step - 2]))
             if k.step + 1 == shares[1] else k for k in kept]  # fmt: skip
    claims = found(verify(bytes(table.transcript), heads(early)))
    for name in ("UNIFORM:1", "UNFORESEEN:1"):
        witness = claims[name].witness
        assert witness is not None
        assert (witness.shown, witness.told) == ((1, 3), (2,))
        assert "for run 2 the house wrote the lines in this order" in claims[name].sentence


def test_the_head_of_the_answer_is_too_late() -> None:
    table, kept = play("hmac-sha3-user-number")
    late = [line_hash(table.transcript.lines[k.step]) for k in kept]
    claims = found(verify(bytes(table.transcript), late))
    witness = claims["UNIFORM:1"].witness
    assert witness is not None and witness.by == "house"


def test_a_tip_that_was_chosen_after_the_words_is_not_witnessed() -> None:
    """The words were asked for before the tip was shown: only later heads were kept."""
    table, kept = play("hash-chains-once")
    words = table.runs[0].shares[0].line
    later = [k for k in kept if k.step >= words]
    assert later
    claims = found(verify(bytes(table.transcript), heads(later)))
    witness = claims["UNIFORM:1"].witness
    assert witness is not None and witness.by == "house"


def test_receipts_of_somebody_else_show_nothing_to_this_seat() -> None:
    table, kept = play("hash-chains-each")
    other = [k._replace(seat=0) for k in kept]
    claims = found(verify(bytes(table.transcript), heads(other)))
    uniform, committed = claims["UNIFORM:1"].witness, claims["COMMITTED"].witness
    assert uniform is not None and uniform.by == "house"
    assert committed is not None and committed.by == "receipts", (
        "that the house was bound, to anyone"
    )


def zombies(lends: tuple[str, str], way: str) -> tuple[Table, Driver]:
    chairs = [
        Chair("Hal", "house"),
        Chair("Ann", "self", lends[0]),
        Chair("Puppet", "self", lends[1]),
    ]
    table = open_table(ZOMBIES, mode(f"hash-chains-{way}"), chairs=chairs)
    return table, Driver(table)


def condition(table: Table, claim: str) -> str:
    return found(verify(bytes(table.transcript)))[claim].condition


def test_a_puppet_that_keeps_its_link_back_is_named() -> None:
    """It knows what comes with its link and what without it, and leaves or stays."""
    table, driver = zombies(("chain", "chain"), "chain")
    until(driver, asked("link", 2, 3))
    while ("link", 1) in [(ask.kind, ask.seat) for ask in table.asks()]:
        ask = next(ask for ask in table.asks() if ask.seat == 1)
        table.submit(ask, driver.answer(ask))
    table.forfeit(2, "seen enough")
    driver.play()
    assert '"Puppet" does not, either' in condition(table, "UNIFORM:1")
    assert "UNFORESEEN:1" not in found(verify(bytes(table.transcript)))


def test_a_puppet_that_stirs_beside_is_named() -> None:
    table, driver = zombies(("stir", "stir"), "each")
    driver.play()
    assert '"Puppet" does not, either' in condition(table, "UNIFORM:1")
    assert '"Ann" does not, either' in condition(table, "UNIFORM:2")


def test_a_puppet_with_a_chain_that_stays_gains_nothing_and_is_not_named() -> None:
    table, driver = zombies(("chain", "chain"), "chain")
    driver.play()
    assert "Puppet" not in condition(table, "UNIFORM:1")


def test_words_that_are_given_once_do_not_keep_the_house_from_knowing() -> None:
    """It knows every later draw, so its machine may decide by them: UNFORESEEN is not claimed."""
    table, driver = zombies(("stir", "nothing"), "once")
    driver.play()
    claims = found(verify(bytes(table.transcript)))
    assert "UNIFORM:1" in claims and "UNFORESEEN:1" not in claims


def test_chains_of_the_house_alone_can_be_chosen_for_their_draws() -> None:
    """COMMITTED only: a house that nobody lends to picks the chain that suits it."""
    best = wanted("hash-chains-alone", "chain.0", lambda table: table.payoff == (1, -1))
    claims = found(verify(bytes(best.transcript)))
    assert set(claims) == {"COMMITTED"}
    assert "it chose that part itself" in claims["COMMITTED"].result


def test_parameters_and_words_are_shown_for_comparison() -> None:
    """Other dice, or other words than yours: valid, but it stands at the top of the verdict."""
    table, _ = play("hash-chains-each")
    played = verify(bytes(table.transcript)).played
    assert played is not None
    assert played.params == {"dice": SEED_DICE}
    typed: list[Any] = [value for _, kind, value in played.seats[1].shares if kind == "stir"]
    assert typed == [share.value for run in table.runs for share in run.shares]
    assert played.commitments == ((1, table.scheme.public["tip"]),)


def test_a_seat_that_was_thrown_out_is_said_to_be_so_by_the_house_alone() -> None:
    table, driver = zombies(("chain", "chain"), "chain")
    until(driver, asked("move", None, 3))
    table.forfeit(1, "too slow", by="house")
    driver.play()
    (remark,) = verify(bytes(table.transcript)).remarks
    assert 'the house says that "Ann" left' in remark


@pytest.mark.parametrize("way", ["hash-chains-each", "hash-chains-chain"])
def test_a_record_that_was_cut_off_is_none_that_the_user_kept(way: str) -> None:
    """Anybody who has the record can end it where they like, and say that the user left."""
    table, kept = play(way)
    at = next(i for i, e in enumerate(table.transcript.events) if e["kind"] == "move")
    left = {"kind": "forfeit", "seat": 1, "by": "seat", "reason": "had to go"}
    cut = rechain([*table.transcript.events[:at], left, {"kind": "end", "payoff": [1, -1]}])
    verdict = verify(cut)
    assert verdict.ok and verdict.payoff == (1, -1)
    assert 'the record says that "Seat 1" left' in verdict.remarks[0]
    fault = verify(cut, heads(kept)).fault
    assert fault is not None and fault.code == "transcript/receipt"


WITH_A_PUPPET = [
    Chair("Hal", "house"),
    Chair("Ann", "self", "stir"),
    Chair("Puppet", "self", "chain"),
]


ONCE = Mode("hash-chains/1", "once", options=(("stir", "once"),))


@pytest.mark.parametrize(
    ("way", "kind", "seat", "times"),
    [(mode("hash-chains-chain"), "link", 2, 1), (ONCE, "move", None, 2)],
    ids=["keeps its link back", "between two runs"],
)
def test_a_puppet_that_leaves_to_change_the_draws_is_named(
    way: Mode, kind: str, seat: int | None, times: int
) -> None:
    table = open_table(ZOMBIES, way, chairs=WITH_A_PUPPET)
    driver = Driver(table)
    until(driver, asked(kind, seat, times))
    table.forfeit(2, "seen enough")
    driver.play()
    assert (
        '"Puppet" does not, either' in found(verify(bytes(table.transcript)))["UNIFORM:1"].condition
    )


@pytest.mark.parametrize(("stir", "claimed"), [("once", False), ("each", True)])
def test_to_leave_knowing_the_next_draw_is_foresight(stir: str, claimed: bool) -> None:
    chairs = [Chair("House", "house"), Chair("Ann", "self", "stir")]
    way = Mode("hash-chains/1", stir, options=(("stir", stir),))
    table = open_table(make_game("poker/2", {}), way, chairs=chairs)
    until(Driver(table), asked("move"))
    table.forfeit(0, "I know the draw")
    assert ("UNFORESEEN:1" in found(verify(bytes(table.transcript)))) == claimed


def test_every_receipt_counts_for_a_contest(capsys: pytest.CaptureFixture[str]) -> None:
    file = TESTS / "vectors" / "games" / "contest.jsonl"
    own = line_hash(file.read_bytes().splitlines(keepends=True)[2])
    command = ["verify", "--contest", str(file), "--receipt", own]
    assert main(command) == 0
    assert main([*command[:-2], "--receipt", "5e" * 32, "--receipt", own]) == 1
    assert "another history" in " ".join(capsys.readouterr().out.split())


def test_the_lender_of_seeds_is_the_player() -> None:
    data = (TESTS / "vectors" / "games" / "croupier-signed.jsonl").read_bytes()

    def swapped(events: list[dict[str, Any]]) -> None:
        events[0]["seats"] = [
            {"by": "self", "lends": "seed", "name": "Ann"},
            {"by": "house", "lends": "nothing", "name": "House"},
        ]
        for event in events:
            if event["kind"] == "share":
                event["seat"] = 0

    assert verify(data).ok
    assert verify(forge(data, swapped)).judged == "invalid"

"""Records of a house that cheats, and what the verdict says of each: no claim without its evidence.

The records in ``data/claims`` were made by a second implementation that played the house's part.
"""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path

import pytest

from fairground.claims import Claim
from fairground.cli import main
from fairground.core import InputError, Unreadable
from fairground.escape import is_showable, named, shown
from fairground.fair.schemes import Chair
from fairground.games import make_game
from fairground.receipts import Kept, beside, keep, read_receipts
from fairground.table import Ask, Table
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import Mode, mode
from fairground.transcript import line_hash
from fairground.verifier import Verdict, verify
from tests.helpers.places import DATA

CLAIMS = DATA / "claims"


def unfolded(text: str) -> str:
    """What was printed, without line breaks."""
    return " ".join(text.split())


def record(name: str) -> bytes:
    return (CLAIMS / f"{name}.jsonl").read_bytes()


def kept(name: str) -> list[str]:
    return (CLAIMS / name).read_text().split()


def found(verdict: Verdict) -> set[str]:
    assert verdict.ok, verdict.fault
    return {str(claim) for claim in verdict.claims}


HOUSES_WORD = "the house wrote the lines in this order, which is only its word"


class TestOrder:
    """H1: one receipt orders only what lies before what was answered next."""

    def test_two_of_three_draws_rigged(self) -> None:
        verdict = verify(record("B-two-of-three-rigged"), kept("B-receipt"))
        for claim in verdict.claims:
            if claim.name in ("COMMITTED", "UNIFORM", "UNFORESEEN"):
                assert claim.witness == ("receipts and house", (3,), (1, 2))
                assert f"for runs 1 and 2 {HOUSES_WORD}" in claim.sentence

    def test_everything_written_anew(self) -> None:
        for receipt in kept("A-receipts"):
            for claim in verify(record("A-rewritten-dice"), receipt).claims:
                if claim.name == "UNIFORM":
                    assert claim.witness is not None and claim.witness.by != "receipts"
                    assert HOUSES_WORD in claim.sentence

    def test_the_last_line_orders_no_draw(self) -> None:
        data = record("A-rewritten-dice")
        last = line_hash(data.splitlines(keepends=True)[-1])
        (uniform,) = [c for c in verify(data, last).claims if c.name == "UNIFORM"]
        assert uniform.witness == ("house", (), (1, 2, 3))

    def test_a_receipt_for_every_answer_shows_every_run(self) -> None:
        data = record("A-rewritten-dice")
        lines = data.splitlines(keepends=True)
        heads = [line_hash(lines[number - 1]) for number in (2, 7, 10)]
        for claim in verify(data, heads).claims:
            if claim.name in ("COMMITTED", "UNIFORM", "UNFORESEEN"):
                assert claim.witness == ("receipts", (1, 2, 3), ())
                assert HOUSES_WORD not in claim.sentence

    def test_a_receipt_of_another_seat_shows_nothing_to_this_one(self) -> None:
        data = record("A-rewritten-dice")
        lines = data.splitlines(keepends=True)
        others = [{"head": line_hash(lines[n - 1]), "seat": 0} for n in (2, 7, 10)]
        (uniform,) = [c for c in verify(data, others).claims if c.name == "UNIFORM"]
        assert uniform.witness == ("house", (), (1, 2, 3))


def test_words_recorded_last_carry_the_caveat_too() -> None:
    """H2: Ann's words came first, and were recorded last."""
    verdict = verify(record("C-stir-recorded-first"), kept("C-receipt"))
    conditions = {claim.who: claim.condition for claim in verdict.claims if claim.seat is not None}
    assert '"Bob" does not, either' in conditions["Ann"]
    assert '"Ann" does not, either' in conditions["Bob"]


class TestWhatComesFromOutside:
    """H3: nothing from outside can pretend to be ours."""

    def test_a_name_that_prints_claims_is_harmless(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["verify", str(CLAIMS / "G-name-prints-claims.jsonl"), "--details"]) == 0
        out = capsys.readouterr().out
        assert "It proves only that the recorded moves follow the rules." in out
        assert "\x1b" not in out
        assert not any(line.strip().startswith("What it proves") for line in out.splitlines())
        assert not any(line.strip().startswith("UNIFORM") for line in out.splitlines())

    def test_a_name_that_is_a_sentence_stands_in_quotation_marks(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        name = "Ann " + " " * 50 + "UNIFORM for Ann (line 3)"
        chairs = [Chair("House", "house"), Chair(name, "self", "number")]
        game = make_game("intransitive/1", {})
        table = open_table(game, mode("hmac-sha3-user-number"), chairs=chairs)
        Driver(table).play()
        path = tmp_path / "game.jsonl"
        path.write_bytes(bytes(table.transcript))
        assert main(["verify", str(path), "--details"]) == 0
        out = capsys.readouterr().out
        assert sum(line.startswith("  UNIFORM for Ann") for line in out.splitlines()) == 0
        assert '  UNIFORM for "Ann ' in out

    @pytest.mark.parametrize("name", ["the house", "you", "Ann", "a, then b"])
    def test_every_name_is_quoted(self, name: str) -> None:
        assert named(name) == f'"{name}"'

    @pytest.mark.parametrize(
        "sign", ["\n", "\r", "\x1b", "\x07", "\u202e", "\u2066", "\u2028", "\ufeff"]
    )
    def test_new_tables_refuse_such_signs(self, sign: str) -> None:
        game, way = make_game("intransitive/1", {}), mode("system-plain")
        with pytest.raises(InputError, match="a name may not hold"):
            open_table(game, way, chairs=[Chair("A", "house"), Chair(f"B{sign}")])
        table = open_table(game, way)
        with pytest.raises(InputError, match="a reason may not hold"):
            table.forfeit(1, f"gone{sign}")
        with pytest.raises(InputError, match="a note may not hold"):
            table.note({"remark": [f"well{sign}"]})
        assert not is_showable(sign) and is_showable(shown(sign))

    @pytest.mark.parametrize(
        "name", ["Ann", "Zoë", "李雷", "👩\u200d🚀", "سارا\u200c", "O'Neill #2"]
    )
    def test_ordinary_names_are_shown_as_they_are(self, name: str) -> None:
        assert is_showable(name) and shown(name) == name


def test_one_key_for_both_parties_is_refused() -> None:
    """H4"""
    verdict = verify(record("D2-one-key-for-both"))
    assert (verdict.judged, verdict.fault and verdict.fault.line) == ("invalid", 1)


def test_an_unsigned_order_loses_unforeseen() -> None:
    """H9"""
    assert found(verify(record("J-true-order"))) >= {"UNIFORM:1", "UNFORESEEN:1"}
    unsigned = verify(record("J-order-chosen-afterwards"))
    assert found(unsigned) == {"COMMITTED", "UNIFORM:1"}
    assert "could have chosen it" in " ".join(unsigned.remarks)


def test_seals_of_the_house_alone_prove_nothing() -> None:
    """H10"""
    sealed = [claim for claim in verify(record("I-sealed")).claims if claim.name == "SEALED"]
    assert all("own program" in claim.condition for claim in sealed)


def test_machines_alone_are_promised_nothing() -> None:
    """H10"""
    chairs = [Chair("A", "house"), Chair("B", "house")]
    table = open_table(make_game("intransitive/1", {}), mode("hash-chains-alone"), chairs=chairs)
    Driver(table).play()
    verdict = verify(bytes(table.transcript))
    assert found(verdict) == {"COMMITTED"}, "and that for nobody in particular"
    assert verdict.answers[1][1:] == ("not shown", "the house played every seat")


def test_parameters_and_shares_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """H8"""
    assert main(["verify", str(CLAIMS / "A-rewritten-dice.jsonl"), "--details"]) == 0
    out = capsys.readouterr().out
    assert "2, 2, 4, 4, 9, 9" in out.replace("2,2,4,4,9,9", "2, 2, 4, 4, 9, 9")
    assert "Given to the draws: 1, 4, 2" in out
    assert "76101B9AD519B0BB1D1271EA482E63ACE475CCDBBC560879FA582668B12C0032" in out


class TestVerdicts:
    """Three verdicts, and unfinished is its own word."""

    def test_what_is_not_known_here_cannot_be_judged(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        lines = record("A-rewritten-dice").splitlines(keepends=True)
        for old, new, code in (
            ("intransitive/1", "intransitive/9", "name/unknown"),
            ("hmac-sha3-user/1", "dowsing/1", "name/unknown"),
            ("fairground/1", "fairground/2", "format/unknown"),
        ):
            start = lines[0].replace(old.encode(), new.encode())
            path = tmp_path / "other.jsonl"
            path.write_bytes(start)
            assert main(["verify", str(path), "--json"]) == 2
            said = json.loads(capsys.readouterr().out)
            assert (said["verdict"], said["fault"]["code"]) == ("cannot be judged", code)

    def test_an_unfinished_game_is_called_unfinished(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "cut.jsonl"
        path.write_bytes(b"".join(record("A-rewritten-dice").splitlines(keepends=True)[:5]))
        assert main(["verify", str(path)]) == 1
        assert 'UNFINISHED. "User" owed line 6, a move.' in unfolded(capsys.readouterr().out)

    def test_other_line_ends_are_named(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "copy.jsonl"
        path.write_bytes(record("A-rewritten-dice").replace(b"\n", b"\r\n"))
        assert main(["verify", str(path)]) == 1
        assert "end in CR LF" in capsys.readouterr().out

    def test_json_is_one_object_whatever_happens(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        good, bad = str(CLAIMS / "A-rewritten-dice.jsonl"), str(tmp_path / "nothing.jsonl")
        assert main(["verify", bad, "--json"]) == 2
        assert json.loads(capsys.readouterr().out)["verdict"] == "cannot be judged"
        assert main(["verify", good, bad, "--json"]) == 2
        both = json.loads(capsys.readouterr().out)["verdicts"]
        assert [one["verdict"] for one in both] == ["valid", "cannot be judged"]

    def test_many_files_and_the_worst_exit_code(self, capsys: pytest.CaptureFixture[str]) -> None:
        files = [str(CLAIMS / f"{n}.jsonl") for n in ("A-rewritten-dice", "D2-one-key-for-both")]
        assert main(["verify", *files]) == 1
        out = capsys.readouterr().out
        assert "A-rewritten-dice.jsonl is valid." in unfolded(out)
        assert "D2-one-key-for-both.jsonl: INVALID at line 1" in unfolded(out)
        assert "2 games: 1 finished (seats of the house won 1, others 0)" in unfolded(out)


def test_receipts_are_found_beside_the_transcript(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = open_table(make_game("intransitive/1", {}), mode("hmac-sha3-user-number"))
    path = tmp_path / "game.jsonl"
    driver = Driver(table)
    while asks := table.asks():
        ask: Ask = asks[0]
        if ask.seat == 1:
            keep(beside(path), Kept.of(table.setting.table, ask))
        table.submit(ask, driver.answer(ask))
    path.write_bytes(bytes(table.transcript))
    keep(beside(path), Kept("00" * 32, 1, 5, "5e" * 32))  # of another table: not ours to judge
    assert main(["verify", str(path), "--json"]) == 0
    claims = {c["claim"]: c for c in json.loads(capsys.readouterr().out)["claims"]}
    assert claims["UNIFORM"]["witness"] == {"by": "receipts", "shown": [1, 2, 3], "told": []}
    assert len(read_receipts(beside(path))) == 1 + len(read_receipts(beside(path), _name(table)))


def _name(table: Table) -> str:
    return table.setting.table.hex()


@pytest.mark.parametrize("text", ["{}", "[]", "null", "not JSON", '{"head": 5}', "[" * 100_000])
def test_a_bad_receipts_file_is_an_error_of_input(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "some.receipts"
    path.write_text(text)
    game = str(CLAIMS / "A-rewritten-dice.jsonl")
    assert main(["verify", game, "--receipts", str(path)]) == 2
    assert "is no receipt" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [["fatestones"], ["play", "zombie"], ["play", "poker"]], ids=str
)
def test_what_binds_the_house_is_shown_before_it_asks(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """H6"""
    monkeypatch.setattr("sys.stdin", io.StringIO("a word\n"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        main([*command, "--save", str(path)])
        tip = json.loads(path.read_bytes().splitlines()[0])["public"]["tip"]
    out = capsys.readouterr().out
    before = "".join(out.partition("a word")[0].split())
    assert tip in before, "the tip stands on the screen before the first words are typed"


def test_receipts_of_another_table_alone_are_another_history(tmp_path: Path) -> None:
    """A house that renames the table does not get rid of the receipts beside the record."""
    path = tmp_path / "game.jsonl"
    path.write_bytes(record("A-rewritten-dice"))
    keep(beside(path), Kept("00" * 32, 1, 5, "5e" * 32))
    assert main(["verify", str(path)]) == 1


def test_receipts_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="cannot read the receipts"):
        read_receipts(tmp_path / "nothing.receipts")
    path = tmp_path / "some.receipts"
    path.write_text("\n" + Kept("00" * 32, 1, 5, "5e" * 32).line + "\n")
    assert [kept["step"] for kept in read_receipts(path)] == [5], "blank lines do no harm"


def test_a_verdict_in_words() -> None:
    verdict = verify(record("A-rewritten-dice"))
    assert str(verdict).splitlines()[0] == (
        '"Computer" wins: 9 is more than 7. The record is valid.'
    )
    assert repr(verdict).startswith("<valid: intransitive/1 by hmac-sha3-user/1, 13 lines")
    assert str(verify(record("D2-one-key-for-both"))).startswith("INVALID at line 1: ")


def test_somebody_else_s_blank_words_are_words() -> None:
    """There are many blanks: whoever stirs last can choose the draw by which of them to type."""
    chairs = [Chair("Ann", "self", "stir"), Chair("Eve", "self", "stir")]
    table = open_table(make_game("intransitive/1", {}), mode("hash-chains-each"), chairs=chairs)
    driver = Driver(table)
    while asks := table.asks():
        blank = asks[0].kind == "stir" and asks[0].seat == 1
        table.submit(asks[0], "\t \t" if blank else driver.answer(asks[0]))
    claims = {str(claim): claim for claim in verify(bytes(table.transcript)).claims}
    assert "UNIFORM:1" not in claims
    assert '"Eve" does not, either' in claims["UNIFORM:0"].condition


def test_words_older_than_a_hidden_run_lend_it_nothing(toy: str) -> None:
    """H11: the house chose the key of the hidden run when it knew the words."""
    steps = [["draw", 6], ["turn", [1], 2], ["hidden", 6, 0]]
    game = make_game(toy, {"seats": 2, "steps": steps})
    for stir, claimed in (("once", False), ("each", True)):
        way = Mode("hash-chains/1", stir, "stir", (("stir", stir),))
        table = open_table(game, way)
        Driver(table).play()
        assert ("UNIFORM:1" in found(verify(bytes(table.transcript)))) == claimed


def lines_of(table: Table) -> list[bytes]:
    return bytes(table.transcript).splitlines(keepends=True)


def by_name(verdict: Verdict) -> dict[str, Claim]:
    assert verdict.ok, verdict.fault
    return {str(claim): claim for claim in verdict.claims}


def test_a_hidden_run_that_nobody_dealt_is_committed_by_its_ticket(toy: str) -> None:
    """Lines: start, the move, the ticket, Ann leaves, the key is opened, the end."""
    game = make_game(toy, {"seats": 2, "steps": [["turn", [1], 2], ["hidden", 6, 0]]})
    table = open_table(game, Mode("hash-chains/1", "each", "stir", (("stir", "each"),)))
    Driver(table).once()
    assert [ask.kind for ask in table.asks()] == ["stir"]
    table.forfeit(1, "tired")
    lines = lines_of(table)
    assert [json.loads(line)["kind"] for line in lines] == [
        *("start", "move", "ticket", "forfeit", "opening", "end")
    ]
    shown = {
        number: by_name(verify(bytes(table.transcript), line_hash(lines[number - 1])))["COMMITTED"]
        for number in (1, 2, 3)
    }
    assert shown[1].witness == shown[2].witness == ("house", (), (1,))
    assert shown[3].witness == ("receipts", (1,), ())
    assert shown[3].lines == (1, 3)


@pytest.mark.parametrize("way", ["hash-chains-each", "contest-cup"])
def test_what_stands_in_the_first_event_is_shown_by_a_receipt_of_it(toy: str, way: str) -> None:
    """Lines: start, the move, the ticket, ... Whoever moves has seen the first line alone."""
    game = make_game(toy, {"seats": 2, "steps": [["turn", [1], 2], ["draw", 6]]})
    table = Driver(open_table(game, mode(way))).play()
    lines = lines_of(table)
    first, second = (
        by_name(verify(bytes(table.transcript), line_hash(line)))["COMMITTED"].witness
        for line in lines[:2]
    )
    assert first == ("receipts", (1,), ())
    assert second == ("house", (), (1,)), "the move was made, and could have guided the house"


@pytest.mark.parametrize(
    ("lends", "before", "unforeseen"),
    [
        ("stir", 0, {"Ann", "Bob", "Eve"}),
        ("stir", 1, {"Bob", "Eve"}),
        ("stir", 2, {"Eve"}),
        ("chain", 3, {"Ann", "Bob", "Eve"}),
        ("chain", 4, {"Bob", "Eve"}),
    ],
)
def test_whoever_gave_a_share_before_another_left_may_have_been_foreseen(
    toy: str, lends: str, before: int, unforeseen: set[str]
) -> None:
    """Eve leaves when so many shares of the second run are given, in the order Ann, Bob, Eve.

    What she had heard may have guided her, and she was the last to decide. The tips of the next
    chains come before the links, and say nothing of the draw.
    """
    game = make_game(toy, {"seats": 3, "steps": [["draw", 6], ["turn", [2], 2], ["draw", 6]]})
    options = (("stir", "each"), ("length", 2))
    chairs = [Chair(name, "self", lends) for name in ("Ann", "Bob", "Eve")]
    table = open_table(game, Mode("hash-chains/1", "three", lends, options), chairs=chairs)
    driver = Driver(table)
    while not table.decisions:
        driver.once()
    for _ in range(before):
        driver.once()
    table.forfeit(2, "enough")
    claims = verify(bytes(table.transcript)).claims
    assert {claim.who for claim in claims if claim.name == "UNFORESEEN"} == unforeseen
    assert {claim.who for claim in claims if claim.name == "UNIFORM"} == {"Ann", "Bob", "Eve"}


class TestWords:
    """The conditions, in words."""

    def test_of_whose_receipts_they_speak(self) -> None:
        data = record("A-rewritten-dice")
        lines = data.splitlines(keepends=True)
        claims = by_name(verify(data, [line_hash(lines[number - 1]) for number in (2, 7, 10)]))
        two = by_name(verify(data, [line_hash(lines[number - 1]) for number in (2, 7)]))
        assert two["ORDERED"].condition.startswith("the receipts were kept")
        who = claims["UNIFORM:1"].who
        assert claims["UNIFORM:1"].condition.endswith(
            f', and "{who}" kept the receipts before answering'
        )
        assert claims["COMMITTED"].condition == "the receipts were kept before answering"
        assert claims["ORDERED"].sentence == (
            "If the receipts were kept before the next answer was given, then "
            "lines 1 to 10 stood as they stand here before that answer."
        )

    def test_of_one_receipt(self) -> None:
        data = record("A-rewritten-dice")
        head = line_hash(data.splitlines(keepends=True)[6])
        assert by_name(verify(data, [head, head]))["ORDERED"].condition == (
            "the receipt was kept before the next answer was given"
        )

    def test_of_a_signature(self) -> None:
        """Whoever signed needs no receipt."""
        claims = by_name(verify(record("J-true-order")))
        told = "the Player signed the bet before telling any seed"
        assert claims["COMMITTED"].condition == told
        assert claims["UNIFORM:1"].condition.endswith(f", and {told}")


def test_two_people_s_seals_are_shown_by_a_receipt_between(toy: str) -> None:
    """Lines: start, two seals, two openings, the end."""
    game = make_game(toy, {"seats": 2, "steps": [["turn", [0, 1], 3]]})
    chairs = [Chair("Ann"), Chair("Bob")]
    table = Driver(open_table(game, mode("hash-chains-alone"), chairs=chairs)).play()
    lines = lines_of(table)
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds == ["start", "seal", "seal", "open", "open", "end"]
    witness = [
        by_name(verify(bytes(table.transcript), line_hash(line)))["SEALED:0"].witness
        for line in lines[1:4]
    ]
    assert witness == [("house", (), (1,)), ("receipts", (1,), ()), ("house", (), (1,))]


@pytest.mark.parametrize(
    ("stir", "unforeseen"), [("once", {"Eve"}), ("each", {"Ann", "Bob", "Eve"})]
)
def test_who_leaves_after_the_last_draw_may_have_known_the_next_one(
    toy: str, stir: str, unforeseen: set[str]
) -> None:
    """Words that are asked for once are there already; else the next draw waits for new ones."""
    game = make_game(toy, {"seats": 3, "steps": [["draw", 6], ["turn", [2], 2]]})
    chairs = [Chair(name, "self", "stir") for name in ("Ann", "Bob", "Eve")]
    way = Mode("hash-chains/1", "three", "stir", (("stir", stir),))
    table = open_table(game, way, chairs=chairs)
    driver = Driver(table)
    while table.asks()[0].kind == "stir":
        driver.once()
    table.forfeit(2, "enough")
    claims = verify(bytes(table.transcript)).claims
    assert {claim.who for claim in claims if claim.name == "UNFORESEEN"} == unforeseen


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({3, 4, 20}, "runs 1 to 2, 5 to 19 and 21 to 40"),
        (set(range(1, 29)), "runs 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39 and 40"),
        (set(range(2, 41, 2)), "runs 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 8 more"),
    ],
)
def test_of_many_runs_that_no_receipt_shows_the_ranges_are_said(
    toy: str, seen: set[int], said: str
) -> None:
    game = make_game(toy, {"seats": 2, "steps": [["draw", 6], ["turn", [0], 2]] * 40})
    table = Driver(open_table(game, mode("hmac-sha3-user-number"))).play()
    tickets = [line_hash(line) for line in lines_of(table) if b'"kind":"ticket"' in line]
    receipts = [tickets[run - 1] for run in seen]
    claim = by_name(verify(bytes(table.transcript), receipts))["COMMITTED"]
    told = tuple(sorted(set(range(1, 41)) - seen))
    assert claim.witness is not None and claim.witness.told == told, "all are in the witness"
    assert f"for {said} " in claim.condition


@pytest.mark.parametrize(("lends", "named"), [("stir", True), ("nothing", False)])
def test_who_left_before_a_draw_is_named_if_they_lent_something(lends: str, named: bool) -> None:
    """Ann's words were there. Whoever lent words, too, may have left because of them."""
    game = make_game("zombie/2", {"players": 3, "max_turns": 1})
    chairs = [Chair("Ann", "self", "stir"), Chair("Bob", "self", "stir"), Chair("Eve", lends=lends)]
    table = open_table(game, mode("hash-chains-each"), chairs=chairs)
    driver = Driver(table)
    assert driver.table.asks()[0].seat == 0
    driver.once()
    table.forfeit(2, "enough")
    driver.play()
    condition = by_name(verify(bytes(table.transcript)))["UNIFORM:0"].condition
    others = '"Bob" or "Eve"' if named else '"Bob"'
    assert f"{others} does not, either" in condition
    assert condition.count("Eve") == named and '"Ann" does not, either' not in condition

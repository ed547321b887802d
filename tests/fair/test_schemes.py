"""The schemes: what each hashes, in bytes made by hand, and what each refuses."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections import Counter
from itertools import product
from typing import Any

import pytest

from fairground.core import BadParams, BadShare, Fault, SecretLost, UnknownName
from fairground.fair import bits
from fairground.fair.bits import HOUSE, HashStream, SeededStream, Tag
from fairground.fair.chains import (
    Chain,
    ChainHolder,
    HashChainsDealer,
    HashChainsScheme,
    blind,
    place,
)
from fairground.fair.contest import ContestScheme, contest_commitment
from fairground.fair.hmac_user import FairSum, HmacKey, HmacUserDealer, HmacUserScheme
from fairground.fair.register import SCHEMES, make_scheme
from fairground.fair.schemes import Chair, Phase, Run, Scheme, Setting, Share, fields
from fairground.fair.unproven import SeededDealer, SeededScheme, SystemScheme
from fairground.fair.vault import MemoryVault
from fairground.games import make_game
from fairground.testing.driving import Driver, FixedHolder, open_table
from fairground.testing.modes import ALL_MODES, MODES, SEED, TABLE, FixedVault, Mode, mode, secret
from fairground.testing.toys import DUEL, LONG, RICH

HEAD = "ab" * 32


def by_hand(*parts: bytes | int | str) -> bytes:
    """SHA3-256 over framed parts, without our code."""
    out = b""
    for part in parts:
        raw = struct.pack(">Q", part) if isinstance(part, int) else part
        raw = raw.encode() if isinstance(raw, str) else raw
        out += struct.pack(">I", len(raw)) + raw
    return hashlib.sha3_256(out).digest()


def setting(*lends: str) -> Setting:
    return Setting(TABLE, tuple(Chair(f"S{i}", "self", what) for i, what in enumerate(lends)))


def run_of(index: int = 1, n: int = 6, hidden: bool = False, **more: Any) -> Run:
    run = Run(index, n, hidden, 4, HEAD)
    for name, value in more.items():
        setattr(run, name, value)
    return run


# hmac-sha3-user/1


def test_an_hmac_is_what_the_seed_prints() -> None:
    key = HmacKey("BD9BE48334BB9C5EC263953DA54727F707E95544739FCE7359C267E734E380A2")
    assert key.commit(1) == "C8E79615E637E6B14DDACA2309069A76D0882A4DD8102D9DEAD3FD6AC4AE289A"


@pytest.mark.parametrize("n", [1, 2, 3, 6, 20])
def test_the_sum_over_all_house_numbers_is_uniform_for_every_user_number(n: int) -> None:
    for user in range(n):
        counts = Counter(FairSum(house, user, n).below(n) for house in range(n))
        assert counts == dict.fromkeys(range(n), 1)
    both = Counter(FairSum(house, user, n).result for house, user in product(range(n), repeat=2))
    assert both == dict.fromkeys(range(n), n)


def test_an_hmac_dealer_makes_key_then_number_and_keeps_them_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def token(size: int) -> bytes:
        asked.append(size)
        return bytes([len(asked)]) * size

    monkeypatch.setattr("secrets.token_bytes", token)
    vault = MemoryVault()
    dealer = HmacUserDealer(TABLE, vault)
    ticket = dealer.open(run_of())
    assert asked == [32, 1], "a key of 256 bits, and then a number"
    text = "01" * 32
    assert vault.secrets["hmac.1"] == (f"{text} 2".encode(), HEAD)
    mac = hmac.new(text.encode(), b"2", "sha3_256").hexdigest().upper()
    assert ticket == {"hmac": mac}
    assert dealer.evidence(run_of(), HEAD) == ({"key": text, "number": 2}, {})
    assert vault.spent == {"hmac.1": HEAD}


def hmac_run(**more: Any) -> tuple[HmacUserScheme, Run, dict[str, Any]]:
    text = secret("key").hex().upper()
    mac = hmac.new(text.encode(), b"4", "sha3_256").hexdigest().upper()
    run = run_of(ticket={"hmac": mac}, shares=[Share(0, "number", 5, 3)], **more)
    return HmacUserScheme(setting("number"), {}), run, {"key": text, "number": 4}


def test_the_house_opens_what_it_committed_to() -> None:
    scheme, run, evidence = hmac_run()
    assert scheme.chance(run, evidence, {}).below(6) == 3
    assert scheme.lent(run) == {0: 3}
    scheme, hidden, evidence = hmac_run(hidden=True)
    assert scheme.chance(hidden, {}, evidence).below(6) == 3


def test_a_key_serves_one_draw_and_no_more() -> None:
    scheme, run, evidence = hmac_run()
    scheme.chance(run, evidence, {})
    with pytest.raises(Fault, match="served another draw"):
        scheme.chance(run, evidence, {})


@pytest.mark.parametrize(
    "change",
    [
        {"number": 3},
        {"number": "4"},
        {"number": True},
        {"number": None},
        {"number": -1},
        {"number": 6},
        {"number": "99999999999999999999"},
        {"number": [4]},
        {"key": "0" * 64},
        {"key": secret("key").hex()},
        {"key": secret("key").hex().upper()[:62]},
        {"key": 5},
        {"extra": 1},
    ],
)
def test_a_wrong_number_or_key_is_refused(change: dict[str, Any]) -> None:
    scheme, run, evidence = hmac_run()
    with pytest.raises(Fault) as caught:
        scheme.chance(run, {**evidence, **change}, {})
    assert caught.value.code == "fair/bad-evidence"


def test_a_hidden_number_is_not_told_with_the_draw() -> None:
    scheme, run, evidence = hmac_run(hidden=True)
    with pytest.raises(Fault):
        scheme.chance(run, evidence, evidence)
    with pytest.raises(Fault):
        scheme.chance(run, {}, {})


@pytest.mark.parametrize("value", [-1, 6, "5", True, None, 1.0, [], "x", "99999999999999999999"])
def test_a_user_number_out_of_range_is_refused(value: Any) -> None:
    scheme, run, _ = hmac_run()
    scheme.check_share(run, 0, "number", 5)
    with pytest.raises(BadShare, match=r"an integer in 0\.\.5"):
        scheme.check_share(run, 0, "number", value)


def test_a_user_number_beyond_json_is_written_as_text() -> None:
    scheme = HmacUserScheme(setting("number"), {})
    run = run_of(n=100**40)
    scheme.check_share(run, 0, "number", str(100**40 - 1))
    with pytest.raises(BadShare):
        scheme.check_share(run, 0, "number", str(100**40))


@pytest.mark.parametrize("ticket", [{}, {"hmac": "0" * 63}, {"hmac": "a" * 64}, {"hmac": 1}, [], 1])
def test_a_ticket_that_is_no_hmac_is_refused(ticket: Any) -> None:
    with pytest.raises(Fault, match="ticket"):
        HmacUserScheme(setting("number"), {}).check_ticket(run_of(ticket=ticket))


# hash-chains/1


def chain_by_hand(seat: int, generation: int, length: int, start: bytes) -> list[bytes]:
    links = [start]
    for i in range(length, 0, -1):
        links.insert(0, by_hand("fairground/chain-link/1", TABLE, seat, generation, i, links[0]))
    return links


def test_a_chain_by_hand() -> None:
    assert Chain(TABLE, 3, 1, 5, SEED).links == chain_by_hand(3, 1, 5, SEED)


def test_links_of_different_places_have_nothing_in_common() -> None:
    made = [
        Chain(TABLE, 0, 0, 2, SEED),
        Chain(TABLE, 1, 0, 2, SEED),
        Chain(TABLE, 0, 1, 2, SEED),
        Chain(SEED, 0, 0, 2, SEED),
    ]
    assert len({link for chain in made for link in chain.links[:-1]}) == 8


@pytest.mark.parametrize(
    ("index", "spot"), [(1, (0, 1)), (2, (0, 2)), (3, (0, 3)), (4, (1, 1)), (9, (2, 3))]
)
def test_runs_use_up_one_chain_after_the_other(index: int, spot: tuple[int, int]) -> None:
    assert place(index, 3) == spot


def test_the_stream_of_a_run_by_hand(toy: str) -> None:
    """Two chains, words of a third seat, a hidden run, and a renewal: all bytes by hand."""
    chairs = [Chair("A", "self", "chain"), Chair("B", "self", "stir"), Chair("C", "self", "chain")]
    steps = [["draw", 300], ["turn", [1], 2], ["hidden", 6, 0], ["turn", [1], 2], ["draw", 300]]
    way = Mode("hash-chains/1", "hand", options=(("stir", "each"), ("length", 2)))
    table = open_table(
        make_game(toy, {"seats": 3, "steps": steps}), way, FixedVault(), chairs=chairs
    )
    Driver(table).play()
    words = [e["value"] for e in table.transcript.events if e.get("share") == "stir"]
    assert len(words) == 3
    house = [chain_by_hand(HOUSE, g, 2, secret("vault", f"chain.{g}")) for g in (0, 1)]
    seats = {
        seat: [chain_by_hand(seat, g, 2, secret("holder", seat, g)) for g in (0, 1)]
        for seat in (0, 2)
    }
    for index, (generation, i) in {1: (0, 1), 2: (0, 2), 3: (1, 1)}.items():
        key = secret("vault", "blind.2") if index == 2 else b""
        root = by_hand(
            "fairground/chains-stream/1", TABLE, index, house[generation][i],
            2, 0, seats[0][generation][i], 2, seats[2][generation][i],
            1, 1, words[index - 1], key,
        )  # fmt: skip
        n, value = table.runs[index - 1].draws[0]
        assert HashStream(root).below(n) == value
    run = table.runs[1]
    assert (
        run.ticket["blind"]
        == by_hand(
            "fairground/blind-commitment/1",
            TABLE,
            HOUSE,
            run.step,
            run.head,
            secret("vault", "blind.2"),
        ).hex()
    )
    assert run.ticket["tip"] == house[1][0].hex()


def chains_scheme(*lends: str, stir: str = "once", length: int = 3) -> HashChainsScheme:
    tip = chain_by_hand(HOUSE, 0, length, SEED)[0].hex()
    return HashChainsScheme(setting(*lends), {"length": length, "stir": stir, "tip": tip})


@pytest.mark.parametrize(
    ("index", "stir", "kinds"),
    [
        (1, "once", ["tip", "stir", "link"]),
        (2, "once", ["link"]),
        (3, "once", ["next-tip", "link"]),
        (4, "once", ["stir", "link"]),
        (1, "each", ["tip", "stir", "link"]),
        (2, "each", ["stir", "link"]),
        (3, "each", ["next-tip", "stir", "link"]),
        (6, "each", ["next-tip", "stir", "link"]),
    ],
)
def test_tips_come_before_words_and_words_before_links(
    index: int, stir: str, kinds: list[str]
) -> None:
    scheme = chains_scheme("stir", "chain", "nothing", stir=stir)
    phases = scheme.phases(run_of(index))
    assert [phase.kind for phase in phases] == kinds
    for phase in phases:
        assert phase == Phase(phase.kind, (0,) if phase.kind == "stir" else (1,))


def test_a_house_link_that_does_not_fit_is_refused() -> None:
    links = chain_by_hand(HOUSE, 0, 3, SEED)
    for wrong in (links[0], links[2], links[3], bytes(32)):
        with pytest.raises(Fault, match="the house's link 1") as caught:
            chains_scheme().chance(run_of(), {"link": wrong.hex()}, {})
        assert caught.value.code == "fair/bad-evidence"
    for odd in ({}, {"link": 5}, {"link": links[1].hex().upper()}, {"link": "00"}, 7):
        with pytest.raises(Fault, match="evidence"):
            chains_scheme().chance(run_of(), odd, {})  # type: ignore[arg-type]
    chains_scheme().chance(run_of(), {"link": links[1].hex()}, {})


def test_a_blind_key_that_does_not_fit_is_refused() -> None:
    scheme = chains_scheme()
    link = {"link": chain_by_hand(HOUSE, 0, 3, SEED)[1].hex()}
    key = secret("blind")
    run = run_of(hidden=True)
    run.ticket = {"blind": blind(TABLE, run, key)}
    for later in ({"key": bytes(32).hex()}, {}, {"key": 1}, {"key": key.hex(), "more": 1}):
        with pytest.raises(Fault) as caught:
            scheme.chance(run, link, later)
        assert caught.value.code == "fair/bad-evidence"
        with pytest.raises(Fault):
            scheme.check_abandoned(run, later)
    scheme.check_abandoned(run, {"key": key.hex()})
    elsewhere = run_of(2, hidden=True, ticket=run.ticket)
    elsewhere.step = 5
    with pytest.raises(Fault, match="does not fit its commitment"):
        scheme.check_abandoned(elsewhere, {"key": key.hex()})


def test_a_seat_link_that_does_not_fit_is_refused() -> None:
    scheme = chains_scheme("chain")
    links = chain_by_hand(0, 0, 3, secret("mine"))
    run = run_of(shares=[Share(0, "tip", links[0].hex(), 3)])
    scheme.check_share(run, 0, "link", links[1].hex())
    for wrong in (links[0], links[2], bytes(32)):
        with pytest.raises(BadShare, match="link 1 of seat 0"):
            scheme.check_share(run, 0, "link", wrong.hex())
    for odd in (5, "", links[1].hex().upper(), None, links[1].hex() + "0", b"x" * 64):
        for kind in ("link", "tip", "next-tip"):
            with pytest.raises(BadShare, match="64 lower-case hex digits"):
                scheme.check_share(run, 0, kind, odd)


@pytest.mark.parametrize("words", [5, None, ["a"], "x" * 201, "\ud800", "a\udfffb"])
def test_a_stir_is_text_that_a_transcript_can_hold(words: Any) -> None:
    scheme = chains_scheme("stir")
    for fine in ("", " ", "x" * 200, "é\U0001f3b2\n"):
        scheme.check_share(run_of(), 0, "stir", fine)
    with pytest.raises(BadShare, match="a stir is text"):
        scheme.check_share(run_of(), 0, "stir", words)


@pytest.mark.parametrize(
    ("index", "hidden", "ticket"),
    [
        (1, False, {"tip": "0" * 64}),
        (1, False, {"blind": "0" * 64}),
        (1, True, {}),
        (1, True, {"blind": "0" * 63}),
        (3, False, {}),
        (3, False, {"tip": 5}),
        (3, True, {"tip": "0" * 64}),
        (1, False, None),
    ],
)
def test_a_chain_ticket_holds_what_is_due_and_no_more(
    index: int, hidden: bool, ticket: Any
) -> None:
    with pytest.raises(Fault, match="ticket"):
        chains_scheme().check_ticket(run_of(index, hidden=hidden, ticket=ticket))


def test_a_holder_gives_each_link_once_in_order_and_for_one_history() -> None:
    holder = ChainHolder(TABLE, 0, 3)
    tip = holder.answer("tip", 1, HEAD)
    with pytest.raises(BadShare, match="link 2 is not due"):
        holder.answer("link", 2, HEAD)
    with pytest.raises(BadShare, match="link 3 is not due"):
        holder.answer("link", 3, HEAD)
    first = holder.answer("link", 1, HEAD)
    assert by_hand("fairground/chain-link/1", TABLE, 0, 0, 1, bytes.fromhex(first)).hex() == tip
    assert holder.answer("link", 1, HEAD) == first
    with pytest.raises(BadShare, match="already given for another history"):
        holder.answer("link", 1, "cd" * 32)
    with pytest.raises(BadShare, match="link 3 is not due"):
        holder.answer("link", 3, HEAD)
    assert holder.answer("tip", 1, HEAD) == tip
    assert holder.answer("next-tip", 3, HEAD) != tip
    assert ChainHolder(TABLE, 0, 3).answer("tip", 1, HEAD) != tip


# contest/1, seeded/1, system/1


def test_a_contest_stream_by_hand() -> None:
    commitment = by_hand("fairground/contest-commitment/1", "cup", SEED).hex()
    assert contest_commitment("cup", SEED) == commitment
    public = {"commitment": commitment, "contest": "cup", "game": 7}
    scheme = ContestScheme(setting("nothing"), public)
    root = by_hand("fairground/contest-stream/1", "cup", 7, 2, SEED)
    ours = scheme.chance(run_of(2), {}, {"seed": SEED.hex()})
    assert [ours.below(1000) for _ in range(50)] == [
        value for stream in [HashStream(root)] for value in [stream.below(1000) for _ in range(50)]
    ]
    for later in ({"seed": bytes(32).hex()}, {}, {"seed": "x"}, {"seed": SEED.hex(), "a": 1}):
        with pytest.raises(Fault) as caught:
            scheme.chance(run_of(2), {}, later)
        assert caught.value.code == "fair/bad-evidence"
    with pytest.raises(Fault):
        scheme.chance(run_of(2), {"seed": SEED.hex()}, {"seed": SEED.hex()})


def test_plain_schemes_refuse_evidence_that_they_do_not_have() -> None:
    seeded = SeededScheme(setting("nothing"), {"seed": "s", "game": 0})
    for now, later in (({"a": 1}, {}), ({}, {"a": 1})):
        with pytest.raises(Fault):
            seeded.chance(run_of(), now, later)
    system = SystemScheme(setting("nothing"), {})
    root = {"root": SEED.hex()}
    assert system.chance(run_of(), root, {}).below(2**64) == HashStream(SEED).below(2**64)
    assert system.chance(run_of(hidden=True), {}, root).below(99) == HashStream(SEED).below(99)
    wrong: tuple[tuple[Run, Any, Any], ...] = (
        (run_of(), {}, root),
        (run_of(), {"root": 1}, {}),
        (run_of(hidden=True), root, {}),
        (run_of(hidden=True), root, root),
        (run_of(hidden=True), {}, {"root": SEED.hex().upper()}),
    )
    for run, now, later in wrong:
        with pytest.raises(Fault):
            system.chance(run, now, later)


# All of them

BAD_PUBLIC: list[tuple[str, Any]] = [
    ("hmac-sha3-user/1", {"a": 1}),
    ("system/1", {"a": 1}),
    *[
        ("hash-chains/1", {**{"length": 3, "stir": "once", "tip": "0" * 64}, **change})
        for change in (
            {"length": 1}, {"length": True}, {"length": "3"}, {"length": 1_000_001},
            {"stir": "never"}, {"stir": ["once"]}, {"tip": 0}, {"tip": "A" * 64}, {"more": 1},
        )
    ],
    ("hash-chains/1", {"length": 3}),
    *[
        ("contest/1", {**{"commitment": "0" * 64, "contest": "c", "game": 0}, **change})
        for change in ({"commitment": "0"}, {"contest": 1}, {"game": -1}, {"game": True}, {"x": 1})
    ],
    ("contest/1", {}),
    *[
        ("seeded/1", {**{"seed": "s", "game": 0}, **change})
        for change in ({"seed": 1}, {"game": -1}, {"game": False}, {"game": "0"}, {"x": 1})
    ],
    ("seeded/1", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "public"), BAD_PUBLIC, ids=str)
def test_a_scheme_is_not_made_of_odd_parameters(name: str, public: Any) -> None:
    with pytest.raises(BadParams, match=name):
        make_scheme(name, setting("nothing"), public)


LENT = {"hmac-sha3-user/1": {"number"}, "hash-chains/1": {"stir", "chain"}}


@pytest.mark.parametrize("what", ["number", "stir", "chain"])
@pytest.mark.parametrize("name", MODES)
def test_a_seat_lends_only_what_the_scheme_can_use(name: str, what: str) -> None:
    public = MODES[name][0].make(FixedVault()).public
    if what in LENT.get(name, ()):
        make_scheme(name, setting(what, "nothing"), public)
    else:
        with pytest.raises(BadParams, match=f"no seat can lend '{what}'"):
            make_scheme(name, setting(what, "nothing"), public)


def test_two_users_cannot_both_add_a_number() -> None:
    with pytest.raises(BadParams, match="one user"):
        make_scheme("hmac-sha3-user/1", setting("number", "number"), {})


def test_an_unknown_scheme_is_answered_with_the_known() -> None:
    with pytest.raises(UnknownName, match="'dowsing/1'; there are: contest/1, croupier"):
        make_scheme("dowsing/1", setting("nothing"), {})


def test_a_scheme_that_asks_for_nothing_takes_nothing() -> None:
    scheme = SystemScheme(setting("nothing"), {})
    with pytest.raises(BadShare, match="takes no number"):
        scheme.check_share(run_of(), 0, "number", 1)
    Scheme.check_abandoned(scheme, run_of(), {})
    with pytest.raises(Fault):
        Scheme.check_abandoned(scheme, run_of(), {"a": 1})
    assert (scheme.committed(run_of()), scheme.lent(run_of()), scheme.must_open(run_of())) == (
        False,
        {},
        False,
    )


def test_fields_are_those_and_no_others() -> None:
    fields({"a": 1}, {"a": lambda value: value == 1}, "ticket")
    for record in ({}, {"a": 2}, {"a": 1, "b": 1}, None, [("a", 1)]):
        with pytest.raises(Fault, match="the ticket"):
            fields(record, {"a": lambda value: value == 1}, "ticket")  # type: ignore[arg-type]


COMMITMENTS = {Tag.LINK, Tag.BLIND, Tag.CONTEST_COMMIT, Tag.SEAL}
DERIVATIONS = {Tag.CHAINS, Tag.CONTEST, Tag.BLOCK, Tag.SEED}


@pytest.mark.parametrize("way", ["hash-chains-chain", "hash-chains-each", "contest-cup"])
@pytest.mark.parametrize("params", [RICH, DUEL, LONG], ids=["rich", "duel", "long"])
def test_what_is_committed_to_and_what_is_drawn_never_share_a_tag(
    toy: str, way: str, params: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watch every hash of a whole game: what is shown is never what the chance is made of."""
    hashed: dict[bytes, bytes] = {}
    real = hashlib.sha3_256

    class Watched:
        @staticmethod
        def sha3_256(data: bytes) -> Any:
            made = real(data)
            size = int.from_bytes(data[:4], "big")
            hashed[made.digest()] = data[4 : 4 + size]
            return made

    monkeypatch.setattr(bits, "hashlib", Watched)
    table = open_table(make_game(toy, params), mode(way))
    Driver(table).play()
    assert table.closed
    tags = {tag.decode() for tag in hashed.values()}
    assert tags <= COMMITMENTS | DERIVATIONS
    assert tags & COMMITMENTS and tags & DERIVATIONS
    text = bytes(table.transcript).decode()
    for made, tag in hashed.items():
        if made.hex() in text:
            assert tag.decode() in COMMITMENTS, "a digest that chance is drawn from was shown"


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
def test_a_dealer_is_made_again_from_its_public_part_and_its_vault(way: Mode) -> None:
    vault = FixedVault()
    dealer = way.make(vault)
    run = run_of()
    ticket, evidence = dealer.open(run), dealer.evidence(run, HEAD)
    again = type(dealer).again(TABLE, vault, dealer.public)
    assert again.public == dealer.public
    assert (again.open(run), again.evidence(run, HEAD)) == (ticket, evidence)


def test_a_contest_cannot_be_made_again_without_its_seed() -> None:
    dealer = mode("contest-cup").make(FixedVault())
    with pytest.raises(SecretLost, match="contest"):
        type(dealer).again(TABLE, FixedVault(), dealer.public)


def test_a_fixed_holder_is_a_holder() -> None:
    assert FixedHolder(TABLE, 1, 4).answer("tip", 1, HEAD) == (
        chain_by_hand(1, 0, 4, secret("holder", 1, 0))[0].hex()
    )


def test_a_house_that_commits_to_a_number_beyond_the_range_is_found_out() -> None:
    """The HMAC is right. But a 6 of 0..5 would count as a 0, and come twice as often."""
    scheme, run, _ = hmac_run()
    key = HmacKey.fresh().text
    mac = hmac.new(key.encode(), str(run.n).encode(), "sha3_256").hexdigest().upper()
    run.ticket = {"hmac": mac}
    with pytest.raises(Fault, match="is not in 0"):
        scheme.chance(run, {"key": key, "number": run.n}, {})


@pytest.mark.parametrize("lends", ["stir", "chain", "nothing"])
def test_commitments_stand_on_the_lines_that_are_named(toy: str, lends: str) -> None:
    """Chains of two links, so that the house renews its own; hidden runs in between."""
    steps = [["hidden", 6, 0], ["turn", [0], 2], ["draw", 300], ["turn", [0], 2]] * 3
    chairs = [Chair("A", "self", lends), Chair("B", "self", lends)]
    way = Mode("hash-chains/1", "lines", options=(("stir", "each"), ("length", 2)))
    game = make_game(toy, {"seats": 2, "steps": steps})
    table = open_table(game, way, FixedVault(), chairs=chairs)
    Driver(table).play()
    lines = table.transcript.lines
    shown = table.scheme.shown(table.runs)
    assert len(shown) > 3
    for line, text in shown:
        assert text.encode() in lines[line - 1]
    texts = {text.encode() for _, text in shown}
    for run in table.runs:
        assert run.bound < run.line
        assert any(text in lines[run.bound - 1] for text in texts), "what bound the house"


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
def test_what_a_screen_has_shown_stands_on_its_line(toy: str, way: Mode) -> None:
    table = Driver(open_table(make_game(toy, RICH), way)).play()
    shown = table.scheme.shown(table.runs)
    assert all(text.encode() in table.transcript.lines[line - 1] for line, text in shown)


def test_schemes_that_anyone_may_open_a_table_with() -> None:
    """Not those of which some would know what is coming, or that need a Bank."""
    chosen = {name for name, listing in SCHEMES.listed.items() if listing.at_tables}
    assert chosen == {"hmac-sha3-user/1", "hash-chains/1", "system/1"}


def test_a_hidden_run_that_was_never_dealt_has_nothing_to_open() -> None:
    scheme = SystemScheme(setting("nothing"), {})
    run = run_of(hidden=True)
    run.line = 0
    assert not scheme.must_open(run)
    run.line = 5
    assert scheme.must_open(run)


def test_practice_begins_with_game_0_and_the_dealers_lane() -> None:
    assert SeededDealer(TABLE, MemoryVault(), seed="x").public == {"game": 0, "seed": "x"}
    plain, spelt = SeededStream("x"), SeededStream("x", 0, 0)
    assert [plain.below(1000) for _ in range(9)] == [spelt.below(1000) for _ in range(9)]


def test_who_may_open_a_table_with_which_scheme() -> None:
    """Not with one whose draws somebody knows before: of a seed, or of a contest."""
    may = {name for name, one in SCHEMES.listed.items() if one.at_tables}
    assert may == {"hash-chains/1", "hmac-sha3-user/1", "system/1"}


def test_a_chain_has_a_thousand_links_unless_it_is_said_otherwise() -> None:
    dealer = HashChainsDealer(TABLE, FixedVault())
    assert (dealer.public["length"], dealer.public["stir"]) == (1000, "once")

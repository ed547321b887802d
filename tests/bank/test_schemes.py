"""``croupier/1`` and ``croupier-2017/0`` at the referee's table and before the verifier."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairground.bank.messages import Bet, Domain, Key, Signer
from fairground.bank.schemes import CroupierDealer, HistoricDealer, public_of, read_public
from fairground.bank.seeds import Seed, WrongSeed, deal, fresh_seeds, mix, replace
from fairground.core import BadParams, BadShare, InputError
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.intransitive.rules import Intransitive
from fairground.games.poker.rules import BankPoker, hand_text
from fairground.table import Table, new_name
from fairground.transcript import Transcript
from fairground.verifier import resume, verify

ORDER = (1, 0, 1, 1, 0)
DOMAIN = Domain(31337, "0x5FbDB2315678afecb367f032d93F642f64180aa3")
KEYS = {Signer.CROUPIER: Key(11), Signer.PLAYER: Key(12)}
PARTIES = (Key(1).address, Key(2).address)
CHAIRS = (Chair("Croupier", "house"), Chair("Player", "self", "seed"))


class Dealt:
    """A game under ``croupier/1``, ready to be played."""

    def __init__(self, told: list[bool] | None = None) -> None:
        self.seeds = {
            role: fresh_seeds(KEYS[role], DOMAIN, PARTIES, role, 0)
            for role in (Signer.CROUPIER, Signer.PLAYER)
        }
        a, b, c, d = (seed.commitment for pair in self.seeds.values() for seed in pair)
        keys = (KEYS[Signer.CROUPIER].address, KEYS[Signer.PLAYER].address)
        self.bet = Bet(*PARTIES, *keys, 0, 1, 5, 10**17, a, b, c, d, 2**40)
        self.public = public_of(DOMAIN, self.bet, KEYS[Signer.PLAYER].sign(DOMAIN, self.bet))
        self.vault = MemoryVault()
        self.name = new_name()
        self.told = told or [True, True]
        seeds = self.seeds[Signer.CROUPIER]
        self.dealer = CroupierDealer(
            self.name, self.vault, self.public, seeds, lambda seed_id: self.told[seed_id]
        )
        self.table = Table.open(BankPoker(1, 5), self.dealer, CHAIRS)

    def answer(self, value: Any) -> None:
        (ask,) = self.table.asks()
        self.table.submit(ask, value)

    def play(self) -> bytes:
        for seed, order in zip(self.seeds[Signer.PLAYER], (ORDER, None), strict=True):
            self.answer(seed.hex())
            if order:
                self.answer(list(order))
        return b"".join(self.table.transcript.lines)


def test_a_game_is_dealt_as_the_contract_deals_and_verifies() -> None:
    game = Dealt()
    record = game.play()
    mixed = [
        mix(game.bet.struct_hash(), i, *(game.seeds[role][i].signature for role in game.seeds))
        for i in (0, 1)
    ]
    assert game.table.state.dealt == deal(mixed[0])
    final = replace(deal(mixed[0]), ORDER, mixed[1])
    assert BankPoker(1, 5).final_hand(game.table.state) == final
    verdict = verify(record)
    assert verdict.ok, verdict.fault
    assert [str(claim) for claim in verdict.claims] == ["COMMITTED", "UNIFORM:1"], "not signed"
    prize = BankPoker(1, 5).prize(final)
    assert verdict.payoff == (5 - prize, prize - 5)


def changed(text: str, at: int) -> str:
    return text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :]


def chained(events: list[dict[str, Any]]) -> bytes:
    """The record that a forger would write: changed, and hashed afresh from line to line."""
    transcript = Transcript()
    for event in events:
        values = {name: value for name, value in event.items() if name not in ("kind", "prev")}
        transcript.append(event["kind"], **values)
    return b"".join(transcript.lines)


def test_every_changed_digit_of_a_seed_or_the_bet_is_caught() -> None:
    record = Dealt().play()
    events = [json.loads(line) for line in record.splitlines()]
    assert chained(events) == record
    tried = 0
    for number, event in enumerate(events):
        if event["kind"] == "start":
            forged = [
                event | {"public": event["public"] | {name: changed(value, 10)}}
                for name, value in event["public"].items()
                if isinstance(value, str) and len(value) > 20
            ]
        elif event["kind"] == "ticket":
            seed = event["ticket"]["seed"]
            forged = [event | {"ticket": {"seed": changed(seed, at)}} for at in range(0, 194, 5)]
        elif event["kind"] == "share":
            seed = event["value"]
            forged = [event | {"value": changed(seed, at)} for at in range(0, 194, 5)]
        else:
            continue
        for other in forged:
            verdict = verify(chained([*events[:number], other, *events[number + 1 :]]))
            assert not verdict.ok
            assert verdict.fault is not None
            assert verdict.fault.line == number + 1
            tried += 1
    assert tried == 10 + 4 * 39


def test_the_croupier_tells_nothing_before_it_is_final() -> None:
    game = Dealt(told=[False, False])
    assert game.table.waiting
    assert len(game.table.transcript.lines) == 1
    game.told[0] = True
    game.table.advance()
    game.answer(game.seeds[Signer.PLAYER][0].hex())
    game.answer(list(ORDER))
    assert game.table.waiting
    seed = game.seeds[Signer.CROUPIER][1].hex()
    assert seed.encode() not in b"".join(game.table.transcript.lines)
    game.told[1] = True
    game.table.advance()
    game.answer(game.seeds[Signer.PLAYER][1].hex())
    assert game.table.closed


def test_a_table_goes_on_after_a_crash() -> None:
    game = Dealt()
    game.answer(game.seeds[Signer.PLAYER][0].hex())
    record = b"".join(game.table.transcript.lines)
    dealer = CroupierDealer.again(game.name, game.vault, game.public)
    game.table = resume(record, dealer)
    game.answer(list(ORDER))
    game.answer(game.seeds[Signer.PLAYER][1].hex())
    assert verify(b"".join(game.table.transcript.lines)).ok


def test_a_seed_is_told_for_one_history_only() -> None:
    game = Dealt()
    game.answer(game.seeds[Signer.PLAYER][0].hex())
    record = b"".join(game.table.transcript.lines)
    game.answer(list(ORDER))
    again = resume(record, CroupierDealer.again(game.name, game.vault, game.public))
    (ask,) = again.asks()
    again.submit(ask, [1, 1, 1, 1, 1])
    assert again.void_reason is not None
    assert "another history" in again.void_reason


@pytest.mark.parametrize("which", ["other", "swapped", "croupiers", "text", "number", "twin"])
def test_a_player_cannot_lend_another_seed(which: str) -> None:
    game = Dealt()
    mine = game.seeds[Signer.PLAYER][0]
    value: Any = {
        "other": fresh_seeds(KEYS[Signer.PLAYER], DOMAIN, PARTIES, Signer.PLAYER, 0)[0].hex(),
        "swapped": game.seeds[Signer.PLAYER][1].hex(),
        "croupiers": game.seeds[Signer.CROUPIER][0].hex(),
        "text": "zz",
        "number": 7,
        "twin": mine._replace(nonce=bytes(32)).hex(),
    }[which]
    with pytest.raises(BadShare, match="your seed"):
        game.answer(value)
    game.answer(mine.hex())


def test_a_croupier_cannot_tell_another_seed() -> None:
    game = Dealt()
    other = Dealt()
    dealer = CroupierDealer(game.name, MemoryVault(), game.public, other.seeds[Signer.CROUPIER])
    with pytest.raises(Exception, match="the croupier's seed"):
        Table.open(BankPoker(1, 5), dealer, CHAIRS)


@pytest.mark.parametrize(
    "change",
    [
        {"bet": 2},
        {"chain": 1},
        {"bank": "0x" + "11" * 20},
        {"bank": "nonsense"},
        {"player": PARTIES[0]},
        {"player_commitment_0": "00"},
        {"player_commitment_0": "11" * 32, "player_commitment_1": "11" * 32},
        {"signature": "00" * 65},
        {"signature": 5},
        {"more": 1},
        {"expiry": "soon"},
    ],
)
def test_a_first_event_that_is_no_signed_bet_is_refused(change: dict[str, Any]) -> None:
    game = Dealt()
    assert read_public(game.public)[1] == game.bet
    with pytest.raises(BadParams):
        read_public(game.public | change)


def test_the_seats_must_fit() -> None:
    game = Dealt()
    for chairs in (
        (Chair("Croupier", "house"), Chair("Player")),
        (Chair("One", "self", "seed"), Chair("Two", "self", "seed")),
    ):
        with pytest.raises(BadParams):
            Table.open(BankPoker(1, 5), game.dealer, chairs)
        with pytest.raises(BadParams):
            old = HistoricDealer(game.name, MemoryVault())
            Table.open(BankPoker(1, 5), old, chairs)


def test_seeds_as_text() -> None:
    seed = Dealt().seeds[Signer.PLAYER][0]
    assert Seed.from_hex(seed.hex()) == seed
    for text in ("", "A" * 194, seed.hex() + "0", None):
        with pytest.raises(WrongSeed):
            Seed.from_hex(text)


# 2017


def historic(vault: MemoryVault | None = None) -> Table:
    name = new_name()
    dealer = HistoricDealer(name, vault or MemoryVault(), (62504461, 1600494777))
    return Table.open(BankPoker(1, 1), dealer, CHAIRS)


def test_the_real_game_of_2017_at_the_table() -> None:
    table = historic()
    for answer in (393532593, list(ORDER), 1301748256):
        (ask,) = table.asks()
        table.submit(ask, answer)
    assert hand_text(table.state.dealt) == "5♢ 7♢ 9♧ 10♧ 7♡"
    assert hand_text(BankPoker().final_hand(table.state)) == "3♡ 7♢ J♧ 7♤ 7♡"
    assert table.payoff == (-2, 2)  # level 1, bet 1, three of a kind: 3 chips for 1
    verdict = verify(b"".join(table.transcript.lines))
    assert verdict.ok, verdict.fault
    assert verdict.claims == ()  # it proves nothing, and says so
    assert any(remark.startswith("UNSAFE") for remark in verdict.remarks)


@pytest.mark.parametrize("value", [-1, 2**32, "7", None])
def test_a_seed_of_2017_has_32_bits(value: Any) -> None:
    table = historic()
    with pytest.raises(BadShare):
        table.submit(table.asks()[0], value)


def test_a_deck_serves_draws_without_replacement_only() -> None:
    name = new_name()
    dealer = HistoricDealer(name, MemoryVault(), (1, 2, 3, 4))
    game = Intransitive.from_params({"dice": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]})
    table = Table.open(game, dealer, CHAIRS)
    with pytest.raises(InputError):
        for _ in range(10):
            ask = table.asks()[0]
            table.submit(
                ask, 5 if ask.kind == "seed" else next(iter(game.moves(table.state, ask.seat)))
            )

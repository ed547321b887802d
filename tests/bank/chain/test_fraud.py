"""Every fraud that the document lists, that the issue lists, and that we thought of: attempted.

Each is tried against the contract on two EVMs, and refused or punished, with no honest
party worse off. D1 to D8: the document's own list. I1 to I12: what is wrong in the document.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from fairground.bank import seeds
from fairground.bank.bank_port import (
    GameOutcome,
    Step,
    SubmitBet,
    SubmitPlayerSeedAndOrder,
    SubmitPublicKey,
    SubmitReplacementOrder,
)
from fairground.bank.chain import abi
from fairground.bank.messages import (
    Bet,
    Domain,
    Key,
    PublicKey,
    ReplacementOrder,
    SeedMessage,
    Signer,
)
from fairground.bank.seeds import Seed, make_seed
from fairground.bank.signatures import HALF_ORDER, ORDER, Signature, keccak
from fairground.games.poker.rules import PAYS, Poker, Rank
from tests.helpers.evm import (
    BANKROLL,
    CHIP,
    PURSE,
    STEP_TIME,
    Bank,
    DisputeHall,
    Evm,
    Hall,
    Party,
    Play,
    Receipt,
    hall,
    nonce,
    refused,
)
from tests.helpers.royal_flush import royal_flush
from tests.helpers.signing import sign_with
from tests.helpers.width import WIDE

Call = Callable[[], Receipt]
ORDER_ = (1, 0, 1, 1, 0)
KEEP = (0, 0, 0, 0, 0)


@pytest.fixture
def h(request: pytest.FixtureRequest, evm: Evm) -> Hall:
    found = hall(evm=evm)
    return DisputeHall(*found) if getattr(request, "param", "") == DISPUTE else found


DISPUTE = "in a session"
WHERE = ["at the Bank", DISPUTE]
IN_BOTH = pytest.mark.parametrize("h", WHERE, indirect=True)
"""For frauds in the middle of a game: they are tried in a disputed hand of a session, too,"""
IN_BOTH_IF_WIDE = pytest.mark.parametrize("h", WHERE if WIDE else WHERE[:1], indirect=True)
"""or only in a campaign."""


def outcome(play: Play) -> GameOutcome:
    return GameOutcome(play.bank.game(play.bet).outcome)


def other_signature(play: Play, role: Signer, seed_id: int, k: int = 12345) -> Seed:
    """Another valid signature of the same message, by the same key: a chosen k."""
    party = play.croupier if role is Signer.CROUPIER else play.player
    seed = play.seeds[role, seed_id]
    parties = (play.croupier.address, play.player.address)
    message = SeedMessage(*parties, role, play.game_id, seed_id, seed.nonce)
    signature = sign_with(party.key._secret, play.bank.domain.digest(message), k)
    return Seed(seed.nonce, signature)


# The document's list


@IN_BOTH
@pytest.mark.parametrize(
    ("steps", "about"),
    [(2, "FirstPlayerSeed"), (3, "ReplacementOrder"), (5, "SecondPlayerSeed")],
)
def test_d1_a_player_who_walks_away_loses_the_stake(h: Hall, steps: int, about: str) -> None:
    play = h.play()
    play.run_to(steps)
    h.bank.evm.travel(STEP_TIME + 1)
    play.complain(about, by=h.croupier)
    assert h.wealth() == (BANKROLL + play.bet.stake, PURSE - play.bet.stake)


@IN_BOTH
def test_d2_a_croupier_who_keeps_back_the_last_seed_keeps_back_nothing(h: Hall) -> None:
    play = h.play()
    play.run_to(5)
    play.player_seed(1, by=h.player)
    play.result(by=h.player)
    assert outcome(play) == GameOutcome.SETTLED


@IN_BOTH_IF_WIDE
@pytest.mark.parametrize(
    ("order", "stakes"),
    [((0, 1, 1, 0, 0), 5), (ORDER_, 2), ((1, 0, 1, 1, 1), 1), ((1, 1, 1, 1, 1), 1)],
)
def test_d3_a_croupier_who_keeps_back_seed_1_pays_for_it(
    h: Hall, order: tuple[int, ...], stakes: int
) -> None:
    play = h.play()
    play.run_to(4, order=order)
    h.bank.evm.travel(STEP_TIME + 1)
    play.complain("SecondCroupierSeed", by=h.player)
    assert h.bank.available(h.player) == PURSE + (stakes - 1) * play.bet.stake


@IN_BOTH
def test_d4_a_croupier_who_brings_nothing_after_seed_0(h: Hall) -> None:
    play = h.play()
    play.run_to(2)
    play.player_seed(0, by=h.player)
    play.order(ORDER_, by=h.player)
    h.bank.evm.travel(STEP_TIME + 1)
    play.complain("SecondCroupierSeed", by=h.player)
    assert h.bank.available(h.player) == PURSE + play.bet.stake


@IN_BOTH
def test_d5_a_croupier_who_never_shows_seed_0_pays_a_stake(h: Hall) -> None:
    play = h.play()
    play.submit_bet()
    h.bank.evm.travel(STEP_TIME + 1)
    play.complain("FirstCroupierSeed", by=h.player)
    assert h.wealth() == (BANKROLL - play.bet.stake, PURSE + play.bet.stake)


@pytest.mark.parametrize("change", [{"bet": 2}, {"level": 4}, {"expiry": 2**40}])
def test_d6_a_croupier_cannot_change_a_bet(h: Hall, change: dict[str, Any]) -> None:
    play = h.play()
    forged = play.bet._replace(**change)
    with refused("BadSignature"):
        h.bank.make(h.croupier, SubmitBet(forged, play.signature))
    assert h.wealth() == (BANKROLL, PURSE)


@IN_BOTH
def test_d6_a_croupier_cannot_change_an_order(h: Hall) -> None:
    play = h.play()
    play.run_to(3)
    with refused("BadSignature"):
        play.order((1, 1, 1, 1, 1), signature=play.sign_order(ORDER_))
    message = ReplacementOrder.of(play.bet, (1, 1, 1, 1, 1))
    with refused("BadSignature"):
        play.order((1, 1, 1, 1, 1), signature=h.croupier.key.sign(h.bank.domain, message))
    with refused("BadOrder"):
        h.bank.make(h.croupier, SubmitReplacementOrder(play.bet, (2, 0, 0, 0, 0), play.signature))
    play.order(ORDER_)


def test_d7_only_the_croupier_may_repeat_and_only_the_same(h: Hall) -> None:
    play = h.play()
    play.submit_bet()
    assert play.submit_bet().events == []
    with refused("NotTheCroupier"):
        play.submit_bet(by=h.player)
    play.croupier_seed(0)
    play.player_seed(0)
    play.order(ORDER_)
    before = (h.bank.game(play.bet), h.wealth())
    repeats: list[Call] = [
        play.submit_bet,
        lambda: play.croupier_seed(0),
        lambda: play.player_seed(0),
        lambda: play.order(ORDER_),
    ]
    for repeat in repeats:
        assert repeat().events == []
    assert (h.bank.game(play.bet), h.wealth()) == before
    others: list[Call] = [
        lambda: play.croupier_seed(0, by=h.player),
        lambda: play.player_seed(0, by=h.player),
        lambda: play.order(ORDER_, by=h.player),
        lambda: play.order(KEEP),
        lambda: play.order(KEEP, by=h.player),
    ]
    for again in others:
        with refused("AlreadySubmitted"):
            again()
    play.croupier_seed(1)
    play.player_seed(1)
    play.result()
    assert play.result().events == []
    with refused("GameOver"):
        play.result(by=h.player)
    rich = h.wealth()
    assert play.croupier_seed(1).events == play.player_seed(1).events == []
    assert h.wealth() == rich


@IN_BOTH
@pytest.mark.parametrize("seed_id", [0, 1])
def test_d8_a_wrong_seed_is_refused(h: Hall, seed_id: int) -> None:
    play = h.play()
    play.run_to(1 + 3 * seed_id)
    wrong = play.seed(Signer.CROUPIER, seed_id, "another")
    with refused("WrongSeed"):
        play.croupier_seed(seed_id, seed=wrong)
    with refused("WrongSeed"):
        play.croupier_seed(seed_id, seed=play.seeds[Signer.CROUPIER, 1 - seed_id])
    with refused("BadSeedId"):
        play.croupier_seed(2, seed=play.seeds[Signer.CROUPIER, 0])
    play.croupier_seed(seed_id)
    with refused("WrongSeed"):
        play.player_seed(seed_id, seed=play.seed(Signer.PLAYER, seed_id, "another"))
    with refused("WrongSeed"):
        play.player_seed(seed_id, croupiers=wrong)
    with refused("BadSeedId"):
        mine, his = play.seeds[Signer.PLAYER, 1], play.seeds[Signer.CROUPIER, 1]
        play.player_seed(2, seed=mine, croupiers=his)
    play.player_seed(seed_id)


# What is wrong in the document


@IN_BOTH_IF_WIDE
@pytest.mark.parametrize("role", Signer)
@pytest.mark.parametrize("seed_id", [0, 1])
def test_i1_another_signature_of_the_same_message_is_no_seed(
    h: Hall, role: Signer, seed_id: int
) -> None:
    play = h.play()
    ground = other_signature(play, role, seed_id)
    play.run_to(1 + 3 * seed_id)
    if role is Signer.CROUPIER:
        with refused("WrongSeed"):
            play.croupier_seed(seed_id, seed=ground)
    else:
        play.croupier_seed(seed_id)
        with refused("WrongSeed"):
            play.player_seed(seed_id, by=h.player, seed=ground)


def test_i2_a_seed_made_for_one_player_serves_no_other(h: Hall) -> None:
    """A second account learns nothing: its game has another message, hence another seed."""
    mine = h.play(label="same")
    theirs = Play(h.bank, h.croupier, h.stranger, label="same")
    assert mine.game_id == theirs.game_id == 0
    assert mine.seeds[Signer.CROUPIER, 0] != theirs.seeds[Signer.CROUPIER, 0]
    stolen = mine.seeds[Signer.CROUPIER, 0]
    forged = Play(h.bank, h.croupier, h.stranger, croupier_commitment_0=stolen.commitment)
    mine.run_to(2)
    forged.submit_bet()
    with refused("BadSignature"):
        forged.croupier_seed(0, seed=stolen)
    h.bank.evm.travel(STEP_TIME + 1)
    forged.complain("FirstCroupierSeed")
    assert h.bank.available(h.stranger) == PURSE + forged.bet.stake


def test_i3_no_key_without_proof_and_none_that_is_anothers(h: Hall) -> None:
    thief = Party(h.bank.evm.accounts[4], h.croupier.key)
    croupiers = h.croupier.key.prove(h.bank.domain, h.croupier.address)
    with refused("KeyTaken"):
        h.bank.make(thief, SubmitPublicKey(h.croupier.key.address, croupiers))
    with refused("KeyTaken"):  # even with the key itself in hand
        h.bank.register(thief)
    unused = Key(77)
    with refused("BadSignature"):
        proof = Key(78).sign(h.bank.domain, PublicKey(thief.address, unused.address))
        h.bank.make(thief, SubmitPublicKey(unused.address, proof))
    with refused("BadSignature"):  # a proof seen in the pool of transactions, copied
        seen = unused.prove(h.bank.domain, h.player.address)
        h.bank.make(thief, SubmitPublicKey(unused.address, seen))
    for nobodys in (Signature(27, 1, 1), Signature(0, 0, 0)):  # the second recovers to zero
        with refused("BadSignature"):
            h.bank.make(thief, SubmitPublicKey("0x" + "00" * 20, nobodys))


def test_i3_keys_change_while_a_game_goes_on_under_the_old_ones(h: Hall) -> None:
    play = h.play()
    play.submit_bet()
    h.bank.register(Party(h.croupier.address, Key(98)))
    h.bank.register(Party(h.player.address, Key(99)))
    late = h.play(label="late", game_id=1)
    with refused("WrongKey"):  # a bet under keys that were given up
        late.submit_bet()
    play.croupier_seed(0)
    play.player_seed_and_order(ORDER_, by=h.player)
    play.croupier_seed(1)
    play.player_seed_and_result(by=h.player)
    assert outcome(play) == GameOutcome.SETTLED
    h.bank.register(h.croupier)
    with refused("KeyTaken"):  # a key given up is still nobody else's
        h.bank.register(Party(h.stranger.address, h.player.key))
    with refused("WrongKey"):
        h.play(game_id=1).submit_bet()
    h.bank.register(h.player)
    h.play(game_id=1).submit_bet()


@IN_BOTH_IF_WIDE
def test_i3_the_croupiers_seed_cannot_be_sent_back_at_him(h: Hall) -> None:
    """With XOR, an equal seed cancelled the croupier's out."""
    with refused("EqualCommitments"):
        play = h.play()
        h.play(player_commitment_0=play.bet.croupier_commitment_0).submit_bet()
    honest = h.play()
    play = h.play()
    play.run_to(2)
    with refused("WrongSeed"):
        play.player_seed(0, by=h.player, seed=honest.seeds[Signer.CROUPIER, 0])
    one = play.seeds[Signer.CROUPIER, 0].signature
    assert seeds.mix(play.bet.struct_hash(), 0, one, one) != 0


@IN_BOTH_IF_WIDE
@pytest.mark.parametrize(("first", "second"), [*combinations(range(4), 2)])
def test_i3_equal_commitments_are_refused(h: Hall, first: int, second: int) -> None:
    names = [f"{role}_commitment_{i}" for role in ("croupier", "player") for i in (0, 1)]
    same = keccak(b"the same")
    with refused("EqualCommitments"):
        h.play(**{names[first]: same, names[second]: same}).submit_bet()


@IN_BOTH_IF_WIDE
def test_i4_a_complaint_does_not_let_the_player_choose_the_draw(h: Hall) -> None:
    """Whatever seed 1 the player committed to, silence pays the same: two stakes here."""
    paid = set()
    for number in range(3):
        play = h.play(game_id=number, label=number)
        before = h.bank.available(h.player)
        play.run_to(4)
        with refused("WrongStep"):
            play.player_seed(1, by=h.player)
        h.bank.evm.travel(STEP_TIME + 1)
        play.complain("SecondCroupierSeed")
        paid.add(h.bank.available(h.player) - before)
    assert paid == {5 * CHIP}


def test_i5_stakes_and_top_prize_are_locked() -> None:
    top = PAYS[5][Rank.ROYAL_FLUSH] * CHIP
    h = hall(bankroll=top, purse=5 * CHIP)
    play = h.play()
    play.submit_bet()
    assert h.wealth() == (0, 0)
    for party in (h.croupier, h.player):
        with refused("InsufficientFunds"):
            h.bank.withdraw(party, 1)
    play.croupier_seed(0)
    assert h.wealth() == (5 * CHIP, 0)  # the stake is his; the lock stays
    with refused("InsufficientFunds"):
        h.bank.withdraw(h.croupier, 5 * CHIP + 1)
    h.bank.withdraw(h.croupier, 5 * CHIP)
    play.player_seed(0)
    play.order(ORDER_)
    play.croupier_seed(1)
    play.player_seed(1)
    play.result()  # cannot fail for want of money, whatever the hand


@pytest.mark.parametrize(("bankroll", "purse"), [(-1, 0), (0, -1)])
def test_i5_a_bet_that_cannot_be_covered_is_refused(bankroll: int, purse: int) -> None:
    top = PAYS[5][Rank.ROYAL_FLUSH] * CHIP
    h = hall(top + bankroll, 5 * CHIP + purse)
    with refused("InsufficientFunds"):
        h.play().submit_bet()
    assert h.wealth() == (top + bankroll, 5 * CHIP + purse)


def test_i5_a_royal_flush_is_paid_out_of_the_lock() -> None:
    """A croupier with just one top prize pays it in full: 4000 chips, 800 stakes.

    The game was found by `tests/helpers/royal_flush.py`, which knows the secrets of both parties.
    """
    top = PAYS[5][Rank.ROYAL_FLUSH] * CHIP
    h = hall(bankroll=top, purse=5 * CHIP)
    play, order = royal_flush(h)
    play.run_to(7, order=order)
    assert h.bank.game(play.bet).outcome == GameOutcome.SETTLED
    assert h.wealth() == (5 * CHIP, top)
    h.bank.withdraw(h.player, top)


def test_i6_a_bet_expires(h: Hall) -> None:
    play = h.play(expiry=h.bank.evm.now + 10)
    h.bank.evm.travel_to(play.bet.expiry + 1)
    with refused("BetExpired"):
        play.submit_bet()
    again = h.play(expiry=h.bank.evm.now + 10)
    h.bank.evm.travel_to(again.bet.expiry)
    again.submit_bet()


def test_i7_nothing_signed_for_another_bank_counts(h: Hall) -> None:
    elsewhere = Bank(h.bank.evm)
    play = h.play()
    with refused("BadSignature"):
        play.submit_bet(signature=h.player.key.sign(elsewhere.domain, play.bet))
    play.run_to(3)
    order = ReplacementOrder.of(play.bet, ORDER_)
    with refused("BadSignature"):
        play.order(ORDER_, signature=h.player.key.sign(elsewhere.domain, order))
    with refused("BadSignature"):
        proof = Key(5).prove(elsewhere.domain, h.stranger.address)
        h.bank.make(h.stranger, SubmitPublicKey(Key(5).address, proof))


def test_i7_nothing_signed_for_another_chain_counts(h: Hall) -> None:
    elsewhere = Domain(1, h.bank.address)
    play = h.play()
    with refused("BadSignature"):
        play.submit_bet(signature=h.player.key.sign(elsewhere, play.bet))
    parties = (h.croupier.address, h.player.address)
    message = SeedMessage(*parties, Signer.CROUPIER, 0, 0, nonce("other chain"))
    seed = make_seed(h.croupier.key, elsewhere, message)
    play = h.play(croupier_commitment_0=seed.commitment)
    play.submit_bet()
    with refused("BadSignature"):
        play.croupier_seed(0, seed=seed)


def test_i7_the_chain_id_is_read_live(h: Hall) -> None:
    """After a fork with another number, signatures of the old chain are void on the new one."""
    play = h.play()
    evm = h.bank.evm
    ask = (h.croupier.address, h.bank.address, abi.encoded(SubmitBet(play.bet, play.signature)))
    evm.call(*ask)
    other = evm.chain_id + 1
    with evm.forked(other):
        with refused("BadSignature"):
            evm.call(*ask)
        forked = h.player.key.sign(Domain(other, h.bank.address), play.bet)
        evm.call(ask[0], ask[1], abi.encoded(SubmitBet(play.bet, forked)))


def test_i7_roles_cannot_be_swapped(h: Hall) -> None:
    """The document's salt was symmetric: A as croupier of B, or B as croupier of A."""
    swapped = Play(h.bank, h.player, h.croupier)
    play = h.play()
    with refused("BadSignature"):
        h.bank.make(h.player, SubmitBet(swapped.bet, play.signature))
    with refused("SameParty"):
        Play(h.bank, h.croupier, h.croupier).submit_bet()


@IN_BOTH_IF_WIDE
def test_i7_a_seed_of_one_role_is_none_of_the_other(h: Hall) -> None:
    parties = (h.croupier.address, h.player.address)
    message = SeedMessage(*parties, Signer.CROUPIER, 0, 0, nonce("role"))
    seed = make_seed(h.player.key, h.bank.domain, message)
    play = h.play(player_commitment_0=seed.commitment)
    play.run_to(2)
    with refused("BadSignature"):
        play.player_seed(0, by=h.player, seed=seed)


def test_i7_a_seed_of_one_number_or_game_is_none_of_another(h: Hall) -> None:
    parties = (h.croupier.address, h.player.address)
    for number, (game_id, seed_id) in enumerate([(0, 1), (1, 0), (7, 0)]):
        message = SeedMessage(*parties, Signer.CROUPIER, game_id, seed_id, nonce("number"))
        seed = make_seed(h.croupier.key, h.bank.domain, message)
        play = h.play(game_id=number, croupier_commitment_0=seed.commitment)
        play.submit_bet()
        expected = (game_id, seed_id) == (number, 0)
        if expected:
            play.croupier_seed(0, seed=seed)
        else:
            with refused("BadSignature"):
                play.croupier_seed(0, seed=seed)


@IN_BOTH_IF_WIDE
@pytest.mark.parametrize("factor", [0, 2])
def test_i7_the_chip_cost_is_signed_and_must_be_the_banks(h: Hall, factor: int) -> None:
    with refused("WrongChipCost"):
        h.play(chip_cost=factor * CHIP).submit_bet()


def test_i8_all_bits_of_a_seed_count(h: Hall) -> None:
    play = h.play()
    ours, theirs = play.seeds[Signer.CROUPIER, 0].signature, play.seeds[Signer.PLAYER, 0].signature
    games = set()
    for bit in range(256):
        changed = theirs._replace(r=theirs.r ^ (1 << bit))
        games.add(seeds.mix(play.bet.struct_hash(), 0, ours, changed))
        games.add(seeds.mix(play.bet.struct_hash(), 0, ours._replace(s=ours.s ^ 1 << bit), theirs))
    assert len(games) == 512


def test_i9_of_several_signed_bets_only_the_first_counts(h: Hall) -> None:
    one, two = h.play(bet=1), h.play(bet=10, label="two")
    one.submit_bet()
    with refused("AlreadySubmitted"):
        two.submit_bet()
    with refused("UnknownBet"):
        two.croupier_seed(0)
    assert h.bank.available(h.player) == PURSE - one.bet.stake


@IN_BOTH_IF_WIDE
def test_i9_of_several_signed_orders_only_the_first_counts(h: Hall) -> None:
    play = h.play()
    play.run_to(4)
    for order in (KEEP, (1, 1, 1, 1, 1)):
        with refused("AlreadySubmitted"):
            play.order(order)
        with refused("AlreadySubmitted"):
            play.order(order, by=h.player)
    assert h.bank.game(play.bet).order == seeds.packed_order(ORDER_)


@IN_BOTH_IF_WIDE
def test_i9_an_order_counts_for_one_bet_only(h: Hall) -> None:
    """After a reorganisation another bet may stand under the same number."""
    first = h.play(label="first")
    old = first.sign_order(ORDER_)
    second = h.play(label="second")
    second.run_to(3)
    with refused("BadSignature"):
        second.order(ORDER_, signature=old)


def test_i10_generate_int_is_sound_over_the_full_range(h: Hall) -> None:
    full = 2**32 - 1
    for seed in (0, 1, 2**256 - 1, 123456789):
        for low, high in ((0, full), (0, 0), (full, full), (1, full), (0, 2**31), (7, 12)):
            assert h.bank.ask("generateInt", seed, low, high) == seeds.generate_int(seed, low, high)
    with refused("BadRange"):
        h.bank.ask("generateInt", 1, 2, 1)


def test_i10_generate_int_passes_over_what_would_be_biased(h: Hall) -> None:
    """With 2^31 + 1 values nearly every second hash is rejected; % alone would favour some."""
    high, twice = 2**31, 0
    for seed in range(40):
        following, value = seeds.generate_int(seed, 0, high)
        assert h.bank.ask("generateInt", seed, 0, high) == (following, value)
        assert value == following & 0xFFFFFFFF
        first = int.from_bytes(keccak(seeds.GENERATE_TAG + seed.to_bytes(32, "big")), "big")
        twice += following != first
    assert 10 < twice < 30


def test_i10_streams_of_neighbouring_seeds_do_not_overlap() -> None:
    def stream(seed: int) -> list[int]:
        numbers = []
        for _ in range(60):
            seed, _value = seeds.generate_int(seed, 0, 51)
            numbers.append(seed)
        return numbers

    assert not set(stream(1000)) & set(stream(1001))


def test_i11_money_can_be_withdrawn_by_its_owner_only(h: Hall) -> None:
    h.bank.withdraw(h.player, PURSE)
    with refused("InsufficientFunds"):
        h.bank.withdraw(h.player, 1)
    with refused("InsufficientFunds"):
        h.bank.withdraw(h.stranger, PURSE + 1)
    with refused("InsufficientFunds"):
        h.bank.withdraw(h.stranger, 2**256 - 1)
    assert h.bank.evm.balance(h.bank.address) == BANKROLL + PURSE


@IN_BOTH_IF_WIDE
def test_i12_nothing_counts_before_its_turn(h: Hall) -> None:
    """A seed is worth telling only once what it answers is final; the Bank enforces the order."""
    play = h.play()
    with refused("UnknownBet"):
        play.croupier_seed(0)
    steps: list[Call] = [
        play.submit_bet,
        lambda: play.croupier_seed(0),
        lambda: play.player_seed(0),
        lambda: play.order(ORDER_),
        lambda: play.croupier_seed(1),
        lambda: play.player_seed(1),
        play.result,
    ]
    for number, step in enumerate(steps):
        if number:
            for early in steps[number + 1 :]:
                with refused("WrongStep"):
                    early()
        step()


# More that we thought of


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"bet": 0}, "BadBet"),
        ({"bet": 11}, "BadBet"),
        ({"level": 0}, "BadBet"),
        ({"level": 6}, "BadBet"),
        ({"game_id": 1}, "WrongGameId"),
        ({"croupier_key": "0x" + "00" * 20}, "WrongKey"),
        ({"player_key": "0x" + "00" * 20}, "WrongKey"),
    ],
)
def test_bad_terms_are_refused_though_signed(h: Hall, change: dict[str, Any], reason: str) -> None:
    with refused(reason):
        h.play(**change).submit_bet()


def test_an_unregistered_croupier_or_player_cannot_play(h: Hall) -> None:
    nobody = h.bank.party(5, BANKROLL, register=False)
    zero = "0x" + "00" * 20
    for play in (
        Play(h.bank, nobody, h.player),
        Play(h.bank, nobody, h.player, croupier_key=zero),
        Play(h.bank, h.croupier, nobody),
    ):
        with refused("WrongKey"):
            play.submit_bet()
    for signature in (None, Signature(0, 0, 0)):
        with refused("BadSignature"):
            Play(h.bank, h.croupier, nobody, player_key=zero).submit_bet(signature=signature)


def test_a_bet_cannot_be_played_twice(h: Hall) -> None:
    play = h.play()
    play.run_to(7)
    wealth = h.wealth()
    assert play.submit_bet().events == []
    assert h.wealth() == wealth
    with refused("WrongGameId"):
        h.play(game_id=2).submit_bet()


def malleable(signature: Signature) -> Signature:
    """The twin that ecrecover takes as well: the same signer, other bytes."""
    return Signature(55 - signature.v, signature.r, ORDER - signature.s)


@IN_BOTH_IF_WIDE
def test_the_malleable_twin_is_refused_everywhere(h: Hall) -> None:
    play = h.play()
    assert malleable(play.signature).s > HALF_ORDER
    with refused("BadSignature"):
        play.submit_bet(signature=malleable(play.signature))
    honest = play.seeds[Signer.CROUPIER, 0]
    twin = Seed(honest.nonce, malleable(honest.signature))
    twisted = h.play(croupier_commitment_0=twin.commitment)
    twisted.submit_bet()
    with refused("BadSignature"):  # even when the twin is what was committed to
        twisted.croupier_seed(0, seed=twin)
    with refused("WrongSeed"):
        twisted.croupier_seed(0)


@IN_BOTH_IF_WIDE
@pytest.mark.parametrize(
    "broken",
    [
        Signature(0, 1, 1),
        Signature(26, 1, 1),
        Signature(29, 1, 1),
        Signature(27, 0, 1),
        Signature(27, 1, 0),
        Signature(27, ORDER, 1),
        Signature(27, 5, 1),
    ],
)
def test_a_signature_of_nobody_is_refused(h: Hall, broken: Signature) -> None:
    with refused("BadSignature"):
        h.play().submit_bet(signature=broken)


def test_strangers_bring_what_is_signed_and_nothing_else(h: Hall) -> None:
    """A stranger can carry a whole game home for two parties that are away, and gains nothing."""
    play = h.play()
    with refused("NotTheCroupier"):  # it is his money that a bet locks
        play.submit_bet(by=h.stranger)
    play.submit_bet()
    with refused("WrongSeed"):
        play.croupier_seed(0, by=h.stranger, seed=play.seed(Signer.CROUPIER, 0, "made up"))
    with refused("TooEarly"):
        play.complain("FirstCroupierSeed", by=h.stranger)
    play.croupier_seed(0, by=h.stranger)
    play.player_seed(0, by=h.stranger)
    with refused("BadSignature"):
        forged = h.stranger.key.sign(h.bank.domain, ReplacementOrder.of(play.bet, ORDER_))
        play.order(ORDER_, by=h.stranger, signature=forged)
    play.order(ORDER_, by=h.stranger)
    with refused("AlreadySubmitted"):
        play.order(ORDER_, by=h.stranger)
    play.croupier_seed(1, by=h.stranger)
    play.player_seed_and_result(by=h.stranger)
    assert outcome(play) == GameOutcome.SETTLED
    assert h.bank.available(h.stranger) == PURSE


def test_a_stranger_who_brings_half_of_a_merged_call_first_stops_nothing(h: Hall) -> None:
    play = h.play()
    play.run_to(2)
    play.player_seed(0, by=h.stranger)
    play.player_seed_and_order(ORDER_, by=h.player)
    play.croupier_seed(1)
    play.player_seed(1, by=h.stranger)
    play.player_seed_and_result(by=h.player)
    assert outcome(play) == GameOutcome.SETTLED
    with refused("GameOver"):
        play.player_seed_and_result(by=h.player)


def test_a_merged_call_does_both_or_nothing(h: Hall) -> None:
    play = h.play()
    play.run_to(2)
    wrong = play.sign_order((0, 0, 0, 0, 1))
    his = play.seeds[Signer.CROUPIER, 0].signature
    bad = SubmitPlayerSeedAndOrder(play.bet, play.seeds[Signer.PLAYER, 0], his, ORDER_, wrong)
    with refused("BadSignature"):
        h.bank.make(h.player, bad)
    assert h.bank.game(play.bet).step == Step.CROUPIER_SEED_0_SUBMITTED
    with refused("WrongStep"):
        play.player_seed_and_result(by=h.player)


def test_a_player_cannot_lock_the_croupiers_money_with_commitments_of_his_own(h: Hall) -> None:
    """Only the croupier brings a bet: nobody else can tie up his bankroll."""
    made_up = h.play(croupier_commitment_0=nonce("a"), croupier_commitment_1=nonce("b"))
    with refused("NotTheCroupier"):
        made_up.submit_bet(by=h.player)
    assert h.wealth() == (BANKROLL, PURSE)


@IN_BOTH_IF_WIDE
def test_a_commitment_that_cannot_be_opened_harms_only_its_maker(h: Hall) -> None:
    play = h.play(croupier_commitment_1=nonce("unknown"))
    play.run_to(4)
    h.bank.evm.travel(STEP_TIME + 1)
    play.complain("SecondCroupierSeed")
    assert h.bank.available(h.player) == PURSE + play.bet.stake
    rich = h.bank.available(h.croupier)
    mine = h.play(game_id=1, player_commitment_0=nonce("unknown too"))
    mine.run_to(2)
    h.bank.evm.travel(STEP_TIME + 1)
    mine.complain("FirstPlayerSeed", by=h.croupier)
    assert h.bank.available(h.croupier) == rich + mine.bet.stake


def test_a_player_who_withdraws_before_the_bet_arrives_harms_nobody(h: Hall) -> None:
    play = h.play()
    h.bank.withdraw(h.player, PURSE)
    with refused("InsufficientFunds"):
        play.submit_bet()
    assert h.wealth() == (BANKROLL, 0)


@IN_BOTH_IF_WIDE
def test_front_running_the_same_message_changes_nothing(h: Hall) -> None:
    """The player's copy lands first: the croupier's is a repetition, and the game goes on."""
    play = h.play()
    play.submit_bet()
    play.croupier_seed(0, by=h.player)
    assert play.croupier_seed(0).events == []
    play.player_seed(0)
    with refused("AlreadySubmitted"):
        play.player_seed(0, by=h.player)
    assert h.bank.game(play.bet).step == Step.HAND_DEALT


def reentering(bank: str, amount: int) -> bytes:
    """A contract that calls the Bank with what it is sent, and again when it is paid.

    Init code in front, then: with data, forward it; without (paid), withdraw once more.
    """
    push_bank = b"\x73" + bytes.fromhex(bank.removeprefix("0x"))
    forward = (
        b"\x36\x5f\x5f\x37"  # calldatacopy(0, 0, calldatasize)
        + b"\x5f\x5f\x36\x5f\x34"  # out 0 0, in 0 calldatasize, value callvalue
        + push_bank
        + b"\x5a\xf1"  # call
        + b"\x60\xff\x57"  # patched below: jump to `stop` if it succeeded
        + b"\x5f\x5f\xfd"  # revert
        + b"\x5b\x00"  # stop
    )
    call = abi.call_data("withdrawFunds", amount)
    again = (
        b"\x5b"
        + b"\x63"
        + call[:4]
        + b"\x60\xe0\x1b\x5f\x52"  # mstore(0, selector)
        + b"\x7f"
        + call[4:]
        + b"\x60\x04\x52"  # mstore(4, amount)
        + b"\x5f\x5f\x60\x24\x5f\x5f"
        + push_bank
        + b"\x5a\xf1"  # call(bank, withdraw)
        + b"\x5f\x55\x00"  # sstore(0, success), stop
    )
    head = b"\x36\x15\x60" + bytes([5 + len(forward)]) + b"\x57"  # no data: jump to `again`
    stop = len(head) + len(forward) - 2
    code = head + forward.replace(b"\x60\xff\x57", b"\x60" + bytes([stop]) + b"\x57") + again
    size = len(code).to_bytes(2, "big")
    return b"\x61" + size + b"\x80\x60\x0b\x5f\x39\x5f\xf3" + b"\x00" + code


@IN_BOTH_IF_WIDE
def test_reentering_a_withdrawal_gains_nothing(h: Hall) -> None:
    evm = h.bank.evm
    thief, _ = evm.deploy(reentering(h.bank.address, CHIP), sender=6)
    sender = evm.accounts[6]
    evm.send(sender, thief, abi.call_data("depositFunds"), 3 * CHIP)
    assert h.bank.available(thief) == 3 * CHIP
    # Paid one chip, it asks for another while it is being paid, and that asks for a third:
    evm.send(sender, thief, abi.call_data("withdrawFunds", CHIP))
    assert (h.bank.available(thief), evm.balance(thief)) == (0, 3 * CHIP)
    assert evm.balance(h.bank.address) == BANKROLL + 2 * PURSE


def test_a_receiver_that_refuses_keeps_its_money_in_the_bank(h: Hall) -> None:
    evm = h.bank.evm
    code = reentering(h.bank.address, CHIP).replace(b"\x5f\x55\x00", b"\x5f\x5f\xfd")
    stubborn, _ = evm.deploy(code, sender=6)
    evm.send(evm.accounts[6], stubborn, abi.call_data("depositFunds"), CHIP)
    with refused("0x"):
        evm.send(evm.accounts[6], stubborn, abi.call_data("withdrawFunds", CHIP))
    assert h.bank.available(stubborn) == CHIP
    with refused("WithdrawalFailed"):
        evm.call(stubborn, h.bank.address, abi.call_data("withdrawFunds", CHIP))


@pytest.mark.filterwarnings("ignore:SELFDESTRUCT")
def test_ether_sent_without_a_call_is_refused_and_forced_ether_harms_nobody(h: Hall) -> None:
    evm = h.bank.evm
    with refused("0x"):
        evm.send(h.player.address, h.bank.address, b"", 1)
    bomb = b"\x73" + bytes.fromhex(h.bank.address[2:]) + b"\xff"  # selfdestruct to the Bank
    evm.deploy(bomb, sender=6, value=7 * CHIP)
    assert evm.balance(h.bank.address) == BANKROLL + 2 * PURSE + 7 * CHIP
    h.play().run_to(7)
    croupier, player = h.wealth()
    assert croupier + player == BANKROLL + PURSE


@pytest.mark.parametrize(
    "terms", [(0, STEP_TIME), (2**60 + 1, STEP_TIME), (CHIP, 59), (CHIP, 30 * 86400 + 1)]
)
def test_a_bank_with_absurd_terms_cannot_be_made(terms: tuple[int, int]) -> None:
    with refused("BadTerms"):
        Evm().deploy(abi.deployment(*terms))


def test_the_dearest_chip_overflows_nothing() -> None:
    bank = Bank(Evm(), chip=2**60, step_time=60)
    croupier, player = bank.party(1), bank.party(2)
    with refused("InsufficientFunds"):
        Play(bank, croupier, player, bet=10, level=5).submit_bet()
    bank.deposit(croupier, 40_000 * 2**60)
    bank.deposit(player, 50 * 2**60)
    Play(bank, croupier, player, bet=10, level=5).run_merged()
    for party in (croupier, player):
        bank.withdraw(party, bank.available(party))
    assert bank.evm.balance(bank.address) == 0


def test_deposits_fill_an_account_to_one_half_so_that_a_prize_has_room() -> None:
    bank = Bank(Evm())
    party = bank.party(1)
    bank.deposit(party, 2**79)
    with refused("AccountFull"):
        bank.deposit(party, 1)
    bank.withdraw(party, 1)
    bank.deposit(party, 1)


def test_stray_bits_in_a_field_are_refused(h: Hall) -> None:
    """The contract hashes the bytes of the bet as they came; a dirty address is no address."""
    play = h.play()
    data = bytearray(abi.encoded(SubmitBet(play.bet, play.signature)))
    for field in range(7):
        if field == 4:
            continue  # the game number has all 256 bits
        dirty = bytearray(data)
        dirty[4 + 32 * field] = 1
        with refused("0x"):
            h.bank.send(h.croupier, bytes(dirty))
    play.submit_bet()


def test_prizes_of_every_rank_and_level_are_those_of_the_rules(h: Hall) -> None:
    for level in range(1, 6):
        for rank in Rank:
            assert h.bank.ask("getPrize", level, rank) == PAYS[level][rank]
    assert Poker(1, 1).stake == 1
    with refused("BadBet"):
        h.bank.ask("getPrize", 6, 0)
    with refused("BadBet"):
        h.bank.ask("getPrize", 1, 10)


def test_a_bet_is_named_by_its_hash_everywhere(h: Hall) -> None:
    play = h.play()
    assert h.bank.ask("hashBet", tuple(play.bet)) == play.bet.struct_hash()
    assert isinstance(play.bet, Bet)

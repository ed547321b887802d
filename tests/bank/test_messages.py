"""Messages and seeds: against ``eth-account``, against the contract, and against forgery."""

from __future__ import annotations

from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_typed_data
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.bank import seeds
from fairground.bank.bank_port import BankRefused
from fairground.bank.messages import (
    Bet,
    Domain,
    Key,
    LedgerCall,
    Message,
    PublicKey,
    ReplacementOrder,
    SeedMessage,
    Signer,
    must_be_signed,
    typed_data,
    word,
)
from fairground.bank.schemes import historic_int, historic_shuffle
from fairground.bank.seeds import WrongSeed, check_seed, fresh_seeds, generate_int
from fairground.bank.signatures import BadSignature, keccak
from fairground.core import InputError
from fairground.games.poker.rules import DECK, Rank, parse_hand, rank
from tests.helpers.evm import Hall, hall, nonce
from tests.helpers.width import WIDE

DOMAIN = Domain(31337, "0x5FbDB2315678afecb367f032d93F642f64180aa3")
CROUPIER, PLAYER = Key(1), Key(2)
SPAN = 2**256 - 1


@pytest.fixture(scope="module")
def h() -> Hall:
    return hall()


def bet_of(**changes: Any) -> Bet:
    a, b, c, d = (keccak(bytes([i])) for i in range(4))
    addresses = (CROUPIER.address, PLAYER.address, Key(3).address, Key(4).address)
    return Bet(*addresses, 7, 10, 5, 10**15, a, b, c, d, 2**40)._replace(**changes)


MESSAGES: list[Message] = [
    PublicKey(CROUPIER.address, PLAYER.address),
    bet_of(),
    SeedMessage(CROUPIER.address, PLAYER.address, Signer.CROUPIER, 3, 1, nonce("x")),
    ReplacementOrder.of(bet_of(), (1, 0, 1, 1, 0)),
    LedgerCall(CROUPIER.address, 2**200, nonce("call")),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_messages_are_eip_712_as_eth_account_has_it(message: Message) -> None:
    signable = encode_typed_data(full_message=typed_data(DOMAIN, message))
    signed = Account.sign_message(signable, (2).to_bytes(32, "big"))
    ours = PLAYER.sign(DOMAIN, message)
    assert (ours.v, ours.r, ours.s) == (signed.v, signed.r, signed.s)
    assert signable.header == DOMAIN.separator
    assert signable.body == message.struct_hash()
    must_be_signed(DOMAIN, message, ours, PLAYER.address)
    with pytest.raises(BadSignature, match="must be signed by"):
        must_be_signed(DOMAIN, message, ours, CROUPIER.address)
    with pytest.raises(BadSignature):
        must_be_signed(DOMAIN._replace(chain_id=1), message, ours, PLAYER.address)


def test_every_field_of_a_bet_is_signed() -> None:
    bet = bet_of()
    hashes = {bet.struct_hash()}
    for field in Bet._fields:
        value = getattr(bet, field)
        other: Any = value + 1 if isinstance(value, int) else keccak(b"other")
        if isinstance(value, str):
            other = Key(99).address
        hashes.add(bet._replace(**{field: other}).struct_hash())
    assert len(hashes) == 1 + len(Bet._fields)


def test_a_bad_value_is_refused_before_it_is_signed() -> None:
    for wrong in (-1, 2**256, b"short", "0xnonsense"):
        with pytest.raises(InputError):
            word(wrong)
    for order in ((1, 0), (0, 0, 0, 0, 2)):
        with pytest.raises(InputError):
            ReplacementOrder.of(bet_of(), order).struct_hash()
    for secret in (0, 2**256 - 1):
        with pytest.raises(InputError):
            Key(secret)


def test_a_key_does_not_show_itself() -> None:
    key = Key.fresh()
    assert repr(key) == f"Key({key.address})"
    assert Key.fresh().address != key.address


def test_seeds_are_fresh_and_checked() -> None:
    parties = (CROUPIER.address, PLAYER.address)
    mine = fresh_seeds(Key(3), DOMAIN, parties, Signer.CROUPIER, 7)
    again = fresh_seeds(Key(3), DOMAIN, parties, Signer.CROUPIER, 7)
    theirs = fresh_seeds(Key(4), DOMAIN, parties, Signer.PLAYER, 7)
    assert len({*mine, *again, *theirs}) == 6
    bet = bet_of(
        croupier_commitment_0=mine[0].commitment,
        croupier_commitment_1=mine[1].commitment,
        player_commitment_0=theirs[0].commitment,
        player_commitment_1=theirs[1].commitment,
    )
    assert len(set(bet.commitments)) == 4
    for seed_id in (0, 1):
        check_seed(DOMAIN, bet, Signer.CROUPIER, seed_id, mine[seed_id])
        check_seed(DOMAIN, bet, Signer.PLAYER, seed_id, theirs[seed_id])
        with pytest.raises(WrongSeed):
            check_seed(DOMAIN, bet, Signer.CROUPIER, seed_id, again[seed_id])
        with pytest.raises(BadSignature):
            check_seed(DOMAIN, bet._replace(game_id=8), Signer.PLAYER, seed_id, theirs[seed_id])
    with pytest.raises(WrongSeed, match="a seed's number is 0 or 1, not 2"):
        check_seed(DOMAIN, bet, Signer.CROUPIER, 2, mine[1])


# The contract and Python: the same numbers


@settings(max_examples=60)
@given(
    st.integers(0, SPAN),
    st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)).map(sorted),
)
def test_generate_int_is_the_same(seed: int, span: list[int]) -> None:
    h = shared()
    low, high = span
    assert h.bank.ask("generateInt", seed, low, high) == seeds.generate_int(seed, low, high)


_shared: list[Hall] = []


def shared() -> Hall:
    """One chain for all examples: they only ask."""
    if not _shared:
        _shared.append(hall())
    return _shared[0]


def test_many_deals_and_replacements_are_the_same() -> None:
    """Deal, replace by every order in turn, rank: 64 games, and 300 in a campaign."""
    bank = shared().bank
    for number in range(300 if WIDE else 64):
        seed = int.from_bytes(keccak(f"game {number}".encode()), "big")
        hand = bank.ask("dealHand", seed)
        assert seeds.unpacked_hand(hand) == seeds.deal(seed)
        order = number % 32
        final = bank.ask("replaceCards", hand, order, seed ^ SPAN)
        expected = seeds.replace(seeds.deal(seed), seeds.unpacked_order(order), seed ^ SPAN)
        assert seeds.unpacked_hand(final) == expected
        assert bank.ask("rankHand", final) == rank(expected)
        assert len({*expected, *seeds.deal(seed)}) == 5 + sum(seeds.unpacked_order(order))


RANKED = {
    "10♡ J♡ Q♡ K♡ A♡": Rank.ROYAL_FLUSH,
    "A♤ K♤ 10♤ Q♤ J♤": Rank.ROYAL_FLUSH,
    "9♢ 10♢ J♢ Q♢ K♢": Rank.STRAIGHT_FLUSH,
    "A♧ 2♧ 3♧ 4♧ 5♧": Rank.STRAIGHT_FLUSH,
    "2♡ 2♢ 2♧ 2♤ 3♡": Rank.FOUR_OF_A_KIND,
    "A♡ A♢ 3♧ A♤ A♧": Rank.FOUR_OF_A_KIND,
    "2♡ 2♢ 2♧ A♤ A♡": Rank.FULL_HOUSE,
    "2♡ 4♡ 6♡ 8♡ 10♡": Rank.FLUSH,
    "10♡ J♡ Q♡ K♡ A♢": Rank.STRAIGHT,
    "A♡ 2♢ 3♡ 4♡ 5♡": Rank.STRAIGHT,
    "J♡ Q♡ K♡ A♢ 2♡": Rank.NOTHING,
    "Q♡ K♡ A♡ 2♡ 3♡": Rank.FLUSH,
    "7♡ 7♢ 7♧ 8♤ 9♡": Rank.THREE_OF_A_KIND,
    "7♡ 7♢ 8♧ 8♤ 9♡": Rank.TWO_PAIR,
    "J♡ J♢ 2♧ 3♤ 4♡": Rank.JACKS_OR_BETTER,
    "A♡ A♢ 2♧ 3♤ 4♡": Rank.JACKS_OR_BETTER,
    "10♡ 10♢ 2♧ 3♤ A♡": Rank.NOTHING,
    "2♡ 2♢ J♧ Q♤ K♡": Rank.NOTHING,
}


@pytest.mark.parametrize("text", RANKED)
def test_every_rank_of_hand_in_the_contract(text: str) -> None:
    hand = seeds.packed_hand(parse_hand(text))
    assert shared().bank.ask("rankHand", hand) == RANKED[text] == rank(parse_hand(text))


@settings(max_examples=150)
@given(st.lists(st.integers(0, DECK - 1), min_size=5, max_size=5, unique=True))
def test_ranks_of_any_hand_are_the_same(hand: list[int]) -> None:
    assert shared().bank.ask("rankHand", seeds.packed_hand(hand)) == rank(hand)


@settings(max_examples=100)
@given(
    st.lists(st.integers(0, 12), min_size=5, max_size=5),
    st.lists(st.integers(0, 1), min_size=5, max_size=5),
)
def test_ranks_of_likely_pairs_and_flushes_are_the_same(kinds: list[int], suits: list[int]) -> None:
    hand = list(
        dict.fromkeys(suit * 13 + kind // 2 for kind, suit in zip(kinds, suits, strict=True))
    )
    while len(hand) < 5:
        hand.append(next(card for card in range(26) if card not in hand))
    assert shared().bank.ask("rankHand", seeds.packed_hand(hand)) == rank(hand)


def test_the_contract_refuses_hands_that_are_none() -> None:
    for cards in ([0, 0, 1, 2, 3], [52, 0, 1, 2, 3], [255] * 5):
        for name, rest in (("rankHand", ()), ("replaceCards", (1, 1))):
            with pytest.raises(BankRefused, match="BadHand"):
                shared().bank.ask(name, seeds.packed_hand(cards), *rest)


def test_commitments_and_mixing_are_the_same(h: Hall) -> None:
    play = h.play()
    ours = [play.seeds[role, 0].signature for role in (Signer.CROUPIER, Signer.PLAYER)]
    for signature in ours:
        assert h.bank.ask("commitTo", signature) == seeds.commit_to(signature)
    bet_hash = play.bet.struct_hash()
    assert h.bank.ask("mixSeeds", bet_hash, 1, *ours) == seeds.mix(bet_hash, 1, *ours)
    assert h.bank.ask("gameKey", *play.bet[:2], 0) == play.bet.key


def test_a_commitment_is_not_the_seed_of_the_outcome() -> None:
    tags = {seeds.COMMIT_TAG, seeds.SEED_TAG, seeds.MIX_TAG, seeds.GENERATE_TAG}
    assert len(tags) == 4


def test_bad_ranges_are_refused() -> None:
    for low, high in ((1, 0), (-1, 5), (0, 2**32)):
        with pytest.raises(InputError):
            seeds.generate_int(1, low, high)


# History


def test_the_streams_of_2017_overlap_and_ours_do_not() -> None:
    following, _ = historic_int(1000, 0, 51)
    assert following == 1001
    assert historic_shuffle(range(52), 5) != historic_shuffle(range(52), 6)


@pytest.mark.parametrize(
    ("n", "words", "drawn"),
    [
        (3, [0xFFFFFFFF, 5], 2),  # 2^32 is one more than three times a number: the last is thrown
        (3, [0xFFFFFFFE], 2),
        (2**31 + 1, [2**31 + 1, 2**32 - 1, 7], 7),
        (2**31 + 1, [2**31], 2**31),
        (2**32, [0xFFFFFFFF], 0xFFFFFFFF),
    ],
)
def test_words_that_would_come_too_often_are_thrown_away(
    n: int, words: list[int], drawn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole rounds of n fit into 2^32; what is beyond them is drawn again."""
    hashes = iter(words)
    monkeypatch.setattr(
        "fairground.bank.seeds.keccak", lambda _: (2**32 + next(hashes)).to_bytes(32, "big")
    )
    assert generate_int(1, 0, n - 1)[1] == drawn
    assert next(hashes, None) is None

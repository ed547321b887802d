"""The document's protocol, broken: each attack succeeds here, and fails in chain/test_fraud.py."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from fairground.bank import seeds
from fairground.bank.messages import SeedMessage, Signer
from fairground.bank.schemes import historic_shuffle
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature, sign
from fairground.games.poker.rules import KINDS, PAYS, TEN, Rank, rank
from tests.helpers.document_bank import (
    BET_TOKEN,
    REPLACEMENT_TOKEN,
    Account,
    DocumentBank,
    Refusal,
    historic_play,
    message,
    salt,
    seed_message,
    seed_of,
)
from tests.helpers.evm import hall, refused
from tests.helpers.royal_flush import chase
from tests.helpers.signing import sign_with

CROUPIER, PLAYER, PUPPET = Account(101), Account(102), Account(103)
PARTIES = (CROUPIER.address, PLAYER.address)


def opened(funds: int = 100_000) -> DocumentBank:
    bank = DocumentBank()
    for account in (CROUPIER, PLAYER, PUPPET):
        bank.submit_public_key(account.address, account.address)
        bank.deposit_funds(account.address, funds if account is CROUPIER else 1000)
    return bank


def bet(bank: DocumentBank, player: Account = PLAYER, level: int = 5) -> tuple[str, str]:
    """Both begin honestly: a bet of 1, and the croupier's seed 0."""
    parties = (CROUPIER.address, player.address)
    game_id = bank.game(*parties).game_id
    digest = message(BET_TOKEN, level << 8, 1, salt(*parties, game_id))
    bank.submit_bet(parties, 1, level, sign(player.secret, digest))
    bank.submit_croupier_seed(parties, sign(CROUPIER.secret, seed_message(game_id, 0)), 0)
    return parties


def order(bank: DocumentBank, digits: tuple[int, ...], parties: tuple[str, str]) -> None:
    bits = [digit << i for i, digit in enumerate(digits)]
    digest = message(REPLACEMENT_TOKEN, *bits, salt(*parties, 0))
    bank.submit_replacement_order(parties, digits, sign(PLAYER.secret, digest))


def signatures(secret: int, digest: bytes) -> Iterator[Signature]:
    """Valid signatures of one message, one for each k: as many as anyone wants."""
    for k in count(1):
        yield sign_with(secret, digest, k)


def royal_cards(hand: tuple[int, ...]) -> int:
    high = [card // KINDS for card in hand if card % KINDS >= TEN]
    return max((high.count(suit) for suit in high), default=0)


def dealt(croupier: int, player: int) -> tuple[int, ...]:
    return tuple(historic_shuffle(range(52), (croupier ^ player))[:5])


@pytest.mark.campaign
def test_the_player_who_moves_last_grinds_a_royal_flush() -> None:
    """Some hundred signatures for three cards of a royal flush, a thousand for the rest."""
    bank = opened()
    bet(bank)
    game = bank.game(*PARTIES)
    tried = 0
    for first in signatures(PLAYER.secret, seed_message(0, 0)):
        tried += 1
        if royal_cards(dealt(game.croupier_seeds[0], seed_of(first))) >= 3:
            break
    bank.submit_player_seed(PARTIES, first, 0)
    hand = dealt(game.croupier_seeds[0], game.player_seeds[0])
    replaced = chase(hand)
    order(bank, replaced, PARTIES)
    theirs = sign(CROUPIER.secret, seed_message(0, 1))
    bank.submit_croupier_seed(PARTIES, theirs, 1)
    for second in signatures(PLAYER.secret, seed_message(0, 1)):
        tried += 1
        mine = (game.player_seeds[0], seed_of(second))
        _, final = historic_play([*game.croupier_seeds.values()], mine, replaced)
        if rank(final) is Rank.ROYAL_FLUSH:
            break
    bank.submit_player_seed(PARTIES, second, 1)
    assert rank(bank.submit_game_result(PARTIES)) is Rank.ROYAL_FLUSH
    assert bank.funds[PLAYER.address] == 1000 - 5 + 4000  # 800-fold
    assert tried < 10_000


def test_the_same_grinding_fails_against_our_bank() -> None:
    """All signatures but the one committed to are refused, however good a hand they would give."""
    h = hall()
    play = h.play()
    play.run_to(2)
    committed = play.seeds[Signer.PLAYER, 0]
    parties = (h.croupier.address, h.player.address)
    seed = SeedMessage(*parties, Signer.PLAYER, 0, 0, committed.nonce)
    ours = play.seeds[Signer.CROUPIER, 0].signature
    ground = None
    for signature in signatures(h.player.key._secret, h.bank.domain.digest(seed)):
        hand = seeds.deal(seeds.mix(play.bet.struct_hash(), 0, ours, signature))
        if rank(hand) >= Rank.TWO_PAIR:
            ground = Seed(committed.nonce, signature)
            break
    assert ground is not None
    with refused("WrongSeed"):
        play.player_seed(0, by=h.player, seed=ground)
    play.player_seed(0, by=h.player)


def test_the_croupier_equivocates_likewise() -> None:
    """He tells the player one seed 1, and brings another: both are valid."""
    digest = seed_message(0, 1)
    told, brought = sign_with(101, digest, 5), sign_with(101, digest, 6)
    bank = opened()
    bet(bank)
    bank.submit_croupier_seed(PARTIES, told, 1)
    bank.submit_croupier_seed(PARTIES, brought, 1)
    assert bank.game(*PARTIES).croupier_seeds[1] == seed_of(brought) != seed_of(told)


def test_a_second_account_sees_the_future() -> None:
    """The same gameId gives every player the same croupier's seed."""
    bank = opened()
    puppets = bet(bank, PUPPET)
    known = bank.game(*puppets).croupier_seeds[0]
    bet(bank)
    assert bank.game(*PARTIES).croupier_seeds[0] == known


def test_the_croupiers_key_registered_by_the_player_cancels_his_seed() -> None:
    bank = opened()
    bet(bank)
    bank.submit_public_key(PLAYER.address, CROUPIER.address)
    replayed = sign(CROUPIER.secret, seed_message(0, 0))  # published by the croupier himself
    bank.submit_player_seed(PARTIES, replayed, 0)
    game = bank.game(*PARTIES)
    assert (game.croupier_seeds[0] ^ game.player_seeds[0]) == 0


def test_a_complaint_lets_the_player_choose_the_draw() -> None:
    bank = opened()
    bet(bank)
    bank.submit_player_seed(PARTIES, sign(PLAYER.secret, seed_message(0, 0)), 0)
    order(bank, (1, 1, 1, 1, 1), PARTIES)
    game = bank.game(*PARTIES)
    for chosen in signatures(PLAYER.secret, seed_message(0, 1)):
        mine = (game.player_seeds[0], seed_of(chosen))
        _, final = historic_play((game.croupier_seeds[0], 0), mine, (1, 1, 1, 1, 1))
        if rank(final) >= Rank.THREE_OF_A_KIND:
            break
    bank.submit_player_seed(PARTIES, chosen, 1)
    assert rank(bank.complain_no_second_croupier_seed(PARTIES)) >= Rank.THREE_OF_A_KIND


def test_a_prize_that_the_croupier_cannot_pay_is_never_paid() -> None:
    bank = opened(funds=0)
    bet(bank, level=1)
    bank.submit_player_seed(PARTIES, sign(PLAYER.secret, seed_message(0, 0)), 0)
    order(bank, (1, 1, 1, 1, 1), PARTIES)
    bank.submit_croupier_seed(PARTIES, sign(CROUPIER.secret, seed_message(0, 1)), 1)
    game = bank.game(*PARTIES)
    for chosen in signatures(PLAYER.secret, seed_message(0, 1)):
        mine = (game.player_seeds[0], seed_of(chosen))
        _, final = historic_play([*game.croupier_seeds.values()], mine, (1, 1, 1, 1, 1))
        if PAYS[1][rank(final)] > 1:
            break
    bank.submit_player_seed(PARTIES, chosen, 1)
    with pytest.raises(Refusal):
        bank.submit_game_result(PARTIES)


def test_a_deterministic_signer_does_not_help() -> None:
    """Nobody can see that k was chosen: both signatures are good."""
    digest = seed_message(0, 0)
    honest, chosen = sign(102, digest), sign_with(102, digest, 99)
    assert honest != chosen
    bank = opened()
    bet(bank)
    bank.submit_player_seed(PARTIES, honest, 0)
    bank.submit_player_seed(PARTIES, chosen, 0)

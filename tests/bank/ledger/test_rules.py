"""The Bank's rules to the second and to the wei, on books alone.

Signatures are taken as good here (``trusting``), so any bytes can be one: what a signature must
be is tested elsewhere. All amounts and times are worked out by hand.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from fairground.bank.bank_port import (
    NO_KEY,
    BankEvent,
    BankGame,
    BankRefused,
    BringHand,
    Call,
    ClaimSession,
    CloseSession,
    Complain,
    ComplainTwoOrders,
    DepositFunds,
    FinishSession,
    GameOutcome,
    OpenSession,
    Phase,
    Silence,
    Step,
    SubmitAcceptedSeed,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitPublicKey,
    SubmitReplacementOrder,
    Terms,
    WithdrawFunds,
)
from fairground.bank.crypto.signatures import Signature, checksummed
from fairground.bank.ledger.rules import Books, check_terms, lock_of
from fairground.bank.messages import IN_SESSION, Bet, Domain, SessionState, SessionTerms
from fairground.bank.seeds import Seed, deal, mix, packed_hand, replace
from fairground.games.poker.rules import PAYS, rank

CROUPIER, PLAYER, STRANGER, POOR = (checksummed(f"0x{i:040x}") for i in range(1, 5))
KEYS: Final = {CROUPIER: checksummed(f"0x{101:040x}"), PLAYER: checksummed(f"0x{102:040x}")}
CHIP: Final = 10
STEP: Final = 100
FUNDS: Final = 1_000_000
NOW: Final = 5_000
EXPIRY: Final = 5_000
SIGNED: Final = Signature(27, 1, 1)

SEEDS: Final = [Seed(bytes([i]) * 32, Signature(27, i, i)) for i in range(1, 5)]
"""The Croupier's two, then the Player's two."""


def books() -> Books:
    made = Books(Domain(1, STRANGER), Terms(CHIP, STEP), 3 * FUNDS)
    for owner, key in KEYS.items():
        made.issue(owner, 2 * FUNDS)
        made.apply(owner, DepositFunds(FUNDS), NOW, trusting=True)
        made.apply(owner, SubmitPublicKey(key, SIGNED), NOW, trusting=True)
    return made


def a_bet(**fields: Any) -> Bet:
    """Two at level 3: a stake of 60 wei, and a royal flush pays 2 · 750 · 10."""
    one, two, three, four = (seed.commitment for seed in SEEDS)
    keys = KEYS[CROUPIER], KEYS[PLAYER]
    plain = Bet(CROUPIER, PLAYER, *keys, 0, 2, 3, CHIP, one, two, three, four, EXPIRY)
    return plain._replace(**fields)


STAKE: Final = 60
TOP: Final = 15_000


def do(on: Books, sender: str, call: Call, now: int = NOW) -> None:
    on.apply(sender, call, now, trusting=True)
    assert sum(on.balances().values()) == 0, "no wei is made or lost"


def refused(on: Books, sender: str, call: Call, now: int = NOW) -> str:
    """The reason, as the contract has it; nothing changes."""
    before = repr(on.tables())
    with pytest.raises(BankRefused) as caught:
        on.apply(sender, call, now, trusting=True)
    assert repr(on.tables()) == before
    return str(caught.value).removeprefix("the Bank refused: ")


def money(on: Books) -> tuple[int, int]:
    """What Player and Croupier have gained, free of games."""
    return on.account(PLAYER).available - FUNDS, on.account(CROUPIER).available - FUNDS


def steps(bet: Bet, order: tuple[int, ...] = (1, 1, 0, 0, 0)) -> list[Call]:
    """A whole game, call by call."""
    first = [
        SubmitBet(bet, SIGNED),
        SubmitCroupierSeed(bet, 0, SEEDS[0]),
        SubmitPlayerSeed(bet, 0, SEEDS[2], SEEDS[0].signature),
        SubmitReplacementOrder(bet, order, SIGNED),
    ]
    second = [
        SubmitCroupierSeed(bet, 1, SEEDS[1]),
        SubmitPlayerSeed(bet, 1, SEEDS[3], SEEDS[1].signature),
    ]
    return [*first, *(second if any(order) else ()), SubmitGameResult(bet)]


def played(on: Books, bet: Bet, until: int, order: tuple[int, ...] = (1, 1, 0, 0, 0)) -> Books:
    """So many steps of it, each a second after the last."""
    for after, call in enumerate(steps(bet, order)[:until]):
        do(on, CROUPIER if isinstance(call, SubmitBet) else PLAYER, call, NOW + after)
    return on


# What a Bank is made with


@pytest.mark.parametrize(
    ("cost", "time", "taken"),
    [
        (1, 60, True),
        (0, 60, False),
        (2**60, 60, True),
        (2**60 + 1, 60, False),
        (1, 59, False),
        (1, 2_592_000, True),
        (1, 2_592_001, False),
    ],
)
def test_terms(cost: int, time: int, taken: bool) -> None:
    """A chip costs something, up to 2^60 wei; a step takes a minute to thirty days."""
    if taken:
        check_terms(Terms(cost, time))
    else:
        with pytest.raises(BankRefused, match="BadTerms"):
            check_terms(Terms(cost, time))


# Purses and accounts


def test_a_faucet_gives_so_much_and_no_more() -> None:
    on = books()
    assert (on.purse(PLAYER), on.purse(POOR)) == (FUNDS, 0)
    on.issue(PLAYER, FUNDS)
    with pytest.raises(BankRefused, match=rf"FaucetEmpty\({PLAYER}, 0, 1\)"):
        on.issue(PLAYER, 1)
    on.issue(POOR, 3 * FUNDS)
    assert on.purse(POOR) == 3 * FUNDS


def test_less_than_128_bits_of_money_is_ever_made() -> None:
    on = Books(Domain(1, STRANGER), Terms(CHIP, STEP), 2**130)
    with pytest.raises(BankRefused, match="FaucetEmpty"):
        on.issue(POOR, 2**128)
    on.issue(POOR, 2**127)
    with pytest.raises(BankRefused, match="FaucetEmpty"):
        on.issue(STRANGER, 2**127)
    on.issue(STRANGER, 2**127 - 1)


def test_who_has_nothing_can_take_nothing() -> None:
    on = books()
    assert refused(on, POOR, WithdrawFunds(1)) == f"InsufficientFunds({POOR}, 0, 1)"
    assert refused(on, POOR, DepositFunds(1)) == f"InsufficientFunds({POOR}, 0, 1)"
    do(on, POOR, WithdrawFunds(0))
    assert on.account(POOR) == (0, 0, NO_KEY)
    assert on.next_game_id(CROUPIER, PLAYER) == 0


def test_everything_can_be_taken_and_not_a_wei_more() -> None:
    on = books()
    wanted = f"InsufficientFunds({PLAYER}, {FUNDS}, {FUNDS + 1})"
    assert refused(on, PLAYER, WithdrawFunds(FUNDS + 1)) == wanted
    do(on, PLAYER, WithdrawFunds(FUNDS))
    assert (on.account(PLAYER).available, on.purse(PLAYER)) == (0, 2 * FUNDS)


def test_deposits_fill_an_account_to_one_half() -> None:
    half = 2**79
    on = Books(Domain(1, STRANGER), Terms(CHIP, STEP), 2**81)
    on.issue(POOR, 2**81)
    do(on, POOR, DepositFunds(half))
    assert refused(on, POOR, DepositFunds(1)) == f"AccountFull({POOR})"
    do(on, POOR, WithdrawFunds(1))
    do(on, POOR, DepositFunds(1))


def test_signatures_count_unless_they_were_taken_once() -> None:
    with pytest.raises(BankRefused, match="BadSignature"):
        books().apply(STRANGER, SubmitPublicKey(POOR, SIGNED), NOW)


# Bets


def test_a_bet_locks_the_stake_and_the_top_prize() -> None:
    on = books()
    bet = a_bet()
    assert refused(on, CROUPIER, SubmitBet(bet, SIGNED), EXPIRY + 1) == "BetExpired()"
    do(on, CROUPIER, SubmitBet(bet, SIGNED), EXPIRY)
    assert money(on) == (-STAKE, -TOP)
    assert on.balances()[lock_of(bet.key)] == STAKE + TOP
    game = on.game(bet.key)
    assert (game.deadline, game.order, game.hand) == (EXPIRY + STEP, 0, 0)
    assert [on.account(owner).open_games for owner in KEYS] == [1, 1]
    assert on.next_game_id(CROUPIER, PLAYER) == 1
    later = a_bet(game_id=1)
    do(on, CROUPIER, SubmitBet(later, SIGNED))
    assert [on.account(owner).open_games for owner in KEYS] == [2, 2]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"game_id": 1}, "WrongGameId(0)"),
        ({"bet": 0}, "BadBet()"),
        ({"level": 0}, "BadBet()"),
        ({"level": 6}, "BadBet()"),
        ({"chip_cost": CHIP + 1}, "WrongChipCost()"),
        ({"croupier_key": NO_KEY}, "WrongKey()"),
        ({"player_key": NO_KEY}, "WrongKey()"),
        ({"player_commitment_1": SEEDS[0].commitment}, "EqualCommitments()"),
        ({"player": CROUPIER}, "SameParty()"),
        ({"croupier": STRANGER}, "NotTheCroupier()"),
        ({"player": POOR, "player_key": NO_KEY}, f"InsufficientFunds({POOR}, 0, {STAKE})"),
    ],
)
def test_bets_that_are_refused(fields: dict[str, Any], reason: str) -> None:
    assert refused(books(), CROUPIER, SubmitBet(a_bet(**fields), SIGNED)) == reason


def test_a_bet_takes_the_last_wei_of_both() -> None:
    for owner, needed in ((PLAYER, STAKE), (CROUPIER, TOP)):
        on = books()
        do(on, owner, WithdrawFunds(FUNDS - needed + 1))
        told = f"InsufficientFunds({owner}, {needed - 1}, {needed})"
        assert refused(on, CROUPIER, SubmitBet(a_bet(), SIGNED)) == told
        do(on, owner, DepositFunds(1))
        do(on, CROUPIER, SubmitBet(a_bet(), SIGNED))
        assert on.account(owner).available == 0


def test_the_same_bet_again_changes_nothing_and_another_is_refused() -> None:
    on = books()
    do(on, CROUPIER, SubmitBet(a_bet(), SIGNED))
    before = on.balances()
    assert on.apply(CROUPIER, SubmitBet(a_bet(), SIGNED), NOW, trusting=True) == []
    assert on.balances() == before
    other = SubmitBet(a_bet(level=2), SIGNED)
    assert refused(on, CROUPIER, other) == "AlreadySubmitted()"


def test_a_key_of_somebody_else_and_a_key_while_games_are_open() -> None:
    on = books()
    taken = SubmitPublicKey(KEYS[PLAYER], SIGNED)
    assert refused(on, STRANGER, taken) == f"KeyTaken({PLAYER})"
    do(on, CROUPIER, SubmitBet(a_bet(), SIGNED))
    do(on, PLAYER, SubmitPublicKey(POOR, SIGNED))
    assert on.account(PLAYER).key == POOR


# Steps and deadlines


@pytest.mark.parametrize("done", range(1, 6))
def test_a_step_can_be_taken_until_its_deadline_and_complained_of_behind_it(done: int) -> None:
    """Each deadline is a step's time after the step before it."""
    bet, silence = a_bet(), list(Silence)[done - 1]
    deadline = NOW + done - 1 + STEP
    on = played(books(), bet, done)
    assert on.game(bet.key).deadline == deadline
    call = steps(bet)[done]
    assert refused(on, PLAYER, call, deadline + 1) == f"TooLate({deadline})"
    complaint = Complain(silence, bet)
    assert refused(on, PLAYER, complaint, deadline) == f"TooEarly({deadline})"
    for other in Silence:
        if other is not silence:
            told = refused(on, PLAYER, Complain(other, bet), deadline + 1)
            assert told == f"WrongStep({done})"
    late = played(books(), bet, done)
    do(on, PLAYER, call, deadline)
    assert on.game(bet.key).step == done + 1
    do(late, PLAYER, complaint, deadline + 1)
    assert refused(late, PLAYER, complaint, deadline + 1) == "GameOver()"
    assert refused(late, PLAYER, call, deadline) == "GameOver()"
    assert [late.account(owner).open_games for owner in KEYS] == [0, 0]
    assert lock_of(bet.key) not in late.balances()
    gained, lost = money(late)
    assert gained + lost == 0


@pytest.mark.parametrize(
    ("done", "gains", "outcome"),
    [
        (1, STAKE, GameOutcome.CROUPIER_FORFEITED),
        (2, -STAKE, GameOutcome.PLAYER_FORFEITED),
        (3, -STAKE, GameOutcome.PLAYER_FORFEITED),
        (4, 5 * STAKE - STAKE, GameOutcome.CROUPIER_FORFEITED),
        (5, -STAKE, GameOutcome.PLAYER_FORFEITED),
    ],
)
def test_what_silence_costs(done: int, gains: int, outcome: GameOutcome) -> None:
    """Silence costs the Croupier one stake at first, five before two cards."""
    bet = a_bet()
    on = played(books(), bet, done)
    do(on, PLAYER, Complain(list(Silence)[done - 1], bet), NOW + done + STEP)
    assert money(on) == (gains, -gains)
    assert on.game(bet.key).outcome == outcome


def test_a_step_out_of_turn() -> None:
    bet = a_bet()
    calls = steps(bet)
    for done in range(1, 6):
        on = played(books(), bet, done)
        for later in calls[done + 1 :]:
            told = refused(on, PLAYER, later)
            assert told in (f"WrongStep({done})", "WrongSeed()"), later
        for earlier in calls[1:done]:
            assert refused(on, PLAYER, earlier) == "AlreadySubmitted()"
            assert on.apply(CROUPIER, earlier, NOW, trusting=True) == [], "he may repeat himself"
    assert refused(played(books(), bet, 4), PLAYER, SubmitGameResult(bet)) == "WrongStep(4)"


def test_what_the_bank_records_of_each_step() -> None:
    """With the cards that the four seeds give, and the next deadline."""
    bet, on = a_bet(), books()
    name = bet.struct_hash()
    dealt = deal(mix(name, 0, SEEDS[0].signature, SEEDS[2].signature))
    final = replace(dealt, (1, 1, 0, 0, 0), mix(name, 1, SEEDS[1].signature, SEEDS[3].signature))
    found = rank(final)
    prize = 2 * PAYS[3][found] * CHIP
    parties = {"croupier": CROUPIER, "player": PLAYER, "gameId": 0, "betHash": name}
    expected: list[tuple[str, dict[str, Any]]] = [
        ("BetSubmitted", parties),
        ("CroupierSeedSubmitted", {"seedId": 0, **told(SEEDS[0])}),
        ("PlayerSeedSubmitted", {"seedId": 0, **told(SEEDS[2]), "hand": packed_hand(dealt)}),
        ("ReplacementOrderSubmitted", {"order": 3}),
        ("CroupierSeedSubmitted", {"seedId": 1, **told(SEEDS[1])}),
        ("PlayerSeedSubmitted", {"seedId": 1, **told(SEEDS[3]), "hand": packed_hand(final)}),
        ("GameSettled", {"hand": packed_hand(final), "rank": int(found), "prize": prize}),
    ]
    for second, (call, (kind, values)) in enumerate(zip(steps(bet), expected, strict=True)):
        due = {} if kind == "GameSettled" else {"deadline": NOW + second + STEP}
        events = on.apply(CROUPIER, call, NOW + second, trusting=True)
        assert events == [BankEvent(kind, {"game": bet.key, **values, **due})]


def told(seed: Seed) -> dict[str, Any]:
    return {"nonce": seed.nonce, "signature": seed.signature}


def test_what_the_bank_records_of_a_silence() -> None:
    bet = a_bet()
    recorded = []
    for done in (1, 4, 2, 3, 5):
        on = played(books(), bet, done)
        complaint = Complain(list(Silence)[done - 1], bet)
        (event,) = on.apply(PLAYER, complaint, NOW + done + STEP, trusting=True)
        assert event.values.pop("game") == bet.key
        recorded.append((event.name, *event.values.values()))
    assert recorded == [
        ("CroupierForfeited", 2 * STAKE),
        ("CroupierForfeited", 5 * STAKE),
        ("PlayerForfeited", 2),
        ("PlayerForfeited", 3),
        ("PlayerForfeited", 5),
    ]


def test_what_the_bank_records_of_accounts() -> None:
    on = books()
    events = [
        *on.apply(PLAYER, DepositFunds(7), NOW, trusting=True),
        *on.apply(PLAYER, WithdrawFunds(5), NOW, trusting=True),
        *on.apply(PLAYER, SubmitPublicKey(POOR, SIGNED), NOW, trusting=True),
    ]
    assert [(event.name, *event.values.values()) for event in events] == [
        ("FundsDeposited", PLAYER, 7),
        ("FundsWithdrawn", PLAYER, 5),
        ("PublicKeySubmitted", PLAYER, POOR),
    ]


def test_seeds_that_are_refused() -> None:
    bet = a_bet()
    on = played(books(), bet, 1)
    assert refused(on, PLAYER, SubmitCroupierSeed(bet, 0, SEEDS[1])) == "WrongSeed()"
    assert refused(on, PLAYER, SubmitCroupierSeed(bet, 2, SEEDS[1])) == "BadSeedId()"
    assert refused(on, PLAYER, SubmitCroupierSeed(bet, 1, SEEDS[1])) == "WrongStep(1)"
    on = played(on, bet, 0)
    do(on, PLAYER, SubmitCroupierSeed(bet, 0, SEEDS[0]))
    for seed_id, seed, croupiers, reason in (
        (0, SEEDS[3], SEEDS[0], "WrongSeed()"),
        (0, SEEDS[2], SEEDS[1], "WrongSeed()"),
        (2, SEEDS[3], SEEDS[1], "BadSeedId()"),
        (1, SEEDS[3], SEEDS[1], "WrongStep(2)"),
    ):
        call = SubmitPlayerSeed(bet, seed_id, seed, croupiers.signature)
        assert refused(on, PLAYER, call) == reason


def test_the_first_seed_frees_the_stake() -> None:
    """It is the Croupier's from then on, whatever comes: he put the prizes in."""
    on = played(books(), a_bet(), 2)
    assert money(on) == (-STAKE, STAKE - TOP)
    on = played(books(), a_bet(), 5)
    assert on.account(PLAYER).available == FUNDS - STAKE


def test_strangers_bring_all_that_is_signed() -> None:
    bet = a_bet()
    for call_number in range(1, 7):
        on = played(books(), bet, call_number)
        do(on, STRANGER, steps(bet)[call_number], NOW + 1)
    assert refused(books(), PLAYER, SubmitGameResult(bet)) == "UnknownBet()"
    on = played(books(), bet, 1)
    other = SubmitGameResult(bet._replace(expiry=EXPIRY + 1))
    assert refused(on, PLAYER, other) == "UnknownBet()"


# Orders


def test_orders_that_are_refused() -> None:
    bet = a_bet()
    on = played(books(), bet, 3)
    bad = SubmitReplacementOrder(bet, (0, 0, 2, 0, 0), SIGNED)
    assert refused(on, PLAYER, bad) == "BadOrder()"
    on = played(books(), bet, 4)
    other = SubmitReplacementOrder(bet, (0, 1, 0, 0, 0), SIGNED)
    assert refused(on, CROUPIER, other) == "AlreadySubmitted()"
    assert refused(on, PLAYER, other) == "AlreadySubmitted()"


@pytest.mark.parametrize(
    ("cards", "order", "locked"),
    [
        ((0, 13, 26, 39, 1), (0, 0, 0, 0, 0), 2 * 75),  # four of a kind stand: 25 at level 3
        ((0, 13, 26, 39, 1), (0, 0, 0, 0, 1), 2 * (75 + 3)),
        ((0, 13, 2, 4, 6), (1, 1, 1, 1, 1), 2 * 750),
        ((0, 13, 2, 17, 6), (1, 1, 0, 0, 0), 2 * 5 * 3),  # at best three of a kind, 3 at level 3
    ],
)
def test_a_game_keeps_locked_what_can_still_be_won(
    cards: tuple[int, ...], order: tuple[int, ...], locked: int
) -> None:
    """Kinds are the card's rest by 13: 0 is the two. Silence costs five stakes for two cards."""
    bet = a_bet()
    on = played(books(), bet, 3)
    game = on.game(bet.key)._replace(hand=packed_hand(cards))
    on.tables()["_games"][bet.key] = game
    do(on, PLAYER, SubmitReplacementOrder(bet, order, SIGNED))
    assert on.balances()[lock_of(bet.key)] == locked * CHIP


# The end


@pytest.mark.parametrize(
    ("cards", "prize"),
    [
        ((0, 13, 2, 17, 6), 0),
        ((9, 22, 2, 17, 6), 2 * 3 * CHIP),  # a pair of jacks
        ((0, 13, 26, 39, 1), 2 * 75 * CHIP),
        ((8, 9, 10, 11, 12), TOP),
    ],
)
def test_a_hand_that_stands_is_paid_by_the_table(cards: tuple[int, ...], prize: int) -> None:
    bet = a_bet()
    on = played(books(), bet, 3)
    on.tables()["_games"][bet.key] = on.game(bet.key)._replace(hand=packed_hand(cards))
    do(on, PLAYER, SubmitReplacementOrder(bet, (0, 0, 0, 0, 0), SIGNED))
    assert refused(on, PLAYER, Complain(Silence.REPLACEMENT_ORDER, bet)) == "WrongStep(6)"
    do(on, PLAYER, SubmitGameResult(bet))
    assert money(on) == (prize - STAKE, STAKE - prize)
    assert on.game(bet.key).outcome == GameOutcome.SETTLED
    assert refused(on, PLAYER, SubmitGameResult(bet)) == "GameOver()"
    assert on.apply(CROUPIER, SubmitGameResult(bet), NOW, trusting=True) == []
    assert [on.account(owner).open_games for owner in KEYS] == [0, 0]


def test_a_complaint_about_a_hand_that_stands_settles_it() -> None:
    bet = a_bet()
    on = played(books(), bet, 4, (0, 0, 0, 0, 0))
    do(on, PLAYER, Complain(Silence.SECOND_CROUPIER_SEED, bet))
    assert on.game(bet.key).outcome == GameOutcome.SETTLED
    on = played(books(), bet, 6)
    told = refused(on, PLAYER, Complain(Silence.SECOND_CROUPIER_SEED, bet))
    assert told == "WrongStep(6)", "a hand that was drawn owes nothing"


def test_two_steps_in_one_call_are_both_or_neither() -> None:
    bet = a_bet()
    order = (1, 1, 0, 0, 0)
    both = SubmitPlayerSeedAndOrder(bet, SEEDS[2], SEEDS[0].signature, order, SIGNED)
    on, apart = played(books(), bet, 2), played(books(), bet, 4)
    bad = both._replace(order=(2, 0, 0, 0, 0))
    assert refused(on, PLAYER, bad) == "BadOrder()"
    events = on.apply(PLAYER, both, NOW + 3, trusting=True)
    names = [event.name for event in events]
    assert names == ["PlayerSeedSubmitted", "ReplacementOrderSubmitted"]
    assert on.game(bet.key) == apart.game(bet.key) and on.balances() == apart.balances()
    on = played(books(), bet, 3)
    do(on, PLAYER, both, NOW + 3)
    assert on.game(bet.key) == apart.game(bet.key), "the seed was there already"
    ends = SubmitPlayerSeedAndResult(bet, SEEDS[3], SEEDS[1].signature)
    assert refused(on, PLAYER, ends) == "WrongStep(4)"
    for done in (5, 6):
        on, apart = played(books(), bet, done), played(books(), bet, 7)
        do(on, PLAYER, ends, NOW + 6)
        assert on.balances() == apart.balances()
        assert on.game(bet.key).outcome == GameOutcome.SETTLED


# Sessions

TERMS: Final = SessionTerms(
    CROUPIER, PLAYER, KEYS[CROUPIER], KEYS[PLAYER], 0, 1_000, 40_000, EXPIRY
)


def state(hands: int, share: int, last: bool = False) -> SessionState:
    return SessionState(TERMS.struct_hash(), hands, share, bytes(32), last)


def claim(hands: int, share: int) -> ClaimSession:
    return ClaimSession(TERMS, state(hands, share), SIGNED, SIGNED)


def in_session() -> Books:
    on = books()
    do(on, CROUPIER, OpenSession(TERMS, SIGNED), EXPIRY)
    return on


def test_a_session_locks_what_both_put_in() -> None:
    on = books()
    assert refused(on, PLAYER, OpenSession(TERMS, SIGNED)) == "NotTheCroupier()"
    assert refused(on, CROUPIER, OpenSession(TERMS, SIGNED), EXPIRY + 1) == "BetExpired()"
    for fields, reason in (
        ({"number": 1}, "WrongSession(0)"),
        ({"player": CROUPIER}, "SameParty()"),
        ({"player_key": NO_KEY}, "WrongKey()"),
        ({"croupier_key": NO_KEY}, "WrongKey()"),
        ({"player_funds": FUNDS + 1}, f"InsufficientFunds({PLAYER}, {FUNDS}, {FUNDS + 1})"),
        ({"croupier_funds": FUNDS + 1}, f"InsufficientFunds({CROUPIER}, {FUNDS}, {FUNDS + 1})"),
    ):
        other = TERMS._replace(**fields)
        assert refused(on, CROUPIER, OpenSession(other, SIGNED)) == reason
    (event,) = on.apply(CROUPIER, OpenSession(TERMS, SIGNED), EXPIRY, trusting=True)
    recorded = TERMS.struct_hash(), 0, CROUPIER, PLAYER, 1_000, 40_000
    assert (event.name, *event.values.values()) == ("SessionOpened", *recorded)
    assert money(on) == (-1_000, -40_000)
    kept = on.session(CROUPIER, PLAYER)
    assert kept[1:] == (1, Phase.OPEN, 0, 0, 0, 0), "the terms say what each put in"
    assert on.apply(CROUPIER, OpenSession(TERMS, SIGNED), NOW, trusting=True) == []
    again = OpenSession(TERMS._replace(number=1), SIGNED)
    assert refused(on, CROUPIER, again) == "WrongSession(1)"
    assert [on.account(owner).open_games for owner in KEYS] == [1, 1]


def test_a_session_is_closed_by_a_last_state_of_all_its_money_at_most() -> None:
    for share, taken in ((41_000, True), (0, True), (41_001, False)):
        on = in_session()
        call = CloseSession(TERMS, state(3, share, last=True), SIGNED, SIGNED)
        assert refused(on, PLAYER, call._replace(state=state(3, share))) == "OldState(0)"
        if not taken:
            assert refused(on, PLAYER, call) == "BadShare()"
            continue
        do(on, STRANGER, call)
        assert money(on) == (share - 1_000, 1_000 - share)
        assert on.session(CROUPIER, PLAYER)[2:] == (Phase.CLOSED, 0, 0, 0, 0), "nothing is claimed"
        assert refused(on, PLAYER, call) == "WrongSession(3)"
        assert [on.account(owner).open_games for owner in KEYS] == [0, 0]
        do(on, CROUPIER, OpenSession(TERMS._replace(number=1), SIGNED))
        assert refused(on, PLAYER, call) == "WrongSession(1)"


def test_a_state_of_another_session_is_no_state_of_this() -> None:
    other = state(3, 0, last=True)._replace(session=bytes(32))
    call = CloseSession(TERMS, other, SIGNED, SIGNED)
    assert refused(in_session(), PLAYER, call) == "BadSignature()"


def test_a_session_has_fewer_than_2_to_the_96_hands() -> None:
    on = in_session()
    assert refused(on, PLAYER, claim(2**96, 0)) == "BadShare()"
    do(on, PLAYER, claim(2**96 - 1, 0))


def test_a_claim_stands_until_a_newer_state_comes_in_time() -> None:
    on = in_session()
    assert refused(on, STRANGER, claim(3, 500)) == "NotAParty()"
    deadline = NOW + STEP
    (event,) = on.apply(PLAYER, claim(3, 500), NOW, trusting=True)
    assert (event.name, *event.values.values()) == (
        *("SessionClaimed", TERMS.struct_hash(), 3, 500, deadline),
    )
    kept = on.session(CROUPIER, PLAYER)
    assert (kept.phase, kept.deadline, kept.player_share) == (Phase.CLAIMED, deadline, 500)
    assert refused(on, CROUPIER, claim(3, 400)) == "OldState(3)"
    assert refused(on, CROUPIER, claim(4, 400), deadline + 1) == f"TooLate({deadline})"
    do(on, STRANGER, claim(4, 400), deadline)
    kept = on.session(CROUPIER, PLAYER)
    assert (kept.deadline, kept.hands, kept.player_share) == (deadline + STEP, 4, 400)
    finish = FinishSession(TERMS)
    end = deadline + 2 * STEP
    assert refused(on, PLAYER, finish, end) == f"TooEarly({end})"
    (event,) = on.apply(STRANGER, finish, end + 1, trusting=True)
    assert (event.name, *event.values.values()) == (
        *("SessionClosed", TERMS.struct_hash(), 4, bytes(32), 400, 40_600),
    )
    assert money(on) == (400 - 1_000, 600)
    assert refused(on, PLAYER, finish, end + 1) == "WrongSession(3)"


def test_a_claim_of_no_hands_leaves_what_was_put_in() -> None:
    on = in_session()
    assert refused(on, PLAYER, FinishSession(TERMS), NOW + 999) == "WrongSession(1)"
    do(on, CROUPIER, claim(0, 41_000))
    do(on, PLAYER, FinishSession(TERMS), NOW + 2 * STEP + 1)
    assert money(on) == (0, 0)


HAND: Final = a_bet(game_id=IN_SESSION | 3)
"""The fourth hand of session 0."""


def bring(**fields: Any) -> BringHand:
    return BringHand(TERMS, HAND._replace(**fields), SIGNED, SIGNED)


def claimed(share: int = 500) -> Books:
    on = in_session()
    do(on, PLAYER, claim(3, share))
    return on


def test_the_open_hand_comes_between_the_claim_and_its_end() -> None:
    assert refused(in_session(), PLAYER, bring(), NOW + STEP + 1) == "WrongSession(1)"
    assert refused(claimed(), PLAYER, bring(), NOW + STEP) == f"TooEarly({NOW + STEP})"
    late = NOW + 2 * STEP + 1
    assert refused(claimed(), PLAYER, bring(), late) == f"TooLate({NOW + 2 * STEP})"
    for now in (NOW + STEP + 1, NOW + 2 * STEP):
        on = claimed()
        closed, begun = on.apply(STRANGER, bring(), now, trusting=True)
        assert (closed.name, closed.values["hand"]) == ("SessionClosed", HAND.key)
        assert begun.name == "BetSubmitted"
        assert begun.values == {
            **{"croupier": CROUPIER, "player": PLAYER, "gameId": HAND.game_id},
            **{"game": HAND.key, "betHash": HAND.struct_hash(), "deadline": now + STEP},
        }
        assert money(on) == (500 - STAKE - 1_000, 500 - TOP)
        assert on.balances()[lock_of(HAND.key)] == STAKE + TOP
        game = on.game(HAND.key)
        assert (game.step, game.deadline) == (Step.BET_SUBMITTED, now + STEP)
        assert (game.order, game.hand) == (0, 0)
        assert [on.account(owner).open_games for owner in KEYS] == [1, 1]
        assert on.session(CROUPIER, PLAYER).phase == Phase.CLOSED


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"game_id": IN_SESSION | 4}, f"WrongHand({IN_SESSION | 3})"),
        ({"player": STRANGER}, f"WrongHand({IN_SESSION | 3})"),
        ({"player_key": NO_KEY}, f"WrongHand({IN_SESSION | 3})"),
        ({"bet": 0}, "BadBet()"),
        ({"level": 6}, "BadBet()"),
        ({"chip_cost": 1}, "WrongChipCost()"),
        ({"player_commitment_1": SEEDS[0].commitment}, "EqualCommitments()"),
    ],
)
def test_hands_that_are_refused(fields: dict[str, Any], reason: str) -> None:
    assert refused(claimed(), PLAYER, bring(**fields), NOW + STEP + 1) == reason


def test_a_hand_takes_the_last_wei_of_both_shares() -> None:
    for share, owner, found, needed in (
        (STAKE - 1, PLAYER, STAKE - 1, STAKE),
        (41_000 - TOP + 1, CROUPIER, TOP - 1, TOP),
    ):
        told = f"InsufficientFunds({owner}, {found}, {needed})"
        assert refused(claimed(share), PLAYER, bring(), NOW + STEP + 1) == told
    for share in (STAKE, 41_000 - TOP):
        do(claimed(share), PLAYER, bring(), NOW + STEP + 1)


BROUGHT: Final = NOW + STEP + 1


def brought(done: int, order: tuple[int, ...] = (1, 1, 0, 0, 0)) -> Books:
    """The hand before the Bank, so many steps on; all at the same second."""
    on = claimed()
    do(on, PLAYER, bring(), BROUGHT)
    for call in steps(HAND, order)[1:done]:
        do(on, CROUPIER, call, BROUGHT)
    return on


def test_seed_1_of_a_session_s_hand_comes_with_his_word_on_the_order() -> None:
    """He told it for one order: somebody else might bring it for another."""
    on = brought(4)
    plain = SubmitCroupierSeed(HAND, 1, SEEDS[1])
    assert refused(on, PLAYER, plain, BROUGHT) == "NotTheCroupier()"
    assert refused(brought(1), PLAYER, plain, BROUGHT) == "NotTheCroupier()"
    do(brought(1), PLAYER, SubmitCroupierSeed(HAND, 0, SEEDS[0]), BROUGHT)
    do(on, PLAYER, SubmitAcceptedSeed(HAND, SEEDS[1], SIGNED), BROUGHT)
    assert on.game(HAND.key).step == Step.CROUPIER_SEED_1_SUBMITTED
    do(brought(4), CROUPIER, plain, BROUGHT)
    do(played(books(), a_bet(), 4), PLAYER, SubmitCroupierSeed(a_bet(), 1, SEEDS[1]))


def test_two_orders_for_one_hand_forfeit_it() -> None:
    other = ComplainTwoOrders(HAND, (0, 1, 0, 0, 0), SIGNED)
    on = brought(4)
    assert refused(on, CROUPIER, other._replace(order=(2, 0, 0, 0, 0)), BROUGHT) == "BadOrder()"
    same = other._replace(order=(1, 1, 0, 0, 0))
    assert refused(on, CROUPIER, same, BROUGHT) == "SameOrder()"
    for done in (1, 2, 3, 5, 6):
        assert refused(brought(done), CROUPIER, other, BROUGHT) == f"WrongStep({done})"
    plain = played(books(), a_bet(), 4)
    told = refused(plain, CROUPIER, ComplainTwoOrders(a_bet(), (0, 1, 0, 0, 0), SIGNED))
    assert told == "WrongStep(4)", "only a session's Croupier tells a seed for an order"
    for stands in (on, brought(4, (0, 0, 0, 0, 0))):
        (event,) = stands.apply(CROUPIER, other, BROUGHT, trusting=True)
        assert event == ("PlayerForfeited", {"game": HAND.key, "lastStep": Step.HAND_DEALT})
        assert stands.game(HAND.key).outcome == GameOutcome.PLAYER_FORFEITED
        assert money(stands) == (440 - 1_000, 560)
        assert refused(stands, CROUPIER, other, BROUGHT) == "GameOver()"


def test_an_order_to_replace_nothing_settles_when_no_other_was_shown() -> None:
    """Only the Croupier, whom another order could harm, may settle at once."""
    deadline = BROUGHT + STEP
    for call in (SubmitGameResult(HAND), Complain(Silence.SECOND_CROUPIER_SEED, HAND)):
        on = brought(4, (0, 0, 0, 0, 0))
        assert refused(on, PLAYER, call, deadline) == f"TooEarly({deadline})"
        do(on, PLAYER, call, deadline + 1)
        do(brought(4, (0, 0, 0, 0, 0)), CROUPIER, call, BROUGHT)
    do(brought(6), PLAYER, SubmitGameResult(HAND), BROUGHT)


def test_the_first_hand_of_the_first_session_is_a_hand_of_a_session() -> None:
    hand = HAND._replace(game_id=IN_SESSION)
    for order in ((1, 1, 0, 0, 0), (0, 0, 0, 0, 0)):
        on = in_session()
        do(on, PLAYER, claim(0, 0))
        do(on, PLAYER, BringHand(TERMS, hand, SIGNED, SIGNED), BROUGHT)
        for call in steps(hand, order)[1:4]:
            do(on, CROUPIER, call, BROUGHT)
        if any(order):
            plain = SubmitCroupierSeed(hand, 1, SEEDS[1])
            assert refused(on, PLAYER, plain, BROUGHT) == "NotTheCroupier()"
        else:
            early = refused(on, PLAYER, SubmitGameResult(hand), BROUGHT)
            assert early == f"TooEarly({BROUGHT + STEP})"
        do(on, CROUPIER, ComplainTwoOrders(hand, (0, 1, 0, 0, 0), SIGNED), BROUGHT)


# Drafts


def test_a_draft_of_a_draft() -> None:
    """What the inner one empties is empty in the outer one only, until that is settled."""
    on = books()
    outer = on.draft()
    inner = outer.draft()
    do(inner, PLAYER, WithdrawFunds(FUNDS))
    assert outer.account(PLAYER).available == FUNDS
    inner.settle()
    assert outer.account(PLAYER).available == 0
    assert on.account(PLAYER).available == FUNDS
    outer.settle()
    assert on.account(PLAYER).available == 0
    assert 0 not in on.tables()["_money"].values(), "nothing is kept of what is nothing"


def test_a_game_that_nobody_knows_is_all_zeros() -> None:
    assert books().game(bytes(32)) == BankGame(bytes(32), 0, 0, 0, 0, 0)
    assert books().session(CROUPIER, PLAYER) == (bytes(32), 0, 0, 0, 0, 0, 0)

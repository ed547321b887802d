"""The rules of video poker: hands, prizes, the deal, orders, cards in writing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import BadParams, Draw, IllegalMove, InputError, Over, Turn
from fairground.games.poker.rules import (
    CROUPIER,
    DECK,
    PAYS,
    PENALTY,
    PLAYER,
    BankPoker,
    Poker,
    State,
    card_text,
    hand_text,
    parse_card,
    parse_hand,
    rank,
    silence_price,
)

hands = st.lists(st.integers(0, DECK - 1), min_size=5, max_size=5, unique=True)


def twin_rank(hand: Sequence[int]) -> str:
    """What a hand is, by spelling: independent of the rules' arithmetic."""
    names = [card_text(card) for card in hand]
    values = "".join(sorted(("T" if len(n) == 3 else n[0] for n in names), key=ORDER.index))
    suited = len({name[-1] for name in names}) == 1
    if values in STRAIGHTS:
        if suited:
            return "royal flush" if values == "TJQKA" else "straight flush"
        return "straight"
    if suited:
        return "flush"
    groups = sorted(values.count(value) for value in ORDER if value in values)
    for shape, name in SHAPES.items():
        if groups == list(shape):
            return name
    return (
        "jacks or better" if any(pair in values for pair in ("JJ", "QQ", "KK", "AA")) else "nothing"
    )


ORDER = "23456789TJQKA"
STRAIGHTS = {"2345A", *(ORDER[i : i + 5] for i in range(9))}
SHAPES = {
    (1, 4): "four of a kind",
    (2, 3): "full house",
    (1, 1, 3): "three of a kind",
    (1, 2, 2): "two pair",
}


def unseen(s: State) -> list[int]:
    """The deck that is left, counted card by card."""
    return [card for card in range(52) if card not in (*s.dealt, *s.fresh)]


def play(game: Poker, hand: str, order: tuple[int, ...], fresh: str = "") -> State:
    """Drive the rules to these cards, by the indices that deal them."""
    s = game.start()
    for name in hand.split():
        s = game.drawn(s, unseen(s).index(parse_card(name)))
    s = game.played(s, {PLAYER: order})
    for name in fresh.split():
        s = game.drawn(s, unseen(s).index(parse_card(name)))
    return s


# Hands


def test_rank_agrees_with_the_twin_where_straights_flushes_and_pairs_meet() -> None:
    high = [card for card in range(DECK) if card % 13 >= 8]
    low = [card for card in range(DECK) if card % 13 in (12, 0, 1, 2, 3)]
    one_suit = range(26, 39)
    few_ranks = [card for card in range(DECK) if card % 13 in (8, 9, 12)]
    for cards in (high, low, one_suit, few_ranks):
        for hand in combinations(cards, 5):
            assert rank(hand).words == twin_rank(hand), hand_text(hand)


@given(hands)
def test_rank_agrees_with_the_twin_anywhere_and_in_any_order(hand: list[int]) -> None:
    assert rank(hand).words == twin_rank(hand)
    assert rank(sorted(hand)) is rank(hand)


# Prizes


def test_the_pay_table_is_that_of_the_design() -> None:
    royal = {1: 250, 2: 500, 3: 750, 4: 1000, 5: 4000}
    for level in range(1, 6):
        each = [level * prize for prize in (0, 1, 2, 3, 4, 6, 9, 25, 50)]
        assert list(PAYS[level]) == [*each, royal[level]]


@pytest.mark.parametrize(
    ("bet", "level", "hand", "prize", "stake"),
    [
        (1, 1, "7h 7d 7s 2c Kh", 3, 1),
        (10, 5, "Th Jh Qh Kh Ah", 40_000, 50),
        (3, 4, "Th Jh Qh Kh Ah", 3000, 12),
        (2, 5, "3c 3h 3d 2s 2h", 90, 10),
        (7, 3, "2h 4d 6s 8c Th", 0, 21),
    ],
)
def test_the_player_wins_the_prize_less_the_stake(
    bet: int, level: int, hand: str, prize: int, stake: int
) -> None:
    game = Poker(bet, level)
    assert game.stake == stake
    s = play(game, hand, (0, 0, 0, 0, 0))
    assert game.awaits(s) == Over((stake - prize, prize - stake))


# The deal


def test_the_historic_game_of_the_document() -> None:
    game = Poker(bet=1, level=1)
    s = play(game, "5♢ 7♢ 9♧ 10♧ 7♡", (1, 0, 1, 1, 0), "3♡ J♧ 7♤")
    assert hand_text(game.final_hand(s)) == "3♡ 7♢ J♧ 7♤ 7♡"
    assert game.awaits(s) == Over((-2, 2))


def test_draws_shrink_and_index_the_cards_not_seen() -> None:
    game = Poker()
    s = game.start()
    for n in (52, 51, 50, 49, 48):
        assert game.awaits(s) == Draw(n)
        s = game.drawn(s, 0)
    assert s.dealt == (0, 1, 2, 3, 4)
    assert s.hand == (0, 1, 2, 3, 4)
    assert game.awaits(s) == Turn((PLAYER,))
    s = game.played(s, {PLAYER: (0, 1, 0, 1, 1)})
    assert s.hand == (0, None, 2, None, None)
    for n in (47, 46, 45):
        assert game.awaits(s) == Draw(n)
        with pytest.raises(IllegalMove, match="not known yet"):
            game.final_hand(s)
        s = game.drawn(s, n - 1)
    assert s.fresh == (51, 50, 49)
    assert s.hand == (0, 51, 2, 50, 49)
    assert isinstance(game.awaits(s), Over)


def test_a_card_thrown_away_never_comes_back() -> None:
    game = Poker()
    s = play(game, "2h 3h 4h 5h 6h", (1, 1, 1, 1, 1))
    assert [s.unseen(index) for index in range(47)] == list(range(5, 52))
    assert game.drawn(s, 0).hand == (5, None, None, None, None)


def test_an_index_counts_the_cards_that_are_left() -> None:
    for dealt in ((51, 0, 25, 1, 50), (3, 2, 1, 0, 4), (10, 12, 11, 30, 9), (7, 51, 6, 8, 49)):
        for s in (State(dealt), State(dealt, (1,) * 5, (20, 5))):
            left = unseen(s)
            assert [s.unseen(index) for index in range(len(left))] == left


def test_keeping_everything_ends_the_game_at_once() -> None:
    game = Poker()
    assert isinstance(game.awaits(play(game, "2h 3h 4h 5h 7d", (0,) * 5)), Over)


def test_there_are_32_orders_and_only_the_player_gives_one() -> None:
    game = Poker()
    s = State(dealt=(0, 1, 2, 3, 4))
    orders = list(game.moves(s, PLAYER))
    assert len(set(orders)) == 32
    assert orders[0] == (0,) * 5 and orders[-1] == (1,) * 5
    for order in orders:
        game.check(s, PLAYER, order)
    for seat in (CROUPIER, 2):
        with pytest.raises(IllegalMove, match="not to move"):
            game.check(s, seat, (0,) * 5)
    with pytest.raises(IllegalMove, match="not to move"):
        game.moves(game.start(), PLAYER)


@pytest.mark.parametrize(
    "move", [(0, 1), (0,) * 6, (0, 0, 0, 0, 2), (True, 0, 0, 0, 0), ("1",) * 5, [0] * 5, 0, "10110"]
)
def test_what_is_not_an_order_is_refused_with_an_example(move: Any) -> None:
    with pytest.raises(IllegalMove, match=r"such as \(1, 0, 1, 1, 0\)"):
        Poker().check(State(dealt=(0, 1, 2, 3, 4)), PLAYER, move)


# Walking away


def test_walking_away_from_a_royal_flush_saves_the_croupier_nothing() -> None:
    dealt = State(dealt=parse_hand("Th Jh Qh Kh Ah"))
    for game in (Poker(bet=1, level=5), BankPoker(bet=1, level=5)):
        assert game.forfeit(dealt, CROUPIER) == (-3995, 3995)
        assert game.forfeit(dealt._replace(order=(0,) * 5), CROUPIER) == (-3995, 3995)
    some = State(dealt=dealt.dealt[:3])
    assert game.forfeit(some, CROUPIER) == (5 - 5 * PENALTY, 5 * PENALTY - 5)


# Parameters


@pytest.mark.parametrize(
    "params",
    [
        {"bet": 0, "level": 1},
        {"bet": 11, "level": 1},
        {"bet": 1, "level": 0},
        {"bet": 1, "level": 6},
        {"bet": True, "level": 1},
        {"bet": "1", "level": 1},
        {"bet": 1.0, "level": 1},
        {"bet": [1], "level": 1},
    ],
)
def test_bad_parameters_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(BadParams, match=r"1\.\."):
        Poker.from_params(params)


def test_parameters_have_defaults_and_others_are_refused() -> None:
    assert Poker.from_params({}) == Poker(1, 5) == Poker()
    assert Poker.from_params({"bet": 2}) == Poker(2, 5)
    with pytest.raises(BadParams, match="poker/2 has no parameter 'chips'; it has: bet, level"):
        Poker.from_params({"bet": 1, "level": 1, "chips": 1})


# Cards in writing


def test_the_canonical_order_of_the_deck() -> None:
    assert card_text(0) == "2♡"
    assert card_text(12) == "A♡"
    assert card_text(13) == "2♢"
    assert card_text(26 + 8) == "10♧"
    assert card_text(51) == "A♤"


@pytest.mark.parametrize("text", ["10♧", "T♧", "t♣", "Tc", "tC", "10c", "10C", "10♣\ufe0f"])
def test_every_spelling_of_the_ten_of_clubs(text: str) -> None:
    assert parse_card(text) == 34


def test_signs_and_letters_mean_the_same() -> None:
    expected = parse_hand("5♢ 7♢ 9♧ 10♧ 7♡")
    for text in ("5d 7d 9c Tc 7h", "5D,7D,9C,10C,7H", " 5♦  7♦ 9♣ 10♣ 7♥ "):
        assert parse_hand(text) == expected
    assert hand_text(expected) == "5♢ 7♢ 9♧ 10♧ 7♡"


@given(hands)
def test_what_is_printed_can_be_read(hand: list[int]) -> None:
    assert parse_hand(hand_text(hand)) == tuple(hand)


@pytest.mark.parametrize("word", ["1h", "11h", "5x", "h5", "5", "♡", "5hh", "Ť♡", "⑤♡", "٥h"])
def test_what_is_not_a_card_is_quoted(word: str) -> None:
    with pytest.raises(InputError, match=f"'{word}' is not a card"):
        parse_hand(f"2h 3h {word} 4h 5h")


def test_a_hand_is_five_different_cards() -> None:
    with pytest.raises(InputError, match="'' is not a card"):
        parse_card("")
    with pytest.raises(InputError, match="10♧ is there twice"):
        parse_hand("Tc 2h 3h 4h 10♣")
    for text, count in (("", 0), ("2h 3h 4h 5h", 4), ("2h 3h 4h 5h 6h 7h", 6)):
        with pytest.raises(InputError, match=f"has {count}"):
            parse_hand(text)


def test_the_shape_of_an_order() -> None:
    digit = {"type": "integer", "minimum": 0, "maximum": 1}
    shape = {"type": "array", "items": digit, "minItems": 5, "maxItems": 5}
    assert Poker().move_schema() == shape


NOTHING_MUCH = parse_hand("3d 2s 4h 6s Ts")
"""Without the three no card makes a pair of jacks, a straight or a flush of it."""
A_JACK = parse_hand("3d 2s 4h 6s Js")
"""Three other jacks would make a pair: at level 3 each pays 3."""
FOUR_TO_A_ROYAL = parse_hand("2c 10h Jh Qh Kh")
"""Of 47 cards one makes it, one a straight flush, seven a flush, six a straight, nine a pair."""


@pytest.mark.parametrize(
    ("hand", "order", "price"),
    [
        (NOTHING_MUCH, (1, 1, 0, 0, 0), 5 * 2 * 3),
        (NOTHING_MUCH, (1, 1, 1, 0, 0), 2 * 2 * 3),
        (NOTHING_MUCH, (1, 1, 1, 1, 0), 1 * 2 * 3),
        (NOTHING_MUCH, (1, 1, 1, 1, 1), 1 * 2 * 3),
        (NOTHING_MUCH, (1, 0, 0, 0, 0), 2 * 3),
        (A_JACK, (1, 0, 0, 0, 0), 1 + 2 * 3),  # 2 · 3 · 3 chips in 47 draws: rounded up to one
        (FOUR_TO_A_ROYAL, (1, 0, 0, 0, 0), 2 * 3 * 8 + 2 * 3),  # 375 chips for one staked
    ],
)
def test_what_silence_costs_after_an_order(
    hand: tuple[int, ...], order: tuple[int, ...], price: int
) -> None:
    """Two at level 3: a stake is six chips."""
    assert silence_price(2, 3, hand, order) == price
    s = State(dealt=hand, order=order)
    assert BankPoker(2, 3).forfeit(s, CROUPIER) == (6 - price, price - 6)


def test_what_leaving_costs_in_each_version() -> None:
    before, dealt = State(), State(dealt=NOTHING_MUCH)
    stands = State(dealt=NOTHING_MUCH, order=(0,) * 5)
    royal = State(dealt=parse_hand("Ts Js Qs Ks As"))
    for rules in (Poker, BankPoker):
        for s in (before, dealt, stands, royal):
            assert rules(2, 3).forfeit(s, PLAYER) == (6, -6)
    assert [Poker(2, 3).forfeit(s, CROUPIER)[1] for s in (before, dealt)] == [1500 - 6] * 2
    assert [BankPoker(2, 3).forfeit(s, CROUPIER)[1] for s in (before, dealt, stands, royal)] == [
        *(6, 30 * 6 - 6, 30 * 6 - 6, 1500 - 6)
    ]
    assert (Poker.seats, BankPoker.seats) == (2, 2)

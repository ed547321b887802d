"""The Player: honest games, crooked Croupiers, crashes, and nothing told too early."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from fairground.bank import seeds
from fairground.bank.bank_port import (
    BankAway,
    Call,
    Complain,
    GameOutcome,
    Silence,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    Terms,
    WithdrawFunds,
)
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.croupier_port import About, Declined, Offer, Sight
from fairground.bank.messages import Bet, Domain, Key, PublicKey
from fairground.bank.player.game import (
    PATIENCE,
    Complained,
    NoGame,
    Party,
    PlayersGame,
    Sent,
    Suspicion,
    Waiting,
)
from fairground.bank.player.notes import Note, Notebook
from fairground.bank.player.player import BET_TIME, PlayerClient, WrongCroupier
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature
from fairground.clients.http import Unreachable
from fairground.core import FairgroundError
from fairground.games.poker.rules import PAYS, Rank
from fairground.verifier import verify
from tests.helpers.croupier import CHIP, ORDER, PURSE, STANDS, STEP_TIME, BlockBank, Wrapped, prize
from tests.helpers.player import LEAP, Crash, Crook, PlayersTable, Talker

STAKE = 5 * CHIP
TOP = PAYS[5][Rank.ROYAL_FLUSH] * CHIP


async def final_by_hand(table: PlayersTable, game: PlayersGame) -> tuple[int, ...]:
    """The final hand, computed from what the Bank recorded and by no code of the Player's."""
    events = await table.house.ledger.told(game.bet.key)
    told = {
        (event.name, event.values["seedId"]): event.values["signature"]
        for event in events
        if "seedId" in event.values
    }
    name = game.bet.struct_hash()

    def mixed(seed_id: int) -> int:
        his, theirs = "CroupierSeedSubmitted", "PlayerSeedSubmitted"
        return seeds.mix(name, seed_id, told[his, seed_id], told[theirs, seed_id])

    hand = seeds.deal(mixed(0))
    order = next(e for e in events if e.name == "ReplacementOrderSubmitted").values["order"]
    return seeds.replace(hand, seeds.unpacked_order(order), mixed(1)) if order else hand


async def finish(table: PlayersTable, game: PlayersGame, order: Sequence[int] = ORDER) -> int:
    """Play an open game to its end, honestly; gives the prize, which was paid to the wei."""
    before = (await table.house.ledger.account(table.key.address)).available
    await game.draw(game.order or order)
    ended = await game.settle()
    won = prize(game.bet, await final_by_hand(table, game))
    assert ended.outcome == GameOutcome.SETTLED
    assert (await table.house.ledger.account(table.key.address)).available == before + won
    return won


@pytest.mark.parametrize("order", [ORDER, STANDS, (1, 1, 1, 1, 1)])
async def test_an_honest_game(table: PlayersTable, order: tuple[int, ...]) -> None:
    player, game = await table.dealt(bet=2, level=3)
    assert game.bet.expiry <= table.house.clock.time + BET_TIME
    assert len(set(game.bet.commitments)) == 4
    won = await finish(table, game, order)
    assert await player.balance() == PURSE - 6 * CHIP + won
    record = game.witness.data
    verdict = verify(record)
    assert verdict.ok and verdict.payoff == (6 - won // CHIP, won // CHIP - 6)
    (name,) = {news.what for news in table.told(Sent) if "offer" in news.what}
    assert name == "an offer of game 0"
    assert not list(table.notebook.notes()), "a game that is over is forgotten"
    assert not table.told(Suspicion)
    again = await player.bet(1, 1)
    assert again.bet.game_id == 1
    assert not set(again.bet.commitments) & set(game.bet.commitments), "never the same twice"
    await again.deal()
    await finish(table, again)


async def test_both_sides_write_the_same_bytes(table: PlayersTable) -> None:
    noted: list[Note] = []

    class Remembering(Notebook):
        def write(self, note: Note) -> None:
            noted.append(note)
            super().write(note)

    table.notebook = Remembering()
    _, game = await table.dealt()
    await finish(table, game)
    assert game.witness.data == await table.croupier.transcript(noted[0].offer_id)


async def test_money_comes_and_goes(table: PlayersTable) -> None:
    await table.house.ledger.issue(table.key.address, 700 * CHIP)
    player = await table.player()
    assert await player.fund(1, 5, 200 * CHIP) == 0, "there is enough"
    assert await player.withdraw() == PURSE
    assert await player.withdraw() == 0
    assert await player.missing(10, 5) == 50 * CHIP
    assert await player.fund(1, 5, 200 * CHIP) == 200 * CHIP
    assert await player.balance() == 200 * CHIP
    await player.withdraw()
    assert await player.fund(1, 5, 10**9 * CHIP) == 5 * CHIP, "the purse is smaller"
    with pytest.raises(NoGame, match="missing"):
        await player.bet(2, 5)


async def test_an_empty_purse_is_said(table: PlayersTable) -> None:
    table.key = Key(7777)
    player = await table.player()
    with pytest.raises(NoGame, match=f"5 chips more.*0 chips outside.*{table.key.address}"):
        await player.fund(1, 5)


# A Croupier who is not what he says


OTHER = Key(9999).address


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"domain": Domain(1, OTHER)}, "chain 1"),
        ({"key": OTHER}, "offers the key"),
        ({"account": OTHER, "key": OTHER}, "at the Bank his is 0x0000"),
        ({"account": Key(7000).address}, "your own key"),
        ({"terms": Terms(1, STEP_TIME)}, "a chip costs 1 wei"),
    ],
)
async def test_whom_not_to_sit_down_with(
    table: PlayersTable, change: dict[str, Any], said: str
) -> None:
    class Boaster(Crook):
        async def about(self) -> About:
            return (await super().about())._replace(**change)

    table.desk = Boaster(table.croupier)
    with pytest.raises(WrongCroupier, match=said):
        await table.player()


Change = Callable[[Offer], dict[str, Any]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda offer: {"game_id": offer.game_id + 1}, "next is 0"),
        (lambda offer: {"commitments": (offer.commitments[0],) * 2}, "are equal"),
        (lambda offer: {"commitments": (b"short", offer.commitments[1])}, "32 bytes"),
        (lambda offer: {"croupier_key": OTHER}, "with the key"),
        (lambda offer: {"croupier": OTHER}, "the offer is by"),
        (lambda offer: {"player": OTHER}, "not for you"),
        (lambda offer: {"expiry": 1}, "has expired"),
    ],
)
async def test_offers_that_are_refused(table: PlayersTable, change: Change, said: str) -> None:
    class Forger(Crook):
        async def offer(self, player: str) -> Offer:
            offer = await super().offer(player)
            return offer._replace(**change(offer))

    table.desk = Forger(table.croupier)
    player = await table.player()
    with pytest.raises(FairgroundError, match=said):
        await player.bet(1, 5)
    assert not [note for note in table.notebook.notes() if note.signed], "nothing was signed"
    assert not player.unfinished()
    assert await player.balance() == PURSE


async def test_a_key_that_changed_since_is_noticed(table: PlayersTable) -> None:
    class Stale(Wrapped):
        gone = False

        async def account(self, owner: str) -> Any:
            account = await super().account(owner)
            return account._replace(key=OTHER) if self.gone else account

    table.bank = bank = Stale(table.house.ledger)
    player = await table.player()
    bank.gone = True
    with pytest.raises(WrongCroupier, match="at the Bank his is"):
        await player.bet(1, 5)


async def test_who_cannot_pay_gets_no_deposit_and_no_bet(table: PlayersTable) -> None:
    ledger, house = table.house.ledger, table.house.key
    await ledger.issue(table.key.address, PURSE)
    player = await table.player()
    rich = (await ledger.account(house.address)).available
    await ledger.send(house, WithdrawFunds(rich - TOP + 1))
    with pytest.raises(NoGame, match="could not pay"):
        await player.bet(1, 5)
    await player.withdraw()
    with pytest.raises(NoGame, match="could not pay"):
        await player.fund(1, 5, PURSE)
    assert await ledger.purse(table.key.address) == 2 * PURSE
    await player.fund(1, 4)
    game = await player.bet(1, 4)
    await game.deal()
    await finish(table, game)


# A Croupier who falls silent, or lets things lie


def kinds(*types: type[Any], seed_id: int | None = None) -> Callable[[Call], bool]:
    return lambda call: isinstance(call, types) and getattr(call, "seed_id", seed_id) == seed_id


class Mute(Crook):
    """He tells no seed of this number."""

    silent_on = 0

    async def look(self, offer_id: str) -> Sight:
        sight = await super().look(offer_id)
        told = [seed if i < self.silent_on else None for i, seed in enumerate(sight.seeds)]
        return sight._replace(seeds=(told[0], told[1]))


async def test_silent_at_seed_0_costs_him_a_stake(table: PlayersTable) -> None:
    table.desk = Mute(table.croupier)
    table.his_bank.lost = lambda call: isinstance(call, SubmitCroupierSeed | Complain)
    began = table.house.clock.time
    player, game = await table.dealt()
    assert game.ended is not None and game.ended.outcome == GameOutcome.CROUPIER_FORFEITED
    assert table.house.clock.time > began + STEP_TIME, "not before his time was up"
    assert table.told(Complained) == [Complained(Silence.FIRST_CROUPIER_SEED)]
    assert await player.balance() == PURSE + STAKE
    verdict = verify(game.witness.data)
    assert verdict.ok and verdict.payoff == (-5, 5)
    assert not list(table.notebook.notes())
    assert not [news for news in table.told(Sent) if "seed 0" in news.what], "ours stays secret"


async def test_silent_at_seed_1_costs_him_two_stakes_for_three_cards(table: PlayersTable) -> None:
    desk = table.desk = Mute(table.croupier)
    desk.silent_on = 1
    gone = kinds(SubmitCroupierSeed, seed_id=1)
    table.his_bank.lost = lambda call: isinstance(call, Complain) or gone(call)
    player, game = await table.dealt()
    await game.draw(ORDER)
    ended = await game.settle()
    assert ended.outcome == GameOutcome.CROUPIER_FORFEITED
    assert await player.balance() == PURSE + STAKE
    verdict = verify(game.witness.data)
    assert verdict.ok and verdict.payoff == (-5, 5)
    assert any("does not show his seed 1" in news.reason for news in table.told(Suspicion))
    assert any(news.party is Party.CROUPIER for news in table.told(Waiting))


@pytest.mark.parametrize("seed_id", [0, 1])
async def test_a_seed_that_he_tells_only_us_we_bring(table: PlayersTable, seed_id: int) -> None:
    table.desk = Talker(table.croupier)
    table.his_bank.lost = kinds(SubmitCroupierSeed, seed_id=seed_id)
    _, game = await table.dealt()
    await finish(table, game)
    brought = [news.what for news in table.told(Sent) if news.receiver is Party.BANK]
    assert f"his seed {seed_id}" in brought


@pytest.mark.parametrize(
    ("lost", "what"),
    [
        (kinds(SubmitPlayerSeedAndOrder), "seed 0 and the order"),
        (kinds(SubmitPlayerSeedAndResult), "seed 1"),
    ],
)
async def test_what_he_lets_lie_we_bring(
    table: PlayersTable, lost: Callable[[Call], bool], what: str
) -> None:
    table.his_bank.lost = lost
    _, game = await table.dealt()
    began = table.house.clock.time
    await finish(table, game)
    assert table.house.clock.time - began < PATIENCE + STEP_TIME // 4, "well in time"
    brought = [news.what for news in table.told(Sent) if news.receiver is Party.BANK]
    assert brought[-1] == what


async def test_a_desk_that_takes_nothing_more(table: PlayersTable) -> None:
    """The game goes on between us and the Bank, as far as his seeds are there."""

    refusals = {"seed": "not today", "order": "nor tomorrow", "look": "I do not know you"}

    class Rude(Crook):
        async def around(self, name: str, said: tuple[Any, ...]) -> Any:
            if name in refusals:
                raise Declined(refusals[name])
            return await super().around(name, said)

    table.desk = Rude(table.croupier)
    _, game = await table.dealt()
    await finish(table, game)
    reasons = " ".join(news.reason for news in table.told(Suspicion))
    assert "not today" in reasons and "nor tomorrow" in reasons


async def test_an_equivocator_is_named_and_the_bank_decides(table: PlayersTable) -> None:
    class TwoFaced(Crook):
        async def look(self, offer_id: str) -> Sight:
            sight = await super().look(offer_id)
            fake = Seed(bytes(32), Key(1).sign(Domain(1, OTHER), PublicKey(OTHER, OTHER)))
            return sight._replace(seeds=(fake, fake))

    table.desk = TwoFaced(table.croupier)
    later = table.house.clock.time + 30
    seed = kinds(SubmitCroupierSeed, seed_id=0)
    table.his_bank.lost = lambda call: seed(call) and table.house.clock.time < later
    _, game = await table.dealt()
    await finish(table, game)
    named = [news for news in table.told(Suspicion) if "not what was committed" in news.reason]
    assert named and all(news.party is Party.CROUPIER for news in named)


async def test_a_bet_that_he_takes_and_forgets(table: PlayersTable) -> None:
    table.his_bank.lost = kinds(SubmitBet)
    began = table.house.clock.time
    player, game = await table.dealt()
    assert game.ended is not None and game.ended.lapsed
    assert began + BET_TIME < table.house.clock.time < began + BET_TIME + STEP_TIME
    assert await player.balance() == PURSE
    assert not list(table.notebook.notes())


async def test_a_bet_that_he_declines_and_brings_later_is_still_played(table: PlayersTable) -> None:
    class Sly(Crook):
        async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
            await super().bet(offer_id, bet, signature)
            raise Declined("I would not dream of it")

    table.desk = Sly(table.croupier)
    _, game = await table.dealt()
    assert game.witness.hand
    await finish(table, game)
    assert "would not dream" in table.told(Suspicion)[0].reason


class Restarting(Crook):
    """An arena that is away whenever something is said to him for the first time."""

    def __init__(self, croupier: Croupier) -> None:
        super().__init__(croupier)
        self.heard: list[str] = []
        self.away = False

    async def around(self, name: str, said: tuple[Any, ...]) -> Any:
        if name in ("bet", "seed", "order"):
            self.heard.append(name)
            self.away = self.heard.count(name) <= 2
            if self.away:
                raise Unreachable("the arena starts again")
        return await super().around(name, said)


async def test_what_a_restart_swallowed_is_said_again(table: PlayersTable) -> None:
    """The Bank is in the same arena. A bet lay there for two minutes, other things for one."""
    desk = table.desk = Restarting(table.croupier)

    class SameArena(Wrapped):
        async def send(self, *call: Any) -> Any:
            if desk.away:
                raise BankAway("the arena starts again")
            return await super().send(*call)

    table.bank = SameArena(table.house.ledger)
    began = table.house.clock.time
    _, game = await table.dealt()
    await finish(table, game)
    assert desk.heard == 3 * ["bet"] + 3 * ["order"] + 3 * ["seed"]
    assert table.house.clock.time < began + PATIENCE + 3 * 2 * LEAP
    assert len(table.told(Suspicion)) == 3, "one for each thing, however often it is said"


async def test_a_bet_that_was_signed_before_a_crash_is_placed_after_it(table: PlayersTable) -> None:
    """Nobody knows whether he has heard it: so he is told again."""

    class Deaf(Crook):
        async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
            raise Crash

    table.desk = Deaf(table.croupier)
    with pytest.raises(Crash):
        await table.dealt()
    table.desk = table.croupier
    (game,) = PlayerClient(table.side()).unfinished()
    await game.deal()
    await finish(table, game)


# Our own time


async def test_too_long_a_thought_costs_the_stake_and_no_more(table: PlayersTable) -> None:
    player, game = await table.dealt()
    left = await game.seconds_left()
    assert STEP_TIME - 60 < left <= STEP_TIME
    table.house.clock.time += STEP_TIME + 1
    assert await game.seconds_left() == 0
    await game.draw(ORDER)
    assert (await game.settle()).outcome == GameOutcome.PLAYER_FORFEITED
    assert await player.balance() == PURSE - STAKE
    verdict = verify(game.witness.data)
    assert verdict.ok and verdict.payoff == (5, -5)
    assert (await table.house.ledger.account(table.key.address)).open_games == 0


@pytest.mark.parametrize("mined", [True, False])
async def test_a_seed_waits_for_confirmations(table: PlayersTable, mined: bool) -> None:
    """Without blocks it is told in the last quarter of the time: better than to lose for sure."""
    blocks = BlockBank(table.house.ledger)
    table.his_bank.bank = table.bank = blocks
    at: list[tuple[int, int]] = []

    class Listening(Crook):
        async def around(self, name: str, said: tuple[Any, ...]) -> Any:
            if name == "order":
                at.append((blocks.height, table.house.clock.time))
            return await super().around(name, said)

    table.desk = Listening(table.croupier)
    player = await table.player(confirmations=3)
    game = await player.bet(1, 5)
    began = table.house.clock.time
    pump = table.pace._meanwhile

    async def meanwhile() -> None:
        await pump()
        blocks.mine(int(mined))

    table.pace._meanwhile = meanwhile
    await game.deal()
    await game.draw(ORDER)
    seen = next(height for height, state in blocks.past[game.bet.key] if state.step == 2)
    first, when = at[0]
    if mined:
        assert first >= seen + 3
        assert when < began + STEP_TIME // 2
    else:
        assert when >= began + STEP_TIME * 3 // 4
        assert any("time runs out" in news.reason for news in table.told(Suspicion))

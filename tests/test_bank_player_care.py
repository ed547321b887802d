"""What a Player's client must not do: believe the Bank, lose a game in a crash, tell early."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from croupier_house import CHIP, ORDER, PURSE, STANDS, STEP_TIME, Wrapped, prize
from fairground.bank.curve import Signature
from fairground.bank.dealers import REGISTER
from fairground.bank.desk import Offer, Sight
from fairground.bank.notebook import FileNotebook, NotebookInUse
from fairground.bank.player import Player
from fairground.bank.port import (
    Account,
    BankAway,
    Call,
    DepositFunds,
    Event,
    Game,
    Outcome,
    Step,
    SubmitPublicKey,
)
from fairground.bank.seeds import Seed, packed_hand, packed_order
from fairground.bank.telling import Alarm, Ended, News, Party, Waiting
from fairground.bank.wire import Bet, Domain, Key, Message
from fairground.core import Unreadable
from fairground.verify import verify
from player_side import Crash, Crook, Driven, PlayersTable, at_the_table

STAKE = 5 * CHIP

# A Bank that lies to the Player


class Liar(Wrapped):
    """A ledger whose operator shows this Player something else."""

    def __init__(self, bank: Any, lie: Callable[[Game], Game]) -> None:
        super().__init__(bank)
        self._lie = lie

    async def game(self, key: bytes, confirmations: int = 0) -> Game:
        return self._lie(await super().game(key, confirmations))


def when(at: Step, /, **values: Any) -> Callable[[Game], Game]:
    """Lie about a game that is just so far."""
    return lambda game: game._replace(**values) if game.step == at else game


HAND = packed_hand((0, 1, 2, 3, 4))

LIES = {
    "another hand": (when(Step.HAND_DEALT, hand=HAND), "it shows the hand 2♡ 3♡ 4♡ 5♡ 6♡"),
    "no hand": (when(Step.HAND_DEALT, hand=packed_hand((60, 1, 2, 3, 4))), r"\[60, 1, 2, 3, 4\]"),
    "another order": (when(Step.HAND_FINAL, order=packed_order((1, 1, 1, 1, 1))), "the order"),
    "another final hand": (when(Step.HAND_FINAL, hand=HAND), "it shows the hand 2♡"),
    "another bet": (when(Step.CROUPIER_SEED_0_SUBMITTED, bet_hash=b"x" * 32), "did not sign"),
    "dealt too early": (
        when(Step.CROUPIER_SEED_0_SUBMITTED, step=Step.HAND_DEALT, hand=HAND),
        "dealt before both seeds",
    ),
    "final too early": (
        when(
            Step.CROUPIER_SEED_1_SUBMITTED,
            step=Step.HAND_FINAL,
            order=packed_order(ORDER),
            hand=HAND,
        ),
        "final before both seeds",
    ),
    "silence that was none": (
        when(Step.HAND_DEALT, outcome=Outcome.PLAYER_FORFEITED),
        "player forfeited after hand dealt",
    ),
    "released in the middle": (
        when(Step.ORDER_SUBMITTED, outcome=Outcome.RELEASED),
        "released after order",
    ),
    "settled in the middle": (
        when(Step.HAND_DEALT, outcome=Outcome.SETTLED),
        "final hand is not known",
    ),
    "a penalty not paid": (
        when(Step.ORDER_SUBMITTED, outcome=Outcome.CROUPIER_FORFEITED),
        "paying you 0 wei",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_a_bank_that_lies_about_a_game_is_found_out(tmp_path: Path, name: str) -> None:
    lie, said = LIES[name]

    async def test(table: PlayersTable) -> None:
        table.bank = Liar(table.house.ledger, lie)
        # Slowly, so that the Player sees every step.
        slow(table)
        with pytest.raises(Alarm, match=said) as alarm:
            _, game = await table.dealt()
            await game.draw(ORDER)
            await game.settle()
        assert alarm.value.party is Party.BANK
        assert "the Bank is at fault" in str(alarm.value)

    at_the_table(tmp_path, test)


def slow(table: PlayersTable) -> None:
    """The Croupier brings one thing to the Bank at each of the Player's pauses."""
    brought: set[int] = set()

    def lost(call: Call) -> bool:
        if isinstance(call, SubmitPublicKey | DepositFunds):
            return False
        if table.pace.pauses in brought:
            return True
        brought.add(table.pace.pauses)
        return False

    table.his_bank.lost = lost


class Rewriter(Wrapped):
    """A ledger whose operator rewrites what was recorded, or what is in an account."""

    def __init__(self, bank: Any, name: str, **values: Any) -> None:
        super().__init__(bank)
        self._name, self._values = name, values
        self.robbed = 0

    async def told(self, key: bytes) -> Sequence[Event]:
        return [
            Event(name, {**values, **self._values} if name == self._name else values)
            for name, values in await super().told(key)
        ]

    async def account(self, owner: str) -> Account:
        account = await super().account(owner)
        return account._replace(available=account.available - self.robbed)


def test_a_prize_that_is_not_the_hands(tmp_path: Path) -> None:
    async def test(table: PlayersTable) -> None:
        table.bank = Rewriter(table.house.ledger, "GameSettled", prize=1)
        _, game = await table.dealt()
        with pytest.raises(Alarm, match="it paid 1 wei for a hand worth"):
            await game.draw(STANDS)
            await game.settle()

    at_the_table(tmp_path, test)


def test_a_seed_that_the_bank_should_not_have_taken(tmp_path: Path) -> None:
    async def test(table: PlayersTable) -> None:
        table.bank = Rewriter(table.house.ledger, "CroupierSeedSubmitted", nonce=bytes(32))
        with pytest.raises(Alarm, match="it took a seed that it must refuse"):
            await table.dealt()

    at_the_table(tmp_path, test)


def test_money_that_is_missing_in_the_end(tmp_path: Path) -> None:
    async def test(table: PlayersTable) -> None:
        bank = table.bank = Rewriter(table.house.ledger, "")
        player, game = await table.dealt()
        await game.draw(ORDER)
        await game.settle()
        won = prize(game.bet, game.witness.final)
        assert await player.balance() == PURSE - STAKE + won
        bank.robbed = 1
        with pytest.raises(Alarm, match="by your own count"):
            await player.balance()

    at_the_table(tmp_path, test)


def test_a_bank_that_hides_the_croupiers_seed(tmp_path: Path) -> None:
    class Hider(Wrapped):
        async def told(self, key: bytes) -> Sequence[Event]:
            return []

    class Silent(Crook):
        async def look(self, offer_id: str) -> Sight:
            return (await super().look(offer_id))._replace(seeds=(None, None))

    async def test(table: PlayersTable) -> None:
        table.bank, table.desk = Hider(table.house.ledger), Silent(table.croupier)
        with pytest.raises(Alarm, match="does not tell it"):
            await table.dealt()

    at_the_table(tmp_path, test)


def test_a_bank_that_goes_away_and_comes_back(tmp_path: Path) -> None:
    class Flaky(Wrapped):
        calls, down = 0, False

        async def around(self, name: str, do: Callable[[], Any]) -> Any:
            self.calls += 1
            if self.down and self.calls % 12 < 4:
                raise BankAway("the line is down")
            return await do()

    async def test(table: PlayersTable) -> None:
        flaky = table.bank = Flaky(table.house.ledger)
        player = await table.player()
        game = await player.bet(1, 5)
        flaky.down = True
        await game.deal()
        await game.draw(ORDER)
        assert (await game.settle()).outcome == Outcome.SETTLED
        assert any("the line is down" in news.what for news in table.told(Waiting))

    at_the_table(tmp_path, test)


# Crashes


@pytest.mark.parametrize("order", [ORDER, STANDS])
def test_a_game_survives_a_crash_at_any_instant(tmp_path: Path, order: tuple[int, ...]) -> None:
    """The program ends at its first pause, its second, ... until it needs no more of them."""

    async def test(table: PlayersTable) -> None:
        notes = tmp_path / "notes"
        crashes, finished = 0, 0
        for longest in range(40):
            before = (await table.house.ledger.account(table.key.address)).available
            slow(table)
            for last in (longest, None):
                table.pace = Driven(table.house.clock, table.croupier.pump)
                table.pace.longest = last
                notebook = table.notebook = FileNotebook(notes)
                player = await table.player()
                try:
                    open_games = player.unfinished()
                    game = open_games[0] if open_games else await player.bet(1, 5)
                    await game.deal()
                    await game.draw(game.order or order)
                    ended = await game.settle()
                except Crash:
                    crashes += 1
                    continue
                finally:
                    notebook.close()
                break
            assert ended.outcome == Outcome.SETTLED
            won = prize(game.bet, game.witness.final)
            after = (await table.house.ledger.account(table.key.address)).available
            assert after == before - STAKE + won
            assert verify(game.witness.record.data, register=REGISTER).ok
            assert not list(notes.glob("*.json"))
            finished += 1
            if last is not None:
                break
        assert finished == crashes + 1 and crashes >= 5

    at_the_table(tmp_path, test)


def test_after_a_crash_and_a_long_night_it_complains(tmp_path: Path) -> None:
    async def test(table: PlayersTable) -> None:
        _, game = await table.dealt()
        table.pace.longest = table.pace.pauses
        table.his_bank.lost = lambda call: True
        with pytest.raises(Crash):
            await game.draw(ORDER)
            await game.settle()
        table.pace.longest = None
        # The order reached the Bank; the Croupier is gone for good.
        table.his_bank.lost = lambda call: type(call).__name__ != "SubmitReplacementOrder"
        await table.croupier.pump()
        table.house.clock.time += STEP_TIME + 1
        (again,) = (await table.player()).unfinished()
        assert (await again.settle()).outcome == Outcome.CROUPIER_FORFEITED

    at_the_table(tmp_path, test)


def test_seeds_are_on_the_disk_before_anything_is_signed(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    seen: list[dict[str, Any]] = []

    class Watched(Key):
        def sign(self, domain: Domain, message: Message) -> Signature:
            if isinstance(message, Bet):
                (path,) = notes.glob("*.json")
                assert stat.S_IMODE(path.stat().st_mode) == 0o600
                assert stat.S_IMODE(notes.stat().st_mode) == 0o700
                seen.append(json.loads(path.read_text()))
                commitments = [Seed.from_hex(text).commitment for text in seen[-1]["seeds"]]
                assert commitments == [*message.commitments[2:]]
            return super().sign(domain, message)

    async def test(table: PlayersTable) -> None:
        table.key, table.notebook = Watched(7000), FileNotebook(notes)
        _, game = await table.dealt()
        assert len(seen) == 1 and seen[0]["signed"] is None
        # The order, too, before it is told.
        await game.draw(ORDER)
        await game.settle()

    at_the_table(tmp_path, test)


def test_a_bet_that_was_never_signed_is_forgotten(tmp_path: Path) -> None:
    class Clumsy(Key):
        def sign(self, domain: Domain, message: Message) -> Signature:
            if isinstance(message, Bet):
                raise Crash
            return super().sign(domain, message)

    async def test(table: PlayersTable) -> None:
        table.key, table.notebook = Clumsy(7000), FileNotebook(tmp_path / "notes")
        player = await table.player()
        with pytest.raises(Crash):
            await player.bet(1, 5)
        assert len(list(table.notebook.notes())) == 1
        assert not player.unfinished()
        assert not list((tmp_path / "notes").glob("*.json"))

    at_the_table(tmp_path, test)


def test_one_notebook_serves_one_program(tmp_path: Path) -> None:
    first = FileNotebook(tmp_path / "notes")
    with pytest.raises(NotebookInUse, match="another program"):
        FileNotebook(tmp_path / "notes")
    first.close()
    FileNotebook(tmp_path / "notes").close()


def test_notes_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "abc.json").write_text('{"offer": 1}')
    with pytest.raises(Unreadable, match=r"abc\.json.*stake is lost"):
        FileNotebook(tmp_path)


# Nothing too early


def test_no_seed_leaves_before_its_time(tmp_path: Path) -> None:
    """All that goes to the desk, to the Bank and to the screen is searched for our seeds."""

    async def test(table: PlayersTable) -> None:
        ledger = table.house.ledger
        secrets: list[tuple[int, str]] = []
        searched: list[bool] = []

        async def search(said: object) -> None:
            for seed_id, text in secrets:
                if text in plain(said):
                    (note,) = table.notebook.notes()
                    assert note.signed is not None
                    state = await ledger.game(note.signed[1].key)
                    needed = (Step.CROUPIER_SEED_0_SUBMITTED, Step.CROUPIER_SEED_1_SUBMITTED)
                    assert state.step >= needed[seed_id], f"seed {seed_id} is in {said!r}"
                    searched.append(True)

        class Ear(Crook):
            async def offer(self, player: str) -> Offer:
                await search(player)
                return await super().offer(player)

            async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
                (note,) = table.notebook.notes()
                for seed_id, seed in enumerate(note.seeds):
                    secrets.append((seed_id, seed.nonce.hex()))
                    secrets.append((seed_id, f"{seed.signature.r:064x}"))
                    secrets.append((seed_id, f"{seed.signature.s:064x}"))
                await search((bet, signature))
                await super().bet(offer_id, bet, signature)

            async def seed(self, offer_id: str, seed_id: int, seed: Seed) -> None:
                await search(seed)
                await super().seed(offer_id, seed_id, seed)

            async def order(self, offer_id: str, order: Any, signature: Signature) -> None:
                await search((order, signature))
                await super().order(offer_id, order, signature)

        class Eye(Wrapped):
            async def send(self, sender: Key, call: Call) -> Sequence[Event]:
                await search(call)
                return await super().send(sender, call)

        class Screen(Driven):
            async def pause(self, seconds: float) -> None:
                for news in told:
                    await search(news)
                told.clear()
                await super().pause(seconds)

        told: list[News] = []
        table.news = told
        table.bank, table.desk = Eye(ledger), Ear(table.croupier)
        table.pace = Screen(table.house.clock, table.croupier.pump)
        slow(table)
        player = Player(table.side())
        await player.sit_down()
        game = await player.bet(1, 5)
        await game.deal()
        await game.draw(ORDER)
        await game.settle()
        assert isinstance(told[-1], Ended)
        assert len(secrets) == 6 and len(searched) >= 12, "the seeds were seen in their time"

    at_the_table(tmp_path, test)


def plain(said: object) -> str:
    """Everything in a value, as text in which hex digits can be found."""
    if isinstance(said, bytes):
        return said.hex()
    if isinstance(said, Seed):
        return said.hex()
    if isinstance(said, Signature):
        return said.hex()
    if isinstance(said, dict):
        return " ".join(map(plain, said.values()))
    if isinstance(said, (tuple, list)):
        return " ".join(map(plain, said))
    return str(said)

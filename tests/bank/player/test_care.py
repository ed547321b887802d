"""What a Player's client must not do: lose a game in a crash, bet twice, tell too early."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.bank_port import (
    AS_USUAL,
    NO_GAME,
    BankAway,
    BankEvent,
    BankGame,
    BankRefused,
    Call,
    Complain,
    GameOutcome,
    Spending,
    Step,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitPlayerSeedAndOrder,
)
from fairground.bank.croupier_port import About
from fairground.bank.messages import Bet, Domain, Key, Message
from fairground.bank.player.game import Alarm, GameEnded, News, NoGame, Party, Suspicion, Waiting
from fairground.bank.player.notes import Notebook, NotebookInUse
from fairground.bank.player.player import PlayerClient
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature
from fairground.core import Unreadable
from fairground.verifier import verify
from tests.helpers.croupier import CHIP, ORDER, STANDS, STEP_TIME, Wrapped, prize
from tests.helpers.player import Crash, Crook, Driven, PlayersTable, Talker, slow

STAKE = 5 * CHIP

# A Bank that cannot be reached, or paid


async def test_a_bank_that_goes_away_and_comes_back(table: PlayersTable) -> None:
    class Flaky(Wrapped):
        calls, down = 0, False

        async def around(self, name: str, do: Callable[[], Any]) -> Any:
            self.calls += 1
            if self.down and self.calls % 12 < 4:
                raise BankAway("the line is down")
            return await do()

    flaky = table.bank = Flaky(table.house.ledger)
    player = await table.player()
    game = await player.bet(1, 5)
    flaky.down = True
    await game.deal()
    await game.draw(ORDER)
    assert (await game.settle()).outcome == GameOutcome.SETTLED
    assert any("the line is down" in news.what for news in table.told(Waiting))


async def test_no_second_bet_while_the_first_may_be_taken(table: PlayersTable) -> None:
    class Frozen(Wrapped):
        """A chain without new blocks: its clock stands still."""

        at: int | None = None

        async def now(self) -> int:
            return await super().now() if self.at is None else self.at

    bank = table.bank = Frozen(table.house.ledger)
    player = await table.player()
    bank.at = await bank.now()
    table.his_bank.lost = lambda call: isinstance(call, SubmitBet)
    game = await player.bet(1, 5)
    with pytest.raises(NoGame, match="stands still"):
        await game.deal()
    table.his_bank.lost = lambda call: False
    with pytest.raises(NoGame, match="no other is signed"):
        await player.bet(1, 5)
    assert len(list(table.notebook.notes())) == 1, "it is kept in mind"
    bank.at = None
    await game.deal()
    assert game.ended is not None and game.ended.lapsed
    again = await player.bet(1, 5)
    await again.deal()
    assert again.witness.hand


async def test_who_cannot_pay_the_gas_is_told_so(table: PlayersTable) -> None:
    class Dear(Wrapped):
        refusals = 0

        async def send(
            self, sender: Key, call: Call, spending: Spending = AS_USUAL
        ) -> Sequence[BankEvent]:
            if self.refusals:
                self.refusals -= 1
                raise BankRefused("InsufficientFunds", (sender.address, 0, 1))
            return await super().send(sender, call, spending)

    bank = table.bank = Dear(table.house.ledger)
    player = await table.player()
    bank.refusals = 1
    with pytest.raises(NoGame, match="where the gas is paid from"):
        await player.withdraw()
    game = await player.bet(1, 5)
    table.his_bank.lost = lambda call: isinstance(call, SubmitPlayerSeedAndOrder)
    bank.refusals = 2
    await game.deal()
    await game.draw(ORDER)
    assert bank.refusals == 0 and game.witness.hand
    (said,) = [news for news in table.told(Suspicion) if news.party is Party.PLAYER]
    assert table.key.address in said.reason


async def test_any_other_refusal_is_the_banks_fault(table: PlayersTable) -> None:
    class Stubborn(Wrapped):
        async def send(
            self, sender: Key, call: Call, spending: Spending = AS_USUAL
        ) -> Sequence[BankEvent]:
            raise BankRefused("WrongSeed")

    player = await table.player()
    table.bank = Stubborn(table.house.ledger)
    table.his_bank.lost = lambda call: isinstance(call, SubmitPlayerSeedAndOrder)
    player = PlayerClient(table.side())
    await player.sit_down()
    game = await player.bet(1, 5)
    with pytest.raises(Alarm, match=r"it does not take seed 0 and the order.*WrongSeed"):
        await game.deal()
        await game.draw(ORDER)


# Crashes


@pytest.mark.parametrize("order", [ORDER, STANDS])
async def test_a_game_survives_a_crash_at_any_instant(
    table: PlayersTable, tmp_path: Path, order: tuple[int, ...]
) -> None:
    """The program ends at its first pause, its second, ... until it needs no more of them."""
    notes = tmp_path / "notes"
    crashes, finished = 0, 0
    for longest in range(40):
        before = (await table.house.ledger.account(table.key.address)).available
        slow(table)
        for last in (longest, None):
            table.pace = Driven(table.house.clock, table.croupier.pump)
            table.pace.longest = last
            notebook = table.notebook = Notebook(notes)
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
        assert ended.outcome == GameOutcome.SETTLED
        won = prize(game.bet, game.witness.final)
        after = (await table.house.ledger.account(table.key.address)).available
        assert after == before - STAKE + won
        assert verify(game.witness.data).ok
        assert not list(notes.glob("*.json"))
        finished += 1
        if last is not None:
            break
    assert finished == crashes + 1 and crashes >= 5


async def test_after_a_crash_and_a_long_night_it_complains(table: PlayersTable) -> None:
    _, game = await table.dealt()
    table.pace.longest = table.pace.pauses
    table.his_bank.lost = lambda call: True
    with pytest.raises(Crash):
        await game.draw(ORDER)
        await game.settle()
    table.pace.longest = None
    # The order reached the Bank; the Croupier is gone for good.
    table.his_bank.lost = lambda call: type(call).__name__ != "SubmitPlayerSeedAndOrder"
    await table.croupier.pump()
    table.house.clock.time += STEP_TIME + 1
    (again,) = (await table.player()).unfinished()
    assert (await again.settle()).outcome == GameOutcome.CROUPIER_FORFEITED


@pytest.mark.parametrize(
    ("lost", "outcome"),
    [
        (SubmitCroupierSeed, GameOutcome.CROUPIER_FORFEITED),
        (SubmitPlayerSeedAndOrder, GameOutcome.PLAYER_FORFEITED),
    ],
)
async def test_what_was_said_and_came_too_late_is_in_nobodys_record(
    table: PlayersTable, lost: type[Any], outcome: GameOutcome
) -> None:
    """The seed was told at the desk, the program crashed, and the Bank never had it."""
    table.desk = Talker(table.croupier)
    table.his_bank.lost = lambda call: isinstance(call, lost | Complain)
    player = await table.player()
    game = await player.bet(1, 5)
    table.pace.longest = 4
    with pytest.raises(Crash):
        await game.deal()
        await game.draw(ORDER)
    table.pace.longest = None
    (note,) = table.notebook.notes()
    assert (await table.desk.look(note.offer_id)).seeds[0] is not None
    table.house.clock.time += STEP_TIME + 1
    (again,) = (await table.player()).unfinished()
    assert (await again.settle()).outcome == outcome
    assert again.witness.known.his[0] is not None, "it is known, but does not count"
    table.his_bank.lost = lambda call: False
    await table.croupier.pump()
    assert again.witness.data == await table.croupier.transcript(note.offer_id)
    assert verify(again.witness.data).ok


async def test_seeds_are_on_the_disk_before_anything_is_signed(
    table: PlayersTable, tmp_path: Path
) -> None:
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

    table.key, table.notebook = Watched(7000), Notebook(notes)
    _, game = await table.dealt()
    assert len(seen) == 1 and seen[0]["signed"] is None
    # The order, too, before it is told.
    await game.draw(ORDER)
    await game.settle()


async def test_a_bet_that_was_never_signed_is_forgotten(
    table: PlayersTable, tmp_path: Path
) -> None:
    class Clumsy(Key):
        def sign(self, domain: Domain, message: Message) -> Signature:
            if isinstance(message, Bet):
                raise Crash
            return super().sign(domain, message)

    table.key, table.notebook = Clumsy(7000), Notebook(tmp_path / "notes")
    player = await table.player()
    with pytest.raises(Crash):
        await player.bet(1, 5)
    assert len(list(table.notebook.notes())) == 1
    assert not player.unfinished()
    assert not list((tmp_path / "notes").glob("*.json"))


def test_one_notebook_serves_one_program(tmp_path: Path) -> None:
    first = Notebook(tmp_path / "notes")
    with pytest.raises(NotebookInUse, match="another program"):
        Notebook(tmp_path / "notes")
    first.close()
    Notebook(tmp_path / "notes").close()


def test_notes_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "abc.json").write_text('{"offer": 1}')
    with pytest.raises(Unreadable, match=r"abc\.json.*stake is lost"):
        Notebook(tmp_path)


# Nothing too early


async def test_no_seed_leaves_before_its_time(table: PlayersTable) -> None:
    """All that goes to the desk, to the Bank and to the screen is searched for our seeds."""
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
        async def around(self, name: str, said: tuple[Any, ...]) -> Any:
            if name == "bet":
                (note,) = table.notebook.notes()
                for seed_id, seed in enumerate(note.seeds):
                    signature = seed.signature
                    parts = seed.nonce.hex(), f"{signature.r:064x}", f"{signature.s:064x}"
                    secrets.extend((seed_id, part) for part in parts)
            await search(said)
            return await super().around(name, said)

    class Eye(Wrapped):
        async def send(
            self, sender: Key, call: Call, spending: Spending = AS_USUAL
        ) -> Sequence[BankEvent]:
            await search(call)
            return await super().send(sender, call, spending)

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
    player = PlayerClient(table.side())
    await player.sit_down()
    game = await player.bet(1, 5)
    await game.deal()
    await game.draw(ORDER)
    await game.settle()
    assert isinstance(told[-1], GameEnded)
    assert len(secrets) == 6 and len(searched) >= 12, "the seeds were seen in their time"


def plain(said: object) -> str:
    """Everything in a value, as text in which hex digits can be found."""
    if isinstance(said, bytes | Seed | Signature):
        return said.hex()
    if isinstance(said, dict):
        said = tuple(said.values())
    return " ".join(map(plain, said)) if isinstance(said, tuple | list) else str(said)


async def test_a_croupier_who_waits_for_blocks_is_not_suspected(table: PlayersTable) -> None:
    class Slow(Wrapped):
        """No block has come since the bet."""

        still = True

        async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
            return NO_GAME if confirmations and self.still else await super().game(key)

    class Patient(Crook):
        async def about(self) -> About:
            return (await super().about())._replace(confirmations=6)

    bank = table.bank = Slow(table.house.ledger)
    table.desk = Patient(table.croupier)
    brings = False
    table.his_bank.lost = lambda call: isinstance(call, SubmitCroupierSeed) and not brings
    player = await table.player()
    game = await player.bet(1, 5)

    async def suspected(pauses: int) -> bool:
        table.pace.longest = table.pace.pauses + pauses
        with pytest.raises(Crash):
            await game.deal()
        return any("does not show" in one.reason for one in table.told(Suspicion))

    assert not await suspected(20)
    (wait,) = [one for one in table.told(Waiting) if "6 blocks" in one.what]
    assert wait.party is Party.BANK
    bank.still = False
    assert not await suspected(6), "his seed needs a block of its own"
    assert await suspected(20)
    brings, table.pace.longest = True, None
    await game.deal()
    assert game.witness.hand

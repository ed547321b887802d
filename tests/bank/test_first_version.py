"""The first version of the Bank: games that were played there are checked for ever.

New Banks are of the second version. Here the old contract, the old rules in Python, a ledger
that was opened under them, and the audit of a game on the old contract.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fairground.bank.audit import settled
from fairground.bank.bank_port import BankRefused, GameOutcome, Silence, SubmitPlayerSeedAndResult
from fairground.bank.chain import abi
from fairground.bank.chain.artifact import NEWEST
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.embedded import EmbeddedNode
from fairground.bank.ledger.bank import KIND, LedgerBank
from fairground.bank.ledger.lines import Ledger, read_ledger
from fairground.bank.messages import Domain, Key, Signer
from fairground.games.poker import PENALTY
from fairground.store import Append
from fairground.verify import verify
from tests.helpers.bank_game import Round, enter
from tests.helpers.croupier import CHIP as LEDGER_CHIP
from tests.helpers.croupier import STEP_TIME as LEDGER_STEP
from tests.helpers.evm import BANKROLL, CHIP, PURSE, STEP_TIME, Hall, Party, hall, refused
from tests.helpers.player import PlayersTable, at_the_table

ORDER = (1, 0, 1, 1, 0)


@pytest.fixture
def h() -> Hall:
    return hall(version=1)


def test_contract_and_books_agree_on_a_whole_game(h: Hall) -> None:
    play = h.play()
    play.run_to(7)
    assert h.bank.game(play.bet).outcome == GameOutcome.SETTLED
    assert h.bank.game(play.bet).bet_hash == play.bet.struct_hash()


@pytest.mark.parametrize(("steps", "gained"), [(1, 0), (2, -1), (3, -1), (4, PENALTY - 1), (5, -1)])
def test_contract_and_books_agree_on_every_silence(h: Hall, steps: int, gained: int) -> None:
    play = h.play()
    play.run_to(steps)
    h.bank.evm.travel(STEP_TIME + 1)
    about = list(Silence)[steps - 1].value.removeprefix("complainNo")
    with refused("NotAParty"):
        play.complain(about, by=h.stranger)
    play.complain(about)
    change = gained * play.bet.stake
    assert h.wealth() == (BANKROLL - change, PURSE + change)


def test_keys_are_frozen_and_newer_calls_unknown(h: Hall) -> None:
    play = h.play()
    play.run_to(5)
    with refused("KeyFrozen"):
        h.bank.register(Party(h.player.address, Key(99)))
    seed, his = play.seeds[Signer.PLAYER, 1], play.seeds[Signer.CROUPIER, 1].signature
    call = SubmitPlayerSeedAndResult(play.bet, seed, his)
    with pytest.raises(BankRefused, match="UnknownCall"):
        h.bank.books.apply(h.player.address, call, h.bank.evm.now)
    with refused("0x"):
        h.bank.send(h.player, abi.encoded(call))


def test_verify_asks_a_bank_of_the_first_version(monkeypatch: pytest.MonkeyPatch) -> None:
    croupier, player, maker = Key(4001), Key(4002), Key(4003)

    async def check() -> None:
        node = EmbeddedNode({key.address: 10**20 for key in (croupier, player, maker)})

        monkeypatch.setattr(abi.deployment, "__defaults__", (1,))
        bank = await ChainBank.open(node, await deploy(node, maker, CHIP, STEP_TIME))
        assert (bank.version, NEWEST) == (1, 2)
        await enter(bank, croupier, 20_000 * CHIP)
        await enter(bank, player, 100 * CHIP)
        game = await Round.new(bank, croupier, player)
        for sender, call in game.calls():
            await bank.send(sender, call)

        async def opened(_: Domain) -> ChainBank:
            return await ChainBank.open(node, bank.address)

        record = game.record(version=1)
        assert verify(record).game == "poker/1"
        assert (await settled(verify(record), record, opened)).ok
        newer = game.record()
        verdict = await settled(verify(newer), newer, opened)
        assert verdict.fault is not None and verdict.fault.code == "bank/other-bet"
        await bank.close()

    asyncio.run(check())


@pytest.mark.parametrize("silent", [False, True])
def test_a_ledger_of_the_first_version_goes_on_under_its_rules(
    tmp_path: Path, silent: bool
) -> None:
    async def test(table: PlayersTable) -> None:
        house = table.house
        store = house.store
        line = Ledger.opening(house.ledger.terms, None, house.clock.time, version=1)
        await store.commit(Append("old", 0, (line,), KIND))
        old = await LedgerBank.open(store, log="old", clock=house.clock)
        assert old.version == 1
        for key in (house.key, table.key):
            await old.issue(key.address, 50_000 * LEDGER_CHIP)
        house.ledger = house.bank = table.bank = old
        croupier = house.croupier(bankroll=40_000 * LEDGER_CHIP)
        table.croupier = table.desk = croupier
        table.pace._meanwhile = croupier.pump
        player = await table.player()
        await player.fund(1, 5, 100 * LEDGER_CHIP)
        game = await player.bet(1, 5)
        await game.deal()
        if silent:
            house.clock.time += LEDGER_STEP + 1
        await game.draw(ORDER)
        ended = await game.settle()
        assert ended.outcome == (GameOutcome.PLAYER_FORFEITED if silent else GameOutcome.SETTLED)
        verdict = verify(game.witness.record.data)
        assert verdict.ok and verdict.game == "poker/1"
        lines = list(await old.lines(0, 100))
        assert read_ledger(lines).head == read_ledger(lines, trusting=True).head
        names = [one for one in lines if b"AndOrder" in one]
        assert not names, "an old Bank hears the old calls"

    at_the_table(tmp_path, test)

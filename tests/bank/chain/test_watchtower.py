"""A watchtower with a key of its own, at a Bank on ``anvil``: both parties are away."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fairground.bank.bank_port import BringHand, GameOutcome, SubmitBet
from fairground.bank.chain import abi
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.watchtower import Watchtower
from fairground.bank.crypto import keystore
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import Key, SessionTerms
from fairground.cli import main
from fairground.core import InputError
from tests.helpers.anvil import anvil
from tests.helpers.bank_game import Round, enter
from tests.helpers.fixed_hand import Hand

CHIP, STEP_TIME, ETHER = 10**12, 60, 10**18
CROUPIER, PLAYER, STRANGER, TOWER = (Key(5000 + i) for i in range(4))


def test_games_of_parties_that_are_away_come_home(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keystore.create, "__defaults__", (2,))
    words = tmp_path / "words"
    words.touch(0o600)
    words.write_text("swordfish\n")
    for name, key in (("tower", TOWER), ("croupier", CROUPIER)):
        keystore.create(tmp_path / f"{name}.json", key, "swordfish")

    async def play(url: str) -> str:
        bank = await ChainBank.open(url, await deploy(node, CROUPIER, CHIP, STEP_TIME))
        await enter(bank, CROUPIER, 50_000 * CHIP)
        for key in (PLAYER, STRANGER):
            await enter(bank, key, 100 * CHIP)
        silent = await Round.new(bank, CROUPIER, PLAYER)
        await silent.take(bank, 4)  # the Croupier owes seed 1, and is gone
        final = await Round.new(bank, CROUPIER, STRANGER)
        await final.take(bank, 6)  # nobody settles
        tower = Watchtower(bank, TOWER, [PLAYER.address])
        assert await tower.look() == [], "nobody is late yet"
        node.rpc("evm_increaseTime", STEP_TIME + 1)
        node.rpc("evm_mine")
        assert [call.bet for call in await tower.look()] == [silent.bet]  # type: ignore[union-attr]
        assert (await bank.game(silent.bet.key)).outcome == GameOutcome.CROUPIER_FORFEITED
        assert (await bank.game(final.bet.key)).outcome == GameOutcome.OPEN, "not its game"
        assert (await bank.account(PLAYER.address)).available == 105 * CHIP
        await bank.close()
        return bank.address

    with anvil("--hardfork", "prague") as process:
        node = process.node()
        for key in (CROUPIER, PLAYER, STRANGER, TOWER):
            node.rpc("anvil_setBalance", key.address, hex(10 * ETHER))
        url = process.url
        address = asyncio.run(play(url))
        where = ["--bank", url, "--bank-address", address, "--passphrase-file", str(words)]
        assert main(["bank", "watch", *where, "--key", f"{tmp_path}/tower.json", "--once"]) == 0
        assert f"submitGameResult: game 0 of {STRANGER.address}" in capsys.readouterr().out
        his = ["bank", "withdraw", *where, "--key", f"{tmp_path}/croupier.json"]
        assert main([*his, "--chips", "1000000"]) == 2
        assert "--chips must be 1 to " in capsys.readouterr().err
        before = node.balance(CROUPIER.address)
        assert main([*his, "--chips", "1000"]) == 0
        gained = node.balance(CROUPIER.address) - before
        assert 0 < 1000 * CHIP - gained < ETHER // 1000, "less the gas"
        assert main(his) == 0
        assert node.account(address, CROUPIER.address).available == 0


def test_a_bank_of_the_first_version_cannot_be_watched() -> None:
    class Old:
        version, address = 1, "0x" + 40 * "1"

    with pytest.raises(InputError, match="only the two parties"):
        Watchtower(Old(), TOWER)  # type: ignore[arg-type]


def test_a_bet_is_read_from_either_call_that_brings_one() -> None:
    assert abi.bet_in(abi.call_data("withdrawFunds", 1)) is None
    hand, signed = Hand.of(), Signature(27, 1, 2)
    assert abi.bet_in(abi.encoded(SubmitBet(hand.bet, signed))) == hand.bet
    terms = SessionTerms(*hand.bet[:4], 0, 1, 1, 1)
    assert abi.bet_in(abi.encoded(BringHand(terms, hand.bet, signed, signed))) == hand.bet

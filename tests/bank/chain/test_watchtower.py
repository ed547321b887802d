"""A watchtower with a key of its own, at a Bank on ``anvil``: both parties are away."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from fairground.bank import keystore
from fairground.bank.bank_port import BringHand, Complain, GameOutcome, Phase, Silence, SubmitBet
from fairground.bank.chain import abi
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.node import ChainNode
from fairground.bank.chain.watchtower import Watchtower
from fairground.bank.croupier.session import SessionCroupier
from fairground.bank.croupier_port import Declined
from fairground.bank.messages import Key, SessionTerms
from fairground.bank.player.session import SessionPlayer
from fairground.bank.session import Tower
from fairground.bank.signatures import Signature
from fairground.cli import main
from tests.helpers.anvil import anvil
from tests.helpers.bank_game import Round, enter
from tests.helpers.fixed_hand import Hand
from tests.helpers.line import line_to
from tests.helpers.session_journal import MemoryJournal

CHIP, STEP_TIME, ETHER = 10**12, 60, 10**18
CROUPIER, PLAYER, STRANGER, TOWER = (Key(5000 + i) for i in range(4))


class Silent(SessionCroupier):
    """He does not sign a state any more."""

    silent = False

    async def state(self, *said: Any) -> Signature:
        if self.silent:
            raise Declined("not today")
        return await super().state(*said)


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
        assert node.view(address, 0, "getAccount", CROUPIER.address)[0] == 0


def test_a_bet_is_read_from_either_call_that_brings_one() -> None:
    assert abi.bet_in(abi.call_data("withdrawFunds", 1)) is None
    hand, signed = Hand.of(), Signature(27, 1, 2)
    assert abi.bet_in(abi.encoded(SubmitBet(hand.bet, signed))) == hand.bet
    terms = SessionTerms(*hand.bet[:4], 0, 1, 1, 1)
    assert abi.bet_in(abi.encoded(BringHand(terms, hand.bet, signed, signed))) == hand.bet


class Look:
    """The program, looking once; and the chain that it looks at."""

    def __init__(self, node: ChainNode, address: str, folder: Path) -> None:
        self.node, self.address, self.left = node, address, folder / "left"
        words = folder / "words"
        words.touch(0o600)
        words.write_text("swordfish\n")
        keystore.create(folder / "tower.json", TOWER, "swordfish")
        self.command = [
            *("bank", "watch", "--bank-address", address, "--tower", str(self.left)),
            *("--passphrase-file", str(words), "--key", f"{folder}/tower.json", "--bank"),
        ]

    def __call__(self, capsys: pytest.CaptureFixture[str], *, later: bool = False) -> str:
        if later:
            self.node.rpc("evm_increaseTime", STEP_TIME + 1)
            self.node.rpc("evm_mine")
        assert main([*self.command, f"http://{self.node.name}", "--once"]) == 0
        return capsys.readouterr().out

    async def evening(self, cheat: Key) -> SessionPlayer:
        """A hand is done, the next is drawn, and its state is signed by nobody: somebody claims
        how the session began. The other has left what they held with the tower."""
        bank = await ChainBank.open(self.node, self.address)
        left = Tower(self.left)
        his, theirs = (left, None) if cheat == PLAYER else (None, left)
        croupier = Silent(bank, CROUPIER, 5_000 * CHIP, MemoryJournal(), tower=his)
        player = await SessionPlayer.open(bank, croupier, PLAYER, 50 * CHIP, tower=theirs)
        beginning = player.signed
        await player.deal(1, 1)
        await player.draw((1, 0, 1, 1, 0))
        await player.deal(1, 1)
        croupier.silent = True
        with pytest.raises(Declined):
            await player.draw((1, 0, 1, 1, 0))
        await bank.send(cheat, beginning.claim(player.terms))
        await bank.close()
        return player


class Watching:
    """The program, watching until it is stopped."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fairground", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self.said = ""

    def until(self, words: str) -> None:
        assert self.process.stdout is not None
        while words not in self.said:
            line = self.process.stdout.readline()
            assert line, f"it ended without {words!r}: {self.said}"
            self.said += line

    def forget(self) -> None:
        self.said = ""

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        assert self.process.stdout is not None
        self.said += self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(30)


def test_a_watchtower_watches_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its node is away before the start and later. A file is half copied, another is nonsense, and
    a third is forged, so that the Bank refuses it; each is read before the whole one."""
    monkeypatch.setattr(keystore.create, "__defaults__", (2,))

    async def begin(node: ChainNode) -> str:
        bank = await ChainBank.open(node, await deploy(node, CROUPIER, CHIP, STEP_TIME))
        for key in (CROUPIER, PLAYER):
            await enter(bank, key, 20_000 * CHIP)
        await bank.close()
        return bank.address

    with anvil("--hardfork", "prague") as process, line_to(int(process.port)) as line:
        node = process.node()
        for key in (CROUPIER, PLAYER, TOWER):
            node.rpc("anvil_setBalance", key.address, hex(10 * ETHER))
        look = Look(node, asyncio.run(begin(node)), tmp_path)
        player = asyncio.run(look.evening(CROUPIER))
        (whole,) = look.left.glob("*.left")
        forged = json.loads(whole.read_text())
        forged["player_signature"] = forged["croupier_signature"]
        (look.left / "00-forged.left").write_text(json.dumps(forged))
        half = look.left / "aa-player.left"
        half.write_text(whole.read_text()[:200])
        (look.left / "bb-player.left").write_text('{"format": 7, "role": 3}')
        metrics = tmp_path / "tower.prom"
        line.cut()
        tower = Watching(*look.command, line.url, "--every", "0.05", "--metrics", str(metrics))
        tower.until("Looking again in 0.1 seconds: no chain answers")
        line.mend()
        tower.until("Watching the Bank")
        tower.until(f"claimSession: session {player.terms.number} of {PLAYER.address}")
        for bad in ("00-forged.left", "aa-player.left", "bb-player.left"):
            assert bad in tower.said
        line.cut()
        tower.forget()
        tower.until("Looking again in 0.2 seconds: no chain answers")
        tower.until("Looking again in 0.4 seconds: no chain answers")
        failed = metrics.read_text()
        assert re.search(r"^fairground_watchtower_failed_looks [1-9]", failed, re.MULTILINE)
        line.mend()
        node.rpc("evm_increaseTime", STEP_TIME + 1)
        node.rpc("evm_mine")
        tower.until("bringHand")
        tower.until("submitAcceptedSeed")
        assert tower.stop() == 130, tower.said
        assert "Traceback" not in tower.said
        assert "fairground_watchtower_trouble 2" in metrics.read_text()
        parties = CROUPIER.address, PLAYER.address
        assert node.view(look.address, 0, "getSession", *parties)[2] == Phase.CLOSED


def test_a_watchtower_does_not_complain_about_whom_it_watches_for() -> None:
    hand = Hand.of()
    for silence, silent in (
        (Silence.REPLACEMENT_ORDER, hand.bet.player),
        (Silence.SECOND_CROUPIER_SEED, hand.bet.croupier),
    ):
        for accounts, spares in (
            ([silent], True),
            ([], False),
            ([hand.bet.player, hand.bet.croupier], False),
        ):
            tower = Watchtower(cast("ChainBank", Newer()), TOWER, accounts)
            assert tower._guards_the_silent(Complain(silence, hand.bet)) is spares


class Newer:
    version = 2


def test_sessions_of_parties_that_are_away_come_home(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each party in turn closes by an old state while the other is away."""
    monkeypatch.setattr(keystore.create, "__defaults__", (2,))

    async def begin(node: ChainNode) -> str:
        bank = await ChainBank.open(node, await deploy(node, CROUPIER, CHIP, STEP_TIME))
        for key in (CROUPIER, PLAYER):
            await enter(bank, key, 20_000 * CHIP)
        await bank.close()
        return bank.address

    with anvil("--hardfork", "prague") as process:
        node = process.node()
        for key in (CROUPIER, PLAYER, TOWER):
            node.rpc("anvil_setBalance", key.address, hex(10 * ETHER))
        look = Look(node, asyncio.run(begin(node)), tmp_path)
        for cheat in (CROUPIER, PLAYER):
            player = asyncio.run(look.evening(cheat))
            named = f"session {player.terms.number} of {PLAYER.address}"
            assert f"claimSession: {named}" in look(capsys)
            assert look(capsys).count("\n") == 1, "nothing more before the time has come"
            said = look(capsys, later=True)
            assert f"bringHand: game {player.terms.game_id(1)} of" in said
            assert "submitReplacementOrder" in said, "and on, as far as it was told"
            assert "submitAcceptedSeed" in said, "with his word on the order, by anyone"
            if cheat == PLAYER:
                # The Player's seed 1 was told to nobody, and does not come.
                assert "complainNoSecondPlayerSeed" in look(capsys, later=True)
            hand = player.held().hand
            assert hand is not None
            outcome = node.view(look.address, 0, "getGame", hand.bet.key)[2]
            fair = GameOutcome.SETTLED if cheat == CROUPIER else GameOutcome.PLAYER_FORFEITED
            assert outcome == fair
            parties = CROUPIER.address, PLAYER.address
            assert node.view(look.address, 0, "getSession", *parties)[2] == Phase.CLOSED
            money = [node.view(look.address, 0, "getAccount", party)[0] for party in parties]
            assert sum(money) == 40_000 * CHIP
            for path in look.left.glob("*"):
                path.unlink()

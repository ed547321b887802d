"""Three separate programs: the Player's client, the Croupier's arena, and the Bank."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import select
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.bank import keystore
from fairground.bank.bank_port import Step
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.messages import Key, word
from fairground.bank.signatures import keccak
from fairground.cli import main
from fairground.verifier import verify
from tests.helpers.anvil import anvil, until
from tests.helpers.arena import Process

PASSPHRASE = "correct horse"
CHIP = 10**15
STEP_TIME = 600
PURSES = (
    0xAC0974BEC39A17E36BA4A6B4D238FF944BACB478CBED5EFCAE784D7BF4F2FF80,
    0x59C6995E998F97A5A0044966F0945389DC9E86DAE88C7A8412F4603B6B78690D,
)
"""The first two accounts of every anvil, rich in its play money."""

CHEAP = 2
"""Rounds of scrypt: these keys are known to everybody."""


def client(
    folder: Path, answers: str, *arguments: str, passphrase: str = PASSPHRASE
) -> subprocess.CompletedProcess[str]:
    """``fairground croupier`` in a process of its own, in a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "fairground", "croupier", *arguments],
        input=answers,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment(folder, passphrase),
    )


def environment(folder: Path, passphrase: str = PASSPHRASE) -> dict[str, str]:
    return os.environ | {
        "XDG_DATA_HOME": str(folder),
        "FAIRGROUND_PASSPHRASE": passphrase,
        "COLUMNS": "100",
    }


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("arena")
    with Process(folder, "--database", f"sqlite:///{folder}/arena.db") as process:
        yield process.url


def payoff(record: Path) -> int:
    verdict = verify(record.read_bytes())
    assert verdict.ok and verdict.payoff is not None
    return verdict.payoff[1]


def balance(shown: str) -> int:
    """The last one that was said, in chips."""
    said = re.findall(r"Your account at the Bank: ([\d,]+) chip", shown)
    return int(said[-1].replace(",", ""))


def test_a_key_is_made_and_is_the_same_player_tomorrow(arena: str, tmp_path: Path) -> None:
    key, record = tmp_path / "keys" / "player.json", tmp_path / "game.jsonl"
    where = ("--croupier", arena, "--key", str(key), "--hands", "1")
    first = client(tmp_path, "13\n", *where, "--save", str(record))
    assert first.returncode == 0, first.stderr
    assert f"A new key is in {key}" in first.stdout
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert first.stdout.count("operator trusted: this Bank is a ledger of play money") == 2
    assert balance(first.stdout) == 200 + payoff(record)
    second = client(tmp_path, "\n", *where, "--save", str(record), "--bet", "2", "--level", "1")
    assert second.returncode == 0, second.stderr
    assert "A new key" not in second.stdout
    assert json.loads(record.read_text().splitlines()[0])["public"]["game_id"] == 1
    assert balance(second.stdout) == balance(first.stdout) + payoff(record)
    assert not list((tmp_path / "fairground" / "croupier").rglob("*.json")), "no game is open"


def test_a_client_that_is_killed_goes_on_when_it_is_started_again(
    arena: str, tmp_path: Path
) -> None:
    key = tmp_path / "player.json"
    keystore.create(key, Key.fresh(), PASSPHRASE, CHEAP)
    where = ("croupier", "--croupier", arena, "--key", str(key), "--no-save")
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment(tmp_path), TERM="xterm")
        os.execv(sys.executable, [sys.executable, "-m", "fairground", *where, "--hands", "1"])
    raw = b""
    while b"Hold nothing > " not in raw and select.select([terminal], [], [], 60)[0]:
        raw += os.read(terminal, 4096)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(terminal)
    dealt = re.findall(r"│[^\n]*│", re.sub("\x1b\\[[0-9;]*m", "", raw.decode()))[0]
    (notes,) = (tmp_path / "fairground" / "croupier").rglob("*.json")
    assert stat.S_IMODE(notes.stat().st_mode) == 0o600
    wrong = client(tmp_path, "", *where[1:], passphrase="wrong")
    assert wrong.returncode == 2
    assert "wrong passphrase" in wrong.stderr
    again = client(tmp_path, "12345\nq\n", *where[1:])
    assert again.returncode == 0, again.stderr
    assert "Game 0 was left open: going on with it." in again.stdout
    assert again.stdout.count(dealt) == 2, "the same hand, held"
    assert "Settled." in again.stdout
    assert not notes.exists()


def test_a_session_goes_on_after_the_client_was_killed(
    arena: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, record = tmp_path / "player.json", tmp_path / "evening.jsonl"
    keystore.create(key, Key.fresh(), PASSPHRASE, CHEAP)
    where = ("--session", "--croupier", arena, "--key", str(key), "--save", str(record))
    with subprocess.Popen(
        [sys.executable, "-m", "fairground", "croupier", *where],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(tmp_path),
    ) as killed:
        assert killed.stdin is not None and killed.stdout is not None
        killed.stdin.write(b"13\n")
        killed.stdin.flush()
        shown = b""
        while shown.count(b"Hold: ") < 2:
            shown += os.read(killed.stdout.fileno(), 4096)
        killed.kill()
    dealt = re.findall(r"│[^\n]*│", shown.decode().partition("Hand 2\n")[2])[0]
    again = client(tmp_path, "12345\nq\n", *where)
    assert again.returncode == 0, again.stderr
    assert "You go on with a session" in again.stdout
    assert again.stdout.count(dealt) == 2, "the same hand, held"
    assert "3 hands, checked" in again.stdout
    assert main(["verify", str(record), "--bank", arena]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "closed the session after 3 hands" in said


def test_a_session_advises_a_person_and_tells_a_program_nothing(arena: str, tmp_path: Path) -> None:
    where = ("--session", "--croupier", arena, "--no-save", "--level", "1", "--hands")
    asked = client(tmp_path, "hint\n?\np\n\n", *where, "1")
    assert asked.returncode == 0, asked.stderr
    assert re.search(r"The best is to hold .* stakes expected, exactly ", asked.stdout)
    assert asked.stdout.count("Type the numbers") == 2, "at first, and when asked"
    assert asked.stdout.count("What a hand pays") == 1
    assert "not understood" not in asked.stdout
    alone = client(tmp_path, "", *where, "12", "--seat", "player=optimal")
    assert alone.returncode == 0, alone.stderr
    assert "Type the numbers" not in alone.stdout
    results = re.findall(r", ([+-]\d+) (chips?)$", alone.stdout, re.MULTILINE)
    assert len(results) == 12
    assert all((word == "chip") == (abs(int(won)) == 1) for won, word in results)


def test_a_fresh_key_for_one_evening(arena: str, tmp_path: Path) -> None:
    done = client(tmp_path, "\n12345\nq\n", "--croupier", arena, "--no-save", "--buy-in", "50")
    assert done.returncode == 0, done.stderr
    assert "Your key is fresh, and gone when this program ends." in done.stdout
    assert "You deposit 50 chips at the Bank." in done.stdout


def test_nobody_at_the_address(tmp_path: Path) -> None:
    done = client(tmp_path, "", "--croupier", "http://127.0.0.1:9")
    assert done.returncode == 2
    assert "http://127.0.0.1:9/croupier does not answer" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.campaign
def test_three_programs_and_a_chain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """anvil, fairground serve, fairground croupier; and then the Croupier is gone for good."""
    for name, secret in zip(("croupier", "player"), PURSES, strict=True):
        keystore.create(tmp_path / f"{name}.json", Key(secret), PASSPHRASE, CHEAP)
    (tmp_path / "words").touch(mode=0o600)
    (tmp_path / "words").write_text(PASSPHRASE + "\n")
    passphrase = ("--passphrase-file", str(tmp_path / "words"))
    record = tmp_path / "game.jsonl"
    with anvil() as chain:
        bank = asyncio.run(deploy(chain.node(), Key(PURSES[0]), CHIP, STEP_TIME))
        his = ["--bank", chain.url, "--bank-address", bank, "--bankroll", "50000", *passphrase]
        his += ["--croupier-key", str(tmp_path / "croupier.json"), "--confirmations", "0"]
        with Process(tmp_path, "--database", f"sqlite:///{tmp_path}/arena.db", *his) as arena:
            mine = ["--key", str(tmp_path / "player.json"), *passphrase, "--hands", "1"]
            mine += ["--confirmations", "0"]  # nobody makes empty blocks here
            monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
            assert main(["croupier", "--croupier", arena.url, *mine]) == 2
            assert "name your own node of that chain with --bank URL" in capsys.readouterr().err
            there = ("--croupier", arena.url, "--bank", chain.url, *mine)
            done = client(tmp_path, "24\n", *there, "--save", str(record))
            assert done.returncode == 0, done.stderr
            assert "operator trusted" not in done.stdout
            won = payoff(record)
            assert balance(done.stdout) == 200 + won
            events = [json.loads(line) for line in record.read_text().splitlines()]
            assert [e["move"] for e in events if e["kind"] == "move"] == [[1, 0, 1, 0, 1]]
            assert main(["verify", str(record), "--bank", chain.url]) == 0
            left = client(tmp_path, "", *there)
            assert left.returncode == 3
            assert "Start again with the same key in time" in left.stdout
        # The Player comes back, and finds the Bank alone.
        with subprocess.Popen(
            [sys.executable, "-m", "fairground", "croupier", *there, "--save", str(record)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(tmp_path),
        ) as again:
            assert again.stdin is not None
            again.stdin.write("1\n")
            again.stdin.flush()
            croupier, player = (Key(secret).address for secret in PURSES)
            key = keccak(word(croupier) + word(player) + word(1))
            node = chain.node()
            until(lambda: node.view(bank, 0, "getGame", key)[1] == Step.ORDER_SUBMITTED)
            node.rpc("evm_increaseTime", STEP_TIME + 1)
            node.rpc("evm_mine")
            shown, said = again.communicate(timeout=60)
        assert "Game 1 was left open: going on with it." in shown
        assert "The Croupier forfeits, and the Bank pays you 5 chips." in shown
        assert payoff(record) == 0
        assert balance(shown) == 200 + won
        assert again.returncode == 2 and "does not answer" in said, "no further game"
        assert asyncio.run(_available(chain.url, bank)) == (200 + won) * CHIP


async def _available(url: str, address: str) -> int:
    bank = await ChainBank.open(url, address)
    try:
        return (await bank.account(Key(PURSES[1]).address)).available
    finally:
        await bank.close()

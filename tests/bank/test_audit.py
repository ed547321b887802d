"""``fairground verify`` for games of the Blind Croupier, with and without the Bank's word."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.audit import settled
from fairground.bank.bank_port import Bank, Complain, Silence, Terms
from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.node import ChainNode
from fairground.bank.hand import CHAIRS, HandEngine
from fairground.bank.ledger.bank import LedgerClient
from fairground.bank.messages import Domain, Key
from fairground.bank.schemes import ORDER_SIGNATURE, CroupierDealer, HistoricDealer, public_of
from fairground.cli import main
from fairground.core import InputError
from fairground.fair.vault import MemoryVault
from fairground.games.poker.rules import CROUPIER, BankPoker
from fairground.server.app import make_app
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace
from fairground.table import Table, new_name
from fairground.verifier import Verdict, resume, verify
from fairground.words.plain import count
from tests.helpers.anvil import open_bank, running_anvil, travel
from tests.helpers.arena import in_a_thread
from tests.helpers.bank_game import Round, enter
from tests.helpers.evm import CHIP, STEP_TIME

CROUPIERS, PLAYERS = Key(101), Key(102)
MONEY = 10**21


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(coroutine, 120))


class Borrowed:
    """A Bank that a check may close, and that stays open."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bank, name)

    async def close(self) -> None:
        pass


def lent(bank: Bank) -> Callable[[Domain], Awaitable[Bank]]:
    async def opened(_: Domain) -> Bank:
        return Borrowed(bank)  # type: ignore[return-value]

    return opened


async def hall() -> ChainBank:
    purses = {CROUPIERS.address: MONEY, PLAYERS.address: MONEY}
    bank = await open_bank(purses, chip_cost=CHIP, step_time=STEP_TIME)
    await enter(bank, CROUPIERS, 50_000 * CHIP)
    await enter(bank, PLAYERS, 1_000 * CHIP)
    return bank


async def audited(bank: Bank, data: bytes) -> Verdict:
    alone = verify(data)
    assert alone.ok, alone.fault
    return await settled(alone, data, lent(bank))


async def fault(bank: Bank, data: bytes) -> tuple[str, str]:
    verdict = await audited(bank, data)
    assert not verdict.ok
    assert verdict.claims == ()
    assert verdict.fault is not None
    return verdict.fault.code, verdict.fault.reason


async def test_the_bank_confirms_what_it_settled() -> None:
    bank = await hall()
    for order in ((1, 0, 1, 1, 0), (0, 0, 0, 0, 0)):
        game = await Round.new(bank, CROUPIERS, PLAYERS, bet=3, level=2, order=order)
        before = (await bank.account(PLAYERS.address)).available
        await game.take(bank, 7)
        won = (await bank.account(PLAYERS.address)).available - before
        verdict = await audited(bank, game.record())
        assert verdict.ok, verdict.fault
        names = ["COMMITTED", "UNIFORM:1", "UNFORESEEN:1", "SETTLED"]
        assert [str(claim) for claim in verdict.claims] == names
        # The payoff is what really moved.
        assert verdict.payoff == (-won // CHIP, won // CHIP)
        said = verdict.claims[-1].sentence
        assert "the hand was paid" in said
        paid = count(won // CHIP + 6, "chip")
        assert f"got {paid} for a stake of 6 chips" in said
        assert "the chain 31337" in said
    await bank.close()


async def test_the_order_is_the_players_own() -> None:
    bank = await hall()
    game = await Round.new(bank, CROUPIERS, PLAYERS)
    assert verify(game.record()).remarks == ()
    signed, game.order = game.order_signature, (1, 1, 1, 1, 1)
    forged = verify(game.record(signed))
    assert not forged.ok
    assert forged.fault is not None
    assert (forged.fault.code, forged.fault.line) == ("bank/other-order", 5)
    unsigned = verify(game.record(bare=True))
    assert unsigned.ok
    (remark,) = unsigned.remarks
    assert "line 5: the order is not signed here" in remark
    await bank.close()


def silent(game: Round, steps: int, silence: Silence) -> bytes:
    """The transcript of a game in which somebody fell silent after so many steps."""
    engine = HandEngine(game.domain, game.bet, game.signature)
    engine.follow(game.known, steps)
    engine.silent(silence)
    return engine.data


@pytest.mark.parametrize(
    ("steps", "silence", "words", "paid"),
    [
        (1, Silence.FIRST_CROUPIER_SEED, "paid the penalty", 10),
        (2, Silence.FIRST_PLAYER_SEED, "lost the stake", 0),
        (3, Silence.REPLACEMENT_ORDER, "lost the stake", 0),
        (4, Silence.SECOND_CROUPIER_SEED, "paid the penalty", 10),
        (5, Silence.SECOND_PLAYER_SEED, "lost the stake", 0),
    ],
)
async def test_the_bank_confirms_every_silence(
    steps: int, silence: Silence, words: str, paid: int
) -> None:
    bank = await hall()
    game = await Round.new(bank, CROUPIERS, PLAYERS)
    await game.take(bank, steps)
    record = silent(game, steps, silence)
    code, reason = await fault(bank, record)
    assert code == "bank/open"
    assert "still open" in reason
    travel(bank.node, STEP_TIME + 10)
    await bank.send(PLAYERS, Complain(silence, game.bet))
    (unproven,) = [one for one in verify(record).remarks if "UNPROVEN" in one]
    assert "the Croupier, the Player, or anybody who has this record" in unproven
    verdict = await audited(bank, record)
    assert verdict.ok, verdict.fault
    assert not [one for one in verdict.remarks if "UNPROVEN" in one]
    assert words in verdict.claims[-1].sentence
    assert f"got {count(paid, 'chip')} for" in verdict.claims[-1].sentence
    await bank.close()


async def test_a_record_that_leaves_out_the_last_steps() -> None:
    """The Player saw the draw and left; the record must not say that they never saw a card."""
    bank = await hall()
    game = await Round.new(bank, CROUPIERS, PLAYERS)
    await game.take(bank, 5)
    travel(bank.node, STEP_TIME + 10)
    await bank.send(CROUPIERS, Complain(Silence.SECOND_PLAYER_SEED, game.bet))
    for steps in (2, 3, 4):
        code, reason = await fault(bank, silent(game, steps, Silence.SECOND_PLAYER_SEED))
        assert code == "bank/other-outcome"
        assert "the last step at the Bank was croupier seed 1 submitted" in reason
    assert (await audited(bank, silent(game, 5, Silence.SECOND_PLAYER_SEED))).ok
    await bank.close()


async def test_what_the_bank_does_not_confirm() -> None:
    bank = await hall()
    game = await Round.new(bank, CROUPIERS, PLAYERS)
    code, reason = await fault(bank, game.record())
    assert code == "bank/unknown-game"
    assert "knows no game 0" in reason
    await game.take(bank, 6)
    code, reason = await fault(bank, game.record())
    assert code == "bank/open"
    assert "hand final" in reason

    # A game of the same number that was never played, though all of it is signed.
    twin = Round(bank, CROUPIERS, PLAYERS, 0, game.bet.expiry)
    code, _ = await fault(bank, twin.record())
    assert code == "bank/other-bet"

    # A Player may sign two orders, and either record holds: the Bank took one.
    *_, (croupier, result) = game.calls()
    await bank.send(croupier, result)
    assert (await audited(bank, game.record())).ok
    game.order = (1, 1, 1, 1, 1)
    code, reason = await fault(bank, game.record())
    assert code == "bank/other-order"
    assert "(1, 0, 1, 1, 0)" in reason

    # Nor does the Bank know of a silence in a game that it settled.
    for steps, silence in ((4, Silence.SECOND_CROUPIER_SEED), (5, Silence.SECOND_PLAYER_SEED)):
        code, reason = await fault(bank, silent(game, steps, silence))
        assert code == "bank/other-outcome"
        assert "the hand was paid" in reason

    other = await hall()
    code, reason = await fault(other, game.record())
    assert code == "bank/other-chain"
    assert other.domain.bank in reason
    assert bank.domain.bank in reason
    for each in (bank, other):
        await each.close()


class Liar(Borrowed):
    """A keeper who says something else; a chain's contract could not."""

    def __init__(self, bank: Bank, **lies: Any) -> None:
        super().__init__(bank)
        self._prize = lies.pop("prize", None)
        self._lies = lies

    async def game(self, key: bytes, confirmations: int = 0) -> Any:
        return (await self._bank.game(key, confirmations))._replace(**self._lies)

    async def told(self, key: bytes) -> Any:
        told = await self._bank.told(key)
        return [
            event._replace(values=event.values | {"prize": self._prize})
            if self._prize is not None and event.name == "GameSettled"
            else event
            for event in told
        ]


async def test_a_keeper_who_paid_something_else_is_found_out() -> None:
    bank = await hall()
    game = await Round.new(bank, CROUPIERS, PLAYERS)
    await game.take(bank, 7)
    for lies, code in (
        ({"hand": 0x0403020100}, "bank/other-hand"),
        ({"prize": 1}, "bank/other-prize"),
        ({"outcome": 3}, "bank/other-outcome"),
    ):
        liar: Any = Liar(bank, **lies)
        assert (await fault(liar, game.record()))[0] == code
    await bank.close()


def game_at(place: Domain) -> Round:
    """A game that was signed for a Bank somewhere, and perhaps never brought there."""

    class Somewhere:
        domain = place
        terms = Terms(CHIP, STEP_TIME)

    return Round(Somewhere, CROUPIERS, PLAYERS, 0, 2**40)  # type: ignore[arg-type]


def record_of(params: tuple[int, int], name: bytes | None = None) -> bytes:
    """A finished game whose table plays with these parameters under a bet of 1 on level 5."""

    game = game_at(Domain(31337, Key(7).address))
    name = name or game.bet.struct_hash()
    public = public_of(game.domain, game.bet, game.signature)
    dealer = CroupierDealer(name, MemoryVault(), public, game.his)
    table = Table.open(BankPoker(*params), dealer, CHAIRS)
    for answer in (game.theirs[0].hex(), list(game.order), game.theirs[1].hex()):
        (ask,) = table.asks()
        if ask.kind == "move":
            table.note({ORDER_SIGNATURE: game.order_signature.hex()})
        table.submit(ask, answer)
    return b"".join(table.transcript.lines)


def test_what_is_played_must_be_what_was_signed() -> None:
    assert verify(record_of((1, 5))).remarks == ()
    for params in ((2, 5), (1, 4)):
        verdict = verify(record_of(params))
        assert not verdict.ok
        assert verdict.claims == ()
        assert verdict.fault is not None
        assert (verdict.fault.code, verdict.fault.line) == ("bank/other-bet", 1)
        assert "a bet of 1 on level 5" in verdict.fault.reason
    (remark,) = verify(record_of((1, 5), new_name())).remarks
    assert "name of its bet" in remark


def test_a_game_that_is_left_while_the_croupier_keeps_his_seed_back() -> None:
    game = game_at(Domain(31337, Key(7).address))
    name = game.bet.struct_hash()
    public = public_of(game.domain, game.bet, game.signature)
    vault = MemoryVault()
    dealer = CroupierDealer(name, vault, public, game.his, lambda seed_id: False)
    table = Table.open(BankPoker(1, 5), dealer, CHAIRS)
    assert table.waiting
    table.note({"says": "I wait"})
    table.forfeit(CROUPIER, "did not show seed 0 in time", by="house")
    lines = list(table.transcript.lines)
    verdict = verify(b"".join(lines))
    assert verdict.ok, verdict.fault
    assert verdict.claims == ()
    assert verdict.payoff == (-5, 5), "silence on seed 0 costs one stake"
    # After a crash it goes on from any line, to the same end.
    for cut, ended in ((1, False), (2, False), (3, True)):
        again = resume(b"".join(lines[:cut]), dealer)
        assert again.closed == ended
        assert not ended or again.transcript.lines == lines


def historic() -> bytes:
    name = new_name()
    dealer = HistoricDealer(name, MemoryVault(), (62504461, 1600494777))
    table = Table.open(BankPoker(1, 1), dealer, CHAIRS)
    for answer in (393532593, [1, 0, 1, 1, 0], 1301748256):
        (ask,) = table.asks()
        table.submit(ask, answer)
    return b"".join(table.transcript.lines)


async def test_a_game_that_no_bank_settles() -> None:
    with pytest.raises(InputError, match="leave --bank out"):
        await settled(verify(historic()), historic(), lent(await hall()))


# The command


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[bytes], str]:
    def save(data: bytes) -> str:
        path = tmp_path / "game.jsonl"
        path.write_bytes(data)
        return str(path)

    return save


Capture = pytest.CaptureFixture[str]
Save = Callable[[bytes], str]


def test_verify_warns_of_what_is_unsafe(saved: Save, capsys: Capture) -> None:
    assert main(["verify", "--details", saved(historic())]) == 0
    out = capsys.readouterr().out
    assert "UNSAFE: croupier-2017/0" in out
    assert "whoever told a seed last could choose the cards" in out
    assert main(["verify", saved(historic()), "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["claims"] == []
    assert verdict["remarks"][0].startswith("UNSAFE")


def test_verify_proves_a_game_from_its_transcript(saved: Save, capsys: Capture) -> None:
    data = record_of((1, 5))
    assert main(["verify", "--details", saved(data)]) == 0
    out = capsys.readouterr().out
    assert "dealt by croupier/1" in out
    assert 'UNFORESEEN for "Player"' in out
    assert "SETTLED" not in out
    for at in range(0, len(data), 97):
        flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert main(["verify", saved(flipped)]) in (1, 2)
    assert main(["verify", saved(data[: data.rindex(b"\n", 0, -1) + 1])]) == 1
    assert "UNFINISHED" in capsys.readouterr().out


def test_keccak_is_loaded_only_where_it_is_needed(saved: Save) -> None:
    script = (
        "import sys; from fairground.cli import main; code = main(sys.argv[1:]);"
        "print(sorted(m for m in sys.modules if m in ('web3', 'eth_abi', 'fairground.bank')));"
        "sys.exit(code)"
    )

    def modules(*arguments: str) -> str:
        command = [sys.executable, "-c", script, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]

    assert modules("verify", saved(record_of((1, 5)))) == "['fairground.bank']"
    dice = ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")
    file = saved(b"")
    assert main(["dice", "--seat", "user=optimal", "--save", file, *dice]) == 0
    assert modules("verify", file) == "[]"


@pytest.fixture(scope="module")
def node() -> Iterator[ChainNode]:
    with running_anvil() as node:
        yield node


def test_verify_asks_a_node(node: ChainNode, saved: Save, capsys: Capture) -> None:
    async def play() -> tuple[Round, str]:
        for key in (CROUPIERS, PLAYERS):
            node.rpc("anvil_setBalance", key.address, hex(MONEY))
        bank = await ChainBank.open(node, await deploy(node, CROUPIERS, CHIP, STEP_TIME))
        await enter(bank, CROUPIERS, 50_000 * CHIP)
        await enter(bank, PLAYERS, 1_000 * CHIP)
        game = await Round.new(bank, CROUPIERS, PLAYERS)
        await game.take(bank, 7)
        await bank.close()
        return game, bank.address

    game, address = asyncio.run(play())
    file, url = saved(game.record()), f"http://{node.name}"
    assert main(["verify", "--details", file, "--bank", url]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"then the Bank {address} took this very bet" in out
    assert "If the Bank told the truth (the chain 31337" in out
    assert main(["verify", file, "--bank", url, "--json"]) == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert claims[-1]["claim"] == "SETTLED"

    # Another order than the one that the Bank took
    game.order = (0, 0, 0, 0, 1)
    assert main(["verify", saved(game.record()), "--bank", url]) == 1
    assert "(bank/other-order)" in capsys.readouterr().out

    # Another chain; other code
    assert main(["verify", saved(game_at(Domain(1, address)).record()), "--bank", url]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "(bank/other-chain)" in out
    assert "the node is on the chain 31337, not on 1" in out
    node.rpc("anvil_setCode", address, "0x00")
    assert main(["verify", saved(game.record()), "--bank", url]) == 1
    assert "(bank/wrong-code)" in capsys.readouterr().out
    node.rpc("anvil_setCode", address, "0x")
    assert main(["verify", saved(game.record()), "--bank", url, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["fault"]["code"] == "bank/wrong-code"

    # A transcript that does not hold is not brought before the Bank.
    assert main(["verify", saved(game.record()[:-1]), "--bank", "http://127.0.0.1:1"]) == 1
    assert "bank" not in capsys.readouterr().out


def test_verify_asks_an_arena_that_keeps_a_ledger(
    saved: Save, capsys: Capture, tmp_path: Path
) -> None:
    async def play(arena: str) -> Round:
        bank = await LedgerClient.open(arena)
        for key in (CROUPIERS, PLAYERS):
            await bank.faucet(key.address, 50_000 * bank.terms.chip_cost)
            await enter(bank, key, 50_000 * bank.terms.chip_cost)
        game = await Round.new(bank, CROUPIERS, PLAYERS)
        await game.take(bank, 7)
        return game

    desk = ArenaCroupier(CroupierPlace())
    with in_a_thread(make_app(f"sqlite:///{tmp_path}/arena.db", croupier=desk)) as arena:
        game = asyncio.run(play(arena))
        assert main(["verify", "--details", saved(game.record()), "--bank", arena]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert "SETTLED" in out
        assert "If the Bank told the truth (operator trusted: this Bank is a ledger" in out
        game.order = (0, 0, 0, 0, 1)
        assert main(["verify", saved(game.record()), "--bank", arena]) == 1
        assert "bank/other-order" in capsys.readouterr().out
        # A game of another ledger, and one of a chain
        elsewhere = saved(game_at(Domain(0, Key(7).address)).record())
        assert main(["verify", elsewhere, "--bank", arena]) == 1
        assert "(bank/other-chain)" in capsys.readouterr().out
        assert main(["verify", saved(record_of((1, 5))), "--bank", arena]) == 1
        assert "no chain answers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "code", "words"),
    [
        ("http://127.0.0.1:1", 1, "no chain answers at 127.0.0.1:1"),
        ("nonsense", 2, "is like http://"),
    ],
)
def test_a_bank_that_cannot_be_asked(
    url: str, code: int, words: str, saved: Save, capsys: Capture
) -> None:
    assert main(["verify", saved(record_of((1, 5))), "--bank", url]) == code
    assert words in capsys.readouterr().err

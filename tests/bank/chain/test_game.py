"""The contract on a real EVM: whole games, every ending, who may bring what, and the gas."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from fairground.bank.bank_port import (
    Complain,
    ComplainTwoOrders,
    DepositFunds,
    GameOutcome,
    Silence,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitPublicKey,
    SubmitReplacementOrder,
    WithdrawFunds,
    artifact,
)
from fairground.bank.chain.gas import LIMITS, MEASURED
from fairground.bank.messages import Signer
from fairground.games.poker.rules import Poker, rank
from tests.helpers.evm import BANKROLL, CHIP, PURSE, STEP_TIME, Hall, Play, Receipt, hall, refused
from tests.helpers.places import DATA, ROOT

SNAPSHOT = DATA / "bank-gas.json"
ORDER = (1, 0, 1, 1, 0)


@pytest.fixture
def h() -> Hall:
    return hall()


def test_a_new_bank_says_its_terms_and_has_no_owner(h: Hall) -> None:
    assert h.bank.ask("getChipCost") == CHIP
    assert h.bank.ask("STEP_TIME") == STEP_TIME
    assert h.bank.ask("eip712Domain")[1:5] == (
        "Fairground Bank",
        "1",
        h.bank.evm.chain_id,
        h.bank.address,
    )
    terms = artifact().terms_of(h.bank.evm.code(h.bank.address))
    assert terms == (CHIP, STEP_TIME)
    written = {entry["name"] for entry in artifact().abi if entry["type"] == "function"}
    assert {name for name in written if "wner" in name} == {"keyOwner"}


def winning(h: Hall, order: tuple[int, ...] = (0, 0, 0, 0, 0), at_least: int = 1) -> Play:
    """A prepared game that ends in a prize: seeds are tried until one does (in a test one may)."""
    for label in range(10_000):
        play = h.play(label=label)
        if rank(play.final(order)) >= at_least:
            return play
    raise AssertionError("no such game among ten thousand")


def test_a_hand_that_stands_is_final_at_once(h: Hall) -> None:
    play = winning(h)
    play.run_to(4, order=(0, 0, 0, 0, 0))
    with refused("AlreadySubmitted"):
        play.player_seed(1, by=h.player)
    play.result(by=h.player)
    prize = Poker(1, 5).prize(play.hand()) * CHIP
    assert h.wealth() == (BANKROLL + 5 * CHIP - prize, PURSE - 5 * CHIP + prize)


SILENCES = {
    1: ("FirstCroupierSeed", GameOutcome.CROUPIER_FORFEITED),
    2: ("FirstPlayerSeed", GameOutcome.PLAYER_FORFEITED),
    3: ("ReplacementOrder", GameOutcome.PLAYER_FORFEITED),
    4: ("SecondCroupierSeed", GameOutcome.CROUPIER_FORFEITED),
    5: ("SecondPlayerSeed", GameOutcome.PLAYER_FORFEITED),
}


@pytest.mark.parametrize("who", ["croupier", "player", "stranger"])
@pytest.mark.parametrize("steps", SILENCES)
def test_every_silence_has_a_deadline_and_an_end(h: Hall, steps: int, who: str) -> None:
    about, outcome = SILENCES[steps]
    by = getattr(h, who)
    play = h.play()
    play.run_to(steps)
    deadline = h.bank.game(play.bet).deadline
    h.bank.evm.travel_to(deadline)
    with refused("TooEarly"):
        play.complain(about, by=by)
    h.bank.evm.travel_to(deadline + 10)
    for other, _ in SILENCES.values():
        if other != about:
            with refused("WrongStep"):
                play.complain(other, by=by)
    play.complain(about, by=by)
    stake = play.bet.stake
    change = {
        GameOutcome.PLAYER_FORFEITED: (stake, -stake),
        GameOutcome.CROUPIER_FORFEITED: (-stake, stake),
    }[outcome]
    assert h.wealth() == (BANKROLL + change[0], PURSE + change[1])
    assert h.bank.game(play.bet).outcome == outcome
    assert h.bank.open_games(h.croupier) == h.bank.open_games(h.player) == 0
    for other, _ in SILENCES.values():
        with refused("GameOver"):
            play.complain(other, by=by)


@pytest.mark.parametrize("steps", SILENCES)
def test_a_step_counts_until_its_deadline_and_not_after(h: Hall, steps: int) -> None:
    todo: list[Callable[[Play], Receipt]] = [
        lambda play: play.croupier_seed(0),
        lambda play: play.player_seed(0),
        lambda play: play.order(ORDER),
        lambda play: play.croupier_seed(1),
        lambda play: play.player_seed(1),
    ]
    late = todo[steps - 1]
    play = h.play()
    play.run_to(steps)
    deadline = h.bank.game(play.bet).deadline
    h.bank.evm.travel_to(deadline + 1)
    with refused("TooLate"):
        late(play)
    on_time = h.play(label="second", game_id=1)
    on_time.run_to(steps)
    h.bank.evm.travel_to(h.bank.game(on_time.bet).deadline)
    late(on_time)


def test_a_result_can_be_had_at_any_time(h: Hall) -> None:
    play = h.play()
    play.run_to(6)
    h.bank.evm.travel(100 * STEP_TIME)
    play.result(by=h.player)
    assert h.bank.game(play.bet).outcome == GameOutcome.SETTLED


def test_gas_and_size_are_as_recorded() -> None:
    """Same bytes, same gas: a change of the contract must be a change of the snapshot too."""
    h = hall()
    h.play(game_id=0).run_to(7)
    names = ["bet", "croupier seed 0", "player seed 0 and order"]
    names += ["croupier seed 1", "player seed 1 and result"]
    receipts = h.play(game_id=1).run_merged(ORDER)
    calls = {name: receipt.gas for name, receipt in zip(names, receipts, strict=True)}
    calls["whole game"] = sum(calls.values())
    names = ["player seed 0", "order", "croupier seed 1", "player seed 1", "result"]
    single = h.play(game_id=2).run_to(7, order=(1, 1, 1, 1, 1))
    calls |= {f"{n}, alone": r.gas for n, r in zip(names, single[2:], strict=True)}
    standing = h.play(game_id=3).run_merged((0, 0, 0, 0, 0))
    calls["nothing replaced"] = sum(receipt.gas for receipt in standing)
    for number, order in enumerate([ORDER, (1, 0, 0, 0, 0)], 4):
        silent = h.play(game_id=number)
        silent.run_to(4, order=order)
        h.bank.evm.travel(2 * STEP_TIME)
        gas = silent.complain("SecondCroupierSeed").gas
        calls[f"complaint, {sum(order)} replaced"] = gas
    calls["deposit"] = h.bank.deposit(h.player, CHIP).gas
    calls["withdrawal"] = h.bank.withdraw(h.player, CHIP).gas
    calls["deployment"] = h.bank.deployment_gas
    found = {"code bytes": len(artifact().runtime_bytecode), "gas": calls}
    assert found == json.loads(SNAPSHOT.read_text()), json.dumps(found, indent=1)
    seven = [calls["bet"], calls["croupier seed 0"], *(calls[f"{name}, alone"] for name in names)]
    assert [*MEASURED.values()] == seven, "as `fairground croupier --explain` tells them"
    assert calls["whole game"] <= 300_000
    assert len(artifact().runtime_bytecode) <= 24_576


def test_the_prices_of_gas_that_the_operators_page_names() -> None:
    """Above which a bet costs the Croupier more than it brings, against a perfect player."""
    gas = json.loads(SNAPSHOT.read_text())["gas"]["whole game"]
    returns = dict.fromkeys(range(1, 5), Fraction(35523565111, 36110924850))
    returns[5] = Fraction(1653526326983, 1661102543100)
    page = (ROOT / "docs" / "operator.md").read_text()
    rows = re.findall(r"^\| (\d+) at level (\d) \| ([\d.]+) \| ([\d.]+) gwei \|$", page, re.M)
    assert len(rows) == 4
    for bet, level, edge, price in rows:
        stake = int(bet) * int(level)
        wins = stake * (1 - returns[int(level)])
        assert abs(float(wins) - float(edge)) <= 0.005 * float(edge)
        most = float(wins) * 10**15 / gas / 10**9
        assert abs(most - float(price)) <= 0.01 * float(price)


def test_a_call_has_gas_enough_and_not_much_more(h: Hall) -> None:
    """A first game, in which everything is new and dear, all five cards replaced."""
    most: dict[type[Any], int] = {}

    def made(call: type[Any], receipt: Receipt) -> None:
        most[call] = max(receipt.gas, most.get(call, 0))

    calls: list[type[Any]] = [SubmitBet, SubmitCroupierSeed, SubmitPlayerSeed]
    calls += [SubmitReplacementOrder, SubmitCroupierSeed, SubmitPlayerSeed, SubmitGameResult]
    for call, receipt in zip(calls, h.play().run_to(7, order=(1, 1, 1, 0, 1)), strict=True):
        made(call, receipt)
    for steps, about in enumerate(Silence, 1):
        play = h.play(game_id=steps, label=steps)
        play.run_to(steps, order=(1, 0, 0, 0, 0))
        h.bank.evm.travel(STEP_TIME + 1)
        made(Complain, play.complain(about.value.removeprefix("complainNo")))
    merged = h.play(game_id=6, label="merged").run_merged(ORDER)
    made(SubmitPlayerSeedAndOrder, merged[2])
    made(SubmitPlayerSeedAndResult, merged[4])
    made(SubmitPublicKey, h.bank.register(h.bank.party(4, register=False)))
    new = h.bank.party(5, register=False)
    made(DepositFunds, h.bank.deposit(new, CHIP))
    made(WithdrawFunds, h.bank.withdraw(new, CHIP // 2))
    sessions = {call for call in LIMITS if {"terms", "acceptance"} & set(call._fields)}
    assert most.keys() == LIMITS.keys() - sessions - {ComplainTwoOrders}
    for call, gas in most.items():
        assert 1.25 * gas < LIMITS[call] < 1.5 * gas, call


def test_seeds_of_the_two_roles_are_told_apart(h: Hall) -> None:
    play = h.play()
    assert len({play.seeds[role, seed_id] for role in Signer for seed_id in (0, 1)}) == 4

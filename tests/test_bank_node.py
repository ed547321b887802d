"""End to end against a real node over JSON-RPC: ``anvil``, from npm (``tools/node-setup``)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bank_evm import CHIP, STEP_TIME
from bank_node import running_anvil
from fairground.bank import abi, seeds
from fairground.bank.artifact import WrongBank
from fairground.bank.chain import Node, NodeAway, Purse
from fairground.bank.port import (
    Event,
    Refused,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitPlayerSeed,
    SubmitPublicKey,
    SubmitReplacementOrder,
)
from fairground.bank.seeds import Seed, fresh_seeds
from fairground.bank.wire import Bet, Domain, Key, ReplacementOrder, Role
from fairground.games.poker import PENALTY, Poker

PURSES = [
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
]
"""The well-known keys of every anvil."""
ORDER = (0, 1, 1, 0, 1)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with running_anvil() as node:
        yield node


class Table:
    """A Bank on the node, two registered parties, and one prepared game after another."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.croupier, self.player = (Purse(bytes.fromhex(secret)) for secret in PURSES)
        self.keys = {Role.CROUPIER: Key.fresh(), Role.PLAYER: Key.fresh()}
        self.bank = node.deploy(self.croupier, CHIP, STEP_TIME)
        self.domain = node.domain(self.bank)
        for purse, role, funds in (
            (self.croupier, Role.CROUPIER, 10_000 * CHIP),
            (self.player, Role.PLAYER, 100 * CHIP),
        ):
            key = self.keys[role]
            proof = key.prove(self.domain, purse.address)
            self.send(purse, abi.encoded(SubmitPublicKey(key.address, proof)))
            self.send(purse, abi.call_data("depositFunds"), funds)

    def send(self, purse: Purse, data: bytes, value: int = 0) -> list[Event]:
        return self.node.send(purse, self.bank, data, value).events

    def available(self, purse: Purse) -> int:
        return int(self.node.ask(self.bank, "getAccount", purse.address)[0])

    def prepare(self, domain: Domain | None = None) -> tuple[Bet, dict[tuple[Role, int], Seed]]:
        parties = (self.croupier.address, self.player.address)
        game_id = self.node.ask(self.bank, "getNextGameId", *parties)
        made = {
            role: fresh_seeds(self.keys[role], domain or self.domain, parties, role, game_id)
            for role in (Role.CROUPIER, Role.PLAYER)
        }
        a, b, c, d = (seed.commitment for pair in made.values() for seed in pair)
        bet = Bet(
            *parties,
            self.keys[Role.CROUPIER].address,
            self.keys[Role.PLAYER].address,
            game_id,
            1,
            5,
            CHIP,
            a,
            b,
            c,
            d,
            self.node.now() + 600,
        )
        return bet, {(role, i): made[role][i] for role in made for i in (0, 1)}

    def submit_bet(self, bet: Bet) -> None:
        signature = self.keys[Role.PLAYER].sign(self.domain, bet)
        self.send(self.croupier, abi.encoded(SubmitBet(bet, signature)))

    def submit_order(self, bet: Bet) -> None:
        signed = self.keys[Role.PLAYER].sign(self.domain, ReplacementOrder.of(bet, ORDER))
        self.send(self.player, abi.encoded(SubmitReplacementOrder(bet, ORDER, signed)))


def test_games_over_json_rpc(node: Node) -> None:
    table = Table(node)
    assert node.terms(table.bank) == (CHIP, STEP_TIME)

    bet, told = table.prepare()
    croupiers = {i: told[Role.CROUPIER, i] for i in (0, 1)}
    players = {i: told[Role.PLAYER, i] for i in (0, 1)}
    first = node.block()
    table.submit_bet(bet)
    for i in (0, 1):
        table.send(table.croupier, abi.encoded(SubmitCroupierSeed(bet, i, croupiers[i])))
        data = abi.encoded(SubmitPlayerSeed(bet, i, players[i], croupiers[i].signature))
        table.send(table.player, data)
        if i == 0:
            table.submit_order(bet)
    (settled,) = table.send(table.croupier, abi.call_data("submitGameResult", bet))
    mixed = [
        seeds.mix(bet.struct_hash(), i, croupiers[i].signature, players[i].signature)
        for i in (0, 1)
    ]
    final = seeds.replace(seeds.deal(mixed[0]), ORDER, mixed[1])
    prize = Poker(1, 5).prize(final) * CHIP
    assert settled.values["prize"] == prize
    assert seeds.unpacked_hand(settled.values["hand"]) == final
    assert seeds.unpacked_hand(node.game(table.bank, bet.key).hand) == final
    assert table.available(table.player) == 95 * CHIP + prize
    names = [event.name for event in node.events(table.bank, first + 1)]
    assert names == [
        "BetSubmitted",
        "CroupierSeedSubmitted",
        "PlayerSeedSubmitted",
        "ReplacementOrderSubmitted",
        "CroupierSeedSubmitted",
        "PlayerSeedSubmitted",
        "GameSettled",
    ]
    assert node.events(table.bank, first + 1, first + 1)[0].name == "BetSubmitted"

    # The next game: wrong seeds are refused, and then the croupier falls silent.
    before = table.available(table.player)
    bet, told = table.prepare()
    table.submit_bet(bet)
    croupiers[0], players[0] = told[Role.CROUPIER, 0], told[Role.PLAYER, 0]
    with pytest.raises(Refused, match="WrongSeed"):
        table.send(table.croupier, abi.encoded(SubmitCroupierSeed(bet, 0, told[Role.CROUPIER, 1])))
    table.send(table.croupier, abi.encoded(SubmitCroupierSeed(bet, 0, croupiers[0])))
    table.send(
        table.player, abi.encoded(SubmitPlayerSeed(bet, 0, players[0], croupiers[0].signature))
    )
    table.submit_order(bet)
    complaint = abi.call_data("complainNoSecondCroupierSeed", bet)
    with pytest.raises(Refused, match="TooEarly"):
        table.send(table.player, complaint)
    node.rpc("evm_increaseTime", STEP_TIME + 1)
    node.rpc("evm_mine")
    table.send(table.player, complaint)
    assert table.available(table.player) == before + (PENALTY - 1) * 5 * CHIP

    # Nothing signed for another chain counts here.
    bet, _ = table.prepare()
    elsewhere = table.keys[Role.PLAYER].sign(Domain(1, table.bank), bet)
    with pytest.raises(Refused, match="BadSignature"):
        table.send(table.croupier, abi.encoded(SubmitBet(bet, elsewhere)))

    # Everybody goes home.
    for purse in (table.croupier, table.player):
        table.send(purse, abi.call_data("withdrawFunds", table.available(purse)))
    assert node.balance(table.bank) == 0


def test_code_that_is_not_the_bank_is_found_out(node: Node) -> None:
    croupier = Purse(bytes.fromhex(PURSES[0]))
    with pytest.raises(WrongBank):
        node.terms(croupier.address)
    assert PURSES[0] not in repr(croupier)


def test_a_node_that_is_not_there() -> None:
    with pytest.raises(NodeAway):
        Node("http://127.0.0.1:1", timeout=5)

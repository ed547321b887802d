"""The driver of a table: house players and people move, seal and open, after a crash too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from fairground.core import HIDDEN, Game, IllegalMove, InputError, Move, Seat
from fairground.fair.bits import Tape
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games import make_game
from fairground.players import Player, RandomPlayer
from fairground.players.runner import Runner
from fairground.table import Table
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import FixedVault, mode
from fairground.testing.toys import DUEL, GUESS, RICH
from fairground.verifier import resume, verify
from tests.helpers.samples import SEED_DICE

DICE = {"dice": SEED_DICE}


class Scripted(Player):
    """Plays the highest move, and remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        self.seen.append(view)
        return list(game.moves(view, seat))[-1]


def both(*players: Player) -> Mapping[Seat, Player]:
    return dict(enumerate(players))


def test_two_programs_play_a_game_to_its_end(toy: str) -> None:
    table = open_table(make_game(toy, RICH), mode("system-plain"))
    assert Runner(table, both(Scripted(), Scripted())).play() == []
    assert table.closed and verify(bytes(table.transcript)).ok


def test_a_player_sees_its_own_view_and_no_more(toy: str) -> None:
    keeper, guesser = Scripted(), Scripted()
    table = open_table(make_game(toy, GUESS), mode("system-plain"))
    Runner(table, both(keeper, guesser)).play()
    assert guesser.seen == [(HIDDEN,)]
    code = table.state[0]
    assert keeper.seen == [(code, ((1, 5),))]


def test_what_others_owe_is_handed_back() -> None:
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    runner = Runner(table, {0: Scripted()})
    driver = Driver(table)
    rounds = 0
    while asks := runner.play():
        assert {ask.seat for ask in asks} == {1}
        driver.once()
        rounds += 1
    assert table.closed and rounds == 4
    assert runner.play() == []


def one_seat_left(toy: str, vault: MemoryVault) -> tuple[Table, Runner]:
    chairs = [Chair("House", "house"), Chair("You")]
    table = open_table(make_game(toy, DUEL), mode("system-plain"), FixedVault(), chairs=chairs)
    return table, Runner(table, {0: Scripted()}, vault)


def test_a_sealed_move_is_opened_by_a_new_process(toy: str) -> None:
    """The house sealed, then crashed: another player of another mind must open the same move."""

    class Other(Scripted):
        def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
            return 0

    vault, secrets = FixedVault(), MemoryVault()
    chairs = [Chair("House", "house"), Chair("You")]
    table = open_table(make_game(toy, DUEL), mode("system-plain"), vault, chairs=chairs)
    (yours,) = Runner(table, {0: Scripted()}, secrets).play()
    assert yours.kind == "seal"
    for crash_after_your_seal in (False, True):
        again = resume(bytes(table.transcript), mode("system-plain").make(vault))
        driver = Driver(again)
        runner = Runner(again, {0: Other()}, secrets)
        if crash_after_your_seal:
            driver.table.submit(again.asks()[0], driver.answer(again.asks()[0]))
            again = resume(bytes(again.transcript), mode("system-plain").make(vault))
            driver, runner = Driver(again), Runner(again, {0: Other()}, secrets)
        while runner.play():
            driver.once()
        opened = [e["move"] for e in again.transcript.events if e["kind"] == "open"]
        assert opened[0] == 2, "what Scripted had sealed"
        assert verify(bytes(again.transcript)).ok


def test_a_crash_before_the_seal_was_written_keeps_the_move(toy: str) -> None:
    secrets = MemoryVault()
    table, runner = one_seat_left(toy, secrets)
    runner.play()
    (name,) = secrets.secrets
    kept = secrets.recall(name)
    again, _ = one_seat_left(toy, secrets)  # the very same table, with the seal not yet there
    (_,) = Runner(again, {0: Scripted()}, secrets).play()
    assert secrets.recall(name) == kept
    assert bytes(again.transcript) == bytes(table.transcript)


def test_seals_of_the_house_are_made_with_fresh_keys(toy: str) -> None:
    seals = set()
    for _ in range(4):
        table, runner = one_seat_left(toy, MemoryVault())
        runner.play()
        seals.add(table.transcript.events[-1]["commitment"])
    assert len(seals) == 4


def test_a_persons_sealed_move_is_opened_after_a_crash(toy: str) -> None:
    """A move is given once. Its key is in the vault before the seal is in the record."""
    vault, secrets = FixedVault(), MemoryVault()
    table = open_table(make_game(toy, DUEL), mode("system-plain"), vault)
    runner = Runner(table, {0: Scripted()}, secrets)
    runner.others()
    (ask,) = runner.asks()
    assert (ask.seat, ask.kind, runner.people) == (1, "seal", [1])
    with pytest.raises(IllegalMove):
        runner.submit(ask, 99)
    assert len(secrets.secrets) == 1, "an illegal move is not sealed"
    with pytest.raises(InputError, match="seat 0 is played by"):
        runner.submit(ask._replace(seat=0), 1)
    runner.submit(ask, 1)
    again = resume(bytes(table.transcript), mode("system-plain").make(vault))
    Runner(again, {0: Scripted()}, secrets).others()
    opened = {e["seat"]: e["move"] for e in again.transcript.events if e["kind"] == "open"}
    assert opened == {0: 2, 1: 1}
    assert runner.receipts == [
        {"table": table.setting.table.hex(), "seat": 1, "step": ask.step, "head": ask.head}
    ]


def test_a_house_seat_leaves_by_the_house_and_a_person_by_the_seat(toy: str) -> None:
    for seat, by in ((0, "house"), (1, "seat")):
        table = open_table(make_game(toy, DUEL), mode("system-plain"))
        runner = Runner(table, {0: Scripted()})
        runner.leave(seat, "tired")
        (forfeit,) = [e for e in runner.events if e["kind"] == "forfeit"]
        assert (forfeit["seat"], forfeit["by"], forfeit["reason"]) == (seat, by, "tired")


def test_the_random_player_reads_its_own_tape() -> None:
    game = make_game("intransitive/1", DICE)
    s = game.drawn(game.start(), 0)
    player = RandomPlayer(game, Tape(bytes([255, 254, 0, 1, 2])))
    assert [player.choose(game, s, 1) for _ in range(4)] == [254 % 3, 0, 1, 2]

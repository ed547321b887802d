"""Players of the house at a table: they move, seal and open, after a crash too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairground.core import HIDDEN, Game, Move, Seat
from fairground.fair.bits import Tape
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games import make_game
from fairground.players import Player
from fairground.players.hosted import Hosted
from fairground.players.simple import RandomPlayer
from fairground.replay import resume
from fairground.table import Table
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import FixedVault, mode
from fairground.testing.toys import DUEL, GUESS, RICH
from fairground.verify import verify
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
    assert Hosted(table, both(Scripted(), Scripted())).play() == []
    assert table.closed and verify(bytes(table.transcript)).ok


def test_a_player_sees_its_own_view_and_no_more(toy: str) -> None:
    keeper, guesser = Scripted(), Scripted()
    table = open_table(make_game(toy, GUESS), mode("system-plain"))
    Hosted(table, both(keeper, guesser)).play()
    assert guesser.seen == [(HIDDEN,)]
    code = table.state[0]
    assert keeper.seen == [(code, ((1, 5),))]


def test_what_others_owe_is_handed_back() -> None:
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    hosted = Hosted(table, {0: Scripted()})
    driver = Driver(table)
    rounds = 0
    while asks := hosted.play():
        assert {ask.seat for ask in asks} == {1}
        driver.once()
        rounds += 1
    assert table.closed and rounds == 4
    assert hosted.play() == []


def one_seat_left(toy: str, vault: MemoryVault) -> tuple[Table, Hosted]:
    chairs = [Chair("House", "house"), Chair("You")]
    table = open_table(make_game(toy, DUEL), mode("system-plain"), FixedVault(), chairs=chairs)
    return table, Hosted(table, {0: Scripted()}, vault)


def test_a_sealed_move_is_opened_by_a_new_process(toy: str) -> None:
    """The house sealed, then crashed: another player of another mind must open the same move."""

    class Other(Scripted):
        def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
            return 0

    vault, secrets = FixedVault(), MemoryVault()
    chairs = [Chair("House", "house"), Chair("You")]
    table = open_table(make_game(toy, DUEL), mode("system-plain"), vault, chairs=chairs)
    (yours,) = Hosted(table, {0: Scripted()}, secrets).play()
    assert yours.kind == "seal"
    for crash_after_your_seal in (False, True):
        again = resume(bytes(table.transcript), mode("system-plain").make(vault))
        driver = Driver(again)
        hosted = Hosted(again, {0: Other()}, secrets)
        if crash_after_your_seal:
            driver.table.submit(again.asks()[0], driver.answer(again.asks()[0]))
            again = resume(bytes(again.transcript), mode("system-plain").make(vault))
            driver, hosted = Driver(again), Hosted(again, {0: Other()}, secrets)
        while hosted.play():
            driver.once()
        opened = [e["move"] for e in again.transcript.events if e["kind"] == "open"]
        assert opened[0] == 2, "what Scripted had sealed"
        assert verify(bytes(again.transcript)).ok


def test_a_crash_before_the_seal_was_written_keeps_the_move(toy: str) -> None:
    secrets = MemoryVault()
    table, hosted = one_seat_left(toy, secrets)
    hosted.play()
    (name,) = secrets.secrets
    kept = secrets.recall(name)
    again, _ = one_seat_left(toy, secrets)  # the very same table, with the seal not yet there
    (_,) = Hosted(again, {0: Scripted()}, secrets).play()
    assert secrets.recall(name) == kept
    assert bytes(again.transcript) == bytes(table.transcript)


def test_seals_of_the_house_are_made_with_fresh_keys(toy: str) -> None:
    seals = set()
    for _ in range(4):
        table, hosted = one_seat_left(toy, MemoryVault())
        hosted.play()
        seals.add(table.transcript.events[-1]["commitment"])
    assert len(seals) == 4


def test_the_random_player_reads_its_own_tape() -> None:
    game = make_game("intransitive/1", DICE)
    s = game.drawn(game.start(), 0)
    player = RandomPlayer(game, Tape(bytes([255, 254, 0, 1, 2])))
    assert [player.choose(game, s, 1) for _ in range(4)] == [254 % 3, 0, 1, 2]

"""Every game is told in plain sentences, to every reader, and gives away nothing."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import pytest

from fairground.core import Draw, Game, IllegalMove, Move, Over, Seat, Turn
from fairground.fair.bits import SeededStream
from fairground.games import GAMES, make_game
from fairground.table import Table
from fairground.testing.driving import Driver, open_table, play_through
from fairground.testing.modes import mode
from fairground.testing.toys import TOYS
from fairground.words import PlainWords, words_for
from fairground.words.telling import Telling
from tests.helpers.samples import SAMPLES, Sample

GAMES_TOLD = [sample for samples in SAMPLES.values() for sample in samples]
NAMES = ["Ann", "Bob", "Cid"]
CODE_LIKE = re.compile(r"[{}\[\]<>\n\t]|\w\(|\bNone\b|\bTrue\b|\bFalse\b|HIDDEN|\(\d+, ?\d*\)|  ")
SENTENCES = re.compile(r"[A-Z0-9].*[.?!]\"?")


def plain(text: str) -> str:
    """The text, which must be one line of words without a trace of Python."""
    assert text == text.strip() and text
    assert not CODE_LIKE.search(text), text
    return text


def sentence(text: str) -> str:
    assert SENTENCES.fullmatch(plain(text)), text
    return text


def walk(game: Game[Any], seed: int) -> list[tuple[Any, Any, Any]]:
    """A whole game by chance: (state, what happened, state after)."""
    stream, state = SeededStream("words", seed), game.start()
    out: list[tuple[Any, Any, Any]] = []
    while True:
        awaits = game.awaits(state)
        what: Any
        if isinstance(awaits, Draw):
            what = stream.below(awaits.n)
            after = game.drawn(state, what)
        elif isinstance(awaits, Turn):
            what = {}
            for seat in awaits.seats:
                moves = list(islice(game.choices(game.view(state, seat), seat), 64))
                what[seat] = moves[stream.below(len(moves))]
            after = game.played(state, what)
        else:
            return [*out, (state, None, None)]
        out.append((state, what, after))
        state = after


def readers(game: Game[Any]) -> list[Seat | None]:
    return [*range(game.seats), None]


def games() -> list[Any]:
    return [pytest.param(sample, id=sample.name) for sample in GAMES_TOLD]


@pytest.mark.parametrize("sample", games())
@pytest.mark.parametrize("seed", range(6))
def test_every_state_question_move_draw_and_end_has_plain_words(sample: Sample, seed: int) -> None:
    game = sample.make()
    steps = walk(game, seed)
    for reader in readers(game):
        words = words_for(game, NAMES[: game.seats], reader)
        for line in words.parameters():
            plain(line)
        for state, what, after in steps:
            view = game.view(state, reader)
            for line in words.state(view):
                sentence(line)
            awaits = game.awaits(state)
            if isinstance(awaits, Draw):
                known = awaits.to is None or reader in awaits.to
                said = words.drawn(
                    view, game.view(after, reader), awaits.n, what if known else None
                )
                if said is not None:
                    sentence(said)
            elif isinstance(awaits, Turn):
                for seat, move in what.items():
                    sentence(words.question(view, seat))
                    sentence(words.move(view, seat, move))
                    sentence(words.sealed(seat))
            else:
                sentence(words.over(view, awaits.payoff))


@pytest.mark.parametrize("sample", games())
@pytest.mark.parametrize("seed", range(3))
def test_what_a_menu_says_can_be_typed(sample: Sample, seed: int) -> None:
    game = sample.make()
    for state, _, _ in walk(game, seed):
        awaits = game.awaits(state)
        for seat in awaits.seats if isinstance(awaits, Turn) else ():
            view = game.view(state, seat)
            for reader in (seat, None):
                words = words_for(game, NAMES[: game.seats], reader)
                moves = list(islice(game.choices(view, seat), 64))
                options = [plain(words.option(view, seat, move)) for move in moves]
                assert len(set(options)) == len(options)
                for move, option in zip(moves, options, strict=True):
                    assert words.read(view, seat, option) == move
                    assert words.read(view, seat, f"  {option.upper()} ") == move
                menu = words.menu(view, seat)
                for number, move in enumerate(menu or ()):
                    assert words.read(view, seat, str(number)) == move
                if menu is None:
                    sentence(words.example(view, seat))
                with pytest.raises(IllegalMove, match="qux"):
                    words.read(view, seat, "qux")


@pytest.mark.parametrize("sample", games())
def test_whoever_leaves_is_told_at_every_point(sample: Sample) -> None:
    game = sample.make()
    for state, _, after in walk(game, 0):
        for leaver in range(game.seats) if after is not None else ():
            left = game.departed(state, leaver)
            if not isinstance(left, Over):
                continue
            payoff = left.payoff
            for reader in readers(game):
                words = words_for(game, NAMES[: game.seats], reader)
                said = sentence(words.over(game.view(state, reader), payoff))
                assert not said.startswith(f"{words.who(leaver)} win")
                sentence(words.left(leaver, "seat", "Ctrl-C"))


def test_every_game_of_ours_has_words_of_its_own_and_teaches_its_rules() -> None:
    for name, listing in GAMES.listed.items():
        words = words_for(make_game(name, {}), NAMES)
        assert type(words) is not PlainWords, name
        for paragraph in words.rules.split("\n"):
            sentence(paragraph)
        assert 100 < len(words.rules) < 900
        sentence(listing.summary)


# Records


def told(table: Table, reader: Seat | None, *, knows_hidden: bool) -> list[str]:
    telling = Telling(words_for(table.game, NAMES[: table.game.seats], reader))
    out = []
    for event in table.transcript.events[1:]:
        hidden = None
        if event["kind"] == "dealt" and knows_hidden:
            hidden = [value for _, value in table.runs[event["run"] - 1].draws]
        out += telling.line(event, hidden)
    assert telling.view == table.view(reader) or not knows_hidden
    return out


@pytest.mark.parametrize("sample", games())
@pytest.mark.parametrize("way", ["hash-chains-once", "hmac-sha3-user-number", "seeded-tape"])
def test_a_record_is_told_from_the_first_draw_to_the_end(sample: Sample, way: str) -> None:
    table = play_through(sample.make(), mode(way))
    for reader in readers(table.game):
        lines = told(table, reader, knows_hidden=True)
        for line in lines:
            sentence(line)
        moves = [e for e in table.transcript.events if e["kind"] in ("move", "open", "end")]
        assert len(" ".join(lines).split(".")) > len(moves)


@pytest.mark.parametrize("after", range(0, 12, 2))
def test_a_record_is_told_on_when_somebody_leaves_and_others_stay(after: int) -> None:
    table = open_table(SAMPLES["zombie/2"][0].make(), mode("hash-chains-once"))
    driver = Driver(table)
    for _ in range(after):
        driver.once()
    if not table.closed:
        table.forfeit(2, "bored")
    driver.play()
    for reader in readers(table.game):
        lines = told(table, reader, knows_hidden=True)
        for line in lines:
            sentence(line)
        assert any("leave" in line for line in lines) == any(
            e["kind"] == "forfeit" for e in table.transcript.events
        )


def test_a_record_with_blanks_is_told_by_what_the_reader_was_shown() -> None:
    sample = SAMPLES["codebreaking/1"][0]
    table = open_table(sample.make(), mode("hash-chains-once"))
    telling = Telling(words_for(table.game, NAMES[:2], 1))
    lines: list[str] = []
    driver, done = Driver(table, "rows"), 1
    for _ in range(40):
        for event in table.transcript.events[done:]:
            lines += telling.line(event)
        done = table.transcript.step
        telling.look(table.view(1))
        if not driver.once():
            break
    assert lines[0] == "The code is drawn. Only Ann may see it."
    assert lines[1:] == told(table, 1, knows_hidden=True)[1:]


@pytest.mark.parametrize("reader", [1, None])
def test_the_words_are_the_same_whatever_is_hidden(reader: Seat | None) -> None:
    sample = SAMPLES["codebreaking/1"][0]
    table = play_through(sample.make(), mode("seeded-tape"), "rows")
    events = table.transcript.events
    shown = next(i for i, e in enumerate(events) if e["kind"] == "move" and i > len(events) - 4)
    heard = set()
    for code in range(4):
        words = words_for(table.game, NAMES[:2], reader)
        telling = Telling(words)
        lines: list[str] = []
        for event in events[1:shown]:
            lines += telling.line(event, [code])
            lines += words.state(telling.view)
        heard.add("\n".join(lines))
    assert len(heard) == 1


@pytest.mark.parametrize("label", TOYS)
def test_a_game_without_words_is_told_all_the_same(toy: str, label: str) -> None:
    table = play_through(make_game(toy, TOYS[label]), mode("hash-chains-once"))
    for reader in (0, 1, None):
        words = words_for(table.game, NAMES[:2], reader)
        assert type(words) is PlainWords
        for line in told(table, reader, knows_hidden=True):
            sentence(line)
        for line in [*words.parameters(), *words.state(table.view(reader))]:
            plain(line)


def test_somebody_elses_words_stay_in_one_line_and_rule_no_terminal() -> None:
    game = make_game("fatestones/1", {})
    words = words_for(game, ["A\x1b[2Jnn\n\nYou win.", "Bob"], 1)
    assert words.names[0] == r"A\u001b[2Jnn\u000a\u000aYou win."
    said = words.left(0, "house", "late\r\n\x07You win" + "!" * 1000)
    assert "\n" not in said and "\x07" not in said and len(said) < 400


# How people type


@pytest.mark.parametrize(
    ("game", "params", "typed", "move"),
    [
        ("codebreaking/1", {}, "0511", (0, 5, 1, 1)),
        ("codebreaking/1", {}, "0 5 1 1", (0, 5, 1, 1)),
        ("codebreaking/1", {}, "0,5,1,1", (0, 5, 1, 1)),
        ("codebreaking/1", {}, "Give  Up", "give up"),
        ("codebreaking/1", {"base": 50, "length": 1}, "42", (42,)),
        ("zombie/2", {}, "", "roll"),
        ("zombie/2", {}, "R", "roll"),
        ("poker/2", {}, "13", (0, 1, 0, 1, 1)),
        ("poker/2", {}, "1 3", (0, 1, 0, 1, 1)),
        ("poker/2", {}, "5, 4", (1, 1, 1, 0, 0)),
        ("poker/2", {}, "nothing", (1, 1, 1, 1, 1)),
        ("poker/2", {}, "all", (0, 0, 0, 0, 0)),
        ("intransitive/1", {}, "2,2,4,4,9,9", 0),
        ("intransitive/1", {}, "6, 8, 1, 1, 8, 6", 1),
        ("intransitive/1", {}, "2", 2),
    ],
)
def test_moves_are_typed_as_people_type_them(
    game: str, params: dict[str, Any], typed: str, move: Move
) -> None:
    rules, seat, state = _first_turn(game, params)
    assert words_for(rules, NAMES, seat).read(rules.view(state, seat), seat, typed) == move


@pytest.mark.parametrize(
    ("game", "typed", "why"),
    [
        ("poker/2", "11", "named twice"),
        ("poker/2", "", "or: nothing"),
        ("poker/2", "6", "'6'"),
        ("codebreaking/1", "05111", "a code has 4 digits, not 5: '05111'"),
        ("codebreaking/1", "0516", "a digit must be in 0..5, not 6: '0516'"),
        ("zombie/2", "h", "begins with a roll"),
        ("zombie/2", "pass", "type r to roll, not 'pass'"),
        ("intransitive/1", "9,9", "a number from 0 to 2"),
    ],
)
def test_what_cannot_be_a_move_is_refused_with_the_reason(game: str, typed: str, why: str) -> None:
    rules, seat, state = _first_turn(game, {})
    with pytest.raises(IllegalMove, match=re.escape(why)):
        words_for(rules, NAMES, seat).read(rules.view(state, seat), seat, typed)


@pytest.mark.parametrize("typed", ["1 2", "1,2", "1/2", "12", "1 full, 2 partial"])
def test_answers_are_two_counts(typed: str) -> None:
    rules = make_game("codebreaking/1", {"oracle": "evil"})
    state = rules.played(rules.start(), {1: (0, 1, 2, 3)})
    assert words_for(rules, NAMES, 0).read(state, 0, typed) == (1, 2)


@pytest.mark.parametrize(
    ("oracle", "typed", "why"),
    [
        ("evil", "3 1", "no two codes of 4 digits match like (3, 1)"),
        ("nice", "1 2", "a nice keeper must tell the truth, and '1 2' is not true"),
        ("evil", "x", "an answer is two numbers, full and partial matches, such as 1 2, not 'x'"),
    ],
)
def test_answers_that_cannot_be_are_refused_in_words(oracle: str, typed: str, why: str) -> None:
    rules = make_game("codebreaking/1", {"oracle": oracle})
    state = rules.played(rules.start(), {1: (0, 1, 2, 3)})
    with pytest.raises(IllegalMove, match=re.escape(why)):
        words_for(rules, NAMES, 0).read(state, 0, typed)


def _first_turn(game: str, params: dict[str, Any]) -> tuple[Game[Any], Seat, Any]:
    rules = make_game(game, params)
    state = rules.start()
    while isinstance(awaits := rules.awaits(state), Draw):
        state = rules.drawn(state, 0)
    assert isinstance(awaits, Turn)
    return rules, awaits.seats[0], state

"""Golden playthroughs: whole games that must come out the same, byte for byte, in every version.

Each is a transcript (``.jsonl``) and the same game told in words (``.txt``). Every secret
and every decision is fixed, so making them again gives the same bytes. If it does not,
rules or schemes have changed, and their names must change with them.

For your own game, on the command line::

    python -m fairground.testing.playthroughs my_package.rules:MyGame --into golden
    python -m fairground.testing.playthroughs my_package.rules:MyGame --into golden --check

or in a test::

    plan = playthroughs.plan({"small": MyGame(size=2)})
    assert playthroughs.differences(plan, Path("golden")) == []
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.core import Draw, FairgroundError, Game, InputError, Move, Over, Seat, Turn
from fairground.games import GAMES, game_class
from fairground.table import Table
from fairground.testing.driving import Driver, judge, open_table
from fairground.testing.modes import ALL_MODES, FixedVault, Mode, mode
from fairground.verifier import Verdict

ENDINGS: Final = ("jsonl", "txt")
INDENT: Final = " " * 7
WIDTH: Final = 80
"""A value wider than this is printed field by field, and a list of moves is cut."""


class Playthrough(NamedTuple):
    """A game, the label of its parameters, and the way in which it is played."""

    game: Game[Any]
    label: str
    mode: Mode
    leaves_after: int | None = None
    """After how many answers the last seat walks away; ``None``: never."""

    @property
    def name(self) -> str:
        """Return the name of its files, without the ending."""
        left = "" if self.leaves_after is None else "--left"
        return f"{self.game.name.replace('/', '-')}-{self.label}--{self.mode.name}{left}"


def plan(games: Mapping[str, Game[Any]], modes: Sequence[Mode] = ()) -> list[Playthrough]:
    """Return the playthroughs that a game should have; ``games`` are small ones, by their labels.

    Each is played with a seeded tape. The first one is also played under ``modes`` (by
    default: with hash chains), and once the last seat leaves after one answer.
    """
    tape = mode("seeded-tape")
    out = [Playthrough(game, label, tape) for label, game in games.items()]
    first = out[0]
    more = [each for each in modes or (mode("hash-chains-chain"),) if each != tape]
    out += [first._replace(mode=each) for each in more]
    return [*out, first._replace(mode=mode("hmac-sha3-user-number"), leaves_after=1)]


def make(wanted: Playthrough) -> tuple[bytes, str]:
    """Return the transcript of a playthrough, and its story."""
    table = open_table(wanted.game, wanted.mode, FixedVault(wanted.name))
    driver = Driver(table, wanted.name)
    story = [wanted.name, ""]
    shown: dict[str, str] = {}
    told = answers = 0
    while True:
        for event in table.transcript.events[told:]:
            told += 1
            story += tell(told, event)
        here = position(table)
        story += changes(shown, here)
        shown = here
        if answers == wanted.leaves_after and not table.closed:
            table.forfeit(table.game.seats - 1, "left the table")
        elif not driver.once():
            break
        answers += 1
    story += ["", "At the end", *changes({}, shown), "", *ending(judge(table, wanted.mode))]
    return bytes(table.transcript), "\n".join(story) + "\n"


# The story


def tell(line: int, event: Mapping[str, Any]) -> Iterator[str]:
    """Yield one event in words: a line with its number, and more lines for its fields."""
    first, *more = _said(event)
    yield f"{line:3}. {first}"
    yield from (f"     {each}" for each in more)


def _said(event: Mapping[str, Any]) -> list[str]:
    match event["kind"]:
        case "start":
            return [
                f"{event['game']} under {event['dealer']}",
                *(f"  params.{key}: {value}" for key, value in event["params"].items()),
                *(f"  public.{key}: {value}" for key, value in event["public"].items()),
                *(
                    f"  seat {seat}: {chair['name']}, run by {chair['by']}, lends {chair['lends']}"
                    for seat, chair in enumerate(event["seats"])
                ),
            ]
        case "ticket":
            hidden = ", hidden" if event["hidden"] else ""
            return [
                f"run {event['run']} opens, below {event['n']}{hidden}",
                *_evidence(event["ticket"]),
            ]
        case "share":
            what = f"seat {event['seat']} lends a {event['share']} to run {event['run']}"
            return [f"{what}: {event['value']}"]
        case "dealt":
            return [f"run {event['run']} gives {_draws(event)}", *_evidence(event["evidence"])]
        case "seal":
            return [f"seat {event['seat']} seals a move: {event['commitment']}"]
        case "open":
            return [f"seat {event['seat']} opens {event['move']!r}", f"  key: {event['key']}"]
        case "move":
            return [f"seat {event['seat']} plays {event['move']!r}"]
        case "note":
            return ["a note", *_evidence(event["body"])]
        case "forfeit":
            return [f"seat {event['seat']} forfeits, says the {event['by']}: {event['reason']}"]
        case "opening":
            return [
                f"run {event['run']} is opened: {_draws(event)}",
                *_evidence(event["evidence"]),
            ]
        case "end":
            return [f"the end: {event['payoff']}"]
        case kind:
            raise LookupError(f"no words for {kind}")


def _evidence(record: Mapping[str, Any]) -> list[str]:
    return [f"  {key}: {value}" for key, value in record.items()]


def _draws(event: Mapping[str, Any]) -> str:
    drawn = [f"{'?' if value is None else value} of {n}" for n, value in event["draws"]]
    return ", ".join(drawn) or "no draws"


def position(table: Table) -> dict[str, str]:
    """Return the position, name by name: the state, what views blank out, what is legal."""
    game, s = table.game, table.state
    state = parts(s)
    out = {f"state{path}": value for path, value in state.items()}
    for seat in range(game.seats):
        for path, value in parts(game.view(s, seat)).items():
            if state.get(path) != value:
                out[f"seat {seat} sees state{path}"] = value
    match game.awaits(s):
        case Turn(seats):
            out |= {f"seat {seat} may play": _listed(game, s, seat) for seat in seats}
        case Draw(n, to):
            out["awaits"] = f"a draw below {n}" + ("" if to is None else f" for seats {to}")
        case Over(payoff):
            out["over"] = str(payoff)
    for ask in table.asks():
        out[f"seat {ask.seat} is asked for"] = ask.kind
    return out


def parts(value: Any, path: str = "") -> dict[str, str]:
    """Return the fields of a state by their paths; a field too wide for a line is split up."""
    fields = _fields(value) if not path or len(repr(value)) > WIDTH else {}
    if not fields:
        return {path: repr(value)}
    return {k: v for name, item in fields.items() for k, v in parts(item, path + name).items()}


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {f".{name}": getattr(value, name) for name in value._fields}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f".{each.name}": getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {f"[{i}]": item for i, item in enumerate(value)}
    return {}


def _listed(game: Game[Any], s: Any, seat: Seat) -> str:
    """Return the legal moves as far as they fit in a line, and their number."""
    moves: list[Move] = list(islice(game.moves(s, seat), 1001))
    shown = list(map(repr, moves))
    if len(", ".join(shown)) <= WIDTH:
        return ", ".join(shown)
    while len(", ".join(shown)) > WIDTH:
        shown.pop()
    count = "more than 1000" if len(moves) > 1000 else len(moves)
    return f"{', '.join(shown)}, ... ({count} moves)"


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield the changes of a position, one name per line; a dash marks what is gone."""
    for name in before:
        if not any(_within(name, each) or _within(each, name) for each in after):
            yield f"{INDENT}{name}: -"
    for name, value in after.items():
        if before.get(name) != value:
            yield f"{INDENT}{name}: {value}"


def _within(path: str, outer: str) -> bool:
    """Return true if a path equals another one, or lies within it."""
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))


def ending(verdict: Verdict) -> Iterator[str]:
    """Return the verdict of `verify` on the transcript."""
    yield f"holds: {verdict.ok}; payoff {verdict.payoff}"
    for claim in verdict.claims:
        yield f"{claim}: lines {', '.join(map(str, claim.lines))}"
        yield textwrap.indent(textwrap.fill(claim.sentence, 90), INDENT)


# Files


def _files(wanted: Iterable[Playthrough]) -> Iterator[tuple[str, bytes]]:
    for each in wanted:
        data, story = make(each)
        for ending_, content in zip(ENDINGS, (data, story.encode()), strict=True):
            yield f"{each.name}.{ending_}", content


def write(wanted: Iterable[Playthrough], folder: Path) -> list[str]:
    """Make the playthroughs and write them; return the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = list(_files(wanted))
    for name, content in files:
        (folder / name).write_bytes(content)
    return [name for name, _ in files]


def differences(wanted: Iterable[Playthrough], folder: Path) -> list[str]:
    """Return the playthroughs that the folder lacks, or that differ when made again."""
    out = []
    for name, content in _files(wanted):
        path = folder / name
        if not path.exists():
            out.append(f"{name} is missing")
        elif path.read_bytes() != content:
            out.append(f"{name} came out differently: rules that change get a new name")
    return out


# The command


def _rules(name: str) -> type[Game[Any]]:
    """Return the class of a registered game, or of ``module:Class``."""
    if name in GAMES or ":" not in name:
        return game_class(name)
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f"there is no game at {name!r}: {error}") from None
    if not isinstance(found, type) or not issubclass(found, Game):
        raise InputError(f"{name!r} is not a class of games")
    return found


def _params(text: str) -> Any:
    try:
        params = json.loads(text)
    except ValueError:
        params = None
    if not isinstance(params, dict):
        example = '{"dice": [[1, 2], [2], [3, 0]]}'
        raise InputError(f"--params must be a JSON object such as {example}, not {text!r}")
    return params


def main(arguments: Sequence[str] | None = None) -> int:
    """Make or check the playthroughs of one game."""
    parser = argparse.ArgumentParser(
        prog="python -m fairground.testing.playthroughs",
        description="Make golden playthroughs of a game, or check that they come out the same.",
    )
    parser.add_argument("game", help="a registered name such as zombie/2, or module:Class")
    parser.add_argument("--params", default="{}", help="the game's parameters, as a JSON object")
    parser.add_argument("--label", default="sample", help="what the parameters are called in files")
    parser.add_argument("--into", type=Path, default=Path("playthroughs"), help="the folder")
    parser.add_argument("--all", action="store_true", help="play under every scheme")
    parser.add_argument("--check", action="store_true", help="write nothing; compare")
    given = parser.parse_args(arguments)
    try:
        game = _rules(given.game).from_params(_params(given.params))
        wanted = plan({given.label: game}, ALL_MODES if given.all else ())
        if given.check:
            wrong = differences(wanted, given.into)
            sys.stdout.write("".join(f"{each}\n" for each in wrong) or "all the same\n")
            return 1 if wrong else 0
        sys.stdout.write("".join(f"{given.into / name}\n" for name in write(wanted, given.into)))
    except FairgroundError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Files of simulated games, each with a card that says what it is, and a README for people.

Beside ``games.csv`` stand ``games.csv.card.json`` (plan, columns, version, hash) and
``games.csv.README.md``. With the card anyone can make the file again, and `verify` checks the
file against it: the hash, the columns, and a sample of games that the rules play again.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec import Struct, convert, to_builtins

from fairground.core import Fault, InputError, Unreadable
from fairground.fair.bits import Stream, SystemStream
from fairground.games import GAMES
from fairground.games.fatestones.rows import parquet_cells
from fairground.lab.plans import Plan, game_of, states_of
from fairground.lab.rows import INTEGER, Column, Schema, schema_of
from fairground.lab.statistics import Tally
from fairground.registry import needs

FORMAT: Final = "fairground-dataset/1"
PARQUET: Final = ".parquet"
BLOCK: Final = 1 << 20


class Card(Struct, frozen=True):
    """The description of a file of games. Its fields are those of the file beside it."""

    format: str
    fairground: str
    """The version that made the file."""
    plan: Plan
    columns: tuple[Column, ...]
    header: bool
    games: int
    rows: int
    until_separable: bool
    stopped_early: bool
    sha256: str
    tally: Tally


def card_path(path: Path) -> Path:
    """Return the path of a file's card."""
    return path.with_name(f"{path.name}.card.json")


def readme_path(path: Path) -> Path:
    """Return the path of a file's README."""
    return path.with_name(f"{path.name}.README.md")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, as sha256sum prints it."""
    made = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            made.update(block)
    return made.hexdigest()


def read_card(path: Path) -> Card:
    """Read the card of a file of games."""
    try:
        told = json.loads(card_path(path).read_text(encoding="utf-8"))
        if told["format"] != FORMAT:
            raise ValueError(f"the format is {told['format']!r}, not {FORMAT!r}")
        return convert({**told, "plan": Plan.from_json(told["plan"])}, Card, str_keys=True)
    except OSError as error:
        raise Unreadable(f"cannot read {card_path(path)}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, InputError) as error:
        raise Unreadable(f"{card_path(path)} is no card of a data set: {error}") from None


def read_unchanged(path: Path) -> Card:
    """Read the card of a file, and check that the file still has the hash on it."""
    try:
        seen = sha256_of(path)
    except OSError as error:
        raise Unreadable(f"cannot read {path}: {error.strerror}") from None
    card = read_card(path)
    if seen != card.sha256:
        raise Fault(
            "dataset/hash", f"the file has the SHA-256 {seen}, but its card says {card.sha256}"
        )
    return card


class Dataset:
    """A file of games that is being made."""

    def __init__(
        self, path: Path, plan: Plan, schema: Schema, header: bool | None, until: bool
    ) -> None:
        self.path = path
        self.plan = plan
        self.schema = schema
        self.parquet = path.suffix == PARQUET
        self.header = not self.parquet and (schema.header if header is None else header)
        self.until_separable = until

    @property
    def header_line(self) -> str:
        return ",".join(self.schema.names) if self.header else ""

    def check(self) -> None:
        """Raise now if the file cannot be written in its format, rather than after all the work."""
        if self.parquet:
            pyarrow("parquet")

    def finish(self, part: Path, games: int, rows: int, tally: Tally, early: bool) -> None:
        """Give the file its name, and write card and README beside it."""
        if self.parquet:
            write_parquet(
                part, self.path, [(c.name, c.kind == INTEGER) for c in self.schema.columns]
            )
        else:
            part.replace(self.path)
        card = Card(
            FORMAT, version("fairground"), self.plan, self.schema.columns, self.header, games,
            rows, self.until_separable, early, sha256_of(self.path), tally,
        )  # fmt: skip
        told = to_builtins(card, str_keys=True) | {"plan": self.plan.as_json()}
        readme_path(self.path).write_text(_readme(self, games, rows), encoding="utf-8")
        card_path(self.path).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def must_be_free(dataset: Dataset) -> Card | None:
    """Refuse a name that is taken; return the card if the file is the one that is wanted."""
    path = dataset.path
    if not path.exists():
        return None
    if not card_path(path).exists():
        raise InputError(
            f"{str(path)!r} exists, and nothing says what is in it. Choose another name, or give "
            "--replace"
        )
    card = read_card(path)
    asked = (dataset.plan, dataset.header, dataset.until_separable)
    same = (card.plan, card.header, card.until_separable) == asked
    if same and card.sha256 == sha256_of(path):
        return card
    found = _described(card) if not same else "it was changed after it was made"
    raise InputError(
        f"{str(path)!r} exists and holds something else: {found}. Choose another name, or give "
        "--replace"
    )


def _described(card: Card) -> str:
    who = " / ".join(", ".join(lineup) for lineup in card.plan.lineups)
    return f"{card.games:,} games of {card.plan.game} between {who}, seed {card.plan.seed!r}"


def command_of(dataset: Dataset) -> str:
    """Return the command that makes the file again."""
    plan = dataset.plan
    words = ["fairground", "simulate", plan.game, "--params", plan.params]
    words += ["--players", ",".join(plan.lineups[0]), "--games", str(plan.games)]
    if len(plan.lineups) > 1:
        changed = [s for s, (a, b) in enumerate(zip(*plan.lineups[:2], strict=True)) if a != b]
        if plan.entrants[0].cells == tuple((at, at) for at in range(len(plan.lineups))):
            words.append("--mirror")
        else:
            from fairground.players import seat_labels

            labels = seat_labels(game_of(plan))
            for seat in changed:
                words += ["--versus", f"{labels[seat]}={plan.lineups[1][seat]}"]
    if plan.luck:
        words.append("--without-luck")
    if dataset.until_separable:
        words.append("--until-separable")
    if dataset.header != (dataset.schema.header and not dataset.parquet):
        words.append("--header")
    return shlex.join([*words, "--seed", plan.seed, "--out", dataset.path.name])


def _readme(dataset: Dataset, games: int, rows: int) -> str:
    plan = dataset.plan
    columns = "\n".join(
        f"| `{column.name}` | {column.kind} | {column.says} |" for column in dataset.schema.columns
    )
    return f"""# {dataset.path.name}

{games:,} simulated games of {GAMES[plan.game].title} (`{plan.game}`), {rows:,} rows.

| | |
|---|---|
| players | {" / ".join(", ".join(lineup) for lineup in plan.lineups)} |
| parameters | `{plan.params}` |
| seed | `{plan.seed}` |
| made by | Fairground {version("fairground")} |

Each game depends on this seed and its number alone. To make the file again:

    {command_of(dataset)}

To check it against its card:

    fairground dataset verify {dataset.path.name}

| column | type | meaning |
|---|---|---|
{columns}
"""


# Verifying


class Checked(NamedTuple):
    """The result of a successful `verify`."""

    card: Card
    replayed: int
    """Number of games that the rules played again."""


def verify(path: Path, sample: int = 100, chance: Stream | None = None) -> Checked:
    """Check a file against its card; raise `Fault` with the first difference.

    The rules play ``sample`` games again, picked by ``chance``.
    """
    card = read_unchanged(path)
    schema = schema_of(card.plan)
    chance = chance or SystemStream()
    wanted = {chance.below(card.games) for _ in range(sample)}
    games = rows = replayed = 0
    for number, lines in enumerate(_games(path, card, schema)):
        games, rows = games + 1, rows + len(lines)
        if number in wanted and number < card.plan.games:
            replayed += 1
            if lines != schema.of(number, list(states_of(card.plan, number))):
                raise Fault("dataset/game", f"game {number} went otherwise by the rules")
    if (games, rows) != (card.games, card.rows):
        raise Fault(
            "dataset/size",
            f"the file has {games:,} games in {rows:,} rows, but its card says {card.games:,} "
            f"in {card.rows:,}",
        )
    return Checked(card, replayed)


def _games(path: Path, card: Card, schema: Schema) -> Iterator[list[str]]:
    """Yield the rows of each game."""
    game: list[str] = []
    for line in lines_of(path, card, schema):
        cells = line.split(",")
        if len(cells) != len(schema.columns):
            raise Fault("dataset/row", f"a row has {len(cells)} cells: {line!r}")
        game.append(line)
        if schema.ends(cells):
            yield game
            game = []
    if game:
        raise Fault("dataset/row", "the last game has no end")


def lines_of(path: Path, card: Card, schema: Schema) -> Iterator[str]:
    """Yield the rows of a file, as text."""
    if path.suffix == PARQUET:
        yield from (",".join(cells) for _, cells in parquet_cells(path))
        return
    with path.open(encoding="utf-8") as text:
        lines = (line.rstrip("\n") for line in text)
        if card.header:
            (names,) = islice(lines, 1)
            if names.split(",") != schema.names:
                raise Fault("dataset/header", f"the columns are called {names!r}")
        yield from lines


def pyarrow(module: str) -> Any:
    """Import a module of PyArrow, or raise a clear error."""
    from importlib import import_module

    with needs("lab", "a Parquet file"):
        return import_module(f"pyarrow.{module}")


def write_parquet(part: Path, out: Path, columns: Sequence[tuple[str, bool]]) -> None:
    """Convert rows of text to Parquet; empty cells become nulls.

    Columns are pairs: the name, and whether it holds integers.
    """
    csv, parquet, arrow = pyarrow("csv"), pyarrow("parquet"), pyarrow("lib")
    kinds = arrow.schema(
        [(name, arrow.int64() if whole else arrow.string()) for name, whole in columns]
    )
    made = out.with_name(f"{out.name}.made")
    try:
        with (
            csv.open_csv(
                part,
                read_options=csv.ReadOptions(column_names=[name for name, _ in columns]),
                convert_options=csv.ConvertOptions(
                    column_types=kinds, null_values=[""], strings_can_be_null=True
                ),
            ) as reader,
            parquet.ParquetWriter(made, kinds) as writer,
        ):
            for batch in reader:
                writer.write_batch(batch)
        made.replace(out)
    finally:
        made.unlink(missing_ok=True)

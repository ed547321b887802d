"""``fairground dataset verify``: whether a file of games is what its card says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from fairground.core import Fault
from fairground.lab.datasets import verify
from fairground.terminal.console import Arguments


def _arguments() -> Arguments:
    parser = Arguments(
        "dataset verify",
        "Check files of simulated games against the cards beside them: the hash, the columns,\n"
        "the number of rows, and a random sample of games that the rules play again.",
        "Examples:\n"
        "  fairground dataset verify games.csv\n"
        "  fairground dataset verify games.parquet --sample 1000 --json",
    )
    parser.add_argument("files", metavar="FILE", type=Path, nargs="+", help="the rows")
    parser.add_argument(
        "--sample", metavar="N", type=int, default=100, help="games to play again (default: 100)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground dataset verify``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if options.sample < 0:
        parser.error(f"--sample must be 0 or more, not {options.sample}")
    told = []
    for path in options.files:
        try:
            found = verify(path, options.sample)
        except Fault as fault:
            told.append({"file": str(path), "ok": False, "code": fault.code, "reason": str(fault)})
            words = f"{path}: WRONG\n  {fault}"
        else:
            card = found.card
            told.append({"file": str(path), "ok": True, "games": card.games, "rows": card.rows,
                         "replayed": found.replayed, "sha256": card.sha256})  # fmt: skip
            words = (
                f"{path}: as its card says\n"
                f"  {card.plan.game}, {card.games:,} games, {card.rows:,} rows, "
                f"seed {card.plan.seed!r}\n"
                f"  {found.replayed:,} games were played again by the rules, and are the same"
            )
        if not options.json:
            print(words)
    if options.json:
        print(json.dumps({"files": told}))
    return 0 if all(one["ok"] for one in told) else 1

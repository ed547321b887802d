"""The figures of docs/reliability.md, made from the result of a campaign.

The page has prose around two marks; what is between them is made here, and a test compares it with
the committed result (bench/results/arena_campaign.json).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tools.campaign import mutation

ROOT = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "reliability.md"
RESULT: Final = ROOT / "bench" / "results" / "arena_campaign.json"
BEGIN: Final = "<!-- made by tools/arena_campaign.py: begin -->"
END: Final = "<!-- made by tools/arena_campaign.py: end -->"

TITLES: Final = {
    "kills": "Kills (SQLite)",
    "postgres": "PostgreSQL",
    "disks": "Disks",
    "money": "Kills while the Croupier settles",
    "clocks": "Clocks that jump",
    "bytes": "Bytes",
    "readers": "Readers",
    "bots": "Bots",
    "crowd": "A crowd beside four bots",
    "open": "Open games",
    "audit": "Audit, without a network",
}
ABOUT: Final = ("date", "cores", "load", "seconds")
"""Members of every part."""


def page(text: str, found: dict[str, Any]) -> str:
    """The page with these figures."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{figures(found)}\n{END}{after}"


def figures(found: dict[str, Any]) -> str:
    """All that is between the marks."""
    made = [_about(found), *(_part(one, found[one]) for one in TITLES if one in found)]
    if "floods" in found:
        made.append(_floods(found["floods"]))
    if "mutation" in found:
        made.append(_mutation(found["mutation"]))
    return "\n".join(made)


def _about(found: dict[str, Any]) -> str:
    runs = [one for one in found.values() if "load" in one]
    dates = sorted({one["date"] for one in runs})
    loads = sorted(one["load"] for one in runs)
    seconds = sorted(one["seconds"] for one in runs)
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return (
        f"On {days}, on {runs[0]['cores']} cores that others used too (load {loads[0]} to "
        f"{loads[-1]}), {seconds[0]:,} to {seconds[-1]:,} seconds for each part. These are "
        'bounds, and no records. A part that says "not run" was not possible there.\n'
    )


def _part(name: str, found: dict[str, Any]) -> str:
    told = "; ".join(_said(key, value) for key, value in found.items() if key not in ABOUT)
    run = f"{found['seconds']:,} s, load {found['load']}"
    return f"- **{TITLES[name]}** ({run}): {told}."


def _said(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{key}: {'yes' if value else 'no'}"
    if isinstance(value, dict):
        return f"{key}: {_list([_said(one, told) for one, told in value.items()])}"
    if isinstance(value, list):
        return f"{key}: {_list([str(one) for one in value])}"
    return f"{key}: {value:,}" if isinstance(value, int) else f"{key}: {value}"


def _list(parts: list[str]) -> str:
    return f"({', '.join(parts)})" if parts else "none"


SLOWEST: Final = 10
"""Number of flooded routes that the page names."""


def _floods(found: dict[str, Any]) -> str:
    told = {route: one for route, one in found.items() if isinstance(one, dict)}
    slow = sorted(told, key=lambda route: -told[route]["p99"])
    rest = max((told[route]["p99"] for route in slow[SLOWEST:]), default=0)
    shown = [*(["nobody"] if "nobody" in told else []), *slow[:SLOWEST]]
    rows = [
        f"| `{route}` | {told[route]['answers']:,} | {told[route]['p50']} | {told[route]['p99']} |"
        for route in shown
    ]
    return "\n".join(
        [
            f"- **Floods** ({found['seconds']:,} s, load {found['load']}): milliseconds that "
            "another client waits for its oracle. The flood comes from this machine and takes most "
            f"of its cores, so these are upper bounds. Besides the {len(shown)} rows, "
            f"{len(told) - len(shown)} routes were flooded; p99 was {rest} at most.\n",
            "| flooded | answers | p50 | p99 |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _mutation(found: dict[str, Any]) -> str:
    known = mutation.reasons()
    areas = {area: [0] * 5 for area in mutation.SUITES}
    left = []
    for area, suite in mutation.SUITES.items():
        for module in suite.modules:
            told = found["modules"].get(module, {"mutants": 0, "tried": 0, "survived": []})
            unexplained = [name for name in told["survived"] if name not in known]
            survived = len(told["survived"])
            counts = [told["mutants"], told["tried"], told["tried"] - survived]
            counts += [survived - len(unexplained), len(unexplained)]
            areas[area] = [sum(pair) for pair in zip(areas[area], counts, strict=True)]
            left += unexplained
    return "\n".join(
        [
            "### Mutants\n",
            f"On {found['date']}. Noticed: a test failed. Explained: no test failed, because the "
            "change makes no difference; `tools/campaign/survivors.toml` names each of these "
            f"{len(known):,} mutants with its reason. Open: no test failed, without a reason.\n",
            "| area | mutants | tried | noticed | explained | open |",
            "|---|---|---|---|---|---|",
            *(_row(area, counts) for area, counts in areas.items()),
            _row("all", [sum(column) for column in zip(*areas.values(), strict=True)]),
            "",
            *(["These are open:\n", *(f"- `{name}`" for name in sorted(left)), ""] if left else []),
        ]
    )


def _row(name: str, counts: list[int]) -> str:
    return f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |"


def write() -> None:
    """Put the committed result into the page."""
    PAGE.write_text(page(PAGE.read_text(), json.loads(RESULT.read_text())))

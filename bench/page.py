"""One page of all figures: `RESULTS.md`, made of ``results/*.json``, those that we lose first.

    python bench/page.py

A figure names its bench, where it stands in that bench's result, what it stands beside (a peer, a
limit, or what was aimed at), and whether more or less of it is better. Nothing is measured here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

RESULTS: Final = Path(__file__).parent / "results"
PAGE: Final = Path(__file__).parent / "RESULTS.md"

ANY: Final = "*"
Place = tuple[str, ...]
"""Keys that lead to a number in a result; a median with its spread counts as its median."""


class Figure(NamedTuple):
    """A measurement, and its comparison."""

    bench: str
    what: str
    place: Place
    unit: str
    beside: str
    """The peer or the limit, in words."""
    aim: float | Place
    """Its aim: a number, or a place in the same result."""
    more: bool = True
    """True if more is better."""


_VERIFY: Final = "json.loads and SHA3-256 of each line; aim 0.40"
_GAMES: Final = ("intransitive dice", "code breaking", "Zombie Dice", "FateStones", "video poker")
_COMMANDS: Final = (
    "fairground --help",
    "fairground dice",
    "fairground codebreaking",
    "fairground zombie",
    "fairground fatestones",
    "fairground verify",
    "fairground solve dice",
)
_FLOOR: Final = "python -c 'import argparse, hmac, secrets, json'; aim 2"
_RATE: Final = "a CPU-second"
_RANKING: Final = ("ranking", "hands per CPU-second")
_ANALYSIS: Final = ("analysis", "CPU seconds after compilation")
_STEPS: Final = ("steps",)
_RULES: Final = ("turns_per_cpu_second",)

FIGURES: Final = (
    Figure(
        "verify",
        "verify, all games and schemes",
        ("all", "floor_over_verify"),
        "of the floor",
        _VERIFY,
        0.40,
    ),
    *(
        Figure(
            "verify",
            f"verify, {game}, the slowest scheme",
            ("games", game, ANY, "floor_over_verify"),
            "of the floor",
            _VERIFY,
            0.40,
        )
        for game in _GAMES
    ),
    Figure(
        "verify",
        "second checker (check.mjs in Node), a record of Zombie Dice",
        ("second_checker", "check_over_verify"),
        "times the time of verify",
        "`fairground verify`, the same record; aim 1",
        1.0,
        more=False,
    ),
    Figure(
        "contest",
        "verify --contest, 20 teams × 1,000 games",
        ("floor_over_verify", "median"),
        "of the floor",
        _VERIFY,
        0.40,
    ),
    Figure(
        "following",
        "one more line of a game that a browser follows, line 1,000",
        ("times line 10",),
        "times line 10",
        "line 10 of the same game; aim 2",
        2.0,
        more=False,
    ),
    Figure(
        "ledger",
        "a ledger of 100,000 hands opens",
        ("opened", "from its snapshot"),
        "CPU-s",
        "aim: a second",
        1.0,
        more=False,
    ),
    *(
        Figure("startup", name, ("times_the_floor", name), "floors", _FLOOR, 2.0, more=False)
        for name in _COMMANDS
    ),
    *(
        Figure(
            "startup",
            f"{name}, no bytecode",
            ("without our bytecode", "times_the_floor", name),
            "floors",
            _FLOOR,
            2.0,
            more=False,
        )
        for name in _COMMANDS
    ),
    Figure(
        "startup",
        "fairground croupier",
        ("times_the_floor", "fairground croupier"),
        "floors",
        _FLOOR.replace("aim 2", "aim 12"),
        12.0,
        more=False,
    ),
    Figure(
        "dice",
        "win matrix of 462 dice, all in one call",
        ("win_matrix", "times_faster_than", "icepool"),
        "times",
        "icepool 2.1.3, a call from Python for each pair; aim 1,000",
        1000.0,
    ),
    Figure(
        "dice",
        "win matrix of 462 dice, all in one call",
        ("win_matrix", "times_faster_than", "dyce"),
        "times",
        "dyce 0.7.0, a call from Python for each pair; aim 1,000",
        1000.0,
    ),
    Figure(
        "fatestones",
        "FateStones picks and rolls, random players, compiled kernel; the deal not counted",
        ("steps_to_pig_steps",),
        "times",
        "OpenSpiel's pig, another game: picks and rolls of random players, each a call from Python",
        1.0,
    ),
    Figure(
        "fatestones",
        "FateStones rounds, each of two picks and two rolls",
        ("rounds_to_pig_steps",),
        "times",
        "the same loop over pig, each step one pick or one roll; aim 50",
        50.0,
    ),
    Figure(
        "fatestones",
        "all 18,123,840 deals solved",
        ("all_deals", "cpu_seconds"),
        "CPU-s",
        "aim 2",
        2.0,
        more=False,
    ),
    Figure(
        "fatestones",
        "one deal solved from Python, in fractions",
        ("one_deal", "times_nashpy"),
        "times",
        "nashpy 0.0.43 for the same ten matrix games, in floating point",
        1.0,
    ),
    Figure(
        "zombie",
        "Zombie Dice turns, compiled kernel",
        ("kernel_times_peer",),
        "times",
        "zombiedice 0.1.6, plain Python, the same players; aim 1,000",
        1000.0,
    ),
    Figure(
        "zombie",
        "Zombie Dice turns, plain rules in Python",
        ("rules_times_peer",),
        "times",
        "zombiedice 0.1.6, plain Python, the same players",
        1.0,
    ),
    *(
        Figure(
            "poker",
            "hands given one of 7,462 grades, all in one call",
            (*_RANKING, "fairground kernel"),
            _RATE,
            f"{peer}, the same grades, a call from Python for each hand",
            (*_RANKING, peer),
        )
        for peer in ("treys", "phevaluator")
    ),
    Figure(
        "poker",
        "all 2,598,960 deals of 9/6 solved",
        (*_ANALYSIS, "all deals, tables and walk"),
        "CPU-s",
        "aim 0.2",
        0.2,
        more=False,
    ),
    Figure(
        "poker",
        "one best hold, counted by formula",
        ("one_hold", "times as fast as treys, by formula"),
        "times",
        "our loop over treys, which ranks all 2,598,960 draws",
        1.0,
    ),
    Figure(
        "environments",
        "Gymnasium steps, FateStones, mostly one step in an episode",
        (*_STEPS, "ours, FateStones, Gymnasium against greedy"),
        _RATE,
        "OpenSpiel's kuhn_poker, rl_environment, two or three steps in an episode",
        (*_STEPS, "OpenSpiel, kuhn_poker, rl_environment"),
    ),
    Figure(
        "environments",
        "PettingZoo parallel steps, FateStones, mostly one step in an episode",
        (*_STEPS, "ours, FateStones, PettingZoo parallel"),
        _RATE,
        "PettingZoo's rps_v2, another game, fifteen steps in an episode",
        (*_STEPS, "PettingZoo, rps_v2 parallel"),
    ),
    Figure(
        "arena_load",
        "durable submissions, SQLite",
        ("sqlite", "ratio"),
        "of a bare POST",
        "the same framework's bare validated POST; aim 0.30",
        0.30,
    ),
    Figure(
        "arena_load",
        "durable submissions, PostgreSQL",
        ("postgresql", "ratio"),
        "of a bare POST",
        "the same framework's bare validated POST; aim 0.60",
        0.60,
    ),
    Figure(
        "arena_load",
        "100,000 open oracles",
        ("flat", "ratio_many_to_few"),
        "of the speed of 1,500",
        "aim 1",
        1.0,
    ),
    Figure(
        "arena_guess",
        "CPU of the server for a submission, stored in SQLite",
        ("accepted_to_bare",),
        "of a bare POST",
        "the same framework's bare validated POST, which stores nothing; aim 2",
        2.0,
        more=False,
    ),
    Figure(
        "arena_tables",
        "CPU of the server for an answer at a table, one client",
        ("answer_to_least",),
        "of the least",
        "a bare server with the same referee and one row in SQLite, which survives no crash",
        1.0,
        more=False,
    ),
    Figure(
        "arena_floods",
        "p99 of others while one floods, any route",
        ("others_wait_ms", ANY, "p99"),
        "ms",
        "aim 100",
        100.0,
        more=False,
    ),
    Figure(
        "sessions",
        "hands of a session, both parties",
        ("hands per CPU second, both parties",),
        _RATE,
        "aim 100",
        100.0,
    ),
    Figure(
        "sessions",
        "a hand of a session, both parties on one machine, no block needed",
        ("latency", "a hand of a session, seconds"),
        "s",
        "a game at the Bank, blocks of a second",
        ("latency", "a game at the Bank, seconds"),
        more=False,
    ),
    Figure(
        "bank_gas",
        "a whole game at the Bank",
        ("whole game",),
        "gas",
        "aim 300,000",
        300_000.0,
        more=False,
    ),
    Figure(
        "growth",
        "solve dice --json, exponent of time",
        ("solve dice --json", "exponent"),
        "",
        "a table of all pairs: 2",
        2.0,
        more=False,
    ),
    Figure(
        "growth",
        "help table of 1,000 dice",
        ("help table of 1000 dice", "cpu_seconds"),
        "CPU-s",
        "aim 1",
        1.0,
        more=False,
    ),
    Figure(
        "codebreaking",
        "(100, 40) by our breaker, mean guesses",
        ("breakers", "figures", "(100, 40)", "mean"),
        "guesses",
        "aim 65; information allows about 60",
        65.0,
        more=False,
    ),
    Figure(
        "codebreaking",
        "(100, 40) by our breaker, a guess",
        ("breakers", "figures", "(100, 40)", "cpu seconds per guess, mean"),
        "CPU-s",
        "aim 0.5",
        0.5,
        more=False,
    ),
    *(
        Figure(
            "codebreaking",
            f"{size} by our breaker, mean guesses",
            ("breakers", "figures", size, "mean"),
            "guesses",
            "an estimate, no limit: if every guess told as much as the first",
            ("breakers", "figures", size, "estimate"),
            more=False,
        )
        for size in ("(10, 6)", "(16, 8)", "(20, 10)", "(36, 12)")
    ),
    Figure(
        "codebreaking",
        "(20, 10) evil, p99 of an answer",
        ("evil", "figures", "(20, 10)", "p99 cpu seconds"),
        "CPU-s",
        "aim 0.5",
        0.5,
        more=False,
    ),
    Figure(
        "codebreaking",
        "scoring a guess against all (10, 4) codes, compiled",
        ("scoring", "figures", "(10, 4)", "bit masks"),
        _RATE,
        "the same pairs in plain NumPy, not compiled",
        ("scoring", "figures", "(10, 4)", "plain NumPy"),
    ),
)

WITHOUT: Final = {"arena_campaign", "arena_contest", "arena_stream", "fatestones_mcts"} | {
    "zombie_replies_3",
    "zombie_seats",
}
"""Results that hold no figure with a peer or a limit: campaigns, and how strong players are."""


class Row(NamedTuple):
    """A figure with its numbers."""

    figure: Figure
    value: float
    aim: float
    where: str
    """Machine and date."""

    @property
    def part(self) -> float:
        """Its share of the aim: below 1, we lose."""
        return self.value / self.aim if self.figure.more else self.aim / self.value

    @property
    def line(self) -> str:
        """As a row of the page."""
        figure = self.figure
        beside = figure.beside
        if not isinstance(figure.aim, float):
            beside += f": {number(self.aim)}"
        measured = f"{number(self.value)} {figure.unit}".strip()
        return (
            f"| {figure.what} | {measured} | {beside} | {number(self.part)} "
            f"| `{figure.bench}` {self.where} |"
        )


def number(value: float) -> str:
    """Three digits that count."""
    if value >= 1e6:
        return f"{value / 1e6:,.3g} M" if value < 1e9 else f"{value / 1e9:.3g} G"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def found(result: Any, place: Place, worst: Callable[..., float]) -> float:
    """The number at a place, the worst one where a key is `ANY`."""
    for at, key in enumerate(place):
        if key == ANY:
            return worst(found(one, place[at + 1 :], worst) for one in result.values())
        result = result[key]
    return float(result["median"] if isinstance(result, dict) else result)


def rows() -> Iterator[Row]:
    """Every figure whose bench has been run."""
    for figure in FIGURES:
        if not (RESULTS / f"{figure.bench}.json").exists():
            continue
        result = json.loads((RESULTS / f"{figure.bench}.json").read_text())
        part = result.get(figure.place[0])
        at = part if isinstance(part, dict) and "machine" in part else result
        machine = at.get("machine", {})
        date = str(machine.get("date") or at.get("date", "")).partition(" ")[0]
        load = f", load {machine['load']}" if "load" in machine else ""
        cpu = str(machine.get("cpu", "")).replace("(R)", "").replace(" Processor", "").strip()
        worst = min if figure.more else max
        aim = figure.aim if isinstance(figure.aim, float) else found(result, figure.aim, worst)
        yield Row(figure, found(result, figure.place, worst), aim, f"{date} {cpu}{load}")


def page() -> str:
    """The page."""
    ranked = sorted(rows(), key=lambda row: row.part)
    lost, won = [r for r in ranked if r.part < 1], [r for r in ranked if r.part >= 1]
    head = (
        "| what | measured | peer, limit or aim | part of it | measured by |\n" + "|---" * 5 + "|"
    )
    parts = [
        "# All figures",
        "Made by `python bench/page.py` of `bench/results/*.json`. `make bench` measures all of "
        "them anew, `make bench GROUP=verify` those of one bench. *Part of it*: how much of the "
        "peer, limit or aim is reached; below 1 we lose. Times are CPU times, and medians; "
        "all machines have two cores, and Python 3.11. Other work shared the machines, most of it "
        "where the load is high, so compare ratios and not seconds.",
        f"## Where we lose ({len(lost)})",
        "\n".join([head, *(row.line for row in lost)]),
        f"## Where we hold ({len(won)})",
        "\n".join([head, *(row.line for row in won)]),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"written: {PAGE.name}")

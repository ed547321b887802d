"""The results of a simulation, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fairground.lab.plans import game_of
from fairground.lab.simulation import Finished
from fairground.lab.statistics import Pair, pairs
from fairground.stats import Interval, share

ENOUGH_HANDS: Final = 1_000_000
"""Number of hands of video poker from which on an interval can be trusted: it has royal flushes."""


def _each(done: Finished) -> int:
    """Return the number of games that an entrant plays on each deal."""
    return len(done.plan.entrants[0].cells)


def _pairs(done: Finished) -> list[Pair]:
    tally = done.tally
    return pairs(tally, _each(done), sequential=done.looked, corrected=tally.knows_luck)


def _shares(counts: dict[int, int]) -> tuple[int, int, int, int]:
    """Return the numbers of games, wins, losses and even games."""
    games = sum(counts.values())
    won = sum(times for payoff, times in counts.items() if payoff > 0)
    lost = sum(times for payoff, times in counts.items() if payoff < 0)
    return games, won, lost, games - won - lost


def results_in_words(done: Finished) -> Iterator[str]:
    """Yield a table of entrants, and which of them are separable."""
    plan, tally = done.plan, done.tally
    names = [entrant.name for entrant in plan.entrants]
    wide = max(map(len, names))
    shares = [_shares(dict(count)) for count in tally.counts]
    contested = any(won and lost for _, won, lost, _ in shares)
    yield ""
    yield f"{'':<{wide}}  payoff in a game, 95 %" + (
        "      won               lost     even" if contested else ""
    )
    narrower = []
    for at, name in enumerate(names):
        mean = tally.mean(at, _each(done))
        line = f"{name:<{wide}}  {_shown(mean):<26}"
        yield (line + _split(*shares[at]) if contested else line).rstrip()
        if tally.knows_luck:
            better = tally.mean(at, _each(done), corrected=True)
            narrower.append(f"{name:<{wide}}  {_shown(better):<26}{_gain(mean, better)}".rstrip())
    if narrower:
        yield "\nThe same without luck, as the coach counts it:"
        yield from narrower
    yield ""
    yield from _separations(done, names)
    if (caution := caution_of(done)) is not None:
        yield caution


def caution_of(done: Finished) -> str | None:
    """Return a warning if the interval is known to hold less often than it says."""
    family = done.plan.game.partition("/")[0]
    if family not in ("poker", "bank-poker") or done.tally.knows_luck or done.games >= ENOUGH_HANDS:
        return None
    return (
        "Take care: a royal flush comes once in some 40,000 hands, and pays 800 for 1. With so few "
        "hands the interval holds less often than 95 times in 100."
    )


def _split(games: int, won: int, lost: int, even: int) -> str:
    wins = share(won, games)
    return (
        f"  {100 * wins.mean:5.1f} % ± {100 * wins.half:<6.2f}"
        f"  {100 * lost / games:5.1f} %  {100 * even / games:5.1f} %"
    )


def _shown(mean: Interval) -> str:
    alone = " (all alike)" if mean.low is None else ""
    return f"{mean}{alone}"


def _gain(plain: Interval, better: Interval) -> str:
    if plain.low is None or better.low is None:
        return ""
    ratio = plain.half / better.half
    return f"  {ratio:.1f} times as narrow" if ratio > 1.05 else "  no narrower"


def _separations(done: Finished, names: list[str]) -> Iterator[str]:
    for pair in _pairs(done):
        a, b = names[pair.a], names[pair.b]
        if pair.better is None:
            yield f"{a} and {b} are too close to call: {pair.difference} a game"
        else:
            best, other = (a, b) if pair.better == pair.a else (b, a)
            lead = pair.difference
            yield f"{best} wins more than {other}: {abs(lead.mean):.4f} ± {lead.half:.4f} a game"
    if done.stopped_early:
        yield f"Stopped after {done.games:,} games: that was enough to tell."


def results_as_json(done: Finished) -> dict[str, Any]:
    """Return the object that ``fairground simulate --json`` prints."""
    plan, tally = done.plan, done.tally
    entrants = []
    for at, entrant in enumerate(plan.entrants):
        games, won, lost, even = _shares(dict(tally.counts[at]))
        told: dict[str, Any] = {
            "name": entrant.name,
            "games": games,
            "payoff": tally.mean(at, _each(done))._asdict(),
            "won": won,
            "lost": lost,
            "even": even,
            "win_share": share(won, games)._asdict(),
            "counts": {str(payoff): times for payoff, times in tally.counts[at].items()},
        }
        if tally.knows_luck:
            told["without_luck"] = tally.mean(at, _each(done), corrected=True)._asdict()
        entrants.append(told)
    return {
        "game": plan.game,
        "params": game_of(plan).params(),
        "lineups": [list(lineup) for lineup in plan.lineups],
        "seed": plan.seed,
        "games": done.games,
        "deals": tally.deals,
        "resumed": done.resumed,
        "stopped_early": done.stopped_early,
        "caution": caution_of(done),
        "entrants": entrants,
        "pairs": [
            {
                "a": plan.entrants[pair.a].name,
                "b": plan.entrants[pair.b].name,
                "difference": pair.difference._asdict(),
                "better": None if pair.better is None else plan.entrants[pair.better].name,
            }
            for pair in _pairs(done)
        ],
    }

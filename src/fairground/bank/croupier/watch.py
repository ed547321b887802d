"""The Croupier's own lookout: what his games wait for, what they will cost, which are at risk.

An operator must hear of a loss before it happens. So whatever a game waits for is logged
once, and again louder as his own deadline draws near; `OperatorReport` says the same in numbers.
"""

from __future__ import annotations

import logging
from typing import Final, NamedTuple

from fairground.bank.bank_port import NO_GAME, BankGame, Call
from fairground.bank.croupier.duties import Seen, Wait, owed_calls, waits_for
from fairground.bank.croupier.journal import JournalPage
from fairground.bank.messages import SessionTerms

log = logging.getLogger("fairground.croupier")

LOW: Final = 20
"""Games for which a purse should be good; with less its operator is warned."""


class OperatorReport(NamedTuple):
    """How a Croupier stands, for his operator."""

    open_games: int
    purse: int
    """What he has outside of the Bank for gas, in wei."""
    games_in_purse: int | None
    """How many more games that is enough for; ``None`` where calls cost nothing."""
    next_deadline: int | None
    """Seconds until he loses something in some game; ``None``: nothing can be lost now."""
    games_at_risk: int
    """Games in which he owes a seed, and half of the time for it has passed."""
    at_stake: int
    """What he loses in these games at their deadlines, in wei."""
    open_sessions: int = 0


GAUGES: Final = {
    "open_games": "Games of the Croupier that are not over.",
    "open_sessions": "Sessions of the Croupier that are not closed.",
    "purse": "What he has for gas, in wei.",
    "games_in_purse": "Games whose gas his purse can still pay; absent where calls cost nothing.",
    "next_deadline": "Seconds until he loses something; absent while nothing can be lost.",
    "games_at_risk": "Games in which he owes a seed, and half of the time for it has passed.",
    "at_stake": "What he loses in these games, in wei.",
}


def as_metrics(report: OperatorReport | None) -> str:
    """A report in the text format of Prometheus; ``None``: the Bank does not answer."""
    shown = {"bank_answers": int(report is not None), **(report._asdict() if report else {})}
    lines = []
    for name, value in shown.items():
        if value is not None:
            metric = f"fairground_croupier_{name}"
            helped = GAUGES.get(name, "Whether the Croupier's Bank answers.")
            lines += [f"# HELP {metric} {helped}", f"# TYPE {metric} gauge", f"{metric} {value}"]
    return "\n".join(lines) + "\n"


class Watched(NamedTuple):
    """One open game."""

    owed: tuple[type[Call], ...]
    player: str
    locked: int
    """What the Player can keep locked by waiting, in wei: the top prize, until the final hand
    is known and the Croupier can settle alone."""
    wait: Wait | None = None


class CroupierWatch:
    """All open games of one Croupier."""

    def __init__(self, step_time: int, margin: int, version: int) -> None:
        self._step_time, self._margin, self._version = step_time, margin, version
        self._games: dict[str, Watched] = {}
        self._known: set[str] = set()
        """The games of players who are no strangers."""
        self._sessions: dict[bytes, Watched] = {}
        """Open sessions, by their names."""
        self._strange_sessions: set[bytes] = set()
        self._told: dict[str, tuple[Wait, int]] = {}
        """What was logged last of each game."""
        self._purse_is_low: bool | None = None

    def saw(self, page: JournalPage, seen: Seen) -> None:
        """Note how a game stands."""
        if page.bet is None or page.ended is not None:
            self._games.pop(page.offer.id, None)
        else:
            wait = waits_for(page, seen, self._version)
            game = _watched(page, seen.now)._replace(wait=wait)
            self._games[page.offer.id] = game

    def tell(self, page: JournalPage, seen: Seen, trouble: str = "") -> None:
        """Log what a game waits for, once, and again when a loss comes nearer."""
        wait = waits_for(page, seen, self._version)
        if wait is None:
            return
        if trouble:
            wait = wait._replace(what=f"{wait.what} ({trouble})")
        loudness = self._loudness(wait, seen.time)
        if self._told.get(page.offer.id) == (wait, loudness):
            return
        self._told[page.offer.id] = wait, loudness
        game = f"game {page.offer.game_id} of {page.offer.player}"
        left = f", {wait.deadline - seen.time} seconds left" if wait.deadline else ""
        log.log(loudness, "%s waits for %s%s", game, wait.what, left)
        if loudness == logging.ERROR:
            log.error("%s is at risk: %d wei are lost at the deadline", game, wait.at_stake)

    def _loudness(self, wait: Wait, now: int) -> int:
        """How near a loss is. What the Player owes is worth no line in a log."""
        if not wait.is_his:
            return logging.DEBUG
        left = wait.deadline - now
        if left >= self._step_time // 2:
            return logging.INFO
        return logging.ERROR if wait.at_stake and left < self._margin else logging.WARNING

    def expect(self, page: JournalPage, known: bool = False) -> None:
        """A bet is taken: from now on its seeds are owed. ``known``: its player is no stranger."""
        if known:
            self._known.add(page.offer.id)
        if page.offer.id not in self._games:
            self._games[page.offer.id] = _watched(page, NO_GAME)

    def opened(self, terms: SessionTerms, owed: tuple[type[Call], ...], known: bool) -> None:
        """A session is open: what he put in is locked, and calls may be owed for it."""
        name = terms.struct_hash()
        self._sessions[name] = Watched(owed, terms.player, terms.croupier_funds)
        if not known:
            self._strange_sessions.add(name)

    def closed(self, terms: SessionTerms) -> None:
        """A session is over."""
        name = terms.struct_hash()
        self._sessions.pop(name, None)
        self._strange_sessions.discard(name)

    def locked(self, player: str | None = None) -> int:
        """What this player, or all players together, can keep locked, in wei."""
        return sum(one.locked for one in self._all() if player in (None, one.player))

    def _all(self) -> list[Watched]:
        return [*self._games.values(), *self._sessions.values()]

    def locked_by_strangers(self) -> int:
        """What all those can keep locked who were not known when they bet, or sat down."""
        games = sum(game.locked for one, game in self._games.items() if one not in self._known)
        return games + sum(self._sessions[name].locked for name in self._strange_sessions)

    def locking(self) -> list[str]:
        """The games in which something can be kept locked."""
        return [one for one, game in self._games.items() if game.locked]

    def forget_all_but(self, offer_ids: set[str]) -> None:
        """These games are open, and no others."""
        self._games = {one: game for one, game in self._games.items() if one in offer_ids}
        self._told = {one: told for one, told in self._told.items() if one in offer_ids}
        self._known &= offer_ids

    def owed(self, offer_id: str = "", call: type[Call] | None = None) -> list[type[Call]]:
        """The calls that all games still need; without this one, which is made now."""
        owed = [each for one in self._all() for each in one.owed]
        mine = self._games.get(offer_id)
        if call is not None and mine is not None and call in mine.owed:
            owed.remove(call)
        return owed

    def purse_is_good_for(self, games: int | None) -> None:
        """Warn when the purse becomes low, and when it is empty."""
        low = games is not None and games < LOW
        if low and not self._purse_is_low:
            text = "the purse is low: it pays the gas of %d more games; at 0 no bet is taken"
            log.warning(text, games)
        self._purse_is_low = low

    def report(self, purse: int, games_in_purse: int | None, now: int) -> OperatorReport:
        """How things stand."""
        owing = [g for g in self._games.values() if g.wait is not None and g.wait.at_stake]
        near = [g.wait for g in owing if g.wait and g.wait.deadline - now < self._step_time // 2]
        deadlines = [g.wait.deadline - now for g in owing if g.wait is not None]
        return OperatorReport(
            len(self._games),
            purse,
            games_in_purse,
            min(deadlines, default=None),
            len(near),
            sum(wait.at_stake for wait in near),
            len(self._sessions),
        )


def _watched(page: JournalPage, game: BankGame) -> Watched:
    assert page.bet is not None
    owed = () if game.outcome else owed_calls(page, game.step)
    return Watched(owed, page.bet.player, page.bet.top_prize if owed and not page.final else 0)

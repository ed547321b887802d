"""The Croupier's service: he looks at every open game, does his duty, and looks again.

`Rounds` gives every game its turn. Trouble in one game stops no other; a failed duty is tried again
in the next round. The journal holds his promises and the Bank holds the facts, so nothing that
counts is done twice.

An operator must hear of a loss before it happens. So the reason why a game waits is logged once,
and again louder as his own deadline draws near; `OperatorReport` says the same in numbers.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from fairground.bank.bank_port import (
    NO_GAME,
    Bank,
    BankClock,
    BankGame,
    BankRefused,
    Call,
    Spending,
    SubmitBet,
    SubmitCroupierSeed,
)
from fairground.bank.croupier.journal import CroupierJournal, JournalPage
from fairground.bank.croupier_port import UnknownGame
from fairground.bank.duties import (
    Fetch,
    Rest,
    Seen,
    Send,
    Wait,
    Write,
    game_duty,
    loss,
    owed_calls,
    waits_for,
)
from fairground.bank.hand import seeds_in
from fairground.bank.messages import Key, SessionTerms, Signer
from fairground.bank.seeds import check_seed
from fairground.core import FairgroundError
from fairground.store import Conflict, StoreAway

log = logging.getLogger("fairground.croupier")

Name = str | bytes
"""The id of an offer and its game, or the name of a session."""

INTERVAL: Final = 1.0
"""Seconds between two rounds of all games."""

SENDS: Final = 8
"""Calls that are under way to the Bank at the same time, besides his own seeds."""

CALL_TIME: Final = 15
"""Seconds that a call takes on a chain: about a block."""


def most_games(step_time: int) -> int:
    """Return the number of games on a chain that can all want a seed at once, in half of its time.

    The other half is for confirmations. With more games, players who time their orders well would
    make him late, and a late seed 1 costs the price of silence.
    """
    return max(1, SENDS * step_time // (2 * CALL_TIME))


class Rounds:
    """Visits every open game and session again and again, and at once those that are woken.

    ``visit`` must take care of its own trouble; it returns for how many seconds the game
    can be left alone. No game waits for another.
    """

    def __init__(
        self,
        open_names: Callable[[], Awaitable[Sequence[Name]]],
        visit: Callable[[Name], Awaitable[float]],
        interval: float = INTERVAL,
    ) -> None:
        self._open_names, self._visit, self._interval = open_names, visit, interval
        self._open: set[Name] = set()
        self._bells: dict[Name, asyncio.Event] = {}
        """Rings for each game that is tended."""
        self._new = asyncio.Event()

    def wake(self, name: Name) -> None:
        self._bells.get(name, self._new).set()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            while True:
                self._new.clear()
                try:
                    self._open = set(await self._open_names())
                except StoreAway:
                    pass  # who keeps the store says so, once
                except Exception:
                    log.exception("the journal cannot be read now")
                for name in self._open - self._bells.keys():
                    self._bells[name] = asyncio.Event()
                    group.create_task(self._tend(name))
                await _rung(self._new, self._interval)

    async def _tend(self, name: Name) -> None:
        bell = self._bells[name]
        while name in self._open:
            bell.clear()
            seconds = 0.0
            try:
                seconds = await self._visit(name)
            except Exception:
                log.exception("a game got into trouble")
            await _rung(bell, max(seconds, self._interval))
        del self._bells[name]


async def _rung(bell: asyncio.Event, seconds: float) -> None:
    """Wait until the bell rings, but no longer than this."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await bell.wait()


LOW: Final = 20
"""Games for which a purse should be good; with less its operator is warned."""


class OperatorReport(NamedTuple):
    """The state of a Croupier's business, for his operator."""

    open_games: int
    purse: int
    """His purse for gas, outside of the Bank, in wei."""
    games_in_purse: int | None
    """Number of further games that the purse is enough for; ``None`` where calls cost nothing."""
    next_deadline: int | None
    """Seconds until he loses something in some game; ``None``: nothing can be lost now."""
    games_at_risk: int
    """Games in which he owes a seed, and half of the time for it has passed."""
    at_stake: int
    """His losses in these games at their deadlines, in wei."""
    open_sessions: int = 0
    """Sessions that the Bank has not closed for good."""
    stuck_sessions: int = 0
    """Sessions whose call the Bank does not take, as the log says: an empty purse, for example."""


GAUGES: Final = {
    "open_games": "Games of the Croupier that are not over.",
    "open_sessions": "Sessions of the Croupier that are not closed.",
    "stuck_sessions": "Sessions that do not go on at the Bank; the log says why.",
    "purse": "What he has for gas, in wei.",
    "games_in_purse": "Games whose gas his purse can still pay; absent where calls cost nothing.",
    "next_deadline": "Seconds until he loses something; absent while nothing can be lost.",
    "games_at_risk": "Games in which he owes a seed, and half of the time for it has passed.",
    "at_stake": "What he loses in these games, in wei.",
}


def as_metrics(report: OperatorReport | None) -> str:
    """A report in the text format of Prometheus; ``None``: the Bank does not answer."""
    shown = {"bank_answers": int(report is not None), **(report._asdict() if report else {})}
    helped = {"bank_answers": "Whether the Croupier's Bank answers.", **GAUGES}
    return gauges("fairground_croupier", {name: (helped[name], shown[name]) for name in shown})


def gauges(prefix: str, shown: Mapping[str, tuple[str, int | None]]) -> str:
    """Return gauges in the text format of Prometheus; those of ``None`` are left out."""
    lines = []
    for name, (about, value) in shown.items():
        if value is not None:
            metric = f"{prefix}_{name}"
            lines += [f"# HELP {metric} {about}", f"# TYPE {metric} gauge", f"{metric} {value}"]
    return "\n".join(lines) + "\n"


class Watched(NamedTuple):
    """One open game or session."""

    owed: tuple[type[Call], ...]
    player: str
    top_prize: int
    locked: int
    """Wei that the Player can keep locked by waiting: the top prize, until the final hand is known
    and the Croupier can settle alone.
    """
    known: bool = False
    """True if the Player was no stranger when they bet or sat down."""
    flying: bool = False
    """True if he has taken the bet, and the Bank has not."""
    wait: Wait | None = None


class CroupierWatch:
    """All open games and sessions of one Croupier, and what they lock."""

    def __init__(self, step_time: int) -> None:
        self._step_time, self._margin = step_time, margin(step_time)
        self.known: set[str] = set()
        """Players who are no strangers."""
        self._open: dict[Name, Watched] = {}
        self._told: dict[str, tuple[Wait, int]] = {}
        """The last logged state of each game."""
        self._purse_is_low: bool | None = None

    def saw(self, page: JournalPage, seen: Seen) -> None:
        before = self._open.pop(page.offer.id, None)
        if page.bet is not None and page.ended is None:
            new = _watched(page, seen.now)
            self._open[page.offer.id] = new._replace(
                known=before is not None and before.known,
                flying=before is not None and before.flying,
                wait=waits_for(page, seen),
            )

    def tell(self, page: JournalPage, seen: Seen, trouble: str = "") -> None:
        """Log what a game waits for, once, and again when a loss comes nearer."""
        wait = waits_for(page, seen)
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
        """Return the log level by the nearness of a loss. A debt of the Player is not logged."""
        if not wait.is_his:
            return logging.DEBUG
        left = wait.deadline - now
        if left >= self._step_time // 2:
            return logging.INFO
        return logging.ERROR if wait.at_stake and left < self._margin else logging.WARNING

    def expect(self, page: JournalPage) -> None:
        """A bet is taken: from now on its seeds are owed."""
        game = self._open.get(page.offer.id) or _watched(page, NO_GAME)
        known = game.known or page.offer.player in self.known
        self._open[page.offer.id] = game._replace(known=known, flying=True)

    def landed(self, offer_id: str) -> None:
        """The Bank has the bet, and has locked its prize; or it never will."""
        if offer_id in self._open:
            self._open[offer_id] = self._open[offer_id]._replace(flying=False)

    def is_flying(self, offer_id: str) -> bool:
        return offer_id in self._open and self._open[offer_id].flying

    def opened(self, terms: SessionTerms, owed: tuple[type[Call], ...]) -> None:
        """A session is open: what he put in is locked, and calls may be owed for it."""
        funds = terms.croupier_funds
        opened = Watched(owed, terms.player, funds, funds, terms.player in self.known)
        self._open.setdefault(terms.struct_hash(), opened)

    def closed(self, terms: SessionTerms) -> None:
        self._open.pop(terms.struct_hash(), None)

    def locked(self, player: str | None = None) -> int:
        """Return the wei that this player, or all players together, can keep locked."""
        return sum(one.locked for one in self._open.values() if player in (None, one.player))

    def locked_by_strangers(self) -> int:
        """Return the wei that all strangers can keep locked."""
        return sum(one.locked for one in self._open.values() if not one.known)

    def flying(self) -> int:
        """Return the wei that the Bank will lock for bets that it does not have yet."""
        return sum(one.top_prize for one in self._open.values() if one.flying)

    def games(self) -> dict[str, Watched]:
        return {name: one for name, one in self._open.items() if isinstance(name, str)}

    def forget_all_but(self, offer_ids: set[str]) -> None:
        """These games are open; what is known of others is not needed any more."""
        for known in (self._open, self._told):
            for name in [name for name in known if isinstance(name, str)]:
                if name not in offer_ids:
                    del known[name]

    def owed(self, offer_id: str = "", call: type[Call] | None = None) -> list[type[Call]]:
        """The calls that all games still need; without this one, which is made now."""
        owed = [each for one in self._open.values() for each in one.owed]
        mine = self._open.get(offer_id)
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
        games = self.games()
        owing = [one.wait for one in games.values() if one.wait is not None and one.wait.at_stake]
        near = [wait for wait in owing if wait.deadline - now < self._step_time // 2]
        next_deadline = min((wait.deadline - now for wait in owing), default=None)
        at_stake = sum(wait.at_stake for wait in near)
        return OperatorReport(len(games), purse, games_in_purse, next_deadline, len(near), at_stake)


def _watched(page: JournalPage, game: BankGame) -> Watched:
    assert page.bet is not None
    owed = () if game.outcome else owed_calls(page, game.step)
    prize = page.bet.top_prize
    return Watched(owed, page.bet.player, prize, prize if owed and not page.final else 0)


LOOKS: Final = 16
"""Games that are looked up at the Bank at the same time."""

NAP: Final = 30.0
"""Seconds until he looks again at a game in which nothing is likely to change: without a bet, or
just after a refused call. A message of its Player wakes it earlier.
"""


class Tended:
    """The common part of a Croupier's games and of his sessions: a lock for each, and trouble."""

    def __init__(self) -> None:
        self.trouble: dict[Name, str] = {}
        """Why a game or session does not go on at the Bank now, in words."""
        self._locks: WeakValueDictionary[Name, asyncio.Lock] = WeakValueDictionary()

    def _lock(self, name: Name) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())

    def _note_trouble(self, name: Name, error: FairgroundError) -> None:
        """Log, once for each reason, why it does not go on."""
        if self.trouble.get(name) != str(error) and not isinstance(error, StoreAway):
            what = f"game {name}" if isinstance(name, str) else f"session {name.hex()}"
            log.warning("%s does not go on, and is tried again: %s", what, error)
        self.trouble[name] = str(error)


class Tending(Tended):
    """All open games of one Croupier."""

    def __init__(
        self, bank: Bank, key: Key, journal: CroupierJournal, confirmations: int, merges: bool
    ) -> None:
        """``merges``: whether calls that can be made in one are."""
        super().__init__()
        self._bank, self._key, self._journal = bank, key, journal
        self._merges = merges
        self._confirmations = confirmations
        self._patience = bank.terms.step_time if confirmations else 0
        self._margin = margin(bank.terms.step_time)
        self.watch = CroupierWatch(bank.terms.step_time)
        self.time = BankClock(bank)
        self._looking = asyncio.Semaphore(LOOKS)
        self._sending = asyncio.Semaphore(SENDS)

    def forget_all_but(self, offer_ids: set[str]) -> None:
        self.trouble = {one: why for one, why in self.trouble.items() if one in offer_ids}
        self.watch.forget_all_but(offer_ids)

    async def look_again(self) -> None:
        """Look at the games in which something is locked: some may be over by now."""
        for offer_id in [one for one, game in self.watch.games().items() if game.locked]:
            with suppress(UnknownGame):
                page = await self._journal.page(offer_id)
                self.watch.saw(page, await self.see(page))

    async def visit(self, offer_id: str) -> float:
        """Go on with one game; say for how many seconds it can be left alone."""
        async with self._lock(offer_id):
            try:
                page = await self._go_on(offer_id)
            except UnknownGame:
                return 0
            except BankRefused as refused:
                # Things stand otherwise than when he looked, or his purse is empty.
                self._note_trouble(offer_id, refused)
                return NAP
            except FairgroundError as error:
                self._note_trouble(offer_id, error)
                return 0
            return NAP if page.bet is None else 0

    async def _go_on(self, offer_id: str) -> JournalPage:
        """Do what is to be done, one thing after the other, until there is nothing."""
        page = await self._journal.page(offer_id)
        deaf: set[int] = set()
        last: Call | None = None
        while True:
            seen = await self.see(page)
            self.watch.saw(page, seen)
            if offer_id in self.trouble:
                self.watch.tell(page, seen, self.trouble[offer_id])
            if page.bet is not None and (page.refused or seen.now.is_of(page.bet)):
                self.watch.landed(offer_id)
            try:
                match game_duty(
                    page,
                    seen,
                    self._patience,
                    deaf,
                    self._margin,
                    merges=self._merges,
                ):
                    case Rest():
                        self.trouble.pop(offer_id, None)
                        self.watch.tell(page, seen)
                        return page
                    case Write(kind, fields):
                        if kind == "told" and seen.final.step < seen.now.step:
                            what = "an order" if fields["seed_id"] else "a bet"
                            log.warning(
                                "time runs out: seed %d is told for %s not final yet",
                                fields["seed_id"],
                                what,
                            )
                        page = await self._journal.add(page, kind, **fields)
                    case Fetch(seed_id):
                        page = await self.ask(page, seed_id)
                        if page.heard[seed_id] is None:
                            deaf.add(seed_id)
                    case Send(call):
                        if call == last:
                            return page  # it was taken, and does not show yet: look again later
                        last = call
                        page = await self._send(page, call, seen)
            except Conflict:
                page = await self._journal.page(offer_id)

    async def see(self, page: JournalPage) -> Seen:
        if page.bet is None:
            return Seen(NO_GAME, NO_GAME, await self.time())
        async with self._looking:
            final = await self._bank.game(page.bet.key, self._confirmations)
            now = await self._bank.game(page.bet.key) if self._confirmations else final
            return Seen(final, now, await self.time())

    async def ask(self, page: JournalPage, seed_id: int) -> JournalPage:
        """Hear a seed that the Player told the Bank and not him, if the Bank tells it."""
        assert page.bet is not None
        for *which, seed in seeds_in(await self._bank.told(page.bet.key)):
            if which == [Signer.PLAYER, seed_id]:
                check_seed(self._bank.domain, page.bet, Signer.PLAYER, seed_id, seed)
                return await self._journal.add(page, "heard", seed_id=seed_id, seed=seed.hex())
        return page

    async def _send(self, page: JournalPage, call: Call, seen: Seen) -> JournalPage:
        assert page.bet is not None
        try:
            async with self._turn(call):
                await self._bank.send(self._key, call, await self._spending(page, call, seen))
            if isinstance(call, SubmitBet):
                self.watch.landed(page.offer.id)  # from now on the Bank has locked its prize
        except BankRefused as refused:
            if refused.name == "TooEarly":
                # The Bank's clock runs slower than ours: he may still be in time himself.
                self.time.start_again()
                return page
            if not isinstance(call, SubmitBet):
                raise
            # An earlier call that seemed lost may have come through meanwhile.
            game = await self._bank.game(page.bet.key)
            if not game.is_of(page.bet):
                return await self._journal.add(page, "refused", reason=str(refused))
        return page

    def _turn(self, call: Call) -> AbstractAsyncContextManager[None]:
        """Let calls queue for the Bank, but not his seeds: a late one costs him money."""
        return nullcontext() if isinstance(call, SubmitCroupierSeed) else self._sending

    async def _spending(self, page: JournalPage, call: Call, seen: Seen) -> Spending:
        """Seed 1 may cost what its silence would cost. All else leaves enough for the seeds."""
        assert page.bet is not None
        if isinstance(call, SubmitCroupierSeed) and call.seed_id == 1:
            return Spending(at_stake=loss(page.bet, seen.now))
        owed = self.watch.owed(page.offer.id, type(call))
        return Spending(keep=await self._bank.upkeep(owed))


def margin(step_time: int) -> int:
    """The last seconds of a step: a quarter of it, or two slow blocks if that is more."""
    return min(max(step_time // 4, 2 * CALL_TIME), step_time // 2)

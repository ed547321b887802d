"""The Croupier: he offers games, tells his seeds when they may be told, and brings the rest.

He writes his next act into the `journal` before he does it, and decides (`duties`) by the journal
and the Bank. So he continues after a crash at any instant as if nothing had happened. He takes
nothing on the Player's word: a bet must fit his offer to the letter, a seed its commitment, and an
order must be signed. If the Bank disagrees, the Bank is right.

No HTTP here: `server.croupier` gives him an address.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple, Self

from fairground.bank.bank_port import (
    NO_KEY,
    Bank,
    BankAway,
    BankRefused,
    Complain,
    DepositFunds,
    GameOutcome,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitPublicKey,
)
from fairground.bank.croupier.journal import (
    CroupierJournal,
    JournalPage,
    SessionJournal,
    recorded,
    seed_cipher,
    sight,
)
from fairground.bank.croupier.service import (
    INTERVAL,
    Name,
    OperatorReport,
    Rounds,
    Tending,
    as_metrics,
    log,
    most_games,
)
from fairground.bank.croupier.session import SESSION_CALLS, SessionCroupier
from fairground.bank.croupier_port import (
    About,
    Busy,
    Closed,
    CroupierDesk,
    Declined,
    Offer,
    SaidOtherwise,
    Sight,
    TooSoon,
    UnknownGame,
)
from fairground.bank.hand import LAPSED, chairs_at
from fairground.bank.ledger.lines import NO_CHAIN
from fairground.bank.messages import (
    Bet,
    Domain,
    Key,
    ReplacementOrder,
    Signer,
    game_key,
    must_be_signed,
)
from fairground.bank.schemes import public_of
from fairground.bank.seeds import SEED_IDS, Seed, check_seed, fresh_seeds
from fairground.bank.session import Tower, unsound
from fairground.bank.signatures import Signature, checksummed
from fairground.core import FairgroundError, InputError
from fairground.fair.bits import token
from fairground.games.poker.rules import HAND, LEVELS, PAYS, Rank
from fairground.store import Store, StoreAway, retried

# His limits
#
# He must be able to keep every promise: pay the top prize, pay the gas, be in time. A refusal here
# costs nobody anything; a broken promise costs him the price of silence.

CALL_BLOCKS: Final = 2
"""Blocks that a call may take until it is in one."""

GAME_CALLS: Final = (SubmitBet, SubmitCroupierSeed, SubmitCroupierSeed, Complain)
"""The calls that a new game owes: without them he loses something, or his money stays locked."""

RECENT_GAMES: Final = 3
"""Games by which a player is known."""


class Habits(NamedTuple):
    """A Croupier's own limits: how long he waits, and how much he takes on."""

    offer_time: int = 600
    """Seconds for which an offer stands, by the Bank's time."""
    least_time: int = 20
    """Seconds that a bet must be good for, so that it can reach the Bank."""
    most_open: int = 500
    """Games and offers open at the same time; on a chain never more than he could serve
    (`service.most_games`). Half of the places are for players who have money at the Bank, so
    that nobody can take them all for nothing."""
    player_share: Fraction = Fraction(1, 4)
    """The part of his money that one player can lock; one game is always allowed."""
    strangers_share: Fraction = Fraction(1, 2)
    """The part that all players together can lock who have never played a game to its end with
    him. New keys cost nothing, so a limit for each of them would be none."""
    session_chips: int = 50_000
    """Maximum that he puts into a session, in chips: enough for a bet of 10 at level 5. One player
    cannot lock more than their part of his money by it.
    """
    least_buy_in: int = 20
    """Chips that a player must put into a session. Without any, new keys could lock his money
    for nothing."""
    sessions_in_time: tuple[int, int] = (3, 300)
    """Maximum number of sessions that one key may open within a number of seconds. It applies where
    calls cost gas, which he pays.
    """
    interval: float = INTERVAL
    one_by_one: bool = False
    """True if he makes the document's calls singly, also where two could be made in one."""


def must_fit(offer: Offer, bet: Bet, chip_cost: int) -> None:
    """Raise `Declined` unless the bet is on this offer."""
    wanted = {
        **{
            name: getattr(offer, name) for name in ("croupier", "player", "croupier_key", "game_id")
        },
        **{f"croupier_commitment_{i}": one for i, one in enumerate(offer.commitments)},
        "chip_cost": chip_cost,
    }
    for field, value in wanted.items():
        given = getattr(bet, field)
        if type(given) is not type(value) or given != value:
            raise Declined(f"the bet's {field} must be {_shown(value)}, not {_shown(given)}")
    if reason := unsound(bet):
        raise Declined(reason)


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)


NEWER: Final = "a newer offer to this player took its place"


async def must_decrypt(store: Store, domain: Domain, key: Key) -> None:
    """Raise `SeedsLocked` if this Croupier's key does not open the seeds of his open games."""
    cipher = seed_cipher(domain, key)
    games = CroupierJournal(store, domain, key.address, cipher)
    sessions = SessionJournal(store, domain, key.address, cipher)
    for offer_id in await games.open_logs():
        with contextlib.suppress(UnknownGame):
            await games.page(offer_id)
    for name in await sessions.open_sessions():
        with contextlib.suppress(UnknownGame):
            await sessions.page(name)


class Croupier(CroupierDesk):
    """Use him as a context: within it he tends his games. (Or let him `pump` by hand.)"""

    def __init__(
        self,
        bank: Bank,
        key: Key,
        store: Store,
        *,
        confirmations: int = 0,
        bankroll: int = 0,
        habits: Habits | None = None,
        signing: Sequence[Key] = (),
        tower: Tower | None = None,
    ) -> None:
        """``bankroll``: what he wants to have at the Bank, in wei. With no game open, he
        deposits what is missing. ``signing``: the keys that he signs with, the newest first;
        without any, the key of his account. Older ones serve sessions that name them.
        ``tower``: where he leaves what a watchtower needs of his sessions.
        """
        self.account = key.address
        self.confirmations = confirmations
        self._bank, self._key = bank, key
        self._signs = signing[0] if signing else key
        self._bankroll = bankroll
        self._habits = habits or Habits()
        self._most_open = self._habits.most_open
        if bank.domain.chain_id != NO_CHAIN:
            self._most_open = min(self._most_open, most_games(bank.terms.step_time))
        self._cipher = seed_cipher(bank.domain, key)
        self._journal = CroupierJournal(store, bank.domain, key.address, self._cipher)
        merges = not self._habits.one_by_one
        self._tending = Tending(bank, key, self._journal, confirmations, merges)
        self._rounds = Rounds(self._all_open, self._visit, self._habits.interval)
        self.sessions: SessionCroupier = SessionCroupier(
            bank,
            key,
            self._lend,
            SessionJournal(store, bank.domain, key.address, self._cipher, chairs_at(bank)),
            signing=signing,
            confirmations=confirmations,
            tower=tower,
            watch=self._tending.watch,
        )
        self._running: asyncio.Task[None] | None = None
        self._ready = False
        self._preparing = asyncio.Lock()
        self._deciding = asyncio.Lock()
        self._players: dict[str, str] = {}
        """The player of each open offer; empty for an offer whose page was not read yet."""

    async def __aenter__(self) -> Self:
        await self._must_keep_pace()
        self._running = asyncio.create_task(self._rounds.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
            self._running = None

    async def prepare(self) -> None:
        """Make sure that the Bank knows his key, and that he knows what he has promised."""
        async with self._preparing:
            if not self._ready:
                await self._register()
                for offer_id in await self._journal.open_logs():
                    with contextlib.suppress(UnknownGame):
                        page = await self._journal.page(offer_id)
                        if page.bet is not None and not page.refused:
                            self._tending.watch.expect(page)
                await self._take_up_sessions()
                self._ready = True

    async def _register(self) -> None:
        account = await self._bank.account(self.account)
        wanted = self._signs.address
        if account.key != wanted:
            if account.key != NO_KEY and self._signs is self._key:
                raise InputError(
                    f"the Bank knows {account.key} as the key of {self.account}: start the "
                    "Croupier with that key (--signing-key), or with a new one"
                )
            proof = self._signs.prove(self._bank.domain, self.account)
            await self._bank.send(self._key, SubmitPublicKey(wanted, proof))
            if account.key != NO_KEY:
                log.warning("he signs with the key %s now, in place of %s", wanted, account.key)
        await self._bring_bankroll()
        await self._warn_if_poor()

    async def _bring_bankroll(self) -> None:
        """Deposit what is missing. Another process of his may do the same at the same time."""
        purse = await self._bank.purse(self.account)  # before the account: it moves that way
        account = await self._bank.account(self.account)
        missing = self._bankroll - account.available
        if missing <= 0 or account.open_games:
            return
        if purse < missing:
            raise InputError(
                f"{self.account} has {purse} wei outside of the Bank, and a bankroll of "
                f"{self._bankroll} wants {missing} more in it: give it more, or want less"
            )
        try:
            await self._bank.send(self._key, DepositFunds(missing))
        except BankRefused:
            account = await self._bank.account(self.account)
            if account.available < self._bankroll and not account.open_games:
                raise

    async def _warn_if_poor(self) -> None:
        """Say at once that no bet can be taken, and not first to a Player who has deposited."""
        account = await self._bank.account(self.account)
        if account.available < self._least_prize and not account.open_games:
            log.warning(
                "the Croupier has %d wei at the Bank, and the smallest bet locks %d: give him more "
                "with --bankroll CHIPS",
                account.available,
                self._least_prize,
            )

    @property
    def _least_prize(self) -> int:
        return PAYS[LEVELS[0]][Rank.ROYAL_FLUSH] * self._bank.terms.chip_cost

    # What a Player says

    async def about(self) -> About:
        await self.prepare()
        bank = self._bank
        terms = (bank.domain, bank.terms, bank.trusted, self.confirmations)
        return About(self.account, self._signs.address, *terms)

    @retried
    async def offer(self, player: str) -> Offer:
        """Make two fresh seeds for this player, written down before their commitments are sent.

        In the first half of its time an offer without a bet is repeated, not replaced. So no
        stranger who asks in this player's name can take it away.
        """
        player = checksummed(player)
        if player == self.account:
            raise Declined(f"{player} is the Croupier himself: nobody plays with himself")
        async with self._deciding:
            await self.prepare()
            await self._must_afford(self._least_prize, "the smallest bet")
            await self._must_have_gas()
            game_id = await self._bank.next_game_id(self.account, player)
            expiry = await self._tending.time() + self._habits.offer_time
            standing = await self._make_room(player, game_id, expiry)
            if standing is not None:
                return standing
            parties = (self.account, player)
            seeds = fresh_seeds(self._signs, self._bank.domain, parties, Signer.CROUPIER, game_id)
            offer = Offer(
                token(),
                *parties,
                self._signs.address,
                game_id,
                (seeds[0].commitment, seeds[1].commitment),
                expiry,
            )
            await self._journal.open(offer, seeds)
            return offer

    @retried
    async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
        async with self._deciding:
            await self.prepare()
            page = await self._journal.page(offer_id)
            if page.bet is not None:
                if page.bet == bet:
                    return
                raise SaidOtherwise("there is another bet on this offer already: the first counts")
            if page.ended is not None:
                raise Closed(f"this offer is over: {page.ended.reason}. Ask for a new one")
            must_fit(page.offer, bet, self._bank.terms.chip_cost)
            await self._must_be_in_time(page.offer, bet)
            must_be_signed(self._bank.domain, bet, signature, bet.player_key)
            await self._must_be_funded(bet)
            await self._must_afford(bet.top_prize, f"a bet of {bet.bet} at level {bet.level}")
            known = await self._is_known(bet.player)
            await self._must_leave_room(bet.player, bet.top_prize, known)
            await self._must_have_gas()
            public = public_of(self._bank.domain, bet, signature)
            page = await self._journal.add(page, "bet", public=public)
            self._tending.watch.expect(page)
        self._rounds.wake(offer_id)

    @retried
    async def seed(self, offer_id: str, seed_id: int, seed: Seed) -> None:
        await self._hear_seed(await self._journal.page(offer_id), seed_id, seed)
        self._rounds.wake(offer_id)

    async def _hear_seed(self, page: JournalPage, seed_id: int, seed: Seed) -> JournalPage:
        bet = _must_be_playing(page)
        if seed_id not in SEED_IDS:
            raise Declined(f"a seed's number is 0 or 1, not {seed_id!r}")
        if page.told <= seed_id:
            raise TooSoon(
                f"your seed {seed_id} is too early: keep it to yourself until the Croupier's "
                f"seed {seed_id} is told, and final at the Bank"
            )
        check_seed(self._bank.domain, bet, Signer.PLAYER, seed_id, seed)
        if page.heard[seed_id] is None:
            page = await self._journal.add(page, "heard", seed_id=seed_id, seed=seed.hex())
        return page

    @retried
    async def order(
        self, offer_id: str, order: Sequence[int], signature: Signature, seed: Seed | None = None
    ) -> None:
        """Hear the order. If the Player told the Bank another one, the Bank's counts."""
        page = await self._journal.page(offer_id)
        bet = _must_be_playing(page)
        if len(order) != HAND or any(type(n) is not int or n not in (0, 1) for n in order):
            raise Declined(
                f"an order is {HAND} numbers, 1 to replace and 0 to keep a card, not {order!r}"
            )
        message = ReplacementOrder.of(bet, tuple(order))
        must_be_signed(self._bank.domain, message, signature, bet.player_key)
        if seed is not None:
            page = await self._hear_seed(page, 0, seed)
        if page.heard[0] is None:
            page = await self._tending.ask(page, 0)
        if page.heard[0] is None:
            raise TooSoon("there is no hand yet: first tell your seed 0, then the order")
        known = page.order if page.mail is None else page.mail[0]
        if known is None:
            await self._journal.add(page, "mail", order=list(order), signature=signature.hex())
            self._rounds.wake(offer_id)
        elif known != tuple(order):
            raise SaidOtherwise(f"the order {list(known)} came first, and one only counts")

    async def look(self, offer_id: str) -> Sight:
        page = await self._journal.page(offer_id)
        return sight(page, self._tending.trouble.get(offer_id, ""))

    async def transcript(self, offer_id: str) -> bytes:
        """The record of a game whose final hand is known, or that is over."""
        return recorded(await self._journal.page(offer_id)).data

    # Sessions

    async def _is_known(self, player: str) -> bool:
        """Return whether a game with this player was settled, or a hand of a session played."""
        if player in self._tending.watch.known:
            return True
        known = await self._has_settled(player)
        if not known:
            known = await self.sessions.has_played(player)
        if known:
            self._tending.watch.known.add(player)
        return known

    async def _lend(self, player: str, funds: int) -> int:
        """Return the wei that he puts into a session; refuse where it is too much for him."""
        chip, least = self._bank.terms.chip_cost, self._habits.least_buy_in
        if funds < least * chip:
            raise Declined(
                f"a session needs a buy-in of at least {least} chips ({least * chip} wei), not "
                f"{funds} wei"
            )
        async with self._deciding:
            await self.prepare()
            if await self._bank.upkeep(SESSION_CALLS):
                self._must_not_open_often(player)
            await self._must_have_gas()
            known = await self._is_known(player)
            lent = await self._session_funds(player, known)
            if lent < self._least_prize:
                raise Busy(f"the Croupier has {lent} wei for you: too few for the smallest bet")
            return lent

    def _must_not_open_often(self, player: str) -> None:
        """Refuse a key that opens session after session: each costs him the gas of two calls."""
        most, seconds = self._habits.sessions_in_time
        now = time.monotonic()
        recent = [at for at in self.sessions.recent if at[1] > now - seconds]
        self.sessions.recent = recent
        mine = [when for who, when in recent if who == player]
        if len(mine) >= most:
            wait = math.ceil(mine[-most] + seconds - now)
            raise Busy(
                f"you opened {len(mine)} sessions in the last {seconds} seconds, and {most} is the "
                f"most: come back in {wait} seconds"
            )

    async def _take_up_sessions(self) -> None:
        """After a start: what is locked in open sessions, and which calls they may need."""
        for name in await self._open_sessions():
            with contextlib.suppress(UnknownGame):
                page = await self.sessions.journal.page(name)
                self._tending.watch.opened(page.terms, SESSION_CALLS)

    async def _open_sessions(self) -> Sequence[bytes]:
        return await self.sessions.journal.open_sessions()

    # What he asks of himself and of the Bank before he says yes

    async def _must_keep_pace(self) -> None:
        """Refuse to start where his confirmations do not fit into half of a step's time."""
        try:
            block_time = await self._bank.block_time()
        except BankAway:
            return
        step_time = self._bank.terms.step_time
        needed = (self.confirmations + CALL_BLOCKS) * block_time
        if needed > step_time / 2:
            fits = max(0, int(step_time / 2 / block_time) - CALL_BLOCKS)
            raise InputError(
                f"{self.confirmations} confirmations do not fit into a step of this Bank: a block "
                f"takes about {block_time:g} seconds, so a seed needs {needed:g} of the "
                f"{step_time} seconds of a step, and half of them is the most. Use at most {fits} "
                "confirmations here, or a Bank with a longer step time"
            )

    async def _must_afford(self, amount: int, what: str) -> None:
        """Refuse what he could not pay the top prize of, with all bets on their way."""
        account = await self._bank.account(self.account)
        free = account.available - self._tending.watch.flying()
        if free < amount:
            raise Busy(
                f"the Croupier has {max(free, 0)} wei free, and {what} wants {amount} for its top "
                "prize: come back when other games are settled, or bet less"
            )

    async def _session_funds(self, player: str, known: bool) -> int:
        """Return the wei that he puts into a session with this player, within their limit."""
        has = (await self._bank.account(self.account)).available
        everything = has + self._tending.watch.locked()
        chips = self._habits.session_chips * self._bank.terms.chip_cost
        funds = min(chips, int(everything * self._habits.player_share))
        await self._must_afford(funds, "a session")
        await self._must_leave_room(player, funds, known)
        return funds

    async def _must_leave_room(self, player: str, amount: int, known: bool) -> None:
        """Refuse what would let one player, or all strangers, lock too much of his money.

        A player who takes every step in its last second keeps the top prize locked for hours,
        and others cannot play meanwhile.
        """
        watch, habits = self._tending.watch, self._habits
        everything = (await self._bank.account(self.account)).available + watch.locked()

        def beyond(locked: int, share: Fraction) -> bool:
            return locked > 0 and locked + amount > share * everything

        for _ in range(2):
            too_much = beyond(watch.locked(player), habits.player_share)
            too_many = not known and beyond(watch.locked_by_strangers(), habits.strangers_share)
            if not too_much and not too_many:
                return
            await self._tending.look_again()
        if too_much:
            raise Busy(
                "you have games open, and this one would lock more of the Croupier's money than he "
                f"gives to one player ({habits.player_share} of it): finish a game first"
            )
        raise Busy(
            "players who have not played a game to its end with the Croupier may lock "
            f"{habits.strangers_share} of his money, and have: come back later, or bet less"
        )

    async def _has_settled(self, player: str) -> bool:
        """Return whether one of the last games with this player was settled."""
        following = await self._bank.next_game_id(self.account, player)
        for game_id in range(max(0, following - RECENT_GAMES), following):
            game = await self._bank.game(game_key(self.account, player, game_id))
            if game.outcome == GameOutcome.SETTLED:
                return True
        return False

    async def _games_in_purse(self) -> tuple[int, int | None]:
        """Return the wei in his purse, and the number of further games that it is enough for.

        Enough: he can make the calls that the open games and the new one owe, at several times
        today's price. ``None``: calls cost nothing here.
        """
        bank, purse = self._bank, await self._bank.purse(self.account)
        game = await bank.upkeep(GAME_CALLS)
        if game == 0:
            return purse, None
        return purse, max(0, purse - await bank.upkeep(self._tending.watch.owed())) // game

    async def _must_have_gas(self) -> None:
        """Refuse a game whose calls his purse could not pay for."""
        purse, games = await self._games_in_purse()
        self._tending.watch.purse_is_good_for(games)
        if games == 0:
            raise Busy(
                f"the Croupier has {purse} wei for gas, and keeps them for open games: come back "
                "later"
            )

    async def _must_be_in_time(self, offer: Offer, bet: Bet) -> None:
        """Refuse a bet that would not reach the Bank in time, or outlives the offer."""
        now = await self._tending.time()
        if bet.expiry > offer.expiry:
            raise Declined(f"the bet's expiry must be at most the offer's, {offer.expiry}")
        if bet.expiry < now + self._habits.least_time:
            raise Declined(
                f"the bet expires at {bet.expiry}, and it is {now} at the Bank: to get there it "
                f"must be good for {self._habits.least_time} seconds. Ask for a new offer"
            )

    async def _must_be_funded(self, bet: Bet) -> None:
        """Refuse a bet whose key or stake is not at the Bank."""
        account = await self._bank.account(bet.player)
        if account.key == NO_KEY:
            raise Declined(f"the Bank knows no key of {bet.player}: submit your public key first")
        if account.key != bet.player_key:
            raise Declined(f"your key at the Bank is {account.key}, not {bet.player_key}")
        if account.available < bet.stake:
            raise Declined(
                f"the stake is {bet.stake} wei, and you have {account.available} available at the "
                "Bank: deposit more, or bet less"
            )

    async def _make_room(self, player: str, game_id: int, expiry: int) -> Offer | None:
        """The offer to this player that can be told again. An older one is closed.

        Refuse if there is no place for a new one.
        """
        good_until = expiry - self._habits.offer_time // 2
        offer_ids = await self._journal.open_logs()
        self._players = {offer_id: self._players.get(offer_id, "") for offer_id in offer_ids}
        for offer_id in offer_ids:
            if self._players[offer_id] in ("", player):
                with contextlib.suppress(UnknownGame):
                    page = await self._journal.page(offer_id)
                    fits = page.offer.game_id == game_id and page.offer.expiry >= good_until
                    fits = fits and page.offer.croupier_key == self._signs.address
                    if await self._settle_with(player, page, fits):
                        return page.offer
        most = self._most_open
        if len(offer_ids) >= most:
            raise Busy(f"{most} games are open at this desk: come back in a while")
        if 2 * len(offer_ids) >= most:
            account = await self._bank.account(player)
            if account.available < self._bank.terms.chip_cost:
                raise Busy("what places are left are for players with money at the Bank")
        return None

    async def _settle_with(self, player: str, page: JournalPage, fits: bool) -> bool:
        """Return whether this offer to the player can be repeated; close an old one."""
        self._players[page.offer.id] = page.offer.player
        if page.offer.player != player or page.ended is not None:
            return False
        if page.bet is None:
            if fits:
                return True
            await self._journal.add(page, "ended", outcome=LAPSED, step=0, reason=NEWER)
        elif (
            self._tending.watch.is_flying(page.offer.id)
            and await self._tending.time() <= page.bet.expiry
        ):
            seen = await self._tending.see(page)
            if not seen.now.is_of(page.bet):
                raise Busy("your last bet is on its way to the Bank: ask again when it is there")
        return False

    async def report(self) -> OperatorReport:
        purse, games = await self._games_in_purse()
        self._tending.watch.purse_is_good_for(games)
        report = self._tending.watch.report(purse, games, await self._tending.time())
        stuck = self.sessions.trouble
        return report._replace(
            open_sessions=len(await self._open_sessions()), stuck_sessions=len(stuck)
        )

    async def metrics(self) -> str:
        try:
            return as_metrics(await self.report())
        except BankAway:
            return as_metrics(None)

    # Tending the games

    async def pump(self) -> None:
        """Do all that can be done now in all open games and sessions, one after the other."""
        for name in await self._all_open():
            await self._visit(name)

    async def _visit(self, name: Name) -> float:
        if isinstance(name, str):
            return await self._tending.visit(name)
        return await self.sessions.visit(name)

    async def _all_open(self) -> Sequence[Name]:
        try:
            await self.prepare()
        except StoreAway:
            raise
        except FairgroundError as error:
            log.warning("the Croupier is not ready: %s", error)
        offer_ids = await self._journal.open_logs()
        self._tending.forget_all_but(set(offer_ids))
        return [*offer_ids, *await self._open_sessions()]


def _must_be_playing(page: JournalPage) -> Bet:
    if page.ended is not None:
        raise Closed(f"this game is over: {page.ended.reason or page.ended.outcome.lower()}")
    if page.bet is None:
        raise TooSoon("there is no bet on this offer yet")
    return page.bet

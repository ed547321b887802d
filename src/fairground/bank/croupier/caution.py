"""The Croupier's checks of himself, of the Bank and of a bet before he says yes.

He must be able to keep every promise: pay the top prize, pay the gas, be in time. A refusal here
costs nobody anything; a broken promise costs him the price of silence.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

from fairground.bank.bank_port import (
    NO_KEY,
    Bank,
    BankAway,
    Complain,
    GameOutcome,
    SubmitBet,
    SubmitCroupierSeed,
)
from fairground.bank.croupier.service import INTERVAL, Tending
from fairground.bank.croupier_port import Busy, Declined, Offer
from fairground.bank.messages import Bet, game_key
from fairground.core import InputError
from fairground.games.poker.rules import BETS, LEVELS

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


class Caution:
    """The limits of one Croupier at one Bank. Its methods refuse what is beyond them."""

    def __init__(
        self, bank: Bank, account: str, tending: Tending, habits: Habits, confirmations: int
    ) -> None:
        self._bank, self._account = bank, account
        self._tending, self._habits = tending, habits
        self._confirmations = confirmations

    async def must_keep_pace(self) -> None:
        """Refuse to start where his confirmations do not fit into half of a step's time."""
        try:
            block_time = await self._bank.block_time()
        except BankAway:
            return
        step_time = self._bank.terms.step_time
        needed = (self._confirmations + CALL_BLOCKS) * block_time
        if needed > step_time / 2:
            fits = max(0, int(step_time / 2 / block_time) - CALL_BLOCKS)
            raise InputError(
                f"{self._confirmations} confirmations do not fit into a step of this Bank: a block "
                f"takes about {block_time:g} seconds, so a seed needs {needed:g} of the "
                f"{step_time} seconds of a step, and half of them is the most. Use at most {fits} "
                "confirmations here, or a Bank with a longer step time"
            )

    async def must_afford(self, amount: int, what: str) -> None:
        """Refuse what he could not pay the top prize of, with all bets on their way."""
        account = await self._bank.account(self._account)
        free = account.available - sum(self._tending.flying.values())
        if free < amount:
            raise Busy(
                f"the Croupier has {max(free, 0)} wei free, and {what} wants {amount} for its top "
                "prize: come back when other games are settled, or bet less"
            )

    async def session_funds(self, player: str, known: bool) -> int:
        """Return the wei that he puts into a session with this player, within their limit."""
        has = (await self._bank.account(self._account)).available
        everything = has + self._tending.watch.locked()
        chips = self._habits.session_chips * self._bank.terms.chip_cost
        funds = min(chips, int(everything * self._habits.player_share))
        await self.must_afford(funds, "a session")
        await self.must_leave_room(player, funds, known)
        return funds

    async def must_leave_room(self, player: str, amount: int, known: bool) -> None:
        """Refuse what would let one player, or all strangers, lock too much of his money.

        A player who takes every step in its last second keeps the top prize locked for hours,
        and others cannot play meanwhile.
        """
        watch, habits = self._tending.watch, self._habits
        everything = (await self._bank.account(self._account)).available + watch.locked()

        def beyond(locked: int, share: Fraction) -> bool:
            return locked > 0 and locked + amount > share * everything

        for _ in range(2):
            too_much = beyond(watch.locked(player), habits.player_share)
            too_many = not known and beyond(watch.locked_by_strangers(), habits.strangers_share)
            if not too_much and not too_many:
                return
            await self._tending.look_again(watch.locking())  # some may be over by now
        if too_much:
            raise Busy(
                "you have games open, and this one would lock more of the Croupier's money than he "
                f"gives to one player ({habits.player_share} of it): finish a game first"
            )
        raise Busy(
            "players who have not played a game to its end with the Croupier may lock "
            f"{habits.strangers_share} of his money, and have: come back later, or bet less"
        )

    async def is_known(self, player: str) -> bool:
        """Return whether one of the last games with this player was settled."""
        following = await self._bank.next_game_id(self._account, player)
        for game_id in range(max(0, following - RECENT_GAMES), following):
            game = await self._bank.game(game_key(self._account, player, game_id))
            if game.outcome == GameOutcome.SETTLED:
                return True
        return False

    async def games_in_purse(self) -> tuple[int, int | None]:
        """Return the wei in his purse, and the number of further games that it is enough for.

        Enough: he can make the calls that the open games and the new one owe, at several times
        today's price. ``None``: calls cost nothing here.
        """
        bank, purse = self._bank, await self._bank.purse(self._account)
        game = await bank.upkeep(GAME_CALLS)
        if game == 0:
            return purse, None
        return purse, max(0, purse - await bank.upkeep(self._tending.watch.owed())) // game

    async def must_have_gas(self) -> None:
        """Refuse a game whose calls his purse could not pay for."""
        purse, games = await self.games_in_purse()
        self._tending.watch.purse_is_good_for(games)
        if games == 0:
            raise Busy(
                f"the Croupier has {purse} wei for gas, and keeps them for open games: come back "
                "later"
            )

    async def must_be_in_time(self, offer: Offer, bet: Bet) -> None:
        """Refuse a bet that would not reach the Bank in time, or outlives the offer."""
        now = await self._tending.time()
        if bet.expiry > offer.expiry:
            raise Declined(f"the bet's expiry must be at most the offer's, {offer.expiry}")
        if bet.expiry < now + self._habits.least_time:
            raise Declined(
                f"the bet expires at {bet.expiry}, and it is {now} at the Bank: to get there it "
                f"must be good for {self._habits.least_time} seconds. Ask for a new offer"
            )

    async def must_be_funded(self, bet: Bet) -> None:
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


def must_fit(offer: Offer, bet: Bet, chip_cost: int) -> None:
    """Raise `Declined` unless the bet is on this offer."""
    wanted = {
        "croupier": offer.croupier,
        "player": offer.player,
        "croupier_key": offer.croupier_key,
        "game_id": offer.game_id,
        "croupier_commitment_0": offer.commitments[0],
        "croupier_commitment_1": offer.commitments[1],
        "chip_cost": chip_cost,
    }
    for field, value in wanted.items():
        given = getattr(bet, field)
        if type(given) is not type(value) or given != value:
            raise Declined(f"the bet's {field} must be {_shown(value)}, not {_shown(given)}")
    for field, given, allowed in (("bet", bet.bet, BETS), ("level", bet.level, LEVELS)):
        if type(given) is not int or given not in allowed:
            raise Declined(f"the {field} must be {allowed[0]} to {allowed[-1]}, not {given!r}")
    if len(set(bet.commitments)) != len(bet.commitments):
        raise Declined("the four commitments must differ")


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)

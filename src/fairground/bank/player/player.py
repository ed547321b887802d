"""The Player: sits down at a Croupier's desk, and trusts neither him nor the Bank.

    player = Player(Side(bank, desk, key, notebook, tell))
    await player.sit_down()                  # checks both, and registers the key
    await player.fund(1, 5)                  # deposits what is missing for a stake
    game = await player.bet(1, 5)            # one game: see `game.PlayersGame`
    await game.deal()
    await game.draw((1, 0, 1, 1, 0))
    await game.settle()
    await player.withdraw()

Over a chain, ``bank`` must be the Player's own node: `ChainBank` compares the contract's code there
with the packaged artifact. Before any money moves, `sit_down` checks that the Croupier plays at
this very Bank, under its terms. Before each bet it checks that his key is the one registered there,
and that he can pay the top prize.
"""

from __future__ import annotations

from typing import Final

from fairground.bank.bank_port import (
    BankRefused,
    Call,
    DepositFunds,
    SubmitPublicKey,
    WithdrawFunds,
)
from fairground.bank.croupier_port import About, Offer
from fairground.bank.messages import Bet, Signer
from fairground.bank.player.game import (
    Alarm,
    Checked,
    NoGame,
    Party,
    PlayersGame,
    Sent,
    Side,
    in_chips,
)
from fairground.bank.player.notes import Note
from fairground.bank.seeds import fresh_seeds
from fairground.core import InputError
from fairground.games.poker.rules import PAYS, Poker, Rank

BET_TIME: Final = 120
"""Seconds that the Croupier has to bring a signed bet to the Bank. Until then it may be
taken at any moment, so no other is signed."""


class WrongCroupier(InputError):
    """The Croupier's words do not agree with the Bank."""

    code = "bank/wrong-croupier"


class PlayerClient:
    """A Player at one desk, with one key: their account at the Bank, and what signs."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.address = side.key.address
        self._about: About | None = None
        self._games: list[PlayersGame] = []
        """The games of this sitting."""
        self._brought: int | None = None
        """The account without these games, by our own count; ``None``: not counted."""

    # Sitting down

    async def sit_down(self) -> About:
        """See who the Croupier is and whether he plays at our Bank; register our key there."""
        side, bank = self.side, self.side.bank
        about = await side.desk.about()
        if about.domain != bank.domain:
            raise WrongCroupier(
                f"the Croupier plays on chain {about.domain.chain_id} at the Bank "
                f"{about.domain.bank}; yours is on chain {bank.domain.chain_id}, "
                f"{bank.domain.bank}"
            )
        side.tell(Checked("chain and Bank", f"{bank.domain.chain_id}, {bank.domain.bank}"))
        if about.terms != bank.terms:
            raise WrongCroupier(
                f"the Croupier says that a chip costs {about.terms.chip_cost} wei and a step takes "
                f"{about.terms.step_time} s at most; at the Bank it is {bank.terms.chip_cost} wei "
                f"and {bank.terms.step_time} s"
            )
        side.tell(Checked("terms", f"a chip is {bank.terms.chip_cost} wei"))
        if about.account == self.address:
            raise WrongCroupier("the Croupier has your own key: nobody plays against themselves")
        self._about = about
        await self._must_have_key(about)
        account = await bank.account(self.address)
        self._brought = None if account.open_games else account.available
        if account.key != self.address:
            proof = side.key.prove(bank.domain, self.address)
            await self._send(SubmitPublicKey(self.address, proof))
            side.tell(Sent(Party.PLAYER, Party.BANK, "the key, with its proof", self.address))
        return about

    @property
    def about(self) -> About:
        assert self._about is not None
        return self._about

    async def _must_have_key(self, about: About) -> None:
        account = await self.side.bank.account(about.account)
        if account.key != about.key:
            raise WrongCroupier(
                f"the Croupier offers the key {about.key}; at the Bank his is {account.key}"
            )
        self.side.tell(Checked("the Croupier's key, at the Bank", about.key))

    # Money

    async def available(self) -> int:
        """Return the Player's wei at the Bank, outside of open games."""
        return (await self.side.bank.account(self.address)).available

    async def balance(self) -> int:
        """Return the Player's wei at the Bank; report an `Alarm` below our own count."""
        for game in self._games:
            await game.rest()
        available = await self.available()
        ends = [game.ended for game in self._games if game.ended is not None]
        if self._brought is None or len(ends) < len(self._games):
            return available
        mine = self._brought + sum(ended.paid - ended.stake for ended in ends)
        if available < mine:
            raise Alarm(
                Party.BANK,
                f"it says that you have {available} wei, and by your own count it must be {mine} "
                "(unless you used this account elsewhere meanwhile)",
            )
        return available

    async def missing(self, bet: int, level: int) -> int:
        """Return the wei that the Player lacks at the Bank for this stake."""
        stake = Poker(bet, level).stake * self.side.bank.terms.chip_cost
        return max(0, stake - await self.available())

    async def fund(self, bet: int, level: int, buy_in: int = 0) -> int:
        """See that the stake is there; else deposit ``buy_in``, or what is missing if more.

        Returns what was deposited. A purse that has less than the buy-in gives what is
        missing. Nothing is brought to a Croupier who could not pay the top prize.
        """
        bank = self.side.bank
        missing = await self.missing(bet, level)
        if not missing:
            return 0
        await self._must_be_rich(bet * PAYS[level][Rank.ROYAL_FLUSH] * bank.terms.chip_cost)
        purse = await bank.purse(self.address)
        if purse < missing:
            raise NoGame(
                f"you need {self._chips(missing)} more at the Bank, and have {self._chips(purse)} "
                f"outside of it: send some to {self.address}"
            )
        amount = max(missing, buy_in) if purse >= buy_in else missing
        await self._send(DepositFunds(amount))
        self._count(amount)
        self.side.tell(Sent(Party.PLAYER, Party.BANK, "a deposit", self._chips(amount)))
        return amount

    async def withdraw(self) -> int:
        """Take home all that no game has locked; returns how much."""
        amount = await self.available()
        if amount:
            await self._send(WithdrawFunds(amount))
            self._count(-amount)
            self.side.tell(Sent(Party.BANK, Party.PLAYER, "a withdrawal", self._chips(amount)))
        return amount

    async def _send(self, call: Call) -> None:
        try:
            await self.side.bank.send(self.side.key, call)
        except BankRefused as refused:
            if refused.name != "InsufficientFunds":
                raise
            raise NoGame(
                f"your account {self.address} has not enough outside of the Bank, where the gas is "
                f"paid from: {refused}"
            ) from None

    def _count(self, change: int) -> None:
        if self._brought is not None:
            self._brought += change

    # Games

    def unfinished(self) -> list[PlayersGame]:
        """The games at this Bank that an earlier client left open, to be played on."""
        found = []
        for note in self.side.notebook.notes():
            if note.signed is None:
                self.side.notebook.forget(note)  # never signed: nothing can come of it
                continue
            domain, bet, _ = note.signed
            if domain == self.side.bank.domain and bet.player == self.address:
                found.append(PlayersGame(self.side, note))
        return found

    async def bet(self, bet: int, level: int) -> PlayersGame:
        """Ask for an offer, check it, sign a bet on it, and hand it to the Croupier."""
        side, bank = self.side, self.side.bank
        for game in self._games:
            if game.may_be_taken:
                raise NoGame(
                    "your last bet may still be taken, and no other is signed before that is "
                    f"settled: it counts until {game.bet.expiry} by the Bank's clock"
                )
        if missing := await self.missing(bet, level):
            raise NoGame(f"{self._chips(missing)} are missing for the stake: deposit first")
        offer = await side.desk.offer(self.address)
        side.tell(
            Sent(
                Party.CROUPIER,
                Party.PLAYER,
                f"an offer of game {offer.game_id}",
                " ".join(commitment.hex() for commitment in offer.commitments),
            )
        )
        await self._must_be_right(offer)
        parties = (offer.croupier, self.address)
        seeds = fresh_seeds(side.key, bank.domain, parties, Signer.PLAYER, offer.game_id)
        note = Note(offer.id, seeds)
        terms = Bet(
            *parties,
            offer.croupier_key,
            self.address,
            offer.game_id,
            bet,
            level,
            bank.terms.chip_cost,
            *offer.commitments,
            seeds[0].commitment,
            seeds[1].commitment,
            min(offer.expiry, await bank.now() + BET_TIME),
        )
        if len(set(terms.commitments)) != len(terms.commitments):
            raise WrongCroupier("two of the four commitments are equal: he could copy your seed")
        await self._must_be_rich(terms.top_prize)
        side.notebook.write(note)  # the seeds outlive this program before anything is signed
        signature = side.key.sign(bank.domain, terms)
        note = note._replace(signed=(bank.domain, terms, signature))
        side.notebook.write(note)
        game = PlayersGame(side, note)
        self._games.append(game)
        await game.place()
        return game

    async def _must_be_right(self, offer: Offer) -> None:
        side, bank, about = self.side, self.side.bank, self.about
        if (offer.croupier, offer.croupier_key) != (about.account, about.key):
            raise WrongCroupier(
                f"the offer is by {offer.croupier} with the key {offer.croupier_key}, not by "
                f"{about.account} with {about.key}"
            )
        if offer.player != self.address:
            raise WrongCroupier(f"the offer is for {offer.player}, not for you ({self.address})")
        await self._must_have_key(about)
        number = await bank.next_game_id(offer.croupier, self.address)
        if offer.game_id != number:
            raise WrongCroupier(
                f"the offer is for game {offer.game_id}; the Bank's next is {number}"
            )
        side.tell(Checked("the game's number, at the Bank", str(number)))
        if any(len(commitment) != 32 for commitment in offer.commitments):
            raise WrongCroupier("the offer's commitments are not 32 bytes each")
        now = await bank.now()
        if offer.expiry <= now:
            raise NoGame(f"the offer has expired: it counts until {offer.expiry}, and it is {now}")

    async def _must_be_rich(self, top_prize: int) -> None:
        """The Croupier must be able to pay a royal flush."""
        rich = (await self.side.bank.account(self.about.account)).available
        found = f"{self._chips(rich)} at the Bank, top prize {self._chips(top_prize)}"
        if rich < top_prize:
            raise NoGame(f"the Croupier could not pay: he has {found}. Play for less")
        self.side.tell(Checked("the Croupier's funds", found))

    def _chips(self, wei: int) -> str:
        return in_chips(wei, self.side.bank.terms.chip_cost)

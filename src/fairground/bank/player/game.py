"""One game of a Player, from the signed bet to its end, over the two ports.

`PlayersGame` is one loop, led by the Bank: ask the Bank for the step of the game, compare it with
our own record, do the next duty, look again. So the same code plays a game, resumes it after a
crash, and follows a chain that takes blocks back. If the Croupier does not bring a message or a
result to the Bank, the Player does; after a deadline, the Player complains.

The Player's seeds leave this object in `_tell_seed` only: the Croupier's seed of the same number
must be at the Bank, with the Player's own number of confirmations.

`News` are for a screen to put into words. None holds a secret: a seed of the Player appears in them
only after the Croupier has it.
"""

from __future__ import annotations

import asyncio
import enum
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import (
    CROUPIER_OWES,
    NO_GAME,
    SILENT_AT,
    Bank,
    BankAway,
    BankClock,
    BankEvent,
    BankGame,
    BankRefused,
    Call,
    Complain,
    GameOutcome,
    Silence,
    Spending,
    Step,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndResult,
    price_of_silence,
)
from fairground.bank.croupier_port import CroupierDesk, Declined
from fairground.bank.duties import SEED_AFTER, next_call
from fairground.bank.hand import HandEngine, chairs_at, seeds_in
from fairground.bank.messages import Bet, Key, ReplacementOrder, Signer
from fairground.bank.player.notes import Note, Notebook
from fairground.bank.seeds import Seed, WrongSeed, check_seed
from fairground.bank.signatures import BadSignature
from fairground.core import FairgroundError
from fairground.games.poker.rules import DECK, HAND, hand_text


class Party(enum.Enum):
    """The three who take part."""

    PLAYER = "Player"
    CROUPIER = "Croupier"
    BANK = "Bank"


class Checked(NamedTuple):
    """The Player made sure of something, by themselves."""

    what: str
    found: str


class Sent(NamedTuple):
    """A message went from one party to another."""

    sender: Party
    receiver: Party
    what: str
    detail: str = ""


class BankRecorded(NamedTuple):
    """The Bank recorded something of the game of this bet."""

    event: BankEvent
    bet: Bet


class Waiting(NamedTuple):
    """Nothing can be done but wait for this, for ``seconds`` at the most."""

    party: Party
    """The party that has to act."""
    what: str
    seconds: int
    """0 if nobody knows."""


class Suspicion(NamedTuple):
    """A party breaks the protocol. The game goes on, by way of the Bank."""

    party: Party
    reason: str


class Complained(NamedTuple):
    """The Player brought a complaint to the Bank."""

    silence: Silence


class GameEnded(NamedTuple):
    """A game is over."""

    outcome: GameOutcome
    hand: tuple[int, ...]
    """The cards that were paid; empty if it did not come to that."""
    paid: int
    """Wei that came out of the game's locks into the Player's account."""
    stake: int
    """Wei that the Player had put in."""
    lapsed: bool = False
    """The Bank never took the bet, and now cannot take it any more."""


News = Checked | Sent | BankRecorded | Waiting | Suspicion | Complained | GameEnded
Tell = Callable[[News], None]


class Alarm(FairgroundError):
    """Something is false that must be true. Do not go on with this party."""

    code = "bank/alarm"
    exit = 1

    def __init__(self, party: Party, reason: str) -> None:
        super().__init__(f"ALARM, the {party.value} is at fault: {reason}")
        self.party = party
        self.reason = reason


class NoGame(FairgroundError):
    """No game came about. Nothing of the Player's is at risk but a bet already signed."""

    code = "bank/no-game"
    exit = 1


def in_chips(wei: int, chip_cost: int) -> str:
    """Return a sum for people; less than a chip is not dropped."""
    whole, rest = divmod(wei, chip_cost)
    text = f"{whole:,} chip{'' if whole == 1 else 's'}"
    return f"{text} and {rest:,} wei" if rest else text


PATIENCE: Final = 60
"""Seconds that the Croupier has to bring something to the Bank before we do it ourselves;
never more than half of a step's time."""

CONFIRMATIONS: Final = 2
"""Blocks behind a seed of the Croupier on a chain, unless the Player wants more or fewer.

Without any, a Croupier on a chain that takes its last block back could see the hand, and let
a bad one lapse."""


class OwnClock:
    """The Player's own clock."""

    def now(self) -> float:
        return time.monotonic()

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Side(NamedTuple):
    """The Player's side of the table: what all their games have in common."""

    bank: Bank
    desk: CroupierDesk
    key: Key
    notebook: Notebook
    tell: Tell
    confirmations: int = 0
    """Blocks behind a seed of the Croupier before we tell the Player's."""
    pace: OwnClock = OwnClock()
    one_by_one: bool = False
    """True to tell seed 0 before the order, as in the document, and not with it."""

    @property
    def patience(self) -> int:
        return min(self.bank.terms.step_time // 2, PATIENCE)


class KnownGame(HandEngine):
    """The Player's certain knowledge of one game, computed from its messages alone.

    It raises `Alarm`, which names the party at fault, unless the Bank shows the same.
    """

    @property
    def final(self) -> tuple[int, ...]:
        """The cards that will be paid; empty while they are not known."""
        return self.final_hand if self.is_final else ()

    def learn(self, seed_id: int, seed: Seed) -> bool:
        """Take a seed of the Croupier, once; raise unless it is what he committed to."""
        check_seed(self._domain, self.bet, Signer.CROUPIER, seed_id, seed)
        is_new = self.known.his[seed_id] is None
        self.known = self.known.told(Signer.CROUPIER, seed_id, seed)
        return is_new

    def note(self, note: Note) -> None:
        """Take the Player's own messages, as far as they were told."""
        first, second = (seed if note.told > i else None for i, seed in enumerate(note.seeds))
        order, signature = note.order, note.order_signature
        theirs = self.known._replace(theirs=(first, second))
        self.follow(theirs._replace(order=order, order_signature=signature))

    def must_agree(self, state: BankGame) -> None:
        """Raise `Alarm` unless the Bank says what our own record says."""
        if state.step == Step.NONE:
            return
        if not state.is_of(self.bet):
            raise Alarm(Party.BANK, "under this number it has a bet that you did not sign")
        if state.step >= Step.ORDER_SUBMITTED and state.replaced != self.order:
            given = f"you gave {self.order}"
            raise Alarm(Party.BANK, f"it has the order {state.replaced}; {given}")
        if state.step < Step.HAND_DEALT:
            return
        if not self.hand:
            raise Alarm(Party.BANK, "it has dealt before both seeds were told")
        if state.step == Step.HAND_FINAL and not self.is_final:
            raise Alarm(Party.BANK, "it calls a hand final before both seeds were told")
        mine = self.final if state.step == Step.HAND_FINAL else self.hand
        if state.cards != mine:
            shown = f"it shows the hand {_cards(state.cards)}"
            raise Alarm(Party.BANK, f"{shown}; the seeds give {_cards(mine)}")

    def judge(self, state: BankGame, told: Sequence[BankEvent], now: int) -> GameEnded:
        """Return the end of the game; raise `Alarm` unless it had to end so."""
        stake = self.bet.stake
        if state.outcome == GameOutcome.SETTLED:
            if state.step != Step.HAND_FINAL:
                raise Alarm(Party.BANK, "it settled a game whose final hand is not known")
            prize = _value(told, "GameSettled", "prize")
            mine = self.prize * self.bet.chip_cost
            if prize != mine:
                raise Alarm(Party.BANK, f"it paid {prize} wei for a hand worth {mine} wei")
            return GameEnded(GameOutcome.SETTLED, self.final, mine, stake)
        owed = SILENT_AT.get(Step(state.step))
        match GameOutcome(state.outcome):
            case GameOutcome.CROUPIER_FORFEITED:
                paid = _value(told, "CroupierForfeited", "penalty")
                price = price_of_silence(self.bet, state)
                right = owed in CROUPIER_OWES and paid == price
            case _:
                paid, right = 0, owed not in CROUPIER_OWES and now > state.deadline
        if not right or owed is None:
            outcome = GameOutcome(state.outcome).name.lower().replace("_", " ")
            after = Step(state.step).name.lower().replace("_", " ")
            raise Alarm(
                Party.BANK,
                f"it closed the game as {outcome} after {after}, paying you {paid} wei; by its own "
                f"rules, and with the deadline at {state.deadline}, it could not",
            )
        # Only the messages that the Bank took: so the Croupier's record is the same.
        self.end_at(self.known, state.step, state.replaced, state.outcome)
        return GameEnded(GameOutcome(state.outcome), (), paid, stake)


def _value(told: Sequence[BankEvent], name: str, value: str) -> int:
    """Return a number in the Bank's last event of this name; 0 if there is none."""
    return next((int(event.values[value]) for event in reversed(told) if event.name == name), 0)


def _cards(cards: Sequence[int]) -> str:
    real = len(cards) == HAND and all(card < DECK for card in cards)
    return hand_text(cards) if real else str(list(cards))


SHORTEST_PAUSE: Final = 0.02
"""Seconds between two looks at the Bank while something happens."""

LONGEST_PAUSE: Final = 1.0
"""Seconds between two looks at the Bank while nothing happens."""

MOMENT: Final = 2.0
"""Seconds of waiting before the screen says that we wait."""

OVERTAKEN: Final = frozenset(
    {"AlreadySubmitted", "WrongStep", "GameOver", "TooEarly", "TooLate", "Overtaken"}
)
"""Refusals that only say that things stand otherwise than when we looked: look again."""

BRING_BET: Final = "the Croupier to bring the bet to the Bank"


class PlayersGame:
    """One game. `deal`, then `draw`, then `settle`; each returns early if it ended before."""

    def __init__(self, side: Side, note: Note) -> None:
        assert note.signed is not None
        self.domain, self.bet, self._signature = note.signed
        self.witness = KnownGame(*note.signed, chairs_at(side.bank))
        self.ended: GameEnded | None = None
        self._side = side
        self._note = note
        self._state = NO_GAME
        self._heard: list[BankEvent] = []
        self._his_confirmations: int | None = None
        self._confirmed_at: dict[int, float] = {}
        """When each step had the confirmations that the Croupier waits for, by our own clock."""
        self._once: set[str] = set()
        self._time = BankClock(side.bank, side.pace.now)
        self._still_since = side.pace.now()

    # What a person asks for

    async def place(self) -> None:
        """Hand the signed bet to the Croupier, unless he has heard it.

        After a crash the Player does not know whether he has. Two equal bets are one bet.
        """
        chips = in_chips(self.bet.stake, self.bet.chip_cost)
        committed = " ".join(commitment.hex() for commitment in self.bet.commitments[2:])
        await self._tell_croupier(
            "the signed bet",
            f"a stake of {chips}; commitments {committed}",
            lambda: self._side.desk.bet(self._note.offer_id, self.bet, self._signature),
        )

    async def deal(self) -> None:
        await self._run(lambda: self._state.step >= Step.HAND_DEALT or self._sees_the_hand)

    async def draw(self, order: Sequence[int]) -> None:
        """Give the order, and play until the final hand is known."""
        if self._note.order is None:
            message = ReplacementOrder.of(self.bet, tuple(order))
            signature = self._side.key.sign(self.domain, message)
            self._keep(order=message.order, order_signature=signature)
        await self._run(lambda: self.witness.is_final and self._state.step > Step.HAND_DEALT)

    async def settle(self) -> GameEnded:
        """Play until the Bank has settled it, one way or the other."""
        await self._run(lambda: False)
        assert self.ended is not None
        return self.ended

    @property
    def may_be_taken(self) -> bool:
        """Return whether the Bank does not have the bet, as far as we saw, and may still get it."""
        return self.ended is None and self._state.step == Step.NONE

    @property
    def order(self) -> tuple[int, ...] | None:
        return self._note.order

    async def seconds_left(self) -> int:
        """Return the seconds that the Player may still think, as far as we know."""
        return max(0, self._state.deadline - await self._time())

    async def rest(self) -> bool:
        """Forget the game if its end is final.

        A bet that lapsed may come back when a chain takes blocks back, and then its seeds are
        needed. So on a chain the game is kept for a step's time.
        """
        side = self._side
        if self.ended is None:
            return False
        if self.ended.lapsed:
            until = self.bet.expiry + (side.bank.terms.step_time if side.confirmations else 0)
            over = await self._time() > until
        else:
            state = await side.bank.game(self.bet.key, side.confirmations)
            over = state.outcome != GameOutcome.OPEN
        if not over:
            return False
        side.notebook.forget(self._note)
        return True

    # The loop

    async def _run(self, reached: Callable[[], bool]) -> None:
        """Play until this is so, or the game has ended."""
        wait = SHORTEST_PAUSE
        while True:
            before = self._state
            try:
                await self._look()
                if self.ended is not None or reached():
                    return
                await self._act(await self._time())
            except BankAway as away:
                self._tell_once(str(away), Waiting(Party.BANK, f"the Bank: {away}", 0))
            if self._state != before:
                wait, self._still_since = SHORTEST_PAUSE, self._side.pace.now()
            else:
                wait = min(2 * wait, LONGEST_PAUSE)
            await self._side.pace.pause(wait)

    @property
    def _merges(self) -> bool:
        """Return whether seed 0 and the order go to the Bank in one call."""
        return not self._side.one_by_one

    @property
    def _sees_the_hand(self) -> bool:
        """Return whether our own seed 0 may be told, and is kept back until the order is given.

        The Croupier's seed is at the Bank, so the hand is fixed, and we know it already.
        """
        return self._merges and self._note.told > 0 and bool(self.witness.hand)

    async def _look(self) -> None:
        state = await self._side.bank.game(self.bet.key)
        if state != self._state:
            await self._hear()
        if state.outcome == GameOutcome.OPEN and state.step in SEED_AFTER:
            await self._ask_for(SEED_AFTER.index(Step(state.step)))
        self.witness.note(self._note)
        self.witness.must_agree(state)
        self._state = state
        if state.outcome != GameOutcome.OPEN and self.ended is None:
            now = await self._time()
            self._over(self.witness.judge(state, self._heard, now))
            await self.rest()

    # Listening: to the Bank, and to the Croupier

    async def _hear(self) -> None:
        """Return the Bank's new events; all events, if blocks were taken back."""
        events = list(await self._side.bank.told(self.bet.key))
        known = len(self._heard) if events[: len(self._heard)] == self._heard else 0
        self._heard = events
        for event in events[known:]:
            self._side.tell(BankRecorded(event, self.bet))
            for role, seed_id, seed in seeds_in([event]):
                if role is Signer.CROUPIER:
                    self._learn(seed_id, seed, Party.BANK)

    async def _ask_for(self, seed_id: int) -> None:
        """A seed that the Croupier tells us and not the Bank is a seed all the same."""
        if self.witness.known.his[seed_id] is not None:
            return
        try:
            sight = await self._side.desk.look(self._note.offer_id)
        except FairgroundError as error:
            self._suspect(f"he does not answer: {error}")
            return
        if sight.trouble:
            self._suspect(f"he says: {sight.trouble}")
        told = sight.seeds[seed_id]
        if told is not None:
            self._learn(seed_id, told, Party.CROUPIER)

    def _learn(self, seed_id: int, seed: Seed, source: Party) -> None:
        try:
            new = self.witness.learn(seed_id, seed)
        except (WrongSeed, BadSignature) as error:
            if source is Party.BANK:
                raise Alarm(Party.BANK, f"it took a seed that it must refuse: {error}") from None
            self._suspect(f"he tells a seed that does not count: {error}")
            return
        if new and source is Party.CROUPIER:
            self._side.tell(Sent(source, Party.PLAYER, f"seed {seed_id}", seed.hex()))

    # Acting

    async def _act(self, now: int) -> None:
        state = self._state
        late = now >= state.deadline - self._side.bank.terms.step_time + self._side.patience
        match state.step:
            case Step.NONE:
                await self._await_the_bet(now)
            case Step.BET_SUBMITTED | Step.ORDER_SUBMITTED:
                await self._await_his_seed(now, late)
            case Step.CROUPIER_SEED_0_SUBMITTED:
                await self._tell_seed(0, now, late)
            case Step.HAND_DEALT:
                await self._tell_order(late)
                await self._confess(now)
            case Step.CROUPIER_SEED_1_SUBMITTED:
                await self._tell_seed(1, now, late)
            case Step.HAND_FINAL if late:
                await self._bring("the result")

    async def _await_the_bet(self, now: int) -> None:
        """Nothing is locked yet. A bet that nobody took in time is nothing."""
        left = self.bet.expiry - now
        self._tell_once("bet", Waiting(Party.CROUPIER, BRING_BET, left))
        if left >= 0:
            await self.place()
            return
        if await self._side.bank.now() <= self.bet.expiry:
            raise NoGame(
                "the Croupier did not bring the bet to the Bank, whose clock stands still: he may "
                "still do it. Come back later; the game is kept in mind"
            )
        self._over(GameEnded(GameOutcome.OPEN, (), 0, 0, lapsed=True))
        await self.rest()

    async def _await_his_seed(self, now: int, late: bool) -> None:
        step = Step(self._state.step)
        seed_id, silence = SEED_AFTER.index(step), SILENT_AT[step]
        left = self._state.deadline - now
        what = f"his seed {seed_id}"
        self._tell_once(what, Waiting(Party.CROUPIER, f"the Croupier's seed {seed_id}", left))
        if left < 0:
            await self._complain(silence)
        elif late:
            if self.witness.known.his[seed_id] is not None:
                self._suspect(f"he told {what} and does not bring it to the Bank")
                await self._bring(what)
            elif not await self._he_waits_for_blocks(left):
                self._suspect(f"he does not show {what}")

    async def _he_waits_for_blocks(self, left: int) -> bool:
        """Return whether he waits for the confirmations that he named, or got them just now.

        After the last of them he looks, sends his seed, and waits for a block again.
        """
        side, step = self._side, self._state.step
        if self._his_confirmations is None:
            try:
                self._his_confirmations = (await side.desk.about()).confirmations
            except FairgroundError:
                return False
        wanted = self._his_confirmations
        if wanted and (await side.bank.game(self.bet.key, wanted)).step >= step:
            since = self._confirmed_at.setdefault(step, side.pace.now())
            return side.pace.now() - since < side.patience
        if not wanted:
            return False
        what = f"{wanted} blocks, which the Croupier waits for before he tells a seed"
        self._tell_once(f"his blocks {step}", Waiting(Party.BANK, what, left))
        return True

    async def _tell_seed(self, seed_id: int, now: int, late: bool) -> None:
        """Tell the Player's seed: his own is at the Bank, so nobody can choose any more."""
        if self.witness.known.his[seed_id] is None:
            raise Alarm(Party.BANK, f"it has the Croupier's seed {seed_id} and does not tell it")
        if self._note.told <= seed_id:
            if not await self._is_settled_enough(now):
                return
            self._keep(told=seed_id + 1)
            self.witness.note(self._note)
        seed = self._note.seeds[seed_id]
        if seed_id == 0 and self._merges:
            await self._tell_order(late, seed)
        else:
            told = partial(self._side.desk.seed, self._note.offer_id, seed_id, seed)
            await self._say(f"seed {seed_id}", seed.hex(), told, late)
        await self._confess(now)

    async def _is_settled_enough(self, now: int) -> bool:
        """Return whether the Croupier's seed has the confirmations that the Player wants.

        In the last quarter of the time it counts without them. A certain loss of the stake is worse
        than a loss if the chain takes these blocks back.
        """
        side, state = self._side, self._state
        confirmed = await side.bank.game(self.bet.key, side.confirmations)
        if confirmed.step >= state.step and confirmed.bet_hash == state.bet_hash:
            return True
        left = state.deadline - now
        many = f"{side.confirmations} confirmations of the Croupier's seed"
        self._tell_once(f"deep {state.step}", Waiting(Party.BANK, many, left))
        if left >= side.bank.terms.step_time // 4:
            return False
        reason = f"time runs out before there are {many}; the seed is told all the same"
        side.tell(Suspicion(Party.BANK, reason))
        return True

    async def _tell_order(self, late: bool, seed: Seed | None = None) -> None:
        """Tell the order, if it is given; together with seed 0, if that goes with it."""
        note, desk = self._note, self._side.desk
        order, signature = note.order, note.order_signature
        if order is None or signature is None:
            return
        what, detail = "the order", ",".join(map(str, order))
        if seed is not None:
            what, detail = "seed 0 and the order", f"{seed.hex()} {detail}"
        told = partial(desk.order, note.offer_id, order, signature, seed)
        await self._say(what, detail, told, late)

    async def _say(
        self, what: str, detail: str, told: Callable[[], Awaitable[None]], late: bool
    ) -> None:
        """Tell the Croupier; and the Bank, if he does not take it or lets it lie."""
        taken = await self._tell_croupier(what, detail, told)
        if late or not taken:
            await self._bring(what)

    async def _tell_croupier(
        self, what: str, detail: str, told: Callable[[], Awaitable[None]]
    ) -> bool:
        """Tell him, and again in the next round if he has not heard it; whether he took it.

        He has it all the same where his answer was lost, and may use it while it counts.
        """
        if what in self._once:
            return True
        try:
            await told()
        except FairgroundError as error:
            self._suspect(f"he does not take {what}: {error}")
            if isinstance(error, Declined):
                self._once.add(what)
            return False
        self._once.add(what)
        self._side.tell(Sent(Party.PLAYER, Party.CROUPIER, what, detail))
        return True

    async def _bring(self, what: str) -> None:
        """Bring the next message to the Bank ourselves."""
        state, now = self._state, await self._time()
        call = next_call(self.witness.known, state, now, merges=self._merges)
        if call is not None and await self._send(call, what):
            self._side.tell(Sent(Party.PLAYER, Party.BANK, what))

    async def _complain(self, silence: Silence) -> None:
        made = await self._send(Complain(silence, self.bet), "a complaint")
        if made and silence in CROUPIER_OWES:
            self._side.tell(Complained(silence))

    async def _send(self, call: Call, what: str) -> bool:
        """Make a call. Return False where the Bank may refuse it, else raise `Alarm`."""
        try:
            await self._side.bank.send(self._side.key, call, self._worth(call))
        except BankRefused as refused:
            if refused.name == "InsufficientFunds":
                account = self._side.key.address
                reason = f"your account {account} cannot pay to bring {what}: {refused}"
                self._tell_once(f"gas {what}", Suspicion(Party.PLAYER, reason))
            elif refused.name not in OVERTAKEN:
                raise Alarm(Party.BANK, f"it does not take {what}: {refused}") from refused
            return False
        return True

    def _worth(self, call: Call) -> Spending:
        """Return the Player's loss without this call, in wei: the most that it may cost."""
        stake = self.bet.stake
        match call:
            case Complain(silence) if silence in CROUPIER_OWES:
                stake = price_of_silence(self.bet, self._state)
            case SubmitPlayerSeed(_, 1) | SubmitPlayerSeedAndResult() | SubmitGameResult() if (
                self.witness.is_final
            ):
                stake = self.witness.prize * self.bet.chip_cost
        return Spending(at_stake=stake)

    async def _confess(self, now: int) -> None:
        """We are late ourselves: the stake is lost, but let the game be over."""
        if now > self._state.deadline:
            await self._complain(SILENT_AT[Step(self._state.step)])

    # Small things

    def _over(self, ended: GameEnded) -> None:
        self.ended = ended
        self._side.tell(ended)

    def _keep(self, **changes: Any) -> None:
        self._note = self._note._replace(**changes)
        self._side.notebook.write(self._note)

    def _suspect(self, reason: str) -> None:
        self._tell_once(f"suspect {reason}", Suspicion(Party.CROUPIER, reason))

    def _tell_once(self, name: str, news: Waiting | Suspicion) -> None:
        moment = isinstance(news, Waiting) and self._side.pace.now() - self._still_since < MOMENT
        if name not in self._once and not moment:
            self._once.add(name)
            self._side.tell(news)

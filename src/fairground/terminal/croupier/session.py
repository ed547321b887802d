"""``fairground croupier --session``: an evening in one session, by lines.

All parties are in this process, and the Bank is the contract on a chain inside it. The Bank sees
two calls for the whole evening: one that opens the session, one that closes it.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence

from fairground.bank.bank_port import DepositFunds, SubmitPublicKey
from fairground.bank.messages import Key
from fairground.bank.player.news import in_chips
from fairground.bank.record import AT_HOME
from fairground.games.poker import HAND, rank
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.croupier.look import CardArt
from fairground.terminal.croupier.parties import BANKROLL, CHIP, GAS_MONEY
from fairground.terminal.croupier.words import parse_hold
from fairground.terminal.saving import Saved

HOW: str = "Type the numbers of the cards that you hold, such as 13; nothing holds none; q closes."


def run_session(options: argparse.Namespace, console: Console, art: CardArt) -> int:
    """Play until ``q``, the end of the input, or ``--hands``; then close."""
    return asyncio.run(_evening(options, console, art))


async def _evening(options: argparse.Namespace, console: Console, art: CardArt) -> int:
    from fairground.bank.chain.embedded import open_bank
    from fairground.bank.session.croupier import SessionCroupier
    from fairground.bank.session.player import SessionPlayer
    from fairground.bank.session.record import SessionRecord, verify_session

    house, key = Key.fresh(), Key.fresh()
    funds = options.buy_in * CHIP
    purses = {house.address: BANKROLL + GAS_MONEY, key.address: funds + GAS_MONEY}
    bank = await open_bank(purses, chip_cost=CHIP)
    gas: list[int] = []
    for owner, amount in ((house, BANKROLL), (key, funds)):
        proof = owner.prove(bank.domain, owner.address)
        await bank.send(owner, SubmitPublicKey(owner.address, proof))
        await bank.send(owner, DepositFunds(amount))
    bank.watch = lambda sender, call, mined: gas.append(mined.gas)
    croupier = SessionCroupier(bank, house, BANKROLL, chairs=AT_HOME)
    player = await SessionPlayer.open(bank, croupier, key, funds, chairs=AT_HOME)
    console.say(art.fold(f"The Bank: {bank.trusted}.", "", "  "))
    console.say(f"The session is open: you put in {in_chips(funds, CHIP)}.")
    console.say(HOW)
    hands = 0
    try:
        while options.games is None or hands < options.games:
            cards = await player.deal(options.bet, options.level)
            hands += 1
            console.say(f"Hand {hands}: {art.cards(cards)}")
            order = _asked(console)
            if order is None:
                await player.draw((0,) * HAND)  # a hand that was dealt is paid as it stands
                break
            won = await player.draw(order)
            final = player.last_hand
            words = rank(final).words
            console.say(f"{art.cards(final)}: {words}, {won // CHIP:+} chips")
            if player.share < options.bet * options.level * CHIP:
                console.say("That was your last chip for this stake.")
                break
    except EndOfInput:
        await player.draw((0,) * HAND)
    await player.close()
    record = SessionRecord(
        bank.domain, player.terms, player.opening, tuple(player.transcripts), *player.signed
    )
    verdict = verify_session(record.data)
    console.say(f"Closed. You have {in_chips(player.share, CHIP)}.")
    console.say(
        f"{verdict.hands} hand{'' if verdict.hands == 1 else 's'}, checked; the Bank took "
        f"{len(gas)} calls, {sum(gas):,} gas."
    )
    with Saved(options, "croupier-session", player.name) as saved:
        saved.write(record.data)
    if saved.path is not None:
        console.say(f"The session is in {saved.path}")
        console.say(f"  verify with: fairground verify {saved.path}")
    await bank.close()
    return 2 if saved.lost and options.save is not None else 0


def _asked(console: Console) -> Sequence[int] | None:
    """The order; ``None`` to close."""
    while True:
        typed = console.ask("Hold: ").strip().lower()
        if typed in ("q", "quit", "x", "exit"):
            return None
        held = parse_hold(typed)
        if held is not None:
            return [int(place not in held) for place in range(HAND)]
        console.say(f"{typed!r} is not understood. {HOW}")

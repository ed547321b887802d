"""What the Croupier tells his operator, before it costs something."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from fairground.bank.bank_port import SubmitCroupierSeed
from fairground.bank.croupier.service import OperatorReport, as_metrics
from tests.helpers.croupier import ORDER, STEP_TIME, House, in_house
from tests.helpers.player import Muffled


def test_a_loss_is_told_before_it_happens(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "fairground.croupier")

    async def test(house: House) -> None:
        bank = house.bank = Muffled(house.ledger)
        croupier, guest = house.croupier(), house.guest
        offer = await croupier.offer(guest.address)
        bet = guest.bet_on(offer)
        assert await croupier.report() == OperatorReport(0, 0, None, None, 0, 0)
        while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "awaits-order":
            await croupier.pump()
        assert (await croupier.report()).next_deadline is None  # it is the Player's turn
        await croupier.order(offer.id, ORDER, guest.sign_order(bet, ORDER))

        bank.lost = lambda call: isinstance(call, SubmitCroupierSeed)
        await croupier.pump()
        report = await croupier.report()
        assert (report.next_deadline, report.games_at_risk) == (STEP_TIME, 0)
        for passed, level in ((STEP_TIME // 2 + 1, "WARNING"), (STEP_TIME // 3, "ERROR")):
            house.clock.time += passed
            caplog.clear()
            await croupier.pump()
            await croupier.pump()
            waits = "waits for the Bank to take his seed 1 (the call got lost)"
            (told,) = [r for r in caplog.records if waits in r.message]
            assert told.levelname == level
        assert f"is at risk: {2 * bet.stake} wei are lost at the deadline" in caplog.text
        report = await croupier.report()
        assert (report.games_at_risk, report.at_stake) == (1, 2 * bet.stake)
        bank.lost = lambda call: False
        while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "over":
            await croupier.pump()
        assert (await croupier.report()).open_games == 0

    in_house(tmp_path, test)


def test_for_prometheus() -> None:
    text = as_metrics(OperatorReport(3, 10**18, 12, None, 0, 0))
    assert "fairground_croupier_bank_answers 1\n" in text
    assert "fairground_croupier_games_in_purse 12\n" in text
    assert "next_deadline" not in text
    named = [line.split()[2] for line in text.splitlines() if line.startswith("# HELP")]
    assert [line.split()[0] for line in text.splitlines() if line[0] != "#"] == named
    assert as_metrics(None).splitlines()[-1] == "fairground_croupier_bank_answers 0"

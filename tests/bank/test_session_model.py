"""Sessions, searched exhaustively; and flaws, of which the search must find every one."""

from __future__ import annotations

from typing import Any

import pytest

from fairground.bank.messages import Signer
from tests.bank.session_model import CLOSED_BY_BOTH, FLAWS, Table, found, search
from tests.helpers.width import WIDE

STOPS = range(CLOSED_BY_BOTH + 1)


def tempting(at: Table) -> bool:
    """The draw loses; to stand, or another order, would have paid."""
    return at.prize("A") == 0 < at.prize("stand") < at.prize("B")


def lucky(at: Table) -> bool:
    """The draw pays more than the price of silence."""
    return at.prize("A") > at.price("A")


TEMPTING, LUCKY = found(tempting), found(lucky)


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("role", Signer)
def test_no_cheat_gains_and_no_money_is_locked(stop: int, role: Signer) -> None:
    whole = WIDE
    labels = (TEMPTING, LUCKY) if whole else (LUCKY if role is Signer.PLAYER else TEMPTING,)
    for label in labels:
        loss, visited = search(label, stop, role)
        assert loss is None, loss
        assert visited > 3, "there is something to search"


def test_a_party_that_does_not_listen_to_the_bank_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A flaw in the honest party's program: it ignores seeds that come to the Bank alone."""
    monkeypatch.setattr("tests.bank.session_model.informed", lambda held, told: held)
    loss, _ = search(LUCKY, 3, Signer.PLAYER)
    assert loss is not None and loss.has < loss.due


@pytest.mark.parametrize("stop", [1, 2])
def test_a_player_who_cannot_order_at_the_bank_is_found_out(
    monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    """A flaw in the honest party's program: nobody decides when the hand is at the Bank."""
    monkeypatch.setattr("tests.bank.session_model.decided", lambda at, held: held)
    loss, _ = search(LUCKY, stop, Signer.PLAYER)
    assert loss is not None and loss.has < loss.due


@pytest.mark.parametrize("role", Signer)
def test_a_party_that_takes_a_signed_end_for_the_end_is_found_out(
    monkeypatch: pytest.MonkeyPatch, role: Signer
) -> None:
    """A flaw in the honest party's program: it stops looking when both have signed to close."""

    def asleep(*said: Any, **more: Any) -> None:
        return None

    monkeypatch.setattr("tests.bank.session_model.duty", asleep)
    label = LUCKY if role is Signer.PLAYER else TEMPTING
    loss, _ = search(label, CLOSED_BY_BOTH, role)
    assert loss is not None and loss.has < loss.due


@pytest.mark.parametrize("flaw", FLAWS)
def test_every_flaw_is_found(flaw: str) -> None:
    for role in Signer:
        label = LUCKY if role is Signer.PLAYER else TEMPTING
        for stop in reversed(STOPS):
            loss, _ = search(label, stop, role, flaw)
            if loss is not None:
                assert loss.story
                return
    pytest.fail(f"nobody loses when {flaw}")

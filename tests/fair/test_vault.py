"""The vault: secrets outlive a crash, and serve one history only."""

from __future__ import annotations

import pytest

from fairground.core import SecretLost, SecretReused
from fairground.fair.vault import MemoryVault


def test_a_secret_is_kept_once_and_recalled() -> None:
    vault = MemoryVault()
    assert vault.keep("a", b"first", "head") == b"first"
    assert vault.keep("a", b"second", "head") == b"first", "after a crash the first one counts"
    assert vault.recall("a") == b"first"


def test_a_secret_made_for_one_history_is_not_given_to_another() -> None:
    vault = MemoryVault()
    vault.keep("a", b"first", "head")
    with pytest.raises(SecretReused, match="'a' was made for another history"):
        vault.keep("a", b"second", "other")
    assert vault.recall("a") == b"first"


def test_a_lost_secret_is_said_to_be_lost() -> None:
    with pytest.raises(SecretLost, match="'a' is not in the vault"):
        MemoryVault().recall("a")


def test_a_secret_is_opened_for_one_history_only() -> None:
    vault = MemoryVault()
    vault.spend("a", "head")
    vault.spend("a", "head")
    vault.spend("b", "other")
    with pytest.raises(SecretReused, match="already opened for another history"):
        vault.spend("a", "other")

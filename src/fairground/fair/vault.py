"""The vault keeps secrets that the house has promised to open later.

A secret is durable *before* anything that depends on it leaves the process, together
with the head of the history that it was made for. Before it is opened, the head
that it is opened for is durable too. So after a crash the house can keep its word.
After a restore from an old copy it notices that the secret was opened for another
history. Then it voids the table, so that no secret decides twice.
"""

from __future__ import annotations

from typing import Protocol

from fairground.core import SecretLost, SecretReused


class Vault(Protocol):
    """A dealer's port to a store of secrets. Each call is durable when it returns."""

    @property
    def lasting(self) -> bool:
        """True if the secrets outlive the process."""

    def keep(self, name: str, secret: bytes, head: str) -> bytes:
        """Store a secret made for the history that ends in ``head``.

        Asked again for the same name and head, return the secret that is there already
        (a crash came between keeping it and using it); for another head, raise
        `SecretReused`.
        """

    def recall(self, name: str) -> bytes:
        """The secret of this name; raise `SecretLost` if it is gone."""

    def spend(self, name: str, head: str) -> None:
        """Note that a secret is about to be opened for this history, and for no other."""


class MemoryVault:
    """A vault for as long as the process lives."""

    lasting = False

    def __init__(self) -> None:
        self.secrets: dict[str, tuple[bytes, str]] = {}
        self.spent: dict[str, str] = {}

    def keep(self, name: str, secret: bytes, head: str) -> bytes:
        """See `Vault.keep`."""
        kept, made_for = self.secrets.setdefault(name, (secret, head))
        if made_for != head:
            raise SecretReused(f"the secret {name!r} was made for another history of this table")
        return kept

    def recall(self, name: str) -> bytes:
        """See `Vault.recall`."""
        if name not in self.secrets:
            raise SecretLost(f"the secret {name!r} is not in the vault any more")
        return self.secrets[name][0]

    def spend(self, name: str, head: str) -> None:
        """See `Vault.spend`."""
        if self.spent.setdefault(name, head) != head:
            raise SecretReused(f"the secret {name!r} was already opened for another history")

"""Encrypt the Croupier's seeds before they go into a database: AES-256-GCM.

The encryption key comes from the private key of his account (HKDF-SHA256). That key lies in a
key file under a passphrase, so a reader of the database needs the key file *and* the
passphrase. A new passphrase for the same key file changes nothing here.

Each seed has a fresh nonce, and is bound to its place: the log, its name there, and the line
that it was made for. A seed that was moved to another place does not decrypt.
"""

from __future__ import annotations

import json
import secrets
from typing import Final

from Crypto.Cipher import AES
from Crypto.Hash import SHA256
from Crypto.Protocol.KDF import HKDF

from fairground.bank.messages import Key
from fairground.core import InputError
from fairground.store import Secret

PURPOSE: Final = b"fairground/croupier-seeds/1"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


class SeedsLocked(InputError):
    """Seeds in a database that this Croupier's key does not open."""

    code = "bank/seeds-locked"


class SeedCipher:
    """Encrypts and decrypts the secrets of one Croupier."""

    def __init__(self, key: Key) -> None:
        self._account = key.address
        derived = HKDF(key.export(), _KEY_BYTES, b"", SHA256, context=PURPOSE)
        assert isinstance(derived, bytes), "one key, not several"
        self._key = derived

    def encrypt(self, log: str, secret: Secret) -> Secret:
        """Return the secret as it is stored: nonce, tag, ciphertext."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        cipher = AES.new(self._key, AES.MODE_GCM, nonce=nonce, mac_len=_TAG_BYTES)
        cipher.update(_place(log, secret))
        text, tag = cipher.encrypt_and_digest(secret.secret)
        return secret._replace(secret=nonce + tag + text)

    def decrypt(self, log: str, stored: Secret) -> Secret:
        """Return a stored secret in plain text; raise `SeedsLocked` if it is not ours."""
        nonce, tag, text = _parts(stored.secret)
        try:
            cipher = AES.new(self._key, AES.MODE_GCM, nonce=nonce, mac_len=_TAG_BYTES)
            cipher.update(_place(log, stored))
            return stored._replace(secret=cipher.decrypt_and_verify(text, tag))
        except ValueError:
            raise SeedsLocked(
                f"the key of {self._account} does not open the seed {stored.name!r} of {log!r} in "
                "the database: it was stored by an older Fairground without encryption, or it was "
                "changed. Start with a new database: fairground serve --database sqlite:///new.db"
            ) from None


def _place(log: str, secret: Secret) -> bytes:
    return json.dumps([log, secret.name, secret.head]).encode()


def _parts(stored: bytes) -> tuple[bytes, bytes, bytes]:
    behind = _NONCE_BYTES + _TAG_BYTES
    return stored[:_NONCE_BYTES], stored[_NONCE_BYTES:behind], stored[behind:]

"""Key files: a private key under a passphrase, in the standard form (Web3 Secret Storage, v3).

Any wallet reads them, and we read any wallet's. One file is one identity: the key signs a
participant's messages, and its account pays for the transactions.

- A key file is written whole or not at all, readable by its owner alone, and never over
  another file: a lost key is lost money.
- A key file or passphrase file that others can read is **refused**, not warned about: by
  then the secret may be out, and a warning scrolls away. ``chmod 600`` mends it.
- A passphrase comes from a file, from the environment variable ``FAIRGROUND_PASSPHRASE``,
  or from a prompt, in this order; never from the command line, which everybody can list.
"""

from __future__ import annotations

import json
import os
import stat
import warnings
from collections.abc import Callable
from getpass import GetPassWarning, getpass
from pathlib import Path
from typing import Any, Final

from fairground.bank.messages import Key
from fairground.bank.player.notes import sync_folder
from fairground.core import InputError, Unreadable
from fairground.fair.bits import token
from fairground.registry import needs

with needs("chain", "a key file"):
    from eth_account import Account

VARIABLE: Final = "FAIRGROUND_PASSPHRASE"

WORK: Final = 2**18
"""Cost of each guess of a passphrase, in rounds of scrypt (about a second and 256 MiB)."""

_PRIVATE_FILE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700
_OTHERS: Final = 0o077
_LARGEST: Final = 100_000
"""Bytes: a key file has less than a thousand."""


class BadKeystore(InputError):
    """A key file that cannot be used."""

    code = "bank/keystore"


class WrongPassphrase(BadKeystore):
    """The passphrase does not open the key file."""

    code = "bank/passphrase"


def create(path: Path, key: Key, passphrase: str, work: int = WORK) -> None:
    """Write a key to a new file. Its folder is made, for its owner alone, if it is not there."""
    if not passphrase:
        raise BadKeystore("an empty passphrase protects nothing: choose another")
    if path.exists():
        raise _exists(path)
    sealed = Account.encrypt(key.export(), passphrase, kdf="scrypt", iterations=work)
    fresh = path.with_name(f".{path.name}.{token()}")
    try:
        path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
        try:
            with os.fdopen(file, "w", encoding="ascii") as out:
                json.dump(sealed, out)
                out.flush()
                os.fsync(out.fileno())
            try:
                os.link(fresh, path)  # refuses to replace a file, even one made this moment
            except FileExistsError:
                raise _exists(path) from None
        finally:
            fresh.unlink()
        sync_folder(path.parent)
    except OSError as error:
        raise BadKeystore(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _exists(path: Path) -> BadKeystore:
    return BadKeystore(f"{str(path)!r} exists, and a key file is never replaced: choose another")


def load(path: Path, passphrase: str | Callable[[], str]) -> Key:
    """Open a key file. A passphrase to be asked for is asked once the file is found sound."""
    sealed = _parsed(path, _read_private(path, "key file"))
    if not isinstance(passphrase, str):
        passphrase = passphrase()
    try:
        secret = int.from_bytes(Account.decrypt(sealed, passphrase), "big")
    except ValueError as error:
        if "MAC" in str(error):
            raise WrongPassphrase(f"wrong passphrase for {str(path)!r}") from None
        raise _not_one(path) from None
    except (KeyError, TypeError, NotImplementedError, MemoryError):
        raise _not_one(path) from None
    key = Key(secret)
    said = sealed.get("address", key.address)
    if not isinstance(said, str) or said.lower().removeprefix("0x") != key.address.lower()[2:]:
        raise BadKeystore(f"{str(path)!r} says that it is for {said}, but holds {key.address}")
    return key


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    try:
        sealed = json.loads(data)
    except (ValueError, RecursionError):
        sealed = None
    if not isinstance(sealed, dict) or sealed.get("version") != 3:
        raise _not_one(path)
    return sealed


def _not_one(path: Path) -> BadKeystore:
    return BadKeystore(f"{str(path)!r} is not a key file (JSON, Web3 Secret Storage version 3)")


def _read_private(path: Path, what: str) -> bytes:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name != "nt" and stat.S_ISREG(mode) and mode & _OTHERS:
                raise BadKeystore(
                    f"others can read the {what} {str(path)!r} (mode {mode & 0o777:o}): if that "
                    f"is a mistake, and it is not out yet, mend it with: chmod 600 {path}"
                )
            return file.read(_LARGEST)
    except OSError as error:
        raise Unreadable(f"cannot read {str(path)!r}: {error.strerror or error}") from None


def passphrase_from(file: Path | None, prompt: str, *, twice: bool = False) -> str:
    """The passphrase: out of a file, the environment, or a prompt that shows nothing.

    ``twice`` asks a person for it again, where a slip of the finger would cost the key.
    """
    if file is not None:
        lines = _read_private(file, "passphrase file").decode("utf-8", "replace").splitlines()
        if not lines or not lines[0]:
            raise BadKeystore(f"the first line of {str(file)!r} must be the passphrase")
        return lines[0]
    if given := os.environ.get(VARIABLE):
        return given
    with warnings.catch_warnings():
        warnings.simplefilter("error", GetPassWarning)  # it would show what is typed
        try:
            said = getpass(prompt)
            if twice and said != getpass("The same again: "):
                raise BadKeystore("the two passphrases differ: nothing was written")
        except (EOFError, GetPassWarning):
            raise BadKeystore(
                f"no terminal to ask for the passphrase at: set {VARIABLE}, or name a file with it"
            ) from None
    return said

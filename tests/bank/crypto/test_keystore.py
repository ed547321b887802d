"""Key files: the standard's own vectors, and everything that may be wrong with a file."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from fairground.bank import keystore
from fairground.bank.keystore import (
    BadKeystore,
    WrongPassphrase,
    create,
    load,
    passphrase_from,
)
from fairground.bank.messages import Key
from fairground.core import Unreadable

SPEC_SECRET = 0x7A28B5BA57C53603B0B07B56BBA752F7784BF506FA95EDC395F5CF6C7514FE9D
SPEC_CIPHER = "aes-128-ctr"
SPEC: list[dict[str, Any]] = [
    {
        "cipher": SPEC_CIPHER,
        "cipherparams": {"iv": "6087dab2f9fdbbfaddc31a909735c1e6"},
        "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
        "kdf": "pbkdf2",
        "kdfparams": {
            "c": 262144,
            "dklen": 32,
            "prf": "hmac-sha256",
            "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
        },
        "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
    },
    {
        "cipher": SPEC_CIPHER,
        "cipherparams": {"iv": "83dbcc02d8ccb40e466191a123791e0e"},
        "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
        "kdf": "scrypt",
        "kdfparams": {
            "dklen": 32,
            "n": 262144,
            "p": 8,
            "r": 1,
            "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
        },
        "mac": "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
]
"""The two test vectors of the Web3 Secret Storage definition; the passphrase is testpassword."""

KEY = Key(0xC0FFEE)
WORK = 2
"""Rounds of scrypt: tests are not attacked."""


def private(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("crypto", SPEC)
def test_the_vectors_of_the_standard(tmp_path: Path, crypto: dict[str, Any]) -> None:
    sealed = {"crypto": crypto, "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6", "version": 3}
    path = private(tmp_path / "key.json", json.dumps(sealed))
    assert load(path, "testpassword").address == Key(SPEC_SECRET).address


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "mine.json"
    create(path, KEY, "correct horse", WORK)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert list(path.parent.iterdir()) == [path]
    sealed = json.loads(path.read_text())
    assert sealed["version"] == 3
    assert sealed["crypto"]["kdf"] == "scrypt"
    assert f"{0xC0FFEE:x}" not in path.read_text()
    assert load(path, "correct horse").address == KEY.address
    asked = []
    assert load(path, lambda: asked.append(1) or "correct horse").address == KEY.address  # type: ignore[func-returns-value]
    assert asked == [1]


def test_a_new_key_file_takes_the_work_of_the_standard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {}

    def encrypt(*_: object, **options: Any) -> dict[str, object]:
        seen.update(options)
        return {}

    monkeypatch.setattr("eth_account.Account.encrypt", encrypt)
    create(tmp_path / "key.json", KEY, "x")
    assert seen == {"kdf": "scrypt", "iterations": 2**18}


def test_a_key_file_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = private(tmp_path / "key.json", "precious")
    with pytest.raises(BadKeystore, match="never replaced"):
        create(path, KEY, "x", WORK)
    # And not either if it comes into being in the meantime.
    monkeypatch.setattr(Path, "exists", lambda _: False)
    with pytest.raises(BadKeystore, match="never replaced"):
        create(path, KEY, "x", WORK)
    monkeypatch.undo()
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadKeystore, match="empty passphrase"):
        create(tmp_path / "key.json", KEY, "")
    private(tmp_path / "file", "")
    with pytest.raises(BadKeystore, match="cannot write"):
        create(tmp_path / "file" / "key.json", KEY, "x", WORK)


def test_a_wrong_passphrase(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    create(path, KEY, "correct horse", WORK)
    with pytest.raises(WrongPassphrase) as caught:
        load(path, "battery staple")
    for secret in ("battery staple", "correct horse", "c0ffee"):
        assert secret not in str(caught.value).lower()
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 10_000,
        "[]",
        "{}",
        '{"version": 1}',
        '{"version": 3}',
        '{"version": 3, "crypto": 7}',
        '{"version": 3, "crypto": {"kdf": "rot13"}}',
        json.dumps({"version": 3, "crypto": SPEC[1] | {"kdfparams": {"n": 3}}}),
    ],
)
def test_what_is_not_a_key_file(tmp_path: Path, text: str) -> None:
    path = private(tmp_path / "key.json", text)
    with pytest.raises(BadKeystore, match="is not a key file"):
        load(path, "x")


def test_a_file_that_names_another_address(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    create(path, KEY, "x", WORK)
    sealed = json.loads(path.read_text()) | {"address": Key(7).address}
    with pytest.raises(BadKeystore, match="but holds " + KEY.address):
        load(private(path, json.dumps(sealed)), "x")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key.json"
    create(path, KEY, "x", WORK)
    path.chmod(mode)
    with pytest.raises(BadKeystore, match=f"mode {mode:o}.*chmod 600"):
        load(path, "x")
    with pytest.raises(BadKeystore, match="chmod 600"):
        passphrase_from(path, "")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="No such file"):
        load(tmp_path / "none.json", "x")
    with pytest.raises(Unreadable):
        load(tmp_path, "x")


def test_a_passphrase_from_a_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = private(tmp_path / "phrase", "correct horse\nnot this\n")
    monkeypatch.setenv(keystore.VARIABLE, "battery staple")
    assert passphrase_from(path, "") == "correct horse"
    assert passphrase_from(None, "") == "battery staple"
    with pytest.raises(BadKeystore, match="first line"):
        passphrase_from(private(tmp_path / "empty", "\n"), "")


SCRIPT = """
from fairground.bank.keystore import passphrase_from
from fairground.core import FairgroundError
for _ in range(2):
    try:
        print("GOT", passphrase_from(None, "Passphrase: ", twice=True))
    except FairgroundError as error:
        print("ERROR", error)
"""


def without_the_variable() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != keystore.VARIABLE}


def asked(*typed: bytes) -> str:
    """What the program says at a real terminal, where this is typed."""
    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,  # it has no other terminal than this
        env=without_the_variable(),
    ):
        os.close(child)
        shown = b""
        for prompt, line in zip(cycle((b"Passphrase: ", b"The same again: ")), typed, strict=False):
            while not shown.endswith(prompt):
                shown += os.read(parent, 1000)
            os.write(parent, line)
        with suppress(OSError):  # the other end is closed
            while more := os.read(parent, 1000):
                shown += more
    os.close(parent)
    return shown.decode()


def test_a_passphrase_from_a_person_is_not_shown() -> None:
    shown = asked(b"correct horse\n", b"correct horse\n", b"battery staple\n", b"staple\n")
    assert shown.count("correct horse") == 1
    assert "GOT correct horse" in shown
    assert "ERROR the two passphrases differ" in shown
    assert "staple" not in shown


def test_without_a_terminal_nothing_is_asked() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="correct horse\n" * 4,
        capture_output=True,
        text=True,
        start_new_session=True,
        env=without_the_variable(),
        check=True,
    )
    assert "ERROR no terminal" in done.stdout
    assert keystore.VARIABLE in done.stdout

"""``fairground bank key``: a new key file, for a Croupier or whoever makes a Bank."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairground.terminal.console import Arguments


def run(arguments: Sequence[str]) -> int:
    """``fairground bank key``"""
    parser = Arguments(
        "bank key",
        "Make a key and write it to a new file, under a passphrase: an account on a test chain,\n"
        "and what it signs with. Any wallet reads the file. Without it its money is lost.",
        "Example:\n"
        "  fairground bank key croupier.json\n\n"
        "The passphrase is read from a file, from FAIRGROUND_PASSPHRASE, or asked for.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="must not be there yet")
    parser.add_argument("--passphrase-file", metavar="FILE", type=Path, help="its first line")
    options = parser.parse_args(arguments)
    from fairground.bank.crypto.keystore import create, passphrase_from
    from fairground.bank.messages import Key

    prompt = f"Passphrase for the new key {options.file}: "
    key = Key.fresh()
    create(options.file, key, passphrase_from(options.passphrase_file, prompt, twice=True))
    print(f"The account {key.address} is in {options.file}.")
    return 0

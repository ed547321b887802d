"""The file that a party of a session leaves with a watchtower, so that it can be away.

One file for each open session, replaced as a whole whenever the session goes on. It holds the last
state that both have signed, and the open hand so far. It holds no key, and no seed that the other
party could use: one's own seed of a number is in it only after the other's is known. So a reader of
the file can bring signed messages to the Bank, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from fairground.bank.bank_port import ClaimSession
from fairground.bank.calls import (
    CALLS,
    ORDER,
    SEED,
    SIGNATURE,
    THE_BET,
    Fields,
    as_json,
    from_json,
    optional,
    pair,
)
from fairground.bank.hand import Hand, Held
from fairground.bank.messages import Domain, Signer
from fairground.bank.session.page import SessionPage
from fairground.core import FairgroundError, InputError, whole, written

FORMAT: Final = "fairground-session-left/1"
SUFFIX: Final = ".left"


class Tower:
    """A folder that a watchtower reads: on a disk that both can reach, or copied there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to {str(folder)!r}: {error.strerror}") from None

    def leave(self, page: SessionPage) -> None:
        """Write the state of a session; delete the file when the session is closed."""
        path = self._folder / f"{page.name.hex()}-{page.role.name.lower()}{SUFFIX}"
        try:
            if page.closed:
                path.unlink(missing_ok=True)
                return
            fresh = path.with_suffix(".new")
            fresh.write_text(json.dumps(written_for(page)))
            fresh.replace(path)
        except OSError as error:
            raise InputError(
                f"the file for the watchtower cannot be written: {str(path)!r}: {error.strerror}"
            ) from None

    def left(self, domain: Domain) -> Iterator[tuple[str, Held | InputError]]:
        """Yield what was left of sessions at this Bank, by file name.

        A file that cannot be read, such as one that is copied just now, is an `InputError`.
        """
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            try:
                place, held = read_back(json.loads(path.read_text()))
            except FileNotFoundError:
                continue  # it was closed meanwhile
            except (
                OSError,
                ValueError,
                LookupError,
                TypeError,
                AttributeError,
                FairgroundError,
            ) as error:
                reason = f"{str(path)!r} is not what a party left, or only a part of it: {error}"
                yield path.name, InputError(reason)
            else:
                if place == domain:
                    yield path.name, held


HAND: Final[Fields] = {
    "bet": THE_BET,
    "player_signature": SIGNATURE,
    "croupier_signature": optional(SIGNATURE),
    "his": pair(optional(SEED)),
    "theirs": pair(optional(SEED)),
    "order": optional(ORDER),
    "order_signature": optional(SIGNATURE),
    "acceptance": optional(SIGNATURE),
}
CLAIM: Final = CALLS["claimSession"][1]


def written_for(page: SessionPage) -> dict[str, Any]:
    """Return the content of the file."""
    hand = page.hand
    counts = hand is not None and hand.known.his[0] is not None
    return {
        "format": FORMAT,
        "chain": written(page.domain.chain_id),
        "bank": page.domain.bank,
        "role": page.role.name.lower(),
        **as_json(CLAIM, page.signed.claim(page.terms)),
        "hand": as_json(HAND, hand.known) if hand is not None and counts else None,
    }


def read_back(raw: Any) -> tuple[Domain, Held]:
    """The inverse of `written_for`, as one who has no key of the parties holds it."""
    if raw["format"] != FORMAT:
        raise InputError(f"its format is {raw['format']!r}, and must be {FORMAT!r}")
    claim = ClaimSession(*from_json(CLAIM, raw))
    hand = None if raw["hand"] is None else Hand(*from_json(HAND, raw["hand"]))
    domain = Domain(whole(raw["chain"], "chain"), str(raw["bank"]))
    return domain, Held(Signer[raw["role"].upper()], claim.terms, claim, hand, has_key=False)

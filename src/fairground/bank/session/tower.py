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
from fairground.bank.calls import ORDER, SEED, SIGNATURE, THE_BET, THE_SESSION, THE_STATE
from fairground.bank.crypto.signatures import Signature
from fairground.bank.messages import Domain, Signer
from fairground.bank.seeds import Seed
from fairground.bank.session.duties import Held, OpenHand
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
            fresh.write_text(json.dumps(as_json(page)))
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
                place, held = from_json(json.loads(path.read_text()))
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


def as_json(page: SessionPage) -> dict[str, Any]:
    """Return the content of the file."""
    hand = page.hand
    counts = hand is not None and hand.open.his[0] is not None
    return {
        "format": FORMAT,
        "chain": written(page.domain.chain_id),
        "bank": page.domain.bank,
        "role": page.role.name.lower(),
        "terms": THE_SESSION.write(page.terms),
        "state": THE_STATE.write(page.signed.state),
        "player_signature": page.signed.player.hex(),
        "croupier_signature": page.signed.croupier.hex(),
        "hand": _hand(hand.open) if hand is not None and counts else None,
    }


def _hand(hand: OpenHand) -> dict[str, Any]:
    return {
        "bet": THE_BET.write(hand.bet),
        "player_signature": hand.player_signature.hex(),
        "croupier_signature": hand.croupier_signature and hand.croupier_signature.hex(),
        "his": [seed and seed.hex() for seed in hand.his],
        "theirs": [seed and seed.hex() for seed in hand.theirs],
        "order": hand.order and list(hand.order),
        "order_signature": hand.order_signature and hand.order_signature.hex(),
        "acceptance": hand.acceptance and hand.acceptance.hex(),
    }


def from_json(raw: Any) -> tuple[Domain, Held]:
    """The inverse of `as_json`, as one who has no key of the parties holds it."""
    if raw["format"] != FORMAT:
        raise InputError(f"its format is {raw['format']!r}, and must be {FORMAT!r}")
    terms = THE_SESSION.read(raw["terms"], "terms")
    claim = ClaimSession(
        terms,
        THE_STATE.read(raw["state"], "state"),
        SIGNATURE.read(raw["player_signature"], "player_signature"),
        SIGNATURE.read(raw["croupier_signature"], "croupier_signature"),
    )
    hand = None if raw["hand"] is None else _open_hand(raw["hand"])
    domain = Domain(whole(raw["chain"], "chain"), str(raw["bank"]))
    return domain, Held(Signer[raw["role"].upper()], terms, claim, hand, has_key=False)


def _open_hand(raw: Any) -> OpenHand:
    his, theirs = (tuple(map(_seed, raw[name])) for name in ("his", "theirs"))
    return OpenHand(
        THE_BET.read(raw["bet"], "bet"),
        SIGNATURE.read(raw["player_signature"], "player_signature"),
        _signature(raw, "croupier_signature"),
        (his[0], his[1]),
        (theirs[0], theirs[1]),
        None if raw["order"] is None else ORDER.read(raw["order"], "order"),
        _signature(raw, "order_signature"),
        _signature(raw, "acceptance"),
    )


def _signature(raw: Any, name: str) -> Signature | None:
    found: Signature | None = None if raw[name] is None else SIGNATURE.read(raw[name], name)
    return found


def _seed(raw: Any) -> Seed | None:
    seed: Seed | None = None if raw is None else SEED.read(raw, "seed")
    return seed

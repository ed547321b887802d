"""Under which names the arena is asked: those that it knows, and no others.

A web site can let its own name point to an arena that only one person's machine reaches (DNS
rebinding). That person's browser then takes the arena for a part of the site, and lets the site
read and do everything. But it still says the site's name in ``Host``. So a name must be one that
we were told, or one that nobody else can have: a loopback name, or this machine's own. An address
in digits is no name, and is always good.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from fairground.core import InputError

LOCAL: Final = "localhost"
NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.ASCII)


class Hosts:
    """The names that an arena answers to."""

    def __init__(self, allowed: Sequence[str] = (), public_url: str | None = None) -> None:
        """``allowed``: names that the operator gave; ``public_url`` has one in it, too."""
        for name in allowed:
            if NAME.fullmatch(name.lower()) is None:
                raise InputError(
                    f"an allowed host is a name without a port, as arena.example, not {name!r}"
                )
        public = urlsplit(public_url or "").hostname or ""
        names = {public, socket.gethostname(), *allowed} - {""}
        self._names = {name.lower().rstrip(".") for name in names}
        self.admit = lru_cache(1_000)(self._admit)
        """Whether a request may name this ``Host``."""

    def _admit(self, said: bytes) -> bool:
        host = said.decode("latin-1").lower()
        if host.startswith("["):
            return True  # digits of IPv6: no name
        name = host.partition(":")[0].rstrip(".")
        return name in self._names or _is_local(name) or _is_address(name)


def _is_local(name: str) -> bool:
    """Browsers never ask anybody else what these names mean."""
    return name == LOCAL or name.endswith(f".{LOCAL}")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True

"""HTTP for all clients, with the standard library only: JSON in and out, and time limits.

What is sent again when the network fails depends on what it does, so every request says it
(`Repeat`): the answer to an ask may arrive twice, a step of a game that counts steps must not.

What the server refuses is raised as `Refused`, with the server's own words, code and status;
`Unreachable` if it does not answer. Redirects are not followed: whoever is sent elsewhere
wants to know where.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from enum import Enum, auto
from typing import Any, Final, NamedTuple, TypeVar

from fairground.clients.protocol import ACCEPT, JSON
from fairground.core import FairgroundError, InputError
from fairground.transcript import DEEPEST, must_be_shallow

TIMEOUT: Final = 30.0
"""Seconds that an answer may take."""

TRIES: Final = 5
"""How often a request is sent before the server counts as gone."""

PAUSE: Final = 0.1
"""Seconds before the second try; each later one waits twice as long."""

WAITS: Final = 14
LONGEST_WAIT: Final = 7
"""A server that went away is waited for so many times, each twice as long as the one before, up
to 6.4 seconds: about a minute in all."""

LONGEST_PAUSE: Final = 5
"""Seconds. A server that wants us to wait longer has refused."""

LARGEST: Final = 100_000_000
"""Bytes of an answer that are read, if nothing else is said."""

IN_DOUBT: Final = "store/in-doubt"
"""The code of a 503 that may have been done all the same."""

BEING_SERVED: Final = "arena/being-served"
"""The code of a 409: the same request, sent before, has no answer yet."""

LONGEST: Final = 1000
"""Characters of a server's own words that are passed on."""


T = TypeVar("T")


class Refused(FairgroundError):
    """The server said no: its own words, code and status."""

    def __init__(
        self, status: int, code: str, detail: str, problem: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.problem = problem or {}
        """All that the server said, where it said more."""

    @property
    def is_final(self) -> bool:
        """Whether it is no use to ask again a little later."""
        return self.status < 500 and self.code != BEING_SERVED


class Unreachable(FairgroundError):
    """The server does not answer, or not in a way that can be read."""

    code = "remote/unreachable"


class Repeat(Enum):
    """When a request may be sent again."""

    ALWAYS = auto()
    """It may arrive twice without harm: it only asks, or the server knows it again."""
    UNCOUNTED = auto()
    """Only if it cannot have had an effect: nobody took the connection, or the server says that
    it did nothing and when to come back."""
    NEVER = auto()


class HttpReply(NamedTuple):
    """What a server answered."""

    status: int
    headers: Message
    data: bytes
    url: str

    def json(self) -> dict[str, Any]:
        """The object in the body."""
        try:
            body = read_json(self.data)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Unreachable(f"{_place(self.url)} answers something that is no JSON object")
        return body

    def location(self) -> str:
        """The address of what the server has made."""
        where = self.headers.get("Location")
        if self.status not in (201, 302, 303) or not where:
            raise Unreachable(f"{self.url} answers {self.status}, and names nothing it has made")
        return urllib.parse.urljoin(self.url, where)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class _Failed(Exception):
    """A request that came to nothing this time."""

    def __init__(self, error: FairgroundError, *, counted: bool, seconds: float = 0) -> None:
        self.error = error
        self.counted = counted
        """Whether it may have had an effect all the same."""
        self.seconds = seconds
        """When the server wants to be asked again."""

    def again(self, repeat: Repeat) -> bool:
        """Whether a request of this kind may be sent once more."""
        return repeat is Repeat.ALWAYS or (repeat is Repeat.UNCOUNTED and not self.counted)


class Http:
    """Sends requests, and repeats those that may be repeated."""

    def __init__(
        self,
        *,
        timeout: float = TIMEOUT,
        tries: int = TRIES,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._timeout = timeout
        self._tries = tries
        self._pause = pause
        self._opener = urllib.request.build_opener(_NoRedirects)

    def send(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        repeat: Repeat = Repeat.ALWAYS,
        wait: float = 0,
        largest: int = LARGEST,
        headers: Mapping[str, str] | None = None,
    ) -> HttpReply:
        """Send a request; raise `Refused` or `Unreachable`.

        ``wait``: seconds that the server was asked to wait before it answers.
        """
        if not url.startswith(("http://", "https://")):
            raise InputError(f"an address begins with http:// or https://, not {url!r}")
        for attempt in range(1, self._tries + 1):
            try:
                request = _request(method, url, body, headers or {})
                return self._send(request, self._timeout + wait, largest)
            except _Failed as failed:
                if attempt == self._tries or not failed.again(repeat):
                    raise failed.error from None
                self.pause(attempt, failed.seconds)
        raise AssertionError("at least one try is made")

    def pause(self, attempt: int, least: float = 0) -> None:
        """Wait after a try that failed: not after try 0, then longer and longer."""
        if attempt:
            self._pause(max(least, PAUSE * 2 ** (attempt - 1)))

    def get(self, url: str, *, wait: float = 0) -> dict[str, Any]:
        """GET, read as JSON."""
        return self.send("GET", url, wait=wait).json()

    def post(self, url: str, body: Any, *, repeat: Repeat = Repeat.ALWAYS) -> dict[str, Any]:
        """POST, read as JSON."""
        return self.send("POST", url, body, repeat=repeat).json()

    def patiently(self, act: Callable[[], T]) -> T:
        """Do something that may be done again until the server answers, for about a minute.

        So a server that restarts is waited for. What it refuses is refused at once.
        """
        for attempt in range(1, WAITS):
            try:
                return act()
            except (Unreachable, Refused) as error:
                if isinstance(error, Refused) and error.is_final:
                    raise
                self.pause(min(attempt, LONGEST_WAIT))
        return act()

    def _send(self, request: urllib.request.Request, timeout: float, largest: int) -> HttpReply:
        method, url = request.get_method(), request.full_url
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                return HttpReply(answer.status, answer.headers, answer.read(largest), url)
        except urllib.error.HTTPError as error:
            with error:
                if method == "POST" and error.code in (302, 303):
                    return HttpReply(error.code, error.headers, b"{}", url)
                raise _refusal(error, url) from None
        except (http.client.HTTPException, OSError, ValueError) as error:
            # ValueError: what it says is no HTTP.
            reason = getattr(error, "reason", None) or error
            words = getattr(reason, "strerror", None) or reason  # without the number of the error
            gone = Unreachable(f"{_place(url)} does not answer: {in_plain_words(words)}")
            counted = not isinstance(reason, ConnectionRefusedError)
            raise _Failed(gone, counted=counted) from None


def _request(method: str, url: str, body: Any, more: Mapping[str, str]) -> urllib.request.Request:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Accept": ACCEPT, **more} | ({"Content-Type": JSON} if data else {})
    try:
        return urllib.request.Request(url, data, headers, method=method)
    except ValueError as error:
        raise Unreachable(f"{_place(url)} is no address: {error}") from None


def _refusal(error: urllib.error.HTTPError, url: str) -> Exception:
    try:
        problem = read_json(error.read(LARGEST))
        said = in_plain_words(problem["code"]), in_plain_words(problem["detail"])
        refused = Refused(error.code, *said, problem)
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        refused = Refused(error.code, "remote/refused", f"{_place(url)} answers {error.code}")
    seconds = error.headers.get("Retry-After", "0")
    waits = refused.code == BEING_SERVED
    did_nothing = error.code in (429, 503) or refused.code.startswith("arena/factory")
    if (
        refused.code != IN_DOUBT
        and (did_nothing or waits)
        and seconds.isdigit()
        and int(seconds) <= LONGEST_PAUSE
    ):
        return _Failed(refused, counted=waits, seconds=int(seconds))
    return refused


def in_plain_words(said: object) -> str:
    """What somebody else said, in one line and without signs that rule a terminal."""
    text = str(said)[:LONGEST]
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _place(url: str) -> str:
    """The address without the token of a seat that may stand in it."""
    return url.partition("/seats/")[0]


def read_json(data: bytes) -> Any:
    """Read JSON; raise a ValueError where it cannot be read, however deep it is."""
    text = data.decode()
    if text.count("[") + text.count("{") > DEEPEST:
        must_be_shallow(text)
    return json.loads(text)

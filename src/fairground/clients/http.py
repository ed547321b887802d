"""HTTP for all clients, on httpx: JSON in and out, time limits, bounded answers.

Every request says when it may be sent again (`Repeat`). The answer to an ask may arrive twice; a
step of a game that counts steps must not.

A refusal is raised as `Refused`, with the server's own words, code and status. A server that does
not answer is `Unreachable`. Redirects are not followed, and cookies are not kept.
"""

from __future__ import annotations

import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, auto
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urljoin

import httpx

from fairground.clients.protocol import ACCEPT, JSON
from fairground.core import FairgroundError, InputError
from fairground.transcript import must_be_shallow

TIMEOUT: Final = 30.0
"""Seconds that an answer may take."""

TRIES: Final = 5
"""Maximum number of attempts for one request."""

PAUSE: Final = 0.1
"""Seconds before the second try; each later one waits twice as long."""

WAITS: Final = 14
LONGEST_WAIT: Final = 7
"""Number of attempts while a server is away: each pause is twice the one before, up to 6.4
seconds, so it is about a minute in all."""

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


NUMBER: Final = re.compile(r"^\[Errno -?\d+\] ")
"""Stands before the system's words for an error."""

T = TypeVar("T")

_MAKING: Final = threading.Lock()


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
        self.retry_after: int | None = None
        """Seconds after which the same request may succeed, if the server says so."""

    @property
    def is_final(self) -> bool:
        """True if there is no use in asking again a little later."""
        return self.status < 500 and self.code != BEING_SERVED


class Unreachable(FairgroundError):
    """The server does not answer, or not in a way that can be read."""

    code = "remote/unreachable"
    sent = True
    """True if the request may have arrived all the same."""


class Repeat(Enum):
    """When a request may be sent again."""

    ALWAYS = auto()
    """It may arrive twice without harm: it only asks, or the server knows it again."""
    UNCOUNTED = auto()
    """Only if it cannot have had an effect: nobody took the connection, or the server says that
    it did nothing and when to come back."""
    NEVER = auto()


class HttpReply(NamedTuple):
    """A server's answer."""

    status: int
    headers: httpx.Headers
    data: bytes
    url: str

    def json(self) -> dict[str, Any]:
        try:
            body = read_json(self.data)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Unreachable(f"{_place(self.url)} answers something that is no JSON object")
        return body

    def location(self) -> str:
        where = self.headers.get("Location")
        if self.status not in (201, 302, 303) or not where:
            raise Unreachable(f"{self.url} answers {self.status}, and names nothing it has made")
        return str(urljoin(self.url, where))


def no_cookies() -> CookieJar:
    """Return a jar that takes no cookie: what we ask does not depend on what we asked before."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))


def _client() -> httpx.Client:
    """Return the one client of this process. (A second one would leave its sockets open.)"""
    with _MAKING:
        return _new_client()


@cache
def _new_client() -> httpx.Client:
    """Return a client with the certificates that the system trusts."""
    return httpx.Client(
        verify=ssl.create_default_context(),
        cookies=no_cookies(),
        headers={"Accept": ACCEPT, "Accept-Encoding": "identity", "User-Agent": "fairground"},
    )


@contextmanager
def streamed(
    method: str,
    url: str,
    content: bytes | None = None,
    *,
    headers: Mapping[str, str],
    timeout: float,
) -> Iterator[httpx.Response]:
    """Send a request and yield its answer, whose body is yet to be read; raise `Unreachable`.

    ``timeout``: seconds of silence.
    """
    try:
        with _client().stream(
            method, url, content=content, headers=headers, timeout=timeout
        ) as answer:
            yield answer
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        # ValueError: a header that cannot be sent.
        words = in_plain_words(NUMBER.sub("", str(error)) or type(error).__name__)
        gone = Unreachable(f"{_place(url)} does not answer: {words}")
        gone.sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
        raise gone from None


def _pause_before(error: Refused | Unreachable, repeat: Repeat) -> int | None:
    """Return the least pause until a request is sent again; ``None`` if it must not be."""
    if isinstance(error, Unreachable):
        counted, seconds = error.sent, 0
    elif error.retry_after is None:
        return None
    else:
        counted, seconds = error.code == BEING_SERVED, error.retry_after
    again = repeat is Repeat.ALWAYS or (repeat is Repeat.UNCOUNTED and not counted)
    return seconds if again else None


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
        content = None if body is None else json.dumps(body).encode()
        more = dict(headers or {}) | ({"Content-Type": JSON} if content else {})
        for attempt in range(1, self._tries + 1):
            try:
                with streamed(
                    method, url, content, headers=more, timeout=self._timeout + wait
                ) as answer:
                    return _reply(method, url, answer, largest)
            except (Refused, Unreachable) as error:
                pause = _pause_before(error, repeat)
                if attempt == self._tries or pause is None:
                    raise
                self.pause(attempt, pause)
        raise AssertionError("at least one try is made")

    def pause(self, attempt: int, least: float = 0) -> None:
        """Wait after a try that failed: not after try 0, then longer and longer."""
        if attempt:
            self._pause(max(least, PAUSE * 2 ** (attempt - 1)))

    def get(self, url: str, *, wait: float = 0) -> dict[str, Any]:
        return self.send("GET", url, wait=wait).json()

    def post(self, url: str, body: Any, *, repeat: Repeat = Repeat.ALWAYS) -> dict[str, Any]:
        return self.send("POST", url, body, repeat=repeat).json()

    def patiently(self, act: Callable[[], T]) -> T:
        """Do something that may be done again until the server answers, for about a minute.

        So a restart of the server is bridged. A refusal is final at once.
        """
        for attempt in range(1, WAITS):
            try:
                return act()
            except (Unreachable, Refused) as error:
                if isinstance(error, Refused) and error.is_final:
                    raise
                self.pause(min(attempt, LONGEST_WAIT))
        return act()


def _reply(method: str, url: str, answer: httpx.Response, largest: int) -> HttpReply:
    """Read an answer; raise a refusal."""
    data = bytearray()
    for piece in answer.iter_raw():
        data += piece
        if len(data) > largest:
            raise Unreachable(f"{_place(url)} answers more than {largest:,} bytes")
    found = HttpReply(answer.status_code, answer.headers, bytes(data), url)
    if answer.is_success or (method == "POST" and answer.status_code in (302, 303)):
        return found
    raise _refusal(found)


def _refusal(reply: HttpReply) -> Refused:
    try:
        problem = read_json(reply.data)
        said = in_plain_words(problem["code"]), in_plain_words(problem["detail"])
        refused = Refused(reply.status, *said, problem)
    except (ValueError, KeyError, TypeError):
        about = f"{_place(reply.url)} answers {reply.status}"
        refused = Refused(reply.status, "remote/refused", about)
    did_nothing = reply.status in (429, 503) or refused.code.startswith("arena/factory")
    seconds = reply.headers.get("Retry-After", "0")
    if (
        refused.code != IN_DOUBT
        and (did_nothing or refused.code == BEING_SERVED)
        and seconds.isdigit()
        and int(seconds) <= LONGEST_PAUSE
    ):
        refused.retry_after = int(seconds)
    return refused


def in_plain_words(said: object) -> str:
    """Return foreign words in one line, without signs that control a terminal."""
    text = str(said)[:LONGEST]
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _place(url: str) -> str:
    """The address without the token of a seat that may stand in it."""
    return url.partition("/seats/")[0]


def read_json(data: bytes) -> Any:
    """Read JSON; raise a ValueError where it cannot be read, however deep it is."""
    text = data.decode()
    must_be_shallow(text)
    return json.loads(text)

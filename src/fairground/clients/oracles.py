"""The arena's code-breaking API for authors of bots.

    >>> arena = Arena("http://127.0.0.1:8000")               # doctest: +SKIP
    >>> oracle = arena.new_oracle(6, 4)                      # doctest: +SKIP
    >>> oracle.submit((0, 5, 1, 1))                          # doctest: +SKIP
    Counts(full=1, partial=2, receipt='9b0c...')
    >>> entry = Contest(watch_uri).enter("Guessers", "1.0")  # doctest: +SKIP
    >>> entry.oracles[0].describe().base                     # doctest: +SKIP
    6

It speaks with any server that knows the protocol: what only our arena tells (commitments,
receipts, standings) is ``None`` or empty elsewhere. Each oracle is asked for its base and
length, since the games of a contest need not share them. To let a player play, see
`fairground.clients.play`.

What the server refuses, and a server that does not answer, are told as in
`fairground.clients.http`. A step that may have been counted is never sent twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin

from fairground.clients.http import Http, HttpReply, Repeat, Unreachable
from fairground.clients.protocol import CLOSE, IDEMPOTENCY_KEY, RECEIPT
from fairground.contest.standings import ContestTeam
from fairground.core import InputError
from fairground.fair.bits import fresh, token
from fairground.games.codebreaking.rules import FAIR, Code, CodeBreaking, Row

LARGEST_FILE: Final = 1_000_000_000
"""Bytes: contest files can be long."""


def _act(http: Http, method: str, url: str, body: Any = None) -> HttpReply:
    """Send what may be counted: again only if it cannot have had an effect."""
    return http.send(method, url, body, repeat=Repeat.UNCOUNTED)


# Oracles


class Counts(NamedTuple):
    """An oracle's verdict, and the receipt for the step: with it you can prove the order."""

    full: int
    partial: int
    receipt: str | None = None


class Description(NamedTuple):
    """What an oracle says about itself. ``body`` is all of it."""

    uri: str
    base: int
    length: int
    oracle_type: str
    attempts: int
    solved: bool
    over: bool
    commitment: str | None
    code: Code | None
    """Once the game has ended, and its contest is closed."""
    transcript: str | None
    """Where the record of an ended game is."""
    contest: str | None
    training: bool
    body: Mapping[str, Any]

    @property
    def answers(self) -> tuple[Row, ...]:
        """The answers that it gave, as far as it tells them: the last ones, oldest first."""
        return tuple(map(_row, self.body.get("answers") or ()))

    def game(self) -> CodeBreaking:
        return CodeBreaking(self.base, self.length, self.oracle_type)


class Oracle:
    """A game of code breaking somewhere else."""

    def __init__(self, uri: str, http: Http | None = None) -> None:
        self.uri = uri
        self._http = http or Http()

    def describe(self, after: int | None = None) -> Description:
        """Base and length, and how the game stands; ``after``: with the answers behind so many."""
        asked = "" if after is None else f"?after={after}"
        return self._described(self._http.send("GET", f"{self.uri}{asked}"))

    def submit(self, guess: Sequence[int]) -> Counts:
        """One step: full and partial matches."""
        reply = _act(self._http, "POST", self.uri, {"submission": list(guess)})
        body = reply.json()
        full, partial = (_whole(reply, body, f"{name}_match_count") for name in ("full", "partial"))
        return Counts(full, partial, reply.headers.get(RECEIPT))

    def submit_once(self, guess: Sequence[int], known: int) -> Counts:
        """One step that counts once, whatever happens on the way; ``known``: steps before it.

        Where no answer comes, the oracle is asked how many it has given, until it says so, for
        about a minute: an arena that restarts is waited for.
        """
        tried = False

        def step() -> Counts:
            nonlocal tried
            found = self._answer_to(guess, known) if tried else None
            tried = True
            return found or self.submit(guess)

        return self._http.patiently(step)

    def _answer_to(self, guess: Sequence[int], known: int) -> Counts | None:
        """The answer that was lost on the way; ``None`` if the step was not counted."""
        seen = self.describe(known)
        if seen.attempts == known:
            return None
        if seen.attempts != known + 1 or [row.guess for row in seen.answers] != [tuple(guess)]:
            raise InputError(
                f"{self.uri} has counted {seen.attempts} steps, and we know of {known}: "
                "somebody else plays there too, or its answers cannot be had again"
            )
        return Counts(*seen.answers[0].marks)

    def give_up(self) -> Description:
        """End the game; outside a contest the answer shows the code."""
        return self._described(_act(self._http, "DELETE", self.uri))

    def share(self, share: bytes | None = None) -> None:
        """Mix 32 bytes of your own (or fresh ones) into the draw, before the first step."""
        body = {"share": (share or fresh()).hex()}
        _act(self._http, "PUT", f"{self.uri.rstrip('/')}/share", body)

    def transcript(self) -> bytes:
        """The record of an ended game, for `fairground.verifier.verify`."""
        where = self.describe().transcript
        if where is None:
            raise InputError(f"{self.uri} publishes no transcript, or not yet")
        return self._http.send("GET", where).data

    def _described(self, reply: HttpReply) -> Description:
        body = reply.json()
        reveal = body.get("reveal")
        code = reveal.get("code") if isinstance(reveal, dict) else None
        solved = body.get("solved") is True
        return Description(
            uri=str(body.get("self", self.uri)),
            base=_whole(reply, body, "base"),
            length=_whole(reply, body, "length"),
            oracle_type=str(body.get("oracle_type", body.get("type", FAIR))),
            attempts=_whole(reply, body, "attempts", 0),
            solved=solved,
            over=body.get("over", solved) is True,
            commitment=body.get("commitment"),
            code=tuple(code) if code is not None else None,
            transcript=body.get("transcript"),
            contest=body.get("contest"),
            training=body.get("training") is True,
            body=body,
        )


def _row(answer: Any) -> Row:
    marks = answer["full_match_count"], answer["partial_match_count"]
    return Row(tuple(answer["submission"]), marks)


def _whole(reply: HttpReply, body: Mapping[str, Any], name: str, default: int | None = None) -> int:
    value = body.get(name, default)
    if type(value) is not int:
        raise Unreachable(f"{reply.url} answers without {name!r}: {value!r}")
    return value


# Contests


class WatchPage(NamedTuple):
    """What a contest says about itself. ``body`` is all of it."""

    uri: str
    entry: str
    games: int
    closed: bool
    kinds: tuple[CodeBreaking, ...]
    """The kinds of games that it announces; each oracle must be asked all the same."""
    teams: tuple[ContestTeam, ...]
    file: str | None
    """After the close: what ``fairground verify --contest`` checks."""
    body: Mapping[str, Any]


class TeamEntry(NamedTuple):
    """What a team has to play."""

    oracles: list[Oracle]
    training: bool
    receipt: str | None
    team_key: str | None = None
    """Told with a team's first entry. Keep it: later entries of the team need it."""


class Contest:
    """A contest, by its watch URI. Whoever made it here also knows how to close it."""

    def __init__(self, uri: str, http: Http | None = None, close_uri: str | None = None) -> None:
        self.uri = uri
        self.close_uri = close_uri
        self._http = http or Http()

    def watch(self) -> WatchPage:
        """The contest and its teams, as they are now."""
        reply = self._http.send("GET", self.uri)
        body = reply.json()
        if not isinstance(body.get("entry"), str):
            raise InputError(f"{self.uri} is not the watch URI of a contest: it has no 'entry'")
        return WatchPage(
            uri=str(body.get("self", self.uri)),
            entry=urljoin(self.uri, body["entry"]),
            games=_whole(reply, body, "games"),
            closed=body.get("state") == "closed",
            kinds=tuple(_kinds(body)),
            teams=tuple(_teams(body)),
            file=body.get("file"),
            body=body,
        )

    def enter(
        self, team: str, version: str, key: str | None = None, *, once: str | None = None
    ) -> TeamEntry:
        """Enter with a team's name and its version, at most 20 characters each.

        Only a team's first entry ranks: a new version of the same team trains, and needs the
        ``key`` that the first entry got. ``once`` is the ``Idempotency-Key`` of this entry. It is
        sent again until an answer comes; the same text later gets the same entry again.
        """
        body = {"team_name": team, "software_version": version}
        body |= {} if key is None else {"team_key": key}
        where, name = self.watch().entry, {IDEMPOTENCY_KEY: f'"{once or token()}"'}
        reply = self._http.patiently(lambda: self._http.send("POST", where, body, headers=name))
        answer = reply.json()
        uris = answer.get("oracle_URIs")
        if not isinstance(uris, list):
            raise Unreachable(f"{reply.url} answers without 'oracle_URIs'")
        oracles = [Oracle(urljoin(reply.url, str(uri)), self._http) for uri in uris]
        training, receipt = answer.get("training") is True, reply.headers.get(RECEIPT)
        return TeamEntry(oracles, training, receipt, answer.get("team_key"))

    def close(self) -> None:
        """Close it before its time; only for whoever made it."""
        if self.close_uri is None:
            raise InputError("only the maker of a contest was told how to close it")
        _act(self._http, "POST", self.close_uri)

    def file(self) -> bytes:
        """The whole contest, after its close."""
        where = self.watch().file
        if where is None:
            raise InputError(f"{self.uri} is not closed: its file comes with the close")
        return self._http.send("GET", where, largest=LARGEST_FILE).data


def _kinds(body: Mapping[str, Any]) -> Iterator[CodeBreaking]:
    parts = body.get("parts")
    for part in parts if isinstance(parts, list) else [body]:
        if isinstance(part, dict) and type(part.get("base")) is type(part.get("length")) is int:
            yield CodeBreaking(part["base"], part["length"], part.get("oracle_type", FAIR))


def _teams(body: Mapping[str, Any]) -> Iterator[ContestTeam]:
    for team in body.get("teams", ()):
        yield ContestTeam(**{one.name: team.get(one.name) for one in fields(ContestTeam)})


class Arena:
    """A server, by the address that stands before ``/neworacle`` and ``/newcontest``."""

    def __init__(self, url: str, http: Http | None = None) -> None:
        self.url = url.rstrip("/")
        self._http = http or Http()

    def new_oracle(self, base: int = 6, length: int = 4, oracle_type: str = FAIR) -> Oracle:
        wanted = {"base": base, "length": length, "oracle_type": oracle_type}
        made = _act(self._http, "POST", f"{self.url}/neworacle", wanted)
        return Oracle(made.location(), self._http)

    def new_contest(self, *parts: Mapping[str, Any]) -> Contest:
        """Open a contest of ``{"base": 6, "length": 4, "games": 100}``; of several: mixed."""
        body = dict(parts[0]) if len(parts) == 1 else [dict(part) for part in parts]
        made = _act(self._http, "POST", f"{self.url}/newcontest", body)
        return Contest(made.location(), self._http, made.headers.get(CLOSE))

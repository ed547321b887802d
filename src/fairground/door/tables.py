"""A game in your own program: open a table, let players play, answer what you are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, signature
from os import PathLike
from pathlib import Path
from typing import Any, Final, Self

from fairground.core import Game, InputError, Seat
from fairground.door.records import writer
from fairground.escape import named
from fairground.fair.bits import SeededStream, Stream, SystemStream
from fairground.fair.register import SCHEMES, Schemes, dealer_class
from fairground.fair.schemes import Chair, Dealer
from fairground.fair.vault import MemoryVault, Vault
from fairground.games import GAMES, Games, game
from fairground.players import Player, make_player
from fairground.players.runner import DECISIONS, Question, Runner
from fairground.table import Ask, Table, new_name
from fairground.transcript import Transcript
from fairground.words import PlainWords, words_for

PERSON: Final = None
"""A seat that you answer for yourself: see `LocalTable.asks`."""

SEEDED: Final = "seeded/1"

USUAL: Final = "hash-chains/1"
"""The scheme that fits every game."""

Sitter = str | Player | None
"""A player by name, such as ``"mcts:200"``; a player of your own; or `PERSON`."""


_UNSAID: Final = object()
"""An answer that was not given. (``None`` could be a move.)"""


def open(
    which: str | Game[Any],
    /,
    *,
    seats: Sequence[Sitter] | None = None,
    names: Sequence[str] | None = None,
    scheme: str | None = None,
    options: Mapping[str, Any] | None = None,
    lends: str | Sequence[str] | None = None,
    own_shares: bool = False,
    save: str | PathLike[str] | None = None,
    seed: str | int | None = None,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
    **params: Any,
) -> LocalTable:
    """Open a table for a game in this process.

    ``seats``
        who sits in each seat: a player's name, a `Player` of your own, or `PERSON` for a seat that
        you answer for. Left out: you answer for all.
    ``names``
        what the seats are called in the transcript.
    ``scheme``, ``options``
        how chance is dealt: ``"hash-chains/1"`` if nothing is said, and what that scheme takes.
    ``lends``
        what your own seats give to chance, such as ``"stir"``: one word for all, or one for each
        seat. Left out: the most that the scheme takes.
    ``own_shares``
        whether you want to be asked for these shares too. Otherwise they are made for you.
    ``save``
        a file that gets every line of the transcript as it is written.
    ``seed``
        any text or number: the same seed gives the same dice and the same players' luck. Everybody
        can foresee such a game, so it proves nothing (``seeded/1``).

    All other keywords are the game's parameters.
    """
    made = game(which, games=games, **params)
    sitters = [PERSON] * made.seats if seats is None else list(seats)
    if isinstance(seats, str) or len(sitters) != made.seats:
        raise InputError(
            f"{made.name} has {made.seats} seats here ({_roles(made)}), so seats must be a list of "
            f"{made.seats}, not {seats!r}"
        )
    scheme, options = _dealt_by(scheme, dict(options or {}), seed)
    full = schemes.newest(scheme)
    chairs = _chairs(made, sitters, names, _lends(sitters, lends, full, schemes))
    cast = {
        seat: _hired(sitter, made, seat, seed)
        for seat, sitter in enumerate(sitters)
        if sitter is not None
    }
    transcript = None if save is None else Transcript(writer(Path(save)))
    table = new_table(made, chairs, full, transcript=transcript, schemes=schemes, **options)
    return LocalTable(Runner(table, cast, shares=not own_shares), games)


def new_table(
    game: Game[Any],
    chairs: Sequence[Chair],
    scheme: str = USUAL,
    /,
    *,
    name: bytes | None = None,
    vault: Vault | None = None,
    transcript: Transcript | None = None,
    schemes: Schemes = SCHEMES,
    **options: Any,
) -> Table:
    """Open a referee's table of this game; ``options`` are the scheme's.

    A table's name is 32 fresh bytes that the dealer mixes into all it commits to. It is made and
    handed on here only, so it cannot differ from what the dealer knows.
    ``name`` is for a caller that had to name something after the table before it was there, such
    as a file. Without a ``vault`` the house's secrets live as long as this process.
    """
    full, _ = schemes.find(schemes.newest(scheme))
    dealer = _dealer(full, dealer_class(full, schemes), name or new_name(), vault, options)
    return Table.open(game, dealer, chairs, transcript=transcript)


def _dealer(
    name: str, made: type[Dealer], table: bytes, vault: Vault | None, options: dict[str, Any]
) -> Dealer:
    try:
        return made(table, vault or MemoryVault(), **options)
    except TypeError:
        _, _, *wanted = signature(made).parameters.values()  # table and vault are given
        missing = {p.name for p in wanted if p.default is Parameter.empty} - options.keys()
        unknown = options.keys() - {p.name for p in wanted}
        if not missing and not unknown:
            raise
        takes = ", ".join(p.name for p in wanted) or "no options"
        wrong = f"needs {_quoted(missing)}" if missing else f"has no option {_quoted(unknown)}"
        raise InputError(f"the scheme {name} {wrong}; it takes: {takes}") from None


def _quoted(names: set[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))


def _roles(made: Game[Any]) -> str:
    return ", ".join(made.role(seat) for seat in range(made.seats))


def _dealt_by(
    scheme: str | None, options: dict[str, Any], seed: str | int | None
) -> tuple[str, dict[str, Any]]:
    """The scheme and its options; a seed asks for the one that anyone can foresee."""
    if seed is None:
        return scheme or USUAL, options
    if scheme not in (None, SEEDED, "seeded"):
        raise InputError(
            f"a game with the seed {seed!r} can be foreseen by everyone, so {scheme} would prove "
            "nothing; leave out either seed or scheme"
        )
    return SEEDED, {"seed": str(seed), **options}


def _lends(
    sitters: Sequence[Sitter], lends: str | Sequence[str] | None, scheme: str, schemes: Schemes
) -> list[str]:
    """Return the share of chance that each seat lends. Players of this process lend nothing."""
    if lends is not None:
        each = [lends] * len(sitters) if isinstance(lends, str) else list(lends)
        if len(each) != len(sitters):
            raise InputError(f"lends is one word, or one for each seat, not {lends!r}")
        if isinstance(lends, str):
            each = [
                "nothing" if sitter is not None else word
                for sitter, word in zip(sitters, each, strict=True)
            ]
        for seat, (sitter, word) in enumerate(zip(sitters, each, strict=True)):
            if sitter is not None and word != "nothing":
                raise InputError(
                    f"seat {seat} is played by {_called(sitter)}, which lends nothing to chance; "
                    f"only a seat of fg.PERSON can lend {word!r}"
                )
        return each
    possible = dealer_class(scheme, schemes).scheme.conditions
    best = next((word for word in ("chain", "number") if word in possible), "nothing")
    given = ["nothing" if sitter is not None else best for sitter in sitters]
    if best == "number" and best in given:  # of one user only
        user = len(given) - 1 - given[::-1].index(best)
        given = [best if seat == user else "nothing" for seat in range(len(given))]
    return given


def _chairs(
    made: Game[Any], sitters: Sequence[Sitter], names: Sequence[str] | None, lends: Sequence[str]
) -> list[Chair]:
    if names is not None and (isinstance(names, str) or len(names) != made.seats):
        raise InputError(f"names must be a list of {made.seats} texts, not {names!r}")
    called = list(names) if names is not None else _different([_called(s) for s in sitters])
    return [
        Chair(name, "house" if isinstance(sitter, str) else "self", lent)
        for name, sitter, lent in zip(called, sitters, lends, strict=True)
    ]


def _called(sitter: Sitter) -> str:
    if sitter is None:
        return "Person"
    return sitter if isinstance(sitter, str) else type(sitter).__name__


def _different(names: Sequence[str]) -> list[str]:
    """Number the names that occur several times."""
    return [
        f"{name} {names[:seat].count(name) + 1}" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    ]


def _hired(sitter: str | Player, made: Game[Any], seat: Seat, seed: str | int | None) -> Player:
    if isinstance(sitter, Player):
        return sitter
    if not isinstance(sitter, str):
        raise InputError(
            f"seat {seat}: a seat takes a player's name, a Player or fg.PERSON, not {sitter!r}"
        )
    return make_player(sitter, made, chance_of(seed, seat), seat)


def chance_of(seed: str | int | None, seat: Seat) -> Stream:
    """A player's own luck: fresh, or the same for the same seed."""
    return SystemStream() if seed is None else SeededStream(str(seed), 0, 1 + seat)


class LocalTable:
    """A game in this process. Players play by themselves; you answer for the other seats."""

    def __init__(self, runner: Runner, games: Games = GAMES) -> None:
        self.runner = runner
        self.referee = runner.table
        """The table itself: see `fairground.table.Table`."""
        self._games = games

    @property
    def game(self) -> Game[Any]:
        return self.referee.game

    @property
    def players(self) -> Mapping[Seat, Player]:
        return self.runner.players

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.runner.names)

    @property
    def receipts(self) -> list[dict[str, Any]]:
        """Your receipts, one for each answer that your seats gave: for `fg.verify`."""
        return self.runner.receipts

    @property
    def state(self) -> Any:
        """The whole state, hidden things too."""
        return self.referee.state

    def view(self, seat: Seat | None) -> Any:
        """Return the state as this seat may see it; ``None``: a bystander."""
        return self.referee.view(seat)

    @property
    def over(self) -> bool:
        return self.referee.closed

    @property
    def payoff(self) -> tuple[int, ...] | None:
        return self.referee.payoff

    def words(self, reader: Seat | None = None) -> PlainWords[Any]:
        """Return the vocabulary of this table for a reader."""
        return words_for(self.game, self.names, reader, self._games)

    def __bytes__(self) -> bytes:
        return bytes(self.referee.transcript)

    def play(self) -> Self:
        """Let the players go on until you are asked something, or the game is over."""
        self.runner.others()
        return self

    def asks(self) -> list[Question]:
        """Let everyone else go on, then return what you are asked. Empty: the game is over."""
        self.play()
        return [
            Question(ask, self.view(ask.seat), self.words(ask.seat)) for ask in self.runner.asks()
        ]

    def answer(self, question: Question | Ask, value: Any = _UNSAID) -> None:
        """Answer a question.

        For a decision give the move; one at the same time as others is sealed and opened for you.
        For a share of chance give yours, or nothing: then it is made for you.
        """
        ask = question.ask if isinstance(question, Question) else question
        if value is _UNSAID and ask.kind in DECISIONS and ask.seat not in self.players:
            raise InputError("a move is needed: table.answer(question, move); see question.moves")
        self.runner.submit(ask, self.runner.share(ask) if value is _UNSAID else value)

    def leave(self, seat: Seat, reason: str = "left") -> None:
        """Leave the table: this seat forfeits."""
        self.runner.leave(seat, reason)

    def __repr__(self) -> str:
        table = self.referee
        seats = ", ".join(f"{named(n)} ({self.game.role(i)})" for i, n in enumerate(self.names))
        if self.payoff is not None:
            words = self.words()
            now = f"{words.over(self.view(None), self.payoff)} Payoff {self.payoff}."
        elif table.void_reason is not None:
            now = f"void: {table.void_reason}."
        else:
            waits = ", ".join(sorted({named(self.names[ask.seat]) for ask in table.asks()}))
            now = f"It waits for {waits}: table.play() lets players go on, table.asks() asks you."
        lines = f"{table.transcript.step} lines"
        return f"<{self.game.name}: {seats}; {table.scheme.name}, {lines}. {now}>"

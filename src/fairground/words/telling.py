"""A record in words: follows it line by line, and says what each line means to one reader.

The terminal tells a game with it while the game goes on, and a replay afterwards::

    telling = Telling(words_for(game, names, reader))
    for event in events[1:]:
        for sentence in telling.line(event):
            print(sentence)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairground.core import Draw, Move, Over, Seat, whole
from fairground.transcript import Event, frozen
from fairground.words.plain import PlainWords, in_quotes


class Telling:
    """Keeps the state that the lines so far lead to, as far as it is known."""

    def __init__(self, words: PlainWords[Any]) -> None:
        self.words = words
        self._game = words.game
        self._state: Any = self._game.start()
        self._is_view = False
        """True if the state has blanks: it was then shown to us, not computed."""
        self._lost = False
        """True if the state is older than the lines, because of a hidden draw."""
        self._opened: dict[Seat, Move] = {}
        self._dealing = False
        """True if a run is open: a player who leaves now is out when it is dealt."""
        self._leaving: list[Seat] = []

    @property
    def view(self) -> Any:
        """The reader's view after the lines so far."""
        if self._is_view:
            return self._state
        return self._game.view(self._state, self.words.reader)

    def look(self, view: Any) -> None:
        """Take the state as it was shown to the reader, if the lines alone do not give it."""
        if self._lost or self._is_view:
            self._state, self._is_view, self._lost = view, True, False

    def line(self, event: Event, hidden: Sequence[int] | None = None) -> list[str]:
        match event["kind"]:
            case "ticket":
                self._dealing = True
            case "dealt":
                said = self._dealt(event, hidden)
                self._dealing = False
                for seat in self._leaving:
                    self._take_out(seat)
                self._leaving = []
                return said
            case "move":
                return self._moved({event["seat"]: frozen(event["move"])})
            case "seal":
                return [self.words.sealed(event["seat"])]
            case "open":
                return self._open(event["seat"], frozen(event["move"]))
            case "note":
                return self._note(event["body"])
            case "forfeit":
                if self._dealing:
                    self._leaving.append(event["seat"])
                else:
                    self._take_out(event["seat"])
                return [self.words.left(event["seat"], event["by"], event["reason"])]
            case "opening":
                draws = [whole(value, "a draw") for _, value in event["draws"]]
                told = self.words.opened(self.view, draws) if draws else None
                return [told] if told else []
            case "void":
                reason = in_quotes(event["reason"])
                return [f"The house cannot keep its word, so the game is void: {reason}"]
            case "end" if event["payoff"] is not None:
                return [self.words.over(self.view, event["payoff"])]
        return []

    def _note(self, body: Mapping[str, Any]) -> list[str]:
        """A remark, in the name of a seat or of nobody; or that a seat has asked for a hint."""
        remark, said_by = body.get("remark"), body.get("seat")
        seat = said_by if said_by in range(self._game.seats) else None
        if isinstance(remark, str):
            who = "A remark" if type(seat) is not int else self.words.does(seat, "say")
            return [f"{who}: {in_quotes(remark)}"]
        if type(seat) is int and body.get("hint") is True:
            return [f"{self.words.does(seat, 'ask')} for a hint."]
        return []

    def _dealt(self, event: Event, hidden: Sequence[int] | None) -> list[str]:
        values = [value for _, value in event["draws"]]
        if None in values:
            values = list(hidden or ())
        said = []
        for (n, _), value in zip(event["draws"], values, strict=False):
            said.append(self._drawn(whole(n, "a range"), whole(value, "a draw")))
        if len(values) < len(event["draws"]):
            self._lost = True
            said.append(self.words.drawn(self.view, self.view, 0, None))
        return [sentence for sentence in said if sentence]

    def _drawn(self, n: int, value: int) -> str | None:
        if self._lost:
            return None
        before, awaits = self.view, self._game.awaits(self._state)
        self._state = self._game.drawn(self._state, value)
        eyes = awaits.to if isinstance(awaits, Draw) else None
        known = eyes is None or self.words.reader in eyes
        return self.words.drawn(before, self.view, n, value if known else None)

    def _take_out(self, seat: Seat) -> None:
        """Tell that a player left: the others play on, or the game is over, by the rules."""
        if self._lost:
            return
        self._go_on(lambda: self._game.departed(self._state, seat))
        self._opened.pop(seat, None)

    def _go_on(self, rule: Callable[[], Any]) -> None:
        """Take the state that a rule leads to; an end leaves it as it is."""
        try:
            after = rule()
        except Exception:
            # Rules need not go on from a state with blanks: wait for the next `look`.
            if not self._is_view:
                raise
            self._lost = True
            return
        if not isinstance(after, Over):
            self._state = after

    def _open(self, seat: Seat, move: Move) -> list[str]:
        if self._lost:
            return []
        self._opened[seat] = move
        awaited = getattr(self._game.awaits(self._state), "seats", ())
        if set(awaited) - self._opened.keys():
            return []
        moves, self._opened = self._opened, {}
        return self._moved(moves)

    def _moved(self, moves: dict[Seat, Move]) -> list[str]:
        if self._lost:
            return []  # a move has its meaning from the state; the next `look` shows what it did
        view = self.view
        said = [self.words.move(view, seat, move) for seat, move in sorted(moves.items())]
        self._go_on(lambda: self._game.played(self._state, moves))
        return [" ".join(said)]


def told(
    events: Sequence[Event], words: PlainWords[Any]
) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield each line of a whole record: its number, its sentences, and the table after it.

    A hidden run is opened at the end of a game. The words show it only to seats that may see it.
    """
    telling = Telling(words)
    opened = {
        event["run"]: [value for _, value in event["draws"]]
        for event in events
        if event["kind"] == "opening"
    }
    for line, event in enumerate(events[1:], 2):
        sentences = telling.line(event, opened.get(event.get("run")))
        yield line, sentences, words.state(telling.view) if sentences else []

"""``fairground play``: any game that is registered, ours or another package's, in the terminal.

Everything here is made of what games, players and schemes declare: the help, the seats, the
parameters, the errors.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairground.core import BadParams, FairgroundError, Game, InputError, Parameter, Seat
from fairground.door.tables import USUAL
from fairground.fair.bits import fresh
from fairground.fair.register import SCHEMES, dealer_class
from fairground.fair.schemes import Chair
from fairground.games import GAMES, game_class
from fairground.players import Player, PlayerListing, offered, seat_labels, usual_player
from fairground.players.runner import Runner
from fairground.registry import known, version
from fairground.table import Table
from fairground.terminal.console import Arguments, Ink
from fairground.terminal.evening import (
    PRACTICE,
    HousePlayers,
    OpenTable,
    Parlour,
    SeatPlan,
    TablePlan,
    add_counting,
    add_practice,
    add_seats,
    company,
)
from fairground.terminal.files import add_saving
from fairground.terminal.options import add_ascii, add_stir
from fairground.terminal.sitting import PlainScreen

DEALERS: Final = ("hash-chains/1", "hmac-sha3-user/1", "seeded/1", "system/1")
"""The schemes that can deal to people at one keyboard. The others serve contests and the Bank."""

ALIASES: Final = {"dice": "intransitive", "croupier": "poker"}
"""Other names that people type for a game."""

EXAMPLES: Final = """\
Examples:
  fairground play zombie players=3 brains_to_win=7
  fairground play codebreaking base=10 --seat breaker=me:Ann --save game.jsonl
  fairground play fatestones --seat player1=me:Ann --seat player2=me:Bob --stir each"""


def run(arguments: Sequence[str]) -> int:
    """``fairground play``"""
    given = next((word for word in arguments if not word.startswith("-")), None)
    if given is None or "=" in given:
        _general().parse_args(arguments)
        _list_games()
        return 0
    name = full_name(given)
    wants_help = any(word in ("-h", "--help") for word in arguments)
    options = _arguments(name, wants_help).parse_intermixed_args(arguments)
    game = game_from_words(name, options.params, options.values)
    return PlainParlour(game, options, arguments).run()


# What is asked for


def _general() -> Arguments:
    return Arguments(
        "play",
        "Play any game in the terminal. Without a game: list all that there are.\n"
        "fairground play GAME --help says what a game takes, and who can play it.",
        EXAMPLES,
        usage="fairground play [GAME [NAME=VALUE ...]] [options]",
    )


def _list_games() -> None:
    print("These games can be played:\n")
    newest = list(dict.fromkeys(full_name(name.partition("/")[0]) for name in GAMES))
    width = max(map(len, newest)) + 2
    for name in newest:
        try:
            listing = GAMES[name]
            print(f"  {name:<{width}}{listing.title}: {listing.summary}")
        except FairgroundError as error:
            print(f"  {name:<{width}}cannot be played: {error}")
    print("\nfairground play GAME plays one; fairground play GAME --help says what it takes.")


def full_name(given: str) -> str:
    """The newest version of a game. Our own names cannot be redefined by other packages."""
    ours = [name for name in GAMES.listed if name.partition("/")[0] == given]
    return max(ours, key=version) if ours else GAMES.newest(given)


def _rules(name: str) -> type[Game[Any]]:
    try:
        return game_class(name)
    except (ImportError, AttributeError) as error:
        raise InputError(f"the rules of {name} cannot be loaded: {error}") from None


def _arguments(name: str, wants_help: bool) -> Arguments:
    """The parser for one game, with help made of its declarations."""
    rules, listing = _rules(name), GAMES[name]
    family = name.partition("/")[0]
    about = f"{listing.title}: {listing.summary}"
    if wants_help:
        about += f"\n\n{_seats_in_words(rules)}\n\nParameters, as NAME=VALUE:\n"
        about += _parameters_in_words(rules)
    parser = Arguments(
        f"play {family}",
        about,
        f"Example:\n  fairground play {family}{_example(rules)} --save game.jsonl\n\n"
        "At every prompt: ? shows the rules, look shows the table, q leaves.\n"
        "Exit codes: 0 finished or left by choice, 1 the record does not hold, 2 bad input,\n"
        "3 end of input in the middle, 130 Ctrl-C.",
        usage=f"fairground play {family} [NAME=VALUE ...] [options]",
    )
    parser.add_argument("game", help=argparse.SUPPRESS)
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE", help="a parameter of the game")
    parser.add_argument(
        "--params", metavar="JSON", help="all parameters at once, as one JSON object"
    )
    add_seats(
        parser,
        "who plays: a player, or me, or me:NAME for a person at this keyboard; or how strong: "
        "easy, medium, hard",
    )
    parser.add_argument(
        "--scheme",
        metavar="NAME",
        help=f"how chance is dealt: {', '.join(DEALERS)} (default: {USUAL})",
    )
    add_practice(parser)
    add_counting(parser)
    add_stir(parser, "before each stretch of draws")
    add_ascii(parser, "keep to plain letters", "use all signs")
    add_saving(parser)
    return parser


def _seats_in_words(rules: type[Game[Any]]) -> str:
    """The seats of the game with its default parameters, and who can take them."""
    try:
        game = rules.from_params({})
    except BadParams as error:
        return f"The seats depend on the parameters: {error}."
    lines = ["Seats, and who can take them (besides me, a person at this keyboard):"]
    shown = set()
    for seat, label in enumerate(seat_labels(game)):
        role = game.role(seat)
        if role in shown:
            continue
        shown.add(role)
        many = sum(game.role(other) == role for other in range(game.seats))
        lines.append(f"  {label}{f' to {role}{many}' if many > 1 else ''}")
        usual = usual_player(game, seat)
        for name, listing in sorted(offered(game, seat).items()):
            lines += _folded(f"{name}: {_declared(listing, name == usual)}", 4)
    return "\n".join(lines)


def _declared(listing: PlayerListing, usual: bool) -> str:
    parts = [listing.summary]
    if listing.slow:
        parts.append("thinks for long")
    if listing.argument:
        parts.append(f"takes {listing.argument}")
    if usual:
        parts.append("the default")
    return "; ".join(parts)


def _parameters_in_words(rules: type[Game[Any]]) -> str:
    lines = []
    for parameter in rules.parameters:
        default = "" if parameter.default is None else f" (default: {_shown(parameter.default)})"
        lines += _folded(f"{parameter.name}: {parameter.says}{_bounds(parameter)}{default}", 2)
    return "\n".join(lines) or "  none"


def _folded(text: str, by: int) -> list[str]:
    return textwrap.wrap(
        text, 78, initial_indent=" " * by, subsequent_indent=" " * (by + 4), break_on_hyphens=False
    )


def _bounds(parameter: Parameter) -> str:
    shape = parameter.shape
    if "enum" in shape:
        return f"; one of {', '.join(map(str, shape['enum']))}"
    if "minimum" in shape and "maximum" in shape:
        return f"; {shape['minimum']} to {shape['maximum']}"
    return ""


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _example(rules: type[Game[Any]]) -> str:
    """A parameter as it may be given: a small number, if there is one."""
    for parameter in rules.parameters:
        if parameter.shape.get("type") == "integer" and parameter.default is not None:
            return f" {parameter.name}={parameter.default}"
    return ""


# Parameters


def game_from_words(name: str, params: str | None, values: Sequence[str]) -> Game[Any]:
    """The game of a name and its parameters as people type them."""
    rules = _rules(name)
    given: dict[str, Any] = {}
    if params is not None:
        try:
            given = json.loads(params)
        except ValueError as error:
            raise InputError(f"--params is not JSON: {error}: {params!r}") from None
        if not isinstance(given, dict):
            raise InputError(f"--params is an object such as {_object(rules)}, not {params!r}")
    shapes = {parameter.name: parameter for parameter in rules.parameters}
    for text in values:
        key, equals, value = text.partition("=")
        if not equals:
            example = _example(rules).strip() or "NAME=VALUE"
            raise InputError(f"{text!r} is no parameter. It is written as {example}")
        if key not in shapes:
            raise BadParams(f"{name} has no parameter {key!r}; {known(key, shapes)}")
        if key in given:
            raise BadParams(f"the parameter {key!r} is given twice")
        given[key] = read_value(value, shapes[key].shape, key)
    return rules.from_params(given)


def _object(rules: type[Game[Any]]) -> str:
    first = next((p for p in rules.parameters if p.default is not None), None)
    return "{}" if first is None else json.dumps({first.name: first.default})


def read_value(text: str, shape: Mapping[str, Any], name: str, depth: int = 0) -> Any:
    """A parameter as people type it, by its JSON Schema.

    A list is JSON, or its items with blanks between them; in a list of lists the inner
    items have commas between them.
    """
    kind = shape.get("type")
    if kind == "integer":
        try:
            return int(text)
        except ValueError:
            raise BadParams(f"{name} is an integer, not {text!r}") from None
    if kind == "boolean":
        words = {"yes": True, "true": True, "no": False, "false": False}
        if text.lower() not in words:
            raise BadParams(f"{name} is yes or no, not {text!r}")
        return words[text.lower()]
    if kind == "array":
        if text.lstrip().startswith("["):
            return _json(text, name)
        parts = text.split(",") if depth else text.replace(";", " ").split()
        return [read_value(part, shape.get("items", {}), name, depth + 1) for part in parts]
    if kind in ("object", "number"):
        return _json(text, name)
    return text


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadParams(f"{name} is not JSON: {error}: {text!r}") from None


# Playing


def _dealing(options: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The scheme that was asked for, and its options. A seed alone means practice."""
    scheme = SCHEMES.newest(options.scheme or (PRACTICE if options.seed is not None else USUAL))
    if scheme not in DEALERS:
        raise InputError(
            f"--scheme {options.scheme!r} cannot deal here; there are: {', '.join(DEALERS)}"
        )
    if options.seed is not None and scheme != PRACTICE:
        raise InputError(f"--seed goes with --scheme {PRACTICE}, not with {scheme}")
    if scheme == PRACTICE:
        return scheme, {"seed": fresh().hex() if options.seed is None else options.seed, "game": 0}
    return scheme, {"stir": options.stir} if scheme == USUAL else {}


def _chairs(game: Game[Any], scheme: str, who: SeatPlan) -> list[Chair]:
    """People lend what the scheme takes; a player is ours, and lends nothing."""
    conditions = dealer_class(scheme).scheme.conditions
    lends = next((what for what in ("stir", "number") if what in conditions), "nothing")
    lenders = list(who.people)[:1] if lends == "number" else list(who.people)
    return [
        Chair(
            name, "self" if seat in who.people else "house", lends if seat in lenders else "nothing"
        )
        for seat, name in enumerate(who.names(game))
    ]


def _about(game: Game[Any], who: SeatPlan) -> dict[Seat, str]:
    """Describe the players by their own declarations."""
    specs = {seat: spec.partition(":")[0] for seat, spec in who.players.items()}
    return {seat: offered(game, seat)[name].summary for seat, name in specs.items()}


class PlainParlour(Parlour):
    """Games of any kind."""

    def __init__(
        self, game: Game[Any], options: argparse.Namespace, arguments: Sequence[str]
    ) -> None:
        seats = company(game, options.seat)
        super().__init__(options, arguments, Ink.of_terminal(options.ascii), seats)
        self._game = game
        roles = {game.role(seat) for seat in range(game.seats)}
        self.swaps = game.seats == len(roles) == 2 and self._can_swap()

    def _can_swap(self) -> bool:
        """True if the players can swap seats."""
        specs = self._seats.swapped().players
        return len(self._seats.people) == 1 and all(
            spec.partition(":")[0] in offered(self._game, seat) for seat, spec in specs.items()
        )

    def wanted(self) -> TablePlan:
        game = self._game
        scheme, more = _dealing(self.options)
        chairs, file = _chairs(game, scheme, self.who), game.name.partition("/")[0]
        return TablePlan("play", self.arguments, game, chairs, scheme, more, file)

    def screen(self, opened: OpenTable, players: Mapping[Seat, Player]) -> PlainScreen:
        screen = PlainScreen(self.console, self._art, Runner(opened.table, players, opened.vault))
        screen.introduce(_about(self._game, self.who))
        return screen

    def missing(self, table: Table, proven: set[str]) -> str | None:
        if not any(run.line for run in table.runs):
            return None
        if "UNIFORM" not in proven:
            return (
                "Nothing of yours is in every draw: nothing proves that the house did not choose."
            )
        deciding = {decision.seat for decision in table.decisions}
        house = [seat for seat in deciding if table.setting.chairs[seat].by == "house"]
        if "UNFORESEEN" not in proven and house:
            return (
                "Not proven: that this program, which also plays for the house, did not know the "
                "draws when it chose. --stir each proves that."
            )
        return None


def go_on(opened: OpenTable, arguments: Sequence[str], house: HousePlayers) -> int:
    """Go on with an unfinished game that ``fairground play`` began."""
    options = _arguments(opened.table.game.name, wants_help=False).parse_intermixed_args(arguments)
    parlour = PlainParlour(opened.table.game, options, arguments)
    people = {i for i, chair in enumerate(opened.table.setting.chairs) if chair.by == "self"}
    parlour.swapped = not people.issubset(company(opened.table.game, options.seat).people)
    return parlour.resume(opened, house)

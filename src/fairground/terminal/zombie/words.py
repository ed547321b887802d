"""What the message area says."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.core import Seat
from fairground.games.zombie import Ended, State, Zombie
from fairground.words.plain import count
from fairground.words.zombie import ZombieWords, lost, rolled


def how_it_went(s: State, names: Sequence[str]) -> str:
    """How the turn before this one ended."""
    ended = s.last
    if ended is None:
        return ""
    name = names[ended.seat]
    if ended.how == "held":
        total = s.scores[ended.seat]
        return f"{name} holds {count(ended.scored, 'brain')} and has {total} now."
    if ended.how == "shot":
        return f"{name} was shot {sum(ended.shotgun_dice)} times: {lost(ended.brains)}."
    return f"{name} lost the turn: {lost(ended.brains)}."


def before_decision(game: Zombie, s: State, names: Sequence[str]) -> list[str]:
    """What has just happened, and what the next roll would take."""
    name = names[s.playing[s.at]]
    if s.rolls == 0:
        return [
            how_it_went(s, names),
            f"It is {name}'s turn. {ZombieWords(game, names).next_roll(s)}",
        ]
    return [f"{name} rolled {rolled(s.rolled)}.", ZombieWords(game, names).next_roll(s)]


def commands(s: State) -> str:
    """What a person may type."""
    if s.rolls == 0:
        return "<enter> rolls, ? helps, hint advises, q quits."
    held = count(s.brains, "brain")
    return f"<enter> rolls again, h holds {held}, ? helps, hint advises, q quits."


def not_a_command(typed: str) -> str:
    """Anything else."""
    return f"Unknown command: {typed[:20]!r}."


def sentence(text: str) -> str:
    """An error of the rules as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def shot(ended: Ended, names: Sequence[str]) -> list[str]:
    """Three shotguns."""
    return [
        f"{names[ended.seat]} rolled {rolled(ended.rolled)}.",
        f"{sum(ended.shotgun_dice)} shotguns end the turn: {lost(ended.brains)}.",
    ]


def tie(s: State, names: Sequence[str], ask: bool) -> list[str]:
    """The source's message for a tie."""
    return [
        "We have a tie!",
        "Players in tie break:",
        " ".join(f'"{names[seat]}"' for seat in s.playing),
        *(["Press <enter> to continue."] if ask else []),
    ]


def winner(s: State, names: Sequence[str], rolls: int) -> list[str]:
    """The last message."""
    (seat,) = s.playing
    rounds = count(s.round, "round")
    extra = f", {s.extra} of them to break a tie" if s.extra else ""
    return [
        f'The winner is "{names[seat]}" with {count(s.scores[seat], "brain")}!',
        f"{rounds}{extra}, {count(rolls, 'roll')}.",
    ]


def turn_in_brief(s: State, names: Sequence[str], round_: int, rolls: int) -> str:
    """One line for a turn of a machine that nobody watches."""
    ended = s.last
    assert ended is not None
    what = {
        "held": f"holds {count(ended.scored, 'brain')}",
        "shot": f"is shot, {lost(ended.brains)}",
        "passed": f"loses the turn, {lost(ended.brains)}",
    }[ended.how]
    total = s.scores[ended.seat]
    return f"Turn {round_}: {names[ended.seat]}, {count(rolls, 'roll')}, {what}; total {total}"


def occasion(s: State, names: Sequence[str], seat: Seat) -> str:
    """What a stir is for."""
    if s.phase == "shuffle":
        return "the order of players"
    current = s.playing[s.at]
    return "your roll" if current == seat else f"the roll of {names[current]}"


def how_it_ends(game: Zombie) -> str:
    """The mode in force, in a sentence."""
    if game.max_turns:
        turns = "1 turn" if game.max_turns == 1 else f"{game.max_turns} turns"
        return (
            f"This game is played by number of turns: everybody has {turns} (max_turns = "
            f"{game.max_turns}), and most brains win."
        )
    brains = "brain" if game.brains_to_win == 1 else "brains"
    return (
        f"The game goes to {game.brains_to_win} {brains}: when someone has as many, the round is "
        "played to its end, and most brains win."
    )

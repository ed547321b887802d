"""A contest player with nothing but the standard library.

python python_bot.py CONTEST_WATCH_URI TEAM VERSION
"""

import json
import os
import secrets
import sys
import urllib.error
import urllib.request
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

Code = tuple[int, ...]

LISTED = 100_000  # a game with more codes than this is played digit by digit, in little memory


def ask(uri: str, body: Any = None, once: str = "") -> Any:
    """GET, or POST if there is a body; JSON both ways. ``once``: an Idempotency-Key."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    headers |= {"Idempotency-Key": once} if once else {}
    with urllib.request.urlopen(urllib.request.Request(uri, data, headers), timeout=30) as answer:
        return json.load(answer)


def marks(code: Code, guess: Code) -> tuple[int, int]:
    """Full and partial matches."""
    full = sum(c == g for c, g in zip(code, guess, strict=True))
    return full, (Counter(code) & Counter(guess)).total() - full


def patiently(oracle: str, base: int, length: int) -> int:
    """Where the codes are too many to be listed: change one digit at a time; how many guesses."""
    guess = [0] * length
    best = ask(oracle, {"submission": guess})["full_match_count"]
    steps = 1
    for place in range(length):
        for digit in range(1, base):
            if best == length:
                return steps
            tried = [*guess[:place], digit, *guess[place + 1 :]]
            full = ask(oracle, {"submission": tried})["full_match_count"]
            steps += 1
            if full == best:
                continue
            if full > best:
                guess, best = tried, full
            break  # this place is settled: the new digit is right, or the old one was
    return steps


def play(oracle: str) -> int | None:
    """Guess any code that fits all answers so far; how many guesses it took."""
    game = ask(oracle)  # the games of a contest may differ: each says what it is
    if game["over"]:
        return None
    if game["base"] ** game["length"] > LISTED:
        return patiently(oracle, game["base"], game["length"])
    codes = list(product(range(game["base"]), repeat=game["length"]))
    for steps in range(1, len(codes) + 1):
        guess = codes[len(codes) // 2]
        answer = ask(oracle, {"submission": guess})
        told = answer["full_match_count"], answer["partial_match_count"]
        if told[0] == game["length"]:
            return steps
        codes = [code for code in codes if marks(code, guess) == told]
    raise SystemExit(f"{oracle} has contradicted itself")


def enter(contest: str, team: str, version: str) -> list[str]:
    """Enter, or find the entry again; the private file of the team keeps its two secrets.

    With ours, written before it is sent, a lost answer can be asked for again. The arena's is the
    team's key: without it nobody can enter another version.
    """
    file = Path(f"{contest.rpartition('/')[2]}.{team.encode().hex()}.secrets")
    if not file.exists():
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as new:
            new.write(secrets.token_hex(16) + "\n")
    ours, *keys = file.read_text().split()
    body = {"team_name": team, "software_version": version}
    body |= {"team_key": keys[0]} if keys else {}
    entered = ask(ask(contest)["entry"], body, "" if keys else ours)
    if not keys:
        with file.open("a") as more:
            more.write(entered["team_key"] + "\n")
    oracles: list[str] = entered["oracle_URIs"]
    return oracles


def main(contest: str, team: str, version: str) -> None:
    """Enter, and play every game."""
    for number, oracle in enumerate(enter(contest, team, version), 1):
        steps = play(oracle)
        print(f"game {number}: " + ("over already" if steps is None else f"{steps} guesses"))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python_bot.py CONTEST_WATCH_URI TEAM VERSION")
    try:
        main(*sys.argv[1:])
    except urllib.error.HTTPError as error:  # the arena explains what is wrong
        sys.exit(f"{error.code}: {error.read().decode()}")

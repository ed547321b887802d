"""docs/rules/*.md: the five games, each as a small machine.

``awaits`` says ``("draw", n, hidden)``, ``("turn", seats)`` or ``("over", payoff)``. ``leave`` is
the payoff if a departure ends the game; if it is None, the others play on after ``take_out``.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

from tests.document_checker.bits import Fault, whole, written

Awaits = tuple[Any, ...]


def need(good: Any) -> None:
    if not good:
        raise Fault("game/params")


def is_int(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def sign(a: int, b: int) -> list[int]:
    return [(a > b) - (a < b), (b > a) - (b < a)]


class Game:
    seats = 2
    proves: tuple[str, ...] = ()
    params: dict[str, Any]

    def leave(self, seat: int) -> list[int] | None:
        return [-1, 1] if seat == 0 else [1, -1]

    def take_out(self, seat: int) -> None:
        raise NotImplementedError


class Intransitive(Game):
    def __init__(self, params: dict[str, Any]) -> None:
        given = {"dice": [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3]], **params}
        need(set(given) == {"dice"} and isinstance(given["dice"], list) and len(given["dice"]) >= 3)
        self.dice: list[list[int]] = []
        for die in given["dice"]:
            need(isinstance(die, list) and die)
            faces = [whole(face) for face in die]
            self.dice.append([face for face in faces if face is not None])
            need(len(self.dice[-1]) == len(die))
        self.params = {"dice": [[written(face) for face in die] for die in self.dice]}
        self.first: int | None = None
        self.picks: dict[int, int] = {}
        self.rolls: list[int] = []

    def awaits(self) -> Awaits:
        if self.first is None:
            return "draw", 2, False
        for seat in (self.first, 1 - self.first):
            if seat not in self.picks:
                return "turn", (seat,)
        if len(self.rolls) < 2:
            return "draw", len(self.dice[self.picks[len(self.rolls)]]), False
        return "over", sign(*self.rolls)

    def drawn(self, value: int) -> None:
        if self.first is None:
            self.first = 1 if value == 0 else 0
        else:
            self.rolls.append(self.dice[self.picks[len(self.rolls)]][value])

    def legal(self, seat: int, move: Any) -> bool:
        return is_int(move, 0, len(self.dice) - 1) and move not in self.picks.values()

    def played(self, moves: dict[int, Any]) -> None:
        self.picks |= moves


class CodeBreaking(Game):
    def __init__(self, params: dict[str, Any]) -> None:
        given = {"base": 6, "length": 4, "oracle": "fair", **params}
        need(set(given) == {"base", "length", "oracle"})
        need(is_int(given["base"], 2, 100) and is_int(given["length"], 1, 40))
        need(given["oracle"] in ("fair", "nice", "evil"))
        self.params = given
        self.base, self.length, self.oracle = given["base"], given["length"], given["oracle"]
        self.code: list[int] | None = None
        self.rows: list[tuple[list[int], list[int]]] = []
        self.asked: list[int] | None = None
        self.given_up = self.found = False
        self.shown: Any = None

    def awaits(self) -> Awaits:
        if self.oracle == "fair" and self.code is None:
            return "draw", self.base**self.length, True
        if self.shown is not None:
            if self.shown == "no code":
                return "over", [-1000000, 1000000]
            if self.given_up:
                return "over", [1000000, -1000000]
            return "over", [len(self.rows), -len(self.rows)]
        return "turn", (0 if self.asked or self.given_up or self.found else 1,)

    def drawn(self, value: int) -> None:
        self.code = [value // self.base**i % self.base for i in range(self.length)][::-1]

    def is_code(self, move: Any) -> bool:
        good = isinstance(move, list) and len(move) == self.length
        return good and all(is_int(digit, 0, self.base - 1) for digit in move)

    def answer(self, code: list[int], guess: list[int]) -> list[int]:
        full = sum(a == b for a, b in zip(code, guess, strict=True))
        return [full, (Counter(code) & Counter(guess)).total() - full]

    def legal(self, seat: int, move: Any) -> bool:
        if seat == 1:
            return move == "give up" or self.is_code(move)
        if self.asked:
            good = isinstance(move, list) and len(move) == 2
            if not good or not all(is_int(count, 0, self.length) for count in move):
                return False
            if sum(move) > self.length or move == [self.length - 1, 1]:
                return False
            if self.oracle == "nice":
                return bool(move == [self.length, 0])
            return self.code is None or bool(move == self.answer(self.code, self.asked))
        if move == "no code":
            return bool(self.oracle != "fair")
        fits = self.is_code(move) and all(self.answer(move, g) == a for g, a in self.rows)
        return bool(fits and self.code in (None, move))

    def played(self, moves: dict[int, Any]) -> None:
        ((seat, move),) = moves.items()
        if seat == 1:
            self.given_up = move == "give up"
            self.asked = None if self.given_up else move
        elif self.asked:
            self.rows.append((self.asked, move))
            self.asked, self.found = None, move == [self.length, 0]
        else:
            self.shown = move
            if self.oracle != "fair" and move != "no code":
                self.proves = ("CONSISTENT",)

    def leave(self, seat: int) -> list[int]:
        return [-1000000, 1000000] if seat == 0 else [1000000, -1000000]


def are_dice(dice: Any) -> bool:
    return isinstance(dice, list) and all(
        isinstance(die, str)
        and len(die) == 6
        and set(die) <= set("123456")
        and list(die) == sorted(die)
        for die in dice
    )


class FateStones(Game):
    def __init__(self, params: dict[str, Any]) -> None:
        need(set(params) <= {"dice", "scratch"} or set(params) == {"hands"})
        self.hands: list[list[str]] = [[], []]
        self.bag: list[str] = []
        if "hands" in params:
            hands = params["hands"]
            need(isinstance(hands, list) and len(hands) == 2 and all(map(are_dice, hands)))
            need(len(hands[0]) == len(hands[1]) and 1 <= len(hands[0]) <= 3)
            self.hands = [list(hand) for hand in hands]
            self.params = dict(params)
        else:
            every = combinations_with_replacement("123456", 6)
            fair = ["".join(die) for die in every if sum(map(int, die)) == 21]
            need(are_dice(params.get("dice", fair)))
            self.bag = sorted(params.get("dice", fair))
            self.params = {"dice": self.bag, "scratch": params.get("scratch", "redeal")}
            need(len(self.bag) >= 6 and self.params["scratch"] in ("redeal", "end"))
        self.dealing = bool(self.bag)
        self.picks: dict[int, int] = {}
        self.rolls: list[int] = []
        self.over = False

    def awaits(self) -> Awaits:
        if self.over:
            return "over", sign(*self.rolls)
        if self.dealing:
            return "draw", len(self.bag) - len(self.hands[0]) - len(self.hands[1]), False
        return ("draw", 6, False) if self.picks else ("turn", (0, 1))

    def drawn(self, value: int) -> None:
        if self.dealing:
            left = list(self.bag)
            for die in self.hands[0] + self.hands[1]:
                left.remove(die)
            self.hands[len(self.hands[0]) > len(self.hands[1])].append(left[value])
            self.dealing = len(self.hands[1]) < 3
            return
        seat = len(self.rolls)
        self.rolls.append(int(self.hands[seat][self.picks[seat]][value]))
        if seat == 0:
            return
        for who in (0, 1):
            self.hands[who].pop(self.picks[who])
        self.over = self.rolls[0] != self.rolls[1]
        if not self.over and not self.hands[0]:
            self.dealing = self.params.get("scratch") == "redeal"
            self.over = not self.dealing
        if not self.over:
            self.picks, self.rolls = {}, []

    def legal(self, seat: int, move: Any) -> bool:
        return is_int(move, 0, len(self.hands[seat]) - 1)

    def played(self, moves: dict[int, Any]) -> None:
        self.picks, self.rolls = dict(moves), []


class Poker(Game):
    bank = False
    two = False

    def __init__(self, params: dict[str, Any]) -> None:
        self.params = {"bet": 1, "level": 5, **params}
        need(set(self.params) == {"bet", "level"})
        need(is_int(self.params["bet"], 1, 10) and is_int(self.params["level"], 1, 5))
        self.hand: list[int] = []
        self.order: list[int] | None = None
        self.seen: list[int] = []

    def pays(self, hand: list[int]) -> int:
        ranks, level = sorted(card % 13 for card in hand), self.params["level"]
        kinds = sorted(Counter(ranks).values())
        flush = len({card // 13 for card in hand}) == 1
        straight = kinds[-1] == 1 and (ranks[4] - ranks[0] == 4 or ranks == [0, 1, 2, 3, 12])
        if straight and flush and ranks[0] == 8:
            return self.royal()
        times = 0
        if straight and flush:
            times = 50
        elif kinds[-1] == 4:
            times = 25
        elif kinds == [2, 3]:
            times = 9
        elif flush or straight:
            times = 6 if flush else 4
        elif kinds[-1] == 3:
            times = 3
        elif kinds == [1, 2, 2]:
            times = 2
        elif kinds[-1] == 2:
            times = int(Counter(ranks).most_common(1)[0][0] >= 9)
        return int(times * level * self.params["bet"])

    def royal(self) -> int:
        return int(self.params["bet"] * [250, 500, 750, 1000, 4000][self.params["level"] - 1])

    def settled(self, prize: int) -> list[int]:
        stake = self.params["bet"] * self.params["level"]
        return [stake - prize, prize - stake]

    def awaits(self) -> Awaits:
        if self.order is None:
            return ("draw", 52 - len(self.seen), False) if len(self.seen) < 5 else ("turn", (1,))
        if len(self.seen) < 5 + sum(self.order):
            return "draw", 52 - len(self.seen), False
        return "over", self.settled(self.pays(self.hand))

    def drawn(self, value: int) -> None:
        card = [card for card in range(52) if card not in self.seen][value]
        if self.order is None:
            self.hand.append(card)
        else:
            places = [i for i, digit in enumerate(self.order) if digit]
            self.hand[places[len(self.seen) - 5]] = card
        self.seen.append(card)

    def legal(self, seat: int, move: Any) -> bool:
        good = isinstance(move, list) and len(move) == 5
        return good and all(is_int(digit, 0, 1) for digit in move)

    def played(self, moves: dict[int, Any]) -> None:
        self.order = moves[1]

    def leave(self, seat: int) -> list[int]:
        if seat == 1:
            return self.settled(0)
        if self.two:
            return self.settled(self.royal())
        stake = self.params["bet"] * self.params["level"]
        if not self.seen:
            return self.settled(2 * stake if self.bank else stake)
        if self.bank and self.order and any(self.order):
            return self.settled(self.silence(stake))
        standing = self.pays(self.hand) if len(self.seen) == 5 and not self.order else 0
        return self.settled(max(30 * self.params["bet"] * self.params["level"], standing))

    def silence(self, stake: int) -> int:
        assert self.order is not None
        if sum(self.order) > 1:
            return stake * [5, 2, 1, 1][sum(self.order) - 2]
        total = 0
        for card in range(52):
            if card not in self.seen[:5]:
                drawn = [
                    card if new else old for old, new in zip(self.hand, self.order, strict=True)
                ]
                total += self.pays(drawn)
        return stake - (-total // 47)


class PokerTwo(Poker):
    two = True


class BankPoker(Poker):
    bank = True


class Zombie(Game):
    two = False
    KINDS = ("weak", "strong", "tough")

    def __init__(self, params: dict[str, Any]) -> None:
        defaults = {
            "players": 2, "weak_dice": 6, "strong_dice": 4, "tough_dice": 3,
            "weak_die_faces": "bbbffs", "strong_die_faces": "bbffss", "tough_die_faces": "bffsss",
            "brains_to_win": 13, "max_turns": 0,
        }  # fmt: skip
        self.params = {**defaults, **params}
        need(set(self.params) == set(defaults) and is_int(self.params["players"], 2, 100))
        need(all(is_int(self.params[f"{kind}_dice"], 0, 1000) for kind in self.KINDS))
        need(is_int(self.params["brains_to_win"], 1, 1000000))
        need(is_int(self.params["max_turns"], 0, 1000000))
        self.seats = self.params["players"]
        self.dice = [self.params[f"{kind}_dice"] for kind in self.KINDS]
        self.faces = [self.params[f"{kind}_die_faces"] for kind in self.KINDS]
        for n, faces in zip(self.dice, self.faces, strict=True):
            need(isinstance(faces, str) and set(faces) <= set("bfs") and len(faces) <= 1000)
            need(faces or not n)
        some = any(n and "b" in faces for n, faces in zip(self.dice, self.faces, strict=True))
        need(sum(self.dice) >= 3 and some)
        self.order = list(range(self.seats))
        self.unsettled = self.seats
        self.playing: list[int] = list(self.order)
        self.at, self.round, self.extra = 0, 1, 0
        self.scores = [0] * self.seats
        self.gone: list[int] = []
        self.winner: int | None = None
        self.begin_turn()

    def begin_turn(self) -> None:
        self.bag: list[int] = list(self.dice)
        self.cells: list[Any] = [None, None, None]
        self.brain_dice, self.shotguns, self.brains, self.rolls = [0, 0, 0], 0, 0, 0
        self.phase = "decide"

    def awaits(self) -> Awaits:
        if self.winner is not None:
            return "over", [self.seats - 1 if i == self.winner else -1 for i in range(self.seats)]
        if self.unsettled > 1:
            return "draw", self.unsettled, False
        if self.phase == "take":
            return "draw", sum(self.bag), False
        if self.phase == "throw":
            return "draw", len(self.faces[self.blank()[0]]), False
        return "turn", (self.playing[self.at],)

    def blank(self) -> list[Any]:
        return next((die for die in self.cells if die and not die[1]), [])

    def drawn(self, value: int) -> None:
        if self.unsettled > 1:
            last = self.unsettled - 1
            self.order[last], self.order[value] = self.order[value], self.order[last]
            self.unsettled = last
            if last == 1:
                self.playing = [seat for seat in self.order if seat not in self.gone]
            return
        if self.phase == "take":
            self.take(value)
        else:
            die = self.blank()
            die[1] = self.faces[die[0]][value]
        self.go_on()

    def take(self, value: int) -> None:
        colour = 0 if value < self.bag[0] else 1 if value < self.bag[0] + self.bag[1] else 2
        self.bag[colour] -= 1
        self.cells[self.cells.index(None)] = [colour, ""]

    def go_on(self) -> None:
        while self.phase == "take":
            if None in self.cells and sum(self.bag) > 1:
                return
            if None in self.cells and sum(self.bag) == 1:
                self.take(0)
            else:
                self.phase = "throw"
                self.cells = [die and [die[0], ""] for die in self.cells]
        while die := self.blank():
            if len(self.faces[die[0]]) > 1:
                return
            die[1] = self.faces[die[0]][0]
        for i, die in enumerate(self.cells):
            if die and die[1] != "f":
                self.cells[i] = None
                self.brains += die[1] == "b"
                self.brain_dice[die[0]] += die[1] == "b"
                self.shotguns += die[1] == "s"
        self.rolls, self.phase = self.rolls + 1, "decide"
        if self.shotguns >= 3:
            self.end_turn()

    def legal(self, seat: int, move: Any) -> bool:
        return move in ("roll", "pass") or (move == "hold" and self.rolls > 0)

    def played(self, moves: dict[int, Any]) -> None:
        ((seat, move),) = moves.items()
        if move != "roll":
            self.scores[seat] += self.brains if move == "hold" else 0
            self.end_turn()
            return
        if self.cells.count(None) > sum(self.bag):
            self.bag = [a + b for a, b in zip(self.bag, self.brain_dice, strict=True)]
            self.brain_dice = [0, 0, 0]
        self.phase = "take"
        self.go_on()

    def end_turn(self) -> None:
        self.begin_turn()
        self.at += 1
        if self.at >= len(self.playing):
            self.end_round()

    def end_round(self) -> None:
        top, limit = max(self.scores), self.params["max_turns"]
        decided = self.round == limit if limit else top >= self.params["brains_to_win"]
        if self.extra or decided:
            level = [seat for seat in self.playing if self.scores[seat] == top]
            if len(level) == 1:
                self.winner, self.playing, self.at = level[0], level, 0
                return
            self.playing, self.extra = level, self.extra + 1
        self.at, self.round = 0, self.round + 1

    def leave(self, seat: int) -> list[int] | None:
        if self.two:
            rest = [i for i in range(self.seats) if i not in (*self.gone, seat)]
            won = rest[0] if len(rest) == 1 else None
            if won is None:
                return None
            return [self.seats - 1 if i == won else -1 for i in range(self.seats)]
        others = 1 if self.seats == 2 else 0
        return [1 - self.seats if i == seat else others for i in range(self.seats)]

    def take_out(self, seat: int) -> None:
        shuffled = self.unsettled <= 1
        if shuffled and self.playing[self.at] == seat:
            self.begin_turn()
            self.winner = None
        self.at -= seat in self.playing[: self.at]
        self.playing = [other for other in self.playing if other != seat]
        self.gone.append(seat)
        self.scores[seat] = 0
        if shuffled and not self.playing:
            self.playing, self.at = [i for i in self.order if i not in self.gone], 0
        elif shuffled and self.at >= len(self.playing):
            self.end_round()


class ZombieTwo(Zombie):
    two = True


GAMES: dict[str, Any] = {
    "intransitive/1": Intransitive,
    "codebreaking/1": CodeBreaking,
    "fatestones/1": FateStones,
    "poker/1": Poker,
    "poker/2": PokerTwo,
    "bank-poker/1": BankPoker,
    "zombie/1": Zombie,
    "zombie/2": ZombieTwo,
}

"""docs/contest-file.md: a whole contest, its book and its standings."""

from __future__ import annotations

import unicodedata
from collections import Counter
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from tests.document_checker.bits import Fault, HashStream, digest, is_hex, line_of, parse, sha3
from tests.document_checker.claims import judge
from tests.document_checker.rules import is_int

FORTY = Context(prec=40, rounding=ROUND_HALF_EVEN)
MEMBERS = {
    "opened": "format contest parts commitment at closes",
    "entered": "entry team version training at",
    "finished": "entry slot result steps head at",
    "failed": "entry slot reason at",
    "recovered": "entry slot at",
    "closed": "seed by at",
    "filed": "games digest",
}
LATER = MEMBERS | {
    "opened": "format contest parts commitment at closes disguise",
    "started": "entry at",
    "removed": "entry reason at",
}
FIRST, SECOND = "fairground-contest/1", "fairground-contest/2"
STUDENT = [
    "12.706205", "4.302653", "3.182446", "2.776445", "2.570582", "2.446912", "2.364624",
    "2.306004", "2.262157", "2.228139", "2.200985", "2.178813", "2.160369", "2.144787",
    "2.131450", "2.119905", "2.109816", "2.100922", "2.093024", "2.085963", "2.079614",
    "2.073873", "2.068658", "2.063899", "2.059539", "2.055529", "2.051831", "2.048407",
    "2.045230", "2.042272",
]  # fmt: skip
NOTES = [
    "Teams met the same codes, equal up to a disguise of digits and places drawn for each entry "
    "and game.",
    "Only official entries rank; training entries are shown apart. More games solved ranks first, "
    "then the smaller mean. Unfinished games have no steps.",
    "Intervals are 95 %, Student's. Pairs: exact sign-flip test, Holm's method at 5 %.",
]


def shuffle(n: int, stream: HashStream) -> list[int]:
    out = list(range(n))
    for i in range(n - 1, 0, -1):
        j = stream.below(i + 1)
        out[i], out[j] = out[j], out[i]
    return out


def split(lines: list[bytes]) -> list[tuple[dict[str, Any], int, list[bytes]]]:
    """Headings, each with the number of the first line behind it and the lines."""
    out, at = [], 0
    while at < len(lines):
        heading = parse(lines[at], at + 1)
        names = {"book": "contest format kind lines", "game": "entry kind lines slot"}
        if heading.get("kind") == "standings":
            out.append((heading, at + 1, [lines[at]]))
            at += 1
            continue
        wanted = names.get(str(heading.get("kind")), "")
        count = heading.get("lines")
        if set(heading) != set(wanted.split()) or not is_int(count, 1, len(lines) - at - 1):
            raise Fault("contest/malformed", at + 1)
        assert isinstance(count, int)
        out.append((heading, at + 2, lines[at + 1 : at + 1 + count]))
        at += count + 1
    kinds = [heading["kind"] for heading, _, _ in out]
    if kinds != ["book", *["game"] * (len(out) - 2), "standings"]:
        raise Fault("contest/malformed", len(lines) if kinds[:1] == ["book"] else 1)
    return out


def chain(lines: list[bytes], first: int) -> list[dict[str, Any]]:
    events, head = [], "0" * 64
    for number, line in enumerate(lines):
        events.append(parse(line, first + number))
        if events[-1].get("prev") != head:
            raise Fault("transcript/broken-chain", first + max(number - 1, 0))
        head = sha3(line)
    return events


def is_name(text: Any) -> bool:
    bad = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
    good = isinstance(text, str) and 1 <= len(text) <= 20 and text == text.strip()
    return good and all(sign == " " or unicodedata.category(sign) not in bad for sign in text)


def is_part(part: Any) -> bool:
    names = {"base", "length", "oracle", "games"}
    if not isinstance(part, dict) or not names <= set(part) <= names | {"factory"}:
        return False
    factory = part.get("factory")
    if factory is not None and not (isinstance(factory, str) and 1 <= len(factory) <= 2000):
        return False
    good = is_int(part["base"], 2, 100) and is_int(part["length"], 1, 40)
    return good and is_int(part["games"], 1, 10_000) and part["oracle"] in ("fair", "nice", "evil")


class Book:
    def __init__(self, events: list[dict[str, Any]], lines: list[bytes], first: int) -> None:
        self.format: Any = SECOND
        self.entries: list[dict[str, Any]] = []
        self.seed = b""
        self.filed: dict[str, Any] | None = None
        self.last = self.closes = 0
        for i, event in enumerate(events):
            try:
                self.take(event, i, sha3(lines[i]))
            except Fault as fault:
                fault.line = first + i
                raise
        if self.filed is None:
            raise Fault("contest/unfinished", first - 1 + len(lines))

    def take(self, event: dict[str, Any], i: int, head: str) -> None:
        kind = event.get("kind")
        if kind == "opened":
            self.format = event.get("format")
        members = MEMBERS if self.format == FIRST else LATER
        names = members.get(kind) if isinstance(kind, str) else None
        if names is None or set(event) != {"kind", "prev", *names.split()}:
            raise Fault("contest/malformed")
        if (kind == "opened") != (i == 0):
            raise Fault("contest/malformed")
        if bool(self.seed) != (kind == "filed") or self.filed:
            raise Fault("contest/late")
        if kind not in ("opened", "filed"):
            if type(event["at"]) is not int or event["at"] < self.last:
                raise Fault("contest/time")
            if kind != "closed" and event["at"] >= self.closes:
                raise Fault("contest/late")
        rules = {"filed": self.file_them} | {
            name: getattr(self, name) for name in members if name != "filed"
        }
        rules[str(kind)](event, head)
        self.last = event.get("at", self.last)

    def opened(self, event: dict[str, Any], head: str) -> None:
        times = type(event["at"]) is int and type(event["closes"]) is int
        good = self.format in (FIRST, SECOND) and is_hex(event["commitment"])
        self.look = event.get("disguise", "drawn")
        good = good and self.look in ("drawn", "none")
        named = isinstance(event["contest"], str) and event["contest"]
        if not good or not named or not times or not 0 <= event["at"] < event["closes"]:
            raise Fault("contest/malformed")
        self.contest, self.commitment = event["contest"], event["commitment"]
        self.closes = event["closes"]
        self.parts = event["parts"]
        good = isinstance(self.parts, list) and 1 <= len(self.parts) <= 100
        if not good or not all(map(is_part, self.parts)):
            raise Fault("contest/malformed")
        if sum(part["games"] for part in self.parts) > 10_000:
            raise Fault("contest/malformed")
        self.part_of = [part for part in self.parts for _ in range(part["games"])]

    def entered(self, event: dict[str, Any], head: str) -> None:
        before = [
            entry
            for entry in self.entries
            if entry["team"] == event["team"] and entry["removed"] is None
        ]
        good = event["entry"] == len(self.entries) and type(event["entry"]) is int
        if not good or not is_name(event["team"]) or not is_name(event["version"]):
            raise Fault("contest/entry")
        if event["version"] in [entry["version"] for entry in before]:
            raise Fault("contest/entry")
        if event["training"] is not bool(before):
            raise Fault("contest/entry")
        for entry in before:
            entry["over"] = entry["over"] or not entry["training"]
        more = {"head": head, "over": False, "results": {}, "waiting": {}}
        self.entries.append({**event, **more, "started": False, "removed": None})

    def present(self, event: dict[str, Any], code: str) -> dict[str, Any]:
        if not is_int(event["entry"], 0, len(self.entries) - 1):
            raise Fault(code)
        entry: dict[str, Any] = self.entries[event["entry"]]
        if entry["removed"] is not None:
            raise Fault(code)
        return entry

    def started(self, event: dict[str, Any], head: str) -> None:
        entry = self.present(event, "contest/entry")
        if entry["started"] or entry["over"]:
            raise Fault("contest/entry")
        entry["started"] = True

    def removed(self, event: dict[str, Any], head: str) -> None:
        entry = self.present(event, "contest/entry")
        if entry["started"]:
            raise Fault("contest/entry")
        if not isinstance(event["reason"], str) or not 1 <= len(event["reason"]) <= 200:
            raise Fault("contest/malformed")
        entry["removed"] = event["reason"]

    def running(self, event: dict[str, Any]) -> dict[str, Any]:
        entry = self.present(event, "contest/result")
        if self.format == SECOND and not entry["started"]:
            raise Fault("contest/result")
        if not is_int(event["slot"], 0, len(self.part_of) - 1):
            raise Fault("contest/result")
        if event["slot"] in entry["results"] or entry["over"]:
            raise Fault("contest/result")
        return entry

    def finished(self, event: dict[str, Any], head: str) -> None:
        entry = self.running(event)
        least = {"solved": 1, "given up": 0}.get(str(event["result"]))
        if least is None or not is_int(event["steps"], least, 2**53) or not is_hex(event["head"]):
            raise Fault("contest/result")
        entry["results"][event["slot"]] = event
        entry["waiting"].pop(event["slot"], None)

    def failed(self, event: dict[str, Any], head: str) -> None:
        entry = self.running(event)
        if event["slot"] in entry["waiting"]:
            raise Fault("contest/result")
        entry["waiting"][event["slot"]] = event["reason"]

    def recovered(self, event: dict[str, Any], head: str) -> None:
        entry = self.running(event)
        if event["slot"] not in entry["waiting"]:
            raise Fault("contest/result")
        del entry["waiting"][event["slot"]]

    def closed(self, event: dict[str, Any], head: str) -> None:
        by = event["by"]
        closers = ("time", "creator") if self.format == FIRST else ("time", "creator", "restore")
        if by not in closers or (by == "time" and event["at"] < self.closes):
            raise Fault("contest/time")
        seed = bytes.fromhex(event["seed"]) if is_hex(event["seed"]) else b""
        made = digest("fairground/contest-commitment/1", self.contest, seed).hex()
        if not seed or made != self.commitment:
            raise Fault("fair/bad-evidence")
        self.seed = seed

    def filing(self, heads: dict[tuple[int, int], str]) -> dict[str, Any]:
        parts: list[Any] = [self.contest, len(heads)]
        for (entry, slot), head in sorted(heads.items()):
            parts += [entry, slot, head]
        made = digest("fairground/contest-file/1", *parts).hex()
        return {"games": len(heads), "digest": made}

    def file_them(self, event: dict[str, Any], head: str) -> None:
        if type(event["games"]) is not int or not is_hex(event["digest"]):
            raise Fault("contest/malformed")
        self.filed = event

    def order(self, entry: int) -> list[int]:
        root = digest("fairground/contest-order/1", self.contest, entry, self.seed)
        return shuffle(len(self.part_of), HashStream(root))

    def seen(self, entry: int, game: int) -> tuple[list[int], list[int]]:
        if self.look == "none":
            part = self.part_of[game]
            return list(range(part["base"])), list(range(part["length"]))
        root = digest("fairground/contest-disguise/1", self.contest, entry, game, self.seed)
        stream, part = HashStream(root), self.part_of[game]
        return shuffle(part["base"], stream), shuffle(part["length"], stream)


def check_game(book: Book, heading: dict[str, Any], first: int, lines: list[bytes]) -> None:
    """Step 3, without the places of the headings."""
    number, slot = heading["entry"], heading["slot"]
    found = judge(b"".join(lines))
    if found["fault"]:
        raise Fault(found["fault"]["code"], first - 1 + (found["fault"]["line"] or 1))
    events = chain(lines, first)
    entry, game = book.entries[number], book.order(number)[slot]
    part, start = book.part_of[game], events[0]
    relayed = part.get("factory") is not None
    oracle = "evil" if relayed else part["oracle"]
    expected: dict[str, Any] = {
        "game": "codebreaking/1",
        "params": {"base": part["base"], "length": part["length"], "oracle": oracle},
        "dealer": "contest/1",
        "public": {"commitment": book.commitment, "contest": book.contest, "game": game},
    }
    keeper = "keeper elsewhere, unproven" if relayed else "keeper"
    seats = [(keeper, "house"), (f"{entry['team']} {entry['version']}", "self")]
    if any(start[name] != value for name, value in expected.items()):
        raise Fault("contest/game", first)
    if [(seat["name"], seat["by"]) for seat in start["seats"]] != seats:
        raise Fault("contest/game", first)
    digits, places = book.seen(number, game)
    note = {"contest": book.contest, "entry": number, "slot": slot, "entered": entry["head"],
            "digits": digits, "places": places}  # fmt: skip
    if relayed:
        note["factory"] = part["factory"]
    at = 3 if oracle == "fair" else 1
    if events[at]["kind"] != "note" or events[at]["body"] != note:
        raise Fault("contest/disguise", first + at)
    for i, event in enumerate(events):
        if event["kind"] == "note" and i != at and set(event["body"]) != {"remark"}:
            raise Fault("contest/disguise", first + i)
    check_end(entry["results"].get(slot), relayed, events, first, lines)


def check_end(
    result: Any, relayed: bool, events: list[dict[str, Any]], first: int, lines: list[bytes]
) -> None:
    last = max(i for i, event in enumerate(events) if event["kind"] not in ("opening", "end"))
    moves = [event for event in events if event["kind"] == "move"]
    codes = [i for i, e in enumerate(moves) if e["seat"] == 1 and isinstance(e["move"], list)]
    steps = sum(i + 1 < len(moves) for i in codes)
    ending, where = events[last], first + last
    if any(event["seat"] == 0 and event["move"] == "no code" for event in moves):
        raise Fault("contest/lie", where)
    said = (ending.get("seat"), ending.get("by"), ending.get("reason"))
    left = ending["kind"] == "forfeit"
    if result is None:
        if not left or said != (1, "house", "the contest closed"):
            raise Fault("contest/result", where)
        return
    if left and not (relayed and said == (1, "seat", "given up")):
        raise Fault("contest/result", where)
    how = "solved" if events[-1]["payoff"] == [steps, -steps] else "given up"
    if (how, steps) != (result["result"], result["steps"]):
        raise Fault("contest/result", where)
    if sha3(lines[last]) != result["head"]:
        raise Fault("contest/result", where)


# The standings


def text(value: Fraction | Decimal) -> str:
    if isinstance(value, Fraction):
        value = FORTY.divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(value.quantize(Decimal("1e-12"), ROUND_HALF_EVEN, FORTY), "f")


def interval(values: list[int], least: int | None = None) -> dict[str, str | None]:
    n = len(values)
    if not n:
        return {"mean": None, "low": None, "high": None}
    mean = Fraction(sum(values), n)
    if n == 1:
        return {"mean": text(mean), "low": None, "high": None}
    assert n <= len(STUDENT) + 1
    total = n * sum(value * value for value in values) - sum(values) ** 2
    square = Fraction(total, n * (n - 1) * n)
    spread = FORTY.sqrt(FORTY.divide(Decimal(square.numerator), Decimal(square.denominator)))
    half = FORTY.multiply(spread, Decimal(STUDENT[n - 2]))
    middle = FORTY.divide(Decimal(sum(values)), Decimal(n))
    low, high = FORTY.subtract(middle, half), FORTY.add(middle, half)
    low = low if least is None else max(low, Decimal(least))
    return {"mean": text(mean), "low": text(low), "high": text(high)}


def p_of(differences: list[int]) -> Fraction:
    sizes = [abs(d) for d in differences if d]
    seen = abs(sum(differences))
    patterns = list(product((1, -1), repeat=len(sizes)))
    far = [abs(sum(s * d for s, d in zip(p, sizes, strict=True))) >= seen for p in patterns]
    return Fraction(sum(far), len(patterns)) if seen else Fraction(1)


def standings(book: Book) -> dict[str, Any]:
    games = len(book.part_of)
    steps = {
        e["entry"]: {
            book.order(e["entry"])[slot]: result["steps"]
            for slot, result in e["results"].items()
            if result["result"] == "solved"
        }
        for e in book.entries
    }
    rows = {}
    least = None if book.format == FIRST else 1
    here = [entry for entry in book.entries if entry["removed"] is None]
    for entry in here:
        values = list(steps[entry["entry"]].values())
        counts = sorted(Counter(values).items())
        waiting = list(entry["waiting"].values())
        rows[entry["entry"]] = {
            "entry": entry["entry"], "team_name": entry["team"],
            "software_version": entry["version"], "training": entry["training"], "games": games,
            "solved": len(values), "given_up": len(entry["results"]) - len(values),
            "unfinished": games - len(values), "still_open": 0, "waiting": len(waiting),
            "trouble": waiting[-1] if waiting else None, "steps": sum(values),
            **interval(values, least), "worst": max(values, default=None),
            "counts": [list(pair) for pair in counts],
        }  # fmt: skip
    official = [e["entry"] for e in here if not e["training"]]

    def key(e: int) -> tuple[int, Fraction]:
        return -len(steps[e]), Fraction(sum(steps[e].values()), len(steps[e]) or 1)

    official.sort(key=lambda e: (*key(e), e))
    ranks: dict[int, int] = {}
    for place, e in enumerate(official):
        same = place and key(official[place - 1]) == key(e)
        ranks[e] = ranks[official[place - 1]] if same else place + 1
    assert len(official) <= 10
    same_code = {g for g, part in enumerate(book.part_of) if part.get("factory") is None}
    table = {
        "contest": book.contest,
        "final": True,
        "games": games,
        "official": [{"rank": ranks[e], **rows[e]} for e in official],
        "training": [rows[e["entry"]] for e in here if e["training"]],
        "pairs": pairs(book, steps, official, same_code),
        "notes": NOTES,
    }
    return table if book.format == FIRST else {**table, **sides(book, steps, official)}


UNDISGUISED = (
    "Teams met the same codes in the same digits and places: there is no disguise. Who has met a "
    "code can tell it to another team, or enter again under another name. So ranks are evidence "
    "only among teams that did neither."
)
PARTS = (
    "Parts and factories: steps of all official entries together, in the games that they solved. "
    "Factories rank by the larger mean. Intervals take all these games as independent."
)


def sides(book: Book, steps: dict[int, dict[int, int]], official: list[int]) -> dict[str, Any]:
    """What the second format adds; here for contests of which no game is relayed."""
    assert all(part.get("factory") is None for part in book.parts)

    def took(entries: list[int], games: range) -> dict[str, Any]:
        values = [steps[e][g] for e in entries for g in games if g in steps[e]]
        return {
            "solved": len(values), "unfinished": len(entries) * len(games) - len(values),
            "still_open": 0, "waiting": 0, "steps": sum(values), **interval(values, 1),
            "worst": max(values, default=None),
        }  # fmt: skip

    parts, first = [], 0
    for number, part in enumerate(book.parts):
        games = range(first, first + part["games"])
        first += part["games"]
        parts.append(
            {
                "part": number, "base": part["base"], "length": part["length"],
                "oracle_type": part["oracle"], "oraclefactory": None, "games": part["games"],
                **took(official, games),
                "teams": [{"entry": e, **took([e], games)} for e in official],
            }
        )  # fmt: skip
    removed = [
        {
            "entry": e["entry"], "team_name": e["team"], "software_version": e["version"],
            "reason": e["removed"],
        }
        for e in book.entries
        if e["removed"] is not None
    ]  # fmt: skip
    codes = NOTES[0] if book.look == "drawn" else UNDISGUISED
    return {
        "disguise": book.look,
        "parts": parts,
        "factories": [],
        "removed": removed,
        "notes": [codes, *NOTES[1:], PARTS],
    }


def pairs(
    book: Book, steps: dict[int, dict[int, int]], official: list[int], games: set[int]
) -> list[dict[str, Any]]:
    names = {e["entry"]: repr(f"{e['team']} {e['version']}") for e in book.entries}
    found = []
    for a, b in combinations(official, 2):
        both = [
            steps[a][g] - steps[b][g] for g in sorted(games & steps[a].keys() & steps[b].keys())
        ]
        solving = [(g in steps[a]) - (g in steps[b]) for g in sorted(games)]
        found.append((a, b, both, solving, p_of(both), p_of(solving)))
    p = [min(Fraction(1), 2 * min(row[4], row[5])) for row in found]
    told: set[int] = set()
    for i in sorted(range(len(found)), key=lambda i: (p[i], i)):
        if p[i] * (len(found) - len(told)) > Fraction(1, 20):
            break
        told.add(i)
    out = []
    for i, (a, b, both, solving, p_steps, p_solving) in enumerate(found):
        by_steps = p_steps <= p_solving
        balance = -sum(both) if by_steps else sum(solving)
        better = None if i not in told or not balance else a if balance > 0 else b
        says = f"{names[a]} and {names[b]} are not separable: their order is no evidence"
        if better is not None:
            by = "steps" if by_steps else "games solved"
            says = f"{names[better]} is better than {names[a + b - better]}, by {by}"
        out.append(
            {
                "a": a, "b": b, "both_solved": len(both), "only_a_solved": solving.count(1),
                "only_b_solved": solving.count(-1), "difference": interval(both),
                "p_steps": text(p_steps), "p_solving": text(p_solving),
                "separable": better is not None, "better": better, "says": says,
            }
        )  # fmt: skip
    return out


def check(data: bytes) -> dict[str, Any]:
    """The verdict on a contest file."""
    try:
        *lines, tail = data.split(b"\n")
        (heading, first, book_lines), *games, (_, where, last) = split(
            [line + b"\n" for line in lines] + ([tail] if tail else [])
        )
        if heading["format"] not in (FIRST, SECOND):
            raise Fault("contest/malformed", 1)
        book = Book(chain(book_lines, first), book_lines, first)
        if book.contest != heading["contest"] or book.format != heading["format"]:
            raise Fault("contest/malformed", 1)
        heads: dict[tuple[int, int], str] = {}
        for game, at, game_lines in games:
            place = (game["entry"], game["slot"])
            good = is_int(place[0], 0, len(book.entries) - 1)
            good = good and is_int(place[1], 0, len(book.part_of) - 1)
            if not good or (heads and place <= max(heads)):
                raise Fault("contest/game", at - 1)
            if book.format == SECOND and not book.entries[place[0]]["started"]:
                raise Fault("contest/game", at - 1)
            check_game(book, game, at, game_lines)
            heads[place] = sha3(game_lines[-1])
        for i, event in enumerate(chain(book_lines, first)):
            if event["kind"] == "finished" and (event["entry"], event["slot"]) not in heads:
                raise Fault("contest/game", first + i)
        assert book.filed is not None
        if any(book.filed[name] != value for name, value in book.filing(heads).items()):
            raise Fault("contest/game", first - 1 + len(book_lines))
        table = standings(book)
        if last[0] != line_of({"kind": "standings", "book": sha3(book_lines[-1]), **table}):
            raise Fault("contest/standings", where)
    except Fault as fault:
        return {"ok": False, "fault": {"code": fault.code, "line": fault.line}}
    return {"ok": True, "fault": None, "standings": table, "transcripts": len(games)}

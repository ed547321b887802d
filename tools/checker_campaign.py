#!/usr/bin/env python3
"""A campaign: both checkers judge honest and forged records; every disagreement is printed.

    python tools/checker_campaign.py --seed S --mutants N --made N --played N [--result FILE]

Honest records: the vectors, what web/test/make.ts makes, and what the command line plays. Forged
ones: values changed and chained anew, events moved, dropped, doubled, evidence swapped, receipts
of every kind.
Only subprocesses and JSON: nothing of Fairground is imported.
"""

from __future__ import annotations

import argparse
import collections
import copy
import glob
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DENO = os.path.join(os.path.dirname(sys.executable), "deno")
FAIRGROUND = os.path.join(os.path.dirname(sys.executable), "fairground")
ENV = {**os.environ, "DENO_NO_UPDATE_CHECK": "1"}
NICE = ["nice", "-n", "10"]


def ours(files: list[str]) -> list[dict]:
    """The verdicts of the checker in TypeScript."""
    run = subprocess.run(
        [*NICE, DENO, "run", "--allow-read", "check/cli.ts"],
        input="\n".join(files),
        capture_output=True,
        text=True,
        env=ENV,
        cwd=os.path.join(HERE, "web"),
    )
    if run.returncode:
        sys.exit(run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


def theirs(files: list[str]) -> list[dict]:
    """The verdicts of Fairground."""
    out: list[dict] = []
    for start in range(0, len(files), 400):
        part = files[start : start + 400]
        run = subprocess.run(
            [*NICE, FAIRGROUND, "verify", "--json", *part], capture_output=True, text=True
        )
        try:
            answer = json.loads(run.stdout)
        except json.JSONDecodeError:
            sys.exit(f"Fairground gave no JSON (exit {run.returncode}): {run.stderr[-2000:]}")
        out += answer["verdicts"] if "verdicts" in answer else [answer]
    return out


def key(verdict: dict) -> tuple:
    """The parts of a verdict that must be equal."""
    claims = [
        (c["claim"], c["seat"], c["name"], c["lines"], c["witness"]) for c in verdict["claims"]
    ]
    return verdict["ok"], verdict["verdict"], verdict["payoff"], claims


def fault(verdict: dict) -> tuple | None:
    return verdict["fault"] and (verdict["fault"]["code"], verdict["fault"]["line"])


def words(verdict: dict) -> list:
    return [(c["condition"], c["result"]) for c in verdict["claims"]]


# Forging.


def dump(event) -> str:
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def chain(events: list) -> bytes:
    head, out = "0" * 64, b""
    for event in events:
        if isinstance(event, dict):
            event["prev"] = head
        line = (dump(event) + "\n").encode("utf-8", "surrogatepass")
        head = hashlib.sha3_256(line).hexdigest()
        out += line
    return out


def places(value, path=()):
    """All scalars within a value, by their paths."""
    if isinstance(value, dict):
        for name in value:
            if not (path == () and name == "prev"):
                yield from places(value[name], (*path, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from places(part, (*path, index))
    yield path


def get(value, path):
    for part in path:
        value = value[part]
    return value


def put(value, path, new):
    get(value, path[:-1])[path[-1]] = new


def other(r: random.Random, value):
    """Another value that looks alike, or not at all."""
    if r.random() < 0.12:
        return r.choice(
            [
                None,
                True,
                False,
                0,
                1,
                -1,
                2**53 - 1,
                "",
                "0",
                [],
                {},
                "9007199254740992",
                "-5",
                [0],
                "a" * 201,
            ]
        )
    if isinstance(value, bool):
        return r.choice([not value, int(value), None])
    if isinstance(value, int):
        return r.choice(
            [
                value + 1,
                value - 1,
                -value,
                0,
                1,
                2,
                str(value),
                value * 2,
                bool(value),
                r.randrange(60),
            ]
        )
    if isinstance(value, str):
        if len(value) >= 60 and all(c in "0123456789abcdefABCDEF" for c in value):
            at = r.randrange(len(value))
            return r.choice(
                [
                    value[:at] + r.choice("0123456789abcdef") + value[at + 1 :],
                    value.upper(),
                    value.lower(),
                    value[:-1],
                    value + "0",
                    value[::-1],
                    "0" * len(value),
                ]
            )
        return r.choice(
            [
                value + "x",
                value[:-1],
                "",
                value + " ",
                value.upper(),
                " ",
                "seat",
                "house",
                "self",
                "stir",
                "chain",
                "number",
                "nothing",
                "link",
                "tip",
                "once",
                "each",
                "roll",
                "hold",
                "pass",
                "give up",
                "no code",
                "end",
                "redeal",
                "fair",
                "nice",
                "evil",
            ]
        )
    if isinstance(value, list):
        new = copy.deepcopy(value)
        if new and r.random() < 0.5:
            del new[r.randrange(len(new))]
        elif new:
            new.insert(r.randrange(len(new) + 1), copy.deepcopy(r.choice(new)))
        else:
            new = [0]
        return new
    if isinstance(value, dict):
        new = copy.deepcopy(value)
        if new and r.random() < 0.6:
            del new[r.choice(list(new))]
        else:
            new[r.choice(["x", "seed", "tip", "key", "link", "blind", "name", "by", "lends"])] = (
                r.choice([0, "", "0" * 64])
            )
        return new
    return 0


def change(r, events, pool):
    index = r.randrange(len(events))
    found = [path for path in places(events[index]) if path]
    path = r.choice(found)
    put(events[index], path, other(r, get(events[index], path)))


def drop(r, events, pool):
    del events[r.randrange(len(events))]


def double(r, events, pool):
    index = r.randrange(len(events))
    events.insert(r.choice([index, r.randrange(len(events) + 1)]), copy.deepcopy(events[index]))


def swap(r, events, pool):
    if len(events) > 2:
        a = r.randrange(1, len(events) - 1)
        b = r.choice([a + 1, r.randrange(1, len(events))])
        events[a], events[b] = events[b], events[a]


def move_event(r, events, pool):
    event = events.pop(r.randrange(len(events)))
    events.insert(r.randrange(len(events) + 1), event)


def cut(r, events, pool):
    del events[r.randrange(1, len(events) + 1) :]


def cut_but_end(r, events, pool):
    at = r.randrange(1, len(events))
    del events[at : len(events) - 1]


def insert(r, events, pool):
    seats = (
        len(events[0].get("seats", [0, 1])) if isinstance(events[0].get("seats", []), list) else 2
    )
    event = r.choice(
        [
            {
                "kind": "note",
                "body": r.choice([{}, {"remark": "x"}, {"order_signature": "00" * 65}, 5]),
            },
            {
                "kind": "forfeit",
                "seat": r.randrange(max(seats, 1)),
                "by": r.choice(["seat", "house", "self"]),
                "reason": r.choice(["", "bye", "x" * 200, "x" * 201]),
            },
            {"kind": "void", "code": "house/lost", "reason": "x"},
            {"kind": "end", "payoff": r.choice([None, [0, 0]])},
            {"kind": "opening", "run": r.randrange(4), "draws": [], "evidence": {}},
            {
                "kind": "move",
                "seat": r.randrange(max(seats, 1)),
                "move": r.choice([0, "roll", "hold", [0, 0, 0, 0, 0]]),
            },
        ]
    )
    events.insert(r.randrange(1, len(events) + 1), event)


def leave_here(r, events, pool):
    """A seat leaves, and the record ends there, closed by some payoff."""
    at = r.randrange(1, len(events))
    seats = len(events[0]["seats"]) if isinstance(events[0].get("seats"), list) else 2
    tail = [e for e in events[at:] if isinstance(e, dict) and e.get("kind") in ("opening", "end")]
    del events[at:]
    events.append(
        {"kind": "forfeit", "seat": r.randrange(max(seats, 1)), "by": "seat", "reason": "bye"}
    )
    events += tail if r.random() < 0.7 else []


def void_here(r, events, pool):
    at = r.randrange(1, len(events))
    del events[at:]
    events += [
        {"kind": "void", "code": "house/lost", "reason": "x"},
        {"kind": "end", "payoff": None},
    ]


def splice(r, events, pool):
    donor = r.choice(pool)
    events[r.randrange(len(events))] = copy.deepcopy(r.choice(donor))


def exchange(r, events, pool):
    """Two events of a kind change their contents."""
    kinds = [
        e
        for e in events
        if isinstance(e, dict)
        and e.get("kind") in ("ticket", "dealt", "opening", "share", "seal", "open")
    ]
    if len(kinds) > 1:
        a, b = r.sample(kinds, 2)
        for name in ("ticket", "evidence", "value", "commitment", "key"):
            if name in a and name in b:
                a[name], b[name] = b[name], a[name]


def seat_change(r, events, pool):
    start = events[0]
    seat = r.choice(start["seats"])
    name = r.choice(["by", "lends", "name"])
    if r.random() < 0.2:
        seat.pop(name, None)
    else:
        seat[name] = {
            "by": r.choice(["self", "house"]),
            "lends": r.choice(["nothing", "number", "stir", "chain", "seed"]),
            "name": r.choice(["Ann", "", "x" * 80, "x" * 81, "\u202eBob", "a\nb", "é", "🎲" * 80]),
        }[name]


def start_change(r, events, pool):
    start = events[0]
    name = r.choice(["params", "public"])
    if start[name] and r.random() < 0.8:
        member = r.choice(list(start[name]))
        start[name][member] = other(r, start[name][member])
    else:
        start[name] = other(r, start[name])


def game_change(r, events, pool):
    events[0][r.choice(["game", "dealer"])] = r.choice(
        [
            "poker/2",
            "zombie/2",
            "hmac-sha3-user/1",
            "hash-chains/1",
            "contest/1",
            "seeded/1",
            "system/1",
            "croupier/1",
            "croupier-2017/0",
            "intransitive/1",
            "toString",
            "fatestones/1",
            "codebreaking/1",
            "bank-poker/1",
            "constructor",
        ]
    )


def payoff_change(r, events, pool):
    if isinstance(events[-1], dict) and isinstance(events[-1].get("payoff"), list):
        r.shuffle(events[-1]["payoff"])


FORGERIES = [
    change,
    change,
    change,
    drop,
    double,
    swap,
    move_event,
    cut,
    cut_but_end,
    insert,
    insert,
    leave_here,
    void_here,
    splice,
    exchange,
    seat_change,
    start_change,
    game_change,
    payoff_change,
]


def raw(r: random.Random, text: bytes) -> bytes:
    """Bytes changed, the chain as it was."""
    at = r.randrange(len(text))
    return r.choice(
        [
            lambda: text[:at] + bytes([r.randrange(256)]) + text[at + 1 :],
            lambda: text[:at] + text[at + 1 :],
            lambda: (
                text[:at]
                + r.choice([b" ", b"\n", b"\r\n", b"\xef\xbb\xbf", b"0", b"\\u0041", b"\x00"])
                + text[at:]
            ),
            lambda: text[:at],
            lambda: text.replace(b"\n", b"\r\n"),
            lambda: b"\xef\xbb\xbf" + text,
            lambda: b"",
            lambda: b"\n",
            lambda: text.rstrip(b"\n"),
            lambda: text + b"\n",
        ]
    )()


def keep(r: random.Random, text: bytes) -> str:
    """A file of receipts: true ones, late ones, those of other seats, false ones."""
    lines = text.split(b"\n")[:-1]
    try:
        first = json.loads(lines[0])
        table, seats = first["table"], len(first["seats"])
    except (ValueError, KeyError, IndexError, TypeError):
        return ""
    heads = [hashlib.sha3_256(line + b"\n").hexdigest() for line in lines]
    share = r.choice([0.1, 0.3, 0.6, 1])
    out = []
    for step, head in enumerate(heads, 1):
        if r.random() < share:
            seat = r.randrange(max(seats, 1))
            row = {"head": head, "seat": seat, "step": step, "table": table}
            odd = r.random()
            if odd < 0.05:
                row["seat"] = r.choice([None, "1", True, -1, 99, 0.5])
            elif odd < 0.08:
                del row["seat"]
            elif odd < 0.10:
                row["head"] = head.upper() + " "
            elif odd < 0.11:
                row["table"] = "0" * 64
            elif odd < 0.112:
                row["head"] = r.choice(["0" * 64, "x", 5, None])
            out.append(json.dumps(row) + r.choice(["\n", "\n", "\n\n"]))
    r.shuffle(out)
    return "".join(out)


# The command line of Fairground, as a black box that plays.


def played(r: random.Random, folder: str, count: int) -> list[str]:
    files = []
    for index in range(count):
        path = os.path.join(folder, f"played-{index:05d}.jsonl")
        args, said = play_line(r, path)
        subprocess.run(
            [*NICE, FAIRGROUND, *args], input=said, capture_output=True, text=True, timeout=120
        )
        if os.path.exists(path):
            files.append(path)
    return files


def play_line(r: random.Random, path: str) -> tuple[list[str], str]:
    """A command that plays one game, and what is typed into it."""

    def some(*words: str) -> str:
        return "\n".join(r.choice(words) for _ in range(300)) + "\n"

    stir = r.choice(["once", "each"])
    kind = r.choice(["dice", "fatestones", "zombie", "codebreaking", "simulate", "croupier"])
    if kind == "dice":
        dice = r.choice(
            [["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"], ["1", "2,3", "0,9", "4,4,4,4"]]
        )
        return ["dice", *dice, "--save", path], some("0", "1", "2", "3")
    if kind == "fatestones":
        who = r.choice([["--opponent", "random"], ["--opponent", "greedy"], ["--hot-seat"]])
        return ["fatestones", *who, "--stir", stir, "--save", path], some(
            "1", "2", "3", "0", "rain", "hint"
        )
    if kind == "zombie":
        names = r.choice(["Ann,Hal=cautious", "Ann,Bob,Hal=greedy", "Ann,Bob"])
        return ["zombie", "--players", names, "--fast", "--stir", stir, "--save", path], some(
            "", "", "h", "rain"
        )
    if kind == "codebreaking":
        oracle = r.choice(["fair", "nice", "evil"])
        word = r.choice([["--share", "tin roof"], ["--no-share"]])
        return [
            "codebreaking",
            "--base",
            "3",
            "--length",
            "2",
            "--oracle",
            oracle,
            *word,
            "--save",
            path,
        ], some(*[f"{a}{b}" for a in range(3) for b in range(3)])
    if kind == "croupier":
        return [
            "croupier",
            "--hands",
            "1",
            "--bet",
            str(r.randint(1, 10)),
            "--level",
            str(r.randint(1, 5)),
            "--save",
            path,
        ], some("1", "2 3", "", "12345", "y")
    return [
        "simulate",
        "fatestones",
        "--players",
        "greedy,random",
        "--seed",
        str(r.random()),
        "--game",
        str(r.randrange(99)),
        "--transcript",
        path,
    ], ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--made", type=int, default=300)
    parser.add_argument("--played", type=int, default=0)
    parser.add_argument("--out", help="keep the records in this folder")
    parser.add_argument("--result", help="write the figures to this file, too")
    parser.add_argument("--show", type=int, default=8)
    args = parser.parse_args()
    args.out = args.out or tempfile.mkdtemp(prefix="fairground-campaign-")
    os.makedirs(args.out, exist_ok=True)
    r = random.Random(args.seed)
    subprocess.run(
        [*NICE, DENO, "run", "--allow-write", "test/make.ts", args.out, args.seed, str(args.made)],
        env=ENV,
        cwd=os.path.join(HERE, "web"),
        check=True,
    )
    honest = sorted(glob.glob(args.out + "/made-*.jsonl")) + played(r, args.out, args.played)
    vectors = [
        f for f in sorted(glob.glob(HERE + "/tests/vectors/games/*.jsonl")) if "/contest" not in f
    ]
    vectors += sorted(glob.glob(HERE + "/tests/playthroughs/*.jsonl")) + sorted(
        glob.glob(HERE + "/tests/data/claims/*.jsonl")
    )
    bases = []
    for path in [f for f in vectors + honest if "refused-line--" not in f]:
        with open(path, "rb") as file:
            text = file.read()
        try:
            events = [json.loads(line) for line in text.splitlines()]
            if (
                all(isinstance(e, dict) for e in events)
                and events
                and "seats" in events[0]
                and isinstance(events[0]["seats"], list)
                and len(events[0]["seats"])
                and all(isinstance(s, dict) for s in events[0]["seats"])
                and isinstance(events[0].get("public"), dict)
                and isinstance(events[0].get("params"), dict)
            ):
                bases.append((path, text, events))
        except ValueError:
            pass
    pool = [events for _, _, events in bases]
    weights = [5 if "/vectors/" in path and "refused" not in path else 1 for path, _, _ in bases]
    how: dict[str, str] = {}
    for index in range(args.mutants):
        path, text, events = r.choices(bases, weights)[0]
        name = os.path.join(args.out, f"forged-{args.seed}-{index:06d}")
        dice = r.random()
        if dice < 0.12:
            new, told = raw(r, text), "raw"
        elif dice < 0.30:
            new, told = text, "receipts"
        else:
            events = copy.deepcopy(events)
            done = []
            for _ in range(r.choice([1, 1, 1, 2, 3])):
                if not events:
                    break
                forge = r.choice(FORGERIES)
                try:
                    forge(r, events, pool)
                except (IndexError, KeyError, TypeError, ValueError, AttributeError):
                    continue
                done.append(forge.__name__)
            new, told = chain(events), "+".join(done) or "nothing"
        if told == "receipts" or r.random() < 0.15:
            kept = keep(r, new)
            if kept:
                with open(name + ".receipts", "w") as file:
                    file.write(kept)
        with open(name + ".jsonl", "wb") as file:
            file.write(new)
        how[name + ".jsonl"] = f"{told} of {os.path.basename(path)}"
    files = vectors + honest + sorted(how)
    mine, ref = ours(files), theirs(files)
    assert len(mine) == len(ref) == len(files), (len(mine), len(ref), len(files))
    counts: collections.Counter = collections.Counter()
    verdicts: collections.Counter = collections.Counter()
    for m, t in zip(mine, ref, strict=True):
        assert m["file"] == t["file"]
        verdicts[t["verdict"]] += 1
        what = (
            "differ"
            if key(m) != key(t)
            else "fault"
            if fault(m) != fault(t)
            else "words"
            if words(m) != words(t)
            else "same"
        )
        counts[what] += 1
        if (what in ("differ", "fault") and counts[what] <= args.show) or (
            what == "words" and counts[what] <= 2
        ):
            print(what.upper(), m["file"], "|", how.get(m["file"], ""))
            print("   ours  ", m["verdict"], m["payoff"], m["fault"])
            print("   theirs", t["verdict"], t["payoff"], t["fault"])
            for claim in m["claims"]:
                if claim not in t["claims"]:
                    print(
                        "   + ours  ",
                        claim["claim"],
                        claim["seat"],
                        claim["lines"],
                        claim["witness"],
                        claim["condition"] if what == "words" else "",
                    )
            for claim in t["claims"]:
                if claim not in m["claims"]:
                    print(
                        "   + theirs",
                        claim["claim"],
                        claim["seat"],
                        claim["lines"],
                        claim["witness"],
                        claim["condition"] if what == "words" else "",
                    )
    figures = json.dumps(
        {
            "seed": args.seed,
            "files": len(files),
            "vectors": len(vectors),
            "honest": len(honest),
            "forged": len(how),
            "verdicts": dict(verdicts),
            "agree": len(files) - counts["differ"],
            "disagree": counts["differ"],
            "other_fault": counts["fault"],
            "other_words": counts["words"],
        }
    )
    print(figures)
    if args.result:
        with open(args.result, "a", encoding="ascii") as file:
            file.write(figures + "\n")
    sys.exit(counts["differ"] > 0)


if __name__ == "__main__":
    main()

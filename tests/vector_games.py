"""Whole records with the verdict that they deserve, for checkers in any language.

Each case is a file ``NAME.jsonl``, perhaps a file ``NAME.receipts``, and ``NAME.verdict.json``:
what ``fairground verify --json`` says of it, without names and sentences. ``index.json`` lists
them all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fairground.bank.hand import AT_HOME
from fairground.bank.schemes import HistoricDealer
from fairground.contest.book import NO_DISGUISE, RESTORE
from fairground.contest.file import check
from fairground.core import SecretLost
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games import make_game
from fairground.receipts import Kept, read_receipts, table_of
from fairground.table import Ask, Table
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import mode, secret
from fairground.transcript import line_hash
from fairground.verifier import Verdict, verify
from tests.helpers.contests import House, a_contest, rechained, sections
from tests.helpers.fixed_hand import DOMAIN, ORDER, Hand, key_of
from tests.helpers.forging import Edit, events_of, find, forge, rechain
from tests.helpers.samples import _ZOMBIE, SAMPLES, SEED_DICE
from tests.test_forgeries import (
    DICE_FORGERIES,
    HEX,
    ODD_LINES,
    Events,
    delete,
    dice_game,
    set_,
    swap,
)


class Case(NamedTuple):
    """One record."""

    name: str
    says: str
    data: bytes
    receipts: Sequence[Kept] = ()

    @property
    def receipts_file(self) -> str:
        return "".join(kept.line for kept in self.receipts)

    def verdict(self) -> Verdict:
        with TemporaryDirectory() as folder:
            path = Path(folder, "game.receipts")
            path.write_text(self.receipts_file)
            return verify(self.data, read_receipts(path, table_of(self.data)))


def told(verdict: Verdict) -> dict[str, Any]:
    """What a checker in another language must come to."""
    full = verdict.as_json()
    return {
        "verdict": full["verdict"],
        "result": full["result"],
        "answers": full["answers"],
        "owed": full["owed"],
        "fault": full["fault"] and {"code": full["fault"]["code"], "line": full["fault"]["line"]},
        "claims": [
            {
                name: claim[name]
                for name in ("claim", "seat", "condition", "result", "lines", "witness")
            }
            for claim in full["claims"]
        ],
        "payoff": full["payoff"],
    }


# Playing


class Keeping(Driver):
    """A driver that keeps the head of every ask of some seats before it answers."""

    def __init__(self, table: Table, seats: Sequence[int] = (), seed: str = "driver") -> None:
        super().__init__(table, seed)
        self.seats = seats
        self.kept: list[Kept] = []

    def answer(self, ask: Ask) -> Any:
        if ask.seat in self.seats:
            self.kept.append(Kept.of(self.table.setting.table, ask))
        return super().answer(ask)


def until(driver: Driver, wanted: Callable[[Table], bool]) -> Table:
    """Answer until this is so."""
    while not wanted(driver.table):
        assert driver.once(), "the game ended before that"
    return driver.table


def asked(kind: str, seat: int | None = None, run: int = 0) -> Callable[[Table], bool]:
    """Whether a seat is asked for this now, with at least so many runs begun."""
    return lambda table: (
        len(table.runs) >= run
        and any(ask.kind == kind and seat in (None, ask.seat) for ask in table.asks())
    )


WAYS = (
    "hmac-sha3-user-number",
    "hash-chains-once",
    "hash-chains-each",
    "hash-chains-chain",
    "contest-cup",
    "seeded-tape",
    "system-plain",
)
ALONE = ("hmac-sha3-user-alone", "hash-chains-alone")
DICE = {"dice": SEED_DICE}
THREE = {**_ZOMBIE, "players": 3}
LONGER = {**THREE, "brains_to_win": 4, "max_turns": 0}
PEOPLE = (Chair("Ann", "self", "chain"), Chair("Bob", "self", "chain"))
MIXED = (Chair("Hal", "house"), Chair("Ann", "self", "stir"), Chair("Bob", "self", "stir"))


def whole_games() -> Iterator[Case]:
    """Every game under every scheme that it can be played under."""
    for game, samples in SAMPLES.items():
        for at, sample in enumerate(samples):
            for way in (*WAYS, *ALONE) if game == "intransitive/1" and not at else WAYS:
                table = Driver(open_table(sample.make(), mode(way))).play()
                says = f"{game}, {sample.label}, under {way}"
                yield Case(f"played-{sample.name}--{way}", says, bytes(table.transcript))
    for game in ("fatestones/1", "poker/2", "zombie/2"):
        table = Driver(open_table(make_game(game, {}), mode("hash-chains-each"))).play()
        name = f"played-{game.replace('/', '-')}-default--hash-chains-each"
        yield Case(name, f"{game} with its default parameters", bytes(table.transcript))


def special_games() -> Iterator[Case]:
    """What is rare: two people, words that are blank, notes, large numbers, odd names."""
    game = make_game("fatestones/1", {})
    table = Driver(open_table(game, mode("hash-chains-chain"), chairs=PEOPLE)).play()
    yield Case(
        "people-chains", "two people with chains; seals between them", bytes(table.transcript)
    )
    zombies = make_game("zombie/2", LONGER)
    for way in ("once", "each"):
        table = Driver(open_table(zombies, mode(f"hash-chains-{way}"), chairs=MIXED)).play()
        yield Case(
            f"people-stir-{way}", "two people stir beside a machine", bytes(table.transcript)
        )
    mixed = (Chair("Hal", "house"), Chair("Ann", "self", "stir"), Chair("Bob", "self", "chain"))
    table = Driver(open_table(zombies, mode("hash-chains-chain"), chairs=mixed)).play()
    yield Case("people-stir-and-chain", "one stirs, one holds a chain", bytes(table.transcript))
    for name, words, says in (
        ("blank", [" \t\n\x1c\x85\u3000", "", "\u2029"], "words that are blank lend nothing"),
        ("not-blank", ["\u200b", "0", "\ufeff"], "these signs are not blank, though they look so"),
        (
            "some-blank",
            ["word", " ", "more"],
            "one blank word: a run that the seat lent nothing to",
        ),
    ):
        table = open_table(make_game("intransitive/1", DICE), mode("hash-chains-each"))
        driver, given = Driver(table), iter(words)
        while table.asks():
            (ask,) = table.asks()
            table.submit(ask, next(given) if ask.kind == "stir" else driver.answer(ask))
        yield Case(f"stir-{name}", says, bytes(table.transcript))
    table = open_table(make_game("intransitive/1", DICE), mode("hash-chains-once"))
    driver = Driver(table)
    while driver.once():
        if table.asks():
            table.note({"remark": "été 🎲", "deep": [[[{"a": None, "b": True}]]]})
    yield Case("notes", "a note before every answer", bytes(table.transcript))
    sizes = {"base": 100, "length": 40, "oracle": "fair"}
    table = open_table(make_game("codebreaking/1", sizes), mode("hmac-sha3-user-number"))
    driver = Driver(table)
    while table.asks():
        (ask,) = table.asks()
        give_up = ask.kind == "move" and ask.seat == 1
        code = table.state.code
        own = "give up" if give_up else code if ask.kind == "move" else driver.answer(ask)
        table.submit(ask, own)
    yield Case("large-numbers", "a draw of 100^40, written as text", bytes(table.transcript))
    unused = forge(dice_game("hash-chains-chain"), set_("ticket", 1, "ticket", "tip", HEX))
    yield Case("unused-next-tip", "another tip of a chain that is never used", unused)
    odd = "Ann\n  UNIFORM:1\x1b[2J\u202e"
    named = forge(dice_game(), set_("start", 0, "seats", 1, "name", odd))
    yield Case("odd-name", "a name that pretends to be ours: valid, shown as escapes", named)


def keepers() -> Iterator[Case]:
    """An evil keeper by its rule, one that gives in, and one whose codes are too many."""
    for name, sizes, answers in (
        ("by-its-rule", (3, 2), [(0, 0), (1, 0), (0, 0), (2, 0)]),
        ("gives-in", (3, 2), [(2, 0)]),
        ("too-large", (10, 6), [(6, 0)]),
    ):
        base, length = sizes
        game = make_game("codebreaking/1", {"base": base, "length": length, "oracle": "evil"})
        table = open_table(game, mode("system-plain"))
        guesses = iter([(0, 0), (1, 2), (1, 1), (2, 2)] if length == 2 else [(0,) * length])
        given = iter(answers)
        while table.asks():
            (ask,) = table.asks()
            phase = table.state.phase
            if phase == "guess":
                table.submit(ask, next(guesses))
            else:
                table.submit(ask, next(given) if phase == "answer" else table.state.rows[-1].guess)
        yield Case(f"evil-{name}", "does each answer tell least?", bytes(table.transcript))


def departures() -> Iterator[Case]:
    """Somebody leaves: before a ticket is answered, at a move, at a seal, with others left."""
    for sample in (sample for samples in SAMPLES.values() for sample in samples[:1]):
        for way in ("hmac-sha3-user-number", "hash-chains-each", "hash-chains-chain"):
            for seat in (0, 1):
                table = open_table(sample.make(), mode(way))
                table.forfeit(seat, "no time", by="house" if seat else "seat")
                Driver(table).play()
                name = f"left-at-once-{sample.name}--{way}--seat-{seat}"
                yield Case(name, "somebody leaves at the first ask", bytes(table.transcript))
    for game in ("poker/2", "bank-poker/1"):
        for at, order in ((0, None), (1, None), (2, (1, 0, 0, 0, 0)), (2, (1, 1, 1, 1, 1))):
            for way in ("hmac-sha3-user-number", "hash-chains-each"):
                table = open_table(make_game(game, {"bet": 2, "level": 3}), mode(way))
                driver = Driver(table)
                if at == 0 and table.scheme.per_draw:
                    driver.once()  # one card is out
                if at:
                    until(driver, asked("move"))
                if order is not None:
                    table.submit(table.asks()[0], list(order))
                table.forfeit(0, "cold feet")
                label = f"{at}-{sum(order or ())}"
                name = f"croupier-leaves-{game.replace('/', '-')}--{way}--{label}"
                yield Case(name, "the croupier leaves", bytes(table.transcript))
    yield from _leaving_zombies()
    for kind in ("seal", "open"):
        table = open_table(make_game("fatestones/1", {}), mode("hash-chains-chain"), chairs=PEOPLE)
        until(Driver(table), asked(kind)).forfeit(1, "bad dice")
        yield Case(f"left-at-{kind}", f"Bob leaves when asked to {kind}", bytes(table.transcript))
    fair = make_game("codebreaking/1", {"base": 3, "length": 2, "oracle": "fair"})
    for way in ("hash-chains-each", "hmac-sha3-user-number"):
        for kind in ("stir" if way == "hash-chains-each" else "number", "move"):
            table = open_table(fair, mode(way))
            until(Driver(table), asked(kind)).forfeit(1, "never mind")
            name = f"left-hidden-{kind}--{way}"
            yield Case(
                name, "a hidden draw is opened though somebody left", bytes(table.transcript)
            )


def _leaving_zombies() -> Iterator[Case]:
    chained = tuple(Chair(name, "self", "chain") for name in ("Ann", "Bob", "Cy"))
    stirring = tuple(Chair(name, "self", "stir") for name in ("Ann", "Bob", "Cy"))
    rules = make_game("zombie/2", LONGER)
    for label, chairs, way, wanted, seats in (
        ("link", chained, "chain", asked("link", 1, 3), (1,)),
        ("tip", chained, "chain", asked("tip", 2), (2,)),
        ("renewing", chained, "chain", asked("next-tip", 2), (2,)),
        ("between", chained, "chain", asked("move", None, 3), (2,)),
        ("two", chained, "chain", asked("link", 1, 3), (1, 2)),
        ("words", stirring, "each", asked("stir", 1, 3), (1,)),
        ("words-once", stirring, "once", asked("move", None, 3), (1,)),
    ):
        table = open_table(rules, mode(f"hash-chains-{way}"), chairs=chairs)
        driver = Driver(table)
        until(driver, wanted)
        for seat in seats:
            if not table.closed:
                table.forfeit(seat, "left")
        driver.play()
        name = f"zombies-leave-zombie-2--{label}"
        yield Case(name, "somebody leaves a table of three", bytes(table.transcript))
    for who in (0, 1, 2):
        table = open_table(rules, mode("hmac-sha3-user-number"))
        driver = Driver(table)
        until(driver, asked("move", None, 4)).forfeit(who, "left")
        driver.play()
        yield Case(
            f"zombies-leave-hmac--seat-{who}", "one leaves, one number", bytes(table.transcript)
        )
    table = open_table(rules, mode("hash-chains-chain"), chairs=chained)
    driver = Driver(table)
    driver.once()
    for seat in (0, 1, 2):
        table.forfeit(seat, "all go")
    yield Case("zombies-leave-all", "all leave while a run is open", bytes(table.transcript))


def voids() -> Iterator[Case]:
    """The house cannot keep its word; or the record just stops."""

    def lose(*_: Any) -> Any:
        raise SecretLost("the secret is gone")

    for what in ("open", "evidence"):
        table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
        driver = until_driver(table, asked("move"))
        setattr(table.dealer, what, lose)
        driver.play()
        yield Case(f"void-{what}", "the house voids its game", bytes(table.transcript))
    fair = make_game("codebreaking/1", {"base": 3, "length": 2, "oracle": "fair"})
    table = open_table(fair, mode("hash-chains-each"))
    until(Driver(table), asked("move"))
    table.forfeit(0, "cannot answer")
    hidden = events_of(bytes(table.transcript))
    lost = [*hidden[:-2], {"kind": "void", "code": "vault/lost", "reason": "gone"},
            {"kind": "end", "payoff": None}]  # fmt: skip
    yield Case("void-hidden", "a hidden draw that can never be opened", rechain(lost))
    for field in ("code", "reason"):
        odd = [dict(event, **{field: 7}) if event["kind"] == "void" else event for event in lost]
        yield Case(f"refused-void-{field}-no-text", "a void says both in text", rechain(odd))
    whole = dice_game().splitlines(keepends=True)
    for count in (1, 2, 5, len(whole) - 1):
        yield Case(f"unfinished-{count}", "the record stops early", b"".join(whole[:count]))
    cut = dice_game()[:-10]
    yield Case("cut-in-a-line", "the last line is cut off", cut)
    for way in ("hash-chains-each", "hash-chains-chain"):
        stones = open_table(make_game("fatestones/1", {}), mode(way))
        whole = bytes(Driver(stones).play().transcript).splitlines(keepends=True)
        for count in range(1, len(whole)):
            cut = b"".join(whole[:count])
            yield Case(f"cut-{way}-{count}", "the record stops here", cut)
    yield Case("unfinished-hidden", "a hidden draw is not opened yet", rechain(hidden[:5]))


def until_driver(table: Table, wanted: Callable[[Table], bool]) -> Driver:
    driver = Driver(table)
    until(driver, wanted)
    return driver


def receipted() -> Iterator[Case]:
    """The same games with receipts: all, some, too late, of somebody else, of nobody."""
    for way in (
        "hmac-sha3-user-number",
        "hash-chains-once",
        "hash-chains-each",
        "hash-chains-chain",
    ):
        table = open_table(make_game("intransitive/1", DICE), mode(way))
        driver = Keeping(table, (1,))
        driver.play()
        data = bytes(table.transcript)
        yield Case(f"receipts-all--{way}", "a receipt for each answer", data, driver.kept)
        yield Case(f"receipts-first--{way}", "only the first", data, driver.kept[:1])
        yield Case(f"receipts-last--{way}", "only the last", data, driver.kept[-1:])
        late = [_late(data, kept) for kept in driver.kept]
        yield Case(f"receipts-late--{way}", "the heads of the answers: too late", data, late)
        others = [kept._replace(seat=0) for kept in driver.kept]
        yield Case(f"receipts-of-another--{way}", "receipts of the other seat", data, others)
        wrong = [driver.kept[0]._replace(head="5e" * 32)]
        yield Case(f"receipts-elsewhere--{way}", "a receipt of another history", data, wrong)
        strange = [wrong[0]._replace(table=HEX)]
        both = [*strange, *driver.kept]
        yield Case(f"receipts-two-tables--{way}", "those of another table do not count", data, both)
        says = "only of another table: another history"
        yield Case(f"receipts-other-table--{way}", says, data, strange)
    for way in ("once", "each"):
        table = open_table(make_game("zombie/2", LONGER), mode(f"hash-chains-{way}"), chairs=MIXED)
        two = Keeping(table, (1, 2))
        two.play()
        name = f"receipts-two-stir-{way}"
        yield Case(name, "two people stir, both keep receipts", bytes(table.transcript), two.kept)
    table = open_table(make_game("fatestones/1", {}), mode("hash-chains-chain"), chairs=PEOPLE)
    sealed = Keeping(table, (0, 1))
    sealed.play()
    yield Case("receipts-seals", "seals with receipts", bytes(table.transcript), sealed.kept)
    fair = make_game("codebreaking/1", {"base": 3, "length": 2, "oracle": "fair"})
    table = open_table(fair, mode("hash-chains-each"))
    hidden = Keeping(table, (1,))
    hidden.play()
    yield Case(
        "receipts-hidden", "a hidden draw with receipts", bytes(table.transcript), hidden.kept
    )


def _late(data: bytes, kept: Kept) -> Kept:
    """The head of the answer, in place of the head of the ask."""
    line = data.splitlines(keepends=True)[kept.step]
    return kept._replace(head=line_hash(line), step=kept.step + 1)


# Forgeries


def slug(text: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in text.lower())


def forgeries() -> Iterator[Case]:
    """A house that owns the file: every hash fits, and the record is still refused."""
    data = dice_game()
    seen: dict[str, int] = {}
    for says, edit, _, _ in DICE_FORGERIES:
        seen[says] = seen.get(says, 0) + 1
        number = f"-{seen[says]}" if seen[says] > 1 else ""
        yield Case(f"refused-dice--{slug(says)}{number}", says, forge(data, edit))
    lines = data.splitlines(keepends=True)
    prev = json.loads(lines[2])["prev"].encode()
    for says, odd in ODD_LINES.items():
        if says != "an abyss":
            changed = [*lines[:2], odd.replace(b"%s", prev), *lines[2:]]
            yield Case(f"refused-line--{slug(says)}", says, b"".join(changed))
    yield Case("refused-line-ends", "CR LF", data.replace(b"\n", b"\r\n"))
    yield Case("refused-byte-order-mark", "a mark before line 1", b"\xef\xbb\xbf" + data)
    broken = [*lines[:2], lines[2].replace(b'"seat":1', b'"seat":0'), *lines[3:]]
    yield Case("refused-one-byte", "a changed line, the chain as it was", b"".join(broken))
    late = [*forge(data, set_("move", 0, "move", 9)).splitlines(keepends=True)]
    late[-1] = late[-1].replace(b'":', b'" :', 1)
    yield Case("refused-which-wins", "an illegal move, and behind it a blank", b"".join(late))
    for way, edits in CHAIN_FORGERIES.items():
        data = dice_game(way)
        for says, edit in edits.items():
            yield Case(f"refused-{way}--{slug(says)}", says, forge(data, edit))
    fair = make_game("codebreaking/1", {"base": 3, "length": 2, "oracle": "fair"})
    hidden = bytes(Driver(open_table(fair, mode("hash-chains-each"))).play().transcript)
    for says, edit in HIDDEN_FORGERIES.items():
        yield Case(f"refused-hidden--{slug(says)}", says, forge(hidden, edit))
    people = open_table(make_game("fatestones/1", {}), mode("hash-chains-chain"), chairs=PEOPLE)
    sealed = bytes(Driver(people).play().transcript)
    for says, edit in SEAL_FORGERIES.items():
        yield Case(f"refused-seal--{slug(says)}", says, forge(sealed, edit))


def _note_behind(kind: str) -> Edit:
    def edit(events: Events) -> None:
        events.insert(find(events, kind), {"kind": "note", "body": {}})

    return edit


CHAIN_FORGERIES: dict[str, dict[str, Edit]] = {
    "hash-chains-each": {
        "another link": set_("dealt", 1, "evidence", "link", HEX),
        "other words": set_("share", -1, "value", "other"),
        "words too long": set_("share", 0, "value", "x" * 201),
        "words that are a number": set_("share", 0, "value", 7),
        "another tip": set_("start", 0, "public", "tip", HEX),
        "another table": set_("start", 0, "table", HEX),
        "a chain of one": set_("start", 0, "public", "length", 1),
        "a note before a ticket": _note_behind("ticket"),
        "a note before a deal": _note_behind("dealt"),
        "a note before the end": _note_behind("end"),
        "a ticket with more": set_("ticket", 0, "ticket", "tip", HEX),
    },
    "hash-chains-chain": {
        "another seat link": set_("share", 1, "value", HEX),
        "another seat tip": set_("share", 0, "value", HEX),
        "a tip in capitals": set_("share", 0, "value", "A" * 64),
        "no next tip": set_("ticket", 1, "ticket", {}),
        "a seat that lends what it cannot": set_("start", 0, "seats", 1, "lends", "number"),
        "a house that lends": set_("start", 0, "seats", 0, "lends", "chain"),
        "no name": set_("start", 0, "seats", 0, "name", ""),
        "a long name": set_("start", 0, "seats", 0, "name", "n" * 81),
    },
    "contest-cup": {
        "another seed": set_("opening", 0, "evidence", "seed", HEX),
        "another game number": set_("start", 0, "public", "game", 8),
        "no opening": delete("opening"),
    },
    "seeded-tape": {"another seed": set_("start", 0, "public", "seed", "?")},
    "system-plain": {"another root": set_("dealt", 1, "evidence", "root", HEX)},
}
HIDDEN_FORGERIES: dict[str, Edit] = {
    "another blind key": set_("opening", 0, "evidence", "key", HEX),
    "another blind": set_("ticket", 0, "ticket", "blind", HEX),
    "no opening": delete("opening"),
    "another hidden draw": set_("opening", 0, "draws", 0, 1, 9),
    "a hidden draw told early": set_("dealt", 0, "draws", 0, 1, 5),
    "a false answer": set_("move", 1, "move", [2, 0]),
}
SEAL_FORGERIES: dict[str, Edit] = {
    "another sealed move": set_("open", 0, "move", 9),
    "another seal": set_("seal", 0, "commitment", HEX),
    "a seal in capitals": set_("seal", 1, "commitment", "A" * 64),
    "another key": set_("open", 1, "key", HEX),
    "an opening before the seals": swap("seal", 1),
}


# The Blind Croupier


def croupier_games() -> Iterator[Case]:
    hand = Hand.of()
    whole = hand.record().data
    yield Case("croupier-signed", "a whole hand, its order signed", whole)
    yield Case("croupier-unsigned", "the order is not signed", hand.record(signed=False).data)
    yield Case("croupier-at-home", "one program made all seeds", hand.record(chairs=AT_HOME).data)
    yield Case("croupier-other-name", "another name of the table",
               forge(whole, set_("start", 0, "table", HEX)))  # fmt: skip
    for steps, seat in ((0, 0), (1, 1), (2, 1), (3, 0), (4, 1)):
        record = hand.record(steps=steps)
        record.forfeited(seat, "was silent too long")
        name = f"croupier-silent-after-{steps}"
        yield Case(name, f"seat {seat} is silent after {steps} messages", record.data)
    for says, edit in {
        "another bet": set_("start", 0, "params", "bet", 3),
        "another game": set_("start", 0, "game", "poker/2"),
        "another signature": set_("start", 0, "public", "signature", "1" * 130),
        "an address without capitals": _lower("bank"),
        "another seed": set_("ticket", 0, "ticket", "seed", "0" * 194),
        "another seed of the player": set_("share", 0, "value", "0" * 194),
        "the seeds of the other run": _other_run,
        "another order": set_("move", 0, "move", [1, 1, 1, 1, 1]),
        "a false signature of the order": set_("note", 0, "body", "order_signature", "2" * 130),
        "equal commitments": _equal_commitments,
    }.items():
        yield Case(f"refused-croupier--{slug(says)}", says, forge(whole, edit))
    one_key = hand.bet._replace(croupier_key=hand.bet.player_key)
    public = {"croupier_key": one_key.croupier_key,
              "signature": key_of("player").sign(DOMAIN, one_key).hex()}  # fmt: skip

    def with_one_key(events: Events) -> None:
        events[0]["public"].update(public)

    yield Case("refused-croupier--one-key", "one key for both parties", forge(whole, with_one_key))
    dealer = HistoricDealer(secret("2017"), MemoryVault(), (62504461, 1600494777))
    chairs = (Chair("Croupier", "house"), Chair("Player", "self", "seed"))
    table = Table.open(make_game("poker/2", {"bet": 1, "level": 1}), dealer, chairs)
    for answer in (393532593, list(ORDER), 1301748256):
        table.submit(table.asks()[0], answer)
    yield Case("croupier-2017", "the real game of 2017", bytes(table.transcript))


def _lower(name: str) -> Edit:
    def edit(events: Events) -> None:
        events[0]["public"][name] = events[0]["public"][name].lower()

    return edit


def _other_run(events: Events) -> None:
    first, second = find(events, "share", 0), find(events, "share", 1)
    events[first]["value"] = events[second]["value"]


def _equal_commitments(events: Events) -> None:
    public = events[0]["public"]
    public["player_commitment_0"] = public["croupier_commitment_0"]


def cases() -> Iterator[Case]:
    """All of them."""
    for group in (
        whole_games,
        special_games,
        keepers,
        departures,
        voids,
        receipted,
        forgeries,
        croupier_games,
    ):
        yield from group()


# Contest files


def contests() -> dict[str, tuple[bytes, dict[str, Any]]]:
    """Contest files, and what comes of checking them."""
    files = {"contest-plain": b"".join(a_contest(disguise=NO_DISGUISE).file())}
    restored = House()
    restored.solve(restored.enter("A"), 0)
    restored.close(1500, RESTORE)
    files["contest-restored"] = b"".join(restored.file())
    forged = (
        ("steps", "finished", b'"steps":', b'"steps":1'),
        ("training", "entered", b'"training":false', b'"training":true'),
        ("time", "closed", b'"at":2000', b'"at":900'),
        ("undisguised", "opened", b'"drawn"', b'"none"'),
        ("removed", "removed", b'"entry":2', b'"entry":1'),
        ("started", "started", b'"entry":0', b'"entry":1'),
        ("format", "opened", b"contest/2", b"contest/1"),
        ("type", "started", b'"at":1001', b'"at":[1001]'),
    )
    lines = a_contest().file()
    layout = sections(lines)
    files["contest"] = b"".join(lines)
    for label, at, old, new in forged:
        i = next(i for i, line in enumerate(lines) if b'"kind":"%s"' % at.encode() in line)
        changed = [*lines[:i], lines[i].replace(old, new), *lines[i + 1 :]]
        files[f"contest-refused-{label}"] = b"".join(rechained(changed, layout))
    for label, final in (("standings", b"false"), ("final", b"1")):
        last = lines[-1].replace(b'"final":true', b'"final":%s' % final)
        files[f"contest-refused-{label}"] = b"".join([*lines[:-1], last])
    out = {}
    for name, data in files.items():
        found = check(data).as_json()
        fault = found["fault"] and {key: found["fault"][key] for key in ("code", "line")}
        claims = [claim["claim"] for claim in found["claims"]]
        out[name] = data, {
            "ok": found["ok"], "result": found["result"], "answers": found["answers"],
            "fault": fault, "contest": found["contest"],
            "transcripts": found["transcripts"], "claims": claims, "standings": found["standings"],
        }  # fmt: skip
    return out

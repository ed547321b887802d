"""The two schemes of the Blind Croupier, for the referee and the verifier.

``croupier/1``: the table opens when the Bank has accepted the bet, so the first event holds the
whole signed bet, with commitments to all four seeds. The Croupier (the house) tells his seed in the
*ticket* of a run, and the Player adds theirs as the *share*. Seeds 0 belong to the first run, the
deal, seeds 1 to the second, the replacements. His dealer says `NotYet` until the Bank's record of
the bet (for seed 0) or the order (for seed 1) is final.

``croupier-2017/0``: the historic arithmetic. It commits to nothing and proves nothing: marked
unsafe, and kept only so that games of then can be checked. Seeds have 32 bits and are mixed by XOR.
The whole deck is shuffled from the end, with a biased ``%`` and a seed that only counts up. For the
replacements the rest of the deck is shuffled afresh, *in the order that the first shuffle left it
in*. It reproduces a real game: the croupier's seeds 62504461 and 1600494777 and the player's seeds
393532593 and 1301748256 dealt 5♢ 7♢ 9♧ 10♧ 7♡. The order 1,0,1,1,0 gave 3♡ 7♢ J♧ 7♤ 7♡.

Neither is registered in ``fair.dealers``: they need keccak and signatures. Hand `REGISTER` to
`verify`, `replay` and `Table`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, Self

from fairground.bank.messages import Bet, Domain, ReplacementOrder, Signer, must_be_signed, word
from fairground.bank.seeds import Generator, Seed, WrongSeed, check_seed, mix
from fairground.bank.signatures import BadSignature, Signature, checksummed, keccak
from fairground.core import BadParams, BadShare, Fault, InputError, Seat, whole, written
from fairground.fair.schemes import (
    Chance,
    Dealer,
    Evidence,
    NotYet,
    Phase,
    Review,
    Run,
    Scheme,
    Setting,
    fields,
    is_hex,
)
from fairground.fair.vault import Vault
from fairground.games.poker.rules import PLAYER, BankPoker

RUNS: Final = 2

GAME: Final = BankPoker.name
"""The game that a Bank settles."""

UNPROVEN: Final = "UNPROVEN that the game ended so"
"""Claim for a forfeit as long as no Bank has confirmed it."""

ORDER_SIGNATURE: Final = "order_signature"
"""The note right before the order holds this alone: the Player's signature of the order."""

_ADDRESSES: Final = ("croupier", "player", "croupier_key", "player_key")
_NUMBERS: Final = ("game_id", "bet", "level", "chip_cost", "expiry")
_COMMITMENTS: Final = (
    "croupier_commitment_0",
    "croupier_commitment_1",
    "player_commitment_0",
    "player_commitment_1",
)


def public_of(domain: Domain, bet: Bet, signature: Signature) -> Evidence:
    """Return the first event's fields: chain, Bank and the signed bet."""
    values = bet._asdict()
    return {
        "chain": written(domain.chain_id),
        "bank": checksummed(domain.bank),
        **{name: checksummed(values[name]) for name in _ADDRESSES},
        **{name: written(values[name]) for name in _NUMBERS},
        **{name: values[name].hex() for name in _COMMITMENTS},
        "signature": signature.hex(),
    }


def read_public(public: Mapping[str, Any]) -> tuple[Domain, Bet, Signature]:
    """The inverse of `public_of`; raise `BadParams` unless the bet is whole and signed."""
    names = {"chain", "bank", *_ADDRESSES, *_NUMBERS, *_COMMITMENTS, "signature"}
    if set(public) != names:
        raise BadParams(f"croupier/1 wants {', '.join(sorted(names))}, not {sorted(public)}")
    for name in ("bank", *_ADDRESSES):
        text = public[name]
        if not isinstance(text, str) or not _is_address(text):
            raise BadParams(f"croupier/1: {name} must be an address, not {text!r}")
    for name in _COMMITMENTS:
        if not is_hex(public[name]):
            raise BadParams(f"croupier/1: {name} must be 64 hex digits, not {public[name]!r}")
    values: dict[str, Any] = {name: public[name] for name in _ADDRESSES}
    values |= {name: whole(public[name], name) for name in _NUMBERS}
    values |= {name: bytes.fromhex(public[name]) for name in _COMMITMENTS}
    domain, bet = Domain(whole(public["chain"], "chain"), public["bank"]), Bet(**values)
    if len(set(bet.commitments)) != len(_COMMITMENTS) or bet.croupier == bet.player:
        raise BadParams("croupier/1: the four commitments must differ, and so must the parties")
    if bet.croupier_key == bet.player_key:
        raise BadParams("croupier/1: one key signs for both parties, so one party made all seeds")
    try:
        signature = Signature.from_hex(str(public["signature"]))
        must_be_signed(domain, bet, signature, bet.player_key)
    except InputError as error:
        raise BadParams(f"croupier/1: the bet is not signed by the player: {error}") from None
    return domain, bet, signature


def _is_address(text: str) -> bool:
    try:
        return checksummed(text) == text
    except InputError:
        return False


class CroupierScheme(Scheme):
    """The public half of ``croupier/1``."""

    name = "croupier/1"
    conditions: ClassVar = {"seed": "{name} made these seeds freshly and had told them to nobody"}
    witness = "the Player signed the bet before telling any seed"

    def __init__(self, setting: Setting, public: Mapping[str, Any]) -> None:
        super().__init__(setting, public)
        self.domain, self.bet, _ = read_public(public)
        lenders = setting.lenders("seed")
        if len(lenders) != 1:
            raise BadParams(f"{self.name} takes the seeds of one player, not of {len(lenders)}")
        if lenders[0] != PLAYER:
            raise BadParams(f"under {self.name} the Player's seat is {PLAYER}, not {lenders[0]}")
        self._player = lenders[0]

    def phases(self, run: Run) -> Sequence[Phase]:
        return (Phase("seed", (self._player,)),)

    def check_ticket(self, run: Run) -> None:
        if run.index > RUNS or run.hidden:
            reason = f"{self.name} has {RUNS} open runs: run {run.index} is none of them"
            raise Fault("fair/bad-evidence", reason)
        fields(run.ticket, {"seed": lambda value: isinstance(value, str)}, "ticket")
        try:
            self._seed(run, Signer.CROUPIER, run.ticket["seed"])
        except (WrongSeed, BadSignature) as error:
            raise Fault("fair/bad-evidence", f"the croupier's seed: {error}") from None

    def check_share(self, run: Run, seat: Seat, kind: str, value: Any) -> None:
        try:
            self._seed(run, Signer.PLAYER, value)
        except (WrongSeed, BadSignature) as error:
            raise BadShare(f"your seed: {error}") from None

    def _seed(self, run: Run, role: Signer, text: object) -> Seed:
        seed = Seed.from_hex(text)
        check_seed(self.domain, self.bet, role, run.index - 1, seed)
        return seed

    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        fields(now, {}, "evidence")
        fields(later, {}, "opening")
        croupier = Seed.from_hex(run.ticket["seed"])
        player = Seed.from_hex(run.share(self._player, "seed"))
        return Generator(
            mix(self.bet.struct_hash(), run.index - 1, croupier.signature, player.signature)
        )

    def committed(self, run: Run) -> bool:
        """All four commitments stand in the first event, signed."""
        return True

    def lent(self, run: Run) -> dict[Seat, int]:
        return {share.seat: share.line for share in run.shares}

    def bound(self, run: Run) -> int:
        """The bet in the first event."""
        return 1

    def shown(self, runs: Sequence[Run]) -> list[tuple[int, str]]:
        return [(1, self.public[name]) for name in _COMMITMENTS if name.startswith("croupier")]

    def check_record(self, events: Sequence[Mapping[str, Any]]) -> Review:
        """Game, bet and level must be what was signed, and the order the Player's."""
        start, bet = events[0], self.bet
        signed = {"bet": bet.bet, "level": bet.level}
        if start["game"] != GAME or start["params"] != signed:
            reason = (
                f"the Player signed a bet of {bet.bet} on level {bet.level} at "
                f"{GAME}, and this is {start['game']} with {start['params']}"
            )
            raise Fault("bank/other-bet", reason, 1)
        review = self._check_order(events)
        remarks = [*review.remarks]
        if start["table"] != bet.struct_hash().hex():
            remarks.append(
                "line 1: the table does not bear the name of its bet, as it does in our programs"
            )
        for number, event in enumerate(events, 1):
            if event["kind"] == "forfeit":
                remarks.append(
                    f"line {number}: {UNPROVEN}. Nobody signed it: the Croupier, the Player, or "
                    "anybody who has this record could have cut it off there and written this "
                    "line. Ask the Bank with --bank"
                )
        if self.setting.chairs[self._player].by == "house":
            remarks.append(
                "one program made the seeds of both parties, so the cards prove nothing to the "
                "person in front of it"
            )
        return Review(tuple(remarks), review.without)

    def _check_order(self, events: Sequence[Mapping[str, Any]]) -> Review:
        """The order must be signed by the Player in the note right before it."""
        ordered = [number for number, event in enumerate(events) if event["kind"] == "move"]
        if not ordered:
            return Review()
        before, move = events[ordered[0] - 1], events[ordered[0]]
        if before["kind"] != "note" or set(before["body"]) != {ORDER_SIGNATURE}:
            unsigned = (
                f"line {ordered[0] + 1}: the order is not signed here. Only the Bank knows whether "
                "it is the Player's (--bank); a Croupier who knew the seeds could have chosen it"
            )
            return Review((unsigned,), {"UNFORESEEN": unsigned})
        try:
            signature = Signature.from_hex(str(before["body"][ORDER_SIGNATURE]))
            message = ReplacementOrder.of(self.bet, tuple(move["move"]))
            must_be_signed(self.domain, message, signature, self.bet.player_key)
        except BadSignature as error:
            raise Fault("bank/other-order", f"the order: {error}", ordered[0]) from None
        return Review()


class CroupierDealer(Dealer):
    """The Croupier's half of ``croupier/1``.

    ``may_tell(seed_id)`` says whether what this seed answers is final at the Bank: the
    bet for seed 0, the order for seed 1. A seed told earlier would let the Player take
    the bet back, or choose the best of 32 orders.
    """

    scheme = CroupierScheme

    def __init__(
        self,
        table: bytes,
        vault: Vault,
        public: Evidence,
        seeds: tuple[Seed, Seed] | None = None,
        may_tell: Callable[[int], bool] = lambda seed_id: True,
    ) -> None:
        super().__init__(table, vault)
        self.public = dict(public)
        self._may_tell = may_tell
        for seed_id, seed in enumerate(seeds or ()):
            vault.keep(f"seed.{seed_id}", seed.hex().encode(), "")

    @classmethod
    def again(cls, table: bytes, vault: Vault, public: Evidence) -> Self:
        """The dealer of a table that goes on; set ``may_tell`` anew where there is a Bank."""
        return cls(table, vault, public)

    def open(self, run: Run) -> Evidence:
        """The seed of this run, noted as told before it is."""
        seed_id = run.index - 1
        if not self._may_tell(seed_id):
            raise NotYet
        self._vault.spend(f"seed.{seed_id}", run.head)
        return {"seed": self._vault.recall(f"seed.{seed_id}").decode()}

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """Nothing more: the ticket and the share say all."""
        return {}, {}


HISTORIC_BITS: Final = 32


def historic_int(seed: int, low: int, high: int) -> tuple[int, int]:
    """Return the next seed and a (biased) integer: the document's ``generateInt``."""
    value = int.from_bytes(keccak(word(seed)), "big") & 0xFFFFFFFF
    return seed + 1, value % (high - low + 1) + low


def historic_shuffle(cards: Sequence[int], seed: int) -> list[int]:
    """Return the cards, shuffled from the last place down."""
    deck = list(cards)
    for i in range(len(deck) - 1, 0, -1):
        seed, j = historic_int(seed, 0, i)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


class _HistoricDeck:
    """Cards in a shuffled order, told as places among those not seen yet."""

    def __init__(self, cards: Sequence[int], scheme: str) -> None:
        self.cards = list(cards)
        self._unseen = sorted(cards)
        self._scheme = scheme

    def below(self, n: int) -> int:
        """The next card; only draws without replacement can be had of a deck."""
        if n != len(self.cards):
            raise BadParams(f"{self._scheme} deals cards from one deck; a draw of {n} is none")
        place = bisect_left(self._unseen, self.cards.pop(0))
        self._unseen.pop(place)
        return place


def _is_old_seed(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**HISTORIC_BITS


class HistoricScheme(Scheme):
    """The public half of ``croupier-2017/0``. UNSAFE: it proves nothing."""

    name = "croupier-2017/0"
    conditions: ClassVar = {"seed": "{name} told this seed last"}
    unproven = "whoever told a seed last could choose the cards"

    def __init__(self, setting: Setting, public: Mapping[str, Any]) -> None:
        super().__init__(setting, public)
        if public or len(setting.lenders("seed")) != 1:
            raise BadParams(f"{self.name} has no parameters, and one seat that lends seeds")
        self._player = setting.lenders("seed")[0]
        self._deck: _HistoricDeck | None = None

    def phases(self, run: Run) -> Sequence[Phase]:
        return (Phase("seed", (self._player,)),)

    def check_ticket(self, run: Run) -> None:
        if run.hidden:
            raise Fault("fair/bad-evidence", f"{self.name} hides nothing")
        fields(run.ticket, {"seed": _is_old_seed}, "ticket")

    def check_share(self, run: Run, seat: Seat, kind: str, value: Any) -> None:
        if not _is_old_seed(value):
            raise BadShare(f"a seed of 2017 is a number of {HISTORIC_BITS} bits, not {value!r}")

    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        """Shuffle the deck, or what is left of it, by the XOR of the two seeds."""
        fields(now, {}, "evidence")
        fields(later, {}, "opening")
        seed = run.ticket["seed"] ^ run.share(self._player, "seed")
        cards = range(run.n) if self._deck is None else self._deck.cards
        self._deck = _HistoricDeck(historic_shuffle(cards, seed), self.name)
        return self._deck

    def check_record(self, events: Sequence[Mapping[str, Any]]) -> Review:
        return Review(
            (
                f"UNSAFE: {self.name} is kept so that games of then can be checked, and proves "
                "nothing: neither party was bound to its seeds, and whoever told theirs last could "
                "choose the cards",
            )
        )


class HistoricDealer(Dealer):
    """The Croupier of 2017, reading his seeds from a record."""

    scheme = HistoricScheme

    def __init__(self, table: bytes, vault: Vault, seeds: Sequence[int] = ()) -> None:
        super().__init__(table, vault)
        for number, seed in enumerate(seeds, 1):
            vault.keep(f"seed.{number}", str(seed).encode(), "")

    def open(self, run: Run) -> Evidence:
        return {"seed": int(self._vault.recall(f"seed.{run.index}"))}

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        return {}, {}

"""The register of fairness schemes: name → the dealer, and through it the scheme.

Schemes that need more than the standard library live elsewhere and are listed here all the same:
a listing is only a path, and what it names is imported when it is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from fairground.fair.schemes import Dealer, Scheme, Setting
from fairground.registry import Register, load


class SchemeListing(NamedTuple):
    """A fairness scheme in the register."""

    dealer: str
    """``module:class`` of the `Dealer`; its ``scheme`` is the public half."""
    summary: str
    at_tables: bool = False
    """True if anyone may open a table with it; false if the opener would know the draws."""


Schemes: TypeAlias = Register[SchemeListing]

SCHEMES: Final[Schemes] = Register(
    "fairness scheme",
    {
        "hmac-sha3-user/1": SchemeListing(
            "fairground.fair.hmac_user:HmacUserDealer",
            "each draw is the house's committed number plus one user's number",
            at_tables=True,
        ),
        "hash-chains/1": SchemeListing(
            "fairground.fair.chains:HashChainsDealer",
            "the house's hash chain, mixed with seats' chains or with words that they type",
            at_tables=True,
        ),
        "contest/1": SchemeListing(
            "fairground.fair.contest:ContestDealer",
            "one committed seed deals the same draws to every entry of a contest",
        ),
        "seeded/1": SchemeListing(
            "fairground.fair.unproven:SeededDealer",
            "a public seed, for practice and simulation; it proves nothing",
        ),
        "system/1": SchemeListing(
            "fairground.fair.unproven:SystemDealer",
            "the operating system's entropy; it proves nothing",
            at_tables=True,
        ),
        "croupier/1": SchemeListing(
            "fairground.bank.schemes:CroupierDealer",
            "four signed and committed seeds of Player and Croupier",
        ),
        "croupier-2017/0": SchemeListing(
            "fairground.bank.schemes:HistoricDealer",
            "the arithmetic of 2017, unsafe, kept so that it can be checked",
        ),
    },
    group="fairground.schemes",
)


def dealer_class(name: object, schemes: Schemes = SCHEMES) -> type[Dealer]:
    """The dealer of this scheme."""
    _, listing = schemes.find(name)
    dealer: type[Dealer] = load(listing.dealer)
    return dealer


def make_scheme(
    name: object, setting: Setting, public: Mapping[str, Any], schemes: Schemes = SCHEMES
) -> Scheme:
    """The public half of a named scheme."""
    return dealer_class(name, schemes).scheme(setting, public)

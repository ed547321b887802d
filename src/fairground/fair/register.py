"""The register of fairness schemes: name → the class that judges, the class that deals.

`verify` and `Table` take such a register as an argument, so that schemes which need
more than the standard library can live elsewhere and still be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fairground.core import UnknownName
from fairground.fair.chains import HashChainsDealer
from fairground.fair.contest import ContestDealer
from fairground.fair.hmac_user import HmacUserDealer
from fairground.fair.schemes import Dealer, Scheme, Setting
from fairground.fair.unproven import SeededDealer, SystemDealer

Register = Mapping[str, type[Dealer]]

DEALERS: Final[Register] = {
    dealer.scheme.name: dealer
    for dealer in (HmacUserDealer, HashChainsDealer, ContestDealer, SeededDealer, SystemDealer)
}


def make_scheme(
    name: str, setting: Setting, public: Mapping[str, Any], register: Register = DEALERS
) -> Scheme:
    """The public half of a named scheme."""
    if name not in register:
        known = ", ".join(sorted(register))
        raise UnknownName(f"no fairness scheme named {name!r}; there are: {known}")
    return register[name].scheme(setting, public)

"""How widely a test looks: a slice in the suite, everything in a campaign."""

from __future__ import annotations

import os
from typing import Final

WIDE: Final = "CAMPAIGN" in os.environ
"""Whether this is `make campaign`, which has time for every case."""

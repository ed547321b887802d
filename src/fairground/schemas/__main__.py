"""``python -m fairground.schemas``: write the schemas again, beside this module."""

from __future__ import annotations

from pathlib import Path

from fairground.schemas import ALL, text_of

for name in ALL:
    path = Path(__file__).with_name(f"{name}.json")
    path.write_text(text_of(name), encoding="ascii", newline="\n")

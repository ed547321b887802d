"""What a terminal can show, as far as one can know: signs beyond ASCII, and colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TextIO

SAMPLE: Final = "🧟┌┐└┘├┤┬┴"


def only_ascii(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to keep to ASCII: by the stream's encoding, the locale, and the bare console."""
    try:
        SAMPLE.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    kind = environment.get("LC_CTYPE", "")
    if kind == "C.UTF-8":
        kind = ""  # Python itself sets this where the user has said LANG=C
    locale = environment.get("LC_ALL") or kind or environment.get("LANG")
    on_the_console = environment.get("TERM") == "linux" and stream.isatty()
    return locale in ("C", "POSIX") or on_the_console


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to use colours: NO_COLOR, a pipe and a dumb terminal say no."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"

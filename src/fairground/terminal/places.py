"""Where a user's files belong on this platform.

On most systems that is two lines of the XDG standard, and every command asks for it before its
first prompt. So only the other platforms import `platformdirs`, which knows them all.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_NAME: Final = "fairground"
_HAS_XDG: Final = sys.platform not in ("win32", "darwin") and "ANDROID_DATA" not in os.environ


def data_folder() -> Path:
    """For what is kept: transcripts, secrets of open games, an arena's database."""
    if _HAS_XDG:
        return _xdg("XDG_DATA_HOME", ".local/share")
    import platformdirs

    return Path(platformdirs.user_data_dir(_NAME, appauthor=False))


def config_folder() -> Path:
    """For what the user has set."""
    if _HAS_XDG:
        return _xdg("XDG_CONFIG_HOME", ".config")
    import platformdirs

    return Path(platformdirs.user_config_dir(_NAME, appauthor=False))


def config_file() -> Path:
    """Where the options are that a user wants without typing them each time (`defaults`)."""
    return config_folder() / "config.toml"


def _xdg(variable: str, usual: str) -> Path:
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / usual) / _NAME

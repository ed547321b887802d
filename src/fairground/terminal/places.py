"""Where a user's files belong on this platform.

On most systems that is two lines of the XDG standard, and every command asks for it before its
first prompt. So only the other platforms import `platformdirs`, which knows them all; and what a
prompt waits for asks for text (`data_path`), since `pathlib` brings along all that reads URLs.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_NAME: Final = "fairground"
_HAS_XDG: Final = sys.platform not in ("win32", "darwin") and "ANDROID_DATA" not in os.environ


def path_of(text: str) -> Path:
    """The path that somebody typed. Where nobody types one, no prompt waits for `pathlib`."""
    from pathlib import Path

    return Path(text)


def data_path() -> str:
    """For what is kept: transcripts, secrets of open games, an arena's database."""
    if _HAS_XDG:
        return _xdg("XDG_DATA_HOME", ".local/share")
    import platformdirs

    return platformdirs.user_data_dir(_NAME, appauthor=False)


def data_folder() -> Path:
    """The same, to look around in."""
    return path_of(data_path())


def config_path() -> str:
    """Where the options are that a user wants without typing them each time (`defaults`)."""
    if _HAS_XDG:
        return os.path.join(_xdg("XDG_CONFIG_HOME", ".config"), "config.toml")
    import platformdirs

    return os.path.join(platformdirs.user_config_dir(_NAME, appauthor=False), "config.toml")


def config_file() -> Path:
    """The same, to be read and written."""
    return path_of(config_path())


def is_configured() -> bool:
    """Whether there is such a file; raise OSError where that cannot be said."""
    try:
        os.stat(config_path())
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _xdg(variable: str, usual: str) -> str:
    named = os.environ.get(variable, "")
    if not named.startswith("/"):
        return os.path.join(os.path.expanduser("~"), usual, _NAME)
    parts = [part for part in named.split("/") if part not in ("", ".")]
    return "/" + "/".join([*parts, _NAME])

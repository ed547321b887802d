"""Where a user's files belong, beside a package that knows every platform."""

from __future__ import annotations

import platformdirs
import pytest

from fairground.terminal import places


@pytest.mark.parametrize(
    "named", [None, "", "/somewhere/else", "relative/path", "/with space/x", "/a/./b//"]
)
@pytest.mark.parametrize("has_xdg", [True, False])
def test_places_are_those_of_platformdirs(
    named: str | None, has_xdg: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_HAS_XDG", has_xdg)
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        if named is None:
            monkeypatch.delenv(variable, raising=False)
        else:
            monkeypatch.setenv(variable, named)
    assert places.data_folder() == platformdirs.user_data_path("fairground", appauthor=False)
    config = platformdirs.user_config_path("fairground", appauthor=False)
    assert places.config_file() == config / "config.toml"
    if has_xdg:  # as text, too, which is what messages show
        assert places.data_path() == str(places.data_folder())

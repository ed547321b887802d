"""An audit of our dependencies, without a network.

Advisories are on servers elsewhere, so known weaknesses are not looked for here. It checks that
all installed packages fit the ranges of pyproject.toml, that nothing installed contradicts what
another package needs, that every package we name has its reason in docs/dependencies.md, and which
ranges have no upper bound.
"""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def run() -> dict[str, Any]:
    """Return the packages that do not fit."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [Requirement(one) for one in project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        wanted += [Requirement(one) for one in extra]
    ours = [one for one in wanted if canonicalize_name(one.name) != "fairground"]
    reasons = canonicalize_name(
        re.sub(r"[^\w.\- ]", " ", (ROOT / "docs" / "dependencies.md").read_text().lower())
    )
    versions = {
        canonicalize_name(one.metadata["Name"]): one.version for one in metadata.distributions()
    }
    missing, outside, contradicted = [], [], []
    for one in ours:
        found = versions.get(canonicalize_name(one.name))
        if found is None:
            missing.append(one.name)
        elif not one.specifier.contains(found, prereleases=True):
            outside.append(f"{one}: {found} is installed")
    for package in metadata.distributions():
        for text in package.requires or ():
            need = Requirement(text)
            found = versions.get(canonicalize_name(need.name))
            counts = need.marker is None or need.marker.evaluate({"extra": ""})
            if counts and found and not need.specifier.contains(found, prereleases=True):
                contradicted.append(f"{package.metadata['Name']} needs {need}: {found}")
    return {
        "packages installed": len(versions),
        "named by us": len({canonicalize_name(one.name) for one in ours}),
        "not installed here": sorted(set(missing)),
        "outside our ranges": outside,
        "contradict each other": contradicted,
        "without a reason": sorted(
            {one.name for one in ours if canonicalize_name(one.name) not in reasons}
        ),
        "without an upper bound": sorted({str(one) for one in ours if not _is_bounded(one)}),
    }


def _is_bounded(need: Requirement) -> bool:
    return any(one.operator in ("<", "<=", "==", "~=") for one in need.specifier)


def broken(found: dict[str, Any]) -> bool:
    """Return True if something must be fixed."""
    kinds = ("outside our ranges", "without a reason")
    return any(found[kind] for kind in kinds)

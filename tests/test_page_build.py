"""The build for browsers: the same bytes every time, the licences, the checker for Node."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.receipts import found
from fairground.verifier import verify
from tests.helpers.page import DENO, WEB, page
from tests.helpers.places import ROOT, TESTS
from tests.helpers.width import WIDE

RECORD = TESTS / "vectors" / "games" / "receipts-seals.jsonl"


def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    """The second one elsewhere, from nothing."""
    other = tmp_path / "checkout"
    leave_out = shutil.ignore_patterns("node_modules")
    for folder in ("web", "examples/bots", "src/fairground/bank/chain/contracts"):
        shutil.copytree(ROOT / folder, other / folder, ignore=leave_out)
    (other / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "page.py", other / "tools")
    subprocess.run([sys.executable, other / "tools" / "page.py"], check=True)
    again = other / "src" / "fairground" / "web" / "page"
    names = {path.name for path in page().iterdir()}
    assert {path.name for path in again.iterdir()} == names
    for name in names:
        assert (again / name).read_bytes() == (page() / name).read_bytes(), name


def test_the_lock_names_digests_and_no_host() -> None:
    lock = (WEB / "deno.lock").read_text()
    assert "://" not in lock
    assert all("integrity" in package for package in json.loads(lock)["npm"].values())


def test_what_of_others_is_shipped_has_its_licence_beside_it() -> None:
    notices = (page() / "NOTICES.txt").read_text()
    wanted = json.loads((WEB / "package.json").read_text())["dependencies"]
    for package, version in wanted.items():
        assert re.search(
            rf"^{re.escape(package)} {re.escape(version)} \((MIT|OFL-1.1)\)$", notices, re.M
        )


def test_the_checker_runs_without_python() -> None:
    data = RECORD.read_bytes()
    ours = json.loads(json.dumps(verify(data, found(RECORD, data)).as_json()))
    for program in (["node"], [str(DENO), "run", "--allow-read"]):
        done = subprocess.run(
            [*program, page() / "check.mjs", RECORD], capture_output=True, text=True, check=True
        )
        theirs = json.loads(done.stdout)
        assert theirs["file"] == str(RECORD)
        for part in ("ok", "verdict", "claims", "payoff", "fault"):
            assert theirs[part] == ours[part], (program, part)


def test_verify_html_brings_its_own_policy() -> None:
    text = (page() / "verify.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(one.strip().split(" ", 1) for one in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert all(
        re.fullmatch(r"'sha256-[\w+/=]+'", rules[name]) for name in ("script-src", "style-src")
    )
    assert "connect-src" not in rules


def test_the_command_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["verify", "--page", str(tmp_path / "none" / "x.html")]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert main(["verify", "--page", "x.html", "game.jsonl"]) == 2
    assert "leave the files out" in capsys.readouterr().err
    monkeypatch.setattr("fairground.web.built", dict)
    assert main(["verify", "--page", str(tmp_path / "x.html")]) == 2
    assert "make page" in capsys.readouterr().err


if WIDE:

    def test_the_changelog_has_the_hash_of_verify_html() -> None:
        """If it has not: ``python tools/page.py --changelog``"""
        digest = hashlib.sha256((page() / "verify.html").read_bytes()).hexdigest()
        assert f"`{digest}`" in (ROOT / "CHANGELOG.md").read_text()

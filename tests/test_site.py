"""The site of the documents: complete, without a dead link, without a request to anywhere else.

`tools/docs.py` fails on a warning, so a build shows that there is none.
"""

from __future__ import annotations

import re
import runpy
import zipfile
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import TYPE_CHECKING, Any

import pytest
from litestar.testing import TestClient

import fairground as fg
from fairground.server import page as documents
from fairground.server.app import make_app
from tests.helpers.arena import in_a_thread
from tests.helpers.places import ROOT
from tests.helpers.width import WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Page(HTMLParser):
    """The links, anchors and parts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := given.get(name))}
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.parts.append(str(given["src"]))
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.parts.append(str(given["href"]))


@pytest.fixture(scope="module")
def site() -> dict[str, bytes]:
    runpy.run_path(str(ROOT / "tools" / "docs.py"))["build"]()
    with zipfile.ZipFile(ROOT / "src" / "fairground" / "web" / "docs.zip") as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture(scope="module")
def pages(site: dict[str, bytes]) -> dict[str, Page]:
    return {name: Page(data.decode()) for name, data in site.items() if name.endswith(".html")}


def test_every_document_is_in_it(pages: dict[str, Page]) -> None:
    written = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    assert {str(path.with_suffix(".html")) for path in written} <= pages.keys()


def test_no_link_is_dead(site: dict[str, bytes], pages: dict[str, Page]) -> None:
    dead = []
    for name, page in pages.items():
        if name == "404.html":
            continue  # its links are absolute: it may be shown anywhere
        for link in (*page.links, *page.parts):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = normpath(str(PurePosixPath(name).parent / path)) if path else name
            if target in (".", ""):
                target = "index.html"
            known = target in site
            if not known or (anchor and target in pages and anchor not in pages[target].anchors):
                dead.append(f"{name}: {link}")
    assert not dead


def test_nothing_is_loaded_from_anywhere_else(site: dict[str, bytes], pages: Any) -> None:
    for name, page in pages.items():
        assert not [part for part in page.parts if "//" in part], name
    styles = b"".join(data for name, data in site.items() if name.endswith(".css"))
    assert not re.findall(rb"url\(['\"]?(?:https?:)?//", styles)


def test_the_reference_shows_docstrings(site: dict[str, bytes]) -> None:
    text = site["reference.html"].decode()
    for name in ("fairground.core.Game", "fairground.lab.simulation.simulate"):
        assert f'id="{name}"' in text
    assert "pure function" in text


def test_the_arena_serves_it(site: dict[str, bytes], tmp_path: Path) -> None:
    documents._site.cache_clear()
    documents.document.cache_clear()
    with TestClient(make_app(f"sqlite:///{tmp_path / 'arena.db'}")) as client:
        for typed in ("/docs", "/docs/"):
            first = client.get(typed, follow_redirects=False)
            assert (first.status_code, first.headers["location"]) == (307, "/docs/index.html")
        for name in ("index.html", "tours/player.html", "figures/guesses.svg", "search.json"):
            got = client.get(f"/docs/{name}")
            assert (got.status_code, got.content) == (200, site[name]), name
        policy = client.get("/docs/lab.html").headers["content-security-policy"]
        assert "script-src 'self' 'sha256-" in policy and "default-src 'none'" in policy
        again = client.get("/docs/lab.html", headers={"If-None-Match": got.headers["etag"]})
        assert again.status_code == 200
        known = client.get("/docs/lab.html").headers["etag"]
        assert client.get("/docs/lab.html", headers={"If-None-Match": known}).status_code == 304
        gone = client.get("/docs/nothing.html")
        assert gone.status_code == 404
        assert "there is no document" in gone.json()["detail"]
        assert client.get("/docs/%2e%2e/app.py").status_code == 404


def test_a_browser_finds_nothing_wrong_with_it(
    site: dict[str, bytes], pages: dict[str, Page], browser: Browser, tmp_path: Path
) -> None:
    """Under the policy that the arena sends; the search finds words of other pages."""
    documents._site.cache_clear()
    documents.document.cache_clear()
    some = [name for name in pages if name != "404.html"]
    some = some if WIDE else ["lab.html", "games/fatestones.html", "reference.html"]
    wrong: list[str] = []
    with in_a_thread(make_app(f"sqlite:///{tmp_path / 'arena.db'}")) as url:
        page = browser.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda told: wrong.extend([told.text] * (told.type == "error")))
        page.on("response", lambda got: wrong.extend([got.url] * (got.status >= 400)))
        for name in [*some, "index.html"]:
            page.goto(f"{url}/docs/{name}", wait_until="networkidle")
        page.keyboard.press("/")
        page.keyboard.type("exploitability")
        page.get_by_text("OpenSpiel: chance is explicit").wait_for()
        page.close()
    assert not wrong


def test_without_a_build_it_says_how_to_make_one(monkeypatch: Any, tmp_path: Path) -> None:
    documents._site.cache_clear()
    documents.document.cache_clear()
    monkeypatch.setattr(documents, "files", lambda package: tmp_path)
    with pytest.raises(fg.MissingExtra, match="make docs"):
        documents.document("")
    documents._site.cache_clear()

"""The page at a fixed moment: the arena's answers and the browser's memory come from a file.

A *stage* is what a real arena and a real browser had when a moment was recorded: each answer to a
``GET``, and the seats and things in IndexedDB. On a stage, the page is drawn from that alone, with
fixed randomness and a fixed clock. So it looks the same on every run. ``record`` makes stages.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from tests.helpers.places import DATA

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

FOLDER: Final = DATA / "stages"
NOON: Final = "2026-11-18T12:00:00Z"

LIVE: Final = ("/games", "/croupier", "/bank", "/page/", "/docs")
"""Answers that are never recorded. They come from the code under test."""

MEMORY: Final = """async () => {
  const open = () => new Promise((resolve) => {
    const request = indexedDB.open("fairground", 1);
    request.onsuccess = () => resolve(request.result);
  });
  const all = (of) => new Promise((resolve) => of.onsuccess = () => resolve(of.result));
  const database = await open(), transaction = database.transaction(["seats", "things"]);
  const things = transaction.objectStore("things");
  const [seats, names, values] = await Promise.all(
    [transaction.objectStore("seats").getAll(), things.getAllKeys(), things.getAll()].map(all));
  return { seats, things: names.map((name, i) => [name, values[i]]) };
}"""

SET: Final = """(stage) => {
  let state = 1;
  for (const letter of stage.seed) state = (state * 31 + letter.charCodeAt(0)) >>> 0;
  Crypto.prototype.getRandomValues = (into) => {
    for (let i = 0; i < into.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      into[i] = state >>> 16;
    }
    return into;
  };
  if (!stage.answers) return;
  const real = fetch;
  const reply = (status, type, body) => Promise.resolve(
    new Response(body, { status, headers: { "Content-Type": type } }));
  globalThis.fetch = (path, options = {}) => {
    const url = new URL(path, location.origin), after = url.searchParams.get("after");
    if (url.pathname === "/events") return reply(200, "application/json", '{"stream":"/events/1"}');
    if (url.pathname.startsWith("/events/")) return reply(200, "application/json", "{}");
    const found = stage.answers[url.pathname + url.search] ?? stage.answers[url.pathname];
    if (!found) return real(path, options);
    const [status, type, body] = found;
    const lines = url.pathname.endsWith("/transcript") && after;
    const rest = lines ? body.split(/(?<=\\n)/).slice(Number(after)).join("") : body;
    return reply(status, type, rest);
  };
  globalThis.EventSource = class extends EventTarget {
    constructor() {
      super();
      setTimeout(() => this.onopen?.());
    }
    close() {}
  };
  const opening = indexedDB.open("fairground", 1);
  opening.onupgradeneeded = () => {
    const seats = opening.result.createObjectStore("seats", { keyPath: "id" });
    const things = opening.result.createObjectStore("things");
    for (const seat of stage.memory.seats) seats.put(seat);
    for (const [name, value] of stage.memory.things) things.put(value, name);
  };
}"""


def stage(name: str) -> dict[str, Any]:
    """A stage as it was recorded."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def record(page: Page, name: str, ready: str, press: str | None = None) -> None:
    """Load the page again, and write down what it gets, until ``ready`` is there.

    ``press`` is a button that makes the page ask for more.
    """
    heard: list[Response] = []

    def hears(response: Response) -> None:
        heard.append(response)

    page.on("response", hears)
    page.reload()
    page.locator(ready).first.wait_for()
    if press:
        page.get_by_role("button", name=press).click()
    page.wait_for_timeout(500)  # what the page asks for later, such as standings
    answers: dict[str, Any] = {}
    for response in heard:
        url = urlsplit(response.url)
        path = url.path + (f"?{url.query}" if url.query else "")
        if response.request.method != "GET" or url.path == "/" or url.path.startswith(LIVE):
            continue
        if url.path.startswith("/events"):
            continue
        if url.path.endswith("/transcript"):
            if "after=0" not in path:
                continue
            path = url.path
        with suppress(Exception):  # a body that is gone with the page that asked for it
            kind = response.headers.get("content-type", "")
            answers[path] = [response.status, kind, response.text()]
    found = {
        "hash": urlsplit(page.url).fragment,
        "answers": answers,
        "memory": page.evaluate(MEMORY),
    }
    (FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")


def staged(browser: Browser, url: str, name: str | None, place: str, seed: str) -> Page:
    """Open the page on a stage, or at ``place`` of the arena itself with an empty memory.

    ``seed`` fixes what is random in the browser, such as keys.
    """
    found = stage(name) if name else {"hash": place}
    context = browser.new_context(
        bypass_csp=True, reduced_motion="reduce", viewport={"width": 1440, "height": 900}
    )
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.clock.set_fixed_time(NOON)
    page.add_init_script(f"({SET})({json.dumps({'seed': seed, **found})})")
    page.goto(f"{url}/{'#' if name or place.startswith('/') else ''}{found['hash']}")
    return page

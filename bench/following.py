"""Cost of one more line to a browser that follows a game: line 1,000 against line 10.

A record of more than 1,000 lines comes line by line to a page that watches the table. The page
hashes each line, plays it by the rules and draws it. The figure is the CPU time of the page's main
thread, as Chromium counts it, and its median over 20 lines. A page that begins anew with each line
would have a ratio of about 100.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

from _machine import ratio, summary, write

ROOT: Final = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.helpers.arena import in_a_thread  # noqa: E402 (found by the line above)
from tests.helpers.browser import chromium  # noqa: E402
from tests.helpers.page import DENO, WEB, page  # noqa: E402
from tests.helpers.stages import SET  # noqa: E402

from fairground.server.app import make_app  # noqa: E402

EARLY: Final = range(10, 30)
LATE: Final = range(1000, 1020)
REPETITIONS: Final = 5
WISH: Final = {
    "game": "zombie/2",
    "dealer": "hash-chains/1",
    "leave": 0,
    "params": {"players": 2, "brains_to_win": 400},
    "turns": 900,
}


def long_record(folder: str) -> list[str]:
    """The lines of a long game of Zombie Dice, always the same."""
    made = ["run", "--allow-write", "test/make.ts", folder, "a long game", "1", json.dumps(WISH)]
    subprocess.run([str(DENO), *made], cwd=WEB, check=True)
    (file,) = Path(folder).glob("*.jsonl")
    return file.read_text().splitlines()


TELLS: Final = """
EventSource = class extends EventTarget {
  constructor() {
    super();
    globalThis.stream = this;
    setTimeout(() => this.onopen?.());
  }
  close() {}
};
"""


def cpu(page: Page, devtools: Any) -> float:
    """CPU seconds that tasks of the main thread have taken so far."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def send(page: Page, lines: list[str], numbers: range) -> None:
    """Let these lines come, at once."""
    topic = "table:long"
    news = [
        json.dumps({"topic": topic, "line": number, "text": lines[number - 1]})
        for number in numbers
    ]
    page.evaluate(
        """all => all.forEach((news) =>
          stream.dispatchEvent(new MessageEvent('table', { data: news })))""",
        news,
    )
    page.locator(f"[data-lines='{numbers[-1]}']").wait_for()


def followed(page: Page, devtools: Any, lines: list[str]) -> dict[str, float]:
    """Let the lines come; the CPU seconds of an early one and of a late one."""
    found: dict[str, float] = {}
    come = 1
    for name, numbers in (("line 10", EARLY), ("line 1,000", LATE)):
        send(page, lines, range(come, numbers.start))
        spent = []
        for number in numbers:
            before = cpu(page, devtools)
            send(page, lines, range(number, number + 1))
            spent.append(cpu(page, devtools) - before)
        found[name] = sorted(spent)[len(spent) // 2]
        come = numbers.stop
    return found


def main() -> None:
    """Follow the same game several times, each in a fresh page."""
    page()
    samples: dict[str, list[float]] = {"line 10": [], "line 1,000": []}
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        lines = long_record(folder)
        answers = {"/tables/long/transcript": [200, "text/plain", ""]}
        stage = {"seed": "long", "answers": answers, "memory": {"seats": [], "things": []}}
        with in_a_thread(make_app(f"sqlite:///{folder}/arena.db")) as arena:
            for _ in range(REPETITIONS):
                shown = browser.new_context(reduced_motion="reduce").new_page()
                shown.add_init_script(f"({SET})({json.dumps(stage)}); {TELLS}")
                shown.goto(f"{arena}/#/table/long")
                shown.wait_for_function("globalThis.stream")
                devtools = shown.context.new_cdp_session(shown)
                devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
                for name, value in followed(shown, devtools, lines).items():
                    samples[name].append(value)
                shown.context.close()
    write(
        "following",
        {
            "unit": "CPU seconds of the page's main thread for one more line",
            "target": "line 1,000 costs at most twice what line 10 costs",
            "cpu": summary(samples),
            "times line 10": ratio(samples, "line 1,000", "line 10"),
        },
    )


if __name__ == "__main__":
    main()

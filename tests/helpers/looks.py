"""Rules that hold on every page in every state, and pictures to compare it with."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from PIL import Image, ImageChops

from tests.helpers.places import TESTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

PICTURES: Final = TESTS / "page" / "pictures"
SCALES: Final = {1440: 0.5, 1024: 0.5, 390: 1.0}
"""Device pixels for each CSS pixel, by the width of the window: small pictures of large windows."""

TALLEST: Final = 1400
"""CSS pixels of a page that are in its picture. Below is long text, which the rules see too."""

THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")

LEVELS: Final = 8
"""Levels of each colour in a reference: it is then small, and off by at most 18 of 255."""

FAR: Final = 40
"""A pixel differs if one of its colours differs by more than this. What differs by 58 is always
found: text, a field's border, a filled box. What differs by 22, as anti-aliasing may, never is."""

MOST: Final = 30
"""How many pixels may differ: fewer than one short word has."""

STILL: Final = """
*, *::before, *::after { transition: none !important; animation: none !important;
  caret-color: transparent !important; }
html { font-family: "DejaVu Sans" !important; }
.mono, code, pre, kbd { font-family: "DejaVu Sans Mono" !important; }
/* These say where the arena of this run is, which build this is, and how long something took. */
footer.low code, main pre, [data-address], [data-here], [data-took] {
  visibility: hidden !important; }
"""

RULES: Final = (TESTS / "helpers" / "looks.js").read_text()


class Looks:
    """A page in one state, looked at in every width and theme."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._clip: dict[str, float] = {}
        page.add_style_tag(content=STILL)
        page.evaluate("document.fonts.ready.then(() => {})")

    def _resize(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": SCALES[width]}
        self._devtools.send("Emulation.setDeviceMetricsOverride", {**metrics, "mobile": False})

    def in_every_width(self) -> Iterator[int]:
        """Lay the page out in each width, as high as all that it shows."""
        for width in SCALES:
            self._resize(width, 900)
            height = self._page.evaluate("document.documentElement.scrollHeight")
            self._resize(width, height)
            self._clip = {
                "x": 0,
                "y": 0,
                "width": width,
                "height": min(height, TALLEST),
                "scale": 1,
            }
            yield width

    def faults(self, chosen: int) -> list[str]:
        """Return the rules that the page breaks as it is now."""
        found: list[str] = self._page.evaluate(RULES, chosen)
        return found

    def picture(self, theme: Literal["light", "dark"]) -> Image.Image:
        """Take a picture of the page."""
        self._page.emulate_media(color_scheme=theme)
        options: dict[str, Any] = {"format": "png", "optimizeForSpeed": True, "clip": self._clip}
        taken = self._devtools.send("Page.captureScreenshot", options)["data"]
        return Image.open(io.BytesIO(base64.b64decode(taken))).convert("RGB")


def keep(picture: Image.Image, path: Path) -> None:
    """Save a reference picture."""
    path.parent.mkdir(exist_ok=True)
    step = 255 / (LEVELS - 1)
    few = picture.point(lambda value: round(round(value / step) * step))
    if few.getcolors(256):
        few = few.convert("P", palette=Image.Palette.ADAPTIVE, colors=256)
    few.save(path, optimize=True)


def difference(picture: Image.Image, path: Path) -> str:
    """Say how a picture differs from its reference; empty if it does not."""
    if not path.exists():
        return f"there is no {path.name}: `make shots` makes it"
    with Image.open(path) as kept:
        reference = kept.convert("RGB")
    if reference.size != picture.size:
        return f"{path.name}: {picture.size} pixels, and the reference has {reference.size}"
    channels = ImageChops.difference(reference, picture).split()
    most = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    far = sum(most.histogram()[FAR + 1 :])
    if far <= MOST:
        return ""
    where = most.point(lambda value: 255 * (value > FAR)).getbbox()
    return f"{path.name}: {far} pixels differ, within {where}"

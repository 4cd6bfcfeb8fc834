"""``python -m tests.preview DIR [--url URL]``: each dashboard as a page and a picture.

Without ``--url`` a Prometheus of its own has some hours of simulated fleets. The pictures need Chromium.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bedplate.telemetry.dashboards.catalogue import all_dashboards
from tests.preview.answers import Source
from tests.preview.history import ENVIRONMENT, simulated_history
from tests.preview.page import WIDTH, page_html
from tests.support.real_parts import find_program

_VALUES = {"environment": ENVIRONMENT, "job": "1001", "node": "h200-6"}
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def main() -> None:
    """Draw them all."""
    parser = argparse.ArgumentParser(prog="python -m tests.preview", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", help="a Prometheus that is running")
    parser.add_argument("--at", type=float, default=time.time() - 120, help="the page's end, since 1970")
    parser.add_argument("--hours", type=float, default=6)
    for name, value in _VALUES.items():
        parser.add_argument(f"--{name}", default=value)
    given = parser.parse_args()
    values = {name: getattr(given, name) for name in _VALUES}
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.url:
        draw(given.folder, Source(given.url, given.at, given.hours), values, f"live: {given.url}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        at = round(given.at)
        with simulated_history(Path(scratch), hours=given.hours, end=at) as url:
            draw(given.folder, Source(url, at, given.hours), values, "SIMULATED FLEET")


@dataclass(frozen=True)
class Seen:
    """What the browser says of a page: errors, titles that their panels cut, and how wide it is."""

    complaints: list[str]
    cut_titles: list[str]
    width: int


def draw(folder: Path, source: Source, values: dict[str, str], note: str) -> dict[str, Seen]:
    """Write a page and a picture of each dashboard; by uid."""
    for uid, model in all_dashboards().items():
        page = page_html(model, source=source, values=values, note=note)
        (folder / f"{uid}.html").write_text(page, encoding="utf-8")
    return photograph(folder)


def photograph(folder: Path) -> dict[str, Seen]:
    """A picture beside each page of the folder."""
    from playwright.sync_api import sync_playwright

    seen = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=_program("chromium"), args=_FLAGS, env=dict(os.environ)
        )
        for page in sorted(folder.glob("*.html")):
            complaints: list[str] = []
            opened = browser.new_page(viewport={"width": WIDTH, "height": 900})
            opened.on("console", lambda message, told=complaints: told.append(message.text))
            opened.on("pageerror", lambda error, told=complaints: told.append(str(error)))
            opened.goto(page.resolve().as_uri())
            opened.screenshot(path=page.with_suffix(".png"), full_page=True)
            seen[page.stem] = Seen(complaints, opened.evaluate(_CUT), opened.evaluate(_WIDE))
            opened.close()
        browser.close()
    return seen


_CUT = "[...document.querySelectorAll('h3')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)"
_WIDE = "document.documentElement.scrollWidth"


def _program(part: str) -> str:
    found = find_program(part)
    if found is None:
        raise SystemExit(f"{part} is not installed")
    return found


if __name__ == "__main__":
    main()

"""The page in a real browser, with the network cut off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bedplate.validation.reports.html import render_html
from bedplate.validation.result import RunResult
from tests.support.real_parts import find_program
from tests.validation.reports.sample_run import faulty_run, healthy_run

pytestmark = [pytest.mark.real("chromium"), pytest.mark.slow]

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium for the tests of this file."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=find_program("chromium"), args=FLAGS, env=dict(os.environ)
        )
        yield chromium
        chromium.close()


class _Opened:
    """A page that was opened, what it asked for and what it complained of."""

    def __init__(self, browser: Any, html: Path, **context: Any) -> None:
        self.context = browser.new_context(offline=True, **context)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(html.as_uri())


def _open(browser: Any, tmp_path: Path, run: RunResult, **context: Any) -> _Opened:
    html = tmp_path / "report.html"
    html.write_text(render_html(run), encoding="utf-8")
    return _Opened(browser, html, **context)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_the_page_opens_offline_with_its_verdict_on_the_first_screen(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    """With no network the page asks for itself alone, complains of nothing, and shows the verdict at once."""
    size = {"width": width, "height": 800}
    opened = _open(browser, tmp_path, faulty_run(), viewport=size, color_scheme=scheme)
    assert opened.requests == [(tmp_path / "report.html").as_uri()]
    assert opened.complaints == []
    box = opened.page.locator("h1").bounding_box()
    assert box["y"] + box["height"] < 400
    assert opened.page.locator("h1").inner_text() == "Do not hand over"
    assert opened.page.locator(".simulated").is_visible()
    # Nothing sticks out of a narrow screen; wide tables scroll by themselves.
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width


def test_the_map_has_its_cells_and_leads_to_the_reason(browser: Any, tmp_path: Path) -> None:
    """The browser sees one cell a verdict, and following the mark of a fault brings its card to view."""
    run = faulty_run(nodes=64)
    opened = _open(browser, tmp_path, run, viewport={"width": 1280, "height": 800})
    cells = opened.page.locator("table.map td[class^='s-']")
    assert cells.count() == len(run.verdicts)
    opened.page.locator("td.s-fail a").first.click()
    assert opened.page.url.endswith("#fault-1")
    assert opened.page.locator("#fault-1").is_visible()


def test_a_keyboard_reaches_the_marks_that_are_amiss(browser: Any, tmp_path: Path) -> None:
    """Each mark that is amiss is a link in the order of the tab key, named for a screen reader."""
    opened = _open(browser, tmp_path, faulty_run())
    link = opened.page.get_by_role("link", name="failed: 15 of 16 EFA devices are there")
    assert link.count() == 1
    link.focus()
    assert opened.page.evaluate("document.activeElement.getAttribute('href')") == "#fault-1"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(browser: Any, tmp_path: Path, scheme: str) -> None:
    """Every tone of text has a contrast of 4.5 or more on the surface that it stands on."""
    opened = _open(browser, tmp_path, faulty_run(), color_scheme=scheme)
    weak = opened.page.evaluate(_CONTRAST)
    assert weak == []


def test_a_healthy_run_shows_no_fault(browser: Any, tmp_path: Path) -> None:
    """A real, passed run has no fault card, no banner, and says that it may be handed over."""
    opened = _open(browser, tmp_path, healthy_run())
    assert opened.page.locator("h1").inner_text() == "Ready to hand over"
    assert opened.page.locator(".card").count() == 0
    assert opened.page.locator(".simulated").count() == 0


_CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = text => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const p = canvas.getImageData(0, 0, 1, 1).data; return [p[0], p[1], p[2], p[3] / 255]; };
  const light = c => { const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  const ground = e => { for (; e; e = e.parentElement) { const s = getComputedStyle(e);
    const c = rgba(s.backgroundColor); if (c[3] > 0.95) return c; } return [255, 255, 255, 1]; };
  const weak = new Set();
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest('.sr, .said') && e.matches('.sr') || !e.checkVisibility()) continue;
    const a = light(rgba(getComputedStyle(e).color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) weak.add(`${e.tagName}.${e.className} ${ratio.toFixed(2)}`);
  }
  return [...weak];
}"""

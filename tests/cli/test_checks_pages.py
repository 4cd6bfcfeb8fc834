"""Every explanation is on a page of the documentation, and the pages are the generated ones."""

from __future__ import annotations

from pathlib import Path

from bedplate.cli.checks_pages import pages
from bedplate.cli.registries import all_rows

CHECKS = Path(__file__).parents[2] / "docs" / "checks"


def test_the_committed_pages_are_the_generated_ones() -> None:
    """``python -m bedplate.cli.checks_pages docs`` would change nothing."""
    for name, text in pages().items():
        assert (CHECKS / name).read_text(encoding="utf-8") == text, name


def test_every_row_is_on_one_page() -> None:
    """Each id heads a section of exactly one page, so that a link to it can be given."""
    headings = [
        line.split(":")[0].removeprefix("## ")
        for path in CHECKS.glob("*.md")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("## ")
    ]
    assert sorted(headings) == sorted(row.id for row in all_rows())

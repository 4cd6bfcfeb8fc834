"""The pages of docs/checks are what the checks say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.diagnosis.checks import FAMILIES, ROWS
from bedplate.diagnosis.checks.pages import page, write_pages

DOCS = Path(__file__).resolve().parents[2] / "docs" / "checks"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_committed_page_is_the_one_that_is_made(family: str) -> None:
    """Run `python -m bedplate.diagnosis.checks.pages` after a change of a check's text."""
    assert (DOCS / f"{family}.md").read_text(encoding="utf-8") == page(family)


def test_pages_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    """One file a family, with a section for each of its checks."""
    write_pages(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"node.md", "fabric.md"}
    assert (tmp_path / "node.md").read_text(encoding="utf-8").count("\n## ") == len(FAMILIES["node"])


@pytest.mark.parametrize("check_id", ROWS)
def test_every_explanation_is_whole(check_id: str) -> None:
    """What, why, fix and by hand are sentences; the title is none."""
    row = ROWS[check_id]
    assert row.id == check_id
    assert not row.title.endswith(".")
    for text in (row.what, row.why, row.fix, row.by_hand):
        assert text.endswith(".")
        assert "  " not in text

"""The page of times is made from the cases that promtool holds."""

from __future__ import annotations

from tests.docs.blocks import ROOT
from tests.telemetry.promtool.times import text


def test_the_committed_page_is_what_the_cases_state() -> None:
    """Whoever changes an alert's wait makes the page anew."""
    assert (ROOT / "docs/reference/alert-times.md").read_text(encoding="utf-8") == text()

"""The page of all metrics is what the table makes."""

from __future__ import annotations

from pathlib import Path

from bedplate.telemetry.metrics.catalogue import METRICS
from bedplate.telemetry.metrics.reference import reference_page

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_what_the_table_makes() -> None:
    """``docs/reference/metrics.md`` is written by the module and not by hand, and has every metric once."""
    page = reference_page()
    assert (ROOT / "docs/reference/metrics.md").read_text(encoding="utf-8") == page
    assert all(page.count(f"| `{name}` |") == 1 for name in METRICS)

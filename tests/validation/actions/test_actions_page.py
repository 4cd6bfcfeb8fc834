"""The page of what is done about which fault is made from the tables."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from bedplate.validation.actions.model import Rule
from bedplate.validation.actions.reference import RULES, page

ROOT = Path(__file__).resolve().parents[3]


def test_the_committed_page_is_what_the_tables_make() -> None:
    """Whoever changes a table makes the page anew."""
    assert (ROOT / "docs/reference/actions.md").read_text(encoding="utf-8") == page()


def test_every_rule_is_explained() -> None:
    """A fault that is left alone is left alone for a reason that can be read."""
    assert set(RULES) == set(get_args(Rule))

"""No version of ParallelCluster that the file takes is known to be bad."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from bedplate.spec.orchestrator.parallelcluster import ParallelClusterVersion
from bedplate.spec.parallelcluster_versions import KNOWN_BAD, known_bad

PAGE = Path(__file__).resolve().parents[2] / "docs/parallelcluster.md"


@pytest.mark.parametrize("version", get_args(ParallelClusterVersion))
def test_a_version_that_may_be_given_is_not_known_to_be_bad(version: str) -> None:
    """Whoever lets another version in has to look at the list first."""
    assert known_bad(version) == ()


@pytest.mark.parametrize(
    ("version", "rows"),
    [("3.7.2", 1), ("3.8.0", 1), ("3.11.1", 3), ("3.13.2", 1), ("3.15.1", 1), ("3.16.0", 0)],
)
def test_both_ends_of_a_row_are_in_it(version: str, rows: int) -> None:
    """Numbers are compared as numbers: 3.9 is older than 3.11."""
    assert len(known_bad(version)) == rows


def test_the_page_has_every_row() -> None:
    """docs/parallelcluster.md lists each with its reason and source."""
    text = PAGE.read_text(encoding="utf-8")
    for row in KNOWN_BAD:
        assert f"| {row.oldest} to {row.newest} | {row.what} | {row.source} |" in text

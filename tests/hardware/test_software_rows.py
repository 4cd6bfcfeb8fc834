"""The tables of versions: sourced, consistent with each other, and compared by numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.hardware import INSTANCE_TYPES
from bedplate.hardware.software.compatibility import deviations, violations
from bedplate.hardware.software.page import software_page
from bedplate.hardware.software.rows import BUNDLES, KNOWN_BAD, MINIMUMS, NEEDS, TESTED, Bundle
from bedplate.hardware.software.version import at_least, begins_with, version_key


@pytest.mark.parametrize(
    ("version", "least", "enough"),
    [
        ("1.16.3", "1.15.0", True),
        ("1.9.1", "1.15.0", False),
        ("2.1.0amzn5.0", "2.1.0amzn4.0", True),
        ("2.1.0amzn5.0", "2.1.0", True),
        ("1.22.0", "1.22.0amzn4.0", False),
        ("570.133.20", "570.133.20", True),
        ("570.86.15", "570.133.20", False),
        ("2.17.2g", "2.17.2", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, least: str, enough: bool) -> None:
    """Not as text, and a build of Amazon's is newer than the release that it is of."""
    assert at_least(version, least) is enough


def test_a_build_is_one_of_its_release() -> None:
    """By whole numbers: 1.22.0 is no 1.2."""
    assert begins_with("1.22.0amzn4.0", "1.22.0")
    assert not begins_with("1.22.0", "1.2")


def test_every_row_has_numbers_and_a_source() -> None:
    """A row that compares nothing, or that nobody can look up, is no row."""
    rows = [*MINIMUMS, *NEEDS, *KNOWN_BAD, *BUNDLES]
    assert all(row.source.strip() for row in rows)
    words = [row.version for row in (*MINIMUMS, *KNOWN_BAD)]
    words += [word for row in NEEDS for word in (row.since, row.least)]
    words += [
        word for row in BUNDLES for word in (row.installer, row.libfabric, row.plugin, row.driver) if word
    ]
    words += [word for row in TESTED for word in (row.plugin, row.oldest, row.newest)]
    assert all(len(version_key(word)) >= 2 for word in words)


def test_minimums_are_of_types_that_there_are() -> None:
    """A type's name that is misspelt would hold nothing."""
    assert {name for row in MINIMUMS for name in row.types} <= set(INSTANCE_TYPES)


def test_installers_are_listed_once() -> None:
    """Two rows of one installer could disagree."""
    names = [row.installer for row in BUNDLES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("row", [row for row in BUNDLES if row.plugin and row.libfabric])
def test_what_an_installer_brings_goes_together(row: Bundle) -> None:
    """The tables do not contradict each other: no bundle is forbidden or called mixed."""
    versions = {
        "efa-installer": row.installer,
        "libfabric": row.libfabric,
        "aws-ofi-nccl": row.plugin,
    }
    assert not violations(versions=versions, instance_type="p5en.48xlarge")
    assert not deviations(versions)


def test_the_committed_page_is_the_one_that_is_made() -> None:
    """Write `python -m bedplate.hardware.software.page` into it after a change of a row."""
    page = Path(__file__).resolve().parents[2] / "docs/reference/software.md"
    assert page.read_text(encoding="utf-8") == software_page()

"""The reference page is the tables, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.hardware import GPUS, INSTANCE_TYPES, MORE_ADDRESS_BANDWIDTH, ULTRASERVERS, XIDS, instance_type
from bedplate.hardware.reference import layout_text, reference_page

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "hardware.md"


def test_the_committed_page_is_the_generated_one() -> None:
    """The page in docs is what ``python -m bedplate.hardware.reference`` writes now."""
    assert _PAGE.read_text(encoding="utf-8") == reference_page()


def test_every_row_is_on_the_page() -> None:
    """Each instance type, UltraServer, GPU and Xid starts a row of its own table."""
    starts = [line.split(" | ")[0] for line in reference_page().splitlines() if line.startswith("| ")]
    for name in (*INSTANCE_TYPES, *ULTRASERVERS, *GPUS, *XIDS):
        assert f"| {name}" in starts


def test_every_table_is_well_formed() -> None:
    """All lines of a table have as many cells as its head, and no cell is empty."""
    for block in reference_page().split("\n\n"):
        table = [line for line in block.splitlines() if line.startswith("|")]
        assert len({line.count(" | ") for line in table}) <= 1
        assert not any("|  |" in line for line in table)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p5.4xlarge", "ENA on card 0 device 0; efa-only on card 0 device 1"),
        (
            "p5en.48xlarge",
            "ENA on card 0 device 0; efa-only on card 0 device 1; efa-only on card 1–15 device 0",
        ),
        ("p6e-gb200.36xlarge", "ENA on card 0 device 0; efa-only on card 1, 5, 9, 13 device 0"),
    ],
)
def test_layouts_read_in_words(name: str, text: str) -> None:
    """A layout is told in one line."""
    assert layout_text(instance_type(name)) == text


def test_further_interfaces_are_told() -> None:
    """The cards that take a second ENA interface stand in the line of their layout."""
    row = instance_type("p5.48xlarge").laid_out(choice=MORE_ADDRESS_BANDWIDTH)
    assert "ENA on card 4, 8, 12, 16, 20, 24, 28 device 1" in layout_text(row)
    assert layout_text(row) in reference_page()

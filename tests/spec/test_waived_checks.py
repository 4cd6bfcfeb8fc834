"""What a waiver of an unknown check is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.spec.known_checks import KNOWN_CHECKS
from bedplate.spec.loader import load_environment
from bedplate.spec.problems import SpecProblems

BROKEN = Path(__file__).parent / "broken" / "waiver-for-no-check.yaml"


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ("NCL-009", "Did you mean NCL-0"),
        ("GPU-070", "Did you mean GPU-0"),
        ("CLK-100", "Did you mean CLK-001?"),
        ("VAL-005", "Name one of those that are allowed"),
        ("NCC-002", "Name one of those that are allowed"),
    ],
)
def test_only_checks_of_the_same_family_are_proposed(tmp_path: Path, given: str, remedy: str) -> None:
    """VAL-005 is near NCL-002 by its letters only; the list of all checks stands beside it."""
    file = tmp_path / "environment.yaml"
    text = BROKEN.read_text(encoding="utf-8")
    wrong = next(line for line in text.splitlines() if "check:" in line).partition("check: ")[2][:7]
    file.write_text(text.replace(f"check: {wrong}", f"check: {given}"), encoding="utf-8")
    with pytest.raises(SpecProblems) as caught:
        load_environment(file)
    (problem,) = caught.value.problems
    assert problem.id == "VAL-001"
    assert problem.remedy.startswith(remedy)
    assert problem.allowed == ", ".join(KNOWN_CHECKS)

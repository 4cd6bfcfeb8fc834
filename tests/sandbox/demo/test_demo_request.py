"""What the demonstration is asked to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.errors import UsageError
from bedplate.sandbox.demo.request import MARK, DemoRequest, read_seed


def _request(folder: Path) -> DemoRequest:
    return DemoRequest(repository=folder, environment=folder / "demo.yaml", output=folder / "out")


@pytest.mark.parametrize(("text", "seed"), [("default", "default"), ("0", 0), ("17", 17)])
def test_a_seed_is_default_or_a_number(text: str, seed: int | str) -> None:
    """The word default and whole numbers are seeds."""
    assert read_seed(text) == seed


@pytest.mark.parametrize("text", ["", "-1", "1.5", "seven", "٣", "9" * 19])
def test_another_seed_is_refused_with_what_is_allowed(text: str) -> None:
    """Anything else is refused, with the value and what is allowed."""
    with pytest.raises(UsageError) as refusal:
        read_seed(text)
    assert refusal.value.error_id == "DEM-001"
    assert repr(text) in refusal.value.message
    assert "whole number" in refusal.value.message


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    """A folder that no demonstration made is refused, and nothing in it is touched."""
    request = _request(tmp_path)
    request.output.mkdir()
    (request.output / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError) as refusal:
        request.prepare()
    assert refusal.value.error_id == "DEM-003"
    assert (request.output / "thesis.txt").read_text() == "mine"


def test_the_folder_of_an_earlier_run_is_made_new(tmp_path: Path) -> None:
    """The output of the run before is replaced, so that no old page is taken for a new one."""
    request = _request(tmp_path)
    request.prepare()
    request.report.write_text("old")
    request.prepare()
    assert not request.report.exists()
    assert (request.output / MARK).exists()


def test_it_begins_only_where_the_app_is(tmp_path: Path) -> None:
    """Outside a checkout it ends at once and names what is missing."""
    with pytest.raises(UsageError) as refusal:
        _request(tmp_path).check()
    assert refusal.value.error_id == "DEM-002"
    assert "app.py" in refusal.value.message

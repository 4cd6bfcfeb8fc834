"""A page for each alert, made from its data."""

from __future__ import annotations

from pathlib import Path

from bedplate.telemetry.alert_rules import runbook
from bedplate.telemetry.alerts.background import BACKGROUND
from bedplate.telemetry.alerts.catalogue import alerts
from bedplate.telemetry.runbook_pages import main, pages

ROOT = Path(__file__).resolve().parents[3]


def test_the_committed_pages_are_what_the_data_make() -> None:
    """Whoever changes an alert makes the pages anew; none is left of an alert that is gone."""
    folder = ROOT / "docs/runbooks"
    committed = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert committed == dict(pages())


def test_each_alert_links_to_a_page_that_is_there() -> None:
    """By the path that stands in the alert."""
    assert all((ROOT / runbook(each.name)).is_file() for each in alerts())


def test_what_is_known_beside_is_of_alerts_that_exist() -> None:
    """A paragraph of a renamed alert would be lost without a word."""
    assert set(BACKGROUND) <= {each.name for each in alerts()}


def test_pages_of_alerts_that_are_gone_are_removed(tmp_path: Path) -> None:
    """A stale runbook sends people astray."""
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "runbooks/old.md").write_text("# Old\n")
    main(tmp_path)
    assert not (tmp_path / "runbooks/old.md").exists()
    assert (tmp_path / "runbooks/index.md").is_file()

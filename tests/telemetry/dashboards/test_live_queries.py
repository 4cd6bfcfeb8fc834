"""Every panel's query, asked of a real Prometheus that has hours of simulated fleets with faults in them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bedplate.telemetry.dashboards.asked import Asked, all_queries
from bedplate.telemetry.dashboards.catalogue import all_dashboards
from tests.preview.__main__ import draw
from tests.preview.answers import Source
from tests.preview.history import ENVIRONMENT, simulated_history

pytestmark = [pytest.mark.slow, pytest.mark.real("prometheus"), pytest.mark.real("promtool")]

HOURS = 1.2
RULES_FIRE_SECONDS = 10
VALUES = {"environment": ENVIRONMENT, "job": "1001", "node": "h200-3"}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    """A server over the fleets' last hour and a bit, which evaluates the rules."""
    end = round(time.time())
    with simulated_history(tmp_path_factory.mktemp("history"), hours=HOURS, end=end) as url:
        time.sleep(RULES_FIRE_SECONDS)  # for alerts without a time to hold
        yield Source(url, time.time(), HOURS)


def test_every_query_returns_series(source: Source) -> None:
    """A query that names what exists and still joins nothing would show an empty panel for ever."""
    asked = all_queries(VALUES)
    assert [_name(each) for each in asked if not source.ask(each.expression, instant=True)] == []


def test_an_other_environment_shows_nothing_of_this_one(source: Source) -> None:
    """Each query is narrowed to its environment; what counts nothing says 0."""
    for each in all_queries({**VALUES, "environment": "other"}):
        values = {float(one["value"][1]) for one in source.ask(each.expression, instant=True)}
        assert values <= {0.0}, _name(each)


@pytest.mark.real("chromium")
def test_pages_fit_a_laptop(source: Source, tmp_path: Path) -> None:
    """Drawn at 1440 columns: no title is cut, nothing is wider than the page, and every panel is drawn."""
    told = draw(tmp_path, source, VALUES, "SIMULATED FLEET")
    assert set(told) == set(all_dashboards())
    for uid, page in told.items():
        assert page.complaints == [], uid
        assert page.cut_titles == [], uid
        assert page.width <= 1440, uid
        assert (tmp_path / f"{uid}.png").stat().st_size > 20_000


def _name(each: Asked) -> str:
    return f"{each.dashboard} | {each.panel} {each.ref_id}"

"""Every dashboard: that Grafana can load it, that it names what is collected, and that it reads well."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models import units as sdk_units

from bedplate.telemetry.alerts.catalogue import families
from bedplate.telemetry.dashboards.asked import BUILT_IN, all_queries, panels_of, variables_in
from bedplate.telemetry.dashboards.catalogue import all_dashboards
from bedplate.telemetry.dashboards.page import COLUMNS
from bedplate.telemetry.dashboards.sources import CLOUDWATCH_UID, PROMETHEUS_UID
from bedplate.telemetry.metrics.cloudwatch import cloudwatch_metric
from tests.telemetry.promql import labels_of

MODELS = all_dashboards()
SOME = {"environment": "prod", "job": "1", "node": "gpu-1"}
BOUND_BYTES = 200_000
"""Ours: a tenth of what would be hard to read for people; no API of Grafana states one."""

each_dashboard = pytest.mark.parametrize("uid", MODELS)


def _targets(model: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(panel, target) for panel in panels_of(model) for target in panel["targets"]]


@each_dashboard
def test_it_loads_through_the_schema_and_comes_back_the_same(uid: str) -> None:
    """The SDK's own classes read it: no field is misspelt, no value of a wrong kind."""
    register_default_plugins()
    read = models.Dashboard.from_json(json.loads(json.dumps(MODELS[uid])))
    assert json.loads(JSONEncoder(sort_keys=True).encode(read)) == MODELS[uid]


@each_dashboard
def test_panels_have_ids_of_their_own_and_places_that_do_not_overlap(uid: str) -> None:
    """In 24 columns, without a gap at the right."""
    panels = MODELS[uid]["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: dict[tuple[int, int], int] = {}
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] >= 0
        assert place["x"] + place["w"] <= COLUMNS
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, f"{panel['id']} lies over {taken[x, y]}"
                taken[x, y] = panel["id"]


@each_dashboard
def test_each_panel_says_what_it_shows_in_a_unit_that_grafana_knows(uid: str) -> None:
    """Title, description, unit, and one of the two data sources by its uid, in the panel and its queries."""
    known = {
        ast.literal_eval(each) for each in re.findall(r"= (\".*\")", Path(sdk_units.__file__).read_text())
    }
    for panel in panels_of(MODELS[uid]):
        assert panel["title"]
        assert panel["description"].endswith(".")
        assert panel["fieldConfig"]["defaults"]["unit"] in known
        sources = {target["datasource"]["uid"] for target in panel["targets"]}
        assert sources == {panel["datasource"]["uid"]}
        assert sources <= {PROMETHEUS_UID, CLOUDWATCH_UID}


@each_dashboard
def test_each_query_names_what_is_collected(uid: str) -> None:
    """Metrics and labels of the table alone, in matchers, groupings and legends."""
    for panel, target in _targets(MODELS[uid]):
        if target["datasource"]["uid"] == CLOUDWATCH_UID:
            cloudwatch_metric(target["metricName"], dimensions=target["dimensions"])
            continue
        (query,) = [
            each
            for each in all_queries(SOME)
            if (each.dashboard, each.panel, each.ref_id) == (uid, panel["title"], target["refId"])
        ]
        labels = labels_of(query.expression)
        legend = set(re.findall(r"{{(\w+)}}", target.get("legendFormat", "")))
        assert legend <= labels, f"{panel['title']}: the legend names {legend - labels}"
        shown = _columns_of_labels(panel)
        assert shown <= labels, f"{panel['title']}: a column shows {shown - labels}"


def _columns_of_labels(panel: dict[str, Any]) -> set[str]:
    renamed: dict[str, str] = {}
    for each in panel.get("transformations", ()):
        renamed |= each["options"].get("renameByName", {})
    return {name for name in renamed if not name.startswith("Value")}


@each_dashboard
def test_every_variable_that_is_used_is_defined_and_the_other_way_round(uid: str) -> None:
    """A query with an undefined variable asks for its name; one that nothing uses is noise on the page."""
    model = MODELS[uid]
    defined = {each["name"] for each in model["templating"]["list"]}
    texts = [json.dumps(target) for _, target in _targets(model)]
    texts += [json.dumps(each["query"]) for each in model["templating"]["list"]]
    used = set().union(*(variables_in(text) for text in texts)) - set(BUILT_IN)
    assert used <= defined
    assert defined <= used


@each_dashboard
def test_links_lead_to_dashboards_that_there_are_with_variables_that_they_have(uid: str) -> None:
    """A click on a node opens that node."""
    for path, query in re.findall(r'"/d/([\w-]+)\?([^"]*)"', json.dumps(MODELS[uid])):
        target = {each["name"] for each in MODELS[path]["templating"]["list"]}
        assert set(re.findall(r"var-(\w+)=", query)) <= target, (path, query)


@each_dashboard
def test_nothing_is_left_for_an_import_dialog_to_fill_in(uid: str) -> None:
    """Provisioning fills neither ``__inputs`` nor ``${DS_…}``."""
    text = json.dumps(MODELS[uid])
    assert "__inputs" not in text
    assert "${DS_" not in text
    assert MODELS[uid].get("id") is None


@each_dashboard
def test_it_is_small_and_keeps_its_uid(uid: str) -> None:
    """Uids are what links and updates go by; Grafana takes 40 characters."""
    assert MODELS[uid]["uid"] == uid
    assert re.fullmatch(r"bedplate-[a-z]+", uid)
    assert len(uid) <= 40
    assert len(json.dumps(MODELS[uid]).encode()) < BOUND_BYTES


def test_every_alert_leads_to_a_dashboard_that_there_is() -> None:
    """The page that somebody gets at night has a link."""
    assert {each.dashboard for members in families().values() for each in members} <= set(MODELS)


def test_panels_of_one_dashboard_have_titles_of_their_own() -> None:
    """Tests, links and people tell them apart by it."""
    for model in MODELS.values():
        titles = [panel["title"] for panel in panels_of(model)]
        assert len(titles) == len(set(titles))


def test_dashboards_are_made_the_same_each_time() -> None:
    """A deploy whose dashboards did not change changes nothing."""
    all_dashboards.cache_clear()
    assert json.dumps(all_dashboards()[next(iter(MODELS))]) == json.dumps(next(iter(MODELS.values())))
    assert [json.dumps(each) for each in all_dashboards().values()] == [
        json.dumps(each) for each in MODELS.values()
    ]
    assert list(MODELS) == sorted(MODELS)


def test_a_query_without_a_value_for_a_variable_is_refused() -> None:
    """It would be sent with the variable's name in it."""
    with pytest.raises(KeyError, match="environment"):
        all_queries({name: value for name, value in SOME.items() if name != "environment"})

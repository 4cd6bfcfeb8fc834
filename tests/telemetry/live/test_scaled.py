"""What the live run changes of rules and routes: times and receivers, nothing else."""

from __future__ import annotations

from typing import Any

import yaml

from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file
from tests.telemetry.live.scaled import Scale, local_alert_manager, scaled_expression, scaled_rules

SCALE = Scale(ranges=30, holds=60, waits=30, least_range_s=8)


def test_ranges_and_offsets_are_scaled_and_thresholds_are_not() -> None:
    """A range has room for four scrapes; a number is a number."""
    assert scaled_expression("rate(a[5m]) > 300", SCALE) == "rate(a[10s]) > 300"
    assert scaled_expression("max_over_time(a[1m]) offset 30m", SCALE) == "max_over_time(a[8s]) offset 60s"
    assert scaled_expression("time() - a > 8 * 86400", SCALE) == "time() - a > 8 * 86400"


def test_rules_keep_labels_and_texts() -> None:
    """Of each rule only its times change."""
    before = yaml.safe_load(rule_file(environment="demo"))
    after = yaml.safe_load(scaled_rules(rule_file(environment="demo"), SCALE))
    for old, new in zip(before["groups"], after["groups"], strict=True):
        assert new["interval"] == "2s"
        for rule, scaled in zip(old["rules"], new["rules"], strict=True):
            changed = {key for key in rule if rule[key] != scaled[key]}
            assert changed <= {"expr", "for"}
            assert set(rule) == set(scaled)


def test_routes_and_inhibition_stay_as_they_are() -> None:
    """The waits of the routes and the receivers' way are another, with the same templates."""
    definition = alert_manager_definition(topic_arn="arn:x", region="us-west-2", environment="demo")
    real: dict[str, Any] = yaml.safe_load(yaml.safe_load(definition)["alertmanager_config"])
    local = yaml.safe_load(local_alert_manager(definition, url="http://127.0.0.1:1", scale=SCALE))
    assert local["inhibit_rules"] == real["inhibit_rules"]
    assert _without_waits(local["route"]) == _without_waits(real["route"])
    for here, there in zip(local["receivers"], real["receivers"], strict=True):
        assert here["name"] == there["name"]
        (slack,), (sns,) = here["slack_configs"], there["sns_configs"]
        assert (slack["title"], slack["text"]) == (sns["subject"], sns["message"])


def _without_waits(route: dict[str, Any]) -> dict[str, Any]:
    left = {key: value for key, value in route.items() if key not in ("group_wait", "group_interval")}
    return {**left, "routes": [_without_waits(each) for each in route.get("routes", [])]}

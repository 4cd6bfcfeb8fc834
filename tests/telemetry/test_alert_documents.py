"""The rule file and the alert manager's definition, as AMP and Prometheus read them."""

from __future__ import annotations

from typing import Any

import yaml

from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.alerts.catalogue import families
from bedplate.telemetry.recording.catalogue import RECORDED_FAMILIES

TOPIC = "arn:aws:sns:us-west-2:123456789012:alarms"


def test_the_rule_file_has_a_group_for_each_family_in_order() -> None:
    """What is recorded comes first; each alert has its labels, and a text for each question of a reader."""
    groups = yaml.safe_load(rule_file(environment="demo"))["groups"]
    recorded = [f"bedplate-recorded-{family}" for family in RECORDED_FAMILIES]
    assert [group["name"] for group in groups] == [*recorded, *(f"bedplate-{each}" for each in families())]
    for group, alerts in zip(groups[len(recorded) :], families().values(), strict=True):
        assert [rule["alert"] for rule in group["rules"]] == [each.name for each in alerts]
        for rule in group["rules"]:
            assert rule["labels"]["environment"] == "demo"
            assert rule["labels"]["severity"] in {"page", "ticket"}
            assert rule["labels"]["scope"] in {"gpu", "node", "job", "cluster"}
            assert set(rule["annotations"]) == {"summary", "meaning", "action", "runbook", "dashboard"}
            assert all(rule["annotations"].values())


def test_alerts_link_to_their_dashboard_where_a_grafana_is_known() -> None:
    """Without one the dashboard's name stands there."""
    group = yaml.safe_load(rule_file(environment="demo", grafana_url="https://g.example/"))["groups"][-1]
    assert group["rules"][0]["annotations"]["dashboard"] == "https://g.example/d/bedplate-fleet"


def _inner() -> dict[str, Any]:
    text = alert_manager_definition(topic_arn=TOPIC, region="us-west-2", environment="demo")
    outer = yaml.safe_load(text)
    assert list(outer) == ["alertmanager_config"]
    inner: dict[str, Any] = yaml.safe_load(outer["alertmanager_config"])
    return inner


def test_every_alert_goes_to_the_topic() -> None:
    """Each receiver publishes there, signed for the Region; what no route takes goes to people."""
    inner = _inner()
    assert inner["route"]["receiver"] == "people"
    for receiver in inner["receivers"]:
        (sns,) = receiver["sns_configs"]
        assert sns["topic_arn"] == TOPIC
        assert sns["sigv4"] == {"region": "us-west-2"}


def test_amp_takes_the_definition() -> None:
    """AMP refuses api_url and http_config, and caps the repeat interval at five days."""
    inner = _inner()
    for receiver in inner["receivers"]:
        assert not {"api_url", "http_config"} & set(receiver["sns_configs"][0])
    routes = [inner["route"], *inner["route"]["routes"]]
    assert {each.get("repeat_interval", "12h") for each in routes} == {"12h", "24h"}

"""The rule file and the alert manager's definition, as AMP and Prometheus read them."""

from __future__ import annotations

import yaml

from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import GPU_RULES, rule_file

TOPIC = "arn:aws:sns:us-west-2:123456789012:alarms"


def test_the_rule_file_holds_every_rule_in_order() -> None:
    """One group has all rules, each with severity, summary and what to do."""
    (group,) = yaml.safe_load(rule_file(environment="demo"))["groups"]
    assert [rule["alert"] for rule in group["rules"]] == [rule.name for rule in GPU_RULES]
    for rule in group["rules"]:
        assert rule["labels"]["environment"] == "demo"
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["annotations"]["action"].endswith(".")


def test_rule_names_are_unique() -> None:
    """Two alerts of one name would be one alert with two meanings."""
    assert len({rule.name for rule in GPU_RULES}) == len(GPU_RULES)


def _inner() -> dict[str, dict[str, object]]:
    text = alert_manager_definition(topic_arn=TOPIC, region="us-west-2", environment="demo")
    outer = yaml.safe_load(text)
    assert list(outer) == ["alertmanager_config"]
    inner: dict[str, dict[str, object]] = yaml.safe_load(outer["alertmanager_config"])
    return inner


def test_every_alert_goes_to_the_topic() -> None:
    """The route's receiver publishes to the topic, signed for the Region."""
    inner = _inner()
    (receiver,) = inner["receivers"]
    assert inner["route"]["receiver"] == receiver["name"]  # type: ignore[index]
    (sns,) = receiver["sns_configs"]  # type: ignore[index]
    assert sns["topic_arn"] == TOPIC
    assert sns["sigv4"] == {"region": "us-west-2"}


def test_amp_takes_the_definition() -> None:
    """AMP refuses api_url and http_config, and caps the repeat interval at five days."""
    (receiver,) = _inner()["receivers"]
    assert not {"api_url", "http_config"} & set(receiver["sns_configs"][0])  # type: ignore[index]
    assert _inner()["route"]["repeat_interval"] == "12h"

"""Pages reach PagerDuty beside the topic."""

from __future__ import annotations

from typing import Any

import yaml

from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.pager_duty import PagerDuty

SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:pd-AbCdEf"
REFUSED = {"url", "http_config", "service_key_file", "routing_key_file"}
"""AMP User Guide, "Use PagerDuty as an alert receiver"."""


def _receivers(pager_duty: PagerDuty | None) -> dict[str, dict[str, Any]]:
    text = alert_manager_definition(
        topic_arn="arn:aws:sns:us-west-2:123456789012:alarms",
        region="us-west-2",
        environment="demo",
        watchdog_topic_arn="arn:aws:sns:us-west-2:123456789012:watchdog",
        pager_duty=pager_duty,
    )
    config = yaml.safe_load(yaml.safe_load(text)["alertmanager_config"])
    return {each["name"]: each for each in config["receivers"]}


def test_pages_alone_go_there() -> None:
    """The receiver of pages has it beside the topic; tickets and the watchdog have not."""
    found = _receivers(PagerDuty(secret_arn=SECRET, secret_key="routing_key"))
    assert [name for name, each in found.items() if "pagerduty_configs" in each] == ["people"]
    assert "sns_configs" in found["people"]


def test_the_key_stays_in_its_secret() -> None:
    """The definition names secret and key; what AMP refuses is not there."""
    (config,) = _receivers(PagerDuty(secret_arn=SECRET, secret_key="key"))["people"]["pagerduty_configs"]
    assert config["routing_key"]["aws_secrets_manager"]["secret_arn"] == SECRET
    assert config["routing_key"]["aws_secrets_manager"]["secret_key"] == "key"
    assert not REFUSED & set(config)


def test_nothing_of_it_is_there_unless_asked_for() -> None:
    """Without a secret there is the topic alone."""
    assert all("pagerduty_configs" not in each for each in _receivers(None).values())

"""The alert that always fires, and where it goes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.telemetry.alert_manager import alert_manager_definition
from bedplate.telemetry.alert_rules import rule_file
from bedplate.telemetry.watchdog import WATCHDOG

PEOPLE = "arn:aws:sns:us-west-2:123456789012:alarms"
NOBODY = "arn:aws:sns:us-west-2:123456789012:watchdog"


def _config(watchdog_topic_arn: str | None = NOBODY) -> dict[str, Any]:
    text = alert_manager_definition(
        topic_arn=PEOPLE, region="us-west-2", environment="demo", watchdog_topic_arn=watchdog_topic_arn
    )
    inner: dict[str, Any] = yaml.safe_load(yaml.safe_load(text)["alertmanager_config"])
    return inner


def test_it_always_fires() -> None:
    """One rule without a metric and without a wait, in a group of its own; none unless it is asked for."""
    with_it = yaml.safe_load(rule_file(environment="demo", watchdog=True))["groups"]
    ((rule,),) = [group["rules"] for group in with_it if group["name"] == "bedplate-watchdog"]
    assert (rule["alert"], rule["expr"]) == (WATCHDOG, "vector(1)")
    assert "for" not in rule
    assert WATCHDOG not in rule_file(environment="demo")


def test_it_mails_nobody() -> None:
    """Its receiver has the other topic alone, and every other alert stays with people."""
    config = _config()
    topics = {each["name"]: each["sns_configs"][0]["topic_arn"] for each in config["receivers"]}
    assert topics.pop(WATCHDOG) == NOBODY
    assert set(topics.values()) == {PEOPLE}
    assert config["route"]["receiver"] == "people"
    assert config["route"]["routes"][0]["receiver"] == WATCHDOG
    assert len(_config(None)["route"]["routes"]) == len(config["route"]["routes"]) - 1


@pytest.mark.real("amtool")
def test_alertmanager_routes_it_apart(tmp_path: Path) -> None:
    """Alertmanager's own tool takes the file, and sends this alert there and another to people."""
    file = tmp_path / "alertmanager.yml"
    file.write_text(yaml.safe_dump(_config(), sort_keys=False))
    amtool = shutil.which("amtool") or "amtool"
    subprocess.run([amtool, "check-config", str(file)], check=True, capture_output=True)
    routed = {
        name: subprocess.run(
            [amtool, "config", "routes", "test", f"--config.file={file}", f"alertname={name}"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for name in (WATCHDOG, "GpuRowRemapFailed")
    }
    assert routed == {WATCHDOG: WATCHDOG, "GpuRowRemapFailed": "people"}

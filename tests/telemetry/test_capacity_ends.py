"""The end of a Capacity Block is a series, made where the lock file is known."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from bedplate.telemetry.alert_rules import rule_file

END = datetime(2026, 12, 1, 11, 30, tzinfo=UTC)
TEXT = rule_file(environment="prod", capacity_ends={"h200": END}, cluster="bedplate-prod")


def test_each_pool_on_a_block_has_its_end() -> None:
    """With the labels that alerts and dashboards go by; without a block there is no group."""
    (group,) = [
        each for each in yaml.safe_load(TEXT)["groups"] if each["name"] == "bedplate-recorded-capacity"
    ]
    assert group["rules"] == [
        {
            "record": "bedplate_capacity_end_timestamp_seconds",
            "expr": f"vector({int(END.timestamp())})",
            "labels": {"environment": "prod", "cluster": "bedplate-prod", "pool": "h200"},
        }
    ]
    assert "bedplate-recorded-capacity" not in rule_file(environment="prod")


@pytest.mark.real("promtool")
def test_the_alert_fires_of_it_with_no_node_at_all(tmp_path: Path) -> None:
    """promtool: two hours before the end the page names the pool; earlier nothing does."""
    # promtool begins at 1970: the end is moved to 200 minutes behind that. Two groups alone, for time.
    text = TEXT.replace(f"vector({int(END.timestamp())})", "vector(12000)")
    groups = [
        group
        for group in yaml.safe_load(text)["groups"]
        if any("CapacityEnds" in rule.get("alert", "") or "record" in rule for rule in group["rules"])
        and "capacity" in group["name"]
    ]
    assert len(groups) == 2
    moved = yaml.safe_dump({"groups": groups}, sort_keys=False)
    (tmp_path / "rules.yml").write_text(moved)
    fired = [
        {
            "eval_time": f"{minutes}m",
            "alertname": "CapacityEndsSoon",
            "exp_alerts": [
                {
                    "exp_labels": {
                        "environment": "prod",
                        "cluster": "bedplate-prod",
                        "pool": "h200",
                        "severity": "page",
                        "scope": "cluster",
                    }
                }
            ]
            if fires
            else [],
        }
        for minutes, fires in ((60, False), (140, True))
    ]
    for each in fired:
        for alert in each["exp_alerts"]:
            alert["exp_annotations"] = _annotations(moved)
    tests = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": [], "alert_rule_test": fired}],
    }
    (tmp_path / "test.yml").write_text(yaml.safe_dump(tests))
    done = subprocess.run(
        ["promtool", "test", "rules", "test.yml"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _annotations(text: str) -> dict[str, str]:
    """Of the alert, with its words filled in as promtool does."""
    rules = [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]
    (alert,) = [rule for rule in rules if rule.get("alert") == "CapacityEndsSoon"]
    filled = {"{{ $labels.pool }}": "h200", "{{ humanizeDuration $value }}": "1h 0m 0s"}
    found = dict(alert["annotations"])
    for name, words in found.items():
        for old, new in filled.items():
            words = words.replace(old, new)
        found[name] = words
    return found

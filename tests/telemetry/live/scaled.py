"""The rules and the alert manager's configuration with their times scaled down, all else as it is.

``for:``, ranges, offsets, and the waits of the routes are divided; thresholds, labels and texts stay. A range
has room for some scrapes at least. So a live run of minutes says whether a rule fires and what it says, and
nothing about when: that is for promtool's unit tests, which hold the real times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_RANGE = re.compile(r"\[(\d+)([smhdw])\]")
_OFFSET = re.compile(r"\boffset (\d+)([smhdw])\b")


@dataclass(frozen=True)
class Scale:
    """What ranges and holding times are divided by; no range is shorter than ``least_range_s``."""

    ranges: float = 30.0
    holds: float = 60.0
    waits: float = 30.0
    least_range_s: int = 8
    evaluation_s: int = 2


def scaled_rules(text: str, scale: Scale) -> str:
    """A rule file with all its times scaled."""
    document: dict[str, Any] = yaml.safe_load(text)
    for group in document["groups"]:
        group["interval"] = f"{scale.evaluation_s}s"
        for rule in group["rules"]:
            rule["expr"] = scaled_expression(rule["expr"], scale)
            if "for" in rule:
                rule["for"] = f"{_seconds(rule['for']) / scale.holds:.0f}s"
    return yaml.safe_dump(document, sort_keys=False, width=1000)


def scaled_expression(expression: str, scale: Scale) -> str:
    """One expression with its ranges and offsets scaled."""

    def shorter(match: re.Match[str]) -> int:
        return max(round(int(match[1]) * _UNITS[match[2]] / scale.ranges), scale.least_range_s)

    expression = _RANGE.sub(lambda match: f"[{shorter(match)}s]", expression)
    return _OFFSET.sub(lambda match: f"offset {shorter(match)}s", expression)


def local_alert_manager(definition: str, *, url: str, scale: Scale) -> str:
    """Alertmanager's own configuration out of AMP's: its receivers tell a server on this machine, which
    Alertmanager gives the same templates; routes, grouping and inhibition stay.
    """
    config: dict[str, Any] = yaml.safe_load(yaml.safe_load(definition)["alertmanager_config"])
    for route in _routes(config["route"]):
        for key in ("group_wait", "group_interval"):
            if key in route:
                route[key] = f"{max(_seconds(route[key]) / scale.waits, 1):.0f}s"
    for receiver in config["receivers"]:
        (sns,) = receiver.pop("sns_configs")
        receiver["slack_configs"] = [_told_here(receiver["name"], sns, url)]
    return yaml.safe_dump(config, sort_keys=False, width=1000)


def _told_here(receiver: str, sns: dict[str, Any], url: str) -> dict[str, Any]:
    """Slack's receiver renders templates as SNS's does, and posts them as JSON."""
    listed = "{{ range .Alerts }}{{ .Status }} {{ .Labels.alertname }} {{ .Labels.cluster }} "
    listed += "{{ .Labels.node }} {{ .Labels.cause }}\n{{ end }}"
    return {
        "api_url": f"{url}/{receiver}",
        "channel": receiver,
        "send_resolved": False,
        "title": sns["subject"],
        "text": sns["message"],
        "fallback": listed,
    }


def _routes(route: dict[str, Any]) -> list[dict[str, Any]]:
    return [route, *(inner for each in route.get("routes", []) for inner in _routes(each))]


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d+)([smhdw])", text)
    assert match, text
    return int(match[1]) * _UNITS[match[2]]

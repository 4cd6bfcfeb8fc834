"""The Prometheus rule file: recorded series and alerts, one group a family."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

import yaml

from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.catalogue import families
from bedplate.telemetry.metrics.catalogue import metric
from bedplate.telemetry.recording.catalogue import RECORDED_FAMILIES
from bedplate.telemetry.recording.recorded import Recorded
from bedplate.telemetry.watchdog import watchdog_group

RUNBOOKS = "docs/runbooks"
"""Where the page of each alert is, by its name in lower case, in the repository and in the documentation."""
Rule = Mapping[str, object]
CAPACITY_END = metric("bedplate_capacity_end_timestamp_seconds").name


def rule_file(
    *,
    environment: str,
    xid_policies: Mapping[int, str] = MappingProxyType({}),
    grafana_url: str = "",
    watchdog: bool = False,
    capacity_ends: Mapping[str, datetime] = MappingProxyType({}),
    cluster: str = "",
) -> str:
    """The text of a Prometheus rule file, in a fixed order of keys.

    ``xid_policies`` are the environment's own by code. With ``grafana_url`` an alert links to its dashboard.
    ``watchdog`` adds the alert that always fires; give the alert manager a topic for it then, or it mails
    people. ``capacity_ends`` says when the block of each pool of ``cluster`` ends.
    """
    groups: list[Mapping[str, object]] = [
        {"name": f"bedplate-recorded-{family}", "rules": [_recording(each) for each in members]}
        for family, members in RECORDED_FAMILIES.items()
    ]
    for family, alerts in families(xid_policies).items():
        rules = [_alert(each, environment, grafana_url) for each in alerts]
        groups.append({"name": f"bedplate-{family}", "rules": rules})
    if capacity_ends:
        rules = [_capacity_end(pool, end, environment, cluster) for pool, end in capacity_ends.items()]
        groups.append({"name": "bedplate-recorded-capacity", "rules": rules})
    if watchdog:
        groups.append(watchdog_group(environment=environment))
    return yaml.safe_dump({"groups": groups}, sort_keys=False, width=1000)


def runbook(name: str) -> str:
    """The page of an alert, from the repository's root."""
    return f"{RUNBOOKS}/{name.lower()}.md"


def _recording(each: Recorded) -> Rule:
    return {"record": each.name, "expr": each.expression}


def _capacity_end(pool: str, end: datetime, environment: str, cluster: str) -> Rule:
    """The workspace makes this series of what the lock file says. A node would be launched anew for it each
    time a block is extended.
    """
    return {
        "record": CAPACITY_END,
        "expr": f"vector({int(end.timestamp())})",
        "labels": {"environment": environment, "cluster": cluster, "pool": pool},
    }


def _alert(each: Alert, environment: str, grafana_url: str) -> Rule:
    dashboard = f"{grafana_url.rstrip('/')}/d/{each.dashboard}" if grafana_url else each.dashboard
    return {
        "alert": each.name,
        "expr": each.expression,
        "for": f"{each.hold_for_minutes}m",
        "labels": {"severity": each.severity, "scope": each.scope, "environment": environment},
        "annotations": {
            "summary": each.summary,
            "meaning": each.meaning,
            "action": each.action,
            "runbook": runbook(each.name),
            "dashboard": dashboard,
        },
    }

"""The alert rules, as data, and the Prometheus rule file made from them.

The set is small: what NVIDIA's own counters say outright, without a threshold of our own. The rules read what
a collector writes to the workspace (dcgm-exporter's names); until one does, they are silent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import yaml

from bedplate.telemetry.watchdog import watchdog_group

Severity = Literal["critical", "warning"]


@dataclass(frozen=True, kw_only=True)
class AlertRule:
    """One alert: a PromQL expression that is true when someone should know, and what to do then."""

    name: str
    expression: str
    hold_for: str
    severity: Severity
    summary: str
    action: str


GPU_RULES = (
    AlertRule(
        name="GpuRowRemapFailed",
        expression="DCGM_FI_DEV_ROW_REMAP_FAILURE > 0",
        hold_for="0s",
        severity="critical",
        summary="A GPU could not remap a faulty memory row.",
        action="Drain the node and have it replaced: the GPU has no spare rows left.",
    ),
    AlertRule(
        name="GpuResetPending",
        expression="DCGM_FI_DEV_ROW_REMAP_PENDING > 0",
        hold_for="15m",
        severity="warning",
        summary="A GPU has remapped a memory row and waits for a reset.",
        action="Reset the GPU when the node is idle.",
    ),
    AlertRule(
        name="GpuUncorrectedEcc",
        # Not increase(): the first sample after a boot may already be 1.
        expression="DCGM_FI_DEV_ECC_DBE_VOL_TOTAL > 0",
        hold_for="0s",
        severity="critical",
        summary="A GPU counted uncorrected memory errors since its driver was loaded.",
        action="Drain the node, reset the GPU, and run `bedplate validate` before it takes jobs again.",
    ),
    AlertRule(
        name="GpuNearSlowdown",
        expression="DCGM_FI_DEV_GPU_TEMP > 0.98 * DCGM_FI_DEV_SLOWDOWN_TEMP",
        hold_for="5m",
        severity="critical",
        summary="A GPU is within 2 % of the temperature at which it slows itself down.",
        action="Drain the node and open a case with AWS: cooling is not in your hands.",
    ),
    AlertRule(
        name="DcgmDownNodeUp",
        expression='up{job="dcgm"} == 0 and on (instance_id) up{job="node"} == 1',
        hold_for="5m",
        severity="critical",
        summary="The node answers but its GPU exporter does not: the driver may hang.",
        action="Drain the node and read its kernel log for XIDs (`bedplate explain GPU-004`).",
    ),
)
"""Rules that hold for every instance type."""


def rule_file(*, environment: str, rules: Sequence[AlertRule] = GPU_RULES, watchdog: bool = False) -> str:
    """The text of a Prometheus rule file with one group, in a fixed order of keys.

    ``watchdog`` adds the alert that always fires; give the alert manager a topic for it then, or it mails
    people.
    """
    groups: list[Mapping[str, object]] = [
        {"name": "bedplate-gpu", "rules": [_rule(rule, environment) for rule in rules]}
    ]
    if watchdog:
        groups.append(watchdog_group(environment=environment))
    return yaml.safe_dump({"groups": groups}, sort_keys=False, width=1000)


def _rule(rule: AlertRule, environment: str) -> Mapping[str, object]:
    return {
        "alert": rule.name,
        "expr": rule.expression,
        "for": rule.hold_for,
        "labels": {"severity": rule.severity, "environment": environment},
        "annotations": {"summary": rule.summary, "action": rule.action},
    }

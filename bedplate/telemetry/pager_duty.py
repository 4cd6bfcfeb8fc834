"""PagerDuty beside the topic, for pages alone.

AMP User Guide, "Use PagerDuty as an alert receiver" and "Configure alert manager to send alerts to
PagerDuty": the routing key is named by its place in Secrets Manager, and ``url``, ``http_config`` and files
are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.telemetry.notification import subject

REFRESH = "5m"
"""How soon AMP sees another key."""


@dataclass(frozen=True, kw_only=True)
class PagerDuty:
    """Where the routing key is: a secret, and the name that it has in the secret's JSON."""

    secret_arn: str
    secret_key: str


def pager_duty_config(wanted: PagerDuty, *, environment: str) -> Mapping[str, object]:
    """One entry of a receiver's ``pagerduty_configs``."""
    return {
        "routing_key": {
            "aws_secrets_manager": {
                "secret_arn": wanted.secret_arn,
                "secret_key": wanted.secret_key,
                "refresh_interval": REFRESH,
            }
        },
        "send_resolved": True,
        "severity": "critical",
        "description": subject(environment),
        "source": "{{ .CommonLabels.node }}",
        "group": environment,
        "details": {
            "meaning": "{{ .CommonAnnotations.meaning }}",
            "action": "{{ .CommonAnnotations.action }}",
            "runbook": "{{ .CommonAnnotations.runbook }}",
            "alerts": "{{ range .Alerts.Firing }}{{ .Annotations.summary }} {{ end }}",
        },
    }

"""The definition of AMP's alert manager: every alert to one SNS topic, and the watchdog's to another."""

from __future__ import annotations

from typing import Any

import yaml

from bedplate.telemetry.watchdog import watchdog_receiver, watchdog_route

GROUP_WAIT = "30s"
REPEAT_INTERVAL = "12h"
"""How often an alert that still holds is sent again; AMP takes five days at most."""


def alert_manager_definition(
    *, topic_arn: str, region: str, environment: str, watchdog_topic_arn: str | None = None
) -> str:
    """The YAML text for a workspace's AlertManagerDefinition. ARNs may be CDK tokens.

    AMP wants an ordinary Alertmanager configuration as text under ``alertmanager_config``; its receivers can
    be SNS topics, and ``sigv4.region`` is mandatory (AMP User Guide, "Alert manager").
    ``watchdog_topic_arn`` is where the alert that always fires goes (``rule_file(watchdog=True)``).
    """
    receiver = {
        "name": "people",
        "sns_configs": [
            {
                "topic_arn": topic_arn,
                "sigv4": {"region": region},
                "subject": f"[bedplate {environment}] "
                "{{ .CommonLabels.severity }}: {{ .GroupLabels.alertname }}",
                "message": (
                    "{{ range .Alerts }}{{ .Status }}: {{ .Annotations.summary }}\n"
                    "Do: {{ .Annotations.action }}\n"
                    "{{ range .Labels.SortedPairs }}{{ .Name }}={{ .Value }} {{ end }}\n\n{{ end }}"
                ),
                "attributes": {"environment": environment},
            }
        ],
    }
    config: dict[str, Any] = {
        "route": {
            "receiver": "people",
            "group_by": ["alertname"],
            "group_wait": GROUP_WAIT,
            "group_interval": "5m",
            "repeat_interval": REPEAT_INTERVAL,
        },
        "receivers": [receiver],
    }
    if watchdog_topic_arn is not None:
        config["route"]["routes"] = [watchdog_route()]
        config["receivers"].append(watchdog_receiver(topic_arn=watchdog_topic_arn, region=region))
    inner = yaml.safe_dump(config, sort_keys=False, width=1000)
    return "alertmanager_config: |\n" + "".join(f"  {line}\n" for line in inner.splitlines())

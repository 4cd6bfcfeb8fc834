"""The definition of AMP's alert manager: pages and tickets to one topic, one page for a failed node."""

from __future__ import annotations

from typing import Any

import yaml

from bedplate.telemetry.inhibition import inhibit_rules
from bedplate.telemetry.notification import message, subject
from bedplate.telemetry.pager_duty import PagerDuty, pager_duty_config
from bedplate.telemetry.watchdog import watchdog_receiver, watchdog_route

REPEAT_INTERVAL = "12h"
"""How often an alert that still holds is sent again; AMP takes five days at most."""
PAGE_WAIT = "90s"
"""Groups of rules are evaluated within a minute of each other: what one fault does comes as one page."""


def alert_manager_definition(
    *,
    topic_arn: str,
    region: str,
    environment: str,
    watchdog_topic_arn: str | None = None,
    pager_duty: PagerDuty | None = None,
) -> str:
    """The YAML text for a workspace's AlertManagerDefinition. ARNs may be CDK tokens.

    AMP wants an ordinary Alertmanager configuration as text under ``alertmanager_config``; its receivers can
    be SNS topics, and ``sigv4.region`` is mandatory (AMP User Guide, "Alert manager").
    ``watchdog_topic_arn`` is where the alert that always fires goes (``rule_file(watchdog=True)``).
    ``pager_duty`` gets pages beside the topic, and no tickets.
    """
    config: dict[str, Any] = {
        "route": {
            "receiver": "people",
            "group_by": ["alertname", "environment", "cluster"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": REPEAT_INTERVAL,
            "routes": [_pages_of_a_node(), _tickets()],
        },
        "inhibit_rules": inhibit_rules(),
        "receivers": [
            {"name": name, "sns_configs": [_sns(name, topic_arn, region, environment)]}
            for name in ("people", "tickets")
        ],
    }
    if pager_duty is not None:
        people, _ = config["receivers"]
        people["pagerduty_configs"] = [pager_duty_config(pager_duty, environment=environment)]
    if watchdog_topic_arn is not None:
        config["route"]["routes"].insert(0, watchdog_route())
        config["receivers"].append(watchdog_receiver(topic_arn=watchdog_topic_arn, region=region))
    inner = yaml.safe_dump(config, sort_keys=False, width=1000)
    return "alertmanager_config: |\n" + "".join(f"  {line}\n" for line in inner.splitlines())


def _pages_of_a_node() -> dict[str, Any]:
    """Whatever fails on a node, and on however many of its GPUs."""
    return {
        "matchers": ['severity="page"', 'scope=~"gpu|node"'],
        "receiver": "people",
        "group_by": ["environment", "cluster", "node"],
        "group_wait": PAGE_WAIT,
    }


def _tickets() -> dict[str, Any]:
    """One for each sort of alert, with all nodes that it is about; again once a day."""
    return {
        "matchers": ['severity="ticket"'],
        "receiver": "tickets",
        "group_by": ["alertname", "environment", "cluster"],
        "group_wait": "5m",
        "group_interval": "30m",
        "repeat_interval": "24h",
    }


def _sns(receiver: str, topic_arn: str, region: str, environment: str) -> dict[str, Any]:
    severity = "page" if receiver == "people" else "ticket"
    return {
        "topic_arn": topic_arn,
        "sigv4": {"region": region},
        "send_resolved": True,
        "subject": subject(environment),
        "message": message(),
        "attributes": {"environment": environment, "severity": severity},
    }

"""An alert that always holds: while it arrives, rules are evaluated and the alert manager sends.

It goes to a topic of its own that mails nobody; an alarm of CloudWatch on that topic rings when it stops
(``bedplate.constructs.watchdog``).
"""

from __future__ import annotations

from collections.abc import Mapping

WATCHDOG = "Watchdog"
"""Name of the alert, and of the receiver that gets it."""
WATCHDOG_INTERVAL = "5m"
"""How often it is sent; the alarm waits for three of these."""


def watchdog_group(*, environment: str) -> Mapping[str, object]:
    """The rule group, of which one rule fires all the time."""
    rule = {
        "alert": WATCHDOG,
        "expr": "vector(1)",
        "labels": {"severity": "none", "environment": environment},
        "annotations": {
            "summary": "Rules are evaluated and alerts are sent.",
            "action": "Nothing: it is the silence of this alert that means something.",
        },
    }
    return {"name": "bedplate-watchdog", "rules": [rule]}


def watchdog_route() -> Mapping[str, object]:
    """The route that takes it away from people; it has to come before any other."""
    return {
        "matchers": [f'alertname="{WATCHDOG}"'],
        "receiver": WATCHDOG,
        "group_wait": "0s",
        "group_interval": "1m",
        "repeat_interval": WATCHDOG_INTERVAL,
    }


def watchdog_receiver(*, topic_arn: str, region: str) -> Mapping[str, object]:
    """The receiver: one topic, signed for the Region."""
    return {
        "name": WATCHDOG,
        "sns_configs": [
            {
                "topic_arn": topic_arn,
                "sigv4": {"region": region},
                "send_resolved": False,
                "subject": WATCHDOG,
                "message": "{{ .CommonLabels.environment }}",
            }
        ],
    }

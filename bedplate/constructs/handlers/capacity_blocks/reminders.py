"""Custom resource: which of some moments are still to come, for one-time schedules.

Property ``Times``: name → ``YYYY-MM-DDTHH:MM:SS`` in UTC. Data: ``<name>State`` (``ENABLED``, or ``DISABLED``
for what has passed) and ``<name>At`` (a schedule expression that is never in the past). Templates are made
without a clock, so what has passed is known at the deploy only.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from answer import answered  # type: ignore[import-not-found]  # beside this file in Lambda

MARGIN = timedelta(minutes=5)
"""Time for CloudFormation to make the schedule after this answer."""
NEVER = "at(2099-12-31T23:59:59)"


def handler(event: dict[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda's signature
    """Entry point of the function."""
    answered(
        event,
        lambda properties: states(properties["Times"], now=datetime.now(UTC)),
        physical_id=f"bedplate-reminders-{event['RequestId']}",
    )


def states(times: dict[str, str], *, now: datetime) -> dict[str, str]:
    """State and expression of each moment. Raises ``ValueError`` for what is no time."""
    found = {}
    for name, text in times.items():
        moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
        ahead = moment > now + MARGIN
        found[f"{name}State"] = "ENABLED" if ahead else "DISABLED"
        found[f"{name}At"] = f"at({text})" if ahead else NEVER
    return found

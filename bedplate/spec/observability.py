"""The observability section: metrics and who is told."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt, StrictStr

from bedplate.spec.base import Section, about

EmailAddress = Annotated[
    StrictStr,
    about(
        "An e-mail address",
        update="in-place",
        pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
        remedy="Give an e-mail address.",
    ),
]


class Alerts(Section):
    """Who is told when something is wrong."""

    emails: Annotated[
        tuple[EmailAddress, ...],
        about(
            "Addresses that get every alert; each must confirm its subscription once.",
            update="in-place",
            examples=[["gpu-oncall@example.com"]],
            max_length=100,
        ),
    ] = ()


class Observability(Section):
    """A workspace of Amazon Managed Service for Prometheus, with rules and alerts."""

    retention_days: Annotated[
        StrictInt,
        about(
            "Days that metrics are kept (AMP allows up to 1095).",
            update="in-place",
            ge=1,
            le=1095,
            examples=[150],
        ),
    ] = 150
    alerts: Annotated[Alerts, about("Who is told.", update="in-place")] = Field(default_factory=Alerts)

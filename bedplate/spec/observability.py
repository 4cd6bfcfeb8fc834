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
    max_series: Annotated[
        StrictInt | None,
        about(
            "Active series of the environment at most: AMP throws new ones away over it, and an alarm rings "
            "at 80 %. Left out, nothing but AMP's own quota limits them.",
            update="in-place",
            ge=10_000,
            le=1_000_000_000,
            examples=[5_000_000],
        ),
    ] = None
    alerts: Annotated[Alerts, about("Who is told.", update="in-place")] = Field(default_factory=Alerts)

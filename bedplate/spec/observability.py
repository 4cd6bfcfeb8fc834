"""The observability section: metrics and who is told."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.collection import Collection, NoCollection
from bedplate.spec.grafana import Grafana, NoGrafana

EmailAddress = Annotated[
    StrictStr,
    about(
        "An e-mail address",
        update="in-place",
        pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
        remedy="Give an e-mail address.",
    ),
]


class PagerDutyAlerts(Section):
    """Where PagerDuty's routing key is."""

    secret: Annotated[
        StrictStr,
        about(
            "The secret in Secrets Manager that has the key. AMP reads it: its policy and its KMS key must "
            "let `aps.amazonaws.com`.",
            update="in-place",
            examples=["arn:aws:secretsmanager:us-west-2:123456789012:secret:pagerduty-AbCdEf"],
            pattern=r"^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[A-Za-z0-9/_+=.@-]+$",
            remedy="Give the secret's ARN, as `aws secretsmanager describe-secret` tells it.",
        ),
    ]
    key: Annotated[
        StrictStr,
        about(
            "Its name in the secret's JSON.",
            update="in-place",
            examples=["routing_key"],
            pattern=r"^[A-Za-z0-9_.-]+$",
            remedy="Give the name of the key in the secret's JSON, such as `routing_key`.",
        ),
    ] = "routing_key"


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
    pagerduty: Annotated[
        PagerDutyAlerts | None,
        about(
            "A service of PagerDuty that gets every page; tickets and alarms of CloudWatch go to the topic "
            "alone.",
            update="in-place",
        ),
    ] = None


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
    collection: Annotated[
        Collection,
        about(
            "Where nodes have the programs from that collect their metrics and send them to the workspace. "
            "By default they collect none. A change launches the nodes anew.",
            update="stop-fleet",
            examples=[{"kind": "image"}],
        ),
    ] = NoCollection(kind="none")
    alerts: Annotated[Alerts, about("Who is told.", update="in-place")] = Field(default_factory=Alerts)
    grafana: Annotated[
        Grafana,
        about(
            "Where people look at dashboards; by default nowhere, for Amazon Managed Grafana needs IAM "
            "Identity Center or an identity provider, which not everybody has.",
            update="in-place",
            examples=[{"kind": "none"}],
        ),
    ] = NoGrafana(kind="none")

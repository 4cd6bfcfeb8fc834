"""Where people look at dashboards: a tagged union."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from bedplate.spec.base import Section, about
from bedplate.spec.grafana_login import IdentityCenter, Saml
from bedplate.spec.grafana_network import GrafanaAccess, GrafanaVpc


class NoGrafana(Section):
    """No workspace is made."""

    kind: Annotated[
        Literal["none"],
        about(
            "No Grafana of AWS. Metrics, rules and alerts are there all the same.",
            update="in-place",
            examples=["none"],
        ),
    ]


class ManagedGrafana(Section):
    """A workspace of Amazon Managed Grafana with data sources and dashboards in it."""

    kind: Annotated[
        Literal["managed"],
        about(
            "Amazon Managed Grafana. Taking it away later deletes the workspace with what people made in it.",
            update="in-place",
            examples=["managed"],
        ),
    ]
    version: Annotated[
        Literal["12.4"],
        about(
            "Grafana's version. AWS goes to a later one, never back. Of those that AWS offers it is the one "
            "that reads our dashboards, which are made for 11.6, and asks for no other data source.",
            update="in-place",
            examples=["12.4"],
        ),
    ] = "12.4"
    identity_center: Annotated[
        IdentityCenter | None,
        about("Who comes in by IAM Identity Center. Give this, `saml`, or both.", update="in-place"),
    ] = None
    saml: Annotated[
        Saml | None,
        about("How people come in by an identity provider of your own, by SAML 2.0.", update="in-place"),
    ] = None
    plugin_admin: Annotated[
        StrictBool,
        about(
            "Whether Grafana's admins may install, update and remove plug-ins.",
            update="in-place",
            examples=[False],
        ),
    ] = False
    access: Annotated[
        GrafanaAccess | None,
        about(
            "From where the workspace is reached. Without it from everywhere, by those who can log in.",
            update="in-place",
        ),
    ] = None
    vpc: Annotated[
        GrafanaVpc | None,
        about(
            "A VPC that the workspace reaches its data sources through, for sources that are in one. "
            "Prometheus and CloudWatch need none.",
            update="in-place",
        ),
    ] = None


Grafana = Annotated[NoGrafana | ManagedGrafana, Field(discriminator="kind")]
"""With or without a workspace, told apart by ``kind``."""

__all__ = [
    "Grafana",
    "GrafanaAccess",
    "GrafanaVpc",
    "IdentityCenter",
    "ManagedGrafana",
    "NoGrafana",
    "Saml",
]

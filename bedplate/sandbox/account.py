"""What an account that was used before already has."""

from __future__ import annotations

from moto.iam.exceptions import EntityAlreadyExists
from moto.iam.models import iam_backends

from bedplate.sandbox.options import SandboxOptions

SERVICE_LINKED_ROLES = (
    "pcs.amazonaws.com",
    "fsx.amazonaws.com",
    "elasticfilesystem.amazonaws.com",
    "rds.amazonaws.com",
    "spot.amazonaws.com",
    "eks.amazonaws.com",
    "eks-nodegroup.amazonaws.com",
)


def furnish(account: str, options: SandboxOptions) -> None:
    """Make the service-linked roles; the option ``service_linked_roles`` lists others, or none."""
    iam = iam_backends[account]["aws"]
    for service in options.section("service_linked_roles", SERVICE_LINKED_ROLES):
        try:
            iam.create_service_linked_role(service, "", "")
        except EntityAlreadyExists:
            continue

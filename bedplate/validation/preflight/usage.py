"""What the account already uses, the environment's own nodes left out: they are in what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from bedplate.validation.preflight.context import Preflight

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import CapacityReservationTypeDef, InstanceTypeDef

ENVIRONMENT_TAG = "bedplate:environment"
_ALIVE = ("pending", "running")


def other_instances(preflight: Preflight) -> Iterator[InstanceTypeDef]:
    """Living instances of the account in the Region that are not this environment's."""
    from bedplate.validation.aws import aws_errors

    with aws_errors("counting what runs already"):
        pages = preflight.clients.ec2.get_paginator("describe_instances").paginate(
            Filters=[{"Name": "instance-state-name", "Values": list(_ALIVE)}]
        )
        for page in pages:
            for reservation in page["Reservations"]:
                for instance in reservation.get("Instances", []):
                    tags = {tag.get("Key"): tag.get("Value") for tag in instance.get("Tags", [])}
                    if tags.get(ENVIRONMENT_TAG) != preflight.environment.name:
                        yield instance


def vcpus_of(instance: InstanceTypeDef) -> int:
    """The instance's vCPUs, from its own CPU options; 0 where EC2 does not tell them."""
    options = instance.get("CpuOptions", {})
    return int(options.get("CoreCount", 0)) * int(options.get("ThreadsPerCore", 1))


def vcpus_in_use(preflight: Preflight, *, counts: Callable[[InstanceTypeDef], bool]) -> int:
    """vCPUs of the other instances that count."""
    return sum(vcpus_of(instance) for instance in other_instances(preflight) if counts(instance))


def is_on_demand(instance: InstanceTypeDef) -> bool:
    """Whether the instance counts against On-Demand quotas: neither Spot nor in a Capacity Block."""
    return not instance.get("InstanceLifecycle")


def reservations(preflight: Preflight, ids: list[str]) -> list[CapacityReservationTypeDef]:
    """The capacity reservations with these ids."""
    from bedplate.validation.aws import aws_errors

    with aws_errors(f"reading the reservation {', '.join(ids)}"):
        answer = preflight.clients.ec2.describe_capacity_reservations(CapacityReservationIds=ids)
    return answer["CapacityReservations"]

"""What the account already uses, the environment's own nodes left out: they are in what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from bedplate.validation.preflight.context import Preflight

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import CapacityReservationTypeDef, InstanceTypeDef
    from types_boto3_fsx.type_defs import FileSystemTypeDef

ENVIRONMENT_TAG = "bedplate:environment"
_ALIVE = ("pending", "running")


def other_instances(preflight: Preflight) -> Iterator[InstanceTypeDef]:
    """Living instances of the account in the Region that are not this environment's."""
    return (one for one in _instances(preflight) if not _is_own(preflight, one))


def own_instances(preflight: Preflight) -> Iterator[InstanceTypeDef]:
    """Living instances of this environment."""
    return (one for one in _instances(preflight) if _is_own(preflight, one))


def _is_own(preflight: Preflight, instance: InstanceTypeDef) -> bool:
    tags = {tag.get("Key"): tag.get("Value") for tag in instance.get("Tags", [])}
    return tags.get(ENVIRONMENT_TAG) == preflight.environment.name


def _instances(preflight: Preflight) -> Iterator[InstanceTypeDef]:
    from bedplate.validation.aws import aws_errors

    with aws_errors("counting what runs already"):
        pages = preflight.clients.ec2.get_paginator("describe_instances").paginate(
            Filters=[{"Name": "instance-state-name", "Values": list(_ALIVE)}]
        )
        for page in pages:
            for reservation in page["Reservations"]:
                yield from reservation.get("Instances", [])


class VcpusUnknownError(Exception):
    """Nobody tells how many vCPUs something has, so that what is in use cannot be added up."""


def vcpus_of(preflight: Preflight, instance: InstanceTypeDef) -> int:
    """The instance's vCPUs: by its own CPU options, else those of its type."""
    options = instance.get("CpuOptions", {})
    told = int(options.get("CoreCount", 0)) * int(options.get("ThreadsPerCore", 1))
    return told or vcpus_of_type(preflight, instance.get("InstanceType", ""))


def vcpus_of_type(preflight: Preflight, name: str) -> int:
    """The type's vCPUs: by the hardware table, else by EC2. Raises ``VcpusUnknownError``."""
    from bedplate.hardware import INSTANCE_TYPES
    from bedplate.validation.aws import aws_errors

    if name in INSTANCE_TYPES:
        return INSTANCE_TYPES[name].vcpus
    with aws_errors(f"asking for the vCPUs of {name}"):
        rows = preflight.clients.ec2.describe_instance_types(
            InstanceTypes=[name]  # type: ignore[list-item]
        )["InstanceTypes"]
    vcpus = rows[0].get("VCpuInfo", {}).get("DefaultVCpus", 0) if rows else 0
    if not vcpus:
        raise VcpusUnknownError(f"EC2 does not tell the vCPUs of {name or 'an instance without a type'}")
    return vcpus


def vcpus_in_use(preflight: Preflight, *, counts: Callable[[InstanceTypeDef], bool]) -> int:
    """vCPUs of the other instances that count. Raises ``VcpusUnknownError``."""
    return sum(vcpus_of(preflight, one) for one in other_instances(preflight) if counts(one))


def is_on_demand(instance: InstanceTypeDef) -> bool:
    """Whether the instance counts against On-Demand quotas: neither Spot nor in a Capacity Block."""
    return not instance.get("InstanceLifecycle")


def reservations(preflight: Preflight, ids: list[str]) -> list[CapacityReservationTypeDef]:
    """The capacity reservations with these ids."""
    from bedplate.validation.aws import aws_errors

    with aws_errors(f"reading the reservation {', '.join(ids)}"):
        answer = preflight.clients.ec2.describe_capacity_reservations(CapacityReservationIds=ids)
    return answer["CapacityReservations"]


def other_file_systems(preflight: Preflight) -> list[FileSystemTypeDef]:
    """FSx file systems of the account in the Region that are not this environment's."""
    from bedplate.validation.aws import aws_errors

    mine = {"Key": ENVIRONMENT_TAG, "Value": preflight.environment.name}
    found: list[FileSystemTypeDef] = []
    with aws_errors("counting file systems"):
        for page in preflight.clients.fsx.get_paginator("describe_file_systems").paginate():
            found += [row for row in page["FileSystems"] if mine not in row.get("Tags", [])]
    return found

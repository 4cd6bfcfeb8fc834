"""Which instances a pool has now, by the tags that the manifest names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bedplate.validation.aws import AwsClients, aws_errors

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import FilterTypeDef, InstanceTypeDef

ALIVE = ("pending", "running")


@dataclass(frozen=True)
class Instance:
    """One EC2 instance; ``state`` is ``pending`` or ``running``."""

    instance_id: str
    instance_type: str
    private_ip: str
    state: str
    launched_at: datetime | None = None


def find_instances(*, clients: AwsClients, tags: Mapping[str, str]) -> tuple[Instance, ...]:
    """The living instances with all of the tags, ordered by private address."""
    filters: list[FilterTypeDef] = [
        {"Name": f"tag:{key}", "Values": [value]} for key, value in sorted(tags.items())
    ]
    filters.append({"Name": "instance-state-name", "Values": list(ALIVE)})
    found: list[Instance] = []
    with aws_errors("listing the nodes"):
        for page in clients.ec2.get_paginator("describe_instances").paginate(Filters=filters):
            for reservation in page["Reservations"]:
                found.extend(_instance(row) for row in reservation.get("Instances", []))
    return tuple(sorted(found, key=lambda one: (_address(one.private_ip), one.instance_id)))


def _instance(row: InstanceTypeDef) -> Instance:
    return Instance(
        instance_id=row["InstanceId"],
        instance_type=row["InstanceType"],
        private_ip=row.get("PrivateIpAddress", ""),
        state=row["State"]["Name"],
        launched_at=row.get("LaunchTime"),
    )


def _address(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())

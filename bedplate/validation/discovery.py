"""Which instances a pool has now, by what the manifest names: tags, or a group of HyperPod's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from bedplate.manifest import ClusterManifest, PoolManifest
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.hyperpod_nodes import hyperpod_instances
from bedplate.validation.instance import Instance

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import FilterTypeDef, InstanceTypeDef

ALIVE = ("pending", "running")


def pool_instances(
    *, clients: AwsClients, manifest: ClusterManifest, pool: PoolManifest
) -> tuple[Instance, ...]:
    """The living instances of a pool, ordered by private address."""
    return _instances(clients, manifest, group=pool.node_group_id, tags=pool.selection_tags)


def login_instances(*, clients: AwsClients, manifest: ClusterManifest) -> tuple[Instance, ...]:
    """The living nodes that multi-node runs are started from, in the same order."""
    return _instances(
        clients, manifest, group=manifest.login.node_group_id, tags=manifest.login.selection_tags
    )


def _instances(
    clients: AwsClients, manifest: ClusterManifest, *, group: str, tags: Mapping[str, str]
) -> tuple[Instance, ...]:
    if manifest.orchestrator.kind == "slurm-hyperpod":
        name = manifest.orchestrator.cluster_name
        return _ordered(hyperpod_instances(clients=clients, cluster=name, group=group))
    return find_instances(clients=clients, tags=tags)


def find_instances(*, clients: AwsClients, tags: Mapping[str, str]) -> tuple[Instance, ...]:
    """The living instances with all of the tags, ordered by private address. Raises ``ValueError`` without
    tags: they would be all of the account's.
    """
    if not tags:
        raise ValueError("tags: none given")
    filters: list[FilterTypeDef] = [
        {"Name": f"tag:{key}", "Values": [value]} for key, value in sorted(tags.items())
    ]
    filters.append({"Name": "instance-state-name", "Values": list(ALIVE)})
    found: list[Instance] = []
    with aws_errors("listing the nodes"):
        for page in clients.ec2.get_paginator("describe_instances").paginate(Filters=filters):
            for reservation in page["Reservations"]:
                found.extend(_instance(row) for row in reservation.get("Instances", []))
    return _ordered(found)


def _ordered(found: Iterable[Instance]) -> tuple[Instance, ...]:
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

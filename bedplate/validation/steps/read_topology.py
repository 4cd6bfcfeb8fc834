"""Ask EC2 which nodes stand under one leaf switch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bedplate.errors import AwsRefused
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.fabric.topology import Topology

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import InstanceTopologyTypeDef

_IDS_AT_ONCE = 100
"""As many instance ids as DescribeInstanceTopology takes (EC2 API Reference)."""


def read_topology(*, clients: AwsClients, instance_ids: Sequence[str]) -> tuple[Topology, str]:
    """Where the instances stand, and why that is not known (empty where it is).

    EC2 has no network nodes for types that it does not support and for instances that do not run. The
    topology makes a search quicker and its answer sharper, and a search without it is still right: a refusal
    is told and stops nothing.
    """
    paths: dict[str, tuple[str, ...]] = {}
    try:
        with aws_errors("asking EC2 where the nodes stand"):
            for row in _rows(clients, instance_ids):
                if nodes := row.get("NetworkNodes"):
                    paths[row["InstanceId"]] = tuple(nodes)
    except AwsRefused as refused:
        return Topology(), str(refused)
    missing = sum(one not in paths for one in instance_ids)
    return Topology(paths), f"EC2 tells no network nodes for {missing} instances" if missing else ""


def _rows(clients: AwsClients, instance_ids: Sequence[str]) -> Iterator[InstanceTopologyTypeDef]:
    """The rows of all pages. MaxResults may not be given beside instance ids, so the pages are EC2's own."""
    for start in range(0, len(instance_ids), _IDS_AT_ONCE):
        ids = list(instance_ids[start : start + _IDS_AT_ONCE])
        pages = clients.ec2.get_paginator("describe_instance_topology").paginate(InstanceIds=ids)
        for page in pages:
            yield from page["Instances"]

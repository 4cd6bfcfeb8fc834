"""The instances of a HyperPod cluster, and the simulated nodes behind them.

EC2 shows none of them, for at AWS they lie in another account: what a caller sees is an interface in the
subnet for each, and what the SageMaker API tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from moto.ec2.models import ec2_backends
from moto.s3.models import s3_backends

from bedplate.hardware import UnknownInstanceType, instance_type
from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import random_id
from bedplate.sandbox.nodes import Role
from bedplate.sandbox.resources.hyperpod_agent import (
    Folder,
    agent_script,
    folder_parts,
    resource_config,
    slurm_conf,
)
from bedplate.sandbox.resources.hyperpod_eks import is_of_eks, join, leave
from bedplate.sandbox.sandbox import HyperPodNode, Sandbox
from bedplate.sandbox.services.s3_objects import list_objects, read_object, remove_object, write_object

BOOTS_AT_ONCE = 4
EVERYBODYS_PARTITION = "dev"
"""SageMaker Developer Guide, "SageMaker HyperPod references"."""
LEGACY_FILE = "provisioning_parameters.json"
_ORDER = {"Controller": 0, "Login": 1, "Compute": 2}

Row = Mapping[str, Any]


class HyperPodInstances:
    """Launches and ends what a cluster's groups ask for, the controller first, one group after the other."""

    def __init__(self, sandbox: Sandbox, *, account: str, region: str) -> None:
        self._sandbox = sandbox
        self._account = account
        self._ec2 = ec2_backends[account][region]

    def scale(self, cluster: Row) -> None:
        """Bring every group to its number of instances; groups that are gone lose theirs."""
        records = self._sandbox.hyperpod
        arn = str(cluster["ClusterArn"])
        groups = {each["InstanceGroupName"]: each for each in cluster["InstanceGroups"]}
        for node in records.nodes_of(arn):
            if node.group not in groups:
                self.end([node])
        for group in sorted(groups.values(), key=lambda each: _ORDER.get(_kind(each), len(_ORDER))):
            there = records.nodes_of(arn, group["InstanceGroupName"])
            wanted = int(group["InstanceCount"])
            self.end(there[wanted:])
            for node in there[:wanted]:
                self._sandbox.fleet.put_in_partitions(node.instance_id, _partitions(group))
            if wanted > len(there):
                self._launch(cluster, group, wanted - len(there))

    def end(self, nodes: Sequence[HyperPodNode]) -> None:
        """End instances, and give their addresses back."""
        for node in nodes:
            leave(self._sandbox, node)
            self._sandbox.fleet.terminate(node.instance_id)
            self._sandbox.hyperpod.nodes.pop(node.instance_id, None)
            interface = self._ec2.enis.pop(node.interface_id, None)
            if interface is not None:
                for each in interface.private_ip_addresses:
                    interface.subnet.del_subnet_ip(each["PrivateIpAddress"])

    def replace(self, cluster: Row, node: HyperPodNode) -> HyperPodNode:
        """End one instance and launch another in its place: the host name and the address stay."""
        group = _group(cluster, node.group)
        leave(self._sandbox, node)
        self._sandbox.fleet.terminate(node.instance_id)
        self._sandbox.hyperpod.nodes.pop(node.instance_id, None)
        new = replace(node, instance_id=random_id("i"), launched=datetime.now(UTC))
        self._sandbox.hyperpod.nodes[new.instance_id] = new
        self._boot(cluster, group, new)
        return new

    def _launch(self, cluster: Row, group: Row, count: int) -> None:
        vpc = group.get("OverrideVpcConfig") or cluster["VpcConfig"]
        subnet = self._ec2.get_subnet(vpc["Subnets"][0])
        bare = str(group["InstanceType"]).removeprefix("ml.")
        self._check_zone(bare, subnet.availability_zone_id)
        each = _addresses(group, bare)
        free = subnet.available_ip_address_count
        if free < count * each:
            raise ResourceError(
                f"{group['InstanceGroupName']}: subnet {subnet.id} has {free} free addresses,"
                f" {count * each} are needed"
            )
        made = [self._new(cluster, group, subnet, vpc["SecurityGroupIds"], each) for _ in range(count)]
        with ThreadPoolExecutor(BOOTS_AT_ONCE) as pool:
            for future in [pool.submit(partial(self._boot, cluster, group, node)) for node in made]:
                try:
                    future.result()
                except Exception as error:
                    name = group["InstanceGroupName"]
                    raise ResourceError(f"a node of {name} did not come up: {error}") from error

    def _new(
        self, cluster: Row, group: Row, subnet: Any, security_groups: Sequence[str], addresses: int
    ) -> HyperPodNode:
        taken = [subnet.get_available_subnet_ip(None) for _ in range(addresses)]
        interface = self._ec2.create_network_interface(
            subnet,
            taken[0],
            private_ip_addresses=[
                {"Primary": index == 0, "PrivateIpAddress": each} for index, each in enumerate(taken)
            ],
            group_ids=list(security_groups),
            description=f"SageMaker HyperPod {cluster['ClusterArn']}",
        )
        compute = _kind(group) == "Compute"
        node = HyperPodNode(
            instance_id=random_id("i"),
            cluster_arn=str(cluster["ClusterArn"]),
            group=str(group["InstanceGroupName"]),
            instance_type=str(group["InstanceType"]),
            subnet_id=subnet.id,
            interface_id=interface.id,
            private_ip=taken[0],
            slurm_name=f"ip-{taken[0].replace('.', '-')}" if compute else "",
            launched=datetime.now(UTC),
        )
        self._sandbox.hyperpod.nodes[node.instance_id] = node
        return node

    def _boot(self, cluster: Row, group: Row, node: HyperPodNode) -> None:
        nodes = self._sandbox.hyperpod.nodes_of(node.cluster_arn)
        controller = _kind(group) == "Controller"
        bare = node.instance_type.removeprefix("ml.")
        computes = bool(node.slurm_name) or is_of_eks(cluster)
        role: Role = "compute" if computes and _is_known(bare) else "login"
        join(self._sandbox, cluster, group, node)
        self._sandbox.fleet.boot(
            node.instance_id,
            instance_type=bare,
            role=role,
            private_ip=node.private_ip,
            slurm_name=node.slurm_name or None if role == "compute" else None,
            user_data=agent_script(
                node,
                config=resource_config(cluster, nodes),
                slurm_conf=slurm_conf(cluster, nodes) if controller else None,
                folder=self._folder(group),
            ),
            tags={},
            s3_fetch=partial(read_object, self._account),
            s3_put=partial(write_object, self._account),
            # The controller's role alone may.
            **self._desk() if controller else {},
            partitions=_partitions(group),
            efa_count=None,
        )

    def _desk(self) -> dict[str, Any]:
        """How the controller looks for questions, and takes them."""
        return {
            "s3_list": partial(list_objects, self._account),
            "s3_remove": self._take,
        }

    def _take(self, bucket: str, key: str) -> None:
        """A desk takes a question out of the bucket before it begins it."""
        self._sandbox.fleet.fix()
        remove_object(self._account, bucket, key)

    def _folder(self, group: Row) -> Folder | None:
        """The life-cycle scripts; ``ResourceError`` where HyperPod would find them unfit."""
        config = group.get("LifeCycleConfig") or {}
        entry = config.get("OnCreate") or config.get("OnInitComplete")
        if not entry:
            return None
        bucket, prefix = folder_parts(str(config["SourceS3Uri"]))
        found = s3_backends[self._account]["aws"].buckets.get(bucket)
        keys = sorted(key for key in (found.keys if found else ()) if key.startswith(f"{prefix}/"))
        name = group["InstanceGroupName"]
        if f"{prefix}/{LEGACY_FILE}" in keys and "SlurmConfig" in group:
            raise ResourceError(
                "The LifeCycleConfig cannot include both a SLURM Orchestrator Config and a"
                f" {LEGACY_FILE} file simultaneously."
            )
        if f"{prefix}/{entry}" not in keys:
            raise ResourceError(f"{name}: s3://{bucket}/{prefix} has no {entry}")
        return Folder(bucket, prefix, tuple(keys), str(entry))

    def _check_zone(self, bare: str, zone_id: str) -> None:
        offers = self._ec2.describe_instance_type_offerings(
            location_type="availability-zone-id", filters={"instance-type": [bare], "location": [zone_id]}
        )
        if not offers:
            raise ResourceError(f"Unsupported: ml.{bare} is not offered in {zone_id}")


def _addresses(group: Row, bare: str) -> int:
    """Addresses of one instance: with ``efa`` one for each EFA, which is the 32 that AWS names for P5; with
    ``efa-only`` one.
    """
    kind = (group.get("NetworkInterface") or {}).get("InterfaceType", "efa")
    if kind == "efa-only" or not _is_known(bare):
        return 1
    return max(1, instance_type(bare).efa_count)


def _is_known(bare: str) -> bool:
    """Whether the hardware table has the type: a node of another is simulated as one without GPUs."""
    try:
        instance_type(bare)
    except UnknownInstanceType:
        return False
    return True


def _partitions(group: Row) -> tuple[str, ...]:
    """Those of the group, and the one that HyperPod puts every node into."""
    return (*((group.get("SlurmConfig") or {}).get("PartitionNames") or ()), EVERYBODYS_PARTITION)


def _kind(group: Row) -> str:
    return str((group.get("SlurmConfig") or {}).get("NodeType", ""))


def _group(cluster: Row, name: str) -> Row:
    found: Row = next(each for each in cluster["InstanceGroups"] if each["InstanceGroupName"] == name)
    return found

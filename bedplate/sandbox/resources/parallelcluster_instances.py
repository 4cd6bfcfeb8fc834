"""The EC2 instances of a ParallelCluster cluster, and the simulated nodes behind them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.nodes import Role
from bedplate.sandbox.reservations import known_reservations
from bedplate.sandbox.resources.parallelcluster_boot import user_data
from bedplate.sandbox.sandbox import PlayedParallelCluster, Sandbox
from bedplate.sandbox.services.s3_objects import read_object, write_object

BOOTS_AT_ONCE = 4
_TYPES = {"head": "HeadNode", "login": "LoginNode"}
"""Group → what ParallelCluster tags its nodes as; all others are ``Compute``."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Equal instances: the head, the login nodes, or those of a compute resource."""

    name: str
    queue: str
    instance_type: str
    subnet_id: str
    group_ids: tuple[str, ...]
    count: int
    actions: Mapping[str, Any]
    reservation_id: str | None = None

    @property
    def is_compute(self) -> bool:
        """Whether its nodes take jobs."""
        return self.name not in _TYPES


class ParallelClusterInstances:
    """Launches and ends what a configuration asks for."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def scale(self, request: ResourceRequest, cluster: PlayedParallelCluster) -> None:
        """Bring each group to its number; groups that are no longer named end."""
        groups = {group.name: group for group in groups_of(cluster)}
        for name in [name for name in cluster.instances if name not in groups]:
            self.end(request, cluster, name, list(cluster.instances[name]))
            del cluster.instances[name]
        for group in groups.values():
            running = cluster.instances.setdefault(group.name, [])
            self.end(request, cluster, group.name, running[group.count :])
            if group.count > len(running):
                self._launch(request, cluster, group, group.count - len(running))

    def end_all(self, request: ResourceRequest, cluster: PlayedParallelCluster) -> None:
        """End every instance of the cluster."""
        for name, running in cluster.instances.items():
            self.end(request, cluster, name, list(running))

    def end(
        self, request: ResourceRequest, cluster: PlayedParallelCluster, name: str, ids: list[str]
    ) -> None:
        """End these instances of a group."""
        if not ids:
            return
        backend = ec2_backends[request.account][request.region]
        for instance, _ in backend.terminate_instances(ids):
            for interface in list(instance.nics.values()):  # moto keeps those that were not asked to go
                backend.enis.pop(interface.id, None)
        for instance_id in ids:
            self._sandbox.fleet.terminate(instance_id)
            self._sandbox.launched_into.pop(instance_id, None)
            cluster.instances[name].remove(instance_id)
            cluster.names.pop(instance_id, None)

    def _launch(
        self, request: ResourceRequest, cluster: PlayedParallelCluster, group: Group, count: int
    ) -> None:
        self._check_reservation(group, count)
        tags = {
            "parallelcluster:cluster-name": cluster.name,
            "parallelcluster:version": cluster.version,
            "parallelcluster:node-type": _TYPES.get(group.name, "Compute"),
            "Name": _TYPES.get(group.name, "Compute"),
        }
        if group.is_compute:
            tags["parallelcluster:queue-name"] = group.queue
            tags["parallelcluster:compute-resource-name"] = group.name
        reservation = ec2_backends[request.account][request.region].run_instances(
            image_id="ami-parallelcluster",
            count=count,
            user_data=None,
            security_group_names=[],
            security_group_ids=list(group.group_ids),
            instance_type=group.instance_type,
            is_instance_type_default=False,
            region_name=request.region,
            subnet_id=group.subnet_id,
            tags={"instance": tags, "volume": {}},
        )
        launched = sorted(reservation.instances, key=lambda one: _address(str(one.private_ip)))
        names = _names(cluster, group)
        for instance in launched:
            cluster.instances[group.name].append(instance.id)
            cluster.names[instance.id] = next(names)
            if group.reservation_id is not None:
                self._sandbox.launched_into[instance.id] = group.reservation_id
        role: Role = "compute" if group.is_compute else "login"
        jobs = [
            partial(
                self._sandbox.fleet.boot,
                instance.id,
                instance_type=instance.instance_type,
                role=role,
                private_ip=str(instance.private_ip),
                slurm_name=cluster.names[instance.id] if group.is_compute else None,
                user_data=user_data(group.name, group.queue, group.actions),
                tags=tags,
                s3_fetch=partial(read_object, request.account),
                s3_put=partial(write_object, request.account),
                partitions=(group.queue,) if group.is_compute else (),
            )
            for instance in launched
        ]
        with ThreadPoolExecutor(BOOTS_AT_ONCE) as pool:
            for future in [pool.submit(job) for job in jobs]:
                try:
                    future.result()
                except Exception as error:
                    raise ResourceError(f"a node of {group.name} did not come up: {error}") from error

    def _check_reservation(self, group: Group, count: int) -> None:
        if group.reservation_id is None:
            return
        row = known_reservations(self._sandbox).get(group.reservation_id)
        if row is None:
            raise ResourceError(f"InvalidCapacityReservationId.NotFound: {group.reservation_id}")
        if row["InstanceType"] != group.instance_type or int(row["AvailableInstanceCount"]) < count:
            raise ResourceError(
                f"InsufficientInstanceCapacity: {group.reservation_id} has "
                f"{row['AvailableInstanceCount']} places of {row['InstanceType']}"
            )


def groups_of(cluster: PlayedParallelCluster) -> Iterator[Group]:
    """Every group of the configuration, the head first."""
    configuration = cluster.configuration
    head = configuration["HeadNode"]
    yield Group(
        name="head",
        queue="",
        instance_type=head["InstanceType"],
        subnet_id=head["Networking"]["SubnetId"],
        group_ids=tuple(head["Networking"]["SecurityGroups"]),
        count=1,
        actions=head["CustomActions"],
    )
    for pool in configuration["LoginNodes"]["Pools"]:
        yield Group(
            name="login",
            queue="",
            instance_type=pool["InstanceType"],
            subnet_id=pool["Networking"]["SubnetIds"][0],
            group_ids=tuple(pool["Networking"]["SecurityGroups"]),
            count=int(pool["Count"]),
            actions=pool["CustomActions"],
        )
    for queue in configuration["Scheduling"]["SlurmQueues"]:
        for resource in queue["ComputeResources"]:
            target = resource.get("CapacityReservationTarget") or {}
            yield Group(
                name=resource["Name"],
                queue=queue["Name"],
                instance_type=resource["InstanceType"],
                subnet_id=queue["Networking"]["SubnetIds"][0],
                group_ids=tuple(queue["Networking"]["SecurityGroups"]),
                count=int(resource["MinCount"]),
                actions=queue["CustomActions"],
                reservation_id=target.get("CapacityReservationId"),
            )


def _names(cluster: PlayedParallelCluster, group: Group) -> Iterator[str]:
    """ParallelCluster's names of static nodes, the lowest numbers that are free."""
    taken = set(cluster.names.values())
    start = f"{group.queue}-st-{group.name}" if group.is_compute else group.name
    return (name for number in itertools.count(1) if (name := f"{start}-{number}") not in taken)


def _address(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))

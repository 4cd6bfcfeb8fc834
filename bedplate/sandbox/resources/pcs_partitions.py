"""Which Slurm partitions a node group's nodes are in: one for each queue that holds the group."""

from __future__ import annotations

from bedplate.sandbox.sandbox import Sandbox


def partitions_of(sandbox: Sandbox, *, cluster_id: str, group_id: str) -> tuple[str, ...]:
    """The names of the cluster's queues that hold the group, sorted; none where no queue does."""
    return tuple(
        sorted(
            queue["name"]
            for queue in sandbox.pcs.queues_of(cluster_id)
            if any(
                member.get("computeNodeGroupId") == group_id
                for member in queue["computeNodeGroupConfigurations"]
            )
        )
    )


def tell_partitions(sandbox: Sandbox, *, cluster_id: str) -> None:
    """Tell every node of the cluster its partitions, as PCS's controller does when a queue changes."""
    for group in sandbox.pcs.groups_of(cluster_id):
        partitions = partitions_of(sandbox, cluster_id=cluster_id, group_id=group["id"])
        for instance_id in sandbox.pcs.instances.get(group["id"], ()):
            sandbox.fleet.put_in_partitions(instance_id, partitions)

"""A Slurm cluster as the other stacks see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bedplate.constructs.hyperpod_cluster import HyperPodCluster


@dataclass(frozen=True, kw_only=True)
class ComputeCluster:
    """What is the same whichever service runs Slurm; strings may be CDK tokens.

    ``group_ids`` and ``selection_tags`` are by the pool's name: what the service calls the pool's group of
    nodes, and EC2 tags that exactly its instances have; ``login_group_id`` and ``login_tags`` are those of
    the nodes that multi-node runs are started from. ``every_node_tag`` is one tag and value that all
    instances of the cluster have, and no other; ``pool_tags`` holds a tag and its values of the pools'
    instances alone, for a condition of IAM. Where the instances are not the account's own, there are no tags
    (empty, None) and ``hyperpod`` is the cluster that has them.
    ``reservation_ids`` is by pool: the reservation that its nodes come from, given or made, None where there
    is none. ``node_role_name`` is the role that policies for all nodes are attached to, None where the
    service makes the roles.
    ``block_scaler_name`` is the function that scales groups on Capacity Blocks, None where there is none.
    """

    cluster_id: str
    name: str
    version: str
    group_ids: Mapping[str, str]
    selection_tags: Mapping[str, Mapping[str, str]]
    login_group_id: str
    login_tags: Mapping[str, str]
    every_node_tag: tuple[str, str] | None
    pool_tags: Mapping[str, Sequence[str]]
    reservation_ids: Mapping[str, str | None]
    node_role_name: str | None = None
    block_scaler_name: str | None = None
    hyperpod: HyperPodCluster | None = None

"""From pools on Capacity Blocks to what their constructs need to know."""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.capacity.locked import KIND_OF_SOURCE, reservation_of, times_of
from bedplate.capacity.times import CapacityTimes, warning_minutes
from bedplate.constructs.block_reminders import BlockTimes
from bedplate.constructs.block_scaler import BlockNodeGroup
from bedplate.constructs.pcs_node_group import PcsNodeGroup
from bedplate.lockfile import LockFile
from bedplate.spec import Environment


def pool_times(environment: Environment, lock: LockFile | None) -> dict[str, CapacityTimes]:
    """Pool on a block → its four moments."""
    found = ((pool.name, times_of(pool=pool, lock=lock)) for pool in environment.pools)
    return {name: times for name, times in found if times is not None}


def block_times(environment: Environment, lock: LockFile | None) -> list[BlockTimes]:
    """Each block once, with the pools that are on it."""
    blocks = []
    times = pool_times(environment, lock)
    users: dict[str, list[str]] = {}
    for pool in environment.pools:
        reservation = reservation_of(pool)
        if reservation is not None and pool.name in times:
            users.setdefault(reservation, []).append(pool.name)
    for reservation, pools in users.items():
        moments = times[pools[0]]
        word = "pool" if len(pools) == 1 else "pools"
        blocks.append(
            BlockTimes(
                reservation_id=reservation,
                used_by=f"environment {environment.name}, {word} {', '.join(pools)}",
                start=moments.start,
                warning=moments.warning,
                taken=moments.taken,
                end=moments.end,
            )
        )
    return blocks


def block_node_groups(
    environment: Environment, groups: Mapping[str, PcsNodeGroup]
) -> tuple[BlockNodeGroup, ...]:
    """The node groups of pools on blocks, by the pools' names in ``groups``."""
    return tuple(
        BlockNodeGroup(
            node_group_id=groups[pool.name].node_group_id,
            node_group_arn=groups[pool.name].node_group_arn,
            reservation_id=str(reservation_of(pool)),
            minimum=pool.min_nodes,
            warning_minutes=warning_minutes(KIND_OF_SOURCE[pool.capacity.source]),
            settings=groups[pool.name].settings,
        )
        for pool in environment.pools
        if pool.name in groups
    )

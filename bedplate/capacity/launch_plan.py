"""A pool and its capacity source → one launch plan that every orchestrator obeys.

Sources: schema of AWS::EC2::LaunchTemplate (InstanceMarketOptions, CapacityReservationSpecification); EC2
User Guide on Capacity Blocks and placement groups; PCS User Guide, "capacity-blocks-configure-cng".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bedplate.spec.capacity_sources import (
    CapacityBlock,
    OnDemand,
    OpenReservation,
    Spot,
    TargetedReservation,
    UltraServerBlock,
)
from bedplate.spec.pools import Pool

if TYPE_CHECKING:
    from bedplate.hardware import InstanceType

MarketType = Literal["capacity-block", "spot"]
ReservationPreference = Literal["none", "open", "capacity-reservations-only"]
PurchaseOption = Literal["ONDEMAND", "SPOT", "CAPACITY_BLOCK"]


@dataclass(frozen=True, kw_only=True)
class LaunchPlan:
    """How a pool's nodes are launched.

    ``market_type`` and ``reservation_*`` go into the launch template, ``purchase_option`` and the counts into
    the scheduler's node group. ``placement_group`` says whether the template names a cluster placement group
    of our own.
    """

    market_type: MarketType | None
    reservation_id: str | None
    reservation_preference: ReservationPreference | None
    placement_group: bool
    purchase_option: PurchaseOption
    min_nodes: int
    max_nodes: int


def launch_plan(*, pool: Pool, instance_type: InstanceType) -> LaunchPlan:
    """Turn a pool into its launch plan.

    Raises ``ValueError`` for a capacity source that EC2 cannot launch from (a SageMaker training plan), or
    that the type cannot be bought by; ``load_environment`` refuses both, with a position, before that.
    """
    source = pool.capacity
    if source.source not in instance_type.capacity_sources:
        raise ValueError(f"{instance_type.name} cannot be bought as {source.source}")
    market_type: MarketType | None = None
    reservation_id: str | None = None
    preference: ReservationPreference | None = None
    purchase_option: PurchaseOption = "ONDEMAND"
    # A block lies in one UltraCluster already, and a reservation made outside a group cannot be used from
    # within one (InsufficientInstanceCapacity): only what is bought freely is placed by a group of ours.
    placement_group = False
    if isinstance(source, OnDemand):
        preference = "none"  # leave open reservations to the nodes they were made for
        placement_group = pool.max_nodes > 1
    elif isinstance(source, OpenReservation):
        preference = "open"
    elif isinstance(source, TargetedReservation):
        reservation_id = source.reservation
        preference = "capacity-reservations-only"  # fail rather than spill over into On-Demand
    elif isinstance(source, CapacityBlock | UltraServerBlock):
        market_type = "capacity-block"  # without it the launch fails, even with the right id
        reservation_id = source.reservation
        purchase_option = "CAPACITY_BLOCK"
    elif isinstance(source, Spot):
        market_type = "spot"
        purchase_option = "SPOT"
        placement_group = pool.max_nodes > 1
    else:
        raise ValueError("EC2 cannot launch instances from a SageMaker training plan")
    return LaunchPlan(
        market_type=market_type,
        reservation_id=reservation_id,
        reservation_preference=preference,
        placement_group=placement_group,
        purchase_option=purchase_option,
        min_nodes=pool.min_nodes,
        max_nodes=pool.max_nodes,
    )

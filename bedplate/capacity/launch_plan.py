"""A pool and its capacity source → one launch plan that every orchestrator of EC2 instances obeys.

Sources: EC2 API (CapacityReservationSpecification, MarketType); EC2 User Guide on Capacity Blocks,
interruptible reservations and placement groups; PCS API, PurchaseOption; PCS User Guide,
"capacity-blocks-configure-cng" and "Using I-ODCRs with PCS".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from bedplate.spec.capacity_sources import (
    CREATE,
    CapacityBlock,
    InterruptibleReservation,
    OnDemand,
    OpenReservation,
    Spot,
    TargetedReservation,
    UltraServerBlock,
)
from bedplate.spec.pools import Pool

if TYPE_CHECKING:
    from bedplate.hardware import InstanceType, Interface

MarketType = Literal["capacity-block", "interruptible-capacity-reservation", "spot"]
ReservationPreference = Literal["none", "open", "capacity-reservations-only"]
PurchaseOption = Literal["ONDEMAND", "SPOT", "CAPACITY_BLOCK", "INTERRUPTIBLE_CAPACITY_RESERVATION"]

NO_GROUP: Final = "none"
"""``placement_group`` of a pool whose launch template names no group."""
OWN_GROUP: Final = "own"
"""``placement_group`` of a pool that gets a cluster placement group of its own."""


@dataclass(frozen=True, kw_only=True)
class LaunchPlan:
    """How a pool's nodes are launched.

    ``market_type``, the reservation and ``interfaces`` go into the launch template, ``purchase_option`` and
    the counts into the scheduler's node group. At most one of ``reservation_id``, ``resource_group_arn`` and
    ``create_reservation`` (the stack makes one for ``max_nodes``, inside the pool's own group) is set.
    ``placement_group`` is ``NO_GROUP``, ``OWN_GROUP`` or the name of a group that is there.
    ``starts_at_zero``: nodes cannot be up when the group is made, so its minimum is 0 until a block is
    delivered. ``instance_types`` are the types that a node may be of, the pool's first. ``interfaces`` is
    the layout of that first type. ``zone_id`` is where all of them stand.
    """

    market_type: MarketType | None = None
    reservation_id: str | None = None
    resource_group_arn: str | None = None
    create_reservation: bool = False
    reservation_preference: ReservationPreference | None = None
    placement_group: str = NO_GROUP
    purchase_option: PurchaseOption = "ONDEMAND"
    starts_at_zero: bool = False
    min_nodes: int
    max_nodes: int
    instance_types: tuple[str, ...]
    interfaces: tuple[Interface, ...]
    zone_id: str

    @property
    def first_min_nodes(self) -> int:
        """The minimum that the node group is made with."""
        return 0 if self.starts_at_zero else self.min_nodes


def launch_plan(*, pool: Pool, instance_type: InstanceType, zone_id: str) -> LaunchPlan:
    """Turn a pool into its launch plan.

    ``instance_type`` is the pool's type, laid out in any way: the pool's own choice of interfaces is taken.
    ``zone_id`` is the environment's zone. Raises ``ValueError`` for a source that EC2 cannot launch from (a
    SageMaker training plan), that the type cannot be bought by, or a layout that the type does not have;
    ``load_environment`` refuses them, with a position, before that.
    """
    if pool.capacity.source not in instance_type.capacity_sources:
        raise ValueError(f"{instance_type.name} cannot be bought as {pool.capacity.source}")
    plan = LaunchPlan(
        min_nodes=pool.min_nodes,
        max_nodes=pool.max_nodes,
        instance_types=(instance_type.name, *pool.alternative_types),
        interfaces=instance_type.laid_out(choice=pool.interfaces, efas=pool.efas).interfaces,
        zone_id=zone_id,
    )
    return _by_source(plan, pool)


def _by_source(plan: LaunchPlan, pool: Pool) -> LaunchPlan:
    source = pool.capacity
    # A group of our own is for what is bought freely. A block lies in one UltraCluster already, and a
    # reservation that was made outside a group cannot be used from within one (InsufficientInstanceCapacity);
    # one that was made inside a group is used without naming it too (EC2 User Guide, cr-cpg).
    own = OWN_GROUP if pool.max_nodes > 1 else NO_GROUP
    if isinstance(source, OnDemand):
        # Leave open reservations to the nodes they were made for.
        return replace(plan, reservation_preference="none", placement_group=own)
    if isinstance(source, OpenReservation):
        return replace(
            plan, reservation_preference="open", placement_group=source.placement_group or NO_GROUP
        )
    if isinstance(source, TargetedReservation):
        return _targeted(plan, source)
    if isinstance(source, CapacityBlock | UltraServerBlock):
        return replace(
            plan,
            market_type="capacity-block",  # without it the launch fails, even with the right id
            reservation_id=source.reservation,
            purchase_option="CAPACITY_BLOCK",
            starts_at_zero=True,
        )
    if isinstance(source, InterruptibleReservation):
        return replace(
            plan,
            market_type="interruptible-capacity-reservation",
            reservation_id=source.reservation,
            purchase_option="INTERRUPTIBLE_CAPACITY_RESERVATION",
        )
    if isinstance(source, Spot):
        return replace(plan, market_type="spot", purchase_option="SPOT", placement_group=own)
    raise ValueError("EC2 cannot launch instances from a SageMaker training plan")


def _targeted(plan: LaunchPlan, source: TargetedReservation) -> LaunchPlan:
    """Launches fail rather than spill over into On-Demand."""
    if (source.reservation is None) == (source.resource_group is None):
        raise ValueError(
            "a targeted reservation is given by its id or by a resource group, and by one of them"
        )
    plan = replace(plan, reservation_preference="capacity-reservations-only")
    if source.reservation == CREATE:
        # Always in a group, even for one node: a reservation cannot be moved into one later.
        return replace(plan, create_reservation=True, placement_group=OWN_GROUP)
    return replace(
        plan,
        reservation_id=source.reservation,
        resource_group_arn=source.resource_group,
        placement_group=source.placement_group or NO_GROUP,
    )

"""Each capacity source gives one launch plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bedplate.capacity import LaunchPlan, launch_plan
from bedplate.hardware import INSTANCE_TYPES, instance_type
from bedplate.spec.capacity_sources import SOURCE_NAMES
from bedplate.spec.pools import Pool

RESERVATION = "cr-0123456789abcdef0"
GROUP = "arn:aws:resource-groups:us-west-2:123456789012:group/h200"
PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/frontier"
EXTRA: dict[str, dict[str, str]] = {
    "targeted-reservation": {"reservation": RESERVATION},
    "interruptible-reservation": {"reservation": RESERVATION},
    "capacity-block": {"reservation": RESERVATION},
    "ultraserver-block": {"reservation": RESERVATION},
    "training-plan": {"plan": PLAN},
}
ROW = instance_type("p5en.48xlarge")
PLAIN = LaunchPlan(
    min_nodes=8,
    max_nodes=8,
    instance_types=("p5en.48xlarge",),
    interfaces=ROW.interfaces,
    zone_id="usw2-az2",
)
ONLY = "capacity-reservations-only"


def _pool(source: str, *, nodes: Any = 8, name: str = "p5en.48xlarge", **capacity: str) -> Pool:
    data = {"source": source, **(capacity or EXTRA.get(source, {}))}
    return Pool.model_validate({"name": "h200", "instance_type": name, "nodes": nodes, "capacity": data})


def _plan(pool: Pool) -> LaunchPlan:
    return launch_plan(pool=pool, instance_type=instance_type(pool.instance_type), zone_id="usw2-az2")


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        pytest.param(
            _pool("on-demand"),
            replace(PLAIN, reservation_preference="none", placement_group="own"),
            id="on-demand",
        ),
        pytest.param(_pool("open-reservation"), replace(PLAIN, reservation_preference="open"), id="open"),
        pytest.param(
            _pool("open-reservation", placement_group="research 1"),
            replace(PLAIN, reservation_preference="open", placement_group="research 1"),
            id="open, in a group",
        ),
        pytest.param(
            _pool("targeted-reservation"),
            replace(PLAIN, reservation_preference=ONLY, reservation_id=RESERVATION),
            id="targeted by id",
        ),
        pytest.param(
            _pool("targeted-reservation", reservation=RESERVATION, placement_group="research 1"),
            replace(
                PLAIN,
                reservation_preference=ONLY,
                reservation_id=RESERVATION,
                placement_group="research 1",
            ),
            id="targeted by id, in a group",
        ),
        pytest.param(
            _pool("targeted-reservation", resource_group=GROUP),
            replace(PLAIN, reservation_preference=ONLY, resource_group_arn=GROUP),
            id="targeted by resource group",
        ),
        pytest.param(
            _pool("targeted-reservation", reservation="create"),
            replace(PLAIN, reservation_preference=ONLY, create_reservation=True, placement_group="own"),
            id="created",
        ),
        pytest.param(
            _pool("interruptible-reservation"),
            replace(
                PLAIN,
                market_type="interruptible-capacity-reservation",
                reservation_id=RESERVATION,
                purchase_option="INTERRUPTIBLE_CAPACITY_RESERVATION",
            ),
            id="interruptible",
        ),
        pytest.param(
            _pool("capacity-block"),
            replace(
                PLAIN,
                market_type="capacity-block",
                reservation_id=RESERVATION,
                purchase_option="CAPACITY_BLOCK",
                starts_at_zero=True,
            ),
            id="block",
        ),
        pytest.param(
            _pool("spot"),
            replace(PLAIN, market_type="spot", purchase_option="SPOT", placement_group="own"),
            id="spot",
        ),
    ],
)
def test_each_source_has_its_plan(pool: Pool, expected: LaunchPlan) -> None:
    """Market type, reservation, placement group, purchase option and start follow from the source alone."""
    assert _plan(pool) == expected


def test_an_ultraserver_block_is_a_capacity_block_to_ec2() -> None:
    """UltraServers are launched by their block's reservation, without a placement group."""
    plan = _plan(_pool("ultraserver-block", nodes=9, name="p6e-gb200.36xlarge"))
    assert (plan.market_type, plan.purchase_option) == ("capacity-block", "CAPACITY_BLOCK")
    assert plan.reservation_id == RESERVATION
    assert plan.placement_group == "none"


def test_a_range_gives_both_bounds() -> None:
    """A pool that scales keeps its bounds."""
    plan = _plan(_pool("spot", nodes={"min": 1, "max": 2}))
    assert (plan.min_nodes, plan.max_nodes, plan.first_min_nodes) == (1, 2, 1)


def test_a_block_waits_for_its_delivery() -> None:
    """A node group on a block is made with no nodes; what it grows to at the delivery is kept."""
    plan = _plan(_pool("capacity-block"))
    assert (plan.first_min_nodes, plan.min_nodes, plan.max_nodes) == (0, 8, 8)


@pytest.mark.parametrize(
    ("source", "group"), [("on-demand", "none"), ("spot", "none"), ("targeted-reservation", "own")]
)
def test_one_node_needs_no_placement_group(source: str, group: str) -> None:
    """A single node has nothing to be close to; a reservation is made where further nodes can join it."""
    capacity = {"reservation": "create"} if source == "targeted-reservation" else {}
    assert _plan(_pool(source, nodes=1, **capacity)).placement_group == group


def test_the_chosen_interfaces_are_in_the_plan() -> None:
    """The layout and the number of EFAs that the pool asks for are those that its nodes are launched with."""
    pool = _pool("ultraserver-block", nodes=9, name="p6e-gb200.36xlarge").model_copy(update={"efas": 8})
    assert len(_plan(pool).interfaces) == 9
    more = _pool("on-demand", name="p6-b300.48xlarge").model_copy(
        update={"interfaces": "more-address-bandwidth"}
    )
    assert len(_plan(more).interfaces) == 33
    with pytest.raises(ValueError, match="no layout"):
        _plan(_pool("on-demand").model_copy(update={"interfaces": "more-address-bandwidth"}))


def test_interchangeable_types_are_in_the_plan() -> None:
    """The pool's own type comes first, for orchestrators that can mix types."""
    pool = _pool("on-demand").model_copy(update={"alternative_types": ("p5e.48xlarge",)})
    assert _plan(pool).instance_types == ("p5en.48xlarge", "p5e.48xlarge")


@pytest.mark.parametrize("capacity", [{}, {"reservation": RESERVATION, "resource_group": GROUP}])
def test_a_target_is_named_once(capacity: dict[str, str]) -> None:
    """A targeted reservation that is named in no way, or in two, has no plan."""
    pool = Pool.model_validate(
        {
            "name": "h200",
            "instance_type": "p5en.48xlarge",
            "nodes": 8,
            "capacity": {"source": "targeted-reservation", **capacity},
        }
    )
    with pytest.raises(ValueError, match="by one of them"):
        _plan(pool)


@pytest.mark.parametrize("name", sorted(INSTANCE_TYPES))
@pytest.mark.parametrize("source", SOURCE_NAMES)
def test_no_plan_for_what_cannot_be_launched(source: str, name: str) -> None:
    """A pair that AWS does not sell, and a training plan, give no plan at all."""
    pool = _pool(source, name=name)
    if source in instance_type(name).capacity_sources and source != "training-plan":
        assert (_plan(pool).reservation_id is not None) == (source in EXTRA)
    else:
        with pytest.raises(ValueError, match="cannot"):
            _plan(pool)

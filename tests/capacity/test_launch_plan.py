"""Each capacity source gives one launch plan."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.capacity import launch_plan
from bedplate.hardware import INSTANCE_TYPES, instance_type
from bedplate.spec.capacity_sources import SOURCE_NAMES
from bedplate.spec.pools import Pool

RESERVATION = "cr-0123456789abcdef0"
PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/frontier"
EXTRA: dict[str, dict[str, str]] = {
    "targeted-reservation": {"reservation": RESERVATION},
    "capacity-block": {"reservation": RESERVATION},
    "ultraserver-block": {"reservation": RESERVATION},
    "training-plan": {"plan": PLAN},
}


def _pool(source: str, *, nodes: Any = 8, name: str = "p5en.48xlarge") -> Pool:
    capacity = {"source": source, **EXTRA.get(source, {})}
    return Pool.model_validate({"name": "h200", "instance_type": name, "nodes": nodes, "capacity": capacity})


@pytest.mark.parametrize(
    ("source", "market", "reservation", "preference", "group", "purchase"),
    [
        ("on-demand", None, None, "none", True, "ONDEMAND"),
        ("open-reservation", None, None, "open", False, "ONDEMAND"),
        ("targeted-reservation", None, RESERVATION, "capacity-reservations-only", False, "ONDEMAND"),
        ("capacity-block", "capacity-block", RESERVATION, None, False, "CAPACITY_BLOCK"),
        ("spot", "spot", None, None, True, "SPOT"),
    ],
)
def test_each_source_has_its_plan(
    source: str,
    market: str | None,
    reservation: str | None,
    preference: str | None,
    group: bool,
    purchase: str,
) -> None:
    """Market type, reservation, placement group and purchase option follow from the source alone."""
    plan = launch_plan(pool=_pool(source), instance_type=instance_type("p5en.48xlarge"))
    assert plan.market_type == market
    assert plan.reservation_id == reservation
    assert plan.reservation_preference == preference
    assert plan.placement_group is group
    assert plan.purchase_option == purchase
    assert (plan.min_nodes, plan.max_nodes) == (8, 8)


def test_an_ultraserver_block_is_a_capacity_block_to_ec2() -> None:
    """UltraServers are launched by their block's reservation, without a placement group."""
    plan = launch_plan(
        pool=_pool("ultraserver-block", nodes=9, name="p6e-gb200.36xlarge"),
        instance_type=instance_type("p6e-gb200.36xlarge"),
    )
    assert (plan.market_type, plan.purchase_option) == ("capacity-block", "CAPACITY_BLOCK")
    assert plan.reservation_id == RESERVATION
    assert not plan.placement_group


def test_a_range_gives_both_bounds() -> None:
    """A pool that scales keeps its bounds."""
    plan = launch_plan(
        pool=_pool("spot", nodes={"min": 0, "max": 2}), instance_type=instance_type("p5en.48xlarge")
    )
    assert (plan.min_nodes, plan.max_nodes) == (0, 2)


def test_one_node_needs_no_placement_group() -> None:
    """There is nothing to place a single node close to."""
    plan = launch_plan(pool=_pool("on-demand", nodes=1), instance_type=instance_type("p5en.48xlarge"))
    assert not plan.placement_group


@pytest.mark.parametrize("name", sorted(INSTANCE_TYPES))
@pytest.mark.parametrize("source", SOURCE_NAMES)
def test_no_plan_for_what_cannot_be_launched(source: str, name: str) -> None:
    """A pair that AWS does not sell, and a training plan, give no plan at all."""
    known = instance_type(name)
    pool = _pool(source, name=name)
    if source in known.capacity_sources and source != "training-plan":
        plan = launch_plan(pool=pool, instance_type=known)
        assert (plan.reservation_id is not None) == (source in EXTRA)
    else:
        with pytest.raises(ValueError, match="cannot"):
            launch_plan(pool=pool, instance_type=known)

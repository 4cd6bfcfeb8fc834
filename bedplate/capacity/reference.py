"""Writes the ways to buy as one Markdown page: ``python -m bedplate.capacity.reference > FILE``.

The page is committed as ``docs/reference/capacity.md``; a test holds it against what this module makes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from bedplate.capacity.launch_plan import LaunchPlan, launch_plan
from bedplate.capacity.legality import KINDS, SHAPES, WAYS, Shape, pool_of, refusals
from bedplate.hardware import instance_type

_HEAD = """# Capacity reference

Made by `python -m bedplate.capacity.reference` from the rules and the launch plan; do not edit by hand.
"""

_LEGAL = """## What can be bought how

`yes`, or the ids of the rules that refuse the pair; `bedplate explain ID` says why and what to do. The pairs
are held against a table written by hand from AWS's documents (`tests/capacity/legality.json`), a source with
each.

What no source settles, and is therefore **unverified**:

- Interruptible reservations are made from any On-Demand Capacity Reservation that is active and has no end;
  the EC2 User Guide names no instance type that they exclude, and none of these that they include.
- Whether a reservation of these types is granted inside a placement group at the moment of a deploy: EC2
  promises none before it is asked.
- The published pattern of a placement group's ARN in AWS::EC2::CapacityReservation (EC2's own) can be matched
  by no ARN. If CloudFormation holds values against it, `reservation: create` fails at the deploy; make the
  reservation by `aws ec2 create-capacity-reservation` then, and give its id. The sandbox reads the pattern as
  it is meant.
- DescribeInstanceTypes of p6e-gb200.36xlarge was not seen; that it is sold by the UltraServer only is the
  EC2 User Guide's word.
"""

_PLANS = """## How a pool is launched

One function, `bedplate.capacity.launch_plan`, turns a pool into this; every orchestrator asks it. A pool of 8
nodes:
"""

_NOTES = """`own` placement group: a cluster placement group of the pool's own. A reservation that was made
outside a group cannot be used from within one. One that was made inside a group is used with or without
naming it, if it is targeted; an open one only by `placement_group` (EC2 User Guide, cr-cpg).

A block's node group is made with no nodes; they come when the block is delivered. ParallelCluster holds a
block's nodes itself until it begins, and has all of them or none: the smallest number is the largest there.

A created reservation is made for the pool's largest size, inside the pool's own placement group. It is paid
for from the deploy on, whether nodes run or not, until the pool or the stack is deleted.

Interruptible: the owner may take the nodes back with two minutes' notice, and nothing takes their place. The
AWS PCS User Guide asks for `nodes: {min: 0, max: N}`.
"""


def reference_page() -> str:
    """Return the whole page as Markdown."""
    return "\n".join((_HEAD, _LEGAL, legality_table(), _PLANS, plan_table(), _NOTES))


def legality_table() -> str:
    """One row for each shape and orchestrator, one column for each way to buy."""
    return _table(
        ("shape", "orchestrator", *WAYS),
        (
            (shape.name, kind, *(_verdict(shape, way, kind) for way in WAYS))
            for shape in SHAPES
            for kind in KINDS
        ),
    )


def plan_table() -> str:
    """One row for each way to buy that EC2 can launch from."""
    return _table(
        (
            "way",
            "market type",
            "target",
            "preference",
            "placement group",
            "PCS purchase option",
            "nodes at first",
        ),
        (_plan_row(way) for way in WAYS if way != "training plan"),
    )


def _verdict(shape: Shape, way: str, kind: str) -> str:
    return ", ".join(refusals(pool=pool_of(shape, way), kind=kind)) or "yes"


def _plan_row(way: str) -> tuple[str, ...]:
    shape = next(
        each for each in SHAPES if WAYS[way]["source"] in instance_type(each.instance_type).capacity_sources
    )
    pool = pool_of(shape, way)
    plan = launch_plan(
        pool=pool, instance_type=instance_type(pool.instance_type), zone_id="the environment's"
    )
    return (
        way,
        plan.market_type or "–",
        _target(plan),
        plan.reservation_preference or "–",
        plan.placement_group,
        plan.purchase_option,
        "none" if plan.starts_at_zero else "its minimum",
    )


def _target(plan: LaunchPlan) -> str:
    if plan.create_reservation:
        return "the one that is made"
    if plan.resource_group_arn:
        return "resource group"
    return "reservation" if plan.reservation_id else "–"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(reference_page())

"""PRE-033: the block is of the UltraServer that the pool names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, of_pool

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.pools import Pool

ROW = CheckRow(
    id="PRE-033",
    title="the block is of the pool's UltraServer",
    what="The UltraServer type of the Capacity Block behind the reservation (EC2 DescribeCapacityBlocks), "
    "against the pool's `ultraserver`.",
    why="u-p6e-gb200x36 and u-p6e-gb200x72 are made of the same instance type, and differ in how many of "
    "them share an NVLink domain: 9 or 18. A pool of 18 nodes on two of the smaller ones has two domains, "
    "where jobs and checks expect one.",
    fix="Give `ultraserver` as it was bought, or the id of the other block's reservation.",
    by_hand="`aws ec2 describe-capacity-blocks --query "
    "'CapacityBlocks[].[CapacityBlockId,UltraserverType,CapacityReservationIds]'`",
)


def applies(environment: Environment) -> bool:
    """Where a pool is bought as UltraServers."""
    return any(_asked(pool) for pool in environment.pools)


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each such pool."""
    return [_pool(preflight, pool) for pool in preflight.environment.pools if _asked(pool)]


def _pool(preflight: Preflight, pool: Pool) -> Verdict:
    from bedplate.capacity.locked import reservation_of

    writer, wanted = of_pool(ROW.id, pool), reservation_of(pool)
    kinds = _ultraservers(preflight, str(wanted))
    if not kinds:
        return writer.failed(
            f"EC2 knows no Capacity Block of UltraServers with the reservation {wanted}",
            measured="none",
            expected=pool.ultraserver,
            remedy=ROW.fix,
        )
    told = ", ".join(kinds)
    if kinds != [pool.ultraserver]:
        return writer.failed(
            f"the block is of {told}, the pool of {pool.ultraserver}",
            measured=told,
            expected=pool.ultraserver,
            remedy=ROW.fix,
        )
    return writer.passed(f"the block is of {told}", measured=told, expected=pool.ultraserver)


def _ultraservers(preflight: Preflight, reservation: str) -> list[str]:
    """The UltraServer types of the blocks that hold the reservation."""
    from bedplate.validation.aws import aws_errors

    found = []
    with aws_errors("reading the Capacity Blocks"):
        for page in preflight.clients.ec2.get_paginator("describe_capacity_blocks").paginate():
            found += page["CapacityBlocks"]
    return sorted(
        {
            row.get("UltraserverType", "")
            for row in found
            if reservation in row.get("CapacityReservationIds", [])
        }
        - {""}
    )


def _asked(pool: Pool) -> bool:
    return pool.capacity.source == "ultraserver-block"

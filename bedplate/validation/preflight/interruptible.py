"""PRE-031: a reservation is interruptible exactly where the pool says that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.capacity.locked import reservation_of
from bedplate.diagnosis.verdict import Finding, Severity
from bedplate.explanation import CheckRow
from bedplate.spec.capacity_sources import InterruptibleReservation, TargetedReservation
from bedplate.validation.preflight.context import Preflight, of_pool

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.pools import Pool

ROW = CheckRow(
    id="PRE-031",
    title="a reservation is interruptible where the pool says so",
    what="`Interruptible` of the reservation (EC2 DescribeCapacityReservations), against the pool's source.",
    why="EC2 refuses a launch into an interruptible reservation without the market type "
    "`interruptible-capacity-reservation`, and with it into any other. And whoever runs a long job should "
    "know that the nodes can be taken back at two minutes' notice.",
    fix="Write `source: interruptible-reservation` for an interruptible one, `targeted-reservation` for the "
    "others.",
    by_hand="`aws ec2 describe-capacity-reservations --capacity-reservation-ids ID --query "
    "'CapacityReservations[].[Interruptible,InterruptionInfo]'`",
)


def applies(environment: Environment) -> bool:
    """Where a pool names a reservation that is no block."""
    return any(_asked(pool) for pool in environment.pools)


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each pool that names such a reservation."""
    named = [(pool, reservation_of(pool)) for pool in preflight.environment.pools if _asked(pool)]
    return [_pool(preflight, pool, wanted) for pool, wanted in named if wanted]


def _pool(preflight: Preflight, pool: Pool, wanted: str) -> Verdict:
    from bedplate.validation.preflight.usage import reservations

    writer = of_pool(ROW.id, pool)
    rows = reservations(preflight, [wanted])
    if len(rows) != 1:
        return writer.not_made(f"EC2 tells of {len(rows)} reservations with the id {wanted}")
    expected, found = isinstance(pool.capacity, InterruptibleReservation), bool(rows[0].get("Interruptible"))
    words = {True: "interruptible", False: "not interruptible"}
    if expected != found:
        return writer.failed(
            f"{wanted} is {words[found]}, and the source is {pool.capacity.source}",
            measured=words[found],
            expected=words[expected],
            remedy=ROW.fix,
        )
    findings = []
    if expected and pool.min_nodes > 0:
        findings.append(
            Finding(
                Severity.WARNING,
                f"{pool.min_nodes} nodes are to be up at all times, and the owner may take them back",
                f"Write `nodes: {{min: 0, max: {pool.max_nodes}}}`, as the AWS PCS User Guide asks.",
            )
        )
    return writer.passed(
        f"{wanted} is {words[found]}",
        measured=words[found],
        expected=words[expected],
        findings=tuple(findings),
    )


def _asked(pool: Pool) -> bool:
    return (
        isinstance(pool.capacity, InterruptibleReservation | TargetedReservation)
        and reservation_of(pool) is not None
    )

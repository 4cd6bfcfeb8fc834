"""PRE-028: a block that has begun is whole, and its interconnect is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.capacity.locked import KIND_OF_SOURCE, reservation_of
from bedplate.diagnosis.verdict import Finding, Severity
from bedplate.explanation import CheckRow
from bedplate.lockfile import BLOCKS
from bedplate.validation.preflight.context import Preflight, Writer, of_pool

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import CapacityBlockStatusTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.pools import Pool

ROW = CheckRow(
    id="PRE-028",
    title="a block that has begun is whole and its interconnect is well",
    what="EC2 DescribeCapacityBlockStatus: the state of the accelerators' interconnect, and how many "
    "instances are unavailable because a system status check failed.",
    why="A pool larger than what is available never fills; over an impaired interconnect collectives crawl, "
    "and the clock of the block runs on.",
    fix="Open a case with AWS Support, with the block's id; lower the pool to what is available until then.",
    by_hand="`aws ec2 describe-capacity-block-status --capacity-block-ids ID`",
)
_SOURCE = "EC2 API, CapacityBlockStatus"


def applies(environment: Environment) -> bool:
    """Where a pool is on a block."""
    return any(_on_block(pool) for pool in environment.pools)


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each pool on a block."""
    return [_pool(preflight, pool) for pool in preflight.environment.pools if _on_block(pool)]


def _on_block(pool: Pool) -> bool:
    return KIND_OF_SOURCE.get(pool.capacity.source) in BLOCKS


def _pool(preflight: Preflight, pool: Pool) -> Verdict:
    from bedplate.validation.aws import aws_errors
    from bedplate.validation.preflight.usage import reservations

    writer, reservation = of_pool(ROW.id, pool), str(reservation_of(pool))
    rows = reservations(preflight, [reservation])
    if len(rows) != 1:
        return writer.not_made(f"EC2 tells of {len(rows)} reservations with the id {reservation}")
    row = rows[0]
    if row.get("State") == "scheduled":
        return writer.passed(f"{reservation} has not begun; its state can be asked for from then on")
    block = row.get("CapacityBlockId")
    if not block:
        return writer.not_made(f"EC2 names no Capacity Block of {reservation}, which is {row.get('State')}")
    with aws_errors(f"asking for the status of block {block}"):
        answer = preflight.clients.ec2.describe_capacity_block_status(CapacityBlockIds=[block])
    statuses = answer["CapacityBlockStatuses"]
    if len(statuses) != 1:
        return writer.not_made(f"EC2 tells the status of {len(statuses)} blocks with the id {block}")
    return judge(writer, status=statuses[0], needed=pool.max_nodes)


def judge(writer: Writer, *, status: CapacityBlockStatusTypeDef, needed: int) -> Verdict:
    """Hold a block's status against the nodes that a pool needs; pure."""
    total, unavailable = status.get("TotalCapacity"), status.get("TotalUnavailableCapacity")
    interconnect = status.get("InterconnectStatus")
    if total is None or unavailable is None or interconnect not in ("ok", "impaired", "insufficient-data"):
        return writer.not_made(f"EC2's answer lacks capacity or interconnect: {dict(status)}")
    usable = total - unavailable
    told = f"{usable} of {total} instances usable, interconnect {interconnect}"
    problems = []
    if interconnect == "impaired":
        problems.append("the interconnect is impaired")
    if usable < needed:
        problems.append(f"{usable} instances are usable, the pool needs up to {needed}")
    if problems:
        return writer.failed(
            "; ".join(problems), measured=told, expected=f"{needed}, ok", source=_SOURCE, remedy=ROW.fix
        )
    findings = []
    if interconnect == "insufficient-data":
        findings.append(
            Finding(
                Severity.WARNING,
                "EC2 has no data on the interconnect yet",
                "Run `bedplate validate` after the deploy, which measures it.",
            )
        )
    if unavailable:
        text = f"{unavailable} of {total} instances are unavailable"
        findings.append(Finding(Severity.WARNING, text, "Open a case with AWS Support."))
    return writer.passed(
        told, measured=told, expected=f"{needed}, ok", source=_SOURCE, findings=tuple(findings)
    )

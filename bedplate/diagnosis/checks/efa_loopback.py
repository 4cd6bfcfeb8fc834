"""EFA-002: each EFA device carries traffic to itself, as fast as its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from bedplate.diagnosis.check import EXERCISE, Check, has_efa
from bedplate.diagnosis.checks.support import LOOK_AGAIN, Writer, node_subject
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.loopback import PROGRAM, Loopback, LoopbackReport, read_loopbacks
from bedplate.diagnosis.missing_programs import remedy_for
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

LEAST_SHARE = 0.8
"""Of the median of the node's own devices: our choice, since no rate of a loopback is published."""
FEWEST_TO_COMPARE = 3
LEAST_OF_WIRE = 0.1
"""Of the device's own wire: below it no device is taken for well, however alike. Our choice, unverified."""

ROW = CheckRow(
    id="EFA-002",
    title="each EFA device carries traffic to itself, as fast as its neighbours",
    what="On each EFA device `fi_pingpong` sends 100 messages of 16 MiB to itself and back, with shared "
    "memory off. The device's own counters must have risen by what was sent, and its rate must be at least "
    "0.8 of the median of the node's devices. No rate is published, so the rule is relative only, and "
    "devices that are alike below a tenth of their wire are not taken for well; that the "
    "counters rise in a loopback is read from the driver's source and unverified on hardware.",
    why="A device that is there, whose port says active, may still carry nothing or little. In a collective "
    "that shows as a slow node, and not as a device.",
    fix="Drain the node and replace the instance where single devices fail. Where all of them fail, look "
    "for the security group's rules to itself, in and out, and for the limit of locked memory.",
    by_hand="`FI_EFA_ENABLE_SHM_TRANSFER=0 fi_pingpong -e rdm -p efa -f efa -d rdmap85s0-rdm -S 16777216 "
    "-I 100`, and beside it the same with `127.0.0.1` at the end; the domain has libfabric's suffix "
    "(`fi_info -p efa -t FI_EP_RDM`).",
)


def check(
    *, node: str, report: LoopbackReport, instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where a device carries nothing or is slow beside its neighbours, error where it is not proven."""
    wanted = instance_type.efa_count
    loops = report.loops
    rates = [loop.row.gb_per_s for loop in loops if loop.row is not None and loop.proven]
    least = LEAST_SHARE * median(rates) if len(rates) >= FEWEST_TO_COMPARE else None
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=None if least is None else round(least, 2),
        unit="GB/s",
        source="" if least is None else f"{LEAST_SHARE} of the median of the node's devices; relative only",
    )
    if wanted == 0:
        return writer.not_applicable(f"{instance_type.name} has no EFA")
    if not loops:
        return writer.error(f"No loopback was run: {report.problem}", remedy=_remedy(report.problem))
    slowest = round(min(rates), 2) if rates else None
    dead = [loop for loop in loops if loop.refused]
    if dead and len(dead) == len(loops) and len(loops) > 1:
        return writer.failed(
            f"None of {len(loops)} EFA devices carries traffic to itself",
            cause="efa-traffic-blocked",
            lines=map(_describe, dead),
        )
    if dead:
        return writer.failed(
            f"{len(dead)} of {wanted} EFA devices carry no traffic to themselves",
            cause="efa-device-faulty",
            measured=0,
            lines=map(_describe, dead),
        )
    slow = [
        loop for loop in loops if loop.row is not None and least is not None and loop.row.gb_per_s < least
    ]
    if slow:
        return writer.failed(
            f"{len(slow)} of {wanted} EFA devices are slow beside their neighbours",
            cause="efa-device-faulty",
            measured=slowest,
            lines=map(_describe, slow),
        )
    unclear = [loop for loop in loops if not loop.proven]
    if unclear:
        problem = unclear[0].problem
        return writer.error(
            f"{len(unclear)} of {wanted} loopbacks prove nothing: "
            + (problem or unclear[0].uncounted or "the device did not count what was sent"),
            measured=slowest,
            lines=map(_describe, unclear),
            remedy=_remedy(problem),
        )
    if not report.devices == len(loops) == wanted:
        return writer.error(f"{report.devices} of {wanted} EFA devices were tested", measured=slowest)
    if least is None:
        return writer.not_tested(
            f"All {wanted} EFA devices carry traffic to themselves; there are too few to compare, and no "
            "rate is published",
            measured=slowest,
            remedy="Compare by hand with another node of the type; waive the check with that as the reason.",
        )
    wire = instance_type.efa_gbps_each / 8
    if min(rates) < LEAST_OF_WIRE * wire:
        return writer.not_tested(
            f"All {wanted} EFA devices are alike, and none carries a tenth of its wire's {wire:g} GB/s",
            measured=slowest,
            remedy="Compare with another node of the type; replace this one where it alone is slow.",
        )
    return writer.passed(
        f"All {wanted} EFA devices carry traffic to themselves, alike (relative only)",
        measured=slowest,
        lines=[_range(rates)],
    )


def _range(rates: Sequence[float]) -> str:
    return f"from {min(rates):.2f} to {max(rates):.2f} GB/s, median {median(rates):.2f}"


def _describe(loop: Loopback) -> str:
    if loop.row is None:
        return f"{loop.device}: {loop.problem}"
    carried = None if loop.rise is None else loop.rise.carried_bytes
    return (
        f"{loop.device}: {loop.row.gb_per_s:.2f} GB/s, sent {loop.row.moved_bytes} bytes, counted {carried}"
    )


def _remedy(problem: str) -> str:
    if PROGRAM in problem and "No such file" in problem:
        return "Install the EFA installer's libfabric tools (fi_pingpong) on the image, then validate again."
    return remedy_for(problem) or LOOK_AGAIN


def _promised(expected: NodeExpectation) -> bool:
    return expected.throughput


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        report=read_loopbacks(facts.answer),
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=EXERCISE, applies=has_efa, promised=_promised, judge=_judge)

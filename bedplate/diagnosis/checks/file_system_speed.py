"""FSX-002: each Lustre file system gives this node its share, over EFA where it speaks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.speed_rule import SpeedBounds, judge_speed
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.storage_speed import PlaceSpeed, StorageSpeeds
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.explanation import CheckRow

SHARE_ASKED = 0.7
"""Of a node's share of the provisioned throughput: nodes do not begin together. Our own bound, unverified."""
MOST_ASKED_GB_PER_S = {True: 2.0, False: 0.6}
"""Asked of one client at most, over EFA and over TCP. A file system with plenty for each node is bound by the
client: one TCP flow of EC2 carries 5 Gb/s (EC2 User Guide, "Amazon EC2 instance network bandwidth"), and a
client over EFA was seen to write 2.9 GB/s with 8 jobs (public notes of one run). Our own bound, unverified.
"""
LEAST_SHARE = 0.5
"""Of the median of the pool's nodes. All share one file system, so they differ more than disks do."""
LEAST_OVER_EFA = 0.9
"""Of LNet's messages: the rest is what goes to the management server by TCP."""

_RELATIVE = "relative only: half of the median of this run's nodes"
_SHARE = "70 % of the node's share of the provisioned throughput (FSx for Lustre User Guide, performance)"

ROW = CheckRow(
    id="FSX-002",
    title="each Lustre file system gives this node its share, over EFA where it speaks it",
    what="All idle nodes write 4 GiB at once to each Lustre file system and read them back (over 64 nodes "
    "less, 256 GiB in all but at least 256 MiB a node; `O_DIRECT`, 8 threads, blocks of 8 MiB of random "
    "data, at most 60 s each way, each block checked). The slower direction is at least 70 % of the "
    "node's share, which is the file system's provisioned throughput over the most nodes that the "
    "environment may have; of one client at most 2 GB/s are asked over EFA and 0.6 over TCP. It is at "
    "least half of the median of the pool's nodes, and where a file system's throughput is not known "
    "(it was there before) that alone decides, and the pass says so. Where it speaks EFA, nine tenths "
    "of the messages that LNet counted meanwhile went over EFA. The bounds are ours and unverified. It "
    "is written in `.bedplate/validation/RUN/INSTANCE` below the mount point, only where twenty times "
    "what all nodes write is free, and removed afterwards, whatever happens; if not, a finding says so. "
    "A file system whose root is exported to S3 is not-tested, since what is written would go to the "
    "bucket.",
    why="Interfaces that are up need not carry anything: a client that found its servers before LNet knew "
    "the EFAs goes on over TCP. Only the counters of a run under load tell.",
    fix="Over TCP: see FSX-001, unmount, `systemctl restart bedplate-bootstrap`. One slow node: validate "
    "again, then replace the instance. All slow: look at the file system's throughput in CloudWatch, and at "
    "who else uses it.",
    by_hand="`lnetctl net show -v | grep -E 'nid|_count'` before and after `fio --name=x "
    "--directory=/fsx/tmp --rw=write --bs=8M --size=512M --numjobs=8 --direct=1 "
    "--group_reporting`; then remove the files.",
)


def floor_gb_per_s(mount: ExpectedMount) -> float | None:
    """What is asked of one node; None where the file system's throughput is not known."""
    if mount.share_gb_per_s is None:
        return None
    return min(SHARE_ASKED * mount.share_gb_per_s, MOST_ASKED_GB_PER_S[mount.efa])


def check(
    *,
    node: str,
    speeds: StorageSpeeds,
    medians: Mapping[str, float | None],
    expected: NodeExpectation,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Judge every Lustre file system of one node; the worst stands. ``medians`` are by mount point."""
    verdicts = [
        _judge(node, mount, speeds.at(mount.path), medians.get(mount.path), evidence)
        for mount in lustre_mounts(expected)
    ]
    if not verdicts:
        return _writer(node, None, evidence).not_tested("There is no Lustre file system to measure")
    order = (Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED, Outcome.PASS)
    return min(verdicts, key=lambda verdict: order.index(verdict.outcome))


def lustre_mounts(expected: NodeExpectation) -> tuple[ExpectedMount, ...]:
    """The Lustre file systems that were promised."""
    return tuple(mount for mount in expected.mounts if mount.kind == "lustre")


def _judge(
    node: str,
    mount: ExpectedMount,
    place: PlaceSpeed | None,
    median: float | None,
    evidence: Sequence[str],
) -> Verdict:
    writer = _writer(node, mount, evidence)
    if mount.exports_its_root:
        return writer.not_tested(
            f"{mount.path} exports its root to S3: what is written anywhere would go to the bucket",
            remedy="Measure it by hand where that is no harm, and waive the check with that reason.",
        )
    if place is None:
        return writer.error(f"The exercise's answer has nothing about {mount.path}")
    bounds = SpeedBounds(floor_gb_per_s(mount), LEAST_SHARE)
    verdict = judge_speed(writer=writer, place=place, bounds=bounds, median=median, cause="file-system-slow")
    if not mount.efa or verdict.outcome is Outcome.ERROR:
        return verdict
    unproven = _over_efa(writer, mount, place)
    if unproven is None or (verdict.outcome is Outcome.FAIL and unproven.outcome is not Outcome.FAIL):
        return verdict
    return unproven


def _over_efa(writer: Writer, mount: ExpectedMount, place: PlaceSpeed) -> Verdict | None:
    """The verdict where the way was not proven to be EFA; None where it was."""
    traffic = place.traffic.record
    if traffic is None:
        return writer.error(f"{mount.path} was measured, its network was not: {place.traffic.problem}")
    total = traffic.efa + traffic.tcp
    if total == 0:
        return writer.error(f"{mount.path} was measured, and LNet counted no message: it was something else")
    if traffic.efa < LEAST_OVER_EFA * total:
        return writer.failed(
            f"{traffic.efa / total:.0%} of Lustre's messages went over EFA",
            cause="lustre-over-tcp",
            lines=[f"messages over efa: {traffic.efa}, over tcp: {traffic.tcp}"],
        )
    return None


def _writer(node: str, mount: ExpectedMount | None, evidence: Sequence[str]) -> Writer:
    floor = None if mount is None else floor_gb_per_s(mount)
    return Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=None if floor is None else round(floor, 3),
        unit="GB/s",
        source=_RELATIVE if floor is None else _SHARE,
    )


def _promised(expected: NodeExpectation) -> bool:
    return expected.throughput and bool(lustre_mounts(expected))


CHECK = Check(row=ROW, stage=ENGINE, promised=_promised)

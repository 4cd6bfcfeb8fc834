"""DCG-002: DCGM's memory and PCIe tests (level 2) pass on every GPU."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks import dcgm_level_1
from bedplate.diagnosis.checks.dcgm_support import judge
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgm_diag import DcgmDiag
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="DCG-002",
    title="DCGM's memory and PCIe tests pass on every GPU",
    what="`dcgmi diag` at level 2: GPU memory and PCIe. Each test must be in the answer and must have "
    "passed on every GPU; warnings beside a pass are findings.",
    why="It is the shortest test that touches the hardware. It does not look at NVLink, and it skips "
    "everything on a part that it does not know, which is not a pass.",
    fix="Drain the node and replace the instance. If DCGM skipped the tests, install a DCGM that knows "
    "the part.",
    by_hand="`dcgmi diag -r 2 -j` on a node without jobs; it takes 2 to 10 minutes.",
)

EXPECTED_V3 = (("GPU Memory", "Memory"), ("PCIe", "Integration"))
EXPECTED_V4 = (("memory",), ("pcie",))


def check(
    *, node: str, diag: Reading[DcgmDiag], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Judge all tests of a run that are not deployment tests."""
    results = () if diag.record is None else diag.record.results
    return judge(
        writer=Writer(check_id=ROW.id, subject=node_subject(node), evidence=evidence, source="NVIDIA DCGM"),
        diag=diag,
        instance_type=instance_type,
        expected_v3=EXPECTED_V3,
        expected_v4=EXPECTED_V4,
        belongs=[result for result in results if not dcgm_level_1.belongs(result)],
    )


def _asked_for(expected: NodeExpectation) -> bool:
    return expected.dcgm_level >= 2


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node, diag=facts.dcgm_diag, instance_type=facts.instance_type, evidence=facts.evidence
    )


CHECK = Check(row=ROW, stage=EXERCISE, promised=_asked_for, judge=_judge)

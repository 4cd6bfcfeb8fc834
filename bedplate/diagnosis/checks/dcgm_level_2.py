"""DCG-002: DCGM's memory and PCIe tests (level 2) pass on every GPU."""

from __future__ import annotations

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_levels import check_facts
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow

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


def _asked_for(expected: NodeExpectation) -> bool:
    return expected.dcgm_level >= 2


def _judge(facts: NodeFacts) -> Verdict:
    return check_facts(facts, level=2, check_id=ROW.id)


CHECK = Check(row=ROW, stage=EXERCISE, promised=_asked_for, judge=_judge)

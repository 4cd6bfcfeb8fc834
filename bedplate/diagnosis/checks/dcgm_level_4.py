"""DCG-004: DCGM's long tests (level 4) pass on every GPU."""

from __future__ import annotations

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_levels import check_facts
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="DCG-004",
    title="DCGM's long tests pass on every GPU",
    what="`dcgmi diag` at level 4: memtest and pulse test must be in the answer and have passed on every "
    "GPU. Owed where `validation.dcgm_level` is 4.",
    why="Memtest writes patterns to all of the memory and finds bits that fail under some of them only; the "
    "pulse test lets the power draw swing, which weak supplies do not stand. Both take hours.",
    fix="Drain the node and replace the instance. A test that DCGM skipped is not a pass: install a DCGM "
    "that knows the part.",
    by_hand="`dcgmi diag -r 4 -j` on a node without jobs, one to two hours and more; validation ends it "
    "after three.",
)


def _asked_for(expected: NodeExpectation) -> bool:
    return expected.dcgm_level >= 4


def _judge(facts: NodeFacts) -> Verdict:
    return check_facts(facts, level=4, check_id=ROW.id)


CHECK = Check(row=ROW, stage=EXERCISE, promised=_asked_for, judge=_judge)

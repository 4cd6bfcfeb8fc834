"""DCG-003: DCGM's stress tests (level 3) pass on every GPU."""

from __future__ import annotations

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_levels import check_facts
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="DCG-003",
    title="DCGM's stress tests pass on every GPU",
    what="`dcgmi diag` at level 3: diagnostic (matrix products, compared), targeted stress, targeted power "
    "and memory bandwidth must be in the answer and have passed on every GPU. NVIDIA's field diagnostics, "
    "nvbandwidth and nccl-tests count where DCGM runs them, and need not be there. Owed where "
    "`validation.dcgm_level` is 3 or 4.",
    why="A GPU that is well at rest may miscalculate, throttle or fall off the bus when it is hot. The level "
    "takes up to half an hour: it is for nodes in quarantine, not for every deploy.",
    fix="Drain the node and replace the instance. A test that DCGM skipped is not a pass: install a DCGM "
    "that knows the part.",
    by_hand="`dcgmi diag -r 3 -j` on a node without jobs, 10 to 30 minutes; validation ends it after 50.",
)


def _asked_for(expected: NodeExpectation) -> bool:
    return expected.dcgm_level >= 3


def _judge(facts: NodeFacts) -> Verdict:
    return check_facts(facts, level=3, check_id=ROW.id)


CHECK = Check(row=ROW, stage=EXERCISE, promised=_asked_for, judge=_judge)

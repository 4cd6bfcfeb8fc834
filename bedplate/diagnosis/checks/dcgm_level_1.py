"""DCG-001: DCGM's deployment tests (level 1) pass on every GPU."""

from __future__ import annotations

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_levels import check_facts
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="DCG-001",
    title="DCGM's deployment tests pass on every GPU",
    what="`dcgmi diag` at level 1: libraries, permissions, persistence mode, page retirement and row "
    "remapping, graphics processes, inforom. Each test must be in the answer and must have passed on "
    "every GPU.",
    why="A driver, a library or a setting that is wrong shows here in seconds, before an hour of "
    "training. Level 1 tests no hardware.",
    fix="A fail that DCGM weighs as configuration (severity 5): correct the setting it names, such as "
    "`nvidia-smi -pm 1`; do not drain. Any other fail: drain the node and replace the instance.",
    by_hand="`dcgmi diag -r 1 -j`; the status 226 means that a test failed, 217 that another run was "
    "under way.",
)


def _judge(facts: NodeFacts) -> Verdict:
    return check_facts(facts, level=1, check_id=ROW.id)


CHECK = Check(row=ROW, stage=EXERCISE, judge=_judge)

"""DCG-001: DCGM's deployment tests (level 1) pass on every GPU."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.dcgm_support import judge
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgm_diag import DcgmDiag, DiagResult, test_key
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

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

EXPECTED_V3 = (
    ("Denylist", "Blacklist"),
    ("NVML Library",),
    ("CUDA Main Library",),
    ("Permissions and OS Blocks",),
    ("Persistence Mode",),
    ("Environment Variables",),
    ("Page Retirement/Row Remap", "Page Retirement"),
    ("Graphics Processes",),
    ("Inforom",),
)
EXPECTED_V4 = (("software",),)
_KEYS = frozenset(test_key(name) for names in EXPECTED_V3 + EXPECTED_V4 for name in names)


def belongs(result: DiagResult) -> bool:
    """Whether a result of a run, of whatever level, is one of level 1."""
    return result.category.lower() == "deployment" or test_key(result.test) in _KEYS


def check(
    *, node: str, diag: Reading[DcgmDiag], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Judge the deployment tests of a run of any level."""
    results = () if diag.record is None else diag.record.results
    return judge(
        writer=Writer(check_id=ROW.id, subject=node_subject(node), evidence=evidence, source="NVIDIA DCGM"),
        diag=diag,
        instance_type=instance_type,
        expected_v3=EXPECTED_V3,
        expected_v4=EXPECTED_V4,
        belongs=[result for result in results if belongs(result)],
    )


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node, diag=facts.dcgm_diag, instance_type=facts.instance_type, evidence=facts.evidence
    )


CHECK = Check(row=ROW, stage=EXERCISE, judge=_judge)

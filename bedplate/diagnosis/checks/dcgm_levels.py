"""Which tests each level of ``dcgmi diag`` adds, in DCGM 3 and DCGM 4, and which check answers for them.

Source: NVIDIA/DCGM 4.6.0 ``nvvs/src/NvidiaValidationSuite.cpp`` (FillTestVectors). What a level may run
besides, where a part or a program of its own is there, must not fail, and need not have run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bedplate.diagnosis.checks.dcgm_support import Expected, judge
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgm_results import DcgmDiag, DiagResult, test_key
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Verdict
from bedplate.hardware import InstanceType


@dataclass(frozen=True)
class Level:
    """What a level adds: tests that must have run, by each generation's names, and those that may have."""

    v3: Expected
    v4: Expected
    may_run: tuple[str, ...] = ()


LEVELS: Mapping[int, Level] = {
    1: Level(
        v3=(
            ("Denylist", "Blacklist"),
            ("NVML Library",),
            ("CUDA Main Library",),
            ("Permissions and OS Blocks",),
            ("Persistence Mode",),
            ("Environment Variables",),
            ("Page Retirement/Row Remap", "Page Retirement"),
            ("Graphics Processes",),
            ("Inforom",),
        ),
        v4=(("software",),),
        may_run=("CUDA Toolkit Library", "CUDA Runtime Library", "Fabric Manager"),
    ),
    2: Level(v3=(("GPU Memory", "Memory"), ("PCIe", "Integration")), v4=(("memory",), ("pcie",))),
    3: Level(
        v3=(
            ("Diagnostic", "SM Performance", "SM Stress"),
            ("Targeted Stress", "Targeted Performance"),
            ("Targeted Power",),
            ("Memory Bandwidth",),
        ),
        v4=(("diagnostic",), ("targeted_stress",), ("targeted_power",), ("memory_bandwidth",)),
        may_run=("nvbandwidth", "nccl_tests", "eud", "EUD Test", "cpu_eud", "rist", "Hardware"),
    ),
    4: Level(v3=(("Memtest",), ("Pulse Test",)), v4=(("memtest",), ("pulse_test",))),
}
"""By level. Level 1 tests no hardware; none of them looks at NVLink."""

_LEVEL_OF: Mapping[str, int] = {
    test_key(name): number
    for number, level in LEVELS.items()
    for name in (*(name for names in (*level.v3, *level.v4) for name in names), *level.may_run)
}


def level_of(result: DiagResult, *, asked: int) -> int:
    """The level that a result belongs to. A test that nobody knows, or of a level that was not asked for,
    belongs to the one that was: no result is left unjudged.
    """
    if result.category.lower() == "deployment":
        return 1
    return min(_LEVEL_OF.get(test_key(result.test), asked), asked)


def check_level(
    *,
    level: int,
    asked: int,
    check_id: str,
    node: str,
    diag: Reading[DcgmDiag],
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Judge what a run at the level ``asked`` says of ``level``."""
    results = () if diag.record is None else diag.record.results
    return judge(
        writer=Writer(check_id=check_id, subject=node_subject(node), evidence=evidence, source="NVIDIA DCGM"),
        diag=diag,
        instance_type=instance_type,
        expected_v3=LEVELS[level].v3,
        expected_v4=LEVELS[level].v4,
        belongs=[result for result in results if level_of(result, asked=asked) == level],
        of_the_node=level == 1,
    )


def check_facts(facts: NodeFacts, *, level: int, check_id: str) -> Verdict:
    """Judge a node's own run."""
    return check_level(
        level=level,
        asked=facts.expected.dcgm_level,
        check_id=check_id,
        node=facts.node,
        diag=facts.dcgm_diag,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )

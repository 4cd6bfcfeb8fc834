"""What Slurm's hooks ask of a node around jobs: the checks that need seconds and no load on a GPU; pure.

Each is the validation's own check, of fewer outputs. Nothing that an operator can set a policy or a waiver
for (Xids, clocks) is among them: a hook knows of neither, and would take nodes out against the operator's
word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bedplate.diagnosis import gpu_tools, host_tools, storage_tools, tools
from bedplate.diagnosis.checks import PROBE_CHECKS
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.tools import find_run
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType

Argv = tuple[str, ...]

OUTPUTS: Mapping[str, tuple[Argv, ...]] = {
    "GPU-001": (tools.NVIDIA_SMI,),
    "GPU-002": (tools.NVIDIA_SMI,),
    "GPU-003": (tools.NVIDIA_SMI,),
    "NVL-001": (tools.DCGMI_NVLINK, gpu_tools.NVIDIA_SMI_NVLINK),
    "EFA-001": (tools.FI_INFO, host_tools.IBV_DEVICES),
    "FSX-001": (
        storage_tools.MOUNTS,
        storage_tools.LNET,
        storage_tools.LFS_DF,
        storage_tools.OST_STATES,
        storage_tools.NFS_DF,
    ),
}
"""Check → the tools that it reads."""

STAGES: Mapping[str, tuple[str, ...]] = {
    "prolog": ("GPU-001", "GPU-003", "EFA-001", "FSX-001"),
    "epilog": ("GPU-001", "GPU-002", "GPU-003"),
    "periodic": ("GPU-001", "GPU-002", "GPU-003", "NVL-001", "EFA-001", "FSX-001"),
}
"""When Slurm asks → the checks, in the order in which they are told."""

RECOVERS = ("FSX-001",)
"""What may be well again by itself (a server that answers again): such a node is put back. Hardware that
comes and goes stays out until a person, or a validation, has looked.
"""


@dataclass(frozen=True)
class LightVerdict:
    """A check's verdict, and whether the node is to be kept from jobs for it."""

    verdict: Verdict
    is_sick: bool


def tools_of(*, stage: str, instance_type: InstanceType, expected: NodeExpectation) -> tuple[Argv, ...]:
    """What has to be run for a stage on a node of this kind, each tool once."""
    wanted = [argv for check_id in _owed(stage, instance_type, expected) for argv in OUTPUTS[check_id]]
    kinds = {mount.kind == "lustre" for mount in expected.mounts}
    needless = (
        set() if True in kinds else {storage_tools.LNET, storage_tools.LFS_DF, storage_tools.OST_STATES}
    )
    needless |= set() if False in kinds else {storage_tools.NFS_DF}
    return tuple(argv for argv in dict.fromkeys(wanted) if argv not in needless)


def light_verdicts(*, stage: str, facts: NodeFacts) -> list[LightVerdict]:
    """The stage's verdicts. A fail makes a node sick, and so does a tool that hangs, as tools do on a GPU
    that is gone. What else could not be judged does not: where a program is missing, it is on all nodes.
    """
    found = []
    judges = {check.id: check.judge for check in PROBE_CHECKS}
    for check_id in _owed(stage, facts.instance_type, facts.expected):
        judge = judges[check_id]
        if judge is not None:
            verdict = judge(facts)
            hangs = verdict.outcome is Outcome.ERROR and _hangs(OUTPUTS[check_id], facts)
            found.append(LightVerdict(verdict, verdict.outcome is Outcome.FAIL or hangs))
    return found


def _owed(stage: str, instance_type: InstanceType, expected: NodeExpectation) -> list[str]:
    owed = {check.id for check in PROBE_CHECKS if check.owed(instance_type, expected, 1)}
    return [check_id for check_id in STAGES[stage] if check_id in owed]


def _hangs(argvs: Sequence[Argv], facts: NodeFacts) -> bool:
    runs = [find_run(answer=facts.answer, argv=argv) for argv in argvs]
    return any(run is not None and run.timed_out for run in runs)

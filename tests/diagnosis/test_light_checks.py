"""What Slurm's hooks ask of a node: little, all that their checks read, and nothing that has a policy."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis import tools
from bedplate.diagnosis.checks import PROBE_CHECKS
from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.light_checks import OUTPUTS, RECOVERS, STAGES, light_verdicts, tools_of
from bedplate.diagnosis.storage_tools import LFS_DF, LNET, NFS_DF
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import INSTANCE_TYPES, InstanceType
from tests.diagnosis import answers, storage_texts, texts

POLICIES = {"GPU-004", "GPU-006"}
"""An operator sets a policy for Xids, and waivers for clocks; a hook knows of neither."""


def _facts(kind: InstanceType, stage: str, **runs: Any) -> NodeFacts:
    """A node's answer of the stage's tools alone."""
    expected = NodeExpectation(
        mounts=(ExpectedMount("lustre", storage_texts.SOURCE, "/fsx", efa=True),), lnet_efas=8
    )
    whole = answers.probe_answer(runs=runs.get("runs"))
    wanted = tools_of(stage=stage, instance_type=kind, expected=expected)
    whole["tools"] = [run for run in whole["tools"] if tuple(run["argv"]) in wanted]
    return NodeFacts("gpu-1", whole, kind, expected=expected)


def _sick(facts: NodeFacts, stage: str) -> list[str]:
    return [each.verdict.check_id for each in light_verdicts(stage=stage, facts=facts) if each.is_sick]


@pytest.mark.parametrize("stage", STAGES)
def test_a_healthy_node_passes_by_the_stages_own_tools(p5en: InstanceType, stage: str) -> None:
    """Each check finds all that it reads among them: none is an error for want of an output."""
    found = light_verdicts(stage=stage, facts=_facts(p5en, stage))
    assert [each.verdict.check_id for each in found] == list(STAGES[stage])
    assert {each.verdict.outcome for each in found} == {Outcome.PASS}
    assert not any(each.is_sick for each in found)


@pytest.mark.parametrize("stage", STAGES)
def test_a_lost_gpu_makes_the_node_sick(p5en: InstanceType, stage: str) -> None:
    """7 of 8 GPUs, at every stage."""
    assert _sick(_facts(p5en, stage, runs={tools.NVIDIA_SMI: texts.gpu_table(gpus=7)}), stage) == ["GPU-001"]


def test_a_tool_that_hangs_makes_the_node_sick_and_one_that_is_missing_does_not(p5en: InstanceType) -> None:
    """nvidia-smi hangs on a GPU that is gone; a program that is not installed is missing on every node."""
    run = {
        "argv": list(tools.NVIDIA_SMI),
        "seconds": 20.0,
        "rc": None,
        "stdout": "",
        "stderr": "bedplate: deadline of 20 s passed",
        "timed_out": True,
    }
    assert "GPU-001" in _sick(_facts(p5en, "prolog", runs={tools.NVIDIA_SMI: run}), "prolog")
    missing = {**run, "stderr": "could not be started", "timed_out": False}
    facts = _facts(p5en, "prolog", runs={tools.NVIDIA_SMI: missing})
    assert _sick(facts, "prolog") == []
    told = {
        each.verdict.check_id: each.verdict.outcome for each in light_verdicts(stage="prolog", facts=facts)
    }
    assert told["GPU-001"] is Outcome.ERROR


def test_every_check_of_a_stage_is_one_of_the_validations_without_a_policy() -> None:
    """Ids and their outputs are known; what an operator may rule otherwise is left to the validation."""
    known = {check.id for check in PROBE_CHECKS}
    asked = {check_id for checks in STAGES.values() for check_id in checks}
    assert asked == set(OUTPUTS)
    assert asked <= known - POLICIES
    assert set(RECOVERS) <= asked


@pytest.mark.parametrize("kind", INSTANCE_TYPES.values(), ids=lambda kind: kind.name)
def test_no_stage_runs_dcgms_diagnostic_or_what_the_node_has_no_use_for(kind: InstanceType) -> None:
    """Without Lustre its tools are not run, without NFS not df; GPUs are never put under load."""
    for stage in STAGES:
        none = tools_of(stage=stage, instance_type=kind, expected=NodeExpectation())
        assert not {LNET, LFS_DF, NFS_DF} & set(none)
        home = NodeExpectation(mounts=(ExpectedMount("openzfs", "fs:/fsx", "/home"),))
        nfs = tools_of(stage=stage, instance_type=kind, expected=home)
        assert LFS_DF not in nfs
        assert (NFS_DF in nfs) is ("FSX-001" in STAGES[stage])
        assert not [argv for argv in (*none, *nfs) if argv[:2] == ("dcgmi", "diag")]

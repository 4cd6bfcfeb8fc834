"""Tests of what is said where a program that validation needs is not installed."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.collective import judge_collective
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.missing_programs import remedy_for
from bedplate.diagnosis.node import judge_exercise
from bedplate.diagnosis.tools import in_node_collective_argv
from bedplate.diagnosis.verdict import Outcome
from bedplate.hardware import instance_type

P5EN = instance_type("p5en.48xlarge")
NO_PYTHON = "bedplate: could not be started: [Errno 2] No such file or directory: {!r}\n"
LOGS = {
    "all_reduce_perf": [
        NO_PYTHON.format("all_reduce_perf"),
        "0: slurmstepd: error: execve(): all_reduce_perf: No such file or directory\n",
        "srun: error: all_reduce_perf: command not found\n",
    ],
    "PMIx": ["srun: error: Couldn't find the specified plugin name for mpi/pmix looking at all files\n"],
    "srun": [NO_PYTHON.format("srun")],
}


@pytest.mark.parametrize(("program", "log"), [(name, log) for name, logs in LOGS.items() for log in logs])
def test_a_run_between_nodes_names_the_program_to_install(program: str, log: str) -> None:
    """Nothing ran: both verdicts are errors, none a fail, and the remedy says what to install."""
    nodes = ("i-1", "i-2")
    seen = judge_collective(log=log, rc=1, timed_out=False, nodes=nodes, instance_type=P5EN)
    for verdict in seen.verdicts:
        assert verdict.outcome is Outcome.ERROR
        assert verdict.remedy.startswith("Install")
        assert program in verdict.remedy
    assert seen.launch_failed


def test_a_run_inside_a_node_names_the_program_to_install() -> None:
    """NCL-001 is an error with the remedy where the node has no nccl-tests."""
    run = {
        "argv": list(in_node_collective_argv(collective="all_reduce", gpus=8)),
        "rc": None,
        "timed_out": False,
        "seconds": 0.0,
        "stdout": "",
        "stderr": NO_PYTHON.format("all_reduce_perf"),
    }
    made = judge_exercise(
        NodeFacts(
            node="i-1", answer={"tools": [run]}, instance_type=P5EN, expected=NodeExpectation(dcgm_level=1)
        )
    )
    (verdict,) = [one for one in made.verdicts if one.check_id == "NCL-001"]
    assert verdict.outcome is Outcome.ERROR
    assert verdict.remedy.startswith("Install nccl-tests")


@pytest.mark.parametrize(
    "text", ["", "srun: error: n1: task 0: Killed", "No such file or directory: '/tmp/x'"]
)
def test_other_troubles_have_no_such_remedy(text: str) -> None:
    """Nothing is said to be missing that the text does not name."""
    assert remedy_for(text) == ""

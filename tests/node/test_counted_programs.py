"""A program between two readings of EFA counters: run by the real sh, read by the real parser."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bedplate.diagnosis.missing_programs import remedy_for
from bedplate.diagnosis.parsers.efa_traffic import read_efa_traffic
from bedplate.diagnosis.parsers.launch_failures import LAUNCH, find_failure
from bedplate.node.counted import counted, is_counted, uncounted
from bedplate.node.run_jobs import Job, srun_argv


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A tree with two EFA devices and a device that is none; ``work`` is a program that sends on one."""
    for name, sent in (("rdmap85s0", "1000"), ("rdmap86s0", "5")):
        folder = tmp_path / "sys/class/infiniband" / name / "ports/1/hw_counters"
        folder.mkdir(parents=True)
        (folder / "tx_bytes").write_text(sent + "\n")
        (folder / "retrans_pkts").write_text("N/A\n")
    (tmp_path / "sys/class/infiniband/ibp198s0/ports/1/hw_counters").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    work = tmp_path / "bin/work_perf"
    counter = tmp_path / "sys/class/infiniband/rdmap86s0/ports/1/hw_counters/tx_bytes"
    work.write_text(f'#!/bin/sh\necho "work $*"\necho 205 >{counter}\nexit 7\n')
    work.chmod(0o755)
    return tmp_path


def run(node: Path, *argv: str, local: str = "0") -> subprocess.CompletedProcess[str]:
    """Run a counted program as a task of Slurm's."""
    environment = {
        "PATH": f"{node / 'bin'}:{os.environ['PATH']}",
        "BEDPLATE_ROOT": str(node),
        "SLURM_LOCALID": local,
        "SLURMD_NODENAME": "gpu-1",
    }
    return subprocess.run(counted(argv), env=environment, capture_output=True, text=True, timeout=20)


def test_a_program_runs_between_two_readings_with_its_words_and_status(node: Path) -> None:
    """Sums over the devices; a counter that is no number is left out."""
    ran = run(node, "work_perf", "-b", "8 G")
    assert ran.returncode == 7
    assert ran.stdout.splitlines()[1] == "work -b 8 G"
    traffic = read_efa_traffic(ran.stdout, nodes=["gpu-1"])
    assert [(rise.device, rise.rise) for rise in traffic.nodes] == [("gpu-1", (("tx_bytes", 200),))]


def test_only_the_first_task_of_a_node_reads(node: Path) -> None:
    """The others would count the same devices again."""
    assert run(node, "work_perf", local="3").stdout == "work \n"


def test_a_program_that_is_not_there_is_told_as_slurm_tells_it(node: Path) -> None:
    """The launch failed, and the remedy names the program."""
    ran = run(node, "all_reduce_perf", "-b", "8")
    assert ran.returncode == 2
    failure = find_failure(1, ran.stderr.strip())
    assert failure is not None
    assert failure.kind == LAUNCH
    assert "all_reduce_perf" in remedy_for(ran.stderr)


def test_every_collective_between_nodes_is_counted() -> None:
    """And the program is found again in the command."""
    argv = srun_argv(Job("0", "collective", ("n-0",), 10.0), nonce="nonce-1234")
    command = argv[argv.index("sh") :]
    assert is_counted(command)
    assert uncounted(command)[0] == "all_reduce_perf"
    assert uncounted(("hostname",)) == ("hostname",)

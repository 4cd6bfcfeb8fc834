"""What Slurm says, on the node that has its clients."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.node.metrics.collector import CollectorError
from bedplate.node.metrics.collectors.slurm import COLLECTOR, shown_state
from tests.node.metrics.machine import COLLECTION, LOGIN, SETTINGS, Machine

STAMP = "[root@2026-11-30T22:00:00]"
NODES = "".join(
    f"NodeName={name} State={state} Gres={gres} AllocTRES={used} Partitions={partitions} {reason}\n"
    for name, state, gres, used, partitions, reason in (
        ("gpu-1", "ALLOCATED+CLOUD", "gpu:h200:8(S:0-1)", "cpu=192,gres/gpu=8", "train,all", ""),
        (
            "gpu-2",
            "IDLE+CLOUD+DRAIN",
            "gpu:h200:8",
            "",
            "train",
            f"Reason=bedplate GPU-001 (health check): 7 of 8 GPUs answer {STAMP}",
        ),
        ("gpu-3", "MIXED+DRAIN", "gpu:8", "gres/gpu=4", "train", f"Reason=by hand {STAMP}"),
    )
)


def node(state: str, *flags: str) -> SlurmNode:
    """A node in a state."""
    return SlurmNode("n", "", "", state, flags, ("train",), "", "", "")


def series(machine: Machine) -> dict[tuple[str, ...], float]:
    """(name, label values) → value, after a run."""
    return {
        (family.name, *(value for _, value in each.labels)): each.value
        for family in COLLECTOR.collect(machine.around(LOGIN))
        for each in family.samples
    }


def test_nodes_jobs_and_gpus(machine: Machine) -> None:
    """A drain says whose it is; a job that waits for two partitions waits in both."""
    machine.program("scontrol", f"cat <<'END'\n{NODES}END")
    machine.program("squeue", "printf 'RUNNING|train\\nPENDING|train,all\\nPENDING|train\\n'")
    assert series(machine) == {
        ("bedplate_slurm_node_state", "gpu-1", "train,all", "allocated", "false"): 1,
        ("bedplate_slurm_node_state", "gpu-2", "train", "drained", "true"): 1,
        ("bedplate_slurm_node_state", "gpu-3", "train", "draining", "false"): 1,
        ("bedplate_slurm_gpus", "train", "configured"): 24,
        ("bedplate_slurm_gpus", "train", "allocated"): 12,
        ("bedplate_slurm_gpus", "all", "configured"): 8,
        ("bedplate_slurm_gpus", "all", "allocated"): 8,
        ("bedplate_slurm_jobs", "train", "running"): 1,
        ("bedplate_slurm_jobs", "train", "pending"): 2,
        ("bedplate_slurm_jobs", "all", "pending"): 1,
    }


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (node("DOWN", "DRAIN"), "down"),
        (node("IDLE", "COMPLETING", "DRAIN"), "draining"),
        (node("IDLE", "CLOUD", "POWERED_DOWN"), "powered_down"),
        (node("IDLE", "NOT_RESPONDING"), "not_responding"),
        (node("IDLE", "MAINTENANCE", "RESERVED"), "maintenance"),
        (node("MIXED", "CLOUD"), "mixed"),
    ],
)
def test_one_word_says_what_a_node_does(state: SlurmNode, shown: str) -> None:
    """What keeps it from jobs goes before what it does."""
    assert shown_state(state) == shown


def test_a_slurmctld_that_does_not_answer_is_told(machine: Machine) -> None:
    """Not as a cluster without nodes."""
    machine.program("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(CollectorError, match="no node"):
        COLLECTOR.collect(machine.around(LOGIN))
    machine.program("scontrol", f"cat <<'END'\n{NODES}END")
    machine.program("squeue", "echo 'Socket timed out' >&2; exit 1")
    with pytest.raises(CollectorError, match="Socket timed out"):
        COLLECTOR.collect(machine.around(LOGIN))


def test_one_node_tells_of_slurm() -> None:
    """A thousand nodes that ask for all nodes would be slurmctld's end."""
    assert COLLECTOR.applies(LOGIN)
    assert not COLLECTOR.applies(SETTINGS)


def test_where_slurmctld_serves_its_own_metrics_is_told_to_the_agent(machine: Machine) -> None:
    """By a file, since no template knows the address; without the setting there is none."""
    machine.program(
        "scontrol",
        f"""if [ "$2" = config ]; then
printf 'SlurmctldHost[0]        = controller(10.0.3.7)\\nSlurmctldPort           = 6817\\n'
else cat <<'END'
{NODES}END
fi""",
    )
    machine.program("squeue", "true")
    path = machine.root / "run/bedplate/slurmctld.json"
    COLLECTOR.collect(machine.around(LOGIN))
    assert not path.exists()
    told = replace(LOGIN, collection=replace(COLLECTION, slurm=True, slurmctld=True))
    COLLECTOR.collect(machine.around(told))
    assert json.loads(path.read_text()) == [{"targets": ["10.0.3.7:6817"]}]
    machine.program("scontrol", f"[ \"$2\" != config ] || exit 1; cat <<'END'\n{NODES}END")
    with pytest.raises(CollectorError, match="where slurmctld is"):
        COLLECTOR.collect(machine.around(told))

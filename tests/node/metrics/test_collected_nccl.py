"""NCCL Inspector's series are taken over from a folder that any user may write to."""

from __future__ import annotations

import os
import time

from bedplate.node.metrics.collectors import nccl
from tests.node.metrics.machine import LOGIN, Machine

LABELS = 'collective="AllReduce",message_size="{size}",nranks="16",n_nodes="2",hostname="a",slurm_job_id="42"'
FOLDER = "/run/bedplate/nccl"


def bandwidths(machine: Machine) -> dict[str, float]:
    """Size of the message → bus bandwidth, after a run."""
    (family, _) = nccl.COLLECTOR.collect(machine.around())
    return {dict(each.labels)["message_size"]: each.value for each in family.samples}


def line(size: int | str, value: str = "470.5", *, stamp: str = "") -> str:
    """A line of the inspector."""
    return f"nccl_bus_bandwidth_gbs{{{LABELS.format(size=size)}}} {value}{stamp}\n"


def test_large_messages_alone(machine: Machine) -> None:
    """Each series once, without its time stamp, which node_exporter takes from no file."""
    text = (
        line(1 << 30) + line(1 << 30, "471") + line(1024) + line("x") + line(1 << 31, stamp=" 1764541426123")
    )
    machine.write(f"{FOLDER}/42.prom", "# TYPE nccl_bus_bandwidth_gbs gauge\n" + text)
    assert bandwidths(machine) == {str(1 << 30): 471, str(1 << 31): 470.5}


def test_a_user_cannot_say_anything_else(machine: Machine) -> None:
    """Other names, values that are none, too many series, links and pipes."""
    machine.write(f"{FOLDER}/a.prom", "bedplate_expected_gpus 0\nnccl_made_up{} 1\n" + line(1 << 30, "1e"))
    machine.write(f"{FOLDER}/b.txt", line(1 << 30))
    secret = machine.write("/etc/secret.prom", line(1 << 30))
    (machine.root / "run/bedplate/nccl/link.prom").symlink_to(secret)
    os.mkfifo(machine.root / "run/bedplate/nccl/pipe.prom")
    assert bandwidths(machine) == {}
    machine.write(f"{FOLDER}/many.prom", "".join(line((1 << 30) + each) for each in range(500)))
    assert len(bandwidths(machine)) == nccl.MOST_SERIES


def test_what_nobody_writes_any_more_is_of_a_job_that_has_ended(machine: Machine) -> None:
    """A bandwidth of yesterday is none of now."""
    path = machine.write(f"{FOLDER}/42.prom", line(1 << 30))
    old = time.time() - 3600
    os.utime(path, (old, old))
    assert bandwidths(machine) == {}


def test_no_folder_is_no_fault(machine: Machine) -> None:
    """Most jobs do not ask for it."""
    assert bandwidths(machine) == {}
    assert not nccl.COLLECTOR.applies(LOGIN)

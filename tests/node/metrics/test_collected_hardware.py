"""EFA's counters, what a type has, boot and gate, and Lustre's client."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from bedplate.node.bootstrap.record import BootRecord
from bedplate.node.bootstrap.settings import Mount
from bedplate.node.bootstrap.step import DONE, FAILED, StepResult
from bedplate.node.gate.mark import write_mark
from bedplate.node.metrics.collector import Collector, CollectorError
from bedplate.node.metrics.collectors import boot, efa, expected, lustre
from tests.node.metrics.machine import BOOT, FSX, LOGIN, SETTINGS, Machine


def series(machine: Machine, collector: Collector) -> dict[tuple[str, ...], float]:
    """(name, label values) → value, after a run."""
    return {
        (family.name, *(value for _, value in each.labels)): each.value
        for family in collector.collect(machine.around())
        for each in family.samples
    }


def test_efa_counters_by_device_and_port(machine: Machine) -> None:
    """``lifespan`` is no counter, NVLink's ports are no EFA, and a driver may lack some counters."""
    machine.efa("rdmap80s0", retrans_timeout_events=3)
    found = series(machine, efa.COLLECTOR)
    assert found[("node_amazonefa_tx_bytes", "rdmap80s0", "1")] == 5
    assert found[("node_amazonefa_retrans_timeout_events", "rdmap80s0", "1")] == 3
    assert ("node_amazonefa_retrans_timeout_events", "rdmap81s0", "1") not in found
    assert not any(
        "lifespan" in name or "ibp" in device for name, device in (key[:2] for key in found if key[1:])
    )
    assert found[("bedplate_efas",)] == 2


def test_a_device_that_is_gone_is_counted_as_gone(machine: Machine) -> None:
    """The number falls, and the number that there should be stays."""
    shutil.rmtree(machine.root / "sys/class/infiniband/rdmap81s0")
    assert series(machine, efa.COLLECTOR)[("bedplate_efas",)] == 1
    shutil.rmtree(machine.root / "sys/class/infiniband")
    assert series(machine, efa.COLLECTOR) == {("bedplate_efas",): 0}
    assert series(machine, expected.COLLECTOR) == {
        ("bedplate_expected_gpus",): 8,
        ("bedplate_expected_efas",): 2,
    }


def test_without_sysfs_nothing_is_said_of_efa(machine: Machine) -> None:
    """It is not the same as no device."""
    shutil.rmtree(machine.root / "sys")
    with pytest.raises(CollectorError, match="sysfs"):
        efa.COLLECTOR.collect(machine.around())


def test_boot_and_gate(machine: Machine) -> None:
    """Done only by a record of this boot with no step failed; open only by a mark of this boot."""
    assert series(machine, boot.COLLECTOR) == {("bedplate_bootstrap_done",): 0, ("bedplate_gate_open",): 0}
    steps = (StepResult("make_scratch", DONE, "", 1.0),)
    record = BootRecord("prod", "train", "compute", "i-1", BOOT, "1", "", "", "", 1.0, steps)
    machine.write("/opt/bedplate/bootstrap.json", record.to_json())
    write_mark(how="pair", told="with gpu-2")
    assert series(machine, boot.COLLECTOR) == {("bedplate_bootstrap_done",): 1, ("bedplate_gate_open",): 1}
    failed = replace(record, steps=(*steps, StepResult("set_up_lnet", FAILED, "", 1.0)))
    machine.write("/opt/bedplate/bootstrap.json", failed.to_json())
    assert series(machine, boot.COLLECTOR)[("bedplate_bootstrap_done",)] == 0
    machine.write("/opt/bedplate/bootstrap.json", replace(record, boot_id="earlier").to_json())
    assert series(machine, boot.COLLECTOR)[("bedplate_bootstrap_done",)] == 0


def test_no_gate_no_series(machine: Machine) -> None:
    """An open gate where there is none would be a lie, a closed one an alert."""
    families = boot.COLLECTOR.collect(machine.around(replace(SETTINGS, gate="node")))
    assert [each.name for each in families] == ["bedplate_bootstrap_done"]


def test_lustre_bytes_and_operations(machine: Machine) -> None:
    """By file system and where it is mounted; operations that are not named are left out."""
    found = series(machine, lustre.COLLECTOR)
    where = ("abcdef12", "/fsx")
    assert found == {
        ("bedplate_lustre_mounted", *where): 1,
        ("bedplate_lustre_read_bytes_total", *where): 5242880,
        ("bedplate_lustre_written_bytes_total", *where): 8192,
        ("bedplate_lustre_operations_total", *where, "open"): 25,
        ("bedplate_lustre_operations_total", *where, "close"): 24,
        ("bedplate_lustre_operations_total", *where, "statfs"): 3,
    }


def test_a_file_system_that_is_not_mounted(machine: Machine) -> None:
    """lctl has nothing to say then, which is no fault of the collector."""
    machine.write("/proc/mounts", "/dev/root / ext4 rw 0 0\n")
    machine.program("lctl", "echo 'error: get_param: param_path' >&2; exit 2")
    assert series(machine, lustre.COLLECTOR) == {("bedplate_lustre_mounted", "abcdef12", "/fsx"): 0}


@pytest.mark.parametrize("script", ["echo 'error: get_param' >&2; exit 2", "echo llite.stats", ""])
def test_statistics_that_cannot_be_read_are_told(machine: Machine, script: str) -> None:
    """Never zero bytes."""
    machine.program("lctl", script)
    with pytest.raises(CollectorError, match="llite"):
        lustre.COLLECTOR.collect(machine.around())


def test_a_file_system_may_be_mounted_twice_and_by_a_folder() -> None:
    """The client counts each mount; the name is the first part of the path behind the servers."""
    text = (
        "llite.ab-ffff1.stats=\nread_bytes 1 samples [bytes] 1 1 10\n"
        "llite.ab-ffff2.stats=\nread_bytes 2 samples [bytes] 1 1 5 9\n"
    )
    assert lustre.parse_llite_stats(text) == {"ab": {"read_bytes": (3, 15)}}
    assert lustre._name(Mount("lustre", FSX + "/sub/folder", "/data")) == "abcdef12"


def test_which_nodes_collect_what() -> None:
    """A login node has no EFA of its own."""
    assert [each.applies(LOGIN) for each in (efa.COLLECTOR, expected.COLLECTOR, boot.COLLECTOR)] == [
        False,
        False,
        True,
    ]
    assert json.loads(SETTINGS.to_json())["collection"]["zone"] == "usw2-az2"

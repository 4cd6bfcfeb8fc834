"""Xids of the kernel log as counters of a boot."""

from __future__ import annotations

import pytest

from bedplate.node.metrics.collector import CollectorError
from bedplate.node.metrics.collectors.xids import COLLECTOR, bus_id
from tests.node.metrics.machine import SETTINGS, Machine

START = "2026-11-30T22:00:00+0000 ip kernel: Linux version 6.8.0"
XID_79 = "ip kernel: NVRM: Xid (PCI:0000:53:00): 79, pid=1, name=python, GPU has fallen off the bus."
XID_31 = "ip kernel: NVRM: Xid (PCI:0000:64:00): 31, pid=2, name=python, MMU Fault"
XID_45 = "ip kernel: NVRM: Xid (PCI:0000:53:00): 45, pid=1, name=python, Ch 00000010"
LOST = ("79", "00000000:53:00.0", "replace")


def counts(machine: Machine) -> dict[tuple[str, ...], float]:
    """The counters after a run, by (xid, PCI address, policy)."""
    (family,) = COLLECTOR.collect(machine.around())
    assert (family.name, family.kind) == ("bedplate_xid_total", "counter")
    return {tuple(value for _, value in each.labels): each.value for each in family.samples}


def test_a_healthy_log_has_no_series(machine: Machine) -> None:
    """Nothing happened, so nothing is counted."""
    assert counts(machine) == {}


def test_new_lines_alone_are_counted(machine: Machine) -> None:
    """A fault of many lines is one; a run without news changes nothing; the same fault later is a second."""
    machine.journal([START, XID_79, XID_79, XID_31])
    first = counts(machine)
    assert first == {LOST: 1, ("31", "00000000:64:00.0", "restart-app"): 1}
    assert counts(machine) == first
    machine.journal([START, XID_79, XID_79, XID_31, XID_31])
    assert counts(machine) == {**first, ("31", "00000000:64:00.0", "restart-app"): 2}


def test_what_an_xid_means_may_rest_on_an_earlier_run(machine: Machine) -> None:
    """45 behind 79 on its GPU is a consequence, also where 79 was read thirty seconds before."""
    machine.journal([START, XID_79])
    counts(machine)
    machine.journal([START, XID_79, XID_45])
    assert counts(machine)[("45", "00000000:53:00.0", "ignore")] == 1


def test_sub_codes_and_recovery_actions_decide_the_policy(machine: Machine) -> None:
    """154 is under what its line asks for."""
    line = (
        "ip kernel: NVRM: Xid (PCI:0000:53:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 "
        "(Node Reboot Required)"
    )
    machine.journal([START, line])
    assert counts(machine) == {("154", "00000000:53:00.0", "reboot"): 1}


def test_switches_and_lost_gpus_are_told_apart(machine: Machine) -> None:
    """Neither is an Xid of a GPU."""
    machine.journal(
        [
            START,
            "ip kernel: nvidia-nvswitch1: SXid (PCI:0000:85:00.0): 12028, Non-fatal, Link 44",
            "ip kernel: NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.",
        ]
    )
    assert counts(machine) == {
        ("sxid-12028", "00000000:85:00.0", "monitor"): 1,
        ("off-bus", "00000000:9B:00.0", "reboot"): 1,
    }


def test_a_code_that_nobody_knows_is_counted_as_such(machine: Machine) -> None:
    """An alert on it is better than silence."""
    machine.journal([START, XID_79.replace(" 79,", " 999,"), "ip kernel: NVRM: Xid garbled"])
    assert counts(machine) == {
        ("999", "00000000:53:00.0", "unknown"): 1,
        ("unreadable", "", "unknown"): 1,
    }


def test_a_boot_begins_anew(machine: Machine) -> None:
    """The counter is of the boot, and an earlier one's cursor is not used."""
    machine.journal([START, XID_79])
    counts(machine)
    machine.write("/proc/sys/kernel/random/boot_id", "other-boot\n")
    machine.journal([START, XID_31])
    assert counts(machine) == {("31", "00000000:64:00.0", "restart-app"): 1}


@pytest.mark.parametrize("text", ["", "{", '{"version": 1}', '{"version": 2, "boot_id": "x"}'])
def test_a_memory_that_cannot_be_read_is_made_anew(machine: Machine, text: str) -> None:
    """A cut file makes the whole log be read, which gives the same counts."""
    machine.journal([START, XID_79])
    counts(machine)
    (machine.around().memory / "xids.json").write_text(text)
    assert counts(machine) == {LOST: 1}


def test_a_log_that_breaks_off_counts_nothing(machine: Machine) -> None:
    """Its cursor is not known, so its lines would be counted again."""
    machine.program("journalctl", f"echo '{XID_79}'")
    with pytest.raises(CollectorError, match="broke off"):
        COLLECTOR.collect(machine.around())
    assert not (machine.around().memory / "xids.json").exists()


def test_a_journal_that_is_not_there_is_told(machine: Machine) -> None:
    """As is an empty one."""
    machine.program("journalctl", "echo 'No journal files were found.' >&2; exit 1")
    with pytest.raises(CollectorError, match="No journal files"):
        COLLECTOR.collect(machine.around())
    machine.program("journalctl", "echo '-- No entries --'")
    with pytest.raises(CollectorError, match="empty"):
        COLLECTOR.collect(machine.around())


def test_addresses_are_written_as_dcgm_writes_them() -> None:
    """So that a GPU's Xids join its other series."""
    assert bus_id("0000:0f:00") == "00000000:0F:00.0"
    assert bus_id("") == ""


def test_nodes_without_gpus_read_no_log() -> None:
    """A login node has none."""
    assert COLLECTOR.applies(SETTINGS)
    assert not COLLECTOR.applies(SETTINGS.__class__("prod", "login", "login", "results"))

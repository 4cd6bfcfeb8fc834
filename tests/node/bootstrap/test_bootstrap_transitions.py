"""The bootstrap over a node's life: the table of transitions, driven through the real steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.node.bootstrap.step import DONE, FAILED, LEFT, SKIPPED
from tests.node.bootstrap.fake_machine import FakeMachine
from tests.node.bootstrap.transitions import TRANSITIONS, Transition


@pytest.mark.parametrize("row", TRANSITIONS, ids=lambda row: row.name.replace(" ", "-"))
def test_a_boot_comes_to_what_the_table_says(row: Transition, tmp_path: Path) -> None:
    """Steps, commands and mounts of the last boot are those of the row, and nothing else fails."""
    machine = FakeMachine(tmp_path / "root")
    if row.first_boot:
        first = machine.boot()
        assert not [result for result in first.values() if result.outcome == FAILED]
    for event in row.events:
        event(machine)
    results = machine.boot()
    failed = {name: result.reason for name, result in results.items() if result.outcome == FAILED}
    assert failed.keys() == row.steps.keys(), failed
    for name, reason in row.steps.items():
        assert reason in failed[name]
    skipped = [name for name, result in results.items() if result.outcome == SKIPPED]
    assert skipped == [
        *("keep_topology", "keep_desk", "keep_gate", "install_nfs_client", "follow_lists"),
        "install_containers",
        "keep_exporters",
    ]
    assert not [call for call in machine.calls if call.startswith(row.never)] if row.never else True
    for prefix, count in row.calls.items():
        assert len(machine.called(prefix)) == count, prefix
    mounted = machine.mounts()
    assert {target for target in mounted if target in ("/scratch", "/fsx")} == set(row.mounted)
    if "/scratch" in row.mounted:
        assert mounted["/scratch"] == row.source


@pytest.mark.parametrize("row", TRANSITIONS, ids=lambda row: row.name.replace(" ", "-"))
def test_a_boot_that_is_repeated_changes_no_disk(row: Transition, tmp_path: Path) -> None:
    """Whatever happened, the same boot again neither makes an array nor a file system."""
    machine = FakeMachine(tmp_path / "root")
    if row.first_boot:
        machine.boot()
    for event in row.events:
        event(machine)
    machine.boot()
    before = dict(machine.on_disk)
    machine.boot()
    assert machine.on_disk == before
    assert not machine.called("mkfs.xfs")
    assert not machine.called("mdadm --create")


def test_no_boot_takes_longer_than_pcs_waits(tmp_path: Path) -> None:
    """However late everything is, the bootstrap has ended within 25 minutes."""
    machine = FakeMachine(tmp_path / "root", lustre_from=10.0**6, dlami=("activating", "0"))
    machine.boot()
    assert machine.now <= 25 * 60 + 60


def test_what_is_left_to_a_later_run_is_done_by_it(tmp_path: Path) -> None:
    """ParallelCluster makes its volume between the two runs: the first leaves the disks alone."""
    machine = FakeMachine(tmp_path / "root")
    first = machine.boot(later=["make_scratch"])
    assert first["make_scratch"].outcome == LEFT
    assert not machine.called("mdadm")
    assert machine.mounts()["/fsx"]
    machine.make_image_volume(at="/scratch")
    second = machine.boot()
    assert (second["make_scratch"].outcome, second["mount_file_systems"].outcome) == (DONE, DONE)
    assert machine.mounts()["/scratch"] == "/dev/mapper/vg.01-lv_ephemeral"
    assert not machine.called("mdadm")
    assert not machine.called("mount ")


def test_a_step_that_is_none_cannot_be_left(tmp_path: Path) -> None:
    """A misspelt name fails the boot: the step would have run where it must not."""
    results = FakeMachine(tmp_path / "root").boot(later=["make-scratch"])
    assert results["make-scratch"].outcome == FAILED

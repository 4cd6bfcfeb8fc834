"""The bootstrap over a node's life: the table of transitions, driven through the real steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.node.bootstrap.step import FAILED, SKIPPED
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
    assert [name for name, result in results.items() if result.outcome == SKIPPED] == ["install_nfs_client"]
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

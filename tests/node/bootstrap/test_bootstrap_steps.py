"""The steps that put files and settings into place, one by one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.places import BOOT_UNIT, PROGRAM, PROGRAM_DIGEST, UNITS
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps import (
    hold_updates,
    install_boot_unit,
    install_program,
    set_hugepages,
    set_memlock,
    set_nccl_defaults,
    set_persistence,
)
from tests.node.bootstrap.fake_machine import SETTINGS
from tests.node.bootstrap.hosts import Machine

LOGIN = replace(SETTINGS, role="login", gpus=0, nvme_count=0, efa_count=0, lnet_efa_count=0)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which every program ends well."""
    return Machine(tmp_path / "root")


def test_a_program_with_the_deployed_digest_is_well(machine: Machine) -> None:
    """What runs is what was deployed."""
    machine.write(PROGRAM, "x")
    machine.write(PROGRAM_DIGEST, hashlib.sha256(b"x").hexdigest() + "\n")
    assert "SHA-256" in install_program.STEP.run(machine.host, SETTINGS)


@pytest.mark.parametrize(
    ("program", "digest", "named"),
    [
        ("y", hashlib.sha256(b"x").hexdigest(), "the deploy gave"),
        (None, hashlib.sha256(b"x").hexdigest(), "cannot be read"),
        ("x", "", "no SHA-256"),
        ("x", "abc", "no SHA-256"),
    ],
)
def test_another_program_fails(machine: Machine, program: str | None, digest: str, named: str) -> None:
    """A program that was changed, is gone, or whose digest is not known is none to trust at a later boot."""
    machine.write(PROGRAM_DIGEST, digest)
    if program is not None:
        machine.write(PROGRAM, program)
    with pytest.raises(StepFailedError, match=named):
        install_program.STEP.run(machine.host, SETTINGS)


def test_the_boot_unit_runs_before_slurm_and_is_wanted(machine: Machine) -> None:
    """The unit starts this program from its settings; the gate waits for it; systemd is told once."""
    install_boot_unit.STEP.run(machine.host, SETTINGS)
    unit = machine.text(f"{UNITS}/{BOOT_UNIT}")
    assert "ExecStart=/usr/bin/python3 /opt/bedplate/bedplate-node.pyz bootstrap --settings " in unit
    assert "Before=slurmd.service" in unit
    assert (machine.root / f"etc/systemd/system/multi-user.target.wants/{BOOT_UNIT}").exists()
    for path in gate.DROP_INS:
        assert f"After={BOOT_UNIT}" in machine.text(path)
    install_boot_unit.STEP.run(machine.host, SETTINGS)
    assert machine.runner.calls == ["systemctl daemon-reload"]


def test_a_gate_that_was_taken_away_is_put_back(machine: Machine) -> None:
    """A drop-in that somebody removed or changed is what it was at the next boot."""
    install_boot_unit.STEP.run(machine.host, SETTINGS)
    (machine.root / gate.DROP_INS[0].lstrip("/")).unlink()
    machine.write(gate.DROP_INS[1], "[Service]\n")
    install_boot_unit.STEP.run(machine.host, SETTINGS)
    assert all(machine.text(path) == gate.DROP_IN for path in gate.DROP_INS)
    assert machine.runner.calls.count("systemctl daemon-reload") == 2


def test_a_login_node_has_a_unit_and_no_gate(machine: Machine) -> None:
    """It mounts at every boot, and has no daemon to hold back."""
    install_boot_unit.STEP.run(machine.host, LOGIN)
    assert machine.text(f"{UNITS}/{BOOT_UNIT}")
    assert not (machine.root / gate.DROP_INS[0].lstrip("/")).exists()


SHOWN = (
    "Id=apt-daily.timer\nLoadState={0}\n\nId=unattended-upgrades.service\nLoadState={0}\n\n"
    "Id=dnf-automatic.timer\nLoadState=not-found\n"
)


def test_updates_are_masked_and_restarts_forbidden(tmp_path: Path) -> None:
    """Timers that are there are masked, apt's own switch is off, and needrestart only lists."""
    machine = Machine(
        tmp_path, {"systemctl show": [(0, SHOWN.format("loaded")), (0, SHOWN.format("masked"))]}
    )
    for folder in ("etc/apt/apt.conf.d", "etc/needrestart"):
        (tmp_path / folder).mkdir(parents=True)
    hold_updates.STEP.run(machine.host, SETTINGS)
    assert "systemctl mask --now apt-daily.timer unattended-upgrades.service" in machine.runner.calls
    assert 'Unattended-Upgrade "0";' in machine.text(hold_updates.APT)
    assert "qr(^slurmd)" in machine.text(hold_updates.NEEDRESTART)


def test_a_timer_that_cannot_be_masked_fails(tmp_path: Path) -> None:
    """A node that would update itself under a job is not well."""
    machine = Machine(tmp_path, {"systemctl show": (0, SHOWN.format("loaded"))})
    with pytest.raises(StepFailedError, match=r"apt-daily\.timer, unattended-upgrades\.service"):
        hold_updates.STEP.run(machine.host, SETTINGS)


def test_a_system_without_apt_gets_no_files_of_apt(machine: Machine) -> None:
    """Amazon Linux has neither folder, and none is made."""
    hold_updates.STEP.run(machine.host, SETTINGS)
    assert not (machine.root / "etc").exists()


def test_huge_pages_are_set_and_stay(machine: Machine) -> None:
    """The kernel is asked now, and by sysctl.d at the next boot."""
    machine.write(set_hugepages.KERNEL, "0\n")
    assert set_hugepages.STEP.run(machine.host, SETTINGS) == "5128 pages"
    assert machine.text(set_hugepages.SYSCTL) == "vm.nr_hugepages = 5128\n"


def test_more_huge_pages_than_asked_for_stay(machine: Machine) -> None:
    """The EFA installer or the user may have set more."""
    machine.write(set_hugepages.KERNEL, "10240\n")
    assert set_hugepages.STEP.run(machine.host, SETTINGS) == "10240 pages"
    assert not (machine.root / set_hugepages.SYSCTL.lstrip("/")).exists()


def test_fewer_huge_pages_than_asked_for_fail(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel gives what it has in one piece, and may give less."""
    machine.write(set_hugepages.KERNEL, "0\n")
    monkeypatch.setattr(Path, "write_text", _stingy(Path.write_text))
    with pytest.raises(StepFailedError, match="gave 17 huge pages of 5128"):
        set_hugepages.STEP.run(machine.host, SETTINGS)


def _stingy(write: object) -> object:
    def write_text(path: Path, text: str, **options: object) -> int:
        return write(path, "17\n" if path.name == "nr_hugepages" else text, **options)  # type: ignore[operator,no-any-return]

    return write_text


@pytest.mark.parametrize("text", [None, "", "many\n"])
def test_a_kernel_that_tells_no_number_fails(machine: Machine, text: str | None) -> None:
    """Nothing is concluded from a file that cannot be read."""
    if text is not None:
        machine.write(set_hugepages.KERNEL, text)
    with pytest.raises(StepFailedError, match="a number was expected"):
        set_hugepages.STEP.run(machine.host, SETTINGS)


def test_memory_may_be_locked_by_logins_and_jobs(machine: Machine) -> None:
    """limits.d is for logins, slurmd's unit for jobs, under both names that the unit may have."""
    set_memlock.STEP.run(machine.host, SETTINGS)
    assert "* hard memlock unlimited" in machine.text(set_memlock.LIMITS)
    assert all("LimitMEMLOCK=infinity" in machine.text(path) for path in set_memlock.DROP_INS)


def test_a_login_node_locks_memory_for_logins_only(machine: Machine) -> None:
    """It has no slurmd."""
    set_memlock.STEP.run(machine.host, LOGIN)
    assert machine.text(set_memlock.LIMITS)
    assert not (machine.root / "etc/systemd").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "NCCL_SOCKET_IFNAME=^lo,docker,veth,pod-id-link\n"),
        ("NCCL_DEBUG=INFO", "NCCL_DEBUG=INFO\nNCCL_SOCKET_IFNAME=^lo,docker,veth,pod-id-link\n"),
        (
            "# NCCL_SOCKET_IFNAME=x\n",
            "# NCCL_SOCKET_IFNAME=x\nNCCL_SOCKET_IFNAME=^lo,docker,veth,pod-id-link\n",
        ),
        ("NCCL_SOCKET_IFNAME=ens32\n", "NCCL_SOCKET_IFNAME=ens32\n"),
        (" NCCL_SOCKET_IFNAME = ens32\n", " NCCL_SOCKET_IFNAME = ens32\n"),
    ],
)
def test_nccls_defaults_leave_what_is_set(machine: Machine, before: str | None, after: str) -> None:
    """A line of the image's or the user's own stays and wins; doing it twice adds nothing."""
    if before is not None:
        machine.write(set_nccl_defaults.PATH, before)
    for _ in range(2):
        set_nccl_defaults.STEP.run(machine.host, SETTINGS)
        assert machine.text(set_nccl_defaults.PATH) == after


QUERY = "nvidia-smi --query-gpu"


def test_persistence_that_is_on_is_left(tmp_path: Path) -> None:
    """One question, no change."""
    machine = Machine(tmp_path, {QUERY: (0, "0, Enabled\n1, Enabled\n")})
    set_persistence.STEP.run(machine.host, SETTINGS)
    assert len(machine.runner.calls) == 1


def test_persistence_is_switched_on_when_the_driver_is_there(tmp_path: Path) -> None:
    """A driver that still loads is asked again, with growing pauses."""
    machine = Machine(
        tmp_path,
        {
            QUERY: [(9, "NVIDIA-SMI has failed"), (0, "0, Enabled\n")],
            "nvidia-smi -pm": [(9, "NVIDIA-SMI has failed"), (9, "NVIDIA-SMI has failed"), (0, "")],
        },
    )
    set_persistence.STEP.run(machine.host, SETTINGS)
    assert machine.waits == [2.0, 5.0]


@pytest.mark.parametrize(("shown", "named"), [("0, Enabled\n1, Disabled\n", "GPU 1"), ("", "none listed")])
def test_persistence_that_stays_off_fails(tmp_path: Path, shown: str, named: str) -> None:
    """A GPU that does not take it is named, and so is a node that lists no GPU."""
    machine = Machine(tmp_path, {QUERY: (0, shown)})
    with pytest.raises(StepFailedError, match=named):
        set_persistence.STEP.run(machine.host, SETTINGS)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (set_hugepages.STEP, "no EFA"),
        (set_nccl_defaults.STEP, "no GPU"),
        (set_persistence.STEP, "no GPU"),
    ],
)
def test_steps_for_hardware_that_is_not_there_are_skipped(step: object, why: str) -> None:
    """The reason says what the node lacks."""
    assert why in step.why_not(LOGIN)  # type: ignore[attr-defined]
    assert step.why_not(SETTINGS) == ""  # type: ignore[attr-defined]

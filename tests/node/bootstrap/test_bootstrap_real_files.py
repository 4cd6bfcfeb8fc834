"""The files that the bootstrap writes, read by the real programs that they are for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.places import PYTHON
from bedplate.node.bootstrap.steps import hold_updates, keep_gate, set_memlock
from bedplate.node.bootstrap.steps.install_boot_unit import UNIT
from tests.node.bootstrap.test_bootstrap_open_gate import LOGIN

SLURMD = "[Unit]\nDescription=Slurm\n[Service]\nExecStart=/bin/true\n"


def _verify(folder: Path, unit: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", "verify", str(folder / unit)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:"},
    )


def _drop_in(folder: Path, unit: str, text: str) -> None:
    (folder / f"{unit}.d").mkdir(exist_ok=True)
    (folder / f"{unit}.d/10-bedplate.conf").write_text(text)


@pytest.mark.real("systemd-analyze")
def test_systemd_takes_the_boot_unit(tmp_path: Path) -> None:
    """Every line of it is known to systemd, and its command can be run."""
    (tmp_path / "bedplate-bootstrap.service").write_text(UNIT.replace(PYTHON, sys.executable))
    done = _verify(tmp_path, "bedplate-bootstrap.service")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.real("systemd-analyze")
@pytest.mark.parametrize(
    ("unit", "folder"), [("slurmd.service", "slurmd.service"), ("slurmd-25.11.service", "slurmd-.service")]
)
def test_systemd_reads_the_gate_before_slurmd(tmp_path: Path, unit: str, folder: str) -> None:
    """The drop-in counts for the plain and for a versioned unit: a missing gate is noticed in both."""
    (tmp_path / unit).write_text(SLURMD)
    _drop_in(tmp_path, folder, gate.DROP_IN.replace(PYTHON, sys.executable) + set_memlock.DROP_IN)
    done = _verify(tmp_path, unit)
    assert (done.returncode, done.stderr) == (0, "")
    _drop_in(tmp_path, folder, gate.DROP_IN.replace(PYTHON, "/no/such/python"))
    assert "/no/such/python is not executable" in _verify(tmp_path, unit).stderr


@pytest.mark.real("systemd-analyze")
def test_systemd_takes_the_gatekeepers_timer(tmp_path: Path) -> None:
    """And the unit that it starts, whose command can be run."""
    service = keep_gate.service(LOGIN).replace(PYTHON, sys.executable)
    (tmp_path / keep_gate.SERVICE).write_text(service)
    (tmp_path / keep_gate.TIMER).write_text(keep_gate.TIMER_TEXT)
    for unit in (keep_gate.SERVICE, keep_gate.TIMER):
        done = _verify(tmp_path, unit)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_gates_folders_are_those_that_systemd_reads() -> None:
    """The paths that are written are the ones that were just tried."""
    assert [Path(path).parent.name for path in gate.DROP_INS] == ["slurmd.service.d", "slurmd-.service.d"]
    assert [Path(path).parent.name for path in set_memlock.DROP_INS] == [
        "slurmd.service.d",
        "slurmd-.service.d",
    ]


@pytest.mark.real("perl")
def test_needrestarts_settings_are_perl_that_holds_slurmd(tmp_path: Path) -> None:
    """needrestart runs the file as Perl after its own table: others' entries stay, slurmd is held."""
    path = tmp_path / "90-bedplate.conf"
    path.write_text(hold_updates.NEEDRESTART_TEXT)
    program = (
        "our %nrconf = (restart => 'a', override_rc => { qr(^dbus) => 0 });"
        "do $ARGV[0]; die $@ if $@;"
        "print join ' ', $nrconf{restart}, map { \"slurmd-25.11.service\" =~ /$_/ ? 'held' : 'other' }"
        " sort keys %{$nrconf{override_rc}};"
    )
    done = subprocess.run(
        ["perl", "-e", program, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("l other held", "")

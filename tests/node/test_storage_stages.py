"""The stages that put load on disks and file systems: how long, with what, and what they leave."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from bedplate.diagnosis.storage_speed import read_storage_speeds
from bedplate.diagnosis.storage_tools import DISK_SPEED, LNET, lustre_load, nvme_load
from bedplate.node.direct_io import BLOCK_BYTES
from bedplate.node.exercise import stage_deadline_seconds
from bedplate.node.stages import disk_run, lustre, nvme
from bedplate.node.stages.settings import ExerciseSettings
from tests.diagnosis import storage_texts as given

NODE = "i-0123456789abcdef0"
SETTINGS = ExerciseSettings(
    stages=("nvme", "lustre"),
    scratch="/scratch",
    mounts=(("lustre", "/fsx"), ("openzfs", "/home")),
    run_id="run-1",
)


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A node's tree whose PATH has a disk test and an lnetctl that print what they are given."""
    (tmp_path / "var/lib/cloud/data").mkdir(parents=True)
    (tmp_path / "var/lib/cloud/data/instance-id").write_text(NODE)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("BEDPLATE_ROOT", str(tmp_path))
    monkeypatch.delenv("BEDPLATE_IMDS_ENDPOINT", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path


def program(node: Path, name: str, text: str, after: str = "") -> None:
    """Put a program on the node's PATH."""
    path = node / "bin" / name
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n{after}\n")
    path.chmod(0o755)


def test_scratch_is_measured_and_its_speed_found(node: Path) -> None:
    """The controller finds the run by its name, of this run and this place."""
    program(node, DISK_SPEED, given.disk_speed(place="/scratch", run="run-1"))
    told = nvme.run(SETTINGS)
    speeds = read_storage_speeds(answer={"stages": {"nvme": told}}, scratch="/scratch", run_id="run-1")
    assert speeds.scratch is not None
    assert speeds.scratch.speed.record is not None
    assert not speeds.scratch.left_behind


def test_every_lustre_is_measured_with_lnets_counters_before_and_after(node: Path) -> None:
    """File systems of other kinds are not written to."""
    program(node, DISK_SPEED, given.disk_speed(place="/fsx", run="run-1"))
    program(node, "lnetctl", given.lnet(efas=2))
    told = lustre.run(SETTINGS)
    assert [row["path"] for row in told["mounts"]] == ["/fsx"]
    assert [told["mounts"][0][key]["argv"] for key in ("lnet_before", "lnet_after")] == [list(LNET)] * 2
    speeds = read_storage_speeds(answer={"stages": {"lustre": told}}, scratch="", run_id="run-1")
    place = speeds.at("/fsx")
    assert place is not None
    assert place.traffic.record is not None
    assert (place.traffic.record.efa, place.traffic.record.tcp) == (0, 0)


def test_the_folder_of_a_killed_run_is_removed_all_the_same(node: Path) -> None:
    """The program says nothing, as one that was killed; its folder goes, another instance's stays."""
    base = node / "scratch/.bedplate/validation/run-1"
    for name in (NODE, "i-0fffffffffffffff0"):
        (base / name).mkdir(parents=True)
        (base / name / "block-0").write_bytes(b"x")
    program(node, DISK_SPEED, "", after="kill -9 $$")
    told = nvme.run(SETTINGS)
    assert (told["removed"], told["run"]["rc"]) == (True, -9)
    assert [path.name for path in base.iterdir()] == ["i-0fffffffffffffff0"]


def test_without_a_program_of_that_name_the_node_program_runs_itself(
    node: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command line under which the run is found is the same."""
    stub = node / "node.pyz"
    stub.write_text("import sys; print(sys.argv[1:])\n")
    monkeypatch.setattr(sys, "argv", [str(stub), "exercise"])
    load = nvme_load(place="/scratch", run_id="run-1")
    told = disk_run.run_disk_speed(load=load, deadline_seconds=20)
    assert told["run"]["stdout"].startswith("['disk-speed', '--place', '/scratch', '--run', 'run-1'")
    assert told["run"]["argv"][:2] == [DISK_SPEED, "disk-speed"]


def test_a_stage_has_time_for_all_that_it_does() -> None:
    """Both directions at their limit and the removal; each further file system as long again."""
    two = ExerciseSettings(stages=("lustre",), mounts=(("lustre", "/a"), ("lustre", "/b")), run_id="r")
    one = ExerciseSettings(stages=("lustre",), mounts=(("lustre", "/a"),), run_id="r")
    assert stage_deadline_seconds(two) == 2 * stage_deadline_seconds(one) > 2 * 2 * 60.0
    assert nvme.deadline_seconds(SETTINGS) >= 2 * nvme_load(place="", run_id="").seconds + 60


def test_a_shorter_deadline_shortens_every_program(node: Path) -> None:
    """A disk test that hangs is stopped, and is no speed."""
    (node / "bin" / DISK_SPEED).write_text("#!/bin/sh\nexec sleep 30\n")
    (node / "bin" / DISK_SPEED).chmod(0o755)
    quick: dict[str, Any] = {**SETTINGS.__dict__, "tool_deadline_seconds": 0.3}
    told = nvme.run(ExerciseSettings(**quick))
    assert told["run"]["timed_out"] is True
    speeds = read_storage_speeds(answer={"stages": {"nvme": told}}, scratch="/scratch", run_id="run-1")
    assert speeds.scratch is not None
    assert "deadline" in speeds.scratch.speed.problem


@pytest.mark.parametrize(
    ("nodes", "mib"), [(0, 4096), (1, 4096), (64, 4096), (65, 4032), (512, 512), (2048, 256)]
)
def test_a_large_fleet_writes_less_each(nodes: int, mib: int) -> None:
    """256 GiB in all from 64 nodes on, and never less than 256 MiB a node, in whole blocks of every file."""
    load = lustre_load(place="/fsx", run_id="r", nodes=nodes)
    assert load.mib == mib
    assert load.mib * 2**20 // load.files >= BLOCK_BYTES

"""The step that keeps exporters and agent, on a host whose programs answer by a table."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.containers import Download
from bedplate.node.bootstrap.exporters import programs, table, units
from bedplate.node.bootstrap.plan import run_steps
from bedplate.node.bootstrap.record import BootRecord, read_record
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import FAULTY, StepFailedError
from bedplate.node.bootstrap.steps import keep_exporters
from bedplate.telemetry.node_table import node_table
from tests.node.bootstrap.hosts import Answers, Machine
from tests.node.metrics.machine import COLLECTION, LOGIN, SETTINGS

ACTIVE = "Id={}\nActiveState=active"
UNITS = "etc/systemd/system"
RUNNING = (units.COLLECT_TIMER, units.NODE_EXPORTER, units.AGENT, units.DCGM_EXPORTER)
Made = Callable[..., Machine]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A machine whose image has all programs, and a node program that carries the table."""
    monkeypatch.setattr(table.pkgutil, "get_data", lambda *_: node_table())

    def make(answers: Answers | None = None, *, missing: tuple[str, ...] = ()) -> Machine:
        shown = "\n\n".join(ACTIVE.format(name) for name in RUNNING)
        loads = "\n\n".join(f"Id={name}\nLoadState=not-found" for name in keep_exporters.OTHERS)
        told = {
            f"systemctl show {units.COLLECT_TIMER}": (0, shown),
            f"systemctl show {keep_exporters.OTHERS[0]}": (0, loads),
            f"systemctl show {units.ENGINE}": (0, f"Id={units.ENGINE}\nLoadState=not-found"),
        }
        return Machine(tmp_path, {**told, **(answers or {})}, missing=missing)

    return make


def run(machine: Machine, settings: NodeSettings = SETTINGS) -> str:
    """Run the step."""
    return keep_exporters.STEP.run(machine.host, settings)


def unit(machine: Machine, name: str) -> str:
    """The text of a unit."""
    return (machine.root / UNITS / name).read_text()


def test_a_gpu_node_gets_three_programs_and_a_timer(made: Made) -> None:
    """Enabled for later boots, started now, and looked at a little later."""
    machine = made()
    assert run(machine) == "4 units run, 5 of them new"
    assert f"systemctl enable --now {' '.join(RUNNING)}" in machine.runner.calls
    assert machine.waits[-1:] == [5.0]
    exporter = unit(machine, units.DCGM_EXPORTER)
    assert "--collectors /opt/bedplate/dcgm-counters.csv --address 127.0.0.1:9400" in exporter
    assert "--hpc-job-mapping-dir /run/bedplate/gpu-jobs" in exporter
    assert "--remote-hostengine-info" not in exporter
    counters = (machine.root / "opt/bedplate/dcgm-counters.csv").read_text()
    assert counters == json.loads(node_table())["counters"]["Hopper"]
    assert "MemoryMax=" in exporter
    assert "OOMScoreAdjust=500" in exporter


def test_a_second_boot_changes_and_restarts_nothing(made: Made) -> None:
    """What serves goes on."""
    machine = made()
    run(machine)
    machine.runner.calls.clear()
    assert run(machine) == "4 units run"
    assert not any("restart" in call or "daemon-reload" in call for call in machine.runner.calls)


def test_a_login_node_has_no_gpus_to_tell_of(made: Made) -> None:
    """Two programs; and no end points of jobs, since none run there."""
    machine = made(missing=("dcgm-exporter",))
    assert run(machine, LOGIN).startswith("3 units run")
    assert not (machine.root / UNITS / units.DCGM_EXPORTER).exists()
    jobs = json.loads((machine.root / "opt/bedplate/scrape.json").read_text())["scrape_configs"]
    assert [job["job_name"] for job in jobs] == ["node"]


def test_one_engine_of_dcgm_a_node(made: Made) -> None:
    """Where DCGM's daemon is, the exporter asks it; exporters of the image are masked before ours starts."""
    other = keep_exporters.OTHERS[0]
    machine = made(
        {
            f"systemctl show {units.ENGINE}": (0, f"Id={units.ENGINE}\nLoadState=loaded"),
            f"systemctl show {other}": (0, f"Id={other}\nLoadState=loaded"),
        }
    )
    run(machine)
    assert "--remote-hostengine-info localhost:5555" in unit(machine, units.DCGM_EXPORTER)
    calls = machine.runner.calls
    assert calls.index(f"systemctl mask --now {other}") < calls.index(
        f"systemctl enable --now {' '.join(RUNNING)}"
    )
    assert f"systemctl enable --now {units.ENGINE}" in calls


def test_the_agent_signs_for_the_workspace_and_listens_to_nobody(made: Made) -> None:
    """Whoever is on the node could write in its name."""
    machine = made()
    run(machine)
    agent = unit(machine, units.AGENT)
    for words in (
        f"-remoteWrite.url={COLLECTION.url} -remoteWrite.aws.useSigv4 -remoteWrite.aws.region=us-west-2",
        "-remoteWrite.aws.service=aps",
        "-httpListenAddr= ",
        "-remoteWrite.maxHourlySeries=30000",
        "-remoteWrite.queues=2",
    ):
        assert words in agent


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        (("vmagent", "vmagent-prod"), r"vmagent \(VictoriaMetrics"),
        (("node_exporter", "prometheus-node-exporter"), "node_exporter"),
        (("dcgm-exporter",), r"dcgm-exporter \(NVIDIA"),
    ],
)
def test_a_program_that_is_nowhere_is_named(made: Made, missing: tuple[str, ...], named: str) -> None:
    """With where it is to come from."""
    with pytest.raises(StepFailedError, match=named):
        run(made(missing=missing))


def test_a_unit_that_ends_at_once_is_named(made: Made) -> None:
    """systemd starts it again and again; it does not run."""
    down = "\n\n".join(
        f"Id={name}\nActiveState={'activating' if name == units.AGENT else 'active'}" for name in RUNNING
    )
    machine = made({f"systemctl show {units.COLLECT_TIMER}": (0, down)})
    with pytest.raises(StepFailedError, match=f"{units.AGENT}: not running"):
        run(machine)


def test_a_failure_is_told_and_holds_no_job(made: Made) -> None:
    """The gate opens: a job needs nothing of it. The record says ``faulty``, which NOD-002 fails for."""
    machine = made(missing=("vmagent", "vmagent-prod"))
    (result,) = run_steps(machine.host, SETTINGS, steps=[replace(keep_exporters.STEP, needs=())])
    assert (result.name, result.outcome) == ("keep_exporters", FAULTY)
    record = BootRecord("prod", "train", "compute", "i-1", "boot", "1", "", "", "", 1.0, (result,))
    assert record.is_done
    assert record.failed == []
    read = read_record(record.to_json())
    assert read is not None
    assert [(each.name, each.reason) for each in read.faulty] == [(result.name, result.reason)]


def test_without_a_table_the_program_is_not_of_a_deploy(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before anything is installed."""
    machine = made()
    for content in (None, b"", b"{}", b'{"version": 1}', b"\xff"):
        monkeypatch.setattr(table.pkgutil, "get_data", lambda *_, content=content: content)
        with pytest.raises(StepFailedError, match="carries no table"):
            run(machine)
    monkeypatch.undo()
    with pytest.raises(StepFailedError, match="carries no table"):
        run(machine)


def test_jobs_of_any_user_have_a_place_to_tell_of_themselves(made: Made) -> None:
    """And cannot take another's file away."""
    machine = made()
    run(machine)
    for folder in ("run/bedplate/applications", "run/bedplate/nccl"):
        assert (machine.root / folder).stat().st_mode & 0o7777 == 0o1777


def archive(path: Path, members: dict[str, bytes], *, link: str = "") -> Download:
    """A release's archive."""
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        if link:
            member = tarfile.TarInfo(link)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(member)
    return Download(f"s3://acme-mirror/{path.name}", hashlib.sha256(path.read_bytes()).hexdigest())


class Fetching(Machine):
    """``aws s3 cp`` copies out of a folder."""

    def __init__(self, root: Path, mirror: Path) -> None:
        super().__init__(root, {})
        asked = self.runner.run

        def run(argv: list[str], seconds: float) -> object:
            if argv[:3] == ["aws", "s3", "cp"] or tuple(argv[:3]) == ("aws", "s3", "cp"):
                shutil.copy(mirror / argv[-2].rpartition("/")[2], argv[-1])
            return asked(argv, seconds)

        self.runner.run = run  # type: ignore[method-assign,assignment]


def test_programs_come_out_of_archives_once(tmp_path: Path) -> None:
    """Only those that are known, by the last part of their path; a link is none, and no path leads out."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    told = archive(
        mirror / "node_exporter-1.9.1.linux-amd64.tar.gz",
        {"node_exporter-1.9.1/LICENSE": b"x", "../../../../node_exporter": b"#!/bin/sh\n"},
        link="x/vmagent",
    )
    machine = Fetching(tmp_path / "node", mirror)
    assert programs.install(machine.host, [told]) == "installed"
    folder = tmp_path / "node/opt/bedplate/exporters/bin"
    assert [path.name for path in folder.iterdir()] == ["node_exporter"]
    assert (folder / "node_exporter").stat().st_mode & 0o777 == 0o755
    assert programs.command_of(machine.host, programs.NODE_EXPORTER) == f"{programs.BIN}/node_exporter"
    assert programs.install(machine.host, [told]) == "were installed"
    assert len([call for call in machine.runner.calls if call.startswith("aws")]) == 1


@pytest.mark.parametrize("content", [b"no archive", None])
def test_what_is_no_archive_or_holds_no_program_is_named(tmp_path: Path, content: bytes | None) -> None:
    """And is fetched again at the next boot."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    path = mirror / "a.tar.gz"
    told = archive(path, {"LICENSE": b"x"})
    if content is not None:
        path.write_bytes(content)
        told = Download(told.uri, hashlib.sha256(content).hexdigest())
    machine = Fetching(tmp_path / "node", mirror)
    for _ in range(2):
        with pytest.raises(StepFailedError, match=r"a\.tar\.gz"):
            programs.install(machine.host, [told])


def test_packages_are_installed_as_packages(tmp_path: Path) -> None:
    """By the distribution's own program, with what they need."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "datacenter-gpu-manager-exporter_4.8.2-1_amd64.deb").write_bytes(b"deb")
    told = Download(
        "s3://acme-mirror/datacenter-gpu-manager-exporter_4.8.2-1_amd64.deb",
        hashlib.sha256(b"deb").hexdigest(),
    )
    machine = Fetching(tmp_path / "node", mirror)
    (tmp_path / "node/etc").mkdir(parents=True)
    (tmp_path / "node/etc/os-release").write_text('ID=ubuntu\nVERSION_ID="24.04"\n')
    programs.install(machine.host, [told])
    assert any("apt-get" in call and call.endswith("amd64.deb") for call in machine.runner.calls)


def test_nodes_without_collection_skip_it() -> None:
    """And it needs the program, which the collectors are part of."""
    assert keep_exporters.STEP.why_not(replace(SETTINGS, collection=None))
    assert not keep_exporters.STEP.why_not(SETTINGS)
    assert keep_exporters.STEP.needs == ("install_program",)
    assert not keep_exporters.STEP.holds_jobs

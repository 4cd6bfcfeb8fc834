"""``bootstrap`` as the node runs it: the shipped file, from the outside."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.node.bootstrap.gate import why_closed
from bedplate.node.bootstrap.places import LOCK, RECORD
from bedplate.node.bootstrap.record import BootRecord, read_record
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.zipapp import build_node_zipapp
from tests.node.test_node_zipapp import python_3_9

# A login node without mounts needs systemctl only.
SETTINGS = NodeSettings(environment="prod", pool="login", role="login", result_bucket="results")
SYSTEMCTL = """\
#!/bin/sh
[ "$1" = show ] && printf 'Id=apt-daily.timer\\nLoadState=not-found\\n'
exit 0
"""
AWS = """\
#!/bin/sh
[ "$2" = cp ] && mkdir -p "$BEDPLATE_ROOT/s3" && cp "$4" "$BEDPLATE_ROOT/s3/$(basename "$5")"
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zipapp, built once."""
    return build_node_zipapp(output=tmp_path_factory.mktemp("pyz") / "bedplate-node.pyz")


class Node:
    """A node's own tree, with stand-ins for what is not of Python."""

    def __init__(self, root: Path, program: Path) -> None:
        self.root = root
        self.write("var/lib/cloud/data/instance-id", "i-0123456789abcdef0\n")
        self.write("proc/sys/kernel/random/boot_id", "boot-1\n")
        self.write("settings.json", SETTINGS.to_json())
        self.write("opt/bedplate/bedplate-node.sha256", hashlib.sha256(program.read_bytes()).hexdigest())
        (root / "opt/bedplate/bedplate-node.pyz").write_bytes(program.read_bytes())
        for name, text in (("systemctl", SYSTEMCTL), ("aws", AWS)):
            self.write(f"bin/{name}", text)
            (root / "bin" / name).chmod(0o755)

    def write(self, path: str, text: str) -> None:
        """A file of the node."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def bootstrap(self, *options: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
        """Run the command as user data does."""
        program = self.root / "opt/bedplate/bedplate-node.pyz"
        return subprocess.run(
            [
                *(python, "-I", str(program), "bootstrap"),
                *("--settings", str(self.root / "settings.json"), *options),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={
                "PATH": f"{self.root / 'bin'}:/usr/bin:/bin",
                "BEDPLATE_ROOT": str(self.root),
                "BEDPLATE_PAUSE_SCALE": "0",
            },
        )

    @property
    def record(self) -> BootRecord:
        """What the run left."""
        record = read_record((self.root / RECORD.lstrip("/")).read_text())
        assert record is not None
        return record


@pytest.fixture
def node(tmp_path: Path, program: Path) -> Node:
    """A login node."""
    return Node(tmp_path / "root", program)


def test_a_boot_leaves_a_record_a_log_and_a_report(node: Node) -> None:
    """Status 0; the record has every step with its time and reason; the report holds record and log."""
    done = node.bootstrap()
    assert done.returncode == 0, done.stderr
    record = node.record
    assert (record.environment, record.role, record.boot_id) == ("prod", "login", "boot-1")
    assert record.program_sha256 == (node.root / "opt/bedplate/bedplate-node.sha256").read_text()
    assert {step.name: step.reason for step in record.steps}["make_scratch"]
    assert record.report_key == "bootstrap/i-0123456789abcdef0/boot-1.json"
    report = json.loads((node.root / "s3/boot-1.json").read_text())
    assert report["record"]["steps"] == json.loads(record.to_json())["steps"]
    assert any("step install_program: done" in line for line in report["log"])
    log = (node.root / "var/log/bedplate-bootstrap.log").read_text()
    assert "step hold_updates: done" in log
    assert log.splitlines()[-1] in done.stderr


def test_a_failed_step_is_a_status_and_in_the_record(node: Node) -> None:
    """The node says no where systemd, PCS and validation look."""
    node.write("opt/bedplate/bedplate-node.sha256", "0" * 64)
    done = node.bootstrap()
    assert done.returncode == 1
    assert [step.name for step in node.record.failed] == ["install_program"]
    assert "failed: install_program" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_that_leaves_a_step_ends_well_and_opens_no_gate(node: Node) -> None:
    """Status 0, for nothing failed; the record is no done one, so slurmd waits for the later run."""
    done = node.bootstrap("--later", "make_scratch")
    assert done.returncode == 0, done.stderr
    assert "done so far; left: make_scratch" in done.stderr
    assert not node.record.is_done
    path = node.root / RECORD.lstrip("/")
    closed = why_closed(path, boot_id="boot-1", wait_seconds=0)
    assert closed == "make_scratch: is for a later run of this boot"
    assert node.bootstrap().returncode == 0
    assert why_closed(path, boot_id="boot-1", wait_seconds=0) == ""


@pytest.mark.parametrize("text", [None, "", "{}", '{"version": 1, "role": "head"}', "\udcff"])
def test_unfit_settings_fail_the_node(node: Node, text: str | None) -> None:
    """Without settings nothing is done, and the record says why."""
    (node.root / "settings.json").unlink()
    if text is not None:
        (node.root / "settings.json").write_text(text, errors="surrogateescape")
    assert node.bootstrap().returncode == 1
    assert [step.name for step in node.record.failed] == ["read_settings"]


def test_a_report_that_cannot_be_put_does_not_fail_the_node(node: Node) -> None:
    """The record keeps the reason, and validation tells it."""
    node.write("bin/aws", "#!/bin/sh\necho 'An error occurred (AccessDenied)' >&2\nexit 1\n")
    assert node.bootstrap().returncode == 0
    assert node.record.report_key == ""
    assert "AccessDenied" in node.record.report_problem


def test_a_second_run_at_the_same_time_is_refused(node: Node) -> None:
    """It leaves the first one's record alone."""
    node.write(LOCK.lstrip("/"), "")
    node.write(RECORD.lstrip("/"), "the first one's")
    with (node.root / LOCK.lstrip("/")).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = node.bootstrap()
    assert done.returncode == 1
    assert "another run holds" in done.stderr
    assert (node.root / RECORD.lstrip("/")).read_text() == "the first one's"


def test_the_record_of_an_earlier_run_is_gone_before_the_first_step(node: Node) -> None:
    """Whoever looks while the bootstrap runs sees no old success."""
    node.write(RECORD.lstrip("/"), "old")
    seen = node.root / "seen"
    node.write("bin/systemctl", f'#!/bin/sh\n[ -e "{node.root}{RECORD}" ] && touch "{seen}"\nexit 0\n')
    node.bootstrap()
    assert not seen.exists()


@pytest.mark.real("python3.9")
def test_it_runs_whole_on_python_3_9(node: Node) -> None:
    """Amazon Linux 2023 brings 3.9."""
    python = python_3_9()
    if python is None:
        pytest.skip("python3.9 is not here")
    done = node.bootstrap(python=python)
    assert done.returncode == 0, done.stderr


def test_every_command_explains_itself(program: Path) -> None:
    """Help is there without a node."""
    done = subprocess.run(
        [sys.executable, "-I", str(program), "gate", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert "--wait" in done.stdout

"""The script in user data, run for real in a folder, with stand-ins for the tools that need a node."""

from __future__ import annotations

import email
import hashlib
import os
import stat
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bedplate.constructs.node_bootstrap import LARGEST_USER_DATA_BYTES, NodeBootstrap
from bedplate.node.bootstrap.record import read_record
from bedplate.node.bootstrap.settings import Mount, NodeSettings

PROGRAM = b"import sys\nprint('the program runs with', *sys.argv[1:])\nsys.exit(7)\n"
FSX = Mount("lustre", "fs-0a.fsx.us-west-2.amazonaws.com@tcp:/abcd", "/fsx", efa=True)
SETTINGS = NodeSettings(
    environment="prod",
    pool="train",
    role="compute",
    result_bucket="results",
    gpus=8,
    nvme_count=8,
    nvme_gb_each=3840,
    local_nvme="raid0",
    efa_count=16,
    lnet_efa_count=8,
    mounts=(FSX,),
)
BOOTSTRAP = NodeBootstrap(
    settings=SETTINGS,
    program_bucket="assets",
    program_key="key.pyz",
    program_sha256=hashlib.sha256(PROGRAM).hexdigest(),
)
PLACE = "opt/bedplate/bedplate-node.pyz"


@dataclass
class Node:
    """A node's root folder, its tools, and what was called."""

    root: Path
    tools: Path

    def stand_in(self, name: str, body: str) -> None:
        """Put a tool on the node's PATH; the call is written down first."""
        tool = self.tools / name
        tool.write_text(f'#!/bin/bash\nprintf "%s\\n" "{name} $*" >> "{self.root}/calls"\n{body}\n')
        tool.chmod(0o755)

    def boot(self, bootstrap: NodeBootstrap = BOOTSTRAP) -> subprocess.CompletedProcess[str]:
        """Run the script."""
        return self.run(bootstrap.script())

    def run(self, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a script on the node."""
        script = self.root / "user-data.sh"
        script.write_text(text)
        environment = {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "BEDPLATE_ROOT": str(self.root),
            "BEDPLATE_PAUSE_SCALE": "0",
        }
        return subprocess.run(
            ["bash", str(script), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def text(self, path: str) -> str:
        """A file of the node."""
        return (self.root / path).read_text()

    @property
    def calls(self) -> list[str]:
        """Every call of a tool, in order."""
        return self.text("calls").splitlines()

    def fetches(self) -> int:
        """How often the program was asked for."""
        return sum(call.startswith("aws s3 cp --only-show-errors s3://assets/") for call in self.calls)


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node whose bucket holds the program."""
    node = Node(root=tmp_path / "root", tools=tmp_path / "bin")
    node.tools.mkdir()
    for path, text in (
        ("var/lib/cloud/data/instance-id", "i-0123456789abcdef0\n"),
        ("proc/sys/kernel/random/boot_id", "boot-1\n"),
    ):
        (node.root / path).parent.mkdir(parents=True)
        (node.root / path).write_text(text)
    (tmp_path / "program").write_bytes(PROGRAM)
    node.stand_in("aws", f'cp "{tmp_path}/program" "${{@: -1}}"')
    node.stand_in("systemctl", "exit 0")
    return node


def test_the_program_is_fetched_and_takes_over(node: Node) -> None:
    """It lies in its place, executable, its digest beside it, and gets the settings; its status counts."""
    done = node.boot()
    settings = node.root / "opt/bedplate/settings.json"
    assert f"the program runs with bootstrap --settings {settings}" in done.stdout
    assert done.returncode == 7
    assert (node.root / PLACE).read_bytes() == PROGRAM
    assert (node.root / PLACE).stat().st_mode & stat.S_IXUSR
    assert node.text("opt/bedplate/bedplate-node.sha256").strip() == BOOTSTRAP.program_sha256
    assert NodeSettings.from_json(settings.read_text()) == SETTINGS


def test_slurm_is_held_back_before_anything_is_fetched(node: Node) -> None:
    """The drop-ins for slurmd, versioned units included, are there and loaded even where all else fails."""
    node.stand_in("aws", "exit 1")
    node.boot()
    for unit in ("slurmd.service.d", "slurmd-.service.d"):
        text = node.text(f"etc/systemd/system/{unit}/10-bedplate-gate.conf")
        assert "ExecStartPre=+/usr/bin/python3 /opt/bedplate/bedplate-node.pyz gate\n" in text
    assert node.calls[0] == "systemctl daemon-reload"


def test_a_login_node_has_no_gate(node: Node) -> None:
    """There is no daemon to hold back."""
    node.boot(replace(BOOTSTRAP, settings=replace(SETTINGS, role="login")))
    assert not (node.root / "etc").exists()


def test_a_program_that_is_there_is_not_fetched_again(node: Node) -> None:
    """The digest decides."""
    (node.root / "opt/bedplate").mkdir(parents=True)
    (node.root / PLACE).write_bytes(PROGRAM)
    assert node.boot().returncode == 7
    assert node.fetches() == 0


def test_a_fetch_that_fails_at_first_is_tried_again(node: Node) -> None:
    """The third attempt succeeds, and the node comes up."""
    node.stand_in(
        "aws",
        f'[ "$(grep -c "^aws" "{node.root}/calls")" -lt 3 ] && exit 1\n'
        f'cp "{node.root.parent}/program" "${{@: -1}}"',
    )
    assert node.boot().returncode == 7
    assert node.fetches() == 3


@pytest.mark.parametrize("broken", ["absent", "other"])
def test_without_the_right_program_the_node_fails_and_says_so(node: Node, broken: str) -> None:
    """Attempts are bounded; nothing wrong is installed; the record names the step and goes to the bucket."""
    if broken == "absent":
        node.stand_in("aws", "exit 1")
    else:
        (node.root.parent / "program").write_text("something else\n")
    assert node.boot().returncode == 1
    assert node.fetches() == 6
    assert not (node.root / PLACE).exists()
    record = read_record(node.text("opt/bedplate/bootstrap.json"))
    assert record is not None
    assert [step.name for step in record.failed] == ["install_program"]
    assert (record.instance_id, record.boot_id) == ("i-0123456789abcdef0", "boot-1")
    assert node.calls[-1].endswith("s3://results/bootstrap/i-0123456789abcdef0/boot-1.json")


def test_user_data_is_a_mime_archive_with_one_script() -> None:
    """PCS merges multi-part archives only; the part is a shell script and equals the script."""
    message = email.message_from_string(BOOTSTRAP.user_data())
    assert message.get_content_type() == "multipart/mixed"
    (part,) = message.get_payload()
    assert part.get_content_type() == "text/x-shellscript"  # type: ignore[union-attr]
    assert str(part.get_payload()).strip() == BOOTSTRAP.script().strip()  # type: ignore[union-attr]


def test_user_data_leaves_room_for_pcs() -> None:
    """With the sixteen file systems that an environment may have it takes half of what EC2 allows."""
    mounts = tuple(
        Mount("lustre", f"fs-{number:017x}.fsx.ap-southeast-3.amazonaws.com@tcp:/abcdefgh", f"/fsx-{number}")
        for number in range(16)
    )
    largest = replace(BOOTSTRAP, settings=replace(SETTINGS, mounts=mounts))
    assert len(largest.user_data().encode()) < LARGEST_USER_DATA_BYTES / 2


def test_user_data_that_ec2_would_refuse_is_refused() -> None:
    """The limit is held at synthesis, with the number of bytes."""
    mounts = tuple(Mount("efs", f"fs-{number:017x}:/", f"/efs-{number}" * 9) for number in range(100))
    with pytest.raises(ValueError, match="EC2 takes 16384"):
        replace(BOOTSTRAP, settings=replace(SETTINGS, mounts=mounts)).user_data()


@pytest.mark.parametrize("value", ["a b", "$(reboot)", "it's"])
def test_values_are_quoted(value: str, node: Node) -> None:
    """A value that a shell would read as code stays a value."""
    assert node.boot(replace(BOOTSTRAP, program_key=value)).returncode == 7
    assert any(f"s3://assets/{value} " in call for call in node.calls)


def test_settings_are_not_read_by_the_shell(node: Node) -> None:
    """What stands in the settings reaches the file as it is."""
    settings = replace(SETTINGS, environment="$(reboot) `id` \\ $HOME")
    node.boot(replace(BOOTSTRAP, settings=settings))
    assert NodeSettings.from_json(node.text("opt/bedplate/settings.json")) == settings


def test_tokens_of_the_cdk_stand_whole(node: Node) -> None:
    """A token in a value is not quoted away, in the script and in the settings."""
    token = "${Token[TOKEN.42]}"
    script = replace(
        BOOTSTRAP, program_bucket=token, settings=replace(SETTINGS, result_bucket=token)
    ).script()
    assert f'BUCKET="{token}"' in script
    assert f'"result_bucket":"{token}"' in script

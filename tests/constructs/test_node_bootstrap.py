"""The bootstrap script, run for real in a folder with stand-ins for the tools that need a node."""

from __future__ import annotations

import email
import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bedplate.constructs.node_bootstrap import LARGEST_USER_DATA_BYTES, LustreMount, NodeBootstrap

PROGRAM = b"a node program\n"
DIGEST = hashlib.sha256(PROGRAM).hexdigest()
LUSTRE = LustreMount(
    dns_name="fs-0a.fsx.us-west-2.amazonaws.com", mount_name="abcd", mount_point="/fsx", lnet_efa_count=2
)
BOOTSTRAP = NodeBootstrap(
    role="compute",
    program_bucket="assets",
    program_key="key.pyz",
    program_sha256=DIGEST,
    gpus=True,
    nvme_count=2,
    lustre=LUSTRE,
)
# Every call is written down; the last argument of `aws s3 cp` is the target; nothing is ever mounted.
STAND_INS = {
    "aws": 'printf "a node program\\n" > "${@: -1}"',
    "mountpoint": "exit 1",
    "ip": 'echo "default via 10.0.0.1 dev ens32 proto dhcp"',
}
SILENT = ("nvidia-smi", "mdadm", "mkfs.xfs", "mount", "modprobe", "lnetctl", "sleep")


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

    def boot(self, bootstrap: NodeBootstrap) -> int:
        """Run the script and return its status."""
        script = self.root / "user-data.sh"
        script.write_text(bootstrap.script())
        environment = {"PATH": f"{self.tools}:{os.environ['PATH']}", "BEDPLATE_ROOT": str(self.root)}
        done = subprocess.run(
            ["bash", str(script)], env=environment, capture_output=True, timeout=60, check=False
        )
        return done.returncode

    @property
    def report(self) -> dict[str, list[str]]:
        """What the script said of itself."""
        found: dict[str, list[str]] = json.loads((self.root / "opt/bedplate/bootstrap.json").read_text())
        return found

    @property
    def calls(self) -> list[str]:
        """Every call of a tool, in order."""
        return (self.root / "calls").read_text().splitlines()


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node with two disks, three EFA devices and another RDMA device, on which everything works."""
    node = Node(root=tmp_path / "root", tools=tmp_path / "bin")
    node.tools.mkdir()
    disks = node.root / "dev/disk/by-id"
    disks.mkdir(parents=True)
    for name in ("A", "B", "A_1", "A-part1"):
        (disks / f"nvme-Amazon_EC2_NVMe_Instance_Storage_{name}").touch()
    for name, vendor in (("ibp198s0", "0x15b3"), *((f"rdmap{bus}s0", "0x1d0f") for bus in range(3))):
        device = node.root / "sys/class/infiniband" / name / "device"
        device.mkdir(parents=True)
        (device / "vendor").write_text(f"{vendor}\n")
    for name in SILENT:
        node.stand_in(name, "exit 0")
    for name, body in STAND_INS.items():
        node.stand_in(name, body)
    return node


def test_a_healthy_node_does_every_step(node: Node) -> None:
    """All steps are done, the program is in place and executable, and the status is 0."""
    assert node.boot(BOOTSTRAP) == 0
    assert node.report == {
        "schema": 1,
        "role": "compute",
        "program_sha256": DIGEST,
        "done": list(BOOTSTRAP.steps),
        "failed": [],
    }
    program = node.root / "opt/bedplate/bedplate-node.pyz"
    assert program.read_bytes() == PROGRAM
    assert os.access(program, os.X_OK)


def test_lnet_is_set_up_over_efa_before_the_mount(node: Node) -> None:
    """Exactly the wanted number of EFA devices, and no other RDMA device, is bound to LNet; then comes the
    mount.
    """
    node.boot(BOOTSTRAP)
    efas = [call for call in node.calls if call.startswith("lnetctl net add --net efa")]
    assert efas == [
        f"lnetctl net add --net efa --if {name} --peer-credits 32" for name in ("rdmap0s0", "rdmap1s0")
    ]
    assert "modprobe kefalnd ipif_name=ens32" in node.calls
    mount = next(call for call in node.calls if call.startswith("mount -t lustre"))
    assert node.calls.index(mount) > node.calls.index("lnetctl udsp add --src efa --priority 0")
    assert mount == (
        "mount -t lustre -o noatime,flock fs-0a.fsx.us-west-2.amazonaws.com@tcp:/abcd "
        + str(node.root / "fsx")
    )


def test_all_disks_become_one_scratch_volume(node: Node) -> None:
    """Whole disks only (no partition, no namespace alias) are striped, formatted and mounted."""
    node.boot(BOOTSTRAP)
    (create,) = [call for call in node.calls if call.startswith("mdadm")]
    assert create.count("Instance_Storage") == 2
    assert "--level=0 --raid-devices=2" in create
    assert any(call.startswith("mkfs.xfs") for call in node.calls)


def test_a_wrong_digest_is_not_installed(node: Node) -> None:
    """A program with another digest is thrown away, the step fails, and the status says so."""
    assert node.boot(replace(BOOTSTRAP, program_sha256="0" * 64)) == 1
    assert node.report["failed"] == ["install_program"]
    assert not (node.root / "opt/bedplate/bedplate-node.pyz").exists()


def test_a_failing_step_does_not_stop_the_others(node: Node) -> None:
    """With the driver's tool broken, everything else is still done, and the report names the step."""
    node.stand_in("nvidia-smi", "exit 9")
    assert node.boot(BOOTSTRAP) == 1
    assert node.report["failed"] == ["set_persistence"]
    assert "mount_lustre" in node.report["done"]


def test_retries_end(node: Node) -> None:
    """A download that never works is tried a bounded number of times."""
    node.stand_in("aws", "exit 1")
    assert node.boot(BOOTSTRAP) == 1
    assert sum(call.startswith("aws s3 cp") for call in node.calls) == 5


@pytest.mark.parametrize("missing", ["disk", "efa"])
def test_missing_hardware_fails_its_step(node: Node, missing: str) -> None:
    """One disk or EFA device too few is a failed step, no smaller volume and no quiet fallback to TCP."""
    if missing == "disk":
        (node.root / "dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_B").unlink()
    bootstrap = (
        replace(BOOTSTRAP, lustre=replace(LUSTRE, lnet_efa_count=4)) if missing == "efa" else BOOTSTRAP
    )
    assert node.boot(bootstrap) == 1
    assert node.report["failed"] == ["make_scratch" if missing == "disk" else "set_up_lnet"]


def test_running_twice_changes_nothing(node: Node) -> None:
    """The second run downloads nothing and does not set LNet up again."""
    node.boot(BOOTSTRAP)
    (node.root / "calls").unlink()
    assert node.boot(BOOTSTRAP) == 0
    assert not any(call.startswith(("aws", "lnetctl")) for call in node.calls)


def test_a_reboot_runs_the_script_again(node: Node) -> None:
    """A unit is left that starts the same script, which then needs no user data."""
    node.boot(BOOTSTRAP)
    units = node.root / "etc/systemd/system"
    assert "ExecStart=/opt/bedplate/bootstrap.sh" in (units / "bedplate-bootstrap.service").read_text()
    assert (units / "multi-user.target.wants/bedplate-bootstrap.service").exists()
    assert (node.root / "opt/bedplate/bootstrap.sh").read_text() == BOOTSTRAP.script()


def test_a_boot_that_was_interrupted_does_not_keep_the_unit_from_the_next(node: Node) -> None:
    """What the unit waits for is there after the first whole run, and stays during a later one."""
    unit = node.root / "etc/systemd/system/bedplate-bootstrap.service"
    node.boot(BOOTSTRAP)
    (condition,) = [line for line in unit.read_text().splitlines() if line.startswith("ConditionPathExists=")]
    marker = node.root / condition.partition("=/")[2]
    assert marker.exists()
    node.stand_in("mount", f'[ -e "{marker}" ] && echo yes >> "{node.root}/seen"')
    node.boot(BOOTSTRAP)
    assert "yes" in (node.root / "seen").read_text()


def test_a_login_node_does_only_what_it_needs(node: Node) -> None:
    """Without GPUs, disks and EFA the steps for them are left out."""
    login = replace(
        BOOTSTRAP, role="login", gpus=False, nvme_count=0, lustre=replace(LUSTRE, lnet_efa_count=0)
    )
    assert login.steps == ("install_program", "install_boot_unit", "mount_lustre")
    assert node.boot(login) == 0


def test_user_data_is_a_mime_archive_with_one_script() -> None:
    """PCS merges multi-part archives only; the part is a shell script and equals the script."""
    message = email.message_from_string(BOOTSTRAP.user_data())
    assert message.get_content_type() == "multipart/mixed"
    (part,) = message.get_payload()
    assert part.get_content_type() == "text/x-shellscript"  # type: ignore[union-attr]
    assert str(part.get_payload()).strip() == BOOTSTRAP.script().strip()  # type: ignore[union-attr]


def test_user_data_leaves_room_for_pcs() -> None:
    """The archive takes at most three quarters of what EC2 allows, since PCS adds its own part."""
    assert len(BOOTSTRAP.user_data().encode()) < LARGEST_USER_DATA_BYTES * 3 / 4


@pytest.mark.parametrize("value", ["a b", "$(reboot)", "it's"])
def test_values_are_quoted(value: str, node: Node) -> None:
    """A value that a shell would read as code stays a value."""
    assert node.boot(replace(BOOTSTRAP, program_key=value)) == 0
    assert any(
        call.endswith("bedplate-node.pyz.new") and f"s3://assets/{value} " in call for call in node.calls
    )

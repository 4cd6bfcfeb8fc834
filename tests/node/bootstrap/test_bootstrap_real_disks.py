"""The scratch step on real devices: mkfs.xfs, blkid and mount on loop devices, mdadm where the kernel has md.

The steps name the node's devices and folders; the runner here gives the real programs others in their place.
"""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.bootstrap.boot_log import BootLog
from bedplate.node.bootstrap.disks import Signature, signature_of
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.runner import ProcessRunner, Ran
from bedplate.node.bootstrap.scratch_plan import array_uuid, same_uuid
from bedplate.node.bootstrap.step import StepFailedError
from bedplate.node.bootstrap.steps import make_scratch
from tests.node.bootstrap.fake_machine import SETTINGS, recorded

INSTANCE = "i-0123456789abcdef0"
OURS = array_uuid(INSTANCE)
DISK_BYTES = 320 << 20  # XFS takes no less than 300 MiB.
MakeDevice = Callable[[], str]


def _run(*argv: str) -> str:
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.fixture
def make_device(tmp_path: Path) -> Iterator[MakeDevice]:
    """Makes loop devices that are gone after the test."""
    devices: list[str] = []

    def make() -> str:
        image = tmp_path / f"disk-{len(devices)}"
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
        devices.append(_run("losetup", "--find", "--show", str(image)).strip())
        return devices[-1]

    yield make
    for device in devices:
        subprocess.run(["losetup", "--detach", device], capture_output=True, timeout=30, check=False)


class RealRunner:
    """Runs the real programs, with other devices and folders for the node's; those in ``played`` it plays."""

    def __init__(self, names: dict[str, str], played: Callable[[Sequence[str]], Ran | None]) -> None:
        self.names = names
        self._played = played
        self._real = ProcessRunner()
        self.calls: list[str] = []

    def has(self, program: str) -> bool:
        """Whether it is on this machine."""
        return self._real.has(program)

    def run(self, argv: Sequence[str], seconds: float) -> Ran:
        """Play or run."""
        self.calls.append(" ".join(argv))
        return self._played(argv) or self._real.run([self.names.get(word, word) for word in argv], seconds)


class Node:
    """A node of loop devices: its disks' sysfs in a folder, its scratch mounted in that folder."""

    def __init__(self, root: Path, devices: Sequence[str], *, array: str) -> None:
        self.root = root
        self.scratch = root / "scratch"
        self._array = array
        names = {f"/dev/nvme{number + 1}n1": device for number, device in enumerate(devices)}
        self.runner = RealRunner({**names, "/dev/md127": array, "/scratch": str(self.scratch)}, self._play)
        for number in range(len(devices)):
            folder = root / f"sys/block/nvme{number + 1}n1"
            (folder / "device").mkdir(parents=True)
            (folder / "holders").mkdir()
            (folder / "device/model").write_text("Amazon EC2 NVMe Instance Storage\n")
            (folder / "device/serial").write_text(f"AWS{number}\n")
            (folder / "size").write_text(f"{DISK_BYTES // 512}\n")
        self.settings = replace(SETTINGS, nvme_count=len(devices), nvme_gb_each=0)

    def make_scratch(self) -> str:
        """Run the step against the kernel's table of mounts as it is now."""
        table = self.root / "proc/mounts"
        table.parent.mkdir(parents=True, exist_ok=True)
        text = Path("/proc/mounts").read_text()
        table.write_text(text.replace(f"{self.scratch} ", "/scratch ").replace(self._array, "/dev/md127"))
        self.runner.calls.clear()
        host = Host(
            root=str(self.root),
            runner=self.runner,
            log=BootLog(self.root / "log"),
            instance_id=INSTANCE,
            pause_scale=0.0,
        )
        return make_scratch.STEP.run(host, self.settings)

    def shut_down(self) -> None:
        """Nothing is mounted, and no array is up."""
        subprocess.run(["umount", str(self.scratch)], capture_output=True, timeout=30, check=False)
        for holder in self.root.glob("sys/block/*/holders/*"):
            holder.unlink()

    def _play(self, argv: Sequence[str]) -> Ran | None:
        """No systemd here, and where the kernel has no md, no mdadm."""
        if argv[0] == "systemctl":
            return Ran(tuple(argv), 0, "LoadState=not-found\n")
        if argv[0] == "mdadm":
            return self.play_mdadm(argv)
        return None

    def play_mdadm(self, argv: Sequence[str]) -> Ran | None:
        """SIMULATED: the array is a loop device of its own."""
        if argv[1] == "--detail":
            count = str(self.settings.nvme_count)
            return Ran(tuple(argv), 0, recorded("mdadm-detail-export", COUNT=count, UUID=OURS, NAME="x"))
        for number, word in enumerate(word for word in argv if word.startswith("/dev/nvme")):
            name = word.removeprefix("/dev/")
            (self.root / f"sys/block/{name}/holders/md127").touch()
            write_member(Path(self.runner.names[word]), number=number, count=self.settings.nvme_count)
        return Ran(tuple(argv), 0)


def write_member(device: Path, *, number: int, count: int, array: str = OURS) -> None:
    """Write the superblock 1.2 of a RAID 0 member (linux ``include/uapi/linux/raid/md_p.h``)."""
    block = bytearray(256 + 2 * count)
    struct.pack_into("<III", block, 0, 0xA92B4EFC, 1, 0)
    block[16:32] = bytes.fromhex(array.replace(":", ""))
    block[32:44] = b"any:bedplate"
    sectors = DISK_BYTES // 512 - 2048
    struct.pack_into("<QIIQII", block, 64, 1_700_000_000, 0, 0, 0, 1024, count)
    struct.pack_into("<QQQ", block, 128, 2048, sectors, 8)
    struct.pack_into("<I", block, 160, number)
    block[168:184] = uuid.uuid4().bytes
    struct.pack_into("<QQQ", block, 192, 1_700_000_000, 1, 2**64 - 1)
    struct.pack_into("<I", block, 220, count)
    for slot in range(count):
        struct.pack_into("<H", block, 256 + 2 * slot, slot)
    words = block + bytes(-len(block) % 4)
    total = sum(struct.unpack(f"<{len(words) // 4}I", words))
    struct.pack_into("<I", block, 216, (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF)
    with device.open("r+b") as file:
        file.seek(4096)
        file.write(block)
        file.flush()
        os.fsync(file.fileno())


@pytest.fixture
def node(tmp_path: Path, make_device: MakeDevice) -> Iterator[Node]:
    """Two disks, and a third device that plays the array over them."""
    node = Node(tmp_path / "root", [make_device(), make_device()], array=make_device())
    yield node
    node.shut_down()


@pytest.mark.real("loop devices")
@pytest.mark.real("mkfs.xfs")
def test_a_real_device_is_formatted_once_and_keeps_its_data(node: Node) -> None:
    """First boot: XFS with our label, mounted, open to all. Second boot: mounted, and the file is there."""
    assert node.make_scratch().endswith("formatted")
    assert signature_of(_host(node), "/dev/md127") == Signature("xfs", "bedplate", _uuid(node))
    assert node.scratch.stat().st_mode & 0o7777 == 0o1777
    (node.scratch / "kept").write_text("data")
    node.shut_down()
    assert not (node.scratch / "kept").exists()
    assert node.make_scratch().endswith("its file system kept")
    assert (node.scratch / "kept").read_text() == "data"
    assert not [call for call in node.runner.calls if call.startswith("mkfs")]
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    (options,) = [fields[3] for fields in mounts if fields[1] == str(node.scratch)]
    assert {"noatime", "discard"} <= set(options.split(","))


@pytest.mark.real("loop devices")
@pytest.mark.real("mkfs.xfs")
def test_a_scratch_that_is_mounted_is_left(node: Node) -> None:
    """A second run in the same boot mounts nothing over it."""
    node.make_scratch()
    assert "was mounted already" in node.make_scratch()
    assert not [call for call in node.runner.calls if call.startswith("mount")]


@pytest.mark.real("loop devices")
@pytest.mark.real("mkfs.xfs")
def test_a_real_file_system_of_others_is_refused_and_kept(node: Node) -> None:
    """The disk is named with what it holds, and still holds it."""
    disk = node.runner.names["/dev/nvme2n1"]
    _run("mkfs.xfs", "-q", "-L", "theirs", disk)
    with pytest.raises(StepFailedError, match=r"/dev/nvme2n1 \(AWS1\) holds xfs theirs"):
        node.make_scratch()
    assert "LABEL=theirs" in _run("blkid", "-p", "-o", "export", disk)


@pytest.mark.real("loop devices")
@pytest.mark.real("mkfs.xfs")
def test_a_real_file_system_of_others_on_our_array_is_refused_and_kept(node: Node) -> None:
    """mkfs.xfs is not even called."""
    array = node.runner.names["/dev/md127"]
    _run("mkfs.xfs", "-q", "-L", "theirs", array)
    with pytest.raises(StepFailedError, match="/dev/md127 holds xfs theirs"):
        node.make_scratch()
    assert "LABEL=theirs" in _run("blkid", "-p", "-o", "export", array)


@pytest.mark.real("loop devices")
def test_a_real_member_of_our_array_is_told_from_a_foreign_one(node: Node) -> None:
    """blkid's digits of the superblock are the UUID given to mdadm; one exchanged disk fails the step."""
    write_member(Path(node.runner.names["/dev/nvme1n1"]), number=0, count=2)
    found = signature_of(_host(node), "/dev/nvme1n1")
    assert found is not None
    assert (found.kind, found.label) == ("linux_raid_member", "any:bedplate")
    assert same_uuid(found.uuid, OURS)
    with pytest.raises(StepFailedError, match=r"1 of 2 disks belong to the array, /dev/nvme2n1"):
        node.make_scratch()
    foreign = array_uuid("i-0fedcba9876543210")
    write_member(Path(node.runner.names["/dev/nvme1n1"]), number=0, count=2, array=foreign)
    with pytest.raises(StepFailedError, match="holds linux_raid_member any:bedplate"):
        node.make_scratch()


@pytest.mark.real("mdadm")
def test_real_mdadm_reads_the_superblock_as_blkid_does(tmp_path: Path) -> None:
    """The recorded forms and the hand-written superblock are what the real mdadm takes for our array."""
    image = tmp_path / "disk"
    with image.open("wb") as file:
        file.truncate(DISK_BYTES)
    write_member(image, number=0, count=2)
    told = _run("mdadm", "--examine", "--export", str(image))
    assert f"MD_UUID={OURS}\n" in told
    assert "MD_LEVEL=raid0\nMD_DEVICES=2\nMD_NAME=any:bedplate\n" in told


@pytest.mark.real("md arrays")
def test_a_real_array_is_made_once_and_assembled_again(tmp_path: Path, make_device: MakeDevice) -> None:
    """Two loop devices become RAID 0 with our UUID; after a stop it is assembled, and its data are there."""
    devices = [make_device(), make_device()]
    node = Node(tmp_path / "root", devices, array="/dev/md/bedplate-test")
    node.runner.names["/dev/md/bedplate"] = "/dev/md/bedplate-test"

    def mdadm(argv: Sequence[str]) -> Ran:
        ran = ProcessRunner().run([node.runner.names.get(word, word) for word in argv], 60)
        if argv[1] in ("--create", "--assemble") and ran.ok:
            for name in ("nvme1n1", "nvme2n1"):
                (node.root / f"sys/block/{name}/holders/md127").touch()
        return ran

    node.play_mdadm = mdadm  # type: ignore[method-assign,assignment]
    try:
        assert node.make_scratch().endswith("formatted")
        (node.scratch / "kept").write_text("data")
        node.shut_down()
        _run("mdadm", "--stop", "/dev/md/bedplate-test")
        assert node.make_scratch().endswith("its file system kept")
        assert (node.scratch / "kept").read_text() == "data"
        assert any(call.startswith("mdadm --assemble") for call in node.runner.calls)
    finally:
        node.shut_down()
        with contextlib.suppress(subprocess.SubprocessError):
            _run("mdadm", "--stop", "/dev/md/bedplate-test")


def _host(node: Node) -> Host:
    return Host(root=str(node.root), runner=node.runner, log=BootLog(node.root / "log"))


def _uuid(node: Node) -> str:
    told = _run("blkid", "-p", "-o", "export", node.runner.names["/dev/md127"])
    return next(line.partition("=")[2] for line in told.splitlines() if line.startswith("UUID="))

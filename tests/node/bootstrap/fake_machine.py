"""SIMULATED: a node's machine as the bootstrap's runner sees it. State changes by commands and by events.

What its tools print are the texts in ``recorded``; what they do is a few lines each. Files lie in a folder.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bedplate.node.bootstrap.boot_log import BootLog
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.plan import run_steps
from bedplate.node.bootstrap.runner import Ran
from bedplate.node.bootstrap.settings import Mount, NodeSettings
from bedplate.node.bootstrap.step import StepResult
from bedplate.node.users.listed import ListedUser, UserList
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.tools.user_files import change_users, write_first_files

RECORDED = Path(__file__).parent / "recorded"
FSX = "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com@tcp:/abcdef12"
SETTINGS = NodeSettings(
    environment="prod",
    pool="train",
    role="compute",
    result_bucket="results",
    gpus=8,
    nvme_count=4,
    nvme_gb_each=3840,
    local_nvme="raid0",
    efa_count=16,
    lnet_efa_count=8,
    mounts=(Mount("lustre", FSX, "/fsx", efa=True),),
    instance_type="p5en.48xlarge",
    users_key="users/prod.json",
)
USERS = UserList("/fsx/home", (ListedUser("alice", 2001), ListedUser("bob", 2002)))
_COMMAND_SECONDS = 0.5


def recorded(name: str, **values: str) -> str:
    """A recorded text, the words between @ replaced."""
    text = (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
    for word, value in values.items():
        text = text.replace(f"@{word}@", value)
    return text


@dataclass
class Content:
    """What is on a device."""

    text: str
    label: str = ""
    uuid: str = ""
    members: int = 0


@dataclass
class FakeMachine:
    """One instance. ``boot`` runs the real steps; the other methods are what may happen to it in between."""

    root: Path
    instance_id: str = "i-0123456789abcdef0"
    disks: int = 4
    efas: int = 16
    now: float = 0.0
    calls: list[str] = field(default_factory=list)
    on_disk: dict[str, Content] = field(default_factory=dict)
    lnet: dict[str, list[str]] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    udsp: bool = False
    lustre_from: float = 0.0
    writable_from: float = 0.0
    dlami: tuple[str, str] = ("", "0")
    broken: dict[str, Ran] = field(default_factory=dict)
    listed: str = USERS.to_json()

    def __post_init__(self) -> None:
        """Lay the files of a machine that has never booted out."""
        self._write("etc/os-release", 'ID=ubuntu\nVERSION_ID="24.04"\n')
        write_first_files(self.root)
        for folder in ("etc/apt/apt.conf.d", "etc/needrestart/conf.d", "opt/bedplate"):
            (self.root / folder).mkdir(parents=True)
        self._write("opt/bedplate/bedplate-node.pyz", "a program")
        self._write("opt/bedplate/bedplate-node.sha256", hashlib.sha256(b"a program").hexdigest() + "\n")
        for number in range(self.disks):
            self.add_disk(f"nvme{number + 1}n1", serial=f"AWS{number:017d}")
        self._write("sys/block/nvme0n1/device/model", "Amazon Elastic Block Store              \n")
        self._write("sys/block/nvme0n1/size", "419430400\n")
        for number in range(self.efas):
            self._write(f"sys/class/infiniband/rdmap{80 + number}s0/device/vendor", "0x1d0f\n")
        self._write("sys/class/infiniband/ibp198s0/device/vendor", "0x15b3\n")
        self._power_on()

    # What may happen to it.

    def boot(self, settings: NodeSettings = SETTINGS, *, later: Sequence[str] = ()) -> dict[str, StepResult]:
        """Run every step but those for later; returns them by name. ``calls`` are those of this boot."""
        self.calls.clear()
        host = Host(
            root=str(self.root),
            runner=self,
            log=BootLog(self.root / "var/log/bedplate-bootstrap.log"),
            instance_id=self.instance_id,
            clock=lambda: self.now,
            sleep=self._sleep,
        )
        return {
            result.name: result for result in run_steps(host, settings, later=later, clock=lambda: self.now)
        }

    def reboot(self, *, assembled: bool = False) -> None:
        """Memory is gone, disks are not; udev may or may not have assembled the array."""
        self.lnet.clear()
        self.modules.clear()
        self.udsp = False
        for holder in self.root.glob("sys/block/*/holders/*"):
            holder.unlink()
        self._power_on()
        if assembled:
            self._hold("md127", [name for name in self._store() if name in self.on_disk])

    def replace_instance(self, instance_id: str) -> None:
        """PCS launched another instance: new root disk, blank instance store."""
        shutil.rmtree(self.root)
        self.instance_id = instance_id
        self.on_disk.clear()
        self.lnet.clear()
        self.modules.clear()
        self.udsp = False
        self.__post_init__()

    def move_to_other_hardware(self) -> None:
        """Stopped and started: the root disk stays, the instance store is blank."""
        self.on_disk.clear()
        self.reboot()

    def add_disk(self, name: str, *, serial: str, gigabytes: int = 3840) -> None:
        """An instance-store disk."""
        self._write(f"sys/block/{name}/device/model", "Amazon EC2 NVMe Instance Storage        \n")
        self._write(f"sys/block/{name}/device/serial", f"{serial}\n")
        self._write(f"sys/block/{name}/size", f"{gigabytes * 10**9 // 512}\n")
        (self.root / f"sys/block/{name}/holders").mkdir()

    def lose_disk(self, name: str) -> None:
        """The kernel no longer sees it."""
        shutil.rmtree(self.root / "sys/block" / name)

    def blank_disk(self, name: str) -> None:
        """AWS exchanged it."""
        self.on_disk.pop(name, None)

    def partition(self, name: str) -> None:
        """The kernel sees a partition on it."""
        (self.root / f"sys/block/{name}/{name}p1").mkdir()

    def put(self, name: str, text: str, *, label: str = "", uuid: str = "") -> None:
        """Put something on a disk that the bootstrap did not."""
        self.on_disk[name] = Content(text, label, uuid)

    def make_image_volume(
        self, *, of: Sequence[str] | None = None, mounted: bool = True, at: str = "/opt/dlami/nvme"
    ) -> None:
        """The image's own LVM volume is over the disks."""
        names = list(of or self._store())
        for name in names:
            self.on_disk[name] = Content("blkid-lvm-member")
        self._hold("dm-0", names)
        self._write("sys/block/dm-0/dm/name", "vg.01-lv_ephemeral\n")
        if mounted:
            (self.root / at.lstrip("/")).mkdir(parents=True, exist_ok=True)
            self._add_mount("/dev/mapper/vg.01-lv_ephemeral", at, "ext4")

    def lose_efa(self, number: int) -> None:
        """A device is gone."""
        shutil.rmtree(self.root / f"sys/class/infiniband/rdmap{80 + number}s0")

    def mounts(self) -> dict[str, str]:
        """Target → source of what is mounted."""
        lines = (self.root / "proc/mounts").read_text().splitlines()
        return {line.split()[1]: line.split()[0] for line in lines}

    def called(self, prefix: str) -> list[str]:
        """The calls of the last boot that begin so."""
        return [call for call in self.calls if call.startswith(prefix)]

    # The runner.

    def has(self, program: str) -> bool:
        """Every program is installed, unless a test broke it."""
        return program not in self.broken

    def run(self, argv: Sequence[str], seconds: float) -> Ran:
        """Play one program."""
        call = " ".join(argv)
        self.calls.append(call)
        self.now += min(_COMMAND_SECONDS, seconds)
        for prefix, ran in self.broken.items():
            if call.startswith(prefix):
                return ran
        play = self._players().get(argv[0].rpartition("/")[2], self._nothing)
        rc, stdout, stderr = play(list(argv[1:]))
        return Ran(tuple(argv), rc, stdout, stderr)

    def _players(self) -> dict[str, Callable[[list[str]], tuple[int, str, str]]]:
        return {
            "blkid": self._blkid,
            "mdadm": self._mdadm,
            "mkfs.xfs": self._mkfs,
            "mount": self._mount,
            "lnetctl": self._lnetctl,
            "modprobe": self._modprobe,
            "nvidia-smi": lambda _: (0, "0, Enabled\n1, Enabled\n", ""),
            "ip": lambda _: (0, "default via 10.0.1.1 dev enp71s0 proto dhcp src 10.0.1.5 metric 100\n", ""),
            "systemctl": self._systemctl,
            "aws": self._fetch,
            **{
                tool: lambda words, tool=tool: self._change_users(tool, words)
                for tool in ("groupadd", "useradd", "usermod")
            },
            **dict.fromkeys(("python3", "python", "python3.11"), self._write_probe),
        }

    @staticmethod
    def _nothing(_words: list[str]) -> tuple[int, str, str]:
        return 0, "", ""

    def _blkid(self, words: list[str]) -> tuple[int, str, str]:
        content = self.on_disk.get(words[-1].removeprefix("/dev/"))
        if content is None:
            return 2, "", ""
        uuid = content.uuid.replace(":", "")
        dashed = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
        return 0, recorded(content.text, DEVICE=words[-1], NAME=content.label, UUID=dashed), ""

    def _mdadm(self, words: list[str]) -> tuple[int, str, str]:
        options = dict(word.split("=", 1) for word in words if word.startswith("--") and "=" in word)
        names = [word.removeprefix("/dev/") for word in words[2:] if word.startswith("/dev/")]
        if words[0] == "--detail":
            name = words[-1].removeprefix("/dev/")
            members = [path.parent.parent.name for path in self.root.glob(f"sys/block/*/holders/{name}")]
            content = self.on_disk[members[0]]
            text = recorded(
                "mdadm-detail-export", COUNT=str(content.members), UUID=content.uuid, NAME=content.label
            )
            return 0, text, ""
        if words[0] == "--create":
            for name in names:
                self.on_disk[name] = Content(
                    "blkid-raid-member", f"any:{options['--name']}", options["--uuid"], len(names)
                )
        self._hold("md127", names)
        return 0, "", f"mdadm: array {words[1]} started.\n"

    def _mkfs(self, words: list[str]) -> tuple[int, str, str]:
        name = words[-1].removeprefix("/dev/")
        if name in self.on_disk:
            return 1, "", "mkfs.xfs: appears to contain an existing filesystem\n"
        self.on_disk[name] = Content("blkid-xfs", words[words.index("-L") + 1], "0" * 32)
        return 0, "", ""

    def _mount(self, words: list[str]) -> tuple[int, str, str]:
        source, target = words[-2], words[-1]
        if "lustre" in words:
            if self.now < self.lustre_from:
                return 5, "", recorded("mount-lustre-late", SOURCE=source, TARGET=target)
            name = source.rpartition("/")[2]
            self._add_mount(f"10.0.1.67@tcp:/{name}", target, "lustre")
            return 0, "", ""
        kind = "nfs4" if {"nfs4", "efs"} & set(words) else "ext4" if "--bind" in words else "xfs"
        if "--bind" in words:
            source = self.mounts()[source]
        self._add_mount(source, target, kind)
        return 0, "", ""

    def _lnetctl(self, words: list[str]) -> tuple[int, str, str]:
        if "lnet" not in self.modules:
            return 255, "", "LNet kernel module is not loaded"
        if words[:2] == ["net", "add"]:
            self.lnet.setdefault(words[3], []).append(words[5])
        elif words[:2] == ["net", "del"]:
            self.lnet.pop(words[3])
        elif words[:2] == ["net", "show"]:
            return 0, self._net_show(), ""
        elif words[:2] == ["lnet", "configure"]:
            self.lnet["lo"] = [""]
        elif words[:1] == ["udsp"]:
            if self.udsp:
                return 146, "", recorded("lnetctl-udsp-exists")
            self.udsp = True
        return 0, "", ""

    def _net_show(self) -> str:
        lines = ["net:"] if self.lnet else []
        for net, devices in self.lnet.items():
            lines += [f"    - net type: {net}", "      local NI(s):"]
            for number, device in enumerate(devices):
                lines += [f"        - nid: 10.0.{number}.5@{net}", "          status: up"]
                lines += ["          interfaces:", f"              0: {device}"] if device else []
        return "\n".join(lines) + "\n"

    def _modprobe(self, words: list[str]) -> tuple[int, str, str]:
        self.modules.add(words[0])
        return 0, "", ""

    def _systemctl(self, words: list[str]) -> tuple[int, str, str]:
        if words[:2] == ["show", "dlami-nvme.service"]:
            active, exited = self.dlami
            if not active:
                return 0, "LoadState=not-found\nActiveState=inactive\n", ""
            return 0, recorded("systemctl-show-dlami", ACTIVE=active, EXITED=exited), ""
        if words[0] == "show":
            blocks = [f"Id={word}\nLoadState=not-found\n" for word in words[1:] if word[0] != "-"]
            return 0, "\n".join(blocks), ""
        if words == ["mask", "dlami-nvme.service"]:
            self.dlami = ("", "0")
        return 0, "", ""

    def _fetch(self, words: list[str]) -> tuple[int, str, str]:
        if words[-2] != "s3://results/users/prod.json":
            return (
                1,
                "",
                "fatal error: An error occurred (403): Forbidden\n",
            )
        Path(words[-1]).write_text(self.listed)
        return 0, "", ""

    def _change_users(self, tool: str, words: list[str]) -> tuple[int, str, str]:
        try:
            change_users(self.root, tool, words)
        except ToolRefused as refusal:
            return refusal.rc, "", f"{refusal.text}\n"
        return 0, "", ""

    def _write_probe(self, _words: list[str]) -> tuple[int, str, str]:
        if self.now < self.writable_from:
            return 1, "", "OSError: [Errno 30] Read-only file system: '/fsx/.bedplate/i-0'\n"
        return 0, "", ""

    # Its insides.

    def _power_on(self) -> None:
        self._write("proc/mounts", "/dev/root / ext4 rw,relatime 0 0\n")
        self._write("proc/sys/vm/nr_hugepages", "0\n")

    def _store(self) -> list[str]:
        return sorted(path.name for path in self.root.glob("sys/block/nvme*") if path.name != "nvme0n1")

    def _hold(self, holder: str, names: Sequence[str]) -> None:
        for name in names:
            (self.root / f"sys/block/{name}/holders/{holder}").touch()

    def _add_mount(self, source: str, target: str, kind: str) -> None:
        with (self.root / "proc/mounts").open("a") as table:
            table.write(f"{source} {target} {kind} rw,noatime 0 0\n")

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def _write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

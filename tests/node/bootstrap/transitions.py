"""What may have happened to a node before a boot, and what the boot must come to: data.

Each row boots a fresh machine (unless ``first_boot`` is false), plays ``events`` in order, boots, and says
what that boot does: ``steps`` are the steps that fail, each with a part of its reason; ``never`` are
commands that must not be called; ``calls`` says how often others are; ``mounted`` and ``source`` are what
is there at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bedplate.node.bootstrap.runner import Ran
from tests.node.bootstrap.fake_machine import FakeMachine

Event = Callable[[FakeMachine], object]

WRITES_DISKS = ("mdadm --create", "mkfs.xfs", "wipefs", "mdadm --zero-superblock")


@dataclass(frozen=True)
class Transition:
    """One row of the table."""

    name: str
    events: tuple[Event, ...]
    steps: dict[str, str] = field(default_factory=dict)
    never: tuple[str, ...] = ()
    calls: dict[str, int] = field(default_factory=dict)
    first_boot: bool = True
    mounted: tuple[str, ...] = ("/scratch", "/fsx")
    source: str = "/dev/md127"


TRANSITIONS = (
    Transition(
        "first boot",
        events=(),
        first_boot=False,
        calls={"mdadm --create": 1, "mkfs.xfs": 1, "mount -t lustre": 1, "lnetctl net add --net efa": 8},
        never=("mdadm --assemble",),
    ),
    Transition(
        "the unit is started again in the same boot",
        events=(),
        never=(*WRITES_DISKS, "mdadm --assemble", "mount ", "lnetctl net add", "lnetctl net del"),
    ),
    Transition(
        "second boot, udev has assembled the array",
        events=(lambda machine: machine.reboot(assembled=True),),
        never=(*WRITES_DISKS, "mdadm --assemble"),
        calls={"mount -o noatime,discard": 1, "mount -t lustre": 1, "lnetctl net add --net efa": 8},
    ),
    Transition(
        "second boot, the array is not assembled",
        events=(lambda machine: machine.reboot(),),
        never=WRITES_DISKS,
        calls={"mdadm --assemble": 1, "mount -o noatime,discard": 1},
    ),
    Transition(
        "interrupted between making the array and its file system",
        events=(lambda machine: machine.on_disk.pop("md127"), lambda machine: machine.reboot()),
        never=("mdadm --create",),
        calls={"mdadm --assemble": 1, "mkfs.xfs": 1},
    ),
    Transition(
        "stopped and started on other hardware",
        events=(lambda machine: machine.move_to_other_hardware(),),
        calls={"mdadm --create": 1, "mkfs.xfs": 1},
    ),
    Transition(
        "replaced node",
        events=(lambda machine: machine.replace_instance("i-0fedcba9876543210"),),
        calls={"mdadm --create": 1, "mkfs.xfs": 1},
    ),
    Transition(
        "lost disk",
        events=(lambda machine: machine.reboot(), lambda machine: machine.lose_disk("nvme3n1")),
        steps={"make_scratch": "3 instance-store disks, the type has 4; a disk is lost"},
        never=(*WRITES_DISKS, "mdadm --assemble"),
        mounted=("/fsx",),
    ),
    Transition(
        "lost disk at a first boot",
        events=(lambda machine: machine.lose_disk("nvme3n1"),),
        first_boot=False,
        steps={"make_scratch": "a disk is lost"},
        never=WRITES_DISKS,
        mounted=("/fsx",),
    ),
    Transition(
        "one disk was exchanged",
        events=(lambda machine: machine.reboot(), lambda machine: machine.blank_disk("nvme2n1")),
        steps={"make_scratch": "3 of 4 disks belong to the array, /dev/nvme2n1"},
        never=(*WRITES_DISKS, "mdadm --assemble"),
        mounted=("/fsx",),
    ),
    Transition(
        "a disk smaller than the type's",
        events=(
            lambda machine: machine.lose_disk("nvme4n1"),
            lambda machine: machine.add_disk("nvme4n1", serial="AWSX", gigabytes=1900),
        ),
        first_boot=False,
        steps={"make_scratch": "/dev/nvme4n1 (AWSX) has 1900 GB"},
        never=WRITES_DISKS,
        mounted=("/fsx",),
    ),
    Transition(
        "foreign array",
        events=tuple(
            lambda machine, name=name: machine.put(
                name, "blkid-raid-member", label="other:data", uuid="11111111222222223333333344444444"
            )
            for name in ("nvme1n1", "nvme2n1", "nvme3n1", "nvme4n1")
        ),
        first_boot=False,
        steps={"make_scratch": "holds linux_raid_member other:data"},
        never=(*WRITES_DISKS, "mdadm --assemble"),
        mounted=("/fsx",),
    ),
    Transition(
        "foreign array that udev has assembled",
        events=(
            *(
                lambda machine, name=name: machine.put(
                    name, "blkid-raid-member", label="other:data", uuid="11111111222222223333333344444444"
                )
                for name in ("nvme1n1", "nvme2n1", "nvme3n1", "nvme4n1")
            ),
            lambda machine: machine.reboot(assembled=True),
        ),
        first_boot=False,
        steps={"make_scratch": "held by md127, which this bootstrap did not make"},
        never=WRITES_DISKS,
        mounted=("/fsx",),
    ),
    Transition(
        "foreign file system on one disk",
        events=(lambda machine: machine.put("nvme2n1", "blkid-ext4"),),
        first_boot=False,
        steps={"make_scratch": "/dev/nvme2n1 (AWS00000000000000001) holds ext4"},
        never=WRITES_DISKS,
        mounted=("/fsx",),
    ),
    Transition(
        "a partition table on one disk",
        events=(lambda machine: machine.put("nvme1n1", "blkid-dos"),),
        first_boot=False,
        steps={"make_scratch": "holds partition table dos"},
        never=WRITES_DISKS,
        mounted=("/fsx",),
    ),
    Transition(
        "partitions without a table that blkid knows",
        events=(lambda machine: machine.partition("nvme1n1"),),
        first_boot=False,
        steps={"make_scratch": "/dev/nvme1n1 (AWS00000000000000000) holds partitions nvme1n1p1"},
        never=WRITES_DISKS,
        mounted=("/fsx",),
    ),
    Transition(
        "the array that came up is another than was asked for",
        events=(
            lambda machine: machine.reboot(),
            lambda machine: machine.broken.update(
                {"mdadm --detail": Ran((), 0, "MD_LEVEL=raid0\nMD_DEVICES=3\nMD_UUID=1:2:3:4\n")}
            ),
        ),
        steps={"make_scratch": "/dev/md127 is raid0 over 3 disks with UUID 1:2:3:4; raid0 over 4"},
        never=(*WRITES_DISKS, "mount -o"),
        mounted=("/fsx",),
    ),
    Transition(
        "foreign file system on our own array",
        events=(
            lambda machine: machine.reboot(),
            lambda machine: machine.put("md127", "blkid-ext4"),
        ),
        steps={"make_scratch": "/dev/md127 holds ext4, which this bootstrap did not make"},
        never=WRITES_DISKS,
        mounted=("/fsx",),
    ),
    Transition(
        "the image's own volume",
        events=(lambda machine: machine.make_image_volume(),),
        first_boot=False,
        calls={"mount --bind /opt/dlami/nvme /scratch": 1},
        never=(*WRITES_DISKS, "mdadm"),
        source="/dev/mapper/vg.01-lv_ephemeral",
    ),
    Transition(
        "ParallelCluster's own volume, at the place of ours",
        events=(lambda machine: machine.make_image_volume(at="/scratch"),),
        first_boot=False,
        never=(*WRITES_DISKS, "mdadm", "mount --bind"),
        source="/dev/mapper/vg.01-lv_ephemeral",
    ),
    Transition(
        "the image's own volume over three of four disks",
        events=(lambda machine: machine.make_image_volume(of=["nvme1n1", "nvme2n1", "nvme3n1"]),),
        first_boot=False,
        steps={"make_scratch": "not in it: /dev/nvme4n1"},
        never=(*WRITES_DISKS, "mount --bind"),
        mounted=("/fsx",),
    ),
    Transition(
        "the image's own volume, not mounted",
        events=(lambda machine: machine.make_image_volume(mounted=False),),
        first_boot=False,
        steps={"make_scratch": "vg.01-lv_ephemeral holds the disks and is not mounted at /opt/dlami/nvme"},
        never=(*WRITES_DISKS, "mount --bind"),
        mounted=("/fsx",),
    ),
    Transition(
        "another volume is mounted where the image's own should be",
        events=(
            lambda machine: machine.make_image_volume(mounted=False),
            lambda machine: machine._add_mount("/dev/nvme9n1", "/opt/dlami/nvme", "ext4"),
        ),
        first_boot=False,
        steps={
            "make_scratch": "/dev/nvme9n1 is mounted at /opt/dlami/nvme, the disks are in vg.01-lv_ephemeral"
        },
        never=(*WRITES_DISKS, "mount --bind"),
        mounted=("/fsx",),
    ),
    Transition(
        "the image's own volume at a second boot",
        events=(
            lambda machine: machine.make_image_volume(),
            lambda machine: machine.boot(),
            lambda machine: machine.reboot(),
            lambda machine: machine.make_image_volume(),
        ),
        first_boot=False,
        calls={"mount --bind /opt/dlami/nvme /scratch": 1},
        never=(*WRITES_DISKS, "mdadm"),
        source="/dev/mapper/vg.01-lv_ephemeral",
    ),
    Transition(
        "the image's service never ends",
        events=(lambda machine: setattr(machine, "dlami", ("activating", "0")),),
        first_boot=False,
        steps={"make_scratch": "dlami-nvme.service of the image did not end"},
        never=(*WRITES_DISKS, "blkid"),
        mounted=("/fsx",),
    ),
    Transition(
        "the image's service has not begun",
        events=(lambda machine: setattr(machine, "dlami", ("inactive", "0")),),
        first_boot=False,
        calls={"systemctl mask dlami-nvme.service": 1, "mdadm --create": 1},
    ),
    Transition(
        "something else is mounted at /scratch",
        events=(
            lambda machine: machine.reboot(),
            lambda machine: machine._add_mount("/dev/nvme9n1", "/scratch", "ext4"),
        ),
        steps={"make_scratch": "/dev/nvme9n1 is mounted at /scratch, not /dev/md127"},
        never=WRITES_DISKS,
        source="/dev/nvme9n1",
    ),
    Transition(
        "Lustre late",
        events=(
            lambda machine: machine.reboot(),
            lambda machine: setattr(machine, "lustre_from", machine.now + 100),
        ),
        calls={"mount -t lustre": 6},
    ),
    Transition(
        "Lustre mounted and read-only for a while",
        events=(
            lambda machine: machine.reboot(),
            lambda machine: setattr(machine, "writable_from", machine.now + 60),
        ),
        calls={"mount -t lustre": 1},
    ),
    Transition(
        "Lustre never comes",
        events=(
            lambda machine: machine.reboot(),
            lambda machine: setattr(machine, "lustre_from", machine.now + 10**6),
        ),
        steps={
            "mount_file_systems": "/fsx: cannot be mounted from fs-0123456789abcdef0",
            "make_users": "not tried, for mount_file_systems failed",
        },
        calls={"mount -t lustre": 11},
        mounted=("/scratch",),
    ),
    Transition(
        "Lustre stays read-only",
        events=(
            lambda machine: machine.reboot(),
            lambda machine: setattr(machine, "writable_from", machine.now + 10**6),
        ),
        steps={
            "mount_file_systems": "is mounted and cannot be written to: OSError: [Errno 30]",
            "make_users": "not tried, for mount_file_systems failed",
        },
    ),
    Transition(
        "another Lustre is mounted at the place",
        events=(
            lambda machine: machine.reboot(),
            lambda machine: machine._add_mount("10.0.1.99@tcp:/another1", "/fsx", "lustre"),
        ),
        steps={
            "mount_file_systems": "10.0.1.99@tcp:/another1 (lustre) is mounted at /fsx",
            "make_users": "not tried, for mount_file_systems failed",
        },
        never=("mount -t lustre",),
    ),
    Transition(
        "nine EFAs of sixteen are lost",
        events=(
            lambda machine: machine.reboot(),
            *((lambda machine, number=number: machine.lose_efa(number)) for number in range(9)),
        ),
        steps={
            "set_up_lnet": "7 EFAs carry LNet, 8 are wanted (7 are on the node)",
            "mount_file_systems": "not tried, for set_up_lnet failed",
            "make_users": "not tried, for mount_file_systems failed",
        },
        never=("mount -t lustre",),
        mounted=("/scratch",),
    ),
    Transition(
        "eight EFAs of sixteen are left",
        events=(
            lambda machine: machine.reboot(),
            *((lambda machine, number=number: machine.lose_efa(number)) for number in range(8)),
        ),
        calls={"lnetctl net add --net efa": 8},
    ),
)

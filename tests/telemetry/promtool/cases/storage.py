"""File systems."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import Series, both, node

_ON = "train-1 (i-0a1)"
_LUSTRE = {"device": "fs@tcp:/fmkbqbev", "fstype": "lustre", "mountpoint": "/fsx"}
_ROOT = {"device": "/dev/nvme0n1p1", "fstype": "ext4", "mountpoint": "/"}
_SCRATCH = {"device": "/dev/md0", "fstype": "xfs", "mountpoint": "/scratch"}


def _free(percent: int, **labels: str) -> tuple[Series, ...]:
    return (
        node("node_filesystem_avail_bytes", 60, percent, **labels),
        both("node_filesystem_size_bytes", 100, **labels),
    )


CASES = (
    Case(
        alert="LustreNotMounted",
        faulty=(node("bedplate_lustre_mounted", 1, 0, file_system="fmkbqbev", path="/fsx"),),
        after_minutes=5,
        summary=f"{_ON} has not mounted fmkbqbev on /fsx.",
        labels={"file_system": "fmkbqbev", "path": "/fsx"},
        blip=4,
    ),
    Case(
        alert="LustreNearlyFull",
        faulty=_free(8, **_LUSTRE),
        after_minutes=15,
        summary="/fsx has 8% of its space left.",
        labels={"mountpoint": "/fsx"},
        blip=14,
        silent={"a tenth is left": _free(11, **_LUSTRE), "another disk is full": _free(2, **_ROOT)},
    ),
    Case(
        alert="LustreFull",
        faulty=_free(2, **_LUSTRE),
        after_minutes=5,
        summary="/fsx has 2% of its space left.",
        labels={"mountpoint": "/fsx"},
        blip=4,
        silent={"8 % are left": _free(8, **_LUSTRE)},
    ),
    Case(
        alert="NodeDiskNearlyFull",
        faulty=_free(2, **_ROOT),
        after_minutes=15,
        summary=f"{_ON} has 2% left on /.",
        labels={"mountpoint": "/"},
        blip=14,
        silent={"Lustre is full, which is another alert": _free(2, **_LUSTRE)},
    ),
    Case(
        alert="NodeFileSystemReadOnly",
        faulty=(node("node_filesystem_readonly", 0, 1, **_SCRATCH),),
        after_minutes=5,
        summary=f"{_ON} has /scratch read-only.",
        labels={"mountpoint": "/scratch"},
        blip=4,
    ),
    Case(
        alert="NodeArrayDegraded",
        faulty=(node("node_md_disks", 0, 1, device="md0", state="failed"),),
        after_minutes=2,
        summary=f"{_ON} has lost 1 disks of md0.",
        labels={"device": "md0"},
        silent={"all work": (node("node_md_disks", 8, 7, device="md0", state="active"),)},
    ),
    Case(
        alert="NodeVolumeGone",
        faulty=(node("node_filesystem_size_bytes", 100, "_", **_SCRATCH), both("up", 1, job="node")),
        after_minutes=20,
        summary=f"{_ON} no longer has /scratch.",
        labels={"mountpoint": "/scratch"},
        silent={
            "the node is gone with it": (
                node("node_filesystem_size_bytes", 100, "_", **_SCRATCH),
                node("up", 1, "_", job="node"),
            )
        },
    ),
)

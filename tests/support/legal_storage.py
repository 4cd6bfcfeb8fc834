"""Random file systems that break no rule, of every kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Data = dict[str, Any]
MOUNTS = ("/fsx", "/home", "/work", "/data/shared", "/data/models", "/apps")
"""Where file systems are mounted: none lies in another."""
EFA_STEP_GIB = {125: 38400, 250: 19200, 500: 9600, 1000: 4800}
"""FSx for Lustre User Guide, EFA-enabled file systems: throughput in MB/s for each TiB → step in GiB."""
LUSTRE_IOPS = ("automatic", 1500, 3000, 6000, 12000, 24000, 192000)
LONG_PREFIX = "p" * 899 + "/"
"""As long as may be; two associations with it fill a policy (STO-023)."""
EVENTS = ("new", "changed", "deleted")
LOGS = ("warn-error", "warn", "error", "none")
ZFS_MBPS = (160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10240)
ACCOUNT = "123456789012"


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What decides on the file systems that are legal.

    ``local``: the GPU zone is a Local Zone, which EFA and EFS do not reach; ``existing``: the VPC is there
    already; ``admitted``: so is the nodes' group, which existing file systems may admit.
    """

    region: str
    local: bool = False
    existing: bool = False
    admitted: bool = False


def some(draw: st.DrawFn, **choices: Any) -> Data:
    """Draw some of these keys, each with one of its values."""
    return {key: draw(st.sampled_from(values)) for key, values in choices.items() if draw(st.booleans())}


def _fs_id(draw: st.DrawFn) -> str:
    return f"fs-{draw(st.integers(0, 16**17 - 1)):017x}"


def _common(draw: st.DrawFn, around: Surroundings) -> Data:
    key = f"arn:aws:kms:{around.region}:{ACCOUNT}:key/01234567-89ab-cdef-0123-456789abcdef"
    return some(draw, kms_key=[key], maintenance=["7:03:30", "1:23:59"])


def _associations(draw: st.DrawFn) -> list[Data]:
    count = draw(st.integers(0, 3))
    events = st.lists(st.sampled_from(EVENTS), max_size=3, unique=True)
    # Two file systems must not export to one place.
    word = f"{draw(st.integers(0, 2**32 - 1)):08x}"
    return [
        {
            "path": f"/folder{number}",
            "bucket": draw(st.sampled_from(["create", f"acme-{word}-{number}"])),
            **some(
                draw,
                prefix=["", "v3/", "a/b/", LONG_PREFIX],
                import_existing=[False],
                chunk_mib=[1, 1024, 512_000],
            ),
            "import": draw(events),
            "export": draw(events),
        }
        for number in range(count)
    ]


def _lustre(draw: st.DrawFn, around: Surroundings) -> Data:
    efa = not around.local and draw(st.booleans())
    speed = draw(st.sampled_from(sorted(EFA_STEP_GIB)))
    plain_size = draw(st.sampled_from([1200, 2400, 4800, 38400]))
    size = EFA_STEP_GIB[speed] * draw(st.integers(1, 3)) if efa else plain_size
    associations = _associations(draw)
    # FSx keeps no backups of a file system that is tied to a bucket.
    backups = {} if associations else some(draw, backup_days=[0, 7, 90])
    return {
        "kind": "lustre",
        "capacity_gib": size,
        "throughput_mbps_per_tib": speed,
        "efa": efa,
        "associations": associations,
        **backups,
        **some(draw, metadata_iops=LUSTRE_IOPS, compression=["lz4", "none"], logs=LOGS),
        **_common(draw, around),
    }


def _tiering(draw: st.DrawFn, around: Surroundings) -> Data:
    steps = draw(st.integers(1, 5))
    return {
        "kind": "lustre-tiering",
        "throughput_mbps": 4000 * steps,
        "read_cache_gib": draw(st.sampled_from([0, 32 * steps, 20000 * steps])),
        "efa": not around.local and draw(st.booleans()),
        **some(draw, metadata_iops=[6000, 12000], compression=["lz4", "none"], logs=LOGS, backup_days=[7]),
        **_common(draw, around),
    }


def _openzfs(draw: st.DrawFn, around: Surroundings) -> Data:
    return {
        "kind": "openzfs",
        "capacity_gib": draw(st.integers(64, 524_288)),
        **some(
            draw,
            throughput_mbps=ZFS_MBPS,
            deployment=["single-az-2", "single-az-ha-2"],
            compression=["lz4", "zstd", "none"],
            backup_days=[0, 7, 90],
        ),
        **_common(draw, around),
    }


def _efs(draw: st.DrawFn, around: Surroundings) -> Data:
    key = f"arn:aws:kms:{around.region}:{ACCOUNT}:key/01234567-89ab-cdef-0123-456789abcdef"
    return {
        "kind": "efs",
        **some(draw, throughput=["elastic", "bursting"], backup=[True, False], kms_key=[key]),
    }


def _existing(draw: st.DrawFn, around: Surroundings) -> Data:
    group = {"security_group": "sg-0123456789abcdef0"}
    left_out = around.admitted and draw(st.booleans())
    return {"id": _fs_id(draw), **({} if left_out else group)}


def _existing_lustre(draw: st.DrawFn, around: Surroundings) -> Data:
    return {
        "kind": "existing-lustre",
        **_existing(draw, around),
        "mount_name": draw(st.sampled_from(["fsx", "abcdef1v"])),
        "efa": not around.local and draw(st.booleans()),
        **some(draw, options=[["noatime", "flock"]]),
    }


def _existing_openzfs(draw: st.DrawFn, around: Surroundings) -> Data:
    return {
        "kind": "existing-openzfs",
        **_existing(draw, around),
        **some(draw, path=["/fsx", "/fsx/home"], options=[["nfsvers=4.2", "nconnect=16"]]),
    }


def _existing_efs(draw: st.DrawFn, around: Surroundings) -> Data:
    return {
        "kind": "existing-efs",
        **_existing(draw, around),
        **some(draw, options=[["tls"], ["tls", "iam"]]),
    }


NEW = (_lustre, _tiering, _openzfs, _efs)
EXISTING = (_existing_lustre, _existing_openzfs, _existing_efs)
NOT_IN_A_LOCAL_ZONE = (_efs, _existing_efs)
FSX = (_lustre, _tiering, _openzfs)
NO_FSX = {"ap-southeast-6"}
"""Regions in which CloudFormation's registry has no AWS::FSx::FileSystem."""


@st.composite
def file_systems(draw: st.DrawFn, around: Surroundings, *, most: int = 4) -> list[Data]:
    """Up to four file systems of all kinds, mounted apart."""
    possible = [
        kind
        for kind in (NEW + EXISTING if around.existing else NEW)
        if not (around.local and kind in NOT_IN_A_LOCAL_ZONE)
        and not (around.region in NO_FSX and kind in FSX)
    ]
    kinds = draw(st.lists(st.sampled_from(possible), max_size=most))
    mounts = draw(st.permutations(MOUNTS))
    return [{**kind(draw, around), "mount": mount} for kind, mount in zip(kinds, mounts, strict=False)]

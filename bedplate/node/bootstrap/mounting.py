"""How each kind of file system is mounted, and how to tell that it is."""

from __future__ import annotations

from typing import Tuple

from bedplate.node.bootstrap.readers.mount_table import Mounted
from bedplate.node.bootstrap.settings import Mount

DEFAULT_OPTIONS = {
    # AWS-maintained mount-fsx-lustre.sh (PCS User Guide, "AWS-maintained scripts"): noatime,flock.
    "lustre": ("noatime", "flock"),
    # FSx for OpenZFS User Guide, "Mounting volumes": NFS 4.2, several connections for one client.
    "openzfs": ("noatime", "nfsvers=4.2", "rsize=1048576", "wsize=1048576", "timeo=600", "nconnect=16"),
    # AWS-maintained mount-efs.sh encrypts by default; the helper sets the NFS options that EFS advises
    # itself.
    "efs": ("tls", "noresvport"),
}
"""What a mount gets where its settings name no options."""
NFS_OPTIONS_OF_EFS = ("nfsvers=4.1", "rsize=1048576", "wsize=1048576", "hard", "timeo=600", "retrans=2")
"""EFS User Guide, "Recommended NFS mount options", for a mount without the helper."""
_OF_THE_HELPER = ("tls", "iam", "accesspoint", "mounttargetip", "awscredsuri", "az", "crossaccount")


def options_of(mount: Mount) -> Tuple[str, ...]:
    """The options of the settings, or the kind's own where there are none."""
    options = mount.options or DEFAULT_OPTIONS[mount.kind]
    if mount.kind == "efs" and not needs_efs_helper(mount):
        named = {option.partition("=")[0] for option in options}
        options = (*options, *(each for each in NFS_OPTIONS_OF_EFS if each.partition("=")[0] not in named))
    return tuple(options)


def needs_efs_helper(mount: Mount) -> bool:
    """Whether only the mount helper of amazon-efs-utils can mount it: by id, or with an option of its own."""
    if mount.kind != "efs":
        return False
    by_id = "." not in mount.source.partition(":")[0]
    options = mount.options or DEFAULT_OPTIONS["efs"]
    return by_id or any(option.partition("=")[0] in _OF_THE_HELPER for option in options)


def command(mount: Mount) -> Tuple[str, ...]:
    """The call of mount(8)."""
    kinds = {"lustre": "lustre", "openzfs": "nfs4", "efs": "efs" if needs_efs_helper(mount) else "nfs4"}
    return ("mount", "-t", kinds[mount.kind], "-o", ",".join(options_of(mount)), mount.source, mount.path)


def is_read_only(mount: Mount) -> bool:
    """Whether the settings ask for no writing."""
    return "ro" in mount.options


def why_another(mount: Mount, found: Mounted) -> str:
    """Empty where what is mounted is what the settings ask for; else what it is.

    Sources are not compared whole: Lustre shows its server's address for the name, the EFS helper shows its
    own end of the tunnel.
    """
    if mount.kind == "lustre":
        same = found.kind == "lustre" and found.source.rpartition("/")[2] == mount.source.rpartition("/")[2]
    elif needs_efs_helper(mount):
        same = found.kind.startswith("nfs")
    else:
        same = found.kind.startswith("nfs") and found.source.rstrip("/") == mount.source.rstrip("/")
    return "" if same else f"{found.source} ({found.kind}) is mounted at {mount.path}, not {mount.source}"

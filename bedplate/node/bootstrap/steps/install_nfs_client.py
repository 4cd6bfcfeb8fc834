"""The NFS client, and for EFS with TLS the mount helper of amazon-efs-utils; present, or installed.

Ubuntu's repositories have no amazon-efs-utils (EFS User Guide, "Installing the Amazon EFS client", builds
it from source): there it has to be in the image.
"""

from __future__ import annotations

from bedplate.node.bootstrap import packages
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.mounting import needs_efs_helper
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step


def _why_not(settings: NodeSettings) -> str:
    nfs = any(mount.kind in ("openzfs", "efs") for mount in settings.mounts)
    return "" if nfs else "no NFS file system"


def _run(host: Host, settings: NodeSettings) -> str:
    packages.ensure(host, program="mount.nfs4", apt="nfs-common", dnf="nfs-utils")
    if any(needs_efs_helper(mount) for mount in settings.mounts):
        packages.ensure(host, program="mount.efs", apt="", dnf="amazon-efs-utils")
        return "mount.nfs4 and mount.efs"
    return "mount.nfs4"


STEP = Step("install_nfs_client", _why_not, _run)

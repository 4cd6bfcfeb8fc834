"""Enroot on a node: its packages, its configuration, and what it needs of the kernel.

Settings: NVIDIA/pyxis wiki, "Setup", and the configuration that ParallelCluster's images bring
(aws/aws-parallelcluster-cookbook, ``templates/enroot/enroot.conf.erb``). ``/dev`` is not restricted, since
the restricted one has no ``/dev/infiniband`` (NVIDIA/enroot 4.1.2, ``conf/hooks/10-devices.sh``), and NCCL
would go without EFA. The cache is one for each user: in a shared one, layers of the first user cannot be read
by the next (awslabs/awsome-distributed-ai, ``install-enroot-pyxis.sh``).
"""

from __future__ import annotations

import shutil
from typing import Sequence

from bedplate.node.bootstrap import packages
from bedplate.node.bootstrap.attempts import must
from bedplate.node.bootstrap.containers import Download
from bedplate.node.bootstrap.fetching import fetch
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import HOME
from bedplate.node.bootstrap.step import StepFailedError

CONF = "/etc/enroot/enroot.conf"
CONF_TEXT = """\
# Written by Bedplate at every boot.
ENROOT_RUNTIME_PATH /run/enroot/user-$(id -u)
ENROOT_CACHE_PATH {folder}/cache/user-$(id -u)
ENROOT_DATA_PATH {folder}/data/user-$(id -u)
ENROOT_TEMP_PATH {folder}/tmp
ENROOT_SQUASH_OPTIONS -noI -noD -noF -noX -no-duplicates
ENROOT_MOUNT_HOME no
ENROOT_RESTRICT_DEV no
ENROOT_ROOTFS_WRITABLE yes
"""
RUNTIME = "/run/enroot"
HOOK = "/etc/enroot/hooks.d/50-slurm-pmi.sh"
_HOOK_SOURCE = "/usr/share/enroot/hooks.d/50-slurm-pmi.sh"
"""Hands PMIx into the container; Enroot brings it and leaves it off."""
SYSCTL = "/etc/sysctl.d/90-bedplate-enroot.conf"
_APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
_PROFILE = "/etc/apparmor.d/enroot"
INSTALLED = f"{HOME}/enroot.sha256"
"""The digests of the packages that were installed last."""
FETCHED = f"{HOME}/enroot"


def install(host: Host, wanted: Sequence[Download]) -> str:
    """Install these packages, once. Raises ``StepFailedError``."""
    digests = "".join(f"{each.sha256}  {each.name}\n" for each in wanted)
    if host.read(INSTALLED) == digests and host.has("enroot"):
        return "was installed"
    folder = host.path(FETCHED)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        packages.install_files(host, [str(fetch(host, each, FETCHED)) for each in wanted])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    host.write(INSTALLED, digests)
    return "installed"


def configure(host: Host, *, folder: str, gpus: int) -> str:
    """Write its configuration, with images and containers below ``folder``; returns its version. Raises
    ``StepFailedError`` where it cannot work on this node.
    """
    if not host.has("enroot"):
        raise StepFailedError(
            "the image has no enroot: take one that has it, or write `kind: packages` and name its packages"
        )
    if gpus and not host.has("nvidia-container-cli"):
        raise StepFailedError(
            "nvidia-container-cli is missing, without which Enroot puts no GPU into a container: name the "
            "package libnvidia-container-tools beside Enroot's, or take an image that has it"
        )
    for path in (folder, *(f"{folder}/{name}" for name in ("cache", "data", "tmp")), RUNTIME):
        host.path(path).mkdir(parents=True, exist_ok=True)
        host.path(path).chmod(0o1777)
    host.write(CONF, CONF_TEXT.format(folder=folder))
    _link_hook(host)
    _allow_user_namespaces(host)
    return must(host, "enroot", "version").stdout.strip()


def _link_hook(host: Host) -> None:
    link = host.path(HOOK)
    if host.read(_HOOK_SOURCE) is None or link.exists():
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(_HOOK_SOURCE)


def _allow_user_namespaces(host: Host) -> None:
    """NVIDIA/enroot, ``doc/requirements.md``."""
    most = (host.read("/proc/sys/user/max_user_namespaces") or "").strip()
    if most.isdigit() and int(most) < 2:
        raise StepFailedError(
            f"user.max_user_namespaces is {most}, and Enroot needs user namespaces: take this setting out of "
            "the image"
        )
    held = (host.read(f"/proc/sys/{_APPARMOR.replace('.', '/')}") or "").strip() == "1"
    if held and host.read(_PROFILE) is None:
        host.write(SYSCTL, f"{_APPARMOR} = 0\n")
        must(host, "sysctl", "-q", "-w", f"{_APPARMOR}=0")

"""Mount every network file system, and wait until a file can be written, read back and removed.

Not in fstab: a mount before LNet knows the EFAs would go over TCP. ParallelCluster writes its shared storage
there with ``x-systemd.automount`` (aws/aws-parallelcluster-cookbook, ``lustre/partial/_mount_unmount.rb``),
which mounts at the first look of anybody after a restart: such lines are taken out.

A file system that is still being made, or whose server restarts, is late: attempts with growing pauses, then
the step fails. That "mounted" is not "writable" was seen in awslabs/awsome-distributed-ai #632.
"""

from __future__ import annotations

import sys
from typing import List, Tuple

from bedplate.node.bootstrap.attempts import LONG_PAUSES, must, retry
from bedplate.node.bootstrap.fstab import without_paths
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.mounting import command, is_read_only, why_another
from bedplate.node.bootstrap.readers.mount_table import mounted_at
from bedplate.node.bootstrap.settings import Mount, NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError

_FSTAB = "/etc/fstab"
_MOUNT_SECONDS = 120.0
_WRITE_SECONDS = 30.0
# In a process of its own, since a write to a server that is gone never returns.
_WRITE = """\
import os, sys
folder, name = sys.argv[1:]
path = os.path.join(folder, ".bedplate", name)
os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
with open(path, "w") as file:
    file.write(name)
    file.flush()
    os.fsync(file.fileno())
with open(path) as file:
    same = file.read() == name
os.unlink(path)
sys.exit(0 if same else "what was read is not what was written")
"""
_READ = "import os, sys; os.statvfs(sys.argv[1]); os.listdir(sys.argv[1])"


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.mounts else "no network file system"


def _run(host: Host, settings: NodeSettings) -> str:
    problems: List[str] = []
    _leave_fstab(host, [mount.path for mount in settings.mounts])
    # A mount below another comes after it.
    for mount in sorted(settings.mounts, key=lambda mount: mount.path.count("/")):
        try:
            _mount(host, mount)
            _wait_until_usable(host, mount)
        except StepFailedError as error:
            host.log.say(f"{mount.path}: {error}")
            problems.append(f"{mount.path}: {error}")
    if problems:
        raise StepFailedError("; ".join(problems))
    return ", ".join(mount.path for mount in settings.mounts)


def _leave_fstab(host: Host, paths: List[str]) -> None:
    text = host.read(_FSTAB)
    if text is None:
        return
    kept, found = without_paths(text, paths)
    if found and host.write(_FSTAB, kept):
        host.log.say(f"took {', '.join(found)} out of {_FSTAB}")
        must(host, "systemctl", "daemon-reload")


def _mount(host: Host, mount: Mount) -> None:
    found = mounted_at(host.read("/proc/mounts") or "", mount.path)
    if found is not None:
        problem = why_another(mount, found)
        if problem:
            raise StepFailedError(f"{problem}: unmount it")
        return
    host.path(mount.path).mkdir(parents=True, exist_ok=True)
    if mount.kind == "lustre":
        must(host, "modprobe", "lustre")
    argv = command(mount)
    ran = retry(host, lambda: host.run(*argv, seconds=_MOUNT_SECONDS), pauses=LONG_PAUSES)
    if not ran.ok:
        raise StepFailedError(f"cannot be mounted from {mount.source}: {ran.last_words}")


def _wait_until_usable(host: Host, mount: Mount) -> None:
    argv = _probe(host, mount)
    ran = retry(host, lambda: host.run(*argv, seconds=_WRITE_SECONDS), pauses=LONG_PAUSES)
    if not ran.ok:
        what = "read" if is_read_only(mount) else "written to"
        raise StepFailedError(f"is mounted and cannot be {what}: {ran.last_words}")


def _probe(host: Host, mount: Mount) -> Tuple[str, ...]:
    target = str(host.path(mount.path))
    python = (sys.executable or "python3", "-I", "-c")
    if is_read_only(mount):
        return (*python, _READ, target)
    return (*python, _WRITE, target, host.instance_id or "node")


STEP = Step(
    "mount_file_systems", _why_not, _run, needs=("install_lustre_client", "set_up_lnet", "install_nfs_client")
)

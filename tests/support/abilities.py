"""What this machine's kernel and privileges allow: asked by trying, once."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_SMALL_BYTES = 1 << 20


def why_not_root() -> str:
    """Empty where this process may write users and give files away, were it in a folder of its own."""
    return "" if os.geteuid() == 0 else "this process is not root"


@functools.cache
def why_no_loop_devices() -> str:
    """Empty where a file can be made a block device and a folder a mount point; a container often cannot."""
    if os.geteuid() != 0:
        return "loop devices need root"
    if shutil.which("losetup") is None:
        return "there is no losetup"
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image"
        image.write_bytes(bytes(_SMALL_BYTES))
        made = _run("losetup", "--find", "--show", str(image))
        if made.returncode != 0:
            return f"no loop device can be made ({made.stderr.strip()})"
        _run("losetup", "--detach", made.stdout.strip())
        target = Path(folder) / "target"
        target.mkdir()
        mounted = _run("mount", "-t", "tmpfs", "tmpfs", str(target))
        if mounted.returncode != 0:
            return f"nothing can be mounted ({mounted.stderr.strip()})"
        _run("umount", str(target))
    if "\txfs\n" not in Path("/proc/filesystems").read_text():
        return "the kernel has no XFS loaded"
    return ""


@functools.cache
def why_no_md_arrays() -> str:
    """Empty where loop devices can be made an array."""
    if why_no_loop_devices():
        return why_no_loop_devices()
    for program in ("mdadm", "mkfs.xfs"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    if not Path("/proc/mdstat").exists():
        return "the kernel has no md loaded"
    return ""


def _run(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False)

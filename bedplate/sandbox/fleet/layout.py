"""The files of one simulated node: its root tree, its programs, and the environment of what runs on it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bedplate.sandbox.fleet import host_programs, versions
from bedplate.sandbox.fleet.block_layout import write_disks
from bedplate.sandbox.fleet.pingpong import with_pair, write_loopbacks
from bedplate.sandbox.fleet.sysfs import write_devices
from bedplate.sandbox.fleet.tools.imex_service import CONFIG, FIRST_CONFIG
from bedplate.sandbox.fleet.tools.names import tools_of
from bedplate.sandbox.fleet.tools.user_files import write_first_files
from bedplate.sandbox.fleet.truth import NodeTruth

TOOLS_PROGRAM = Path(__file__).parent / "tools" / "main.py"

_FOLDERS = (
    "dev",
    "etc/apt/apt.conf.d",
    "etc/needrestart/conf.d",
    "opt/bedplate",
    "proc/sys/kernel/random",
    "proc/sys/vm",
    "root",
    "run",
    "tmp",
    "var/lib/cloud/data",
    "var/log",
)


def lay_out(truth: NodeTruth) -> None:
    """Make the node's folder: root tree, programs, and ``truth.json``."""
    root = truth.root
    for name in _FOLDERS:
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "etc/hostname").write_text(truth.hostname + "\n", encoding="utf-8")
    (root / "proc/sys/kernel/random/boot_id").write_text(truth.boot_id + "\n", encoding="utf-8")
    (root / "var/lib/cloud/data/instance-id").write_text(truth.instance_id + "\n", encoding="utf-8")
    (root / "proc/sys/vm/nr_hugepages").write_text("0\n", encoding="utf-8")
    (root / "proc/meminfo").write_text(_memory(truth), encoding="utf-8")
    (root / "etc/os-release").write_text(_OS_RELEASE, encoding="utf-8")
    if truth.hardware.gpus:
        (root / "sys/module/gdrdrv").mkdir(parents=True)
        (root / "sys/module/gdrdrv/version").write_text(f"{versions.GDRCOPY}\n", encoding="ascii")
    if truth.hardware.imex:
        for name, text in ((CONFIG, FIRST_CONFIG), ("dev/nvidia-caps-imex-channels/channel0", "")):
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text(text, encoding="utf-8")
    # The image's Enroot and Pyxis, as on ParallelCluster's.
    plugin = root / "usr/local/lib/slurm/spank_pyxis.so"
    plugin.parent.mkdir(parents=True)
    plugin.touch()
    write_first_files(root)
    write_disks(truth)
    if truth.hardware.efa_count:
        packages = root / "opt/amazon/efa_installed_packages"
        packages.parent.mkdir(parents=True)
        packages.write_text(_efa_packages(truth.instance_type), encoding="utf-8")
    _write_programs(truth)
    write_devices(truth)
    write_loopbacks(truth)
    truth.write()


def node_environment(truth: NodeTruth, extra: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of what runs on the node; nothing of the sandbox's own leaks into it."""
    return {
        "PATH": f"{truth.folder / 'bin'}:{truth.folder.parent / host_programs.FOLDER}",
        "BEDPLATE_ROOT": str(truth.root),
        "BEDPLATE_SIMULATED": "1",
        "HOME": str(truth.root / "root"),
        "TMPDIR": str(truth.root / "tmp"),
        "HOSTNAME": truth.hostname,
        "LANG": "C.UTF-8",
        "USER": "root",
        # A boot script that retries need not pause: what it waits for here is there, or never comes.
        "BEDPLATE_PAUSE_SCALE": "0",
        **extra,
    }


def _write_programs(truth: NodeTruth) -> None:
    folder = truth.folder / "bin"
    folder.mkdir(exist_ok=True)
    # -S and -E: no site-packages and no PYTHON* variables, so that a tool starts in a few milliseconds.
    start = f'exec "{host_programs.interpreter()}" -S -E "{TOOLS_PROGRAM}" "{truth.folder}"'
    for name in tools_of(truth.role, gpus=truth.hardware.gpus):
        launcher = folder / name
        line = f'{start} {name} "$@"\n'
        text = with_pair(line, folder=str(truth.folder)) if name == "fi_pingpong" else line
        launcher.write_text(f"#!/bin/sh\n{text}", encoding="utf-8")
        launcher.chmod(0o755)


def _memory(truth: NodeTruth) -> str:
    """The size of a huge page; how many there are is what ``sysctl`` says."""
    total_kib = truth.hardware.memory_gib * 1024 * 1024
    return f"MemTotal:       {total_kib} kB\nHugepagesize:       2048 kB\n"


_OS_RELEASE = 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="24.04"\nVERSION_CODENAME=noble\n'


def _efa_packages(instance_type: str) -> str:
    """``/opt/amazon/efa_installed_packages`` as the installer writes it."""
    return f"""\
# EFA installer version: {versions.efa_installer(instance_type)}
# Debug packages installed: no
# Packages installed:
efa-config_1.18_all efa-profile_1.7_all libfabric-aws-bin_{versions.LIBFABRIC}_amd64 \
libfabric1-aws_{versions.LIBFABRIC}_amd64 libnccl-ofi_{versions.ofi_plugin(instance_type)}-1_amd64 \
efa_{versions.EFA_DRIVER.rstrip("g")}-1.amzn1_amd64
"""

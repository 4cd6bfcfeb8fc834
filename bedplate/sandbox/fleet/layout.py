"""The files of one simulated node: its root tree, its kernel's view of devices, and its programs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import efa_device_id, efa_name, efa_pci_address, other_rdma_devices
from bedplate.sandbox.fleet.tools.names import tools_of
from bedplate.sandbox.fleet.truth import Hardware, NodeTruth

TOOLS_PROGRAM = Path(__file__).parent / "tools" / "main.py"

# Programs of the host that a node's scripts may use: they read, write and sort files, and configure nothing. Whatever else a
# script calls is "command not found", so that a bootstrap can never reach the machine that plays the node.
HOST_PROGRAMS = [
    "awk",
    "base64",
    "basename",
    "bash",
    "cat",
    "chmod",
    "chown",
    "comm",
    "cp",
    "cut",
    "date",
    "dd",
    "df",
    "diff",
    "dirname",
    "echo",
    "env",
    "expr",
    "false",
    "find",
    "flock",
    "getent",
    "gzip",
    "gunzip",
    "head",
    "id",
    "install",
    "kill",
    "ln",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "nproc",
    "od",
    "paste",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sh",
    "sha256sum",
    "sleep",
    "sort",
    "split",
    "stat",
    "tail",
    "tar",
    "tee",
    "test",
    "timeout",
    "touch",
    "tr",
    "true",
    "truncate",
    "uniq",
    "wc",
    "which",
    "xargs",
    "grep",
]


def lay_out(truth: NodeTruth) -> None:
    """Make the node's folder: root tree, programs, and ``truth.json``."""
    root = truth.root
    for name in (
        "etc",
        "opt/bedplate",
        "proc/sys/kernel/random",
        "root",
        "run",
        "tmp",
        "var/lib/cloud/data",
        "var/log",
    ):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "etc/hostname").write_text(truth.hostname + "\n", encoding="utf-8")
    (root / "proc/sys/kernel/random/boot_id").write_text(truth.boot_id + "\n", encoding="utf-8")
    (root / "var/lib/cloud/data/instance-id").write_text(truth.instance_id + "\n", encoding="utf-8")
    if truth.hardware.efa_count:
        packages = root / "opt/amazon/efa_installed_packages"
        packages.parent.mkdir(parents=True)
        packages.write_text(_EFA_PACKAGES, encoding="utf-8")
    _write_programs(truth)
    write_devices(truth)
    truth.write()


def node_environment(truth: NodeTruth, extra: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of what runs on the node; nothing of the sandbox's own leaks into it."""
    return {
        "PATH": f"{truth.folder / 'bin'}:{truth.folder.parent / 'host-bin'}",
        "BEDPLATE_ROOT": str(truth.root),
        "BEDPLATE_SIMULATED": "1",
        "HOME": str(truth.root / "root"),
        "TMPDIR": str(truth.root / "tmp"),
        "HOSTNAME": truth.hostname,
        "LANG": "C.UTF-8",
        "USER": "root",
        **extra,
    }


def write_host_programs(fleet_folder: Path) -> None:
    """Links to the host's programs that every node may use, and to the interpreter that runs this sandbox."""
    folder = fleet_folder / "host-bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name in HOST_PROGRAMS:
        found = shutil.which(name)
        if found and not (folder / name).exists():
            (folder / name).symlink_to(found)
    if not (folder / "python3").exists():
        (folder / "python3").symlink_to(_interpreter())


def _interpreter() -> Path:
    """The real interpreter: a virtual environment's own starts slower, and a node has no such thing."""
    return Path(sys.executable).resolve()


def _write_programs(truth: NodeTruth) -> None:
    folder = truth.folder / "bin"
    folder.mkdir(exist_ok=True)
    for name in tools_of(truth.role, gpus=truth.hardware.gpus):
        launcher = folder / name
        # -S and -E: no site-packages and no PYTHON* variables, so that a tool starts in a few milliseconds.
        text = f'#!/bin/sh\nexec "{_interpreter()}" -S -E "{TOOLS_PROGRAM}" "{truth.folder}" {name} "$@"\n'
        launcher.write_text(text, encoding="utf-8")
        launcher.chmod(0o755)


def write_devices(truth: NodeTruth) -> None:
    """(Re)write the kernel's view of RDMA devices: a lost EFA device is absent, a slow one looks like any other."""
    folder = truth.root / "sys/class/infiniband"
    if folder.exists():
        shutil.rmtree(folder)
    if not truth.hardware.efa_count:
        return
    folder.mkdir(parents=True)
    for index in truth.efas:
        address = efa_pci_address(truth.hardware, index)
        _write_device(
            truth, efa_name(truth.hardware, index), "0x1d0f", efa_device_id(truth.hardware), "efa", address
        )
    for name, vendor, device, driver in other_rdma_devices(truth.hardware):
        _write_device(truth, name, vendor, device, driver, "0000:00:1f.0")


def _write_device(truth: NodeTruth, name: str, vendor: str, device: str, driver: str, address: str) -> None:
    folder = truth.root / "sys/class/infiniband" / name
    pci = folder / "device"
    counters = folder / "ports/1/hw_counters"
    pci.mkdir(parents=True)
    counters.mkdir(parents=True)
    (pci / "vendor").write_text(vendor + "\n", encoding="ascii")
    (pci / "device").write_text(device + "\n", encoding="ascii")
    (pci / "uevent").write_text(f"DRIVER={driver}\nPCI_SLOT_NAME={address}\n", encoding="ascii")
    drivers = truth.root / "sys/bus/pci/drivers" / driver
    drivers.mkdir(parents=True, exist_ok=True)
    (pci / "driver").symlink_to(drivers)
    (folder / "ports/1/state").write_text("4: ACTIVE\n", encoding="ascii")
    for counter in _COUNTERS if driver == "efa" else ():
        (counters / counter).write_text("0\n", encoding="ascii")


# The names that the EFA driver exports (linux drivers/infiniband/hw/efa/efa_verbs.c).
_COUNTERS = [
    "tx_bytes",
    "tx_pkts",
    "rx_bytes",
    "rx_pkts",
    "rx_drops",
    "send_bytes",
    "send_wrs",
    "recv_bytes",
    "recv_wrs",
    "rdma_read_wrs",
    "rdma_read_bytes",
    "rdma_read_wr_err",
    "rdma_read_resp_bytes",
    "rdma_write_wrs",
    "rdma_write_bytes",
    "rdma_write_wr_err",
    "rdma_write_recv_bytes",
    "retrans_bytes",
    "retrans_pkts",
    "retrans_timeout_events",
    "impaired_remote_conn_events",
    "unresponsive_remote_events",
]

_EFA_PACKAGES = f"""\
# EFA installer version: {versions.EFA_INSTALLER}
# Debug packages installed: no
# Packages installed:
efa-config_1.18_all efa-profile_1.7_all libfabric-aws-bin_{versions.LIBFABRIC}_amd64 libfabric1-aws_{versions.LIBFABRIC}_amd64 \
libnccl-ofi_{versions.OFI_PLUGIN}-1_amd64 efa_{versions.EFA_DRIVER.rstrip("g")}-1.amzn1_amd64
"""


def read_hardware(instance_type: str, *, role: str) -> Hardware:
    """The parts of the hardware table that the stand-ins print; a login node has no GPU whatever its type.

    Raises ``UnknownInstanceType`` for a compute node whose type the table does not have.
    """
    if role == "login":
        return Hardware()
    from bedplate.hardware import instance_type as find

    row = find(instance_type)
    return Hardware(
        gpus=row.gpus,
        gpu_model=row.gpu.model,
        gpu_memory_mib=row.gpu.memory_mib or 0,
        nvlinks=row.gpu.nvlinks if row.gpus > 1 or row.has_nvswitch else 0,
        efa_count=row.efa_count,
        efa_generation=row.efa_generation or 0,
        efa_gbps_each=row.efa_gbps_each,
        gpudirect=row.has_gpudirect_rdma,
        architecture=row.architecture,
        vcpus=row.vcpus,
        memory_gib=row.memory_gib,
        nvme_count=row.nvme_count,
    )

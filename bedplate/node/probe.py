"""``probe``: the passive facts of one node. Puts no load on a GPU, so it may run beside a job."""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from bedplate.diagnosis.tools import KERNEL_LOG, NVIDIA_SMI, PROBE_TOOLS
from bedplate.node.collectives import BINARIES
from bedplate.node.identity import node_root
from bedplate.node.places import extended_path, off_path_folder
from bedplate.node.process import Limits, ToolRun, run_tool

HELP = "passive facts of this node: GPUs, EFA devices, kernel log, versions"

_DEADLINE_SECONDS = 30.0
# Each tool hangs in its own way on a sick node, so each has its own deadline; these need more than others.
_DEADLINES = {NVIDIA_SMI: 60.0, KERNEL_LOG: 60.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The probe takes none of its own."""


def run(_arguments: argparse.Namespace) -> Dict[str, Any]:
    """Run every tool, read sysfs, and return what they said, unjudged."""
    with ThreadPoolExecutor(max_workers=len(PROBE_TOOLS)) as pool:
        runs = list(pool.map(_run, PROBE_TOOLS))
    return {
        "tools": [tool_run.as_json() for tool_run in runs],
        "infiniband": infiniband_devices(Path(node_root() + "/sys/class/infiniband")),
        "files": {
            "efa_installed_packages": _text(Path(node_root() + "/opt/amazon/efa_installed_packages")) or None,
            "bootstrap": _text(Path(node_root() + "/opt/bedplate/bootstrap.json")) or None,
        },
        "nccl_tests": off_path_folder(BINARIES["all_reduce"], holds="nccl-tests"),
    }


def _run(argv: Tuple[str, ...]) -> ToolRun:
    limits = Limits(_DEADLINES.get(argv, _DEADLINE_SECONDS))
    return run_tool(argv=argv, limits=limits, environment={"PATH": extended_path()})


def infiniband_devices(folder: Path) -> Optional[List[Dict[str, Any]]]:
    """Every device of the folder with its PCI vendor and device id, its driver's name and its counters.

    The folder lists more than EFA on some types (NVLink ports on p6-b200), so the vendor id (Amazon: 0x1d0f)
    decides later. None where sysfs itself is not there to be read; a missing folder means no device.
    """
    if not folder.parent.is_dir():
        return None
    if not folder.is_dir():
        return []
    return [_device(path) for path in sorted(folder.iterdir(), key=lambda path: path.name)]


def _device(path: Path) -> Dict[str, Any]:
    driver = path / "device" / "driver"
    return {
        "name": path.name,
        "vendor": _text(path / "device" / "vendor"),
        "device": _text(path / "device" / "device"),
        "driver": driver.resolve().name if driver.exists() or driver.is_symlink() else "",
        "hw_counters": _counters(path),
    }


def _counters(path: Path) -> Dict[str, int]:
    """The counters of the device (``hw_counters``) and of its first port, those that are whole numbers."""
    found: Dict[str, int] = {}
    for folder in (path / "hw_counters", path / "ports" / "1" / "hw_counters"):
        if folder.is_dir():
            for counter in sorted(folder.iterdir()):
                text = _text(counter)
                if text.isdigit():
                    found[counter.name] = int(text)
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""

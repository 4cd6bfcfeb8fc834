"""``probe``: the passive facts of one node. Puts no load on a GPU, so it may run beside a job."""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Tuple

from bedplate.diagnosis.gpu_tools import NVIDIA_SMI_DETAILS
from bedplate.diagnosis.tools import KERNEL_LOG, NVIDIA_SMI, PROBE_TOOLS
from bedplate.node.block_devices import nvme_disks
from bedplate.node.collectives import BINARIES
from bedplate.node.identity import node_root
from bedplate.node.infiniband import infiniband_devices, infiniband_folder
from bedplate.node.places import extended_path, off_path_folder
from bedplate.node.process import Limits, ToolRun, run_tool
from bedplate.node.redaction import without_lists

HELP = "passive facts of this node: GPUs, EFA devices, kernel log, versions"

_DEADLINE_SECONDS = 30.0
# Each tool hangs in its own way on a sick node, so each has its own deadline; these need more than others.
_DEADLINES = {NVIDIA_SMI: 60.0, NVIDIA_SMI_DETAILS: 60.0, KERNEL_LOG: 60.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The probe takes none of its own."""


def run(_arguments: argparse.Namespace) -> Dict[str, Any]:
    """Run every tool, read sysfs, and return what they said, unjudged."""
    with ThreadPoolExecutor(max_workers=len(PROBE_TOOLS)) as pool:
        runs = list(pool.map(_run, PROBE_TOOLS))
    return {
        "tools": [tool_run.as_json() for tool_run in runs],
        "infiniband": infiniband_devices(infiniband_folder()),
        "block_devices": nvme_disks(Path(node_root() + "/sys/block")),
        "files": {
            "efa_installed_packages": _text(Path(node_root() + "/opt/amazon/efa_installed_packages")) or None,
            "meminfo": _text(Path(node_root() + "/proc/meminfo")) or None,
            "bootstrap": _text(Path(node_root() + "/opt/bedplate/bootstrap.json")) or None,
        },
        "nccl_tests": off_path_folder(BINARIES["all_reduce"], holds="nccl-tests"),
    }


def _run(argv: Tuple[str, ...]) -> ToolRun:
    limits = Limits(_DEADLINES.get(argv, _DEADLINE_SECONDS))
    run = run_tool(argv=argv, limits=limits, environment={"PATH": extended_path()})
    return replace(run, stdout=without_lists(run.stdout)) if argv == NVIDIA_SMI_DETAILS else run


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""

"""What the numbers were taken on; a time without its machine says little."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path


def describe_machine() -> dict[str, str]:
    """Processor, cores, load before the start, and the versions that matter."""
    from tests.support.surroundings import node_binary

    node = subprocess.run([str(node_binary()), "--version"], capture_output=True, text=True, check=True)
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "load before": f"{os.getloadavg()[0]:.2f}",
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "node": node.stdout.strip().removeprefix("v"),
        "aws-cdk-lib": version("aws-cdk-lib"),
        "pydantic": version("pydantic"),
    }


def source_version() -> str:
    """The commit of this tree, with a plus where files were changed; empty where there is no git."""
    words = ("git", "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=9")
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()

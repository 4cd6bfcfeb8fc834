"""Where programs lie on images for AWS that are not on PATH. Data; what PATH has always goes first.

None of these was tried on a real image by this project: ``source`` says who tells of the place, and
``documented`` whether that is AWS's own word for machine images. Validation needs besides: a PMIx plugin for
``srun --mpi=pmix`` and nccl-tests built with MPI=1 (``srun --mpi=list`` names the plugins).
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import List, Tuple

from bedplate.node.identity import node_root


@dataclass(frozen=True)
class Place:
    """A folder of programs, as a glob from the root; ``{slurm}`` stands for the cluster's Slurm version."""

    pattern: str
    holds: str
    source: str
    documented: bool


PLACES: Tuple[Place, ...] = (
    Place(
        "usr/local/cuda-*/efa/test-cuda-*",
        "nccl-tests",
        "AWS Deep Learning AMI release notes; aws-samples/awsome-distributed-training "
        "micro-benchmarks/nccl-tests/slurm/nccl-tests-ami.sbatch",
        True,
    ),
    Place(
        "opt/nccl-tests/build",
        "nccl-tests",
        "awslabs/awsome-distributed-ai micro-benchmarks/nccl-tests/nccl-tests.Dockerfile (a container)",
        False,
    ),
    Place(
        "opt/aws/pcs/scheduler/slurm-{slurm}/bin",
        "Slurm's clients",
        'AWS PCS User Guide, "Installing Slurm"; an image may hold several versions',
        True,
    ),
    Place(
        "usr/sbin",
        "mdadm, lnetctl and lctl",
        "packages of Debian, Ubuntu and Amazon Linux; a job's PATH need not have it",
        False,
    ),
    Place("opt/slurm/bin", "Slurm's clients", "AWS ParallelCluster", True),
    Place(
        "usr/libexec/datacenter-gpu-manager-4/plugins/cuda*",
        "nvbandwidth",
        "NVIDIA/DCGM nvvs/plugin_src/common/PluginCommon.cpp",
        False,
    ),
    Place("opt/amazon/efa/bin", "fi_info", "EC2 User Guide, EFA installer", True),
)


def extended_path(*, first: Tuple[str, ...] = (), slurm: str = "") -> str:
    """PATH, then ``first``, then the places that exist here (newest version first).

    ``slurm`` is the cluster's version, e.g. ``25.11``: clients newer than their cluster are refused by it.
    """
    parts = [*os.environ.get("PATH", "").split(os.pathsep), *first, *folders(slurm=slurm)]
    return os.pathsep.join(dict.fromkeys(part for part in parts if part))


def folders(*, holds: str = "", slurm: str = "") -> List[str]:
    """The places that exist on this node, those that hold ``holds`` where it is given."""
    root = Path(node_root() or "/")
    return [
        str(path)
        for place in PLACES
        if not holds or place.holds == holds
        for path in sorted(root.glob(place.pattern.format(slurm=slurm or "*")), key=_version, reverse=True)
        if path.is_dir()
    ]


def off_path_folder(program: str, *, holds: str) -> str:
    """The known place that holds ``program``; empty where PATH has it already, or no place has it."""
    if shutil.which(program) is not None:
        return ""
    return next((folder for folder in folders(holds=holds) if shutil.which(program, path=folder)), "")


def _version(path: Path) -> List[int]:
    return [int(number) for number in re.findall(r"\d+", str(path))]

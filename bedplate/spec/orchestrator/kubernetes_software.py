"""Which software a Kubernetes cluster has, by name, and what of it cannot be in one cluster together.

The names are those of the table in ``bedplate/kubernetes/versions.json``, which says where each comes from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod

BASE_ADD_ONS = ("eks-pod-identity-agent", "vpc-cni", "kube-proxy", "coredns")
"""In this order: drivers after them get their rights from the first, and nodes are ready with the second."""

_STORAGE_ADD_ONS = {
    "lustre": "aws-fsx-csi-driver",
    "lustre-tiering": "aws-fsx-csi-driver",
    "existing-lustre": "aws-fsx-csi-driver",
    "efs": "aws-efs-csi-driver",
    "existing-efs": "aws-efs-csi-driver",
}
"""Kind of file system → its driver. OpenZFS has none: the kubelet mounts NFS by itself."""


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """More than one component takes a part that a cluster has once."""

    part: str
    names: tuple[str, ...]
    remedy: str

    def __str__(self) -> str:
        return f"{self.part}: {', '.join(self.names)} cannot be in one cluster. {self.remedy}"


@dataclass(frozen=True, kw_only=True)
class _Part:
    name: str
    takers: frozenset[str]
    remedy: str


_PARTS = (
    _Part(
        name="DCGM",
        takers=frozenset({"eks-node-monitoring-agent", "gpu-operator-dcgm", "dcgm-exporter"}),
        remedy="A node with two DCGM engines is taken for a broken one and killed: leave the exporter out, "
        "or set node_repair: none.",
    ),
    _Part(
        name="the GPUs' device plugin",
        takers=frozenset(
            {"nvidia-device-plugin", "gpu-operator-device-plugin", "bottlerocket-device-plugin"}
        ),
        remedy="Two offer the same GPUs twice: keep one.",
    ),
    _Part(
        name="what offers EFAs",
        takers=frozenset({"efa-device-plugin", "efa-dra-driver"}),
        remedy="Two offer the same EFAs twice: keep the one that efa_software names.",
    ),
    _Part(
        name="a scheduler beside Kubernetes' own",
        takers=frozenset({"volcano", "kai-scheduler"}),
        remedy="Two that place on one pool book its GPUs twice: keep the one that scheduler names.",
    ),
    _Part(
        name="Kueue",
        takers=frozenset({"kueue", "hyperpod-task-governance"}),
        remedy="Task governance brings a Kueue of its own: set admission: none, or leave it out.",
    ),
)


def cluster_software(
    orchestrator: Eks | EksHyperPod,
    *,
    file_system_kinds: Iterable[str] = (),
    has_efa: bool = True,
    dcgm_exporter: bool = False,
) -> tuple[str, ...]:
    """Names of everything that is installed, and of what the image brings, in no order that matters.

    ``dcgm_exporter`` asks the GPU Operator for its exporter, with a DCGM in it; nothing else here brings one.
    """
    return (
        *_add_ons(orchestrator, file_system_kinds=file_system_kinds),
        *(("hyperpod-dependencies",) if isinstance(orchestrator, EksHyperPod) else ()),
        *_gpu_software(orchestrator, dcgm_exporter=dcgm_exporter),
        *_efa_software(orchestrator, has_efa=has_efa),
        *_job_software(orchestrator),
    )


def conflicts(names: Iterable[str]) -> tuple[Conflict, ...]:
    """Every part that more than one of these takes."""
    taken = [(part, tuple(sorted(part.takers & set(names)))) for part in _PARTS]
    return tuple(
        Conflict(part=part.name, names=found, remedy=part.remedy) for part, found in taken if len(found) > 1
    )


def refuse_conflicts(names: Iterable[str]) -> None:
    """``ValueError`` with each conflict and its remedy."""
    if found := conflicts(tuple(names)):
        raise ValueError(" ".join(str(each) for each in found))


def _add_ons(orchestrator: Eks | EksHyperPod, *, file_system_kinds: Iterable[str]) -> tuple[str, ...]:
    found = list(BASE_ADD_ONS)
    wanted = {_STORAGE_ADD_ONS[kind] for kind in file_system_kinds if kind in _STORAGE_ADD_ONS}
    found.extend(sorted(wanted, reverse=True))
    if isinstance(orchestrator, Eks):
        if orchestrator.mountpoint_s3:
            found.append("aws-mountpoint-s3-csi-driver")
        if orchestrator.node_repair == "automatic":
            found.append("eks-node-monitoring-agent")
    found.append("metrics-server")
    if isinstance(orchestrator, EksHyperPod):
        if orchestrator.training_operator:
            found.extend(("cert-manager", "hyperpod-training-operator"))
        if orchestrator.task_governance:
            found.append("hyperpod-task-governance")
    return tuple(found)


def _gpu_software(orchestrator: Eks | EksHyperPod, *, dcgm_exporter: bool) -> tuple[str, ...]:
    built_in = isinstance(orchestrator, Eks) and orchestrator.image == "bottlerocket"
    image = ("bottlerocket-device-plugin",) if built_in else ()
    if orchestrator.gpu_software == "gpu-operator":
        plugin = () if built_in else ("gpu-operator-device-plugin",)
        dcgm = ("gpu-operator-dcgm",) if dcgm_exporter else ()
        return (*image, "gpu-operator", *plugin, *dcgm)
    plugin = () if built_in else ("nvidia-device-plugin",)
    dra = ("nvidia-dra-driver-gpu",) if orchestrator.gpu_software == "dra-driver" else ()
    return (*image, *plugin, *dra)


def _efa_software(orchestrator: Eks | EksHyperPod, *, has_efa: bool) -> tuple[str, ...]:
    if not has_efa:
        return ()
    return ("efa-device-plugin",) if orchestrator.efa_software == "device-plugin" else ("efa-dra-driver",)


def _job_software(orchestrator: Eks | EksHyperPod) -> tuple[str, ...]:
    found: list[str] = []
    if {"trainer", "jobset"} & set(orchestrator.jobs):
        found.append("jobset")
    if "trainer" in orchestrator.jobs:
        found.append("kubeflow-trainer")
    if "leader-worker-set" in orchestrator.jobs:
        found.append("leader-worker-set")
    # HyperPod's own chart has an MPI operator, which can be switched on there.
    if "mpi-operator" in orchestrator.jobs and isinstance(orchestrator, Eks):
        found.append("mpi-operator")
    if orchestrator.admission == "kueue":
        found.append("kueue")
    scheduler = {"volcano": ("volcano",), "kai": ("kai-scheduler",), "default": ()}
    found.extend(scheduler[orchestrator.scheduler])
    return tuple(found)

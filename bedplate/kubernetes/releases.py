"""Which Helm releases a cluster has, in the order of installing; add-ons come before them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.hardware import instance_type
from bedplate.kubernetes.bill import refuse_old
from bedplate.kubernetes.charts.efa import efa_device_plugin_values, efa_dra_driver_values
from bedplate.kubernetes.charts.gpu_operator import gpu_operator_values
from bedplate.kubernetes.charts.jobset import jobset_values
from bedplate.kubernetes.charts.kai_scheduler import kai_scheduler_values
from bedplate.kubernetes.charts.kubeflow_trainer import kubeflow_trainer_values
from bedplate.kubernetes.charts.kueue import kueue_values
from bedplate.kubernetes.charts.leader_worker_set import leader_worker_set_values
from bedplate.kubernetes.charts.nvidia_device_plugin import nvidia_device_plugin_values
from bedplate.kubernetes.charts.nvidia_dra_driver import nvidia_dra_driver_values
from bedplate.kubernetes.charts.volcano import volcano_values
from bedplate.kubernetes.release import Release
from bedplate.kubernetes.versions import component
from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.orchestrator.kubernetes_software import cluster_software, refuse_conflicts
from bedplate.spec.pools import Pool


@dataclass(frozen=True, kw_only=True)
class _Cluster:
    orchestrator: Eks | EksHyperPod
    names: frozenset[str]
    imex_types: tuple[str, ...]


_Values = Callable[[str, _Cluster], dict[str, Any]]

_VALUES: Mapping[str, _Values] = {
    "gpu-operator": lambda version, cluster: gpu_operator_values(
        version=version,
        device_plugin="gpu-operator-device-plugin" in cluster.names,
        dcgm_exporter="gpu-operator-dcgm" in cluster.names,
    ),
    "nvidia-device-plugin": lambda _, cluster: nvidia_device_plugin_values(cliques=bool(cluster.imex_types)),
    "nvidia-dra-driver-gpu": lambda _, cluster: nvidia_dra_driver_values(instance_types=cluster.imex_types),
    "efa-device-plugin": lambda _, __: efa_device_plugin_values(),
    "efa-dra-driver": lambda _, __: efa_dra_driver_values(),
    "jobset": lambda version, _: jobset_values(version=version),
    "kubeflow-trainer": lambda version, _: kubeflow_trainer_values(version=version),
    "leader-worker-set": lambda version, _: leader_worker_set_values(version=version),
    "volcano": lambda version, _: volcano_values(version=version),
    "kai-scheduler": lambda version, _: kai_scheduler_values(version=version),
    "kueue": lambda version, cluster: kueue_values(version=version, jobs=cluster.orchestrator.jobs),
}
"""In the order of installing. Kueue is last: it reads the kinds of the others, and while it starts its
webhook refuses the jobs by which charts install themselves.
"""

_NEEDS: Mapping[str, tuple[str, ...]] = {
    "kubeflow-trainer": ("jobset",),
    "kueue": tuple(name for name in _VALUES if name != "kueue"),
}
"""Release → those that come before it, where the cluster has them."""


def releases(
    orchestrator: Eks | EksHyperPod, *, pools: Iterable[Pool], dcgm_exporter: bool = False
) -> tuple[Release, ...]:
    """Every release in order. ``dcgm_exporter`` asks the GPU Operator for its exporter.

    The MPI operator is none of them, since it has no chart. ``ValueError`` where two take one part of the
    cluster, where a pool needs the DRA driver and has it not, and where a pin is too old for a pool.
    """
    types = {each.name: each for each in (instance_type(pool.instance_type) for pool in pools)}
    names = cluster_software(
        orchestrator, has_efa=any(each.efa_max for each in types.values()), dcgm_exporter=dcgm_exporter
    )
    refuse_conflicts(names)
    imex = sorted(name for name, each in types.items() if each.needs_imex)
    if imex and "nvidia-dra-driver-gpu" not in names:
        raise ValueError(
            f"{', '.join(imex)}: NVLink between nodes needs NVIDIA's DRA driver. "
            "Set gpu_software: dra-driver."
        )
    prefix = "ml." if isinstance(orchestrator, EksHyperPod) else ""
    cluster = _Cluster(
        orchestrator=orchestrator,
        names=frozenset(names),
        imex_types=tuple(f"{prefix}{name}" for name in imex),
    )
    found = tuple(_release(name, cluster) for name in _VALUES if name in cluster.names)
    refuse_old((each.component for each in found), families=sorted({each.family for each in types.values()}))
    return found


def _release(name: str, cluster: _Cluster) -> Release:
    row = component(name)
    return Release(
        component=row,
        values=_VALUES[name](row.version.removeprefix("v"), cluster),
        after=tuple(each for each in _NEEDS.get(name, ()) if each in cluster.names),
    )

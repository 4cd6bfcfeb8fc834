"""What can be in one Kubernetes cluster together, and what cannot."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.orchestrator.kubernetes_software import (
    cluster_software,
    conflicts,
    refuse_conflicts,
)


def _eks(**fields: Any) -> Eks:
    return Eks.model_validate({"kind": "eks", **fields})


@pytest.mark.parametrize(
    ("names", "part", "remedy"),
    [
        (("eks-node-monitoring-agent", "gpu-operator-dcgm"), "DCGM", "node_repair: none"),
        (("gpu-operator-dcgm", "dcgm-exporter"), "DCGM", "leave the exporter out"),
        (("nvidia-device-plugin", "bottlerocket-device-plugin"), "device plugin", "keep one"),
        (("nvidia-device-plugin", "gpu-operator-device-plugin"), "device plugin", "keep one"),
        (("efa-device-plugin", "efa-dra-driver"), "EFAs", "efa_software"),
        (("volcano", "kai-scheduler"), "scheduler", "scheduler names"),
        (("kueue", "hyperpod-task-governance"), "Kueue", "admission: none"),
    ],
)
def test_two_that_take_one_part_are_refused(names: tuple[str, ...], part: str, remedy: str) -> None:
    """Each pair is told by name with its remedy, and either of them alone is well."""
    (found,) = conflicts(names)
    assert part in found.part
    assert found.names == tuple(sorted(names))
    assert remedy in found.remedy
    assert [conflicts((name,)) for name in names] == [(), ()]
    with pytest.raises(ValueError, match=remedy):
        refuse_conflicts((*names, "kube-proxy"))


@pytest.mark.parametrize("gpu_software", ["device-plugin", "gpu-operator", "dra-driver"])
@pytest.mark.parametrize("image", ["al2023", "bottlerocket"])
def test_what_a_file_can_ask_of_eks_fits_together(gpu_software: str, image: str) -> None:
    """No combination of these fields puts two of a kind into a cluster, and each has one device plugin."""
    fields = (("volcano", "kai", "default"), ("kueue", "none"), ("device-plugin", "dra-driver"))
    for scheduler, admission, efa_software in product(*fields):
        names = cluster_software(
            _eks(
                gpu_software=gpu_software,
                image=image,
                scheduler=scheduler,
                admission=admission,
                efa_software=efa_software,
            ),
            file_system_kinds=("lustre", "efs", "openzfs"),
        )
        assert conflicts(names) == ()
        assert len(set(names)) == len(names)
        assert len([name for name in names if name.endswith("device-plugin") and "efa" not in name]) == 1


def test_an_exporter_beside_the_monitoring_agent_is_refused() -> None:
    """The agent that repairs nodes has a DCGM of its own; without repair the exporter's is the only one."""
    repaired = cluster_software(_eks(gpu_software="gpu-operator"), dcgm_exporter=True)
    with pytest.raises(ValueError, match="DCGM: eks-node-monitoring-agent, gpu-operator-dcgm"):
        refuse_conflicts(repaired)
    refuse_conflicts(
        cluster_software(_eks(gpu_software="gpu-operator", node_repair="none"), dcgm_exporter=True)
    )


def test_task_governance_beside_kueue_is_refused() -> None:
    """HyperPod's task governance brings its own Kueue, and ``admission`` is ``kueue`` by default."""
    hyperpod = EksHyperPod.model_validate({"kind": "eks-hyperpod", "task_governance": True})
    assert [each.part for each in conflicts(cluster_software(hyperpod))] == ["Kueue"]


@pytest.mark.parametrize(
    ("kind", "driver"),
    [
        ("lustre", "aws-fsx-csi-driver"),
        ("lustre-tiering", "aws-fsx-csi-driver"),
        ("existing-lustre", "aws-fsx-csi-driver"),
        ("efs", "aws-efs-csi-driver"),
        ("existing-efs", "aws-efs-csi-driver"),
        ("openzfs", None),
        ("existing-openzfs", None),
    ],
)
def test_each_file_system_has_its_driver(kind: str, driver: str | None) -> None:
    """Lustre and EFS have a driver among the add-ons; OpenZFS is NFS, which the kubelet mounts by itself."""
    found = [name for name in cluster_software(_eks(), file_system_kinds=(kind,)) if "csi" in name]
    assert found == ([driver] if driver else [])


def test_pools_without_efa_have_nothing_that_offers_them() -> None:
    """The EFA plugin crashes for ever on a node that has none (eks-charts issue 1239)."""
    assert not {"efa-device-plugin", "efa-dra-driver"} & set(cluster_software(_eks(), has_efa=False))

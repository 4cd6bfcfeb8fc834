"""The table of components, and the bill of materials that is made from it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from bedplate.hardware import INSTANCE_TYPES
from bedplate.kubernetes.bill import bill, refuse_old
from bedplate.kubernetes.versions import Component, Least, component, components
from bedplate.kubernetes.versions_page import versions_page
from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.pools import Pool

ROOT = Path(__file__).resolve().parents[2]


def _eks(**fields: Any) -> Eks:
    return Eks.model_validate({"kind": "eks", **fields})


def _pool(instance_type: str = "p5.48xlarge") -> Pool:
    return Pool.model_validate(
        {
            "name": "pool",
            "instance_type": instance_type,
            "nodes": 2,
            "capacity": {"source": "on-demand"},
        }
    )


@pytest.mark.parametrize("each", components().values(), ids=lambda each: each.name)
def test_each_component_says_where_it_is_from(each: Component) -> None:
    """Add-ons are EKS's; a chart has a repository, a release and a numbered version; the rest a commit."""
    assert each.source
    if each.kind == "add-on":
        assert (each.repository, each.version, each.release) == ("", "", "")
    elif each.kind == "chart":
        assert each.address.startswith(("https://", "oci://"))
        assert re.fullmatch(r"v?\d+\.\d+\.\d+", each.version)
        assert each.release
        assert each.namespace
    else:
        assert re.fullmatch(r"[0-9a-f]{40}", each.version)
        assert each.version in each.address


def test_the_release_of_kueue_is_named_kueue() -> None:
    """Its chart works under no other name (kueue issue 6797)."""
    assert component("kueue").release == "kueue"


def test_every_family_of_a_least_version_is_in_the_hardware_table() -> None:
    """A family that is misspelt would be asked for nothing."""
    known = {each.family for each in INSTANCE_TYPES.values()}
    named = {family for each in components().values() for least in each.least for family in least.families}
    assert named <= known
    assert {"p5en", "p6-b200", "p6-b300", "p6e-gb200"} <= named


@pytest.mark.parametrize("name", sorted(components()))
def test_every_pin_is_new_enough_for_every_family(name: str) -> None:
    """No pinned version is older than what a family of the hardware table needs."""
    assert [
        family
        for family in {each.family for each in INSTANCE_TYPES.values()}
        if component(name).too_old_for(family)
    ] == []


def test_an_old_pin_is_refused_with_version_and_source() -> None:
    """A version below a family's least is an error that names both, and no error for another family."""
    old = Component(
        name="plugin",
        kind="chart",
        chart="plugin",
        namespace="n",
        source="s",
        version="v0.5.9",
        least=(Least(version="0.5.10", what="P6-B200", families=("p6-b200",), source="pull request 282"),),
    )
    refuse_old((old,), families=("p5",))
    with pytest.raises(ValueError, match=r"plugin v0\.5\.9 is older than 0\.5\.10, .*pull request 282"):
        refuse_old((old,), families=("p5", "p6-b200"))


def test_the_bill_of_a_plain_cluster() -> None:
    """A cluster of defaults has add-ons, both device plugins, Kueue, JobSet, Trainer, the MPI operator."""
    rows = bill(_eks(), pools=(_pool(),), file_system_kinds=("lustre",))
    assert [row.name for row in rows] == [
        "eks-pod-identity-agent",
        "vpc-cni",
        "kube-proxy",
        "coredns",
        "aws-fsx-csi-driver",
        "eks-node-monitoring-agent",
        "metrics-server",
        "nvidia-device-plugin",
        "efa-device-plugin",
        "jobset",
        "kubeflow-trainer",
        "kueue",
    ]
    assert all(row.version or row.kind == "add-on" for row in rows)


def test_the_bill_of_a_cluster_under_hyperpod() -> None:
    """HyperPod repairs nodes itself and brings the MPI operator; its add-ons come as they are asked for."""
    hyperpod = EksHyperPod.model_validate(
        {"kind": "eks-hyperpod", "admission": "none", "task_governance": True, "training_operator": True}
    )
    names = {row.name for row in bill(hyperpod, pools=(_pool(),))}
    assert not names & {"eks-node-monitoring-agent", "mpi-operator", "kueue"}
    assert "hyperpod-dependencies" in names
    assert {"cert-manager", "hyperpod-training-operator", "hyperpod-task-governance"} <= names


def test_bottlerocket_has_its_device_plugin_built_in() -> None:
    """No device plugin for GPUs is installed on an image that has one."""
    names = {row.name for row in bill(_eks(image="bottlerocket"), pools=(_pool(),))}
    assert "nvidia-device-plugin" not in names
    assert "efa-device-plugin" in names


def test_the_committed_page_is_the_generated_one() -> None:
    """``docs/reference/kubernetes-versions.md`` is what the table makes."""
    page = (ROOT / "docs/reference/kubernetes-versions.md").read_text(encoding="utf-8")
    assert page == versions_page()
    assert all(f"| {name} |" in page for name in components())

"""All documents of a cluster, from the section of an environment file."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bedplate.kubernetes.documents import cluster_documents
from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from tests.kubernetes.pools import GB200, assert_valid, pool

_TEAMS = [{"name": "red", "gpus": 16}, {"name": "blue"}]


def kinds(documents: list[dict[str, Any]]) -> Counter[str]:
    """How many documents there are of each kind."""
    return Counter(each["kind"] for each in documents)


def test_documents_are_valid_and_none_is_there_twice() -> None:
    """Everything fits its schema; no two documents have one kind, namespace and name."""
    cluster = Eks.model_validate({"kind": "eks", "teams": _TEAMS})
    documents = cluster_documents(cluster=cluster, pools=[pool(), pool(**GB200)])
    for each in documents:
        assert_valid(each)
    names = Counter(
        (each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in documents
    )
    assert set(names.values()) == {1}
    assert kinds(documents)["ClusterTrainingRuntime"] == 1
    assert kinds(documents)["ClusterQueue"] == 3


def test_what_is_named_is_made_before() -> None:
    """Namespaces come before what lies in them, flavors and topologies before what names them."""
    cluster = Eks.model_validate({"kind": "eks", "teams": _TEAMS})
    order = [each["kind"] for each in cluster_documents(cluster=cluster, pools=[pool()])]
    for first, then in (
        ("Namespace", "ServiceAccount"),
        ("Namespace", "LocalQueue"),
        ("Topology", "ResourceFlavor"),
        ("ResourceFlavor", "ClusterQueue"),
        ("Cohort", "ClusterQueue"),
    ):
        assert len(order) - 1 - order[::-1].index(first) < order.index(then)


def test_without_admission_there_are_quotas_and_no_queues() -> None:
    """No document of Kueue, and its labels in no runtime; each team has a quota of its own."""
    cluster = Eks.model_validate({"kind": "eks", "teams": _TEAMS, "admission": "none", "jobs": ["trainer"]})
    documents = cluster_documents(cluster=cluster, pools=[pool()])
    assert not [each for each in documents if "kueue" in each["apiVersion"]]
    assert "kueue" not in str([each for each in documents if each["kind"] == "ClusterTrainingRuntime"])
    assert kinds(documents)["ResourceQuota"] == 2


def test_task_governance_divides_by_its_own_means() -> None:
    """Beside it there are neither queues nor quotas of ours, and our Kueue is refused."""
    data = {"kind": "eks-hyperpod", "teams": _TEAMS, "task_governance": True}
    cluster = EksHyperPod.model_validate({**data, "admission": "none"})
    found = kinds(cluster_documents(cluster=cluster, pools=[pool()]))
    assert not {"ResourceQuota", "ClusterQueue", "ResourceFlavor"} & set(found)
    with pytest.raises(ValueError, match="brings its own Kueue"):
        cluster_documents(cluster=EksHyperPod.model_validate(data), pools=[pool()])

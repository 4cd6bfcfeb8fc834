"""The nodes of a simulated fleet in the played cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config

from bedplate.hardware import INSTANCE_TYPES
from bedplate.sandbox.fleet import FaultPlan, Fleet
from bedplate.sandbox.kubernetes.cluster import Cluster
from bedplate.sandbox.kubernetes.fleet_nodes import FleetNodes, PoolPlace
from bedplate.sandbox.kubernetes.kinds import NODES
from bedplate.sandbox.kubernetes.runner import ProcessRunner
from bedplate.sandbox.kubernetes.schemas import schema_problems
from bedplate.sandbox.kubernetes.semantics import problems_of

KIND = "p5en.48xlarge"
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
PLACE = PoolPlace("train", "us-west-2b", "usw2-az2", node_group="train-1", taints=[TAINT])
NAME = "ip-10-0-1-{}.us-west-2.compute.internal"


def plan(*causes: tuple[str, int]) -> FaultPlan:
    """Faults on nodes, by their place."""
    faults = [{"cause": cause, "node_index": index, "detail": {}} for cause, index in causes]
    return FaultPlan.from_json({"seed": "kubernetes", "faults": faults})


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    """Five nodes; the last stands under a leaf of its own."""
    found = Fleet(tmp_path, plan(("efa-device-lost", 1), ("node-unreachable", 2)))
    for index in range(5):
        found.boot(
            f"i-{index:017x}",
            instance_type=KIND,
            role="compute",
            private_ip=f"10.0.1.{index + 5}",
            slurm_name=None,
            user_data="",
            tags={},
            s3_fetch=lambda bucket, key: b"",
        )
    yield found
    found.close()


@pytest.fixture
def cluster(fleet: Fleet) -> Iterator[Cluster]:
    """A cluster of the fleet's nodes."""
    nodes = FleetNodes(fleet, PLACE)
    with Cluster(runner=ProcessRunner(nodes.host_of)) as opened:
        nodes.join(opened.store)
        yield opened


@pytest.fixture
def core(cluster: Cluster) -> Iterator[client.CoreV1Api]:
    """The official client."""
    with config.new_client_from_config_dict(cluster.server.kubeconfig()) as found:
        yield client.CoreV1Api(found)


def test_a_node_tells_where_it_is_and_what_it_has(cluster: Cluster, core: client.CoreV1Api) -> None:
    """Labels of EKS, of the cloud controller and of ours, the instance id, and the table's devices."""
    nodes, _ = cluster.store.objects(NODES)
    node, *_, last = core.list_node(label_selector="bedplate.dev/pool=train").items
    assert node.metadata.name == NAME.format(5)
    assert [schema_problems(NODES, one) + problems_of(NODES, one) for one in nodes] == [[]] * 5
    labels = node.metadata.labels
    assert labels["node.kubernetes.io/instance-type"] == KIND
    assert (labels["topology.kubernetes.io/zone"], labels["topology.k8s.aws/zone-id"]) == (
        "us-west-2b",
        "usw2-az2",
    )
    assert labels["eks.amazonaws.com/nodegroup"] == "train-1"
    layers = [f"topology.k8s.aws/network-node-layer-{n}" for n in (1, 2, 3)]
    assert [labels[one] == last.metadata.labels[one] for one in layers] == [True, True, False]
    assert node.spec.provider_id == "aws:///us-west-2b/i-00000000000000000"
    assert [(one.key, one.effect) for one in node.spec.taints] == [("nvidia.com/gpu", "NoSchedule")]
    row = INSTANCE_TYPES[KIND]
    assert node.status.allocatable["nvidia.com/gpu"] == str(row.gpus)
    assert node.status.allocatable["vpc.amazonaws.com/efa"] == str(row.efa_count)
    assert node.status.allocatable["hugepages-2Mi"] == "10256Mi"


def test_faults_of_the_fleet_lower_what_nodes_advertise(
    cluster: Cluster, core: client.CoreV1Api, fleet: Fleet
) -> None:
    """One EFA less where a device is lost; a node that fell silent is not ready, and is tainted."""
    efas = INSTANCE_TYPES[KIND].efa_count
    short, silent = core.read_node(NAME.format(6)), core.read_node(NAME.format(7))
    assert short.status.allocatable["vpc.amazonaws.com/efa"] == str(efas - 1)
    assert [(one.type, one.status) for one in silent.status.conditions] == [("Ready", "Unknown")]
    assert [one.key for one in silent.spec.taints][1:] == ["node.kubernetes.io/unreachable"] * 2
    core.patch_node(NAME.format(7), {"spec": {"unschedulable": True}})
    fleet.inject(plan())
    FleetNodes(fleet, PLACE).join(cluster.store)
    short, silent = core.read_node(NAME.format(6)), core.read_node(NAME.format(7))
    assert short.status.allocatable["vpc.amazonaws.com/efa"] == str(efas)
    assert [(one.type, one.status) for one in silent.status.conditions] == [("Ready", "True")]
    assert [one.key for one in silent.spec.taints] == ["nvidia.com/gpu"]
    assert silent.spec.unschedulable


def test_a_pod_runs_with_its_nodes_own_programs(core: client.CoreV1Api) -> None:
    """The command finds the simulated node's tools: what it prints is of that node."""
    script = "nvidia-smi -L | wc -l; cat $BEDPLATE_ROOT/etc/hostname"
    container: dict[str, Any] = {"name": "main", "image": "a", "command": ["bash", "-c", script]}
    container["resources"] = {"limits": {"nvidia.com/gpu": "8"}}
    spec = {
        "restartPolicy": "Never",
        "containers": [container],
        "nodeSelector": {"kubernetes.io/hostname": NAME.format(9)},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
    }
    core.create_namespaced_pod("default", {"metadata": {"name": "p"}, "spec": spec})
    end = time.monotonic() + 20
    while core.read_namespaced_pod("p", "default").status.phase not in ("Succeeded", "Failed"):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert core.read_namespaced_pod_log("p", "default").split() == ["8", "ip-10-0-1-9"]

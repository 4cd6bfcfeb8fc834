"""The Kubernetes API of a played EKS cluster, asked by the transport of validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from botocore.credentials import Credentials

from bedplate.node.kubernetes.names import EFA_LABEL, GPU_TAINT, POOL_LABEL, SYSTEM_NAMESPACE
from bedplate.sandbox.eks.api import PlayedApi
from bedplate.sandbox.eks.records import EksNode, PlayedEksCluster
from bedplate.sandbox.fleet import FaultPlan, Fleet
from bedplate.validation.transports.kubernetes.api import KubernetesApi, Patience
from bedplate.validation.transports.kubernetes.client import CONFIG_MAPS, JOBS, NODES, PODS
from bedplate.validation.transports.kubernetes.cluster import ClusterAddress
from bedplate.validation.transports.kubernetes.limits import KubernetesLimits
from bedplate.validation.transports.kubernetes.refused import ClusterRefused
from bedplate.validation.transports.kubernetes.token import eks_token
from bedplate.validation.transports.kubernetes.transport import KubernetesTransport
from bedplate.validation.transports.question import Question

KIND, ZONE = "p5en.48xlarge", "us-west-2b"
TAINT = {"key": GPU_TAINT, "value": "present", "effect": "NoSchedule"}
LIMITS = KubernetesLimits(first_pause=0.1, most_pause=0.2, freed=5.0)


@dataclass
class Played:
    """One cluster, and the ways to it."""

    records: PlayedEksCluster
    fleet: Fleet
    api: PlayedApi
    kept: dict[str, str]

    def client(self, token: Callable[[], str]) -> KubernetesApi:
        """The API as whoever has that token sees it."""
        return KubernetesApi(ClusterAddress(self.api.url), token, patience=Patience(attempts=2))

    def transport(self) -> KubernetesTransport:
        """As a run has it."""

        def store(name: str, text: str) -> str:
            self.kept[name] = text
            return f"kept/{name}"

        return KubernetesTransport(self.client(_token), "run-1", "image", store, limits=LIMITS)


def _token() -> str:
    credentials = Credentials("testing", "testing")
    return eks_token(
        credentials=credentials, region="us-west-2", sts_endpoint="http://localhost:1", cluster="prod"
    )


def _instance(index: int) -> str:
    return f"i-{index:017x}"


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    """Four nodes of a pool: the second has lost an EFA, the third is silent."""
    causes = (("efa-device-lost", 1), ("node-unreachable", 2))
    faults = [{"cause": cause, "node_index": index, "detail": {}} for cause, index in causes]
    fleet = Fleet(tmp_path, FaultPlan.from_json({"seed": "eks", "faults": faults}))
    records = PlayedEksCluster("111122223333", "us-west-2", {"name": "prod", "version": "1.35"})
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM_NAMESPACE}}
    records.objects.apply([namespace])
    for index in range(4):
        address = f"10.0.1.{index + 5}"
        fleet.boot(
            _instance(index),
            instance_type=KIND,
            role="compute",
            private_ip=address,
            slurm_name=None,
            user_data="",
            tags={},
            s3_fetch=lambda bucket, key: b"",
        )
        records.nodes[_instance(index)] = EksNode(
            instance_id=_instance(index),
            name=f"ip-10-0-1-{index + 5}.us-west-2.compute.internal",
            group="train",
            instance_type=KIND,
            private_ip=address,
            zone=ZONE,
            zone_id="usw2-az2",
            efa_count=None,
            labels={
                "node.kubernetes.io/instance-type": KIND,
                POOL_LABEL: "train",
                EFA_LABEL: "true",
            },
            taints=(TAINT,),
        )
        if index != 2:
            fleet.boot_report(_instance(index))
    fleet.fix()
    api = PlayedApi(records, fleet)
    api.start()
    try:
        yield Played(records, fleet, api, {})
    finally:
        api.close()
        fleet.close()


def test_nodes_of_the_cluster_answer_the_probe_by_its_pods(played: Played) -> None:
    """The node program runs in a pod on each node's simulated host; a silent node is unreachable, and nothing
    of the question is left.
    """
    transport = played.transport()
    asked = [_instance(index) for index in range(4)]
    replies = transport.ask(instance_ids=asked, question=Question("probe", deadline_seconds=60))
    answered = {one: reply for one, reply in replies.items() if reply.answer is not None}
    assert set(answered) == {_instance(0), _instance(1), _instance(3)}, {
        one: reply.problem for one, reply in replies.items()
    }
    for one, reply in answered.items():
        assert reply.answer is not None
        assert reply.answer.simulated
        assert reply.answer.body["instance_id"] == one
    silent = replies[_instance(2)]
    assert silent.unreachable
    assert "Kubelet stopped posting node status" in silent.problem
    assert len(played.kept) == 3
    client = played.client(_token)
    assert [client.listed(path) for path in (JOBS, PODS, CONFIG_MAPS)] == [[], [], []]


def test_a_node_that_lost_an_efa_offers_one_less_and_is_not_loaded(played: Played) -> None:
    """What the device plugin would offer comes from the simulated devices."""
    transport = played.transport()
    replies = transport.ask(instance_ids=[_instance(1)], question=Question("exercise", deadline_seconds=60))
    assert "it offers 15 vpc.amazonaws.com/efa, its type has 16" in replies[_instance(1)].problem


def test_nodes_come_go_and_change_as_eks_says(played: Played) -> None:
    """An ended instance leaves the cluster; a taint that a client set outlives a look at the node."""
    client = played.client(_token)
    names = [one["metadata"]["name"] for one in client.listed(NODES)]
    assert len(names) == 4
    taints = [TAINT, {"key": "bedplate.dev/unfit", "value": "efa-001", "effect": "NoSchedule"}]
    client.merge(f"{NODES}/{names[0]}", {"spec": {"taints": taints}})
    del played.records.nodes[_instance(3)]
    played.fleet.terminate(_instance(3))
    nodes = {one["metadata"]["name"]: one for one in client.listed(NODES)}
    assert set(nodes) == set(names[:3])
    assert nodes[names[0]]["spec"]["taints"] == taints


def test_a_new_node_joins_once_it_has_booted(played: Played) -> None:
    """By the labels and taints of its node group."""
    first = played.records.nodes[_instance(0)]
    name = "ip-10-0-1-99.us-west-2.compute.internal"
    added = replace(first, instance_id=_instance(9), name=name, private_ip="10.0.1.99")
    played.records.nodes[_instance(9)] = added
    client = played.client(_token)
    assert name not in {one["metadata"]["name"] for one in client.listed(NODES)}
    played.fleet.boot(
        _instance(9),
        instance_type=KIND,
        role="compute",
        private_ip="10.0.1.99",
        slurm_name=None,
        user_data="",
        tags={},
        s3_fetch=lambda bucket, key: b"",
    )
    played.fleet.boot_report(_instance(9))
    found = {one["metadata"]["name"]: one for one in client.listed(NODES)}[name]
    assert found["metadata"]["labels"][POOL_LABEL] == "train"
    assert found["spec"]["taints"] == [TAINT]
    assert found["status"]["allocatable"]["vpc.amazonaws.com/efa"] == "16"


@pytest.mark.parametrize("token", ["", "k8s-aws-v1.", "k8s-aws-v1.aHR0cDovL3g", "k8s-aws-v1.é"])
def test_a_token_of_another_form_is_let_in_nowhere(played: Played, token: str) -> None:
    """As an API server answers whom it does not know: 401."""
    with pytest.raises(ClusterRefused) as refused:
        played.client(lambda: token.encode("ascii", "ignore").decode()).listed(NODES)
    assert refused.value.status == 401

"""Job templates: valid, and with the very devices of the hardware table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bedplate.hardware import INSTANCE_TYPES
from bedplate.kubernetes.counts import node_offer
from bedplate.kubernetes.jobs.asked import JobAsked
from bedplate.kubernetes.jobs.indexed_job import indexed_job
from bedplate.kubernetes.jobs.jobset import job_set
from bedplate.kubernetes.jobs.leader_worker_set import Groups, disaggregated
from bedplate.kubernetes.jobs.mpijob import mpi_job
from bedplate.kubernetes.jobs.trainjob import torch_runtime, train_job
from bedplate.kubernetes.queues import queue_documents
from bedplate.spec.pools import Pool
from tests.kubernetes.pools import GB200, assert_valid, every_pool, pool

Documents = list[dict[str, Any]]
GPU, EFA = "nvidia.com/gpu", "vpc.amazonaws.com/efa"


def ask(**changes: Any) -> JobAsked:
    """Four nodes for a team's training, by Kueue."""
    usual: dict[str, Any] = {
        "name": "train",
        "namespace": "red",
        "pool": pool(),
        "nodes": 4,
        "image": "example.com/torch:1",
        "command": ("torchrun", "train.py"),
        "queue": "red",
        "priority": "bedplate-training",
        "checkpoints_claim": "lustre",
    }
    return JobAsked(**{**usual, **changes})


def serving(asked: JobAsked) -> Documents:
    """Prefill on one group of a node, decode on the others."""
    return disaggregated(
        asked,
        prefill=Groups(count=1, nodes_each=1, command=("serve", "prefill")),
        decode=Groups(count=1, nodes_each=asked.nodes - 1, command=("serve", "decode")),
    )


KINDS: dict[str, Callable[[JobAsked], Documents]] = {
    "job": indexed_job,
    "jobset": job_set,
    "mpijob": mpi_job,
    "trainjob": train_job,
    "serving": serving,
}


def walk(value: Any, key: str) -> Iterator[Any]:
    """Every value under the key, at any depth."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name == key:
                yield each
            yield from walk(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from walk(each, key)


def devices(documents: Documents) -> list[tuple[int, int]]:
    """GPUs and EFAs that each container asks for which asks for GPUs; requests and limits are one."""
    found = []
    for asked in [*walk(documents, "resources"), *walk(documents, "resourcesPerNode")]:
        if GPU in asked["requests"]:
            assert {**asked["requests"], "cpu": 0} == {**asked["limits"], "cpu": 0}
            found.append((asked["requests"][GPU], asked["requests"].get(EFA, 0)))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("queue", ["red", ""], ids=["kueue", "none"])
def test_documents_are_valid(kind: str, queue: str) -> None:
    """Every document of every kind fits its schema, and its pods fit Kubernetes' own, strictly."""
    documents = KINDS[kind](ask(queue=queue, near="required"))
    templates = [each for each in walk(documents, "template") if "containers" in each.get("spec", {})]
    templates += [*walk(documents, "workerTemplate"), *walk(documents, "leaderTemplate")]
    assert templates
    for each in templates:
        assert_valid({"apiVersion": "v1", "kind": "Pod", **each, "metadata": {"name": "x"}})
    for each in documents:
        assert_valid(each)


@pytest.mark.parametrize("each", every_pool(), ids=lambda each: f"{each.instance_type}-{each.name}")
def test_devices_agree_everywhere(each: Pool) -> None:
    """GPUs and EFAs of a node are one pair of numbers in the hardware table, what the node offers, the quota
    of a node, the cluster's runtime and every kind of job.
    """
    row = INSTANCE_TYPES[each.instance_type]
    pair = (row.gpus, row.laid_out(choice=each.interfaces, efas=each.efas).efa_count)
    offer = node_offer(each)
    assert (offer.gpus, offer.efas) == pair
    queue = next(
        one
        for one in queue_documents(pools=[each], teams=())
        if one["kind"] == "ClusterQueue" and one["metadata"]["name"] == "all"
    )
    (flavor,) = queue["spec"]["resourceGroups"][0]["flavors"]
    quota = {amount["name"]: amount["nominalQuota"] for amount in flavor["resources"]}
    assert (quota[GPU], quota[EFA]) == (pair[0] * each.max_nodes, pair[1] * each.max_nodes)
    for kind, make in KINDS.items():
        if kind == "serving" and row.needs_imex:
            continue
        found = devices(make(ask(pool=each)))
        assert found, kind
        assert set(found) == {pair}, kind
    if not row.needs_imex:
        assert set(devices([torch_runtime(each, queued=True)])) == {pair}


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_fits_on_its_nodes(kind: str) -> None:
    """All pods of a job together ask for no more cores than its nodes offer, launcher and all."""
    asked = ask()
    cores = [
        each["requests"]["cpu"] for each in walk(KINDS[kind](asked), "resources") if GPU in each["requests"]
    ]
    launchers = sum(
        each["requests"]["cpu"]
        for each in walk(KINDS[kind](asked), "resources")
        if GPU not in each["requests"]
    )
    assert cores
    assert max(cores) + launchers <= node_offer(asked.pool).cores


@pytest.mark.parametrize("kind", KINDS)
def test_nccl_may_use_efa_alone_and_never_the_pod_identity_link(kind: str) -> None:
    """Every container names the network that NCCL may use, and the links that its bootstrap must not take; a
    variable that the job gives wins.
    """
    documents = KINDS[kind](ask(environment={"NCCL_DEBUG": "INFO"}))
    found = [{each["name"]: each["value"] for each in env} for env in walk(documents, "env")]
    assert found
    for env in found:
        assert env["NCCL_NET"] == "AWS Libfabric"
        assert env["NCCL_SOCKET_IFNAME"].startswith("^")
        assert "pod-id-link" in env["NCCL_SOCKET_IFNAME"]
        assert env["NCCL_DEBUG"] == "INFO"


@pytest.mark.parametrize("kind", KINDS)
def test_pods_are_on_nodes_of_the_pool_that_passed_their_gate(kind: str) -> None:
    """The pool's label selects, only GPU nodes' taint is tolerated, and shared memory is a file system of
    its own in every pod with GPUs.
    """
    documents = KINDS[kind](ask())
    assert all(each == {"bedplate.dev/pool": "h200"} for each in walk(documents, "nodeSelector"))
    for tolerated in walk(documents, "tolerations"):
        assert [each["key"] for each in tolerated] == ["nvidia.com/gpu"]
    mounted = [mount["mountPath"] for mounts in walk(documents, "volumeMounts") for mount in mounts]
    assert "/dev/shm" in mounted
    assert "/checkpoints" in mounted


@pytest.mark.parametrize("kind", KINDS)
def test_kueue_admits_it(kind: str) -> None:
    """The job's own document has the queue's label and waits; its pods say how near they are to be. Without
    admission there is neither.
    """
    (job,) = [each for each in KINDS[kind](ask(near="required")) if "labels" in each["metadata"]][-1:]
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "red"
    level = "topology.k8s.aws/network-node-layer-3"
    wanted = {"kueue.x-k8s.io/podset-required-topology": level}
    documents = KINDS[kind](ask(near="required"))
    assert any(wanted.items() <= each.items() for each in walk(documents, "annotations"))
    if kind != "serving":
        assert list(walk(documents, "suspend")) == [True]
    free = KINDS[kind](ask(near="required", queue="", priority=""))
    assert "kueue" not in str(free)
    assert not list(walk(free, "suspend"))


def test_sets_of_pods_in_a_group_are_two() -> None:
    """Kueue refuses a group of one set of pods: a leader without workers is in none."""
    prefill, decode = serving(ask())
    key = "kueue.x-k8s.io/podset-group-name"
    assert all(key not in each for each in walk(prefill, "annotations"))
    assert [each[key] for each in walk(decode, "annotations")] == ["train-decode"] * 2
    (mpi,) = mpi_job(ask())
    assert [each[key] for each in walk(mpi, "annotations")] == ["train"] * 2


def test_mpi_hands_the_environment_on_to_its_workers() -> None:
    """What sshd starts sees nothing of the worker's own environment: mpirun is told every name."""
    (made,) = mpi_job(ask(environment={"MINE": "1"}))
    launcher = made["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    found = {each["name"]: each["value"] for each in launcher["env"]}
    handed_on = found.pop("OMPI_MCA_mca_base_env_list").split(";")
    assert handed_on == list(found)
    assert {"NCCL_NET", "NCCL_SOCKET_IFNAME", "MINE"} <= set(handed_on)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "serving"])
def test_gb200_pods_claim_the_jobs_nvlink_domain(kind: str) -> None:
    """On GB200 a job brings its domain, and each pod with GPUs claims by the template that the domain names;
    other types have neither.
    """
    documents = KINDS[kind](ask(pool=pool(**GB200)))
    (domain,) = [each for each in documents if each["kind"] == "ComputeDomain"]
    name = domain["spec"]["channel"]["resourceClaimTemplate"]["name"]
    claims = [each for claims in walk(documents, "resourceClaims") for each in claims]
    assert {each["resourceClaimTemplateName"] for each in claims} == {name}
    assert {each["name"] for each in claims} == {
        each["name"] for given in walk(documents, "claims") for each in given
    }
    for each in documents:
        if each["kind"] != "ComputeDomain":
            assert_valid(each)
    assert not list(walk(KINDS[kind](ask()), "resourceClaims"))


def test_a_trainjob_uses_the_pools_runtime_where_that_says_all() -> None:
    """With the usual topology it names the cluster's runtime and patches the checkpoints in."""
    (job,) = train_job(ask(priority=""))
    runtime = torch_runtime(pool(), queued=True)
    assert_valid(job)
    assert_valid(runtime)
    assert job["spec"]["runtimeRef"]["name"] == runtime["metadata"]["name"]
    assert job["spec"]["trainer"]["numNodes"] == 4
    assert job["spec"]["trainer"]["numProcPerNode"] == 8
    assert "lustre" in str(job["spec"]["runtimePatches"])
    with pytest.raises(ValueError, match="brings its own runtime"):
        torch_runtime(pool(**GB200), queued=True)


@pytest.mark.parametrize("kind", ["job", "jobset", "mpijob"])
def test_volcano_starts_all_pods_or_none(kind: str) -> None:
    """A PodGroup of all the job's pods, which name it and Volcano."""
    documents = KINDS[kind](ask(scheduler="volcano", queue=""))
    (group,) = [each for each in documents if each["kind"] == "PodGroup"]
    assert_valid(group)
    assert group["spec"]["minMember"] == (5 if kind == "mpijob" else 4)
    assert set(walk(documents, "schedulerName")) == {"volcano"}
    names = {each["scheduling.k8s.io/group-name"] for each in walk(documents, "annotations")}
    assert names == {group["metadata"]["name"]}


@pytest.mark.parametrize("kind", ["jobset", "mpijob", "trainjob"])
def test_kai_is_told_the_queue(kind: str) -> None:
    """Pods and job have its label, and its scheduler places them."""
    documents = KINDS[kind](ask(scheduler="kai", scheduler_queue="red", queue="", priority=""))
    assert set(walk(documents, "schedulerName")) == {"kai-scheduler"}
    key = "kai.scheduler/queue"
    assert documents[-1]["metadata"]["labels"][key] == "red"
    pods = [each for each in walk(documents, "template") if "containers" in each.get("spec", {})]
    assert pods
    assert all(each["metadata"]["labels"] == {key: "red"} for each in pods)


@pytest.mark.parametrize(
    ("kind", "scheduler"),
    [
        ("job", "kai"),
        ("trainjob", "volcano"),
        ("serving", "volcano"),
        ("serving", "kai"),
    ],
)
def test_what_is_no_gang_is_refused(kind: str, scheduler: str) -> None:
    """Where a kind is not rendered as a gang for a scheduler, the message says for which it is."""
    with pytest.raises(ValueError, match=f"not rendered as a gang for {scheduler}; it is for default"):
        KINDS[kind](ask(scheduler=scheduler, scheduler_queue="red", queue=""))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": 9}, "9 nodes asked for; pool h200 has 8"),
        ({"nodes": 0}, "at least 1"),
        ({"name": "Train"}, "small letters"),
        ({"command": ()}, "no command"),
        ({"scheduler": "kai"}, "give scheduler_queue"),
    ],
)
def test_what_no_cluster_could_run_is_refused(changes: dict[str, Any], message: str) -> None:
    """The message names the job, what is wrong and what is allowed."""
    with pytest.raises(ValueError, match=message):
        ask(**changes)


def test_groups_have_the_nodes_that_are_asked_for() -> None:
    """Numbers that contradict each other, an empty role and GB200 are refused."""
    two = Groups(count=2, nodes_each=1, command=("serve",))
    with pytest.raises(ValueError, match="groups have 4 nodes, and 5 are asked for"):
        disaggregated(ask(nodes=5), prefill=two, decode=two)
    with pytest.raises(ValueError, match="decode needs at least one group"):
        disaggregated(ask(nodes=2), prefill=two, decode=Groups(count=0, nodes_each=1, command=("serve",)))
    with pytest.raises(ValueError, match="NVLink domain of its own"):
        disaggregated(ask(pool=pool(**GB200)), prefill=two, decode=two)

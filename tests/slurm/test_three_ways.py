"""One orchestrator section with only ``kind:`` changed is the same cluster three times over."""

from __future__ import annotations

from typing import Any

from bedplate.slurm.hyperpod.cluster import partitions_file
from bedplate.slurm.settings import cluster_settings, queue_settings
from bedplate.spec.orchestrator import SlurmPcs
from bedplate.spec.orchestrator.hyperpod import SlurmHyperPod
from bedplate.spec.orchestrator.parallelcluster import SlurmParallelCluster
from bedplate.spec.slurm_parameters import settable
from tests.slurm.hyperpod import conftest as hyperpod
from tests.slurm.parallelcluster import conftest as parallelcluster

SECTION: dict[str, Any] = {
    "partitions": [{"name": "train", "pools": ["h200"], "default": True, "max_time_hours": 72}],
    "teams": [{"name": "pretraining", "share": 3, "max_gpus": 32, "users": ["alice"]}],
    "settings": {"PriorityMaxAge": "3-0"},
}
PCS = SlurmPcs.model_validate({**SECTION, "kind": "slurm-pcs"})
PARALLELCLUSTER = SlurmParallelCluster.model_validate({**SECTION, "kind": "slurm-parallelcluster"})
HYPERPOD = SlurmHyperPod.model_validate({**SECTION, "kind": "slurm-hyperpod"})
THREE = (PCS, PARALLELCLUSTER, HYPERPOD)


def test_what_two_of_them_set_they_set_alike() -> None:
    """A parameter that one leaves out is the service's there, or left alone with its reason."""
    written = [cluster_settings(each, kind=each.kind) for each in THREE]
    for ours in written:
        assert ours["PriorityMaxAge"] == "3-0", "the user's own value stands"
        for theirs in written:
            assert {name: theirs[name] for name in ours if name in theirs} == {
                name: ours[name] for name in ours if name in theirs
            }
    everything = {name for each in written for name in each}
    for each, ours in zip(THREE, written, strict=True):
        left_out = {
            name for name in everything - set(ours) if settable(name, scope="cluster", kind=each.kind)
        }
        assert left_out == ({"PrologFlags"} if each is HYPERPOD else set())


def test_partitions_and_their_limits_are_the_same() -> None:
    """By name, by pool, by time limit, and with the default one."""
    limits = [queue_settings(each.partitions[0], kind=each.kind) for each in THREE]
    assert limits == [{"Default": "YES", "MaxTime": "3-0"}] * 3
    assert partitions_file(HYPERPOD) == "train Default=YES MaxTime=3-0\n"
    (queue,) = parallelcluster.made(slurm=PARALLELCLUSTER)["Scheduling"]["SlurmQueues"]
    group = next(
        each
        for each in hyperpod.made(slurm=HYPERPOD)["InstanceGroups"]
        if each["SlurmConfig"]["NodeType"] == "Compute"
    )
    assert queue["Name"] == group["SlurmConfig"]["PartitionNames"][0] == PCS.partitions[0].name
    (resource,) = queue["ComputeResources"]
    assert resource["Name"] == group["InstanceGroupName"] == "h200"
    assert resource["MaxCount"] == group["InstanceCount"] == 8
    assert f"ml.{resource['InstanceType']}" == group["InstanceType"]

"""What becomes of pools in a HyperPod cluster under EKS, held to the API's model and to CloudFormation's."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.capacity.legality import SHAPES, WAYS, pool_of
from bedplate.sandbox.cloudformation.check import property_problems
from bedplate.sandbox.cloudformation.schema import resource_schema
from bedplate.spec.hyperpod_types import HYPERPOD_TYPES
from tests.kubernetes.hyperpod.conftest import AROUND, PLAN, RANGE, made, orchestrator
from tests.slurm.pools import pool
from tests.support.aws_shape import violations

SCALED = {"eks": orchestrator(karpenter=True, tiered_storage_percent=20)}


def _groups(cluster: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["InstanceGroupName"]: each for each in cluster["InstanceGroups"]}


def _refused(cluster: dict[str, Any]) -> list[str]:
    """What the API's model and CloudFormation's schema have against it."""
    schema = resource_schema("AWS::SageMaker::Cluster", "us-west-2")
    assert schema is not None
    return [*violations("sagemaker", "CreateCluster", cluster), *property_problems(schema, cluster)]


def test_aws_takes_the_plain_cluster_and_the_one_with_everything() -> None:
    """Two pools; and with a range, Karpenter and memory for checkpoints."""
    assert _refused(made(pool(), pool(name="more", nodes=4))) == []
    full = made(pool(), pool(name="more", nodes=RANGE), **SCALED)
    assert _refused(full) == []
    assert _refused({**full, "AutoScaling": {"Mode": "Sometimes"}}) != []


def test_aws_takes_every_type_that_hyperpod_has_bought_in_every_way() -> None:
    """Whatever the document does not refuse; a type that HyperPod has not is refused by name."""
    tried = 0
    for shape in SHAPES:
        for way in WAYS:
            one = pool_of(shape, way).model_copy(update={"name": "gpus"})
            sold = WAYS[way]["source"] in {"on-demand", "spot", "training-plan"}
            if not sold or shape.instance_type not in HYPERPOD_TYPES:
                with pytest.raises(ValueError, match=r"HyperPod (has no|cannot launch)"):
                    made(one)
                continue
            tried += 1
            assert _refused(made(one)) == [], (shape.name, way)
    assert tried > 20


def test_a_type_that_hyperpod_has_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the pool's name, before AWS would."""
    monkeypatch.setattr("bedplate.kubernetes.hyperpod.instance_groups.HYPERPOD_TYPES", ("p4d.24xlarge",))
    with pytest.raises(ValueError, match=r"pool h200: HyperPod has no p5en\.48xlarge"):
        made()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"alternative_types": ["p5e.48xlarge"]}, "of one type"),
        (
            {"instance_type": "p5.48xlarge", "interfaces": "more-address-bandwidth"},
            "lays a node's interfaces out itself",
        ),
        ({"name": "h200-"}, "ends with a hyphen"),
    ],
)
def test_what_a_group_has_no_word_for_is_refused(changes: dict[str, Any], words: str) -> None:
    """Rather than lost on the way."""
    with pytest.raises(ValueError, match=words):
        made(pool(**changes))


def test_a_cluster_has_a_hundred_groups_at_most() -> None:
    """A hundred are taken by AWS's models too."""
    pools = [pool(name=f"pool{index}", nodes=1) for index in range(101)]
    assert _refused(made(*pools[:100])) == []
    with pytest.raises(ValueError, match="at most 100 groups, not 101"):
        made(*pools)


def test_nothing_of_slurm_is_in_it() -> None:
    """One orchestrator, no type of Slurm node, no file system that HyperPod would mount."""
    found = made()
    assert found["Orchestrator"] == {"Eks": {"ClusterArn": AROUND.eks_cluster_arn}}
    assert found["NodeProvisioningMode"] == "Continuous"
    assert not {"SlurmConfig", "InstanceStorageConfigs"} & set(_groups(found)["h200"])
    assert not {"AutoScaling", "ClusterRole", "TieredStorageConfig"} & set(found)


@pytest.mark.parametrize(
    ("capacity", "told"),
    [
        ({"source": "on-demand"}, {"CapacityRequirements": {"OnDemand": {}}}),
        ({"source": "spot"}, {"CapacityRequirements": {"Spot": {}}}),
        ({"source": "training-plan", "plan": PLAN}, {"TrainingPlanArn": PLAN}),
    ],
)
def test_each_way_of_buying_has_its_words(capacity: dict[str, str], told: dict[str, Any]) -> None:
    """On-Demand, Spot and training plans, each in the GPU subnet with the groups' security groups."""
    group = _groups(made(pool(capacity=capacity)))["h200"]
    assert told.items() <= group.items()
    assert group["OverrideVpcConfig"] == {
        "SecurityGroupIds": list(AROUND.security_group_ids),
        "Subnets": [AROUND.gpu_subnet_id],
    }


def test_what_hyperpod_does_not_sell_is_refused() -> None:
    """A Capacity Block."""
    with pytest.raises(ValueError, match="capacity-block"):
        made(pool(capacity={"source": "capacity-block", "reservation": "cr-0123456789abcdef0"}))


def test_nodes_come_with_their_labels_and_taints() -> None:
    """Pool, part and EFA; closed to pods without GPUs, and to all until the gate opens them."""
    group = _groups(made())["h200"]
    assert group["KubernetesConfig"] == {
        "Labels": {"bedplate.dev/pool": "h200", "bedplate.dev/role": "gpu", "bedplate.dev/efa": "true"},
        "Taints": [
            {"Key": "nvidia.com/gpu", "Value": "present", "Effect": "NoSchedule"},
            {"Key": "bedplate.dev/gate", "Value": "waiting", "Effect": "NoSchedule"},
        ],
    }
    assert group["NetworkInterface"] == {"InterfaceType": "efa-only"}
    open_ = _groups(made(eks=orchestrator(gate="none")))["h200"]["KubernetesConfig"]["Taints"]
    assert [each["Key"] for each in open_] == ["nvidia.com/gpu"]


def test_the_file_says_what_hyperpod_checks_and_mends() -> None:
    """Checks once each in the file's order, or none; recovery on or off; memory for checkpoints."""
    asked = orchestrator(deep_health_checks=["connectivity", "stress", "connectivity"])
    assert _groups(made(eks=asked))["h200"]["OnStartDeepHealthChecks"] == [
        "InstanceConnectivity",
        "InstanceStress",
    ]
    none = made(eks=orchestrator(deep_health_checks=[], node_recovery="none", tiered_storage_percent=30))
    assert "OnStartDeepHealthChecks" not in _groups(none)["h200"]
    assert none["NodeRecovery"] == "None"
    assert none["TieredStorageConfig"] == {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 30}


def test_a_pool_with_a_range_is_karpenters_and_starts_empty() -> None:
    """The pool with one number keeps it; the role that Karpenter works by is named."""
    found = made(pool(nodes=6), pool(name="burst", nodes=RANGE), **SCALED)
    counts = {name: each["InstanceCount"] for name, each in _groups(found).items()}
    assert counts == {"h200": 6, "burst": 0}
    assert found["AutoScaling"] == {"Mode": "Enable", "AutoScalerType": "Karpenter"}
    assert found["ClusterRole"] == AROUND.autoscaling_role_arn


@pytest.mark.parametrize(
    ("eks", "pools", "words"),
    [
        ({}, [pool(nodes=RANGE)], "nothing that scales them"),
        ({"karpenter": True}, [pool()], "no pool has a range"),
        ({"karpenter": True, "node_recovery": "none"}, [pool(nodes=RANGE)], "node_recovery: automatic"),
        ({"karpenter": True}, [pool(nodes={"min": 2, "max": 4})], "`min: 0`"),
        (
            {"karpenter": True},
            [pool(nodes=RANGE, capacity={"source": "training-plan", "plan": PLAN})],
            "a training plan is paid for",
        ),
    ],
)
def test_a_range_that_could_not_be_held_is_refused(eks: dict[str, Any], pools: list[Any], words: str) -> None:
    """With what to write instead."""
    with pytest.raises(ValueError, match=words):
        made(*pools, eks=orchestrator(**eks))


def test_karpenter_without_its_role_is_refused() -> None:
    """HyperPod would add no node."""
    with pytest.raises(ValueError, match="needs a role"):
        made(pool(nodes=RANGE), autoscaling_role_arn=None, **SCALED)

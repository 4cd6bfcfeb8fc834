"""Task governance: priorities and quotas, held to the API's model and to CloudFormation's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bedplate.kubernetes.hyperpod.task_governance import (
    PRIORITIES,
    compute_quotas,
    scheduler_config,
    team_namespace,
    team_queue,
)
from bedplate.sandbox.cloudformation.check import property_problems
from bedplate.sandbox.cloudformation.schema import resource_schema
from bedplate.spec.pools import Pool
from tests.kubernetes.hyperpod.conftest import RANGE, orchestrator
from tests.slurm.pools import pool
from tests.support.aws_shape import violations

ARN = "arn:aws:sagemaker:us-east-1:123456789012:cluster/abcdef123456"
H200, H100 = "ml.p5en.48xlarge", "ml.p5.48xlarge"


def _quotas(*teams: Mapping[str, Any], pools: tuple[Pool, ...] = (pool(),), **more: Any) -> dict[str, Any]:
    eks = orchestrator(task_governance=True, admission="none", teams=list(teams))
    return compute_quotas(eks, pools=pools, cluster_arn=ARN, **{"cluster_name": "proof", **more})


def _own(quota: Mapping[str, Any]) -> dict[str, int]:
    return {
        each["InstanceType"]: each["Count"] for each in quota["ComputeQuotaConfig"]["ComputeQuotaResources"]
    }


def _refused(type_: str, operation: str, properties: Mapping[str, Any]) -> list[str]:
    # Where the schema is kept: Regions differ in what types they have.
    schema = resource_schema(f"AWS::SageMaker::{type_}", "us-east-1")
    assert schema is not None
    return [*violations("sagemaker", operation, properties), *property_problems(schema, properties)]


def test_aws_takes_priorities_and_quotas() -> None:
    """As the API has them and as CloudFormation does."""
    policy = scheduler_config(cluster_name="bedplate-proof", cluster_arn=ARN)
    assert _refused("ClusterSchedulerConfig", "CreateClusterSchedulerConfig", policy) == []
    quotas = _quotas({"name": "vision", "gpus": 32}, {"name": "speech", "borrows": False})
    for quota in quotas.values():
        assert _refused("ComputeQuota", "CreateComputeQuota", quota) == []
    spoiled = {**quotas["vision"], "ActivationState": "Sometimes"}
    assert _refused("ComputeQuota", "CreateComputeQuota", spoiled) != []


def test_checks_come_last() -> None:
    """Their weight is the least, so that they end no training."""
    assert min(PRIORITIES, key=lambda name: PRIORITIES[name]) == "checks"


def test_a_team_has_its_nodes_and_the_others_equal_parts() -> None:
    """Of eight nodes: four named, the rest halved; a node that cannot be halved is nobody's."""
    teams = ({"name": "speech"}, {"name": "vision", "gpus": 32}, {"name": "code"})
    assert {name: _own(each) for name, each in _quotas(*teams).items()} == {
        "vision": {H200: 4},
        "speech": {H200: 2},
        "code": {H200: 2},
    }
    odd = _quotas({"name": "vision", "gpus": 24}, {"name": "speech"}, {"name": "code"})
    assert sum(_own(each)[H200] for each in odd.values()) == 7


def test_nodes_are_taken_in_the_order_of_the_pools() -> None:
    """Two pools of one type count together; a range counts as much as it may grow to."""
    pools = (
        pool(nodes=2),
        pool(name="h100", instance_type="p5.48xlarge", nodes=4),
        pool(name="more", nodes=RANGE),
    )
    quotas = _quotas({"name": "vision", "gpus": 8 * 19}, {"name": "speech"}, pools=pools)
    assert _own(quotas["vision"]) == {H200: 18, H100: 1}
    assert _own(quotas["speech"]) == {H200: 0, H100: 3}


def test_who_borrows_may_take_all_that_is_not_its_own() -> None:
    """Others lend, and borrow nothing."""
    quotas = _quotas({"name": "vision", "gpus": 16}, {"name": "speech", "gpus": 0, "borrows": False})
    sharing = {name: each["ComputeQuotaConfig"]["ResourceSharingConfig"] for name, each in quotas.items()}
    assert sharing["vision"] == {
        "Strategy": "LendAndBorrow",
        "AbsoluteBorrowLimits": [{"InstanceType": H200, "Count": 6}],
    }
    assert sharing["speech"] == {"Strategy": "Lend"}
    assert _own(quotas["speech"]) == {H200: 0}


@pytest.mark.parametrize(
    ("teams", "words"),
    [
        ([{"name": "vision", "gpus": 72}], "gpus: 72 is more than the 64 .* give at most 64"),
        ([{"name": "a1", "gpus": 40}, {"name": "b1", "gpus": 32}], "team b1: .* give at most 24"),
        ([{"name": "vision", "gpus": 12}], "no number of whole nodes, which have 8 GPUs each; give 8"),
    ],
)
def test_what_the_pools_do_not_have_is_refused(teams: list[dict[str, Any]], words: str) -> None:
    """By the team, with the greatest number that could be had."""
    with pytest.raises(ValueError, match=words):
        _quotas(*teams)


def test_names_are_those_that_hyperpod_makes_and_takes() -> None:
    """A team's namespace and queue; a quota's name of 63 characters at most, two long ones apart."""
    assert team_namespace("vision") == "hyperpod-ns-vision"
    assert team_queue("vision") == "hyperpod-ns-vision-localqueue"
    teams = [{"name": f"{'t' * 38}{each}"} for each in "ab"]
    names = [each["Name"] for each in _quotas(*teams, cluster_name="n" * 40).values()]
    assert all(len(name) <= 63 for name in names)
    assert len(set(names)) == 2
    assert _quotas({"name": "vision"})["vision"]["Name"] == "proof-vision"

"""What is asked before a cluster of HyperPod is bought: SageMaker's quotas, and not EC2's."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.spec.orchestrator import SlurmHyperPod
from bedplate.validation.preflight.run import run_preflight
from bedplate.validation.preflight.service_linked_roles import roles_needed
from tests.validation.preflight.fake_aws import FakeAws, preflight_of

HYPERPOD = SlurmHyperPod.model_validate(
    {"kind": "slurm-hyperpod", "partitions": [{"name": "train", "pools": ["h200"]}]}
)
OTHER = {"InstanceType": "ml.p5en.48xlarge"}


@pytest.fixture
def aws() -> FakeAws:
    """An account with one other cluster, of two nodes."""
    made = FakeAws()
    _limits(made, {"ml.p5en.48xlarge": 64.0, "ml.m7i.4xlarge": 2.0})
    made.tables["sagemaker"] = {
        "list_clusters": {"ClusterSummaries": [{"ClusterName": "other"}, {"ClusterName": "bedplate-demo"}]},
        "list_cluster_nodes": {"ClusterNodeSummaries": [OTHER, OTHER]},
    }
    return made


def _limits(aws: FakeAws, limits: dict[str, float]) -> None:
    aws.tables["quotas"]["list_service_quotas"] = {
        "Quotas": [
            {"QuotaCode": f"L-{number}", "QuotaName": f"{name} for cluster usage", "Value": value}
            for number, (name, value) in enumerate(limits.items())
        ]
    }


def _verdicts(aws: FakeAws) -> Any:
    found = run_preflight(preflight_of(aws, orchestrator=HYPERPOD)).verdicts
    return [one for one in found if one.check_id == "PRE-035"]


def test_quotas_that_hold_everything_pass(aws: FakeAws) -> None:
    """The nodes of the pool, the controller and a login node beside those of the other cluster."""
    (verdict,) = _verdicts(aws)
    assert verdict.outcome is Outcome.PASS
    assert "2 in use" in verdict.summary


def test_a_quota_that_is_too_small_is_told_with_the_sum(aws: FakeAws) -> None:
    """Controller and login node are two of one type."""
    _limits(aws, {"ml.p5en.48xlarge": 64.0, "ml.m7i.4xlarge": 1.0})
    (verdict,) = _verdicts(aws)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.measured == 2
    assert "--service-code sagemaker --quota-code L-1" in verdict.remedy


def test_a_quota_that_is_not_listed_is_no_pass(aws: FakeAws) -> None:
    """Whatever SageMaker does not tell was not looked at."""
    _limits(aws, {"ml.m7i.4xlarge": 64.0})
    (verdict,) = _verdicts(aws)
    assert verdict.outcome not in (Outcome.PASS, Outcome.NOT_APPLICABLE)
    assert "ml.p5en.48xlarge" in verdict.summary


def test_quotas_of_ec2_are_not_asked(aws: FakeAws) -> None:
    """They count none of these instances; the controller's zone is asked for its type."""
    found = run_preflight(preflight_of(aws, orchestrator=HYPERPOD)).verdicts
    assert not {"PRE-007", "PRE-008", "PRE-009", "PRE-029", "PRE-034"} & {one.check_id for one in found}
    zones = {one.subject.names[0] for one in found if one.check_id == "PRE-006"}
    assert zones == {"h200", "login", "controller"}


def test_rds_is_the_service_that_needs_a_role(aws: FakeAws) -> None:
    """Its database is Aurora's; PCS has no part in it."""
    wanted = preflight_of(aws, orchestrator=HYPERPOD).environment
    assert "AWSServiceRoleForRDS" in roles_needed(wanted)
    assert not {"AWSServiceRoleForPCS", "AWSServiceRoleForEC2Spot"} & set(roles_needed(wanted))

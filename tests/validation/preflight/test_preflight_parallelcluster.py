"""What is asked before a cluster of ParallelCluster is bought, beside what every kind is asked."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.spec.orchestrator import SlurmParallelCluster
from bedplate.validation.preflight.run import run_preflight
from tests.validation.preflight.fake_aws import FakeAws, preflight_of

PARALLELCLUSTER = SlurmParallelCluster.model_validate(
    {
        "kind": "slurm-parallelcluster",
        "partitions": [{"name": "train", "pools": ["h200"]}],
        "login": {"nodes": 2},
    }
)
CODE = "L-1216C47A"


@pytest.fixture
def aws() -> FakeAws:
    """An account that answers well."""
    return FakeAws()


@pytest.mark.parametrize(("limit", "outcome"), [(48.0, Outcome.PASS), (47.0, Outcome.FAIL)])
def test_the_head_node_counts_among_the_standard_instances(
    limit: float, outcome: Outcome, aws: FakeAws
) -> None:
    """Two login nodes and a head of 16 vCPUs each."""
    aws.limits[CODE] = ("Running On-Demand Standard instances", limit)
    verdicts = run_preflight(preflight_of(aws, orchestrator=PARALLELCLUSTER)).verdicts
    (verdict,) = [one for one in verdicts if one.check_id == "PRE-009"]
    assert verdict.outcome is outcome, verdict.summary


def test_the_zone_of_the_head_is_asked_for_its_type(aws: FakeAws) -> None:
    """Head and login nodes are asked for by name, beside the pools."""
    verdicts = run_preflight(preflight_of(aws, orchestrator=PARALLELCLUSTER)).verdicts
    found = {one.subject.names[0]: one.outcome for one in verdicts if one.check_id == "PRE-006"}
    assert set(found) == {"h200", "login", "head"}
    assert set(found.values()) == {Outcome.PASS}


def test_what_belongs_to_pcs_is_not_asked(aws: FakeAws) -> None:
    """ParallelCluster takes its own image, and there is no cluster of PCS to be changed."""
    asked = {one.check_id for one in run_preflight(preflight_of(aws, orchestrator=PARALLELCLUSTER)).verdicts}
    assert not {"PRE-029", "PRE-034"} & asked
    assert {"PRE-029", "PRE-034"} <= {one.check_id for one in run_preflight(preflight_of(aws)).verdicts}


def test_the_roles_are_those_of_the_services_in_use(aws: FakeAws) -> None:
    """Aurora's role is asked for where accounting has a database, and PCS's is nothing to ParallelCluster."""
    aws.roles.discard("AWSServiceRoleForPCS")
    assert _roles(aws, PARALLELCLUSTER).outcome is Outcome.PASS
    aws.roles.discard("AWSServiceRoleForRDS")
    verdict = _roles(aws, PARALLELCLUSTER)
    assert (verdict.outcome, verdict.summary) == (Outcome.FAIL, "AWSServiceRoleForRDS is missing")
    assert "rds.amazonaws.com" in verdict.remedy
    without = PARALLELCLUSTER.model_copy(update={"accounting": False})
    assert _roles(aws, without).outcome is Outcome.PASS


def _roles(aws: FakeAws, orchestrator: SlurmParallelCluster) -> Verdict:
    verdicts = run_preflight(preflight_of(aws, orchestrator=orchestrator)).verdicts
    (verdict,) = [one for one in verdicts if one.check_id == "PRE-005"]
    return verdict

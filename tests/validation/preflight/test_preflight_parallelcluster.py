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


@pytest.mark.parametrize(
    ("nodes", "mib", "outcome", "expected"),
    [
        (8, 65536, Outcome.PASS, 0.92),
        (8, 942, Outcome.FAIL, 0.92),
        (8, 943, Outcome.PASS, 0.92),
        (1000, 16384, Outcome.PASS, 16),
        (1000, 16383, Outcome.FAIL, 16),
        (384, 16344, Outcome.PASS, 15.96),
    ],
)
def test_the_head_node_has_the_memory_that_parallelcluster_asks_for(
    nodes: int, mib: int, outcome: Outcome, expected: float, aws: FakeAws
) -> None:
    """A gibibyte for 25 nodes beside the system's 0.6, and never more than 16."""
    pool = preflight_of(aws).environment.pools[0].model_copy(update={"nodes": nodes})
    aws.tables["ec2"]["describe_instance_types"] = {
        "InstanceTypes": [{"VCpuInfo": {"DefaultVCpus": 16}, "MemoryInfo": {"SizeInMiB": mib}}]
    }
    asked = preflight_of(aws, orchestrator=PARALLELCLUSTER, pools=(pool,))
    (verdict,) = [one for one in run_preflight(asked).verdicts if one.check_id == "PRE-040"]
    assert (verdict.outcome, verdict.expected) == (outcome, expected), verdict.summary


def test_a_memory_that_is_not_told_is_no_pass(aws: FakeAws) -> None:
    """Where EC2 leaves it out the question could not be made; PCS has no head node to ask about."""
    aws.tables["ec2"]["describe_instance_types"] = {"InstanceTypes": [{"VCpuInfo": {"DefaultVCpus": 16}}]}
    verdicts = run_preflight(preflight_of(aws, orchestrator=PARALLELCLUSTER)).verdicts
    (verdict,) = [one for one in verdicts if one.check_id == "PRE-040"]
    assert verdict.outcome is Outcome.ERROR
    assert "PRE-040" not in {one.check_id for one in run_preflight(preflight_of(aws)).verdicts}

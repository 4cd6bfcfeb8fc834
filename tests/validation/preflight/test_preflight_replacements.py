"""PRE-034 against a small PCS: what may change of a cluster that is deployed, and what may not."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome, Severity, Verdict
from bedplate.spec.network import ExistingVpc
from bedplate.spec.orchestrator import Login
from bedplate.spec.pools import Pool
from bedplate.validation.preflight import replacements
from bedplate.validation.preflight.run import run_preflight
from tests.validation.preflight.fake_aws import FakeAws, preflight_of, refusal

DEPLOYED = preflight_of(FakeAws()).environment
POOL, NETWORK = DEPLOYED.pools[0], DEPLOYED.network
GROUP = "sg-0123456789abcdef0"


def _group(name: str, instance_type: str, most: int) -> dict[str, Any]:
    return {
        "id": f"pcs_{name}",
        "name": name,
        "instanceConfigs": [{"instanceType": instance_type}],
        "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": most},
    }


@pytest.fixture
def aws() -> FakeAws:
    """An account in which the demo is deployed: half of its range for nodes, eighths for the others."""
    fake, login = FakeAws(), DEPLOYED.orchestrator.login
    groups = [
        _group(POOL.name, POOL.instance_type, POOL.max_nodes),
        _group("login", login.instance_type, login.nodes),
    ]
    subnets = [
        {"SubnetId": f"subnet-{name}", "VpcId": "vpc-1", "CidrBlock": cidr, "AvailabilityZoneId": zone}
        for name, cidr, zone in (
            ("gpu", "10.40.128.0/17", "usw2-az2"),
            ("a", "10.40.0.0/19", "usw2-az1"),
            ("b", "10.40.32.0/19", "usw2-az2"),
            ("public", "10.40.64.0/19", "usw2-az2"),
        )
    ]
    cluster = {
        "id": "pcs_1",
        "size": "SMALL",
        "networking": {"subnetIds": ["subnet-b"], "securityGroupIds": [GROUP]},
    }
    fake.tables["pcs"] = {
        "get_cluster": {"cluster": cluster},
        "list_compute_node_groups": {"computeNodeGroups": groups},
        "get_compute_node_group": lambda request: {
            "computeNodeGroup": next(
                each for each in groups if each["id"] == request["computeNodeGroupIdentifier"]
            )
        },
    }
    fake.tables["ec2"]["describe_subnets"] = lambda request: {
        "Subnets": [row for row in subnets if row["SubnetId"] in request.get("SubnetIds", [row["SubnetId"]])]
    }
    fake.tables["ec2"]["describe_vpcs"] = {"Vpcs": [{"VpcId": "vpc-1", "CidrBlock": "10.40.0.0/16"}]}
    return fake


def _judged(aws: FakeAws, **changes: Any) -> Verdict:
    (verdict,) = replacements.check(preflight_of(aws, **changes))
    return verdict


def _pool(**changes: Any) -> Pool:
    return POOL.model_copy(update=changes)


def _login(**changes: Any) -> dict[str, Any]:
    login = Login(**{**DEPLOYED.orchestrator.login.model_dump(), **changes})
    return {"orchestrator": DEPLOYED.orchestrator.model_copy(update={"login": login})}


def _network(**changes: Any) -> dict[str, Any]:
    return {"network": NETWORK.model_copy(update=changes)}


def test_the_first_deploy_has_nothing_to_replace() -> None:
    """PCS knows no cluster of the name."""
    verdict = _judged(FakeAws())
    assert verdict.outcome is Outcome.PASS
    assert "no cluster bedplate-demo yet" in verdict.summary


def test_what_pcs_does_not_let_us_ask_is_an_error(aws: FakeAws) -> None:
    """A denial is not taken for a first deploy."""
    aws.tables["pcs"]["get_cluster"] = refusal("AccessDeniedException")
    verdicts = run_preflight(preflight_of(aws)).verdicts
    (verdict,) = [each for each in verdicts if each.check_id == "PRE-034"]
    assert verdict.outcome is Outcome.ERROR


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"pools": (_pool(nodes=POOL.min_nodes + 1),)},
        {"pools": (_pool(name="other", instance_type="p5e.48xlarge"),)},
        {"pools": (POOL, _pool(name="second"))},
        _login(nodes=3),
        _network(internet="none"),
    ],
)
def test_harmless_changes_pass(aws: FakeAws, changes: dict[str, Any]) -> None:
    """The same again, more nodes, another pool, another type under another name, no way out."""
    verdict = _judged(aws, **changes)
    assert verdict.outcome is Outcome.PASS, verdict.summary
    assert verdict.findings == ()


@pytest.mark.parametrize(
    ("changes", "words", "remedy"),
    [
        (
            {"pools": (_pool(instance_type="p5e.48xlarge"),)},
            f"pool {POOL.name} is of {POOL.instance_type}, not of p5e.48xlarge",
            f"Give pool {POOL.name} another name",
        ),
        (_login(instance_type="m7i.2xlarge"), "the login nodes are", "another environment"),
        (
            {"pools": (_pool(nodes=40),)},
            "size SMALL (up to 32 instances), and 41 instances make it MEDIUM",
            "within the size",
        ),
        (
            _network(control_zones=("usw2-az2", "usw2-az1")),
            "subnet-a is in usw2-az1, not in usw2-az2",
            "another",
        ),
        (_network(zone="usw2-az1"), "subnet-gpu is in usw2-az2, not in usw2-az1", "another environment"),
        (_network(zone="usw2-az1"), "the controller is in 10.40.32.0/19", "another environment"),
        (_network(cidr="10.41.0.0/16"), "vpc-1 has the range 10.40.0.0/16", "another environment"),
    ],
)
def test_what_pcs_would_refuse_fails(aws: FakeAws, changes: dict[str, Any], words: str, remedy: str) -> None:
    """What is there, what is asked for, and what to do instead."""
    verdict = _judged(aws, **changes)
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary
    assert remedy in verdict.remedy


def _given(**changes: Any) -> dict[str, Any]:
    ids = {"id": "vpc-1", "gpu_subnet": "subnet-gpu", "control_subnets": ("subnet-a", "subnet-b")}
    return _network(cidr=None, vpc=ExistingVpc.model_construct(**{**ids, "fabric_group": GROUP, **changes}))


def test_in_a_given_vpc_the_ids_are_compared(aws: FakeAws) -> None:
    """Another control subnet or group is refused; the nodes' subnet is PCS's to change."""
    assert _judged(aws, **_given()).outcome is Outcome.PASS
    assert _judged(aws, **_given(gpu_subnet="subnet-new")).outcome is Outcome.PASS
    moved = _judged(aws, **_given(control_subnets=("subnet-a", "subnet-c")))
    assert "in subnet-b, not in subnet-c" in moved.summary
    regrouped = _judged(aws, **_given(fabric_group="sg-other"))
    assert f"security group {GROUP}, not sg-other" in regrouped.summary


def test_an_eleventh_node_group_for_a_while_fails(aws: FakeAws) -> None:
    """Nine pools may be renamed, but not all in one deploy: old and new ones stand together."""
    verdict = _judged(aws, pools=tuple(_pool(name=f"new{number}") for number in range(9)))
    assert verdict.outcome is Outcome.FAIL
    assert "11 node groups" in verdict.summary


def test_more_instances_than_the_size_for_a_while_is_a_finding(aws: FakeAws) -> None:
    """Old and new pool together are over the size, each alone is not."""
    aws.tables["pcs"]["list_compute_node_groups"]["computeNodeGroups"][0]["scalingConfiguration"][
        "maxInstanceCount"
    ] = 20
    verdict = _judged(aws, pools=(_pool(name="new", nodes=20),))
    assert verdict.outcome is Outcome.PASS
    assert [each.severity for each in verdict.findings] == [Severity.WARNING]

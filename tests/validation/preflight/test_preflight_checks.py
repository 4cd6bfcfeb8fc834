"""Tests of the questions before a deploy, one after another, each spoilt in turn."""

from datetime import timedelta

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError

from bedplate.diagnosis.verdict import Outcome
from bedplate.errors import AwsRefused
from bedplate.spec.capacity_sources import CapacityBlock, Spot, TargetedReservation
from bedplate.spec.network import ExistingVpc
from bedplate.validation.judgement import judge
from bedplate.validation.preflight import CHECKS, ROWS, reservation
from bedplate.validation.preflight.context import Writer
from bedplate.validation.preflight.run import run_preflight
from tests.validation.preflight.fake_aws import NOW, FakeAws, Missing, instance, preflight_of, quota, refusal

RESERVATION = "cr-0123456789abcdef0"


@pytest.fixture
def aws() -> FakeAws:
    """An account in which all is well."""
    return FakeAws()


def outcome_of(aws: FakeAws, check_id: str, **changes):
    """The one verdict of a check."""
    result = run_preflight(preflight_of(aws, **changes))
    (verdict,) = [one for one in result.verdicts if one.check_id == check_id]
    return verdict


def pools_with(capacity, **changes):
    """The demo's pool, bought otherwise."""
    pool = preflight_of(FakeAws()).environment.pools[0]
    return (pool.model_copy(update={"capacity": capacity, **changes}),)


def test_an_account_in_which_all_is_well_passes(aws) -> None:
    """Nothing spoilt: every check that applies is a pass, and so is the run."""
    result = run_preflight(preflight_of(aws))
    assert {one.outcome for one in result.verdicts} == {Outcome.PASS}
    assert judge(result=result).passed
    assert result.simulated


def test_checks_have_ids_of_their_own_and_rows_that_explain_them() -> None:
    """``bedplate explain`` knows each, and no id is there twice."""
    assert len(ROWS) == len(CHECKS)
    assert all(row.what and row.why and row.fix and row.by_hand for row in ROWS.values())


def spoil_limit(code, value):
    """A quota that is too small."""

    def spoil(aws):
        aws.limits[code] = (aws.limits[code][0], value)

    return spoil


def spoil(service, operation, answer):
    """Another answer to one operation."""

    def spoil_one(aws):
        aws.tables[service][operation] = answer

    return spoil_one


@pytest.mark.parametrize(
    ("check_id", "spoiled", "words"),
    [
        (
            "PRE-001",
            spoil("sts", "get_caller_identity", {"Account": "999999999999", "Arn": "a"}),
            "999999999999",
        ),
        (
            "PRE-002",
            spoil("ec2", "describe_regions", {"Regions": [{"OptInStatus": "not-opted-in"}]}),
            "not-opted-in",
        ),
        (
            "PRE-003",
            spoil("ec2", "describe_availability_zones", {"AvailabilityZones": []}),
            "no zone usw2-az1",
        ),
        ("PRE-004", lambda aws: setattr(aws, "bootstrapped", False), "not bootstrapped"),
        ("PRE-004", spoil("ssm", "get_parameter", {"Parameter": {"Value": "5"}}), "version 5"),
        ("PRE-005", lambda aws: aws.roles.discard("AWSServiceRoleForPCS"), "AWSServiceRoleForPCS is missing"),
        ("PRE-007", spoil_limit("L-417A185B", 1535), "1 too many"),
        ("PRE-009", spoil_limit("L-1216C47A", 15), "1 too many"),
        ("PRE-012", spoil_limit("L-DF5E4CA3", 100), "too many"),
        ("PRE-012", spoil_limit("L-F678F1CE", 1), "1 too many"),
        ("PRE-012", spoil_limit("L-0263D0A3", 0), "1 too many"),
        (
            "PRE-013",
            spoil(
                "fsx",
                "describe_file_systems",
                {
                    "FileSystems": [
                        {
                            "StorageCapacity": 100800,
                            "LustreConfiguration": {"DeploymentType": "PERSISTENT_2"},
                        }
                    ]
                },
            ),
            "too many",
        ),
    ],
)
def test_what_would_stop_the_deploy_is_a_fail_with_a_remedy(aws, check_id, spoiled, words) -> None:
    """Each reason for a deploy to fail is told by its check, with what to do."""
    spoiled(aws)
    verdict = outcome_of(aws, check_id)
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary
    assert verdict.remedy


@pytest.mark.parametrize(
    ("check_id", "service", "operation"),
    [
        ("PRE-002", "ec2", "describe_regions"),
        ("PRE-003", "ec2", "describe_availability_zones"),
        ("PRE-004", "ssm", "get_parameter"),
        ("PRE-005", "iam", "get_role"),
        ("PRE-006", "ec2", "describe_instance_type_offerings"),
        ("PRE-007", "quotas", "get_service_quota"),
        ("PRE-009", "ec2", "describe_instance_types"),
        ("PRE-012", "ec2", "describe_network_interfaces"),
        ("PRE-013", "quotas", "list_service_quotas"),
    ],
)
def test_a_question_that_may_not_be_asked_is_an_error_never_a_pass(aws, check_id, service, operation) -> None:
    """Access denied: the check could not be made, and the run does not pass."""
    aws.tables[service][operation] = refusal("AccessDenied")
    result = run_preflight(preflight_of(aws))
    (verdict,) = [one for one in result.verdicts if one.check_id == check_id]
    assert verdict.outcome is Outcome.ERROR
    assert "could not be made" in verdict.summary
    assert not judge(result=result).passed


@pytest.mark.parametrize("answer", [NoCredentialsError(), refusal("ExpiredToken")])
def test_without_good_credentials_nothing_is_asked(aws, answer) -> None:
    """It ends with AWS-002 and exit code 5, as other commands do."""
    aws.tables["sts"]["get_caller_identity"] = answer
    with pytest.raises(AwsRefused) as caught:
        run_preflight(preflight_of(aws))
    assert caught.value.error_id == "AWS-002"


def test_a_region_that_refuses_good_credentials_is_told_by_its_check(aws) -> None:
    """Only STS tells that the caller is unknown: what refuses afterwards is a check that was not made."""
    aws.tables["ec2"]["describe_regions"] = refusal("UnrecognizedClientException")
    assert outcome_of(aws, "PRE-002").outcome is Outcome.ERROR


def test_in_another_account_nothing_else_is_asked(aws) -> None:
    """One failure says it; every other question is left unasked, and the run does not pass."""
    aws.tables["sts"]["get_caller_identity"] = {"Account": "999999999999", "Arn": "a"}
    result = run_preflight(preflight_of(aws))
    first, *others = result.verdicts
    assert (first.check_id, first.outcome) == ("PRE-001", Outcome.FAIL)
    assert others
    assert {one.outcome for one in others} == {Outcome.NOT_TESTED}
    assert not judge(result=result).passed


def test_aws_out_of_reach_ends_the_run(aws) -> None:
    """A dead endpoint is no row of a table: the command ends with AWS-001."""
    aws.tables["ec2"]["describe_regions"] = EndpointConnectionError(endpoint_url="http://localhost:1")
    with pytest.raises(AwsRefused) as caught:
        run_preflight(preflight_of(aws))
    assert caught.value.error_id == "AWS-001"


def test_the_quota_adds_what_others_use_and_leaves_out_our_own(aws) -> None:
    """In use: P instances of others, On-Demand. Our own are in what is asked for; Spot and blocks do not
    count.
    """
    aws.limits["L-417A185B"] = ("P", 1536 + 192)
    aws.instances = [
        instance("p5.48xlarge", vcpus=192),
        instance("p5en.48xlarge", vcpus=192, environment="demo"),
        instance("p5.48xlarge", vcpus=192, lifecycle="spot"),
        instance("p5.48xlarge", vcpus=192, lifecycle="capacity-block"),
        instance("m7i.4xlarge", vcpus=16),
    ]
    verdict = outcome_of(aws, "PRE-007")
    assert verdict.outcome is Outcome.PASS
    assert (verdict.measured, verdict.expected) == (1728, 1728)


def reservation_row(name, kind="p5.48xlarge", *, free=1, total=1, **changes):
    """A reservation as EC2 tells it."""
    row = {"CapacityReservationId": name, "InstanceType": kind, "State": "active", "OwnerId": "123456789012"}
    counts = {"AvailableInstanceCount": free, "TotalInstanceCount": total}
    return {**row, **counts, "AvailabilityZoneId": "usw2-az2", "InstanceMatchCriteria": "open", **changes}


@pytest.mark.parametrize(
    ("row", "in_use"),
    [
        (reservation_row("cr-1", free=2, total=3), 2),
        (reservation_row("cr-1", free=0, total=3, State="scheduled"), 3),
        (reservation_row("cr-1", State="expired"), 0),
        (reservation_row("cr-1", ReservationType="capacity-block"), 0),
        (reservation_row("cr-1", OwnerId="999999999999"), 0),
        (reservation_row("cr-1", kind="m7i.4xlarge"), 0),
    ],
)
def test_capacity_that_is_reserved_and_not_used_counts_against_the_quota(aws, row, in_use) -> None:
    """Live reservations of the account itself, whole where they are not active yet; blocks have no quota."""
    aws.limits["L-417A185B"] = ("P", 10_000)
    aws.reservations = [row]
    assert outcome_of(aws, "PRE-007").measured == 1536 + 192 * in_use


def test_a_reservation_that_the_pool_fills_is_not_counted_twice(aws) -> None:
    """Ten reserved, of which eight are for the pool: two stay unused, whether the nodes run or not."""
    aws.limits["L-417A185B"] = ("P", 10_000)
    name = "cr-0123456789abcdef0"
    pools = pools_with(TargetedReservation(source="targeted-reservation", reservation=name))
    aws.reservations = [reservation_row(name, "p5en.48xlarge", free=10, total=10)]
    assert outcome_of(aws, "PRE-007", pools=pools).measured == 1536 + 192 * 2
    aws.reservations = [reservation_row(name, "p5en.48xlarge", free=2, total=10)]
    own = instance("p5en.48xlarge", vcpus=192, environment="demo")
    aws.instances = [{**own, "CapacityReservationId": name}] * 8
    assert outcome_of(aws, "PRE-007", pools=pools).measured == 1536 + 192 * 2


def test_an_instance_that_tells_no_vcpus_counts_with_those_of_its_type(aws) -> None:
    """By the hardware table, else by EC2; where neither knows the check could not be made."""
    aws.limits["L-417A185B"] = ("P", 10_000)
    aws.instances = [{"InstanceType": "p5.48xlarge"}, {"InstanceType": "p4d.24xlarge"}]
    assert outcome_of(aws, "PRE-007").measured == 1536 + 192 + 16
    aws.tables["ec2"]["describe_instance_types"] = {"InstanceTypes": []}
    verdict = outcome_of(aws, "PRE-007")
    assert verdict.outcome is Outcome.ERROR
    assert "does not tell the vCPUs of p4d.24xlarge" in verdict.summary


def test_a_quota_without_a_value_of_its_own_is_the_default(aws) -> None:
    """Service Quotas tells an applied value only where one was applied."""
    aws.tables["quotas"]["get_service_quota"] = Missing()
    aws.tables["quotas"]["get_aws_default_service_quota"] = lambda request: quota(
        request["QuotaCode"], "default", 0.0
    )
    assert outcome_of(aws, "PRE-007").outcome is Outcome.FAIL


def test_an_unknown_quota_is_an_error(aws) -> None:
    """No Lustre quota by that name: not guessed at."""
    aws.tables["quotas"]["list_service_quotas"] = {"Quotas": []}
    assert outcome_of(aws, "PRE-013").outcome is Outcome.ERROR


def test_spot_pools_are_held_against_the_spot_quota(aws) -> None:
    """P5 Spot has a quota of its own; On-Demand's does not apply then."""
    changes = {"pools": pools_with(Spot(source="spot"))}
    assert outcome_of(aws, "PRE-008", **changes).outcome is Outcome.PASS
    result = run_preflight(preflight_of(aws, **changes))
    assert "PRE-007" not in result.required_checks
    aws.limits["L-C4BD4855"] = ("Spot", 0)
    assert outcome_of(aws, "PRE-008", **changes).outcome is Outcome.FAIL


def test_a_missing_reservation_is_a_fail(aws) -> None:
    """An id that EC2 does not know."""
    aws.tables["ec2"]["describe_capacity_reservations"] = refusal("InvalidCapacityReservationId.NotFound")
    block = CapacityBlock(source="capacity-block", reservation=RESERVATION)
    verdict = outcome_of(aws, "PRE-010", pools=pools_with(block))
    assert verdict.outcome is Outcome.FAIL
    assert RESERVATION in verdict.summary


GOOD_BLOCK = {
    "InstanceType": "p5en.48xlarge",
    "AvailabilityZoneId": "usw2-az2",
    "ReservationType": "capacity-block",
    "State": "active",
    "TotalInstanceCount": 8,
    "AvailableInstanceCount": 8,
    "EndDate": NOW + timedelta(days=10),
}


def judged(pool, row):
    """The verdict about one reservation."""
    return reservation.judge(Writer("PRE-010"), pool=pool, row=row, zone="usw2-az2", now=NOW)


SCHEDULED_BLOCK = {
    "State": "scheduled",
    "StartDate": NOW + timedelta(days=1),
    "TotalInstanceCount": 0,
    "AvailableInstanceCount": 0,
    "Tags": [{"Key": "aws:ec2capacityreservation:incrementalRequestedQuantity", "Value": "8"}],
}


@pytest.mark.parametrize("change", [{}, SCHEDULED_BLOCK], ids=["active", "scheduled"])
def test_a_block_that_fits_passes(change) -> None:
    """Type, zone, kind, size, state and end are as they should be; it may begin later."""
    (pool,) = pools_with(CapacityBlock(source="capacity-block", reservation=RESERVATION))
    verdict = judged(pool, {**GOOD_BLOCK, **change})
    assert verdict.outcome is Outcome.PASS
    assert verdict.findings == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"InstanceType": "p5.48xlarge"}, "of p5.48xlarge"),
        ({"AvailabilityZoneId": "usw2-az1"}, "in usw2-az1"),
        ({"ReservationType": "default"}, "On-Demand Capacity Reservation"),
        ({"TotalInstanceCount": 7}, "holds 7 instances"),
        ({"State": "expired"}, "is expired"),
        ({"State": "payment-pending"}, "is payment-pending"),
        ({"EndDate": NOW + timedelta(minutes=30)}, "ends 2026-11-29"),
    ],
)
def test_a_block_that_does_not_fit_fails(change, words) -> None:
    """Each way in which a block can miss its pool is told."""
    (pool,) = pools_with(CapacityBlock(source="capacity-block", reservation=RESERVATION))
    verdict = judged(pool, {**GOOD_BLOCK, **change})
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary


def test_a_block_that_ends_soon_or_is_used_carries_a_finding() -> None:
    """Neither stops the deploy, both are worth knowing."""
    (pool,) = pools_with(CapacityBlock(source="capacity-block", reservation=RESERVATION))
    verdict = judged(pool, {**GOOD_BLOCK, "EndDate": NOW + timedelta(hours=5), "AvailableInstanceCount": 3})
    assert verdict.outcome is Outcome.PASS
    assert len(verdict.findings) == 2


def test_an_on_demand_reservation_may_not_be_scheduled() -> None:
    """Only a block may start later."""
    (pool,) = pools_with(TargetedReservation(source="targeted-reservation", reservation=RESERVATION))
    row = {**GOOD_BLOCK, "ReservationType": "default"}
    assert judged(pool, row).outcome is Outcome.PASS
    assert judged(pool, {**row, "State": "pending"}).outcome is Outcome.FAIL


VPC = ExistingVpc(
    id="vpc-0123456789abcdef0",
    gpu_subnet="subnet-0123456789abcdef0",
    control_subnets=("subnet-0123456789abcdef1", "subnet-0123456789abcdef2"),
)


def existing_vpc(aws, *, free=100, zone="usw2-az2"):
    """The changes for an existing VPC, whose subnets the fake has."""
    rows = [
        {
            "SubnetId": VPC.gpu_subnet,
            "VpcId": VPC.id,
            "AvailabilityZoneId": zone,
            "AvailableIpAddressCount": free,
        },
        {"SubnetId": VPC.control_subnets[0], "VpcId": VPC.id, "AvailabilityZoneId": "usw2-az1"},
        {"SubnetId": VPC.control_subnets[1], "VpcId": VPC.id, "AvailabilityZoneId": "usw2-az2"},
    ]
    aws.tables["ec2"]["describe_subnets"] = {"Subnets": rows}
    network = preflight_of(aws).environment.network
    return {"network": network.model_copy(update={"vpc": VPC, "cidr": None})}


@pytest.mark.parametrize(
    ("spoiled", "outcome"),
    [
        ({}, Outcome.PASS),
        ({"free": 56}, Outcome.FAIL),
        ({"free": 57}, Outcome.PASS),
        ({"zone": "usw2-az3"}, Outcome.FAIL),
    ],
)
def test_existing_subnets_need_the_zone_and_the_addresses(aws, spoiled, outcome) -> None:
    """8 nodes, a login node, and 16 + 38,400 / 1,200 addresses for the file system, make 57."""
    changes = existing_vpc(aws, **spoiled)
    assert outcome_of(aws, "PRE-011", **changes).outcome is outcome


def test_what_the_environment_holds_already_is_not_asked_for_twice(aws) -> None:
    """A second preflight, with nodes and file system there: their addresses count as free; others' do not."""
    changes = existing_vpc(aws, free=0)
    interfaces = [{"SubnetId": VPC.gpu_subnet, "PrivateIpAddresses": [{}]}, {"SubnetId": VPC.gpu_subnet}]
    own = {**instance("p5en.48xlarge", vcpus=192, environment="demo"), "NetworkInterfaces": interfaces}
    tags = [{"Key": "bedplate:environment", "Value": "demo"}]
    system = {"SubnetIds": [VPC.gpu_subnet], "NetworkInterfaceIds": ["eni"] * 48, "Tags": tags}
    aws.instances = [own] * 9
    aws.tables["fsx"]["describe_file_systems"] = {"FileSystems": [system]}
    assert outcome_of(aws, "PRE-011", **changes).outcome is Outcome.PASS
    aws.tables["fsx"]["describe_file_systems"] = {"FileSystems": [{**system, "Tags": []}]}
    verdict = outcome_of(aws, "PRE-011", **changes)
    assert verdict.outcome is Outcome.FAIL
    assert (verdict.measured, verdict.expected) == (9, 57)


def offered_in(**zones):
    """An answer to DescribeInstanceTypeOfferings: type, with underscores → zone."""
    return lambda request: {
        "InstanceTypeOfferings": [
            {"InstanceType": name, "Location": zones[name.replace(".", "_")]}
            for name in request["Filters"][0]["Values"]
            if name.replace(".", "_") in zones
        ]
    }


@pytest.mark.parametrize(
    ("zones", "refused"),
    [
        ({"p5en_48xlarge": "usw2-az2", "m7i_4xlarge": "usw2-az2"}, set()),
        ({"p5en_48xlarge": "usw2-az1", "m7i_4xlarge": "usw2-az2"}, {"h200"}),
        ({"p5en_48xlarge": "usw2-az2", "m7i_4xlarge": "usw2-az3"}, {"login"}),
        ({}, {"h200", "login"}),
    ],
)
def test_a_zone_must_offer_every_type(aws, zones, refused) -> None:
    """The pools' and the login nodes', each with a verdict of its own and the zones that do offer it."""
    aws.tables["ec2"]["describe_instance_type_offerings"] = offered_in(**zones)
    verdicts = [one for one in run_preflight(preflight_of(aws)).verdicts if one.check_id == "PRE-006"]
    assert {one.subject.names[0] for one in verdicts if one.outcome is Outcome.FAIL} == refused
    assert {one.subject.names[0] for one in verdicts} == {"h200", "login"}
    assert all(
        "does not offer" in one.summary and one.remedy for one in verdicts if one.subject.names[0] in refused
    )


def test_login_nodes_beside_a_local_zone_need_another_zone(aws) -> None:
    """They stand in the first control zone, and their type is asked for there."""
    aws.tables["ec2"]["describe_instance_type_offerings"] = offered_in(
        p5en_48xlarge="usw2-dfw2-az1", m7i_4xlarge="usw2-az1"
    )
    network = preflight_of(aws).environment.network.model_copy(update={"zone": "usw2-dfw2-az1"})
    result = run_preflight(preflight_of(aws, network=network))
    found = {one.outcome for one in result.verdicts if one.check_id == "PRE-006"}
    assert found == {Outcome.PASS}

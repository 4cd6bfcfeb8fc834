"""Tests of the questions about reserved capacity, each spoilt in turn."""

from datetime import timedelta

import pytest

from bedplate.diagnosis.verdict import Outcome
from bedplate.spec.capacity_sources import (
    InterruptibleReservation,
    OpenReservation,
    TargetedReservation,
    UltraServerBlock,
)
from bedplate.validation.preflight import reservation
from bedplate.validation.preflight.context import Writer
from bedplate.validation.preflight.run import run_preflight
from tests.validation.preflight.fake_aws import NOW, FakeAws, instance, preflight_of, refusal

RESERVATION = "cr-0123456789abcdef0"
ARN = f"arn:aws:ec2:us-west-2:123456789012:capacity-reservation/{RESERVATION}"
GROUP = "arn:aws:resource-groups:us-west-2:123456789012:group/h200"
PLACEMENT = "arn:aws:ec2:us-west-2:123456789012:placement-group/research 1"
POOL_TYPE = "AWS::EC2::CapacityReservationPool"
ROW = {
    "CapacityReservationId": RESERVATION,
    "CapacityReservationArn": ARN,
    "OwnerId": "123456789012",
    "InstanceType": "p5en.48xlarge",
    "AvailabilityZoneId": "usw2-az2",
    "State": "active",
    "ReservationType": "default",
    "InstanceMatchCriteria": "targeted",
    "TotalInstanceCount": 8,
    "AvailableInstanceCount": 8,
}
GROUPED = TargetedReservation(source="targeted-reservation", resource_group=GROUP)
NAMED = TargetedReservation(source="targeted-reservation", reservation=RESERVATION)
CREATED = TargetedReservation(source="targeted-reservation", reservation="create")
LENT = InterruptibleReservation(source="interruptible-reservation", reservation=RESERVATION)
OPEN_IN_GROUP = OpenReservation(source="open-reservation", placement_group="research 1")


@pytest.fixture
def aws() -> FakeAws:
    """An account with one reservation, one group that holds it, and one placement group."""
    made = FakeAws()
    made.reservations = [dict(ROW)]
    made.tables["resource_groups"] = {
        "get_group_configuration": {"GroupConfiguration": {"Configuration": [{"Type": POOL_TYPE}]}},
        "list_group_resources": {
            "Resources": [
                {"Identifier": {"ResourceArn": ARN}},
                {"Identifier": {"ResourceArn": "arn:aws:ec2:us-west-2:123456789012:instance/i-1"}},
            ]
        },
    }
    made.tables["ec2"]["describe_placement_groups"] = {
        "PlacementGroups": [{"GroupName": "research 1", "Strategy": "cluster", "State": "available"}]
    }
    return made


def verdict_of(aws: FakeAws, check_id: str, capacity, **changes):
    """The one verdict of a check about a pool that is bought in this way."""
    pool = preflight_of(aws).environment.pools[0].model_copy(update={"capacity": capacity, **changes})
    result = run_preflight(preflight_of(aws, pools=(pool,)))
    (verdict,) = [one for one in result.verdicts if one.check_id == check_id]
    return verdict


def asked(aws: FakeAws, capacity) -> set[str]:
    """Ids of the checks that a pool's source asks for."""
    pool = preflight_of(aws).environment.pools[0].model_copy(update={"capacity": capacity})
    return set(run_preflight(preflight_of(aws, pools=(pool,))).required_checks)


def test_each_source_asks_its_own_questions(aws) -> None:
    """Group, interruptibility and placement group are asked for where a pool names them, nowhere else."""
    own = {"PRE-010", "PRE-030", "PRE-031", "PRE-032"}
    assert asked(aws, GROUPED) & own == {"PRE-030"}
    assert asked(aws, NAMED) & own == {"PRE-010", "PRE-031"}
    assert asked(aws, CREATED) & own == set()
    assert asked(aws, LENT) & own == {"PRE-010", "PRE-031"}
    assert asked(aws, OPEN_IN_GROUP) & own == {"PRE-032"}


def test_a_group_that_fits_passes(aws) -> None:
    """The group is of the type that launches can target, and its reservation holds all nodes."""
    verdict = verdict_of(aws, "PRE-030", GROUPED)
    assert verdict.outcome is Outcome.PASS
    assert verdict.measured == 8


def test_a_group_that_is_not_there_fails(aws) -> None:
    """Its ARN is told."""
    aws.tables["resource_groups"]["get_group_configuration"] = refusal("NotFoundException")
    verdict = verdict_of(aws, "PRE-030", GROUPED)
    assert verdict.outcome is Outcome.FAIL
    assert GROUP in verdict.summary


def test_a_group_that_cannot_be_read_is_no_pass(aws) -> None:
    """A denial is an error of the check."""
    aws.tables["resource_groups"]["get_group_configuration"] = refusal("AccessDeniedException")
    assert verdict_of(aws, "PRE-030", GROUPED).outcome is Outcome.ERROR


def test_a_group_of_another_type_fails(aws) -> None:
    """A group made for tags or hosts takes no launches."""
    aws.tables["resource_groups"]["get_group_configuration"] = {
        "GroupConfiguration": {"Configuration": [{"Type": "AWS::ResourceGroups::Generic"}]}
    }
    verdict = verdict_of(aws, "PRE-030", GROUPED)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.expected == POOL_TYPE


@pytest.mark.parametrize(
    "change",
    [
        {"InstanceType": "p5.48xlarge"},
        {"AvailabilityZoneId": "usw2-az1"},
        {"State": "expired"},
        {"ReservationType": "capacity-block"},
        {"Interruptible": True},
        {"TotalInstanceCount": 7},
        {"CapacityReservationArn": ARN[:-1] + "f"},
    ],
)
def test_members_that_the_pool_cannot_use_do_not_count(aws, change) -> None:
    """What EC2 passes over in silence is left out of the sum."""
    aws.reservations[0].update(change)
    verdict = verdict_of(aws, "PRE-030", GROUPED)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.measured == (7 if "TotalInstanceCount" in change else 0)


@pytest.mark.parametrize(
    ("named", "inside", "outcome"),
    [
        (None, PLACEMENT, Outcome.PASS),
        ("research 1", PLACEMENT, Outcome.PASS),
        ("other", PLACEMENT, Outcome.FAIL),
        ("research 1", "", Outcome.FAIL),
    ],
)
def test_members_count_where_the_pool_names_no_other_placement_group(aws, named, inside, outcome) -> None:
    """A launch without a placement group goes where the reservation lies; one into another finds none."""
    aws.reservations[0].update({"PlacementGroupArn": inside} if inside else {})
    capacity = GROUPED.model_copy(update={"placement_group": named})
    assert verdict_of(aws, "PRE-030", capacity).outcome is outcome


@pytest.mark.parametrize(
    ("capacity", "interruptible", "outcome"),
    [
        (LENT, True, Outcome.PASS),
        (LENT, False, Outcome.FAIL),
        (NAMED, False, Outcome.PASS),
        (NAMED, True, Outcome.FAIL),
    ],
)
def test_interruptible_is_as_the_pool_says(aws, capacity, interruptible, outcome) -> None:
    """The market type of the launch depends on it."""
    aws.reservations[0]["Interruptible"] = interruptible
    assert verdict_of(aws, "PRE-031", capacity).outcome is outcome


def test_nodes_that_are_always_up_on_a_lent_reservation_are_a_finding(aws) -> None:
    """They can be taken back, and the service asks for a minimum of 0."""
    aws.reservations[0]["Interruptible"] = True
    (finding,) = verdict_of(aws, "PRE-031", LENT).findings
    assert "min: 0" in finding.remedy


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"PlacementGroups": [{"Strategy": "cluster", "State": "available"}]}, Outcome.PASS),
        ({"PlacementGroups": [{"Strategy": "spread", "State": "available"}]}, Outcome.FAIL),
        ({"PlacementGroups": [{"Strategy": "cluster", "State": "deleting"}]}, Outcome.FAIL),
        ({"PlacementGroups": []}, Outcome.ERROR),
        (refusal("InvalidPlacementGroup.Unknown"), Outcome.FAIL),
        (refusal("UnauthorizedOperation"), Outcome.ERROR),
    ],
)
def test_a_named_placement_group_is_there(aws, answer, outcome) -> None:
    """It is a cluster placement group that can be used."""
    aws.tables["ec2"]["describe_placement_groups"] = answer
    assert verdict_of(aws, "PRE-032", OPEN_IN_GROUP).outcome is outcome


@pytest.mark.parametrize(
    ("inside", "named", "words"),
    [
        ("", "", ""),
        (PLACEMENT, "research 1", ""),
        (PLACEMENT, "", ""),
        (PLACEMENT, "other", "names 'other'"),
        ("", "research 1", "in no placement group"),
    ],
)
def test_a_reservation_is_used_in_the_group_that_it_was_made_in(aws, inside, named, words) -> None:
    """Elsewhere EC2 finds no capacity in it."""
    capacity = NAMED.model_copy(update={"placement_group": named or None})
    pool = preflight_of(aws).environment.pools[0].model_copy(update={"capacity": capacity})
    row = {**ROW, **({"PlacementGroupArn": inside} if inside else {}), "EndDate": NOW + timedelta(days=9)}
    verdict = reservation.judge(Writer("PRE-010"), pool=pool, row=row, zone="usw2-az2", now=NOW)  # type: ignore[arg-type]
    assert (verdict.outcome is Outcome.PASS) == (not words)
    assert words in verdict.summary
    assert len(verdict.findings) == (1 if inside and not named else 0)


@pytest.mark.parametrize(
    ("change", "outcome", "findings"),
    [
        ({"InstancePlatform": "Linux/UNIX", "Tenancy": "default"}, Outcome.PASS, 0),
        ({"InstancePlatform": "Red Hat Enterprise Linux"}, Outcome.PASS, 1),
        ({"Tenancy": "dedicated"}, Outcome.FAIL, 0),
    ],
)
def test_platform_and_tenancy_of_a_reservation(aws, change, outcome, findings) -> None:
    """Nodes are on shared hardware; the platform depends on the image, which may be one's own."""
    aws.reservations[0].update(change)
    verdict = verdict_of(aws, "PRE-010", NAMED)
    assert (verdict.outcome, len(verdict.findings)) == (outcome, findings)


def test_pools_share_what_a_reservation_holds(aws) -> None:
    """Two pools of 4 fit into 8 instances, two of 8 do not, though each alone would."""
    (pool,) = preflight_of(aws).environment.pools
    for nodes, outcome in ((4, Outcome.PASS), (8, Outcome.FAIL)):
        pools = [
            pool.model_copy(update={"name": name, "capacity": NAMED, "nodes": nodes})
            for name in ("one", "two")
        ]
        verdicts = run_preflight(preflight_of(aws, pools=tuple(pools))).verdicts
        found = [one for one in verdicts if one.check_id == "PRE-010"]
        assert [one.outcome for one in found] == [outcome, outcome]


@pytest.mark.parametrize(
    ("blocks", "outcome", "words"),
    [
        (
            [{"UltraserverType": "u-p6e-gb200x72", "CapacityReservationIds": [RESERVATION]}],
            Outcome.PASS,
            "x72",
        ),
        (
            [{"UltraserverType": "u-p6e-gb200x36", "CapacityReservationIds": [RESERVATION]}],
            Outcome.FAIL,
            "x36",
        ),
        (
            [{"UltraserverType": "u-p6e-gb200x72", "CapacityReservationIds": ["cr-1"]}],
            Outcome.FAIL,
            "no Capacity",
        ),
        ([{"CapacityReservationIds": [RESERVATION]}], Outcome.FAIL, "no Capacity"),
        (refusal("UnauthorizedOperation"), Outcome.ERROR, "UnauthorizedOperation"),
    ],
)
def test_a_block_is_of_the_named_ultraserver(aws, blocks, outcome, words) -> None:
    """The two UltraServers are of one instance type, so the reservation alone does not tell."""
    answer = blocks if isinstance(blocks, BaseException) else {"CapacityBlocks": blocks}
    aws.tables["ec2"]["describe_capacity_blocks"] = answer
    block = UltraServerBlock(source="ultraserver-block", reservation=RESERVATION)
    verdict = verdict_of(
        aws, "PRE-033", block, instance_type="p6e-gb200.36xlarge", ultraserver="u-p6e-gb200x72", nodes=18
    )
    assert verdict.outcome is outcome
    assert words in verdict.summary


P_QUOTA = "L-417A185B"


@pytest.mark.parametrize(("limit", "outcome"), [(1536.0, Outcome.PASS), (1535.0, Outcome.FAIL)])
def test_a_reservation_that_is_to_be_made_counts(aws, limit, outcome) -> None:
    """8 × 192 vCPUs are reserved from the deploy on, whether nodes run or not."""
    aws.reservations = []
    aws.limits[P_QUOTA] = ("Running On-Demand P instances", limit)
    sizes = preflight_of(aws).environment.pools[0].nodes
    assert sizes == 8
    assert verdict_of(aws, "PRE-007", CREATED).outcome is outcome


def test_a_reservation_that_a_deploy_made_is_not_counted_twice(aws) -> None:
    """It is found by its tags; the same reservation of another pool is one more."""
    aws.limits[P_QUOTA] = ("Running On-Demand P instances", 1536.0)
    tags = {"bedplate:environment": "demo", "bedplate:pool": "h200"}
    aws.reservations[0]["Tags"] = [{"Key": key, "Value": value} for key, value in tags.items()]
    assert verdict_of(aws, "PRE-007", CREATED).outcome is Outcome.PASS
    aws.reservations[0]["Tags"][1]["Value"] = "other"
    assert verdict_of(aws, "PRE-007", CREATED).outcome is Outcome.FAIL


def test_reservations_of_a_group_are_not_counted_twice(aws) -> None:
    """The pool launches into them; a reservation outside of the group is one more."""
    aws.limits[P_QUOTA] = ("Running On-Demand P instances", 1536.0)
    assert verdict_of(aws, "PRE-007", GROUPED).outcome is Outcome.PASS
    aws.tables["resource_groups"]["list_group_resources"] = {"Resources": []}
    assert verdict_of(aws, "PRE-007", GROUPED).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("m7i.4xlarge", True),
        ("im4gn.4xlarge", True),
        ("a1.4xlarge", True),
        ("trn1.32xlarge", False),
        ("inf2.48xlarge", False),
        ("dl1.24xlarge", False),
        ("hpc7g.16xlarge", False),
        ("mac2.metal", False),
    ],
)
def test_only_standard_families_count_for_the_login_nodes(aws, name, counts) -> None:
    """Trn, Inf, Dl, Hpc and Mac begin with letters of standard families and have quotas of their own."""
    aws.limits["L-1216C47A"] = ("Running On-Demand Standard instances", 32.0)
    aws.instances = [instance(name, vcpus=32)]
    pool = preflight_of(aws).environment.pools[0]
    result = run_preflight(preflight_of(aws, pools=(pool,)))
    (verdict,) = [one for one in result.verdicts if one.check_id == "PRE-009"]
    assert (verdict.outcome is Outcome.FAIL) is counts


@pytest.mark.parametrize(("limit", "outcome"), [(264.0, Outcome.PASS), (263.0, Outcome.FAIL)])
def test_the_interfaces_of_the_chosen_layout_count(aws, limit, outcome) -> None:
    """8 nodes of 33 interfaces each; the layout that saves addresses has 17."""
    aws.limits["L-DF5E4CA3"] = ("Network interfaces per Region", limit)
    pool = (
        preflight_of(aws)
        .environment.pools[0]
        .model_copy(update={"instance_type": "p6-b300.48xlarge", "interfaces": "more-address-bandwidth"})
    )
    verdicts = run_preflight(preflight_of(aws, pools=(pool,))).verdicts
    (verdict,) = [one for one in verdicts if one.check_id == "PRE-012"]
    assert verdict.outcome is outcome, verdict.summary

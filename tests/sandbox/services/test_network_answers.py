"""An existing network and a Local Zone in the sandbox, asked by the real preflight."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.spec.loader import load_environment
from bedplate.validation.preflight import fabric_group, local_zone, routes, vpc_endpoints, vpc_settings
from bedplate.validation.preflight.context import Preflight
from tests.sandbox.hand_made_vpc import make_endpoints, make_vpc
from tests.sandbox.stand_in import StandIn
from tests.validation.preflight.fake_aws import DEMO
from tests.validation.preflight.network_answers import existing_network

CHECKS = (fabric_group, vpc_settings, routes, vpc_endpoints)


class Clients:
    """What the checks need of AWS: EC2 in the sandbox."""

    simulated = True

    def __init__(self, ec2: Any) -> None:
        self.ec2 = ec2


@pytest.fixture
def place(stand_in: StandIn) -> tuple[Any, dict[str, Any]]:
    """A closed VPC, made by hand as a network team would, with all that the cluster needs."""
    ec2 = stand_in.client("ec2")
    vpc = make_vpc(ec2)
    make_endpoints(ec2, vpc)
    changes = existing_network(
        network={"internet": "none"},
        id=vpc.id,
        gpu_subnet=vpc.gpu_subnet,
        control_subnets=vpc.control_subnets,
        fabric_group=vpc.fabric_group,
    )
    return ec2, changes


def _ask(ec2: Any, changes: dict[str, Any]) -> dict[str, Verdict]:
    wanted = load_environment(DEMO).model_copy(update=changes)
    preflight = Preflight(wanted, Clients(ec2))  # type: ignore[arg-type]
    return {check.ROW.id: verdict for check in CHECKS for verdict in check.check(preflight)}


def test_a_network_that_was_made_by_hand_passes(place: Any) -> None:
    """What EC2's API made is read as it is meant: group, DNS, routes and endpoints."""
    found = _ask(*place)
    assert {key: each.outcome for key, each in found.items()} == dict.fromkeys(found, Outcome.PASS), found


def test_what_is_taken_away_is_missed(place: Any) -> None:
    """Without the rule to itself, with a way out, and with one endpoint less, three checks fail."""
    ec2, changes = place
    vpc = changes["network"].vpc
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": vpc.fabric_group}]}]
    ec2.revoke_security_group_egress(GroupId=vpc.fabric_group, IpPermissions=itself)
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc.id)
    (table,) = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc.id]}])["RouteTables"]
    ec2.create_route(RouteTableId=table["RouteTableId"], DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    rows = ec2.describe_vpc_endpoints(Filters=[{"Name": "vpc-id", "Values": [vpc.id]}])["VpcEndpoints"]
    pcs = next(row["VpcEndpointId"] for row in rows if row["ServiceName"].endswith(".pcs"))
    ec2.delete_vpc_endpoints(VpcEndpointIds=[pcs])
    found = _ask(ec2, changes)
    assert {key for key, each in found.items() if each.outcome is Outcome.FAIL} == {
        "PRE-014",
        "PRE-016",
        "PRE-017",
    }
    assert "not enough for EFA" in found["PRE-014"].summary
    assert gateway in found["PRE-016"].summary


def test_endpoint_services_are_offered_in_the_zones_of_the_region(stand_in: StandIn) -> None:
    """PCS among them, and no Local Zone; an unknown name is refused."""
    ec2 = stand_in.client("ec2", region="us-east-1")
    (row,) = ec2.describe_vpc_endpoint_services(
        Filters=[{"Name": "service-name", "Values": ["com.amazonaws.us-east-1.pcs"]}]
    )["ServiceDetails"]
    assert "us-east-1a" in row["AvailabilityZones"]
    assert not [zone for zone in row["AvailabilityZones"] if "dfw" in zone]
    with pytest.raises(ec2.exceptions.ClientError, match="InvalidServiceName"):
        ec2.describe_vpc_endpoint_services(ServiceNames=["com.amazonaws.us-east-1.nothing"])


def test_dallas_is_a_local_zone_that_the_account_has_opted_in_to(stand_in: StandIn) -> None:
    """PRE-018 passes with its warnings."""
    ec2 = stand_in.client("ec2", region="us-east-1")
    network = {"zone": "use1-dfw2-az1", "control_zones": ("use1-az4", "use1-az6")}
    changes = existing_network(network={**network, "vpc": None, "cidr": "10.0.0.0/16"})
    wanted = load_environment(DEMO).model_copy(update=changes)
    (verdict,) = local_zone.check(Preflight(wanted, Clients(ec2)))  # type: ignore[arg-type]
    assert verdict.outcome is Outcome.PASS
    assert len(verdict.findings) >= 2


def test_ultraservers_are_sold_in_dallas_alone(stand_in: StandIn) -> None:
    """By zone id, which is what preflight and node groups ask for."""
    rows = stand_in.client("ec2", region="us-east-1").describe_instance_type_offerings(
        LocationType="availability-zone-id",
        Filters=[{"Name": "instance-type", "Values": ["p6e-gb200.36xlarge"]}],
    )["InstanceTypeOfferings"]
    assert [row["Location"] for row in rows] == ["use1-dfw2-az1"]

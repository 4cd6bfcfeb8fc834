"""What is asked of a network that is there already, of a Local Zone, and of endpoints to be made."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome, Severity, Verdict
from bedplate.validation.preflight import local_zone
from bedplate.validation.preflight.context import Writer
from bedplate.validation.preflight.run import run_preflight
from tests.validation.preflight import network_answers as network
from tests.validation.preflight.fake_aws import FakeAws, preflight_of, refusal
from tests.validation.preflight.network_answers import existing_network, pair, ranged

CLOSED = {"internet": "none"}


@pytest.fixture
def aws() -> FakeAws:
    """An account with a VPC in which all is well."""
    return FakeAws()


def verdict_of(aws: FakeAws, check_id: str, changes: dict[str, Any]) -> Verdict:
    """The one verdict of a check."""
    (verdict,) = [
        one for one in run_preflight(preflight_of(aws, **changes)).verdicts if one.check_id == check_id
    ]
    return verdict


def closed(aws: FakeAws, **vpc: Any) -> dict[str, Any]:
    """The changes for a closed network with its endpoints, and no default route."""
    aws.tables["ec2"]["describe_vpc_endpoints"] = {"VpcEndpoints": network.closed_endpoints()}
    aws.tables["ec2"]["describe_route_tables"] = {"RouteTables": [network.main_table()]}
    return existing_network(network=CLOSED, **vpc)


def asked(aws: FakeAws, changes: dict[str, Any]) -> set[str]:
    """The ids of the checks that apply."""
    return set(run_preflight(preflight_of(aws, **changes)).required_checks)


def test_a_network_in_which_all_is_well_passes(aws: FakeAws) -> None:
    """Open and closed: every check of the network is a pass, and none is left out that applies."""
    for changes_of, ids in (
        (lambda: existing_network(), {"PRE-014", "PRE-015", "PRE-016"}),
        (lambda: closed(aws), {"PRE-014", "PRE-015", "PRE-016", "PRE-017"}),
    ):
        result = run_preflight(preflight_of(aws, **changes_of()))
        found = {one.check_id: one.outcome for one in result.verdicts if one.check_id in ids}
        assert found == dict.fromkeys(ids, Outcome.PASS), result.verdicts


def test_a_network_of_its_own_is_not_asked_for_what_is_made(aws: FakeAws) -> None:
    """A VPC that Bedplate makes: only the offer of endpoints is looked at, and only in a closed network."""
    open_, shut = (
        existing_network(network={"vpc": None, "cidr": "10.0.0.0/16", **more}) for more in ({}, CLOSED)
    )
    ours = {f"PRE-{number:03}" for number in range(14, 20)}
    assert asked(aws, open_) & ours == set()
    assert asked(aws, shut) & ours == {"PRE-019"}
    assert asked(aws, existing_network(fabric_group=None)) & ours == {"PRE-015", "PRE-016"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"IpPermissions": []}, "no rule in"),
        ({"IpPermissions": [pair(IpProtocol="tcp", FromPort=0, ToPort=65535)]}, "no rule in"),
        ({"IpPermissions": [pair("sg-0123456789abcdef9")]}, "no rule in"),
        ({"IpPermissionsEgress": [ranged("0.0.0.0/0", port=None)]}, "not enough for EFA"),
        ({"IpPermissionsEgress": [pair("sg-0123456789abcdef9"), ranged("0.0.0.0/0")]}, "no rule out"),
        ({"IpPermissionsEgress": [pair()]}, "HTTPS"),
        ({"IpPermissionsEgress": [pair(), ranged("0.0.0.0/0", port=80)]}, "HTTPS"),
        ({"IpPermissions": [pair(), ranged("0.0.0.0/0", port=22)]}, "lets in tcp 22 from 0.0.0.0/0"),
        ({"IpPermissions": [pair(), ranged("::/0", port=None)]}, "lets in everything from ::/0"),
        ({"VpcId": "vpc-0123456789abcdef9"}, "it is in vpc-0123456789abcdef9"),
    ],
)
def test_a_group_under_which_efa_fails_or_that_is_open_is_refused(
    aws: FakeAws, changes: dict[str, Any], words: str
) -> None:
    """Each way in which an existing group does not fit is told; all outbound by range is not enough."""
    group = network.fabric(**changes)
    aws.tables["ec2"]["describe_security_groups"] = {"SecurityGroups": [group]}
    verdict = verdict_of(aws, "PRE-014", existing_network())
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary


def test_others_that_a_group_admits_are_told(aws: FakeAws) -> None:
    """A range of the company or another group is a finding, for people to judge."""
    rules = [pair(), ranged("10.0.0.0/8", port=22), pair("sg-0123456789abcdef9")]
    aws.tables["ec2"]["describe_security_groups"] = {"SecurityGroups": [network.fabric(IpPermissions=rules)]}
    verdict = verdict_of(aws, "PRE-014", existing_network())
    assert verdict.outcome is Outcome.PASS
    assert [finding.text.split()[2] for finding in verdict.findings] == ["10.0.0.0/8", "sg-0123456789abcdef9"]


def test_what_is_not_there_is_a_fail_with_its_id(aws: FakeAws) -> None:
    """An id that EC2 does not know is the file's mistake; any other refusal is an error."""
    table = aws.tables["ec2"]
    table["describe_security_groups"] = refusal("InvalidGroup.NotFound")
    table["describe_vpcs"] = refusal("InvalidVpcID.NotFound")
    assert network.FABRIC in verdict_of(aws, "PRE-014", existing_network()).summary
    table["describe_vpcs"] = lambda request: (_ for _ in ()).throw(refusal("InvalidVpcID.NotFound"))
    result = {one.check_id: one for one in run_preflight(preflight_of(aws, **existing_network())).verdicts}
    assert result["PRE-015"].outcome is Outcome.FAIL
    assert network.VPC_ID in result["PRE-015"].summary
    table["describe_security_groups"] = refusal("AccessDenied")
    assert verdict_of(aws, "PRE-014", existing_network()).outcome is Outcome.ERROR


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"describe_vpc_attribute": {"EnableDnsSupport": {"Value": True}}}, "enableDnsHostnames"),
        ({"describe_vpc_attribute": {"EnableDnsHostnames": {"Value": True}}}, "enableDnsSupport"),
        ({"describe_vpcs": {"Vpcs": [{"State": "available", "InstanceTenancy": "dedicated"}]}}, "dedicated"),
        ({"describe_vpcs": {"Vpcs": [{"State": "pending", "InstanceTenancy": "default"}]}}, "pending"),
    ],
)
def test_a_vpc_that_pcs_cannot_use_is_refused(aws: FakeAws, answers: dict[str, Any], words: str) -> None:
    """DNS support, DNS hostnames, tenancy and state are each looked at."""
    aws.tables["ec2"].update(answers)
    verdict = verdict_of(aws, "PRE-015", existing_network())
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary


@pytest.mark.parametrize(
    ("servers", "warned"), [(["AmazonProvidedDNS"], False), (["10.0.0.10", "AmazonProvidedDNS"], True)]
)
def test_other_dns_servers_are_a_warning(aws: FakeAws, servers: list[str], warned: bool) -> None:
    """They may forward the private names or not; nobody can see that from outside."""
    row = {"State": "available", "InstanceTenancy": "default", "DhcpOptionsId": "dopt-1"}
    setting = {"Key": "domain-name-servers", "Values": [{"Value": each} for each in servers]}
    aws.tables["ec2"]["describe_vpcs"] = {"Vpcs": [row]}
    aws.tables["ec2"]["describe_dhcp_options"] = {"DhcpOptions": [{"DhcpConfigurations": [setting]}]}
    verdict = verdict_of(aws, "PRE-015", existing_network())
    assert verdict.outcome is Outcome.PASS
    assert [finding.severity for finding in verdict.findings] == [Severity.WARNING] * warned
    assert all("10.0.0.10" in finding.text for finding in verdict.findings)


@pytest.mark.parametrize(
    ("route", "words"),
    [
        (None, "no default route"),
        (network.default_to(GatewayId="igw-1"), "internet gateway igw-1"),
        (network.default_to(NatGatewayId=network.NAT, State="blackhole"), "gone"),
        (network.default_to(NatGatewayId="nat-9"), "nat-9"),
    ],
)
def test_a_subnet_without_a_nat_gateway_is_refused(
    aws: FakeAws, route: dict[str, Any] | None, words: str
) -> None:
    """With ``internet: nat`` the default route must lead to a NAT gateway that is available."""
    aws.tables["ec2"]["describe_route_tables"] = {
        "RouteTables": [network.main_table(*([route] if route else []))]
    }
    verdict = verdict_of(aws, "PRE-016", existing_network())
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary


@pytest.mark.parametrize("change", [{"State": "failed"}, {"ConnectivityType": "private"}])
def test_a_nat_gateway_that_leads_nowhere_is_refused(aws: FakeAws, change: dict[str, str]) -> None:
    """A failed one, and a private one, which does not reach the internet."""
    row = {"NatGatewayId": network.NAT, "State": "available", **change}
    aws.tables["ec2"]["describe_nat_gateways"] = {"NatGateways": [row]}
    assert verdict_of(aws, "PRE-016", existing_network()).outcome is Outcome.FAIL


def test_another_way_out_is_a_warning(aws: FakeAws) -> None:
    """A transit gateway may lead out or not: that is told, for nobody can see behind it."""
    table = network.main_table(network.default_to(TransitGatewayId="tgw-1"))
    aws.tables["ec2"]["describe_route_tables"] = {"RouteTables": [table]}
    for changes in (existing_network(), existing_network(network=CLOSED)):
        verdict = verdict_of(aws, "PRE-016", changes)
        assert verdict.outcome is Outcome.PASS
        assert [finding.severity for finding in verdict.findings] == [Severity.WARNING]
        assert "tgw-1" in verdict.findings[0].text


@pytest.mark.parametrize("target", [{"NatGatewayId": network.NAT}, {"GatewayId": "igw-1"}])
def test_a_closed_network_with_a_way_out_is_refused(aws: FakeAws, target: dict[str, str]) -> None:
    """``internet: none`` is what the file says, so a route to the internet is a fail."""
    changes = closed(aws)
    table = network.main_table(network.default_to(**target))
    aws.tables["ec2"]["describe_route_tables"] = {"RouteTables": [table]}
    assert verdict_of(aws, "PRE-016", changes).outcome is Outcome.FAIL


def test_a_subnet_that_gives_public_addresses_is_refused(aws: FakeAws) -> None:
    """A login node has one interface and would be on the internet."""
    aws.tables["ec2"]["describe_subnets"] = lambda request: {
        "Subnets": [network.subnet(each, MapPublicIpOnLaunch=True) for each in request["SubnetIds"]]
    }
    verdict = verdict_of(aws, "PRE-016", existing_network())
    assert verdict.outcome is Outcome.FAIL
    assert "MapPublicIpOnLaunch" in verdict.summary


def test_a_subnets_own_route_table_goes_before_the_main_one(aws: FakeAws) -> None:
    """The main table is for subnets without one of their own."""
    own = {
        "RouteTableId": "rtb-own",
        "Associations": [{"SubnetId": network.GPU_SUBNET}],
        "Routes": [network.default_to(GatewayId="igw-1")],
    }
    main = network.main_table(network.default_to(NatGatewayId=network.NAT))
    aws.tables["ec2"]["describe_route_tables"] = {"RouteTables": [own, main]}
    assert verdict_of(aws, "PRE-016", existing_network()).outcome is Outcome.FAIL


def spoilt(service: str, **changes: Any) -> list[dict[str, Any]]:
    """All endpoints, of which one is changed."""
    return [
        {**row, **changes} if row["ServiceName"].endswith(f".{service}") else row
        for row in network.closed_endpoints()
    ]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (network.closed_endpoints()[:-1], "no endpoint for ec2messages"),
        (spoilt("pcs", State="pending"), "vpce-pcs is pending"),
        (spoilt("pcs", PrivateDnsEnabled=False), "vpce-pcs has no private DNS"),
        (spoilt("pcs", Groups=[]), "do not admit"),
        (spoilt("s3", RouteTableIds=["rtb-other"]), "no gateway endpoint for S3 is in"),
        (network.closed_endpoints()[1:], "no gateway endpoint for S3 is in"),
    ],
)
def test_an_endpoint_that_is_missing_or_out_of_reach_is_refused(
    aws: FakeAws, rows: list[dict[str, Any]], words: str
) -> None:
    """Each needed service: there, available, with private DNS, and open to the nodes on port 443."""
    changes = closed(aws)
    aws.tables["ec2"]["describe_vpc_endpoints"] = {"VpcEndpoints": rows}
    verdict = verdict_of(aws, "PRE-017", changes)
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary


@pytest.mark.parametrize(
    ("rule", "fabric_group", "outcome"),
    [
        (ranged("10.0.0.0/20"), network.FABRIC, Outcome.PASS),
        (ranged("10.0.0.0/24"), network.FABRIC, Outcome.FAIL),
        (ranged("10.0.0.0/16", port=80), network.FABRIC, Outcome.FAIL),
        (pair(network.FABRIC), network.FABRIC, Outcome.PASS),
        (pair(network.FABRIC), None, Outcome.FAIL),
        (ranged("10.0.0.0/16"), None, Outcome.PASS),
    ],
)
def test_an_endpoints_group_must_admit_the_nodes(
    aws: FakeAws, rule: dict[str, Any], fabric_group: str | None, outcome: Outcome
) -> None:
    """By the nodes' group where it is there already, or by a range that holds their whole subnet."""
    changes = closed(aws, fabric_group=fabric_group)
    groups = {
        network.FABRIC: network.fabric(),
        network.ENDPOINT_GROUP: {"GroupId": network.ENDPOINT_GROUP, "IpPermissions": [rule]},
    }
    aws.tables["ec2"]["describe_security_groups"] = lambda request: {
        "SecurityGroups": [groups[each] for each in request["GroupIds"]]
    }
    assert verdict_of(aws, "PRE-017", changes).outcome is outcome


def test_a_service_that_jobs_call_is_asked_for_too(aws: FakeAws) -> None:
    """``endpoint_services`` are part of what a closed network must have."""
    changes = existing_network(network={**CLOSED, "endpoint_services": ("ecr.api",)})
    closed(aws)
    assert "no endpoint for ecr.api" in verdict_of(aws, "PRE-017", changes).summary


def test_endpoints_in_the_way_of_new_ones_are_refused(aws: FakeAws) -> None:
    """AWS refuses a second one with private DNS; the environment's own from an earlier deploy count not."""
    changes = existing_network(network=CLOSED, endpoints="create", route_tables=(network.MAIN_TABLE,))
    assert verdict_of(aws, "PRE-017", changes).outcome is Outcome.PASS
    rows = network.closed_endpoints()
    aws.tables["ec2"]["describe_vpc_endpoints"] = {"VpcEndpoints": rows}
    verdict = verdict_of(aws, "PRE-017", changes)
    assert verdict.outcome is Outcome.FAIL
    assert "vpce-pcs serves pcs already" in verdict.summary
    assert "vpce-s3 is a gateway to S3" in verdict.summary
    own = [{**row, "Tags": [{"Key": "bedplate:environment", "Value": "demo"}]} for row in rows]
    aws.tables["ec2"]["describe_vpc_endpoints"] = {"VpcEndpoints": own}
    assert verdict_of(aws, "PRE-017", changes).outcome is Outcome.PASS


def test_route_tables_that_serve_no_node_are_refused(aws: FakeAws) -> None:
    """A gateway that is made in other route tables leaves the nodes without S3."""
    changes = existing_network(endpoints="create", route_tables=("rtb-0123456789abcdef9",))
    verdict = verdict_of(aws, "PRE-017", changes)
    assert verdict.outcome is Outcome.FAIL
    assert network.MAIN_TABLE in verdict.summary


@pytest.mark.parametrize(
    ("details", "words"),
    [
        (
            [network.service_detail(each) for each in ("ssm", "ssmmessages", "ec2messages")],
            "pcs is offered by no",
        ),
        (
            [
                network.service_detail("pcs", "us-west-2a"),
                *(network.service_detail(each) for each in ("ssm", "ssmmessages", "ec2messages")),
            ],
            "pcs is not offered in usw2-az2",
        ),
    ],
)
def test_an_endpoint_that_a_zone_does_not_offer_is_refused(
    aws: FakeAws, details: list[dict[str, Any]], words: str
) -> None:
    """A service without an endpoint in the Region, and one that lacks a control zone."""
    changes = existing_network(network={"vpc": None, "cidr": "10.0.0.0/16", **CLOSED})
    assert verdict_of(aws, "PRE-019", changes).outcome is Outcome.PASS
    aws.tables["ec2"]["describe_vpc_endpoint_services"] = {"ServiceDetails": details}
    verdict = verdict_of(aws, "PRE-019", changes)
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary


DALLAS = {
    "ZoneId": "use1-dfw2-az1",
    "ZoneName": "us-east-1-dfw-2a",
    "ZoneType": "local-zone",
    "GroupName": "us-east-1-dfw-2",
    "OptInStatus": "opted-in",
    "ParentZoneId": "use1-az4",
}


def judged(row: dict[str, Any] | None, *, first: str = "use1-az4") -> Verdict:
    """The verdict about Dallas."""
    return local_zone.judge(
        Writer("PRE-018"),
        zone="use1-dfw2-az1",
        row=row,  # type: ignore[arg-type]
        first_control_zone=first,
    )


def test_what_no_source_settles_about_a_local_zone_is_a_warning() -> None:
    """PCS nodes and the S3 gateway there are unverified, and the report says so beside the pass."""
    verdict = judged(DALLAS)
    assert verdict.outcome is Outcome.PASS
    assert [finding.severity for finding in verdict.findings] == [Severity.WARNING] * 2
    assert all(finding.text.startswith("unverified: ") for finding in verdict.findings)
    assert "PCS" in verdict.findings[0].text


def test_a_local_zone_that_is_not_opted_in_to_is_refused_with_the_command() -> None:
    """The remedy names the group, which is not the zone's name."""
    verdict = judged({**DALLAS, "OptInStatus": "not-opted-in"})
    assert verdict.outcome is Outcome.FAIL
    assert "--group-name us-east-1-dfw-2 " in verdict.remedy


def test_file_systems_away_from_the_parent_zone_are_told() -> None:
    """They stand in the first control zone, which should be the Local Zone's parent."""
    findings = judged(DALLAS, first="use1-az6").findings
    assert findings[-1].severity is Severity.INFO
    assert "use1-az4" in findings[-1].remedy


@pytest.mark.parametrize("row", [None, {**DALLAS, "ZoneType": "availability-zone"}])
def test_a_zone_that_is_no_local_zone_is_refused(row: dict[str, Any] | None) -> None:
    """An id that EC2 does not list, or lists as another kind."""
    assert judged(row).outcome is Outcome.FAIL


def test_a_local_zone_is_asked_for_where_the_capacity_is_in_one(aws: FakeAws) -> None:
    """The run finds the zone by its id among all zones."""
    zones = aws.tables["ec2"]["describe_availability_zones"]["AvailabilityZones"]
    dallas = {**DALLAS, "ZoneId": "usw2-dfw2-az1"}
    aws.tables["ec2"]["describe_availability_zones"] = {"AvailabilityZones": [*zones, dallas]}
    changes = existing_network(network={"zone": "usw2-dfw2-az1", "vpc": None, "cidr": "10.0.0.0/16"})
    assert verdict_of(aws, "PRE-018", changes).outcome is Outcome.PASS
    assert "PRE-018" not in asked(aws, existing_network())


@pytest.mark.parametrize(("free", "outcome"), [(49, Outcome.PASS), (48, Outcome.FAIL)])
def test_beside_a_local_zone_the_control_subnet_needs_the_room(
    aws: FakeAws, free: int, outcome: Outcome
) -> None:
    """A login node and 48 addresses of the file system stand in the first control subnet."""
    zones = {network.GPU_SUBNET: "usw2-dfw2-az1"}
    rows = [
        network.subnet(
            each,
            AvailableIpAddressCount=free if each == network.CONTROL_SUBNETS[0] else 8,
            **({"AvailabilityZoneId": zones[each]} if each in zones else {}),
        )
        for each in network.RANGES
    ]
    aws.tables["ec2"]["describe_subnets"] = {"Subnets": rows}
    verdict = verdict_of(aws, "PRE-011", existing_network(network={"zone": "usw2-dfw2-az1"}))
    assert verdict.outcome is outcome


MADE = {"endpoints": "create", "route_tables": (network.MAIN_TABLE,), "network": {"internet": "none"}}


def _subnets(free: int) -> dict[str, Any]:
    rows = [
        network.subnet(each, AvailableIpAddressCount=free if each == network.CONTROL_SUBNETS[1] else 1000)
        for each in network.RANGES
    ]
    return {"Subnets": rows}


@pytest.mark.parametrize(
    ("free", "changes", "outcome"),
    [
        (4, MADE, Outcome.PASS),
        (3, MADE, Outcome.FAIL),
        (3, {**MADE, "endpoints": "existing", "route_tables": ()}, Outcome.PASS),
        (0, {**MADE, "network": {}}, Outcome.PASS),
    ],
)
def test_endpoints_that_are_made_take_addresses_of_each_control_subnet(
    aws: FakeAws, free: int, changes: dict[str, Any], outcome: Outcome
) -> None:
    """pcs, ssm, ssmmessages and ec2messages: four, where they are made at all; S3's gateway takes none."""
    aws.tables["ec2"]["describe_subnets"] = _subnets(free)
    verdict = verdict_of(aws, "PRE-011", existing_network(**changes))
    assert verdict.outcome is outcome
    told = f"{network.CONTROL_SUBNETS[1]} has {free} addresses for it, 4 are needed"
    assert (told in verdict.summary) is (outcome is Outcome.FAIL)


def test_endpoints_of_its_own_are_not_counted_twice(aws: FakeAws) -> None:
    """After the deploy a subnet may be full: what the environment's endpoints hold counts as free."""
    aws.tables["ec2"]["describe_subnets"] = _subnets(0)

    def endpoints(request: dict[str, Any]) -> dict[str, Any]:
        (asked_for,) = request["Filters"]
        own = asked_for == {"Name": "tag:bedplate:environment", "Values": ["demo"]}
        return {"VpcEndpoints": [{"SubnetIds": list(network.CONTROL_SUBNETS)}] * 4 if own else []}

    aws.tables["ec2"]["describe_vpc_endpoints"] = endpoints
    assert verdict_of(aws, "PRE-011", existing_network(**MADE)).outcome is Outcome.PASS

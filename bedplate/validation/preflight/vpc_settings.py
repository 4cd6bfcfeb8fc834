"""PRE-015: the existing VPC resolves names, and has no dedicated tenancy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Finding, Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-015",
    title="the existing VPC resolves names and has default tenancy",
    what="For an existing VPC: enableDnsSupport and enableDnsHostnames are on, its tenancy is `default`, and "
    "it is available. The report warns where its DHCP options name other DNS servers than Amazon's.",
    why="Without both DNS settings nodes find neither the orchestrator nor each other, file systems have no "
    "names, and endpoints no private ones. AWS PCS supports no VPC of dedicated tenancy (PCS User Guide, VPC "
    "requirements); whether the other orchestrators do is unverified.",
    fix="Turn both DNS settings on; for the tenancy, `aws ec2 modify-vpc-tenancy` changes it to default.",
    by_hand="`aws ec2 describe-vpc-attribute --vpc-id vpc-… --attribute enableDnsHostnames`, the same with "
    "`enableDnsSupport`, and `aws ec2 describe-vpcs --vpc-ids vpc-…`",
)

_AMAZON_DNS = "AmazonProvidedDNS"


def applies(environment: Environment) -> bool:
    """Where the VPC is there already."""
    return environment.network.vpc is not None


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for the VPC and its two DNS settings."""
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    ec2, writer = preflight.clients.ec2, Writer(ROW.id)
    vpc = preflight.environment.network.vpc
    assert vpc is not None
    try:
        with aws_errors(f"asking for {vpc.id}"):
            rows = ec2.describe_vpcs(VpcIds=[vpc.id])["Vpcs"]
            support = ec2.describe_vpc_attribute(VpcId=vpc.id, Attribute="enableDnsSupport")
            hostnames = ec2.describe_vpc_attribute(VpcId=vpc.id, Attribute="enableDnsHostnames")
    except AwsRefused as error:
        if error_code(error.__cause__) != "InvalidVpcID.NotFound":
            raise
        rows = []
    if not rows:
        return [writer.failed(f"there is no VPC {vpc.id}", remedy="Correct the id.")]
    problems = []
    if rows[0].get("State") != "available":
        problems.append(f"it is {rows[0].get('State')}")
    if rows[0].get("InstanceTenancy") != "default":
        problems.append(f"its tenancy is {rows[0].get('InstanceTenancy')}")
    if not support.get("EnableDnsSupport", {}).get("Value"):
        problems.append("enableDnsSupport is off")
    if not hostnames.get("EnableDnsHostnames", {}).get("Value"):
        problems.append("enableDnsHostnames is off")
    if problems:
        return [writer.failed(f"{vpc.id}: " + "; ".join(problems), remedy=ROW.fix)]
    findings = _findings(preflight, options=rows[0].get("DhcpOptionsId", ""))
    return [writer.passed(f"{vpc.id} resolves names and has default tenancy", findings=findings)]


def _findings(preflight: Preflight, *, options: str) -> tuple[Finding, ...]:
    from bedplate.diagnosis.verdict import Finding, Severity
    from bedplate.validation.aws import aws_errors

    if not options.startswith("dopt-"):  # "default": Amazon's servers
        return ()
    with aws_errors(f"asking for the DHCP options {options}"):
        rows = preflight.clients.ec2.describe_dhcp_options(DhcpOptionsIds=[options])["DhcpOptions"]
    servers = [
        value.get("Value", "")
        for row in rows
        for setting in row.get("DhcpConfigurations", [])
        if setting.get("Key") == "domain-name-servers"
        for value in setting.get("Values", [])
    ]
    foreign = [server for server in servers if server != _AMAZON_DNS]
    if not foreign:
        return ()
    return (
        Finding(
            Severity.WARNING,
            f"nodes ask {', '.join(foreign)} for names ({options})",
            "See that these forward the names of file systems and endpoints to the VPC's own resolver.",
        ),
    )

"""PRE-014: the existing security group lets EFA work, and lets nobody in from anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight import group_rules
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import SecurityGroupTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-014",
    title="the existing security group fits EFA, and is closed to the world",
    what="For `network.vpc.fabric_group`: its VPC; a rule in and a rule out for all protocols that name the "
    "group itself by id; no rule in from 0.0.0.0/0 or ::/0; a rule out for HTTPS.",
    why="EFA is not matched by address ranges: with all outbound to 0.0.0.0/0 and no rule to the group "
    "itself, TCP works and the first operation between nodes hangs or aborts (aws/aws-ofi-nccl #663, "
    "ofiwg/libfabric #11256). Bedplate adds neither rule to a group that is given.",
    fix="Add both rules by group id, for all protocols; remove what lets the world in.",
    by_hand="`aws ec2 describe-security-groups --group-ids sg-…`; to add the rules: "
    "`aws ec2 authorize-security-group-ingress` and `…-egress --group-id sg-… --ip-permissions "
    "IpProtocol=-1,UserIdGroupPairs=[{GroupId=sg-…}]`.",
)


def applies(environment: Environment) -> bool:
    """Where the group is given."""
    return environment.network.vpc is not None and environment.network.vpc.fabric_group is not None


def check(preflight: Preflight) -> list[Verdict]:
    """Ask for the group by its id."""
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    vpc, writer = preflight.environment.network.vpc, Writer(ROW.id)
    assert vpc is not None
    assert vpc.fabric_group is not None
    try:
        with aws_errors(f"asking for the security group {vpc.fabric_group}"):
            rows = preflight.clients.ec2.describe_security_groups(GroupIds=[vpc.fabric_group])[
                "SecurityGroups"
            ]
    except AwsRefused as error:
        if error_code(error.__cause__) != "InvalidGroup.NotFound":
            raise
        rows = []
    if not rows:
        return [writer.failed(f"there is no security group {vpc.fabric_group}", remedy="Correct the id.")]
    return [judge(writer, group=rows[0], vpc_id=vpc.id)]


def judge(writer: Writer, *, group: SecurityGroupTypeDef, vpc_id: str) -> Verdict:
    """Hold one group against what EFA and a closed cluster need. Asks nothing."""
    from bedplate.diagnosis.verdict import Finding, Severity

    name = group.get("GroupId", "")
    problems = _problems(group, vpc_id=vpc_id)
    if problems:
        return writer.failed(f"{name}: " + "; ".join(problems), remedy=ROW.fix)
    others = group_rules.other_sources(group)
    findings = tuple(
        Finding(Severity.INFO, f"{name} admits {source} too", "Remove the rule if nothing of yours needs it.")
        for source in others
    )
    return writer.passed(f"{name} admits itself by id both ways, and not the world", findings=findings)


def _problems(group: SecurityGroupTypeDef, *, vpc_id: str) -> list[str]:
    problems = []
    if group.get("VpcId") != vpc_id:
        problems.append(f"it is in {group.get('VpcId')}, not in {vpc_id}")
    if not group_rules.admits_itself(group):
        problems.append("no rule in admits all protocols from the group itself by id")
    if not group_rules.reaches_itself(group):
        wide = group_rules.reaches_everything_by_range(group)
        why = " (all outbound to 0.0.0.0/0 is there, and is not enough for EFA)" if wide else ""
        problems.append(f"no rule out lets all protocols to the group itself by id{why}")
    problems += [f"it lets in {each}" for each in group_rules.open_to_anyone(group)]
    if not group_rules.lets_https_out(group):
        problems.append("no rule out lets HTTPS to AWS (tcp 443)")
    return problems

"""What a node of the cluster may do in AWS."""

from __future__ import annotations

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.partition import partition_of
from bedplate.node.bootstrap.report import PREFIX as REPORTS

PCS_PATH = "/aws-pcs/"
"""PCS registers only instances whose role has this path or a name in AWSPCS… (PCS User Guide)."""

AGENT_ACTIONS = [
    "ssm:UpdateInstanceInformation",
    "ssm:ListAssociations",
    "ssm:ListInstanceAssociations",
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
    "ec2messages:AcknowledgeMessage",
    "ec2messages:DeleteMessage",
    "ec2messages:FailMessage",
    "ec2messages:GetEndpoint",
    "ec2messages:GetMessages",
    "ec2messages:SendReply",
]
"""What the SSM agent calls for Run Command and sessions.

AmazonSSMManagedInstanceCore has more: the right to read every parameter of the account.
"""


class NodeRole(Construct):
    """Role and instance profile of the nodes: register with PCS, answer SSM, fetch the node program, report.

    ``program_bucket`` and ``program_key`` name the one object that a node must fetch to start. Into
    ``result_bucket`` nodes put the reports of their boots; they may read there the list of users, where
    ``users_key`` names it, and may do nothing else. The role gets
    nothing else here; a construct that needs more attaches a managed policy of its own to ``role_name``.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        program_bucket: str,
        program_key: str,
        result_bucket: str,
        users_key: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        role = iam.CfnRole(
            self,
            "Role",
            path=PCS_PATH,
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "ec2.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                    }
                ],
            },
        )
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            roles=[role.ref],
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    *self._statements(
                        program_bucket=program_bucket, program_key=program_key, result_bucket=result_bucket
                    ),
                    *(self._fetch_users(result_bucket, users_key) if users_key else ()),
                ],
            },
        )
        profile = iam.CfnInstanceProfile(self, "Profile", path=PCS_PATH, roles=[role.ref])
        # Nodes boot as soon as the profile is used; without the policy they could not register.
        profile.add_resource_dependency(policy)
        self.role_name: str = role.ref
        """The role's name."""
        self.role_arn: str = role.attr_arn
        """The role's ARN."""
        self.profile_arn: str = profile.attr_arn
        """The instance profile's ARN."""

    def _statements(
        self, *, program_bucket: str, program_key: str, result_bucket: str
    ) -> list[dict[str, object]]:
        partition = partition_of(Stack.of(self))
        return [
            {
                "Sid": "RegisterWithPcs",
                "Effect": "Allow",
                "Action": ["pcs:RegisterComputeNodeGroupInstance"],
                "Resource": "*",
            },
            {"Sid": "AnswerSystemsManager", "Effect": "Allow", "Action": AGENT_ACTIONS, "Resource": "*"},
            {
                "Sid": "FetchNodeProgram",
                "Effect": "Allow",
                "Action": ["s3:GetObject"],
                "Resource": f"arn:{partition}:s3:::{program_bucket}/{program_key}",
            },
            {
                "Sid": "ReportBoots",
                "Effect": "Allow",
                "Action": ["s3:PutObject"],
                "Resource": f"arn:{partition}:s3:::{result_bucket}/{REPORTS}/*",
            },
        ]

    def _fetch_users(self, bucket: str, key: str) -> list[dict[str, object]]:
        resource = f"arn:{partition_of(Stack.of(self))}:s3:::{bucket}/{key}"
        return [{"Sid": "FetchUserList", "Effect": "Allow", "Action": ["s3:GetObject"], "Resource": resource}]

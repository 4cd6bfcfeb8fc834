"""Statements of IAM policies for nodes, each for one thing that something on a node does."""

from __future__ import annotations

from bedplate.node.bootstrap.report import PREFIX as REPORTS

Statement = dict[str, object]

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


def answer_systems_manager() -> Statement:
    """The SSM agent."""
    return {"Sid": "AnswerSystemsManager", "Effect": "Allow", "Action": AGENT_ACTIONS, "Resource": "*"}


def fetch(sid: str, *, object_arns: str | list[str]) -> Statement:
    """These objects of a bucket and no others."""
    return {"Sid": sid, "Effect": "Allow", "Action": ["s3:GetObject"], "Resource": object_arns}


def write_metrics(*, workspace_arn: str) -> Statement:
    """Samples into this workspace of Amazon Managed Service for Prometheus; no query, and no other one."""
    return {
        "Sid": "WriteMetrics",
        "Effect": "Allow",
        "Action": ["aps:RemoteWrite"],
        "Resource": workspace_arn,
    }


def report_boots(*, bucket_arn: str) -> Statement:
    """The reports of a node's boots."""
    return {
        "Sid": "ReportBoots",
        "Effect": "Allow",
        "Action": ["s3:PutObject"],
        "Resource": f"{bucket_arn}/{REPORTS}/*",
    }


def put_answers(*, bucket_arn: str) -> list[Statement]:
    """The output of validation's commands."""
    return [
        {
            "Sid": "PutAnswers",
            "Effect": "Allow",
            "Action": ["s3:PutObject"],
            "Resource": f"{bucket_arn}/answers/*",
        },
        # The SSM agent asks this before it uploads (SSM User Guide, "S3 bucket permissions").
        {
            "Sid": "ReadBucketEncryption",
            "Effect": "Allow",
            "Action": ["s3:GetEncryptionConfiguration"],
            "Resource": bucket_arn,
        },
    ]


def ask_topology() -> Statement:
    """Where instances stand; neither action takes a resource in IAM."""
    return {
        "Sid": "AskTopology",
        "Effect": "Allow",
        "Action": ["ec2:DescribeInstanceTopology", "ec2:DescribeInstances"],
        "Resource": "*",
    }

"""What the nodes of a HyperPod cluster may do in AWS, and HyperPod with their role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.partition import partition_of
from bedplate.node.bootstrap.report import PREFIX as REPORTS

METRICS = "/aws/sagemaker/Clusters"
"""Namespace of HyperPod's metrics, and the beginning of the names of its log groups."""
SESSION_ACTIONS = [
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
]
_DESCRIBE = [
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
]


class HyperPodRole(Construct):
    """The execution role of all instance groups, for a cluster in a VPC of one's own.

    The actions are those of AmazonSageMakerClusterInstanceRolePolicy and of "IAM role for SageMaker HyperPod"
    (SageMaker Developer Guide), but for what they are allowed on, which is this cluster's: its logs, its
    life-cycle scripts below ``scripts_prefix``, interfaces in its subnets. To that comes what a node of ours
    does: it puts the reports of its boots, and reads the lists under ``list_keys`` of the result bucket.
    ``container_objects`` (bucket and key) are what nodes install containers from, ``collection_objects`` what
    they collect metrics by, for the workspace ``workspace_arn``. ``accounting_secret_arn``
    is the secret of an accounting database. ``desk_prefix`` is where in that bucket the one node that has
    this role is asked, and answers: whoever may write there is root on it.

    ``eks_cluster_arn`` is the cluster that nodes join under EKS: there they give addresses to pods, pull
    images and lend roles to pods, and report no boots, for no bootstrap of ours runs.

    The narrower resources have been tried in no account; where HyperPod asks for more, CloudTrail names it.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster_name: str,
        subnet_ids: Sequence[str],
        security_group_ids: Sequence[str],
        scripts_bucket: str,
        scripts_prefix: str,
        result_bucket: str,
        accounting_secret_arn: str | None = None,
        list_keys: Sequence[str] = (),
        container_objects: Sequence[tuple[str, str]] = (),
        desk_prefix: str | None = None,
        collection_objects: Sequence[tuple[str, str]] = (),
        workspace_arn: str | None = None,
        eks_cluster_arn: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        partition = partition_of(stack)
        own = f"{stack.region}:{stack.account}"
        interfaces = f"arn:{partition}:ec2:{own}:network-interface/*"
        subnets = [f"arn:{partition}:ec2:{own}:subnet/{each}" for each in subnet_ids]
        groups = [f"arn:{partition}:ec2:{own}:security-group/{each}" for each in security_group_ids]
        logs = f"arn:{partition}:logs:{own}:log-group:{METRICS}/{cluster_name}/*"
        bucket = f"arn:{partition}:s3:::{scripts_bucket}"
        results = f"arn:{partition}:s3:::{result_bucket}"
        in_account = {"StringEquals": {"aws:ResourceAccount": stack.account}}
        in_subnets = {"ArnEquals": {"ec2:Subnet": subnets}}
        statements = [
            _allow("MakeLogGroup", ["logs:CreateLogGroup"], logs),
            _allow(
                "WriteLogs",
                ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
                f"{logs}:log-stream:*",
            ),
            _allow(
                "WriteMetrics",
                ["cloudwatch:PutMetricData"],
                "*",
                {"StringEquals": {"cloudwatch:namespace": METRICS}},
            ),
            _allow(
                "ListScripts",
                ["s3:ListBucket"],
                bucket,
                {**in_account, "StringLike": {"s3:prefix": f"{scripts_prefix}*"}},
            ),
            _allow("FetchScripts", ["s3:GetObject"], f"{bucket}/{scripts_prefix}/*", in_account),
            _allow("OpenSessions", SESSION_ACTIONS, "*"),
            _allow("SeeVpc", _DESCRIBE, "*"),
            _allow("MakeInterfaces", ["ec2:CreateNetworkInterface"], [interfaces, *subnets, *groups]),
            _allow(
                "LendInterfaces",
                ["ec2:CreateNetworkInterfacePermission", "ec2:DeleteNetworkInterface"],
                interfaces,
                in_subnets,
            ),
            # Without conditions: the instance at the other end is AWS's, and a permission is no resource.
            _allow(
                "TakeInterfacesBack",
                ["ec2:DeleteNetworkInterfacePermission", "ec2:DetachNetworkInterface"],
                "*",
            ),
            _allow("TagInterfaces", ["ec2:CreateTags"], interfaces),
        ]
        if eks_cluster_arn is None:
            statements.append(_allow("ReportBoots", ["s3:PutObject"], f"{results}/{REPORTS}/*"))
        else:
            statements += _under_eks(eks_cluster_arn, interfaces=interfaces)
        if accounting_secret_arn is not None:
            statements.append(
                _allow("ReadAccountingSecret", ["secretsmanager:GetSecretValue"], accounting_secret_arn)
            )
        if list_keys:
            statements.append(
                _allow("ReadLists", ["s3:GetObject"], [f"{results}/{each}" for each in list_keys])
            )
        if container_objects:
            found = [f"arn:{partition}:s3:::{bucket}/{key}" for bucket, key in container_objects]
            statements.append(_allow("FetchContainers", ["s3:GetObject"], found))
        if collection_objects:
            found = [f"arn:{partition}:s3:::{bucket}/{key}" for bucket, key in collection_objects]
            statements.append(_allow("FetchCollection", ["s3:GetObject"], found))
        if workspace_arn is not None:
            statements.append(_allow("RemoteWrite", ["aps:RemoteWrite"], workspace_arn))
        if desk_prefix is not None:
            statements += [
                _allow(
                    "LookForQuestions",
                    ["s3:ListBucket"],
                    results,
                    {"StringLike": {"s3:prefix": f"{desk_prefix}*"}},
                ),
                _allow(
                    "AnswerQuestions",
                    ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
                    f"{results}/{desk_prefix}*",
                ),
            ]
        policy = iam.CfnManagedPolicy(
            self, "Policy", policy_document={"Version": "2012-10-17", "Statement": statements}
        )
        # The role has its policy from its first moment: HyperPod uses it as soon as the cluster is made.
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "sagemaker.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                    }
                ],
            },
            managed_policy_arns=[policy.ref],
        )
        self.role_name: str = role.ref
        """The role's name."""
        self.role_arn: str = role.attr_arn
        """The role's ARN."""


def _under_eks(cluster_arn: str, *, interfaces: str) -> list[dict[str, object]]:
    """What the same page adds for EKS; which images there are to pull, only the account knows."""
    return [
        _allow(
            "GivePodsAddresses",
            [
                "ec2:AssignPrivateIpAddresses",
                "ec2:ModifyNetworkInterfaceAttribute",
                "ec2:UnassignPrivateIpAddresses",
            ],
            interfaces,
        ),
        _allow(
            "PullImages",
            ["ecr:BatchGetImage", "ecr:GetAuthorizationToken", "ecr:GetDownloadUrlForLayer"],
            "*",
        ),
        _allow("LendRolesToPods", ["eks-auth:AssumeRoleForPodIdentity"], cluster_arn),
    ]


def _allow(
    sid: str, actions: list[str], resource: str | list[str], condition: Mapping[str, object] | None = None
) -> dict[str, object]:
    statement: dict[str, object] = {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}
    return statement if condition is None else {**statement, "Condition": condition}

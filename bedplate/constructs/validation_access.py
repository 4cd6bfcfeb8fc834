"""Who may write validation's answers, and who may ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.node_rights import put_answers
from bedplate.constructs.partition import partition_of
from bedplate.manifest import manifest_parameter_name
from bedplate.node.desk.keys import PREFIX as DESKS


class ValidationAccess(Construct):
    """Two managed policies: one on the nodes' role, one for people and pipelines.

    Nodes may put the output of commands under ``answers/`` of the result bucket; without ``node_role_name``
    they have that right by another policy (``NodePolicy``). ``operator_policy_arn``
    names a policy that is attached to nobody: it is what whoever runs ``bedplate validate`` needs and no
    more. Commands are limited to this environment's document and to instances with ``node_tag``, a tag and
    its value that every node of this cluster has and nothing else. ``kept_keys`` are objects of the bucket
    that nodes act upon as root, such as the list of users: an operator may read them and not write them.

    Where Systems Manager reaches no node, ``node_tag`` and ``document_name`` are None, ``hyperpod_arn`` is
    the cluster whose nodes are listed, and questions go through the bucket (``bedplate.node.desk``).

    ``workspace_arn`` is the workspace of metrics that a run writes its outcome to; None for none.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        environment: str,
        node_role_name: str | None,
        node_tag: tuple[str, str] | None,
        document_name: str | None,
        bucket_arn: str,
        kept_keys: Sequence[str] = (),
        hyperpod_arn: str | None = None,
        workspace_arn: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        if node_role_name is not None:
            iam.CfnManagedPolicy(
                self,
                "NodePolicy",
                description="Bedplate nodes: put answers into the result bucket",
                roles=[node_role_name],
                policy_document=_document(*put_answers(bucket_arn=bucket_arn)),
            )
        stack = Stack.of(self)
        partition = partition_of(stack)
        here = f"{stack.region}:{stack.account}"
        parameter = f"parameter{manifest_parameter_name(environment)}"
        operator = iam.CfnManagedPolicy(
            self,
            "OperatorPolicy",
            description="Bedplate: validate one environment",
            policy_document=_document(
                {
                    "Sid": "ReadManifest",
                    "Effect": "Allow",
                    "Action": ["ssm:GetParameter"],
                    "Resource": f"arn:{partition}:ssm:{here}:{parameter}",
                },
                {
                    "Sid": "ReadResults",
                    "Effect": "Allow",
                    "Action": ["s3:GetObject", "s3:PutObject"],
                    "Resource": f"{bucket_arn}/*",
                },
                *(_keep(number, f"{bucket_arn}/{key}") for number, key in enumerate(kept_keys, start=1)),
                {
                    "Sid": "ListResults",
                    "Effect": "Allow",
                    "Action": ["s3:ListBucket", "s3:GetBucketLocation"],
                    "Resource": bucket_arn,
                },
                *_through_systems_manager(partition, here, node_tag, document_name),
                *_through_desk(bucket_arn, hyperpod_arn),
                *_into_workspace(workspace_arn),
            ),
        )
        self.operator_policy_arn: str = operator.ref
        """ARN of the policy for whoever runs validation."""


def _keep(number: int, resource: str) -> dict[str, object]:
    return {"Sid": f"Keep{number}", "Effect": "Deny", "Action": ["s3:PutObject"], "Resource": resource}


def _document(*statements: dict[str, object]) -> dict[str, object]:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def _through_systems_manager(
    partition: str, here: str, node_tag: tuple[str, str] | None, document_name: str | None
) -> list[dict[str, object]]:
    if node_tag is None or document_name is None:
        return []
    return [
        {
            "Sid": "SendDocument",
            "Effect": "Allow",
            "Action": ["ssm:SendCommand"],
            "Resource": f"arn:{partition}:ssm:{here}:document/{document_name}",
        },
        {
            "Sid": "SendToClusterNodes",
            "Effect": "Allow",
            "Action": ["ssm:SendCommand"],
            "Resource": f"arn:{partition}:ec2:{here}:instance/*",
            "Condition": {"StringEquals": {f"ssm:resourceTag/{node_tag[0]}": node_tag[1]}},
        },
        {
            "Sid": "FollowCommands",
            "Effect": "Allow",
            "Action": [
                "ssm:CancelCommand",
                "ssm:DescribeInstanceInformation",
                "ssm:GetCommandInvocation",
                "ssm:ListCommandInvocations",
                "ec2:DescribeInstanceTopology",
                "ec2:DescribeInstances",
            ],
            "Resource": "*",
        },
    ]


def _into_workspace(workspace_arn: str | None) -> list[dict[str, object]]:
    if workspace_arn is None:
        return []
    return [
        {
            "Sid": "WriteMetrics",
            "Effect": "Allow",
            "Action": ["aps:RemoteWrite"],
            "Resource": workspace_arn,
        }
    ]


def _through_desk(bucket_arn: str, hyperpod_arn: str | None) -> list[dict[str, object]]:
    if hyperpod_arn is None:
        return []
    return [
        {
            "Sid": "ListNodes",
            "Effect": "Allow",
            "Action": ["sagemaker:ListClusterNodes", "sagemaker:DescribeClusterNode"],
            "Resource": hyperpod_arn,
        },
        {
            "Sid": "TakeQuestionsBack",
            "Effect": "Allow",
            "Action": ["s3:DeleteObject"],
            "Resource": f"{bucket_arn}/{DESKS}/*",
        },
    ]

"""What a node of the cluster may do in AWS."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.node_rights import (
    Statement,
    answer_systems_manager,
    fetch,
    report_boots,
    write_metrics,
)
from bedplate.constructs.partition import partition_of

PCS_PATH = "/aws-pcs/"
"""PCS registers only instances whose role has this path or a name in AWSPCS… (PCS User Guide)."""


class NodeRole(Construct):
    """Role and instance profile of the nodes: register with PCS, answer SSM, fetch the node program, report.

    ``program_bucket`` and ``program_key`` name the one object that a node must fetch to start. Into
    ``result_bucket`` nodes put the reports of their boots; they may read there the list of users, where
    ``users_key`` names it, and may do nothing else. ``container_objects`` (bucket and key) are what they
    install containers from, ``collection_objects`` what they have programs from that collect metrics for the
    workspace ``workspace_arn``. The role gets nothing else here; a construct that needs more attaches a
    managed policy of its own to ``role_name``.
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
        container_objects: Sequence[tuple[str, str]] = (),
        collection_objects: Sequence[tuple[str, str]] = (),
        workspace_arn: str | None = None,
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
                        program_bucket=program_bucket,
                        program_key=program_key,
                        result_bucket=result_bucket,
                        users_key=users_key,
                        container_objects=container_objects,
                    ),
                    *self._collect(collection_objects, workspace_arn),
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

    def _collect(self, objects: Sequence[tuple[str, str]], workspace_arn: str | None) -> list[Statement]:
        statements = [] if workspace_arn is None else [write_metrics(workspace_arn=workspace_arn)]
        if objects:
            s3 = f"arn:{partition_of(Stack.of(self))}:s3:::"
            arns = [f"{s3}{bucket}/{key}" for bucket, key in objects]
            statements.append(fetch("FetchCollection", object_arns=arns))
        return statements

    def _statements(
        self,
        *,
        program_bucket: str,
        program_key: str,
        result_bucket: str,
        users_key: str | None,
        container_objects: Sequence[tuple[str, str]],
    ) -> list[Statement]:
        s3 = f"arn:{partition_of(Stack.of(self))}:s3:::"
        statements: list[Statement] = [
            {
                "Sid": "RegisterWithPcs",
                "Effect": "Allow",
                "Action": ["pcs:RegisterComputeNodeGroupInstance"],
                "Resource": "*",
            },
            answer_systems_manager(),
            fetch("FetchNodeProgram", object_arns=f"{s3}{program_bucket}/{program_key}"),
            report_boots(bucket_arn=f"{s3}{result_bucket}"),
        ]
        if users_key:
            statements.append(fetch("FetchUserList", object_arns=f"{s3}{result_bucket}/{users_key}"))
        if container_objects:
            arns = [f"{s3}{bucket}/{key}" for bucket, key in container_objects]
            statements.append(fetch("FetchContainers", object_arns=arns))
        return statements

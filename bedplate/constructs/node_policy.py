"""What a node may do in AWS, as a policy for a service that makes the nodes' roles itself."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.node_rights import (
    answer_systems_manager,
    ask_topology,
    fetch,
    put_answers,
    report_boots,
    write_metrics,
)
from bedplate.constructs.partition import partition_of


class NodePolicy(Construct):
    """Answer SSM, fetch these ``objects`` (bucket and key) alone, report boots, put validation's answers.

    ``path`` is the policy's path: ParallelCluster's provider may attach those of its own path to nodes. The
    policy is attached to nobody here. ``users_key`` names the list of users in ``result_bucket``.
    ``asks_topology`` is for the node that keeps Slurm's topology; ``workspace_arn`` is the workspace that
    metrics are written to, None where none are collected.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        path: str,
        objects: Sequence[tuple[str, str]],
        result_bucket: str,
        users_key: str | None = None,
        asks_topology: bool = False,
        workspace_arn: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        s3 = f"arn:{partition_of(Stack.of(self))}:s3:::"
        results = f"{s3}{result_bucket}"
        statements = [
            answer_systems_manager(),
            fetch("FetchNodeProgram", object_arns=[f"{s3}{bucket}/{key}" for bucket, key in objects]),
            report_boots(bucket_arn=results),
            *put_answers(bucket_arn=results),
        ]
        if users_key:
            statements.append(fetch("FetchUserList", object_arns=f"{results}/{users_key}"))
        if workspace_arn is not None:
            statements.append(write_metrics(workspace_arn=workspace_arn))
        if asks_topology:
            statements.append(ask_topology())
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            path=path,
            description="Bedplate nodes: fetch the node program, report, answer validation",
            policy_document={"Version": "2012-10-17", "Statement": statements},
        )
        self.policy_arn: str = policy.ref
        """ARN of the policy."""

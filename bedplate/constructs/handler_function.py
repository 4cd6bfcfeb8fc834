"""A function of ours in the account: its code, its log, and the few rights that it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.file_asset import FileAsset
from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.l1 import aws_lambda as lambda_
from bedplate.constructs.l1 import aws_logs as logs

HANDLERS = Path(__file__).parent / "handlers"
"""One folder a family of functions; each is a package for Lambda by itself."""
RUNTIME = "python3.14"
MEMORY_MIB = 256
LOG_RETENTION_DAYS = 90
_NETWORK_INTERFACES = {
    "Sid": "StandInVpc",
    "Effect": "Allow",
    "Action": [
        "ec2:AssignPrivateIpAddresses",
        "ec2:CreateNetworkInterface",
        "ec2:DeleteNetworkInterface",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeSubnets",
        "ec2:UnassignPrivateIpAddresses",
    ],
    "Resource": "*",
}
"""Lambda makes a function's interfaces by the function's own role, and refuses one that may not (Lambda
Developer Guide, "Giving Lambda functions access to resources in an Amazon VPC")."""


class HandlerFunction(Construct):
    """A Lambda function from a folder of ``handlers``, with a role that may write its own log and no more.

    ``statements`` are IAM policy statements for what else it may do. ``handler`` is ``module.function``.
    ``subnet_ids`` and ``group_ids`` put it into a VPC, from which it reaches AWS as the subnets do.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        folder: str,
        handler: str,
        description: str,
        timeout_seconds: int,
        statements: Sequence[Mapping[str, object]] = (),
        environment: Mapping[str, str] | None = None,
        subnet_ids: Sequence[str] = (),
        group_ids: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, id)
        group = logs.CfnLogGroup(self, "LogGroup", retention_in_days=LOG_RETENTION_DAYS)
        group.apply_removal_policy(RemovalPolicy.DESTROY)
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "lambda.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                    }
                ],
            },
        )
        write_log = {
            "Sid": "WriteOwnLog",
            "Effect": "Allow",
            "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
            "Resource": group.attr_arn,
        }
        network = [_NETWORK_INTERFACES] if subnet_ids else []
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            roles=[role.ref],
            policy_document={"Version": "2012-10-17", "Statement": [*statements, *network, write_log]},
        )
        code = FileAsset(self, "Code", path=HANDLERS / folder, kind="folder", exclude=["__pycache__"])
        self.resource = lambda_.CfnFunction(
            self,
            "Function",
            description=description,
            code=lambda_.CfnFunction.CodeProperty(s3_bucket=code.bucket_name, s3_key=code.key),
            handler=handler,
            runtime=RUNTIME,
            architectures=["arm64"],
            timeout=timeout_seconds,
            memory_size=MEMORY_MIB,
            environment=lambda_.CfnFunction.EnvironmentProperty(variables=dict(environment))
            if environment
            else None,
            logging_config=lambda_.CfnFunction.LoggingConfigProperty(log_group=group.ref),
            vpc_config=lambda_.CfnFunction.VpcConfigProperty(
                subnet_ids=list(subnet_ids), security_group_ids=list(group_ids)
            )
            if subnet_ids
            else None,
            role=role.attr_arn,
        )
        """The function."""
        self.resource.add_resource_dependency(policy)
        self.function_name: str = self.resource.ref
        """The function's name."""
        self.function_arn: str = self.resource.attr_arn
        """The function's ARN."""

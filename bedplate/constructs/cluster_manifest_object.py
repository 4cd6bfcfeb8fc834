"""The manifest of a deployed environment, where validation finds it."""

from __future__ import annotations

from pathlib import Path

from aws_cdk import CustomResource, Duration, RemovalPolicy
from constructs import Construct

from bedplate.constructs.file_asset import FileAsset
from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.l1 import aws_lambda as lambda_
from bedplate.constructs.l1 import aws_logs as logs
from bedplate.constructs.l1 import aws_ssm as ssm
from bedplate.manifest import ClusterManifest, manifest_parameter_name

HANDLER = Path(__file__).parent / "handlers" / "manifest_writer"
RUNTIME = "python3.14"
TIMEOUT_SECONDS = 60
MEMORY_MIB = 256
LOG_RETENTION_DAYS = 90


def manifest_key(environment: str) -> str:
    """Key of the manifest in the result bucket."""
    return f"manifest/{environment}.json"


class ClusterManifestObject(Construct):
    """Writes a ``ClusterManifest`` to the result bucket, and the SSM parameter that points to it.

    The manifest's strings may be CDK tokens: ids that exist only after the deploy are filled in by
    CloudFormation before the function sees the text, and pydantic has checked the shape before that. A
    function is needed because no resource type writes an object, and an SSM parameter holds 4 KB. It may
    write that one key and nothing else.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        manifest: ClusterManifest,
        bucket_name: str,
        bucket_arn: str,
    ) -> None:
        super().__init__(scope, id)
        key = manifest_key(manifest.environment)
        function = self._function(object_arn=f"{bucket_arn}/{key}")
        written = CustomResource(
            self,
            "Object",
            resource_type="Custom::BedplateManifest",
            service_token=function.attr_arn,
            removal_policy=RemovalPolicy.DESTROY,
            service_timeout=Duration.seconds(TIMEOUT_SECONDS * 2),
            properties={
                "Bucket": bucket_name,
                "Key": key,
                # Not Stack.to_json_string: jsii drops None on the way, and an absent file system is a null
                # here. The tokens are ids and URLs, which hold nothing that JSON would escape.
                "Manifest": manifest.model_dump_json(),
            },
        )
        self.location: str = written.get_att_string("Location")
        """``s3://bucket/key``."""
        ssm.CfnParameter(
            self,
            "Pointer",
            type="String",
            name=manifest_parameter_name(manifest.environment),
            value=self.location,
            description="Where the manifest of this environment is",
        )

    def _function(self, *, object_arn: str) -> lambda_.CfnFunction:
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
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            roles=[role.ref],
            policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Sid": "WriteManifest",
                        "Effect": "Allow",
                        "Action": ["s3:PutObject", "s3:DeleteObject"],
                        "Resource": object_arn,
                    },
                    {
                        "Sid": "WriteOwnLog",
                        "Effect": "Allow",
                        "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
                        "Resource": group.attr_arn,
                    },
                ],
            },
        )
        code = FileAsset(self, "Code", path=HANDLER, kind="folder", exclude=["__pycache__"])
        function = lambda_.CfnFunction(
            self,
            "Writer",
            description="Writes the Bedplate manifest to the result bucket",
            code=lambda_.CfnFunction.CodeProperty(s3_bucket=code.bucket_name, s3_key=code.key),
            handler="index.handler",
            runtime=RUNTIME,
            architectures=["arm64"],
            timeout=TIMEOUT_SECONDS,
            memory_size=MEMORY_MIB,
            logging_config=lambda_.CfnFunction.LoggingConfigProperty(log_group=group.ref),
            role=role.attr_arn,
        )
        function.add_resource_dependency(policy)
        return function

"""The manifest of a deployed environment, where validation finds it."""

from __future__ import annotations

from aws_cdk import CustomResource, Duration, RemovalPolicy
from constructs import Construct

from bedplate.constructs.handler_function import HandlerFunction
from bedplate.constructs.l1 import aws_ssm as ssm
from bedplate.manifest import ClusterManifest, manifest_parameter_name

TIMEOUT_SECONDS = 60


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
            service_token=function.function_arn,
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

    def _function(self, *, object_arn: str) -> HandlerFunction:
        return HandlerFunction(
            self,
            "Writer",
            folder="manifest_writer",
            handler="index.handler",
            description="Writes the Bedplate manifest to the result bucket",
            timeout_seconds=TIMEOUT_SECONDS,
            statements=[
                {
                    "Sid": "WriteManifest",
                    "Effect": "Allow",
                    "Action": ["s3:PutObject", "s3:DeleteObject"],
                    "Resource": object_arn,
                }
            ],
        )

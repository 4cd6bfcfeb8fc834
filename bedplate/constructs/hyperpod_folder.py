"""A folder of life-cycle scripts, in a bucket that HyperPod downloads it from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from aws_cdk import CustomResource, Duration, RemovalPolicy, Stack, Token
from constructs import Construct

from bedplate.constructs.file_asset import FileAsset
from bedplate.constructs.handler_function import HandlerFunction
from bedplate.constructs.partition import partition_of
from bedplate.constructs.private_bucket import PrivateBucket

TIMEOUT_SECONDS = 120
_LONGEST_BUCKET_NAME = 63


class HyperPodFolder(Construct):
    """A bucket with one folder: the scripts at ``scripts``, the texts of ``files``, and copies of objects.

    Strings may be CDK tokens: the files are written by a function, since no resource type writes an object,
    and HyperPod takes a folder of files, not the archive that an asset is. ``copies`` says bucket and key of
    each object by the name that it has in the folder.

    The bucket's name begins with ``sagemaker-``, as HyperPod's documentation asks (ClusterLifeCycleConfig,
    ``SourceS3Uri``). The folder's name is made of what is in it, so that a node never finds half of an older
    folder. Bucket and folder go with the stack.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
        scripts: Sequence[Path],
        files: Mapping[str, str],
        copies: Mapping[str, tuple[str, str]],
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        bucket = PrivateBucket(
            self,
            "Bucket",
            lifecycle_rules=[],
            name=_bucket_name(name, account=stack.account, region=stack.region),
            versioned=False,
        )
        bucket.resource.apply_removal_policy(RemovalPolicy.DESTROY)
        bucket.set_policy()
        assets = {each.name: FileAsset(self, each.stem, path=each, kind="file") for each in scripts}
        copied = {
            **{each: {"Bucket": asset.bucket_name, "Key": asset.key} for each, asset in assets.items()},
            **{each: {"Bucket": where, "Key": key} for each, (where, key) in copies.items()},
        }
        self.bucket_name: str = bucket.bucket_name
        """The bucket's name."""
        self.prefix: str = f"{name}/{_digest(stack.resolve([dict(files), copied]))}"
        """The folder's name."""
        partition = partition_of(stack)
        function = HandlerFunction(
            self,
            "Writer",
            folder="hyperpod_scripts",
            handler="index.handler",
            description="Writes the life-cycle scripts of a HyperPod cluster",
            timeout_seconds=TIMEOUT_SECONDS,
            statements=[
                {
                    "Sid": "ReadAssets",
                    "Effect": "Allow",
                    "Action": ["s3:GetObject"],
                    "Resource": [
                        f"arn:{partition}:s3:::{each['Bucket']}/{each['Key']}" for each in copied.values()
                    ],
                },
                {
                    "Sid": "WriteScripts",
                    "Effect": "Allow",
                    "Action": ["s3:PutObject", "s3:DeleteObject"],
                    "Resource": f"{bucket.bucket_arn}/{name}/*",
                },
                {
                    "Sid": "ListScripts",
                    "Effect": "Allow",
                    "Action": ["s3:ListBucket"],
                    "Resource": bucket.bucket_arn,
                },
            ],
        )
        written = CustomResource(
            self,
            "Folder",
            resource_type="Custom::BedplateHyperPodScripts",
            service_token=function.function_arn,
            removal_policy=RemovalPolicy.DESTROY,
            service_timeout=Duration.seconds(TIMEOUT_SECONDS * 2),
            properties={
                "Bucket": bucket.bucket_name,
                "Prefix": self.prefix,
                "Files": dict(files),
                "Copies": copied,
            },
        )
        self.uri: str = written.get_att_string("Uri")
        """``s3://bucket/folder``, once every file is in it."""


def _bucket_name(name: str, *, account: str, region: str) -> str:
    """The cluster's name in it as far as there is room, and a digest of what had to be cut."""
    made = f"sagemaker-{name.lower()}-{account}-{region}"
    room = _LONGEST_BUCKET_NAME - len(f"sagemaker--{account}-{region}")
    if Token.is_unresolved(made) or len(name) <= room:
        return made
    digest = hashlib.sha256(name.encode()).hexdigest()[:6]
    return f"sagemaker-{name.lower()[: room - len(digest) - 1]}-{digest}-{account}-{region}"


def _digest(content: object) -> str:
    """Of what the template says: values that only the deploy knows count by their references."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

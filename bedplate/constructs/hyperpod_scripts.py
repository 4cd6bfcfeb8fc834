"""The life-cycle scripts of a HyperPod cluster, in the bucket that HyperPod downloads them from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from aws_cdk import CustomResource, Duration, RemovalPolicy, Stack, Token
from constructs import Construct

from bedplate.constructs.file_asset import FileAsset
from bedplate.constructs.handler_function import HandlerFunction
from bedplate.constructs.partition import partition_of
from bedplate.constructs.private_bucket import PrivateBucket
from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.settings import NodeSettings

SCRIPTS = Path(__file__).parent / "hyperpod_life_cycle"
ON_CREATE = "on_create.sh"
STATIC = (ON_CREATE, "place.py", "keep_partitions.sh")
TIMEOUT_SECONDS = 120
_LONGEST_BUCKET_NAME = 63

SlurmNodeType = Literal["Controller", "Login", "Compute"]


class HyperPodScripts(Construct):
    """A bucket with one folder: ``on_create.sh``, the node program, and what each group is set up by.

    ``groups`` says each group's type of Slurm node, ``settings`` what its nodes are set up by, and
    ``slurm_settings`` is the text that the controller includes in slurm.conf, and ``partitions`` a line for
    each partition that it keeps as the line says. Strings may be CDK tokens: the
    files are written by a function, since no resource type writes an object, and HyperPod takes a folder of
    files, not the archive that an asset is. Groups whose nodes take jobs name ``on_create`` as ``OnCreate``,
    the controller's and the login nodes' as ``OnInitComplete``.

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
        groups: Mapping[str, SlurmNodeType],
        settings: Mapping[str, NodeSettings],
        slurm_settings: str,
        partitions: str = "",
        program_bucket: str,
        program_key: str,
        program_sha256: str,
    ) -> None:
        super().__init__(scope, id)
        if set(groups) != set(settings):
            raise ValueError(f"groups {sorted(groups)} and settings {sorted(settings)} are not the same")
        if list(groups.values()).count("Controller") != 1:
            raise ValueError("groups: exactly one is the Controller")
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
        files = {
            "groups": "".join(f"{group} {kind}\n" for group, kind in groups.items()),
            "slurm-settings.conf": slurm_settings,
            "partitions": partitions,
            "slurmd-gate.conf": gate.DROP_IN,
            "bedplate-node.sha256": f"{program_sha256}\n",
            **{f"settings-{group}.json": f"{each.to_json()}\n" for group, each in settings.items()},
        }
        assets = {each: FileAsset(self, Path(each).stem, path=SCRIPTS / each, kind="file") for each in STATIC}
        copies = {
            **{each: {"Bucket": asset.bucket_name, "Key": asset.key} for each, asset in assets.items()},
            "bedplate-node.pyz": {"Bucket": program_bucket, "Key": program_key},
        }
        self.bucket_name: str = bucket.bucket_name
        """The bucket's name."""
        self.prefix: str = f"{name}/{_digest(stack.resolve([files, copies]))}"
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
                        f"arn:{partition}:s3:::{each['Bucket']}/{each['Key']}" for each in copies.values()
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
                "Files": files,
                "Copies": copies,
            },
        )
        self.uri: str = written.get_att_string("Uri")
        """``s3://bucket/folder``, once every file is in it."""
        self.on_create: str = ON_CREATE
        """The file in it that HyperPod runs."""


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

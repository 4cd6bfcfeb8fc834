"""The bucket that other buckets' access logs go to."""

from __future__ import annotations

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_s3 as s3
from bedplate.constructs.private_bucket import PrivateBucket

RETENTION_DAYS = 90


class AccessLogBucket(Construct):
    """A private bucket for server access logs of this account, which go after ``retention_days``."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        retention_days: int = RETENTION_DAYS,
    ) -> None:
        super().__init__(scope, id)
        bucket = PrivateBucket(
            self,
            "Bucket",
            lifecycle_rules=[
                s3.CfnBucket.RuleProperty(
                    id="Expire",
                    status="Enabled",
                    expiration_in_days=retention_days,
                    noncurrent_version_expiration=s3.CfnBucket.NoncurrentVersionExpirationProperty(
                        noncurrent_days=1
                    ),
                )
            ],
        )
        bucket.set_policy(
            {
                "Sid": "S3WritesLogs",
                "Effect": "Allow",
                "Principal": {"Service": "logging.s3.amazonaws.com"},
                "Action": "s3:PutObject",
                "Resource": f"{bucket.bucket_arn}/*",
                "Condition": {"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
            }
        )
        self.bucket_name: str = bucket.bucket_name
        """The bucket's name, made by CloudFormation."""

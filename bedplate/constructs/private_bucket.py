"""What all our buckets have in common."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.l1 import aws_s3 as s3

LEAST_TLS_VERSION = "1.2"


class PrivateBucket(Construct):
    """A bucket that is private, versioned and encrypted, answers TLS 1.2 only, and stays when the stack goes.

    Made of CloudFormation's own resources, so that it comes out the same whatever feature flags the app has.
    Call ``set_policy`` once. ``name`` is for a bucket that must be named so, ``versioned`` is off for one
    whose objects are never overwritten.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        lifecycle_rules: Sequence[s3.CfnBucket.RuleProperty],
        log_bucket_name: str | None = None,
        log_prefix: str | None = None,
        name: str | None = None,
        versioned: bool = True,
    ) -> None:
        super().__init__(scope, id)
        bucket = s3.CfnBucket
        self.resource = s3.CfnBucket(
            self,
            "Resource",
            bucket_name=name,
            bucket_encryption=bucket.BucketEncryptionProperty(
                server_side_encryption_configuration=[
                    bucket.ServerSideEncryptionRuleProperty(
                        server_side_encryption_by_default=bucket.ServerSideEncryptionByDefaultProperty(
                            sse_algorithm="AES256"
                        )
                    )
                ]
            ),
            lifecycle_configuration=bucket.LifecycleConfigurationProperty(rules=list(lifecycle_rules))
            if lifecycle_rules
            else None,
            logging_configuration=bucket.LoggingConfigurationProperty(
                destination_bucket_name=log_bucket_name, log_file_prefix=log_prefix
            )
            if log_bucket_name
            else None,
            ownership_controls=bucket.OwnershipControlsProperty(
                rules=[bucket.OwnershipControlsRuleProperty(object_ownership="BucketOwnerEnforced")]
            ),
            public_access_block_configuration=bucket.PublicAccessBlockConfigurationProperty(
                block_public_acls=True,
                block_public_policy=True,
                ignore_public_acls=True,
                restrict_public_buckets=True,
            ),
            versioning_configuration=bucket.VersioningConfigurationProperty(status="Enabled")
            if versioned
            else None,
        )
        """The bucket itself."""
        self.resource.apply_removal_policy(RemovalPolicy.RETAIN)
        self.bucket_name: str = self.resource.ref
        """The bucket's name, made by CloudFormation where none was given."""
        self.bucket_arn: str = self.resource.attr_arn
        """The bucket's ARN."""

    def set_policy(self, *allowed: dict[str, object]) -> None:
        """Give the bucket its policy: the denials that every bucket has, and the ``allowed`` statements."""
        everything = [self.bucket_arn, f"{self.bucket_arn}/*"]
        deny = {"Effect": "Deny", "Principal": {"AWS": "*"}, "Action": "s3:*", "Resource": everything}
        statements = [
            {"Sid": "TlsOnly", **deny, "Condition": {"Bool": {"aws:SecureTransport": "false"}}},
            {
                "Sid": "NoOldTls",
                **deny,
                "Condition": {"NumericLessThan": {"s3:TlsVersion": LEAST_TLS_VERSION}},
            },
            *allowed,
        ]
        s3.CfnBucketPolicy(
            self,
            "Policy",
            bucket=self.bucket_name,
            policy_document={"Version": "2012-10-17", "Statement": statements},
        )

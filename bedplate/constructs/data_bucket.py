"""A bucket for data that must outlive the stack."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

NONCURRENT_DAYS = 90
"""How long an overwritten or deleted object can be brought back."""
ABORT_UPLOAD_DAYS = 7


class DataBucket(Construct):
    """A private, versioned, encrypted bucket that answers TLS only and stays when the stack goes.

    Encryption is by S3's own keys: FSx for Lustre and the SSM agent read and write here through
    service-linked and instance roles, and a key of our own would add a policy to each of them without keeping
    anyone out that the bucket policy lets in. Old versions are dropped after ``noncurrent_days``, unfinished
    uploads after a week.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        noncurrent_days: int = NONCURRENT_DAYS,
    ) -> None:
        super().__init__(scope, id)
        bucket = s3.Bucket(
            self,
            "Bucket",
            versioned=True,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            removal_policy=RemovalPolicy.RETAIN,
            lifecycle_rules=[
                s3.LifecycleRule(
                    id="Tidy",
                    noncurrent_version_expiration=Duration.days(noncurrent_days),
                    abort_incomplete_multipart_upload_after=Duration.days(ABORT_UPLOAD_DAYS),
                )
            ],
        )
        self.bucket_name: str = bucket.bucket_name
        """The bucket's name, made by CloudFormation."""
        self.bucket_arn: str = bucket.bucket_arn
        """The bucket's ARN."""

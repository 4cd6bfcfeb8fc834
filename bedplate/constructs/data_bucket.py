"""A bucket for data that must outlive the stack."""

from __future__ import annotations

from constructs import Construct

from bedplate.constructs.l1 import aws_s3 as s3
from bedplate.constructs.private_bucket import PrivateBucket

NONCURRENT_DAYS = 90
"""How long an overwritten or deleted object can be brought back."""
ABORT_UPLOAD_DAYS = 7


class DataBucket(Construct):
    """A private, versioned, encrypted bucket that answers TLS only and stays when the stack goes.

    Encryption is by S3's own keys: FSx for Lustre and the SSM agent read and write here through
    service-linked and instance roles, and a key of our own would add a policy to each of them without keeping
    anyone out that the bucket policy lets in. Old versions are dropped after ``noncurrent_days``, unfinished
    uploads after a week; objects move to Standard-IA after ``infrequent_access_days`` if that is given.
    ``log_bucket_name`` is where access logs go (``AccessLogBucket``).
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        log_bucket_name: str | None = None,
        noncurrent_days: int = NONCURRENT_DAYS,
        infrequent_access_days: int | None = None,
    ) -> None:
        super().__init__(scope, id)
        rule = s3.CfnBucket.RuleProperty(
            id="Tidy",
            status="Enabled",
            noncurrent_version_expiration=s3.CfnBucket.NoncurrentVersionExpirationProperty(
                noncurrent_days=noncurrent_days
            ),
            abort_incomplete_multipart_upload=s3.CfnBucket.AbortIncompleteMultipartUploadProperty(
                days_after_initiation=ABORT_UPLOAD_DAYS
            ),
            transitions=[
                s3.CfnBucket.TransitionProperty(
                    storage_class="STANDARD_IA", transition_in_days=infrequent_access_days
                )
            ]
            if infrequent_access_days
            else None,
        )
        bucket = PrivateBucket(
            self,
            "Bucket",
            lifecycle_rules=[rule],
            log_bucket_name=log_bucket_name,
            log_prefix=f"{self.node.path}/" if log_bucket_name else None,
        )
        bucket.set_policy()
        self.bucket_name: str = bucket.bucket_name
        """The bucket's name, made by CloudFormation."""
        self.bucket_arn: str = bucket.bucket_arn
        """The bucket's ARN."""

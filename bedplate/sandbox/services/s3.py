"""S3: moto takes an operation that it does not know for another one, so those that it plays are listed."""

from __future__ import annotations

from bedplate.sandbox.services.service import Service

_PLAYED = (
    "AbortMultipartUpload CompleteMultipartUpload CopyObject CreateBucket CreateMultipartUpload DeleteBucket"
    " DeleteBucketPolicy DeleteObject DeleteObjects GetBucketAcl GetBucketEncryption"
    " GetBucketLifecycleConfiguration GetBucketLocation GetBucketLogging GetBucketOwnershipControls"
    " GetBucketPolicy GetBucketTagging GetBucketVersioning GetObject GetObjectTagging GetPublicAccessBlock"
    " HeadBucket HeadObject ListBuckets ListMultipartUploads ListObjectVersions ListObjects ListObjectsV2"
    " ListParts PutBucketEncryption PutBucketPolicy PutBucketTagging PutBucketVersioning PutObject"
    " PutObjectTagging PutPublicAccessBlock UploadPart UploadPartCopy"
)


def s3_service() -> Service:
    """Every operation that moto is known to play goes on to it; the others are refused."""
    return Service("s3", {}, passes_on=frozenset(_PLAYED.split()))

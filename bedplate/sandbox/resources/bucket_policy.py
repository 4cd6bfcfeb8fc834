"""AWS::S3::BucketPolicy, with effect on the bucket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from moto.s3.models import s3_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest


class BucketPolicyHandler:
    """Puts a policy on a bucket and takes it off again."""

    def create(self, request: ResourceRequest) -> Made:
        """Put the policy on the bucket."""
        bucket = request.properties["Bucket"]
        backend = s3_backends[request.account]["aws"]
        if bucket not in backend.buckets:
            raise ResourceError(f"NoSuchBucket: {bucket}")
        backend.put_bucket_policy(bucket, json.dumps(request.properties["PolicyDocument"]).encode())
        return Made(physical_id=bucket)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Put the new policy in the old one's place."""
        return self.create(request)

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Take the policy off."""
        backend = s3_backends[request.account]["aws"]
        if made.physical_id in backend.buckets:
            backend.delete_bucket_policy(made.physical_id)

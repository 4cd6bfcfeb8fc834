"""A store in the result bucket, by S3's conditional writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from botocore.exceptions import ClientError

from bedplate.validation.aws import AwsClients, aws_errors, error_code
from bedplate.validation.stores.store import ChangedMeanwhile, Stored

_CHANGED = frozenset({"PreconditionFailed", "412", "ConditionalRequestConflict", "409", "NoSuchKey", "404"})
"""``ConditionalRequestConflict``: two conditional writes at once; ``NoSuchKey``: what was to be replaced is
gone (S3 User Guide, "How to prevent object overwrites with conditional writes").
"""


@dataclass(frozen=True)
class BucketStore:
    """Keys of one bucket. It needs ``s3:GetObject`` and ``s3:PutObject``, and never deletes."""

    clients: AwsClients
    bucket: str

    def read(self, key: str) -> Stored | None:
        """The object, None where there is none."""
        with aws_errors(f"reading s3://{self.bucket}/{key}"):
            try:
                found = self.clients.s3.get_object(Bucket=self.bucket, Key=key)
                body = found["Body"].read()
            except ClientError as error:
                if error_code(error) in ("NoSuchKey", "404"):
                    return None
                raise
        date = found.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date", "")
        # S3's own time of the answer; ours only where it does not say.
        moment = parsedate_to_datetime(date) if date else datetime.now(UTC)
        return Stored(body, found["ETag"], (moment - found["LastModified"]).total_seconds())

    def create(self, key: str, body: bytes) -> str:
        """Write an object that is not there yet."""
        with self._changes(key):
            return self.clients.s3.put_object(Bucket=self.bucket, Key=key, Body=body, IfNoneMatch="*")["ETag"]

    def replace(self, key: str, body: bytes, *, tag: str) -> str:
        """Write over the object with this tag."""
        with self._changes(key):
            return self.clients.s3.put_object(Bucket=self.bucket, Key=key, Body=body, IfMatch=tag)["ETag"]

    def write(self, key: str, body: bytes) -> None:
        """Write, whatever is there."""
        with aws_errors(f"writing s3://{self.bucket}/{key}"):
            self.clients.s3.put_object(Bucket=self.bucket, Key=key, Body=body)

    @contextmanager
    def _changes(self, key: str) -> Iterator[None]:
        with aws_errors(f"writing s3://{self.bucket}/{key}"):
            try:
                yield
            except ClientError as error:
                if error_code(error) in _CHANGED:
                    raise ChangedMeanwhile(key) from error
                raise

"""Reads and writes objects in the sandbox's S3 without a request."""

from __future__ import annotations

from urllib.parse import unquote, urlparse

from moto.s3.models import FakeDeleteMarker, s3_backends

from bedplate.sandbox.fleet.services import ListedObject
from bedplate.sandbox.services.service import ApiError


def read_object(account: str, bucket: str, key: str) -> bytes:
    """The bytes of an object; refused where it or its bucket does not exist."""
    backend = s3_backends[account]["aws"]
    if bucket not in backend.buckets:
        raise ApiError("NoSuchBucket", f"The specified bucket does not exist: {bucket}")
    found = backend.get_object(bucket, key)
    if found is None:
        raise ApiError("NoSuchKey", f"The specified key does not exist: s3://{bucket}/{key}")
    value: bytes = found.value
    return value


def write_object(account: str, bucket: str, key: str, body: bytes) -> None:
    """Write an object; refused where the bucket does not exist."""
    backend = s3_backends[account]["aws"]
    if bucket not in backend.buckets:
        raise ApiError("NoSuchBucket", f"The specified bucket does not exist: {bucket}")
    backend.put_object(bucket, key, body)


def list_objects(account: str, bucket: str, prefix: str, after: str) -> list[ListedObject]:
    """The objects below a prefix in the order of their keys, those up to ``after`` left out."""
    backend = s3_backends[account]["aws"]
    if bucket not in backend.buckets:
        raise ApiError("NoSuchBucket", f"The specified bucket does not exist: {bucket}")
    keys = backend.buckets[bucket].keys
    found = [keys[name] for name in sorted(keys) if name.startswith(prefix) and name > after]
    # S3 keeps whole seconds.
    return [
        ListedObject(each.name, each.size, each.last_modified.replace(microsecond=0).isoformat() + "+00:00")
        for each in found
        if not isinstance(each, FakeDeleteMarker)
    ]


def remove_object(account: str, bucket: str, key: str) -> None:
    """Remove an object, as S3 does: nothing is said where there is none."""
    s3_backends[account]["aws"].delete_object(bucket, key)


def read_url(account: str, url: str) -> str:
    """The text of an object named by a path-style or virtual-host URL."""
    parts = urlparse(url)
    host, path = parts.netloc, unquote(parts.path.lstrip("/"))
    if host.startswith(("localhost", "127.0.0.1", "s3.")) or not host.split(".")[0]:
        bucket, _, key = path.partition("/")
    else:
        bucket, key = host.split(".", 1)[0], path
    return read_object(account, bucket, key).decode("utf-8")

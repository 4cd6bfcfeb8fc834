"""The buckets that simulated nodes and a validation beside them both see, without any AWS between."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

OBJECTS: dict[tuple[str, str], bytes] = {}
"""(bucket, key) → body. What a validation keeps as evidence is not among them."""
TIED = ("datasets", "checkpoints")


def fetch(bucket: str, key: str) -> bytes:
    """As a node reads. Raises ``KeyError``."""
    return OBJECTS[bucket, key]


def put(bucket: str, key: str, body: bytes) -> None:
    """As a node writes."""
    if bucket in TIED:
        OBJECTS[bucket, key] = body


class SharedS3:
    """As much of an S3 client as a validation calls."""

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, **_: Any) -> None:  # noqa: N803
        """Take it; evidence is not kept, since it lies in the folder."""
        put(Bucket, Key, Body)

    def get_object(self, *, Bucket: str, Key: str, **_: Any) -> Mapping[str, Any]:  # noqa: N803
        """The object, as a stream."""
        if (Bucket, Key) not in OBJECTS:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": Key}}, "GetObject")
        return {"Body": io.BytesIO(OBJECTS[Bucket, Key])}

    def list_objects_v2(self, *, Bucket: str, Prefix: str, **_: Any) -> Mapping[str, Any]:  # noqa: N803
        """The keys that begin so."""
        return {"Contents": [{"Key": key} for key in self._keys(Bucket, Prefix)]}

    def list_object_versions(self, *, Bucket: str, Prefix: str, **_: Any) -> Mapping[str, Any]:  # noqa: N803
        """One version of each key that begins so."""
        return {"Versions": [{"Key": key, "VersionId": "null"} for key in self._keys(Bucket, Prefix)]}

    def delete_object(self, *, Bucket: str, Key: str, **_: Any) -> None:  # noqa: N803
        """Forget it."""
        OBJECTS.pop((Bucket, Key), None)

    def _keys(self, bucket: str, prefix: str) -> list[str]:
        return sorted(key for name, key in OBJECTS if name == bucket and key.startswith(prefix))

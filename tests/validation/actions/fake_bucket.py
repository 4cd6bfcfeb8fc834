"""SIMULATED: an S3 client over a dictionary, as far as journals, results and stores ask of it."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError


@dataclass
class FakeBucket:
    """Objects by key; ``refuses`` is an error code that every write gets."""

    objects: dict[str, bytes] = field(default_factory=dict)
    refuses: str = ""

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, **conditions: str) -> dict[str, Any]:  # noqa: N803
        """Write, by S3's conditions where they are given."""
        if self.refuses:
            raise ClientError({"Error": {"Code": self.refuses, "Message": "no"}}, "PutObject")
        there = self.objects.get(Key)
        tag = conditions.get("IfMatch")
        if (conditions.get("IfNoneMatch") and there is not None) or (tag and tag != _tag(there or b"")):
            raise ClientError({"Error": {"Code": "PreconditionFailed", "Message": "no"}}, "PutObject")
        self.objects[Key] = Body
        return {"ETag": _tag(Body)}

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        """Read."""
        if Key not in self.objects:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": "no"}}, "GetObject")
        body = self.objects[Key]
        return {"Body": io.BytesIO(body), "ETag": _tag(body), "LastModified": datetime.now(UTC)}

    def get_paginator(self, _operation: str) -> FakeBucket:
        """The listing."""
        return self

    def paginate(self, *, Bucket: str, Prefix: str, Delimiter: str = "") -> Iterator[dict[str, Any]]:  # noqa: N803
        """Keys below a prefix, or the folders right below it."""
        keys = sorted(key for key in self.objects if key.startswith(Prefix))
        if not Delimiter:
            yield {"Contents": [{"Key": key} for key in keys]}
            return
        names = {key.removeprefix(Prefix).partition(Delimiter) for key in keys}
        yield {
            "CommonPrefixes": [{"Prefix": f"{Prefix}{name}/"} for name, found, _ in sorted(names) if found]
        }


def _tag(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()

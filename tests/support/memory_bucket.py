"""A bucket in memory, from both of its sides: as a node's desk has it, and as boto3's client has it."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError

from bedplate.node.desk.bucket import BucketError, Listed


class MemoryBucket:
    """``now`` is the service's clock. ``refuse`` says which calls (verb, key) are denied."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now, self._lock = now, threading.Lock()
        self._objects: dict[str, tuple[bytes, datetime]] = {}
        self.refuse: Callable[[str, str], bool] = lambda _verb, _key: False

    def keys(self, part: str = "") -> list[str]:
        """The keys that have this in them."""
        with self._lock:
            return sorted(key for key in self._objects if part in key)

    def text(self, key: str) -> str:
        """An object's text."""
        return self._objects[key][0].decode()

    def put(self, key: str, body: bytes, *, age_seconds: float = 0.0) -> None:
        """Put an object, as of so long ago."""
        with self._lock:
            self._objects[key] = (body, self._now() - timedelta(seconds=age_seconds))

    # As ``bedplate.node.desk.bucket.Bucket``.

    def listed(self, *, prefix: str, after: str = "") -> list[Listed]:
        """As S3 lists: by the bytes of the keys, times to the second."""
        self._check("list", prefix)
        with self._lock:
            return [
                Listed(key, len(body), modified.replace(microsecond=0))
                for key, (body, modified) in sorted(self._objects.items())
                if key.startswith(prefix) and key > after
            ]

    def read(self, key: str) -> bytes | None:
        """The object, or None."""
        self._check("read", key)
        with self._lock:
            return self._objects[key][0] if key in self._objects else None

    def write(self, key: str, text: str) -> None:
        """Put."""
        self._check("write", key)
        self.put(key, text.encode())

    def remove(self, key: str) -> None:
        """Remove, also where there is none."""
        self._check("remove", key)
        with self._lock:
            self._objects.pop(key, None)

    def _check(self, verb: str, key: str) -> None:
        if self.refuse(verb, key):
            raise BucketError(f"{verb} {key}: AccessDenied")

    # As boto3's client.

    @property
    def clients(self) -> Any:
        """In place of ``AwsClients``."""
        return SimpleNamespace(s3=self)

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        """The object, or NoSuchKey."""
        return {"Body": io.BytesIO(self._found(Key, "NoSuchKey")[0]), "Bucket": Bucket}

    def head_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        """Its time, and the service's own."""
        modified = self._found(Key, "404")[1].replace(microsecond=0)
        date = format_datetime(self._now().astimezone(UTC), usegmt=True)
        headers = {"HTTPHeaders": {"date": date}}
        return {"LastModified": modified, "ResponseMetadata": headers, "Bucket": Bucket}

    def put_object(self, *, Bucket: str, Key: str, Body: bytes) -> dict[str, Any]:  # noqa: N803
        """Put."""
        self._deny("put", Key)
        self.put(Key, Body)
        return {"Bucket": Bucket}

    def delete_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803
        """Remove."""
        self._deny("delete", Key)
        with self._lock:
            self._objects.pop(Key, None)
        return {"Bucket": Bucket}

    def _found(self, key: str, absent: str) -> tuple[bytes, datetime]:
        self._deny("get", key)
        with self._lock:
            if key not in self._objects:
                raise ClientError({"Error": {"Code": absent, "Message": key}}, "GetObject")
            return self._objects[key]

    def _deny(self, verb: str, key: str) -> None:
        if self.refuse(verb, key):
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": key}}, verb)

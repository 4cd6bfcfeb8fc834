"""The objects of desks in the result bucket, as the controller reads and puts them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from bedplate.node.desk import keys
from bedplate.node.desk.status import Status, read_status
from bedplate.validation.aws import AwsClients, error_code
from bedplate.validation.transports.patience import patiently
from bedplate.validation.transports.ssm_limits import Backoff

T = TypeVar("T")
_ABSENT = frozenset({"NoSuchKey", "404", "NotFound"})


@dataclass(frozen=True)
class DeskObjects:
    """Every method raises ``AwsRefused``. To put or remove an object twice does no harm."""

    clients: AwsClients
    bucket: str
    backoff: Backoff
    sleep: Callable[[float], None]

    def read(self, key: str) -> bytes | None:
        """An object, None where there is none."""

        def get() -> bytes:
            return self.clients.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()

        return self._call(lambda: _unless_absent(get), f"reading s3://{self.bucket}/{key}")

    def status(self, instance_id: str, nonce: str) -> Status | None:
        """How an order ended, None while it has not; what cannot be read did not end well."""
        data = self.read(keys.status_key(instance_id, nonce))
        if data is None:
            return None
        try:
            return read_status(data)
        except (ValueError, RecursionError) as error:
            return Status(begun=True, problem=f"the status that its desk put cannot be read: {error}")

    def running(self, instance_id: str) -> frozenset[str]:
        """The nonces that a desk worked on at its last sign of life; none where it does not say."""
        try:
            found = json.loads(self.read(keys.alive_key(instance_id)) or b"{}")
        except (ValueError, RecursionError):
            return frozenset()
        told = found.get("running") if isinstance(found, dict) else None
        return (
            frozenset(one for one in told if isinstance(one, str)) if isinstance(told, list) else frozenset()
        )

    def age_seconds(self, key: str) -> float | None:
        """How old an object is by the service's own clock, None where there is none."""

        def head() -> Any:
            return self.clients.s3.head_object(Bucket=self.bucket, Key=key)

        found = self._call(lambda: _unless_absent(head), f"looking at s3://{self.bucket}/{key}")
        if found is None:
            return None
        now: datetime = parsedate_to_datetime(found["ResponseMetadata"]["HTTPHeaders"]["date"])
        modified: datetime = found["LastModified"]
        return (now - modified).total_seconds()

    def write(self, key: str, text: str) -> None:
        """Put an object."""
        body = text.encode("utf-8")
        self._call(
            lambda: self.clients.s3.put_object(Bucket=self.bucket, Key=key, Body=body),
            f"putting s3://{self.bucket}/{key}",
        )

    def remove(self, key: str) -> None:
        """Remove an object, also where there is none."""
        self._call(
            lambda: self.clients.s3.delete_object(Bucket=self.bucket, Key=key),
            f"removing s3://{self.bucket}/{key}",
        )

    def _call(self, call: Callable[[], T], doing: str) -> T:
        return patiently(call, doing=doing, backoff=self.backoff, sleep=self.sleep)


def _unless_absent(call: Callable[[], T]) -> T | None:
    try:
        return call()
    except ClientError as error:
        if error_code(error) in _ABSENT:
            return None
        raise

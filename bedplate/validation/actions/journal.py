"""What was done, kept in the result bucket below ``actions/``: written before each step and after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex

from botocore.exceptions import ClientError
from pydantic import ValidationError

from bedplate.errors import BedplateError
from bedplate.validation.actions.model import ActionPlan, Journal
from bedplate.validation.aws import AwsClients, aws_errors, error_code

PREFIX = "actions/"
_NEWEST = 50
"""Older plans that still wait for something are left to `bedplate undo`."""


def new_plan_id(now: datetime) -> str:
    """An id that sorts by time, such as ``act-20260203T091402Z-1a2b3c4d``."""
    return f"act-{now:%Y%m%dT%H%M%SZ}-{token_hex(4)}"


@dataclass(frozen=True)
class Journals:
    """The journals of one environment."""

    clients: AwsClients
    bucket: str

    def keep(self, plan: ActionPlan, *, undone_at: str = "") -> None:
        """Write a plan as it stands. Raises ``AwsRefused``."""
        body = Journal(plan=plan, undone_at=undone_at).model_dump_json(indent=1) + "\n"
        with aws_errors(f"writing {self.address(plan.id)}"):
            self.clients.s3.put_object(Bucket=self.bucket, Key=self._key(plan.id), Body=body.encode("utf-8"))

    def read(self, plan_id: str) -> Journal:
        """One journal. Raises ``BedplateError`` ACT-004 where there is none that can be read."""
        try:
            with aws_errors(f"reading {self.address(plan_id)}"):
                body = self._body(plan_id)
            if body is None:
                raise _none(f"there is no {self.address(plan_id)}")
            return Journal.model_validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise _none(
                f"{self.address(plan_id)} cannot be read: {'.'.join(map(str, first['loc']))}: {first['msg']}",
                remedy="Name another plan (`aws s3 ls` lists the folder), or move this object out of it.",
            ) from error

    def ids(self) -> list[str]:
        """All plans that are written down, the newest first."""
        with aws_errors(f"listing s3://{self.bucket}/{PREFIX}"):
            pages = self.clients.s3.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket, Prefix=PREFIX
            )
            keys = [row["Key"] for page in pages for row in page.get("Contents", [])]
        names = [key.removeprefix(PREFIX).removesuffix(".json") for key in keys if key.endswith(".json")]
        return sorted((name for name in names if name.startswith("act-")), reverse=True)

    def open_ones(self) -> Iterator[Journal]:
        """Those with an action that waits for something, the newest first."""
        for plan_id in self.ids()[:_NEWEST]:
            journal = self.read(plan_id)
            waits = any(action.state == "waiting" for action in journal.plan.actions)
            if waits and not journal.undone_at:
                yield journal

    def address(self, plan_id: str) -> str:
        """Where a plan's journal lies, for people."""
        return f"s3://{self.bucket}/{self._key(plan_id)}"

    def _body(self, plan_id: str) -> bytes | None:
        try:
            return self.clients.s3.get_object(Bucket=self.bucket, Key=self._key(plan_id))["Body"].read()
        except ClientError as error:
            if error_code(error) in ("NoSuchKey", "404"):
                return None
            raise

    def _key(self, plan_id: str) -> str:
        return f"{PREFIX}{plan_id}.json"


_LISTED = "Name a plan that `bedplate act` has carried out; `bedplate undo -e ENV --list` lists them."


def _none(message: str, *, remedy: str = _LISTED) -> BedplateError:
    return BedplateError(message, error_id="ACT-004", remedy=remedy)

"""The result bucket as a desk sees it: by the ``aws`` command line, for a node has no boto3."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Callable, List, Optional, Protocol, Sequence

from bedplate.node.process import Limits, ToolRun, run_tool

_SECONDS = 60.0
_OUTPUT_BYTES = 8 * 1024 * 1024
_ABSENT = ("(404)", "NoSuchKey", "Not Found")


class BucketError(Exception):
    """The bucket cannot be reached, or refuses."""


@dataclass(frozen=True)
class Listed:
    """One object of a listing; ``modified_at`` is by the service's own clock."""

    key: str
    size_bytes: int
    modified_at: datetime


class Bucket(Protocol):
    """Each method raises ``BucketError``."""

    def listed(self, *, prefix: str, after: str = "") -> List[Listed]:
        """The objects below ``prefix`` that a listing has behind ``after``."""

    def read(self, key: str) -> Optional[bytes]:
        """An object, None where there is none."""

    def write(self, key: str, text: str) -> None:
        """Put an object."""

    def remove(self, key: str) -> None:
        """Remove an object, also where there is none."""


Run = Callable[[Sequence[str]], ToolRun]


def _run(argv: Sequence[str]) -> ToolRun:
    # What ends with the desk is told of when the desk itself is already told to end.
    limits = Limits(_SECONDS, _OUTPUT_BYTES, despite_stop=True)
    return run_tool(argv=argv, limits=limits, environment={"AWS_PAGER": ""})


class AwsBucket:
    """The real one."""

    def __init__(self, bucket: str, *, run: Run = _run) -> None:
        self._bucket, self._run = bucket, run

    def listed(self, *, prefix: str, after: str = "") -> List[Listed]:
        """One call, or one a thousand objects."""
        query = "Contents[].[Key,Size,LastModified]"
        argv = ["aws", "s3api", "list-objects-v2", "--bucket", self._bucket, "--prefix", prefix]
        argv += ["--start-after", after] if after else []
        ran = self._must([*argv, "--query", query, "--output", "json"])
        try:
            return [_listed(row) for row in json.loads(ran.stdout or "null") or []]
        except (ValueError, TypeError, KeyError) as error:
            raise BucketError(f"the listing of {prefix} cannot be read: {error}") from error

    def read(self, key: str) -> Optional[bytes]:
        """What is no UTF-8 comes back changed, and is no JSON either way."""
        ran = self._run(["aws", "s3", "cp", "--only-show-errors", self._address(key), "-"])
        if ran.rc == 0:
            return ran.stdout.encode("utf-8")
        if any(word in ran.stderr for word in _ABSENT):
            return None
        raise BucketError(_told(ran))

    def write(self, key: str, text: str) -> None:
        """By a file, so that its length is known."""
        with tempfile.TemporaryDirectory(prefix="bedplate-desk-") as folder:
            path = Path(folder) / "object"
            path.write_text(text, encoding="utf-8")
            self._must(["aws", "s3", "cp", "--only-show-errors", str(path), self._address(key)])

    def remove(self, key: str) -> None:
        """S3 says the same of one that was not there."""
        self._must(["aws", "s3", "rm", "--only-show-errors", self._address(key)])

    def _address(self, key: str) -> str:
        return f"s3://{self._bucket}/{key}"

    def _must(self, argv: Sequence[str]) -> ToolRun:
        ran = self._run(argv)
        if ran.rc != 0:
            raise BucketError(_told(ran))
        return ran


def _listed(row: Any) -> Listed:
    key, size, modified = row
    # Version 1 of the command line ends a time with Z, which Python 3.9 does not read.
    return Listed(str(key), int(size), datetime.fromisoformat(str(modified).replace("Z", "+00:00")))


def _told(ran: ToolRun) -> str:
    lines = [line.strip() for line in ran.stderr.splitlines() if line.strip()]
    return f"`{' '.join(ran.argv[:3])}`: {lines[-1][:300] if lines else f'status {ran.rc}'}"

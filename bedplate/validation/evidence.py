"""Where the raw outputs of a run are kept: in the result bucket, and in a local folder where one is asked
for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bedplate.validation.aws import AwsClients, aws_errors


@dataclass(frozen=True)
class EvidenceStore:
    """Keeps files by a name such as ``nodes/i-0abc/probe.json``; verdicts refer to them by that name."""

    clients: AwsClients
    bucket: str
    run_id: str
    folder: Path | None = None

    @property
    def location(self) -> str:
        """Where the names lie, for people: the local folder where there is one, and the ``s3://`` address."""
        address = f"s3://{self.bucket}/{self._key('')}"
        return address if self.folder is None else f"{self.folder.name}/ beside the result, and in {address}"

    def keep_text(self, name: str, text: str) -> str:
        """Keep a text and return its name. Raises ``AwsRefused`` where the bucket does not take it."""
        body = text.encode("utf-8")
        if self.folder is not None:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        with aws_errors(f"keeping evidence in s3://{self.bucket}/{self._key(name)}"):
            self.clients.s3.put_object(Bucket=self.bucket, Key=self._key(name), Body=body)
        return name

    def keep_json(self, name: str, value: Mapping[str, Any]) -> str:
        """Keep a JSON object and return its name."""
        # On one line: with an indent Python's slow encoder is taken, a tenth of a run's processor time.
        return self.keep_text(name, json.dumps(value, sort_keys=True) + "\n")

    def _key(self, name: str) -> str:
        return f"runs/{self.run_id}/evidence/{name}"

"""Switches that make the sandbox misbehave, so that tests can see the product fail closed.

They are read from ``DIR/options.json`` at every use, so that a test can throw one while the server runs::

    {"ssm_answers": {"i-0123456789abcdef0": "cut"}, "quotas": {"L-417A185B": 96}}
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

OPTIONS_NAME = "options.json"
SsmAnswer = Literal["empty", "cut", "foreign", "stale", "undeliverable", "timed-out", "s3-missing"]
"""``empty``: nothing printed; ``cut``: half of the output, in S3 too; ``foreign``: what another node printed;
``stale``: what the node printed to the command before; ``undeliverable``, ``timed-out``: that end status;
``s3-missing``: the output never reaches the bucket."""
SSM_ANSWERS = ("empty", "cut", "foreign", "stale", "undeliverable", "timed-out", "s3-missing")


@dataclass(frozen=True)
class SandboxOptions:
    """The switches of one sandbox; ``path`` None means that none is thrown."""

    path: Path | None = None

    def ssm_answer(self, instance_id: str) -> SsmAnswer | None:
        """How SSM misreports this instance (key ``*``: every instance), or None."""
        answers = self._read().get("ssm_answers", {})
        answer = answers.get(instance_id, answers.get("*"))
        if answer is not None and answer not in SSM_ANSWERS:
            raise ValueError(f"ssm_answers: {answer!r} is none of {', '.join(SSM_ANSWERS)}")
        return cast("SsmAnswer | None", answer)

    def quota(self, code: str, default: float) -> float:
        """The value of a service quota."""
        return float(self._read().get("quotas", {}).get(code, default))

    def section(self, name: str, default: Any) -> Any:
        """Any other switch by name."""
        return self._read().get(name, default)

    def _read(self) -> dict[str, Any]:
        if self.path is None or not self.path.exists():
            return {}
        found: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        return found

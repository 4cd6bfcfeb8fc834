"""The record of a boot: what each step came to. ``NOD-002`` and slurmd's gate go by it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from bedplate.node.bootstrap.step import DONE, FAILED, FAULTY, LEFT, SKIPPED, StepResult

RECORD_SCHEMA = 2


@dataclass(frozen=True)
class BootRecord:
    """One run of the bootstrap.

    Times are ISO 8601 in UTC. ``report_key`` is the object in the result bucket that holds it too, empty
    where it could not be put there; ``report_problem`` says why.
    """

    environment: str
    pool: str
    role: str
    instance_id: str
    boot_id: str
    program_version: str
    program_sha256: str
    started_at: str
    ended_at: str
    seconds: float
    steps: Tuple[StepResult, ...] = field(default_factory=tuple)
    report_key: str = ""
    report_problem: str = ""

    @property
    def failed(self) -> List[StepResult]:
        """The steps that failed."""
        return [step for step in self.steps if step.outcome == FAILED]

    @property
    def is_done(self) -> bool:
        """Whether there are steps, and each of them that jobs need is done or not asked for."""
        return bool(self.steps) and not self.failed and not self.left

    @property
    def faulty(self) -> List[StepResult]:
        """The steps that failed and hold no jobs back."""
        return [step for step in self.steps if step.outcome == FAULTY]

    @property
    def left(self) -> List[StepResult]:
        """The steps that a later run of this boot is for."""
        return [step for step in self.steps if step.outcome == LEFT]

    def to_json(self) -> str:
        """As ``/opt/bedplate/bootstrap.json`` holds it."""
        data: Dict[str, Any] = {
            "schema": RECORD_SCHEMA,
            "outcome": DONE if self.is_done else FAILED,
            "environment": self.environment,
            "pool": self.pool,
            "role": self.role,
            "instance_id": self.instance_id,
            "boot_id": self.boot_id,
            "program_version": self.program_version,
            "program_sha256": self.program_sha256,
            "started_at": self.started_at,
            "ended_at": self.ended_at,
            "seconds": round(self.seconds, 3),
            "steps": [step.to_json() for step in self.steps],
            "report": {"key": self.report_key, "problem": self.report_problem},
        }
        return json.dumps(data, indent=1) + "\n"


_TEXTS = (
    "environment",
    "pool",
    "role",
    "instance_id",
    "boot_id",
    "program_version",
    "program_sha256",
    "started_at",
    "ended_at",
)


def read_record(text: str) -> Optional[BootRecord]:
    """The record in ``text``; None where it is cut, of another schema, or contradicts itself."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("schema") != RECORD_SCHEMA or isinstance(data["schema"], bool):
        return None
    steps = data.get("steps")
    if not isinstance(steps, list) or not all(_is_step(step) for step in steps):
        return None
    texts: Dict[str, Any] = {name: data.get(name) for name in _TEXTS}
    seconds, report = data.get("seconds"), data.get("report")
    if not all(isinstance(value, str) for value in texts.values()) or not isinstance(seconds, (int, float)):
        return None
    if not isinstance(report, dict):
        return None
    record = BootRecord(
        **texts,
        seconds=float(seconds),
        steps=tuple(
            StepResult(each["name"], each["outcome"], each["reason"], each["seconds"]) for each in steps
        ),
        report_key=str(report.get("key", "")),
        report_problem=str(report.get("problem", "")),
    )
    return record if data.get("outcome") == (DONE if record.is_done else FAILED) else None


def _is_step(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and value.get("outcome") in (DONE, FAILED, FAULTY, SKIPPED, LEFT)
        and isinstance(value.get("reason"), str)
        and isinstance(value.get("seconds"), (int, float))
    )

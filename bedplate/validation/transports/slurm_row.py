"""From what the head tells of one srun to the reply of the node that it ran on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.diagnosis.parsers.launch_failures import LAUNCH, find_failure
from bedplate.validation.transports.printed import Printed, reply_of
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply

_MOST_SHOWN = 200


def reply_of_row(instance_id: str, question: Question, told: Reply, row: Mapping[str, Any] | None) -> Reply:
    """``told`` is the head's reply to the order, whose nonce the node's answer must have too."""
    if told.answer is None:
        return Reply(instance_id, problem=f"the head node gave no answer about it: {told.problem}")
    if row is None or not isinstance(row.get("stdout"), str) or not isinstance(row.get("stderr"), str):
        return Reply(instance_id, problem="the head node's answer has no row of its job that can be read")
    location = f"{told.location}#{instance_id}" if told.location else ""
    rc = row.get("rc")
    whole = isinstance(rc, int) and not isinstance(rc, bool) and row.get("truncated") is False
    refused = _refused(row["stderr"])
    if rc != 0 and not row["stdout"].strip() and refused:
        # No program ran there, for a reason that need not be the node's, such as a job that came first.
        return Reply(instance_id, problem=f"Slurm did not start it there: {refused}", location=location)
    printed = Printed(
        text=row["stdout"],
        exit_status=rc if whole else None,
        last_line=_last_line(row["stderr"]),
        overran=row.get("timed_out") is True,
        problem=str(row.get("problem") or "the head node does not say how"),
        location=location,
    )
    return reply_of(instance_id, question, told.answer.nonce, printed)


def _refused(stderr: str) -> str:
    """The first line by which the launcher says that it placed nothing."""
    found = (find_failure(number, line) for number, line in enumerate(stderr.splitlines(), start=1))
    return next((one.text[:_MOST_SHOWN] for one in found if one is not None and one.kind == LAUNCH), "")


def _last_line(stderr: str) -> str:
    """The program's own last word; where it has none, the launcher's."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("bedplate: ")]
    own = [line for line in lines if not line.startswith(("srun: ", "slurmstepd: "))]
    return (own or lines or [""])[-1][:_MOST_SHOWN]

"""NOD-002: the node's bootstrap ended, with no step failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="NOD-002",
    title="the node's bootstrap ended, with no step failed",
    what="`/opt/bedplate/bootstrap.json`, which the bootstrap writes last, names every step that the "
    "environment needs as done, and none that failed: the node program; Lustre mounted, and LNet over EFA "
    "where the file system has it. Further steps that it ran must not have failed either: scratch "
    "on the NVMe disks, persistence mode.",
    why="A failed step does not keep a node out of Slurm. Without the LNet step Lustre is mounted over TCP, "
    "or not at all, and nothing says so before the first slow job.",
    fix="Read the log, mend what the failed step names, and run `/opt/bedplate/bootstrap.sh` again or "
    "replace the instance. Where there is no record yet, the bootstrap still runs: validate again in a few "
    "minutes.",
    by_hand="`cat /opt/bedplate/bootstrap.json; tail -50 /var/log/bedplate-bootstrap.log` on the node.",
)


PROGRAM = "install_program"
"""The step that every node needs: without it nothing would have answered."""


def has_record(answer: Mapping[str, object]) -> bool:
    """Whether the bootstrap has left a whole record; until then it still runs, or was cut off."""
    return _record(answer) is not None


def check(
    *,
    node: str,
    answer: Mapping[str, object],
    steps: Sequence[str] = (PROGRAM,),
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail for a failed step, error where there is no whole record or one of ``steps`` is not in it."""
    writer = Writer(
        check_id=ROW.id, subject=node_subject(node), evidence=evidence, expected=0, unit="failed steps"
    )
    record = _record(answer)
    if record is None:
        return writer.error("The bootstrap left no record: it still runs, or it was cut off")
    done, failed = record
    if failed:
        return writer.failed(
            f"Bootstrap failed at {', '.join(failed)}",
            cause="bootstrap-incomplete",
            measured=len(failed),
            lines=[f"done: {', '.join(done) or 'nothing'}", f"failed: {', '.join(failed)}"],
        )
    missing = [step for step in steps if step not in done]
    if missing:
        return writer.error(
            f"The bootstrap's record does not name {', '.join(missing)}",
            lines=[f"done: {', '.join(done) or 'nothing'}"],
            remedy="The node was launched for another environment, or before a change of this one: deploy, "
            "and replace the instance.",
        )
    return writer.passed(f"All {len(done)} steps of the bootstrap were done", measured=0)


def _record(answer: Mapping[str, object]) -> tuple[list[str], list[str]] | None:
    """The steps done and failed; None where the record is missing or is not what the bootstrap writes."""
    files = answer.get("files")
    text = files.get("bootstrap") if isinstance(files, dict) else None
    if not isinstance(text, str):
        return None
    try:
        record = json.loads(text)
    except ValueError:
        return None
    if not isinstance(record, dict) or record.get("schema") != 1:
        return None
    done, failed = _names(record.get("done")), _names(record.get("failed"))
    return None if done is None or failed is None else (done, failed)


def _names(value: object) -> list[str] | None:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return None
    return value

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
    what="`/opt/bedplate/bootstrap.json`, which the bootstrap writes last, names the steps that were done "
    "and none that failed: scratch on the NVMe disks, LNet over EFA, Lustre mounted, persistence mode.",
    why="A failed step does not keep a node out of Slurm. Without the LNet step Lustre is mounted over TCP, "
    "or not at all, and nothing says so before the first slow job.",
    fix="Read the log, mend what the failed step names, and run `/opt/bedplate/bootstrap.sh` again or "
    "replace the instance. Where there is no record yet, the bootstrap still runs: validate again in a few "
    "minutes.",
    by_hand="`cat /opt/bedplate/bootstrap.json; tail -50 /var/log/bedplate-bootstrap.log` on the node.",
)


def check(*, node: str, answer: Mapping[str, object], evidence: Sequence[str] = ()) -> Verdict:
    """Fail for a failed step, error where there is no whole record, else pass."""
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
    if not done:
        return writer.error("The bootstrap's record names no step at all")
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

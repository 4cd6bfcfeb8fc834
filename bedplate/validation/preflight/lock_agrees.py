"""PRE-027: the lock file says of every reservation what AWS says now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.capacity.lock_changes import lock_changes
from bedplate.capacity.locked import check_lock, needs_lock
from bedplate.explanation import CheckRow
from bedplate.lockfile import LockRefused
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-027",
    title="the lock file says of the reservations what AWS says",
    what="Kind, type, zone, size, start, end and placement group of each reservation in NAME.lock.json, "
    "against EC2's answer now.",
    why="The deploy takes a block's end from the lock file: who is told, and when, depends on it. A block "
    "that was extended or changed since has another end.",
    fix="Run `bedplate lock -e NAME`, review what changes, commit it, and deploy.",
    by_hand="`bedplate lock -e NAME --check`",
)
_MISSING = "LCK-008"


def applies(environment: Environment) -> bool:
    """Where a pool is on a block: others need no lock file."""
    return needs_lock(environment)


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict over all reservations."""
    from bedplate.errors import AwsRefused
    from bedplate.validation.capacity_facts import locked_reservations

    writer, lock = Writer(ROW.id), preflight.lock
    try:
        check_lock(environment=preflight.environment, lock=lock)
        now = locked_reservations(preflight.environment, preflight.clients)
    except LockRefused as error:
        return [writer.failed(f"{error.error_id}: {error.message}", remedy=error.remedy)]
    except AwsRefused as error:
        if error.error_id != _MISSING:
            raise
        return [writer.failed(f"{error.error_id}: {error.message}", remedy=error.remedy)]
    assert lock is not None, "check_lock lets no block through without a lock"
    after = lock.model_copy(update={"reservations": now})
    # What the file has beyond the pools' reservations is read by nobody.
    before = lock.model_copy(
        update={"reservations": {name: row for name, row in lock.reservations.items() if name in now}}
    )
    changes = lock_changes(before=before, after=after)
    if changes:
        return [
            writer.failed("; ".join(map(str, changes)), measured=len(changes), expected=0, remedy=ROW.fix)
        ]
    return [
        writer.passed(
            f"{len(now)} reservations are as they were on {lock.locked_at:%Y-%m-%d}", measured=0, expected=0
        )
    ]

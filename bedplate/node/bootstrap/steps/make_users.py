"""The people of the environment file, with the same ids and homes on every node.

The list lies in the result bucket under a key that stays, so that a change of it changes no node. The step
runs at every boot, before slurmd starts; ``make-users`` runs it again when the list has changed.
"""

from __future__ import annotations

import fcntl
import re
import sys
from contextlib import contextmanager
from typing import Iterator, List

from bedplate.node.bootstrap.attempts import SHORT_PAUSES, must_retry
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import PROGRAM, USERS, USERS_LOCK
from bedplate.node.bootstrap.readers.mount_table import mounted_at
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError
from bedplate.node.users.found import GROUP, PASSWD, SHADOW, Found
from bedplate.node.users.listed import LOWEST_UID, ListRefusedError, UserList
from bedplate.node.users.plan import Plan, plan_of

LOGIN_DEFS = "/etc/login.defs"
SKELETON = "/etc/skel"
_HOMES_SECONDS = 300.0
_LOCK_TRIES, _LOCK_SECONDS = 150, 2.0
_MOST_CHOSEN = re.compile(r"^((?:UID|GID)_MAX)[ \t]+(\d+)[ \t]*$", re.MULTILINE)


def _why_not(settings: NodeSettings) -> str:
    return "" if settings.users_key else "the environment lists no users"


def _run(host: Host, settings: NodeSettings) -> str:
    with _alone(host):
        wanted = _fetch(host, settings)
        _check_mounted(host, settings, wanted.homes)
        _keep_ids_free(host)
        plan = plan_of(wanted=wanted, found=_found(host))
        for change in plan.changes:
            host.run(*change)
        # What the programs said is in the log; what counts is what is there now.
        after = plan_of(wanted=wanted, found=_found(host))
        problems = [*after.problems, *(f"`{' '.join(change)}` had no effect" for change in after.changes)]
        problems += _make_homes(host, wanted, after)
    if problems:
        raise StepFailedError("; ".join(problems))
    return f"{len(wanted.users)} users, {len(plan.changes)} changes"


@contextmanager
def _alone(host: Host) -> Iterator[None]:
    """Hold the lock: State Manager may run ``make-users`` while the node boots, and gives it five minutes."""
    path = host.path(USERS_LOCK)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for _ in range(_LOCK_TRIES):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                host.pause(_LOCK_SECONDS)
        else:
            raise StepFailedError(f"another run holds {USERS_LOCK}")
        yield


def _fetch(host: Host, settings: NodeSettings) -> UserList:
    source = f"s3://{settings.result_bucket}/{settings.users_key}"
    target = host.path(USERS)
    target.parent.mkdir(parents=True, exist_ok=True)
    # An earlier list must not pass for this one.
    target.unlink(missing_ok=True)
    must_retry(
        *(host, "aws", "s3", "cp", "--only-show-errors", source, str(target)),
        seconds=60,
        pauses=SHORT_PAUSES,
    )
    text = host.read(USERS)
    try:
        return UserList.from_json(text or "")
    except ListRefusedError as error:
        raise StepFailedError(f"{source}: {error}") from error


def _check_mounted(host: Host, settings: NodeSettings, homes: str) -> None:
    """Homes that were made before their file system is there would lie beneath it, and nobody see them."""
    table = host.read("/proc/mounts") or ""
    for mount in settings.mounts:
        if f"{homes}/".startswith(f"{mount.path}/") and mounted_at(table, mount.path) is None:
            raise StepFailedError(f"{mount.path}, where homes are, is not mounted")


def _keep_ids_free(host: Host) -> None:
    """What makes a user without an id, as the SSM agent does at a node's first session, takes the one after
    the highest: the next that somebody writes into the list. Let it choose below ours.
    """
    text = host.read(LOGIN_DEFS)
    if text is None:
        return

    def lowered(match: "re.Match[str]") -> str:
        return f"{match[1]} {min(int(match[2]), LOWEST_UID - 1)}" if int(match[2]) >= LOWEST_UID else match[0]

    host.write(LOGIN_DEFS, _MOST_CHOSEN.sub(lowered, text))


def _found(host: Host) -> Found:
    texts = {path: host.read(path) for path in (PASSWD, GROUP, SHADOW)}
    for path, text in texts.items():
        if text is None:
            raise StepFailedError(f"{path} cannot be read")
    return Found.from_texts(passwd=texts[PASSWD] or "", group=texts[GROUP] or "", shadow=texts[SHADOW] or "")


def _make_homes(host: Host, wanted: UserList, plan: Plan) -> List[str]:
    """Of those who are there now; returns what is in the way."""
    names = {user.name for user in wanted.users} - set(plan.refused)
    names -= {change[-1] for change in plan.changes}
    users = [f"{user.name}:{user.uid}" for user in wanted.users if user.name in names]
    if not users:
        return []
    ran = host.run(
        *(sys.executable or "python3", str(host.path(PROGRAM)), "make-homes"),
        *("--folder", str(host.path(wanted.homes)), "--skeleton", str(host.path(SKELETON))),
        *("--node", host.instance_id or "node", *users),
        seconds=_HOMES_SECONDS,
    )
    if ran.ok:
        return []
    return [line.strip() for line in ran.stderr.splitlines() if line.strip()] or [ran.last_words]


STEP = Step("make_users", _why_not, _run, needs=("install_program", "mount_file_systems"))

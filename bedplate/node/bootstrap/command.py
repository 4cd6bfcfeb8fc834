"""``bootstrap --settings FILE``: set this node up, record what came of it, and end with 0 or 1."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Callable, List, Optional, Sequence

import bedplate
from bedplate.node import identity
from bedplate.node.bootstrap.places import LOCK, PROGRAM, RECORD, SETTINGS
from bedplate.node.file_lock import take_lock

if TYPE_CHECKING:
    from bedplate.node.bootstrap.record import BootRecord

HELP = "set this node up from its settings; run at every boot, before Slurm"
_ADMIN_FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/snap/bin")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the settings are."""
    parser.add_argument(
        "--settings", metavar="FILE", default=SETTINGS, help="what the deploy wrote (default: %(default)s)"
    )
    parser.add_argument(
        "--later",
        metavar="STEP",
        action="append",
        default=[],
        help="leave a step to a later run of this boot; may be given again",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run every step; 0 where all that the settings ask for, and that is not left to a later run, is done."""
    root = identity.node_root()
    prepare_environment(simulated=bool(root))
    lock = take_lock(Path(root + LOCK))
    if lock is None:
        print(f"bedplate-node: bootstrap: another run holds {LOCK}", file=sys.stderr)
        return 1
    with lock:
        return _bootstrap(Path(arguments.settings), root, later=arguments.later)


def _bootstrap(settings_path: Path, root: str, *, later: Sequence[str]) -> int:
    # Here, so that what only asks for help or probes need not load them.
    from bedplate.node.bootstrap.boot_log import LOG_PATH, BootLog
    from bedplate.node.bootstrap.host import Host
    from bedplate.node.bootstrap.plan import run_steps
    from bedplate.node.bootstrap.record import BootRecord
    from bedplate.node.bootstrap.report import put_report
    from bedplate.node.bootstrap.runner import ProcessRunner
    from bedplate.node.bootstrap.settings import NodeSettings, SettingsRefusedError
    from bedplate.node.bootstrap.step import FAILED, StepResult

    # Whoever reads the record of an earlier run must not take it for this one's.
    Path(root + RECORD).unlink(missing_ok=True)
    log = BootLog(Path(root + LOG_PATH))
    started, begun = _now(), time.monotonic()
    instance_id = _instance_id(log.say)
    host = Host(
        root=root, runner=ProcessRunner(), log=log, instance_id=instance_id, pause_scale=pause_scale()
    )
    log.say(f"bootstrap of {instance_id or 'an unknown instance'}, program {bedplate.__version__}")
    settings: Optional[NodeSettings] = None
    try:
        settings = NodeSettings.from_json(settings_path.read_text(encoding="utf-8"))
        results: List[StepResult] = run_steps(host, settings, later=later)
    except (OSError, UnicodeDecodeError, SettingsRefusedError) as error:
        results = [StepResult("read_settings", FAILED, f"{settings_path}: {error}", time.monotonic() - begun)]
    record = BootRecord(
        environment=settings.environment if settings else "",
        pool=settings.pool if settings else "",
        role=settings.role if settings else "",
        instance_id=instance_id,
        boot_id=identity.boot_id(),
        program_version=bedplate.__version__,
        program_sha256=_digest(Path(root + PROGRAM)),
        started_at=started,
        ended_at=_now(),
        seconds=time.monotonic() - begun,
        steps=tuple(results),
    )
    host.write(RECORD, record.to_json())
    if settings is not None:
        key, problem = put_report(host, record, bucket=settings.result_bucket)
        host.write(RECORD, replace(record, report_key=key, report_problem=problem).to_json())
    log.say(_outcome(record))
    return 1 if record.failed or not record.steps else 0


def _outcome(record: BootRecord) -> str:
    if record.is_done:
        faulty = ", ".join(step.name for step in record.faulty)
        return f"done, but for {faulty}, without which the node takes jobs" if faulty else "done"
    word, steps = ("failed", record.failed) if record.failed else ("done so far; left", record.left)
    return f"{word}: {', '.join(step.name for step in steps)}"


def prepare_environment(*, simulated: bool) -> None:
    """Programs speak English, ask nothing, and are found where administrators' programs lie."""
    os.environ.update({"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_MODE": "l"})
    if not simulated:
        folders = os.environ.get("PATH", "").split(os.pathsep)
        os.environ["PATH"] = os.pathsep.join(dict.fromkeys([*filter(None, folders), *_ADMIN_FOLDERS]))


def _instance_id(say: Callable[[str], None]) -> str:
    try:
        return identity.instance_id()
    except identity.IdentityUnknownError as error:
        say(str(error))
        return ""


def pause_scale() -> float:
    """Waiting is worth nothing on a simulated node: what it waits for is there, or never comes."""
    text = os.environ.get("BEDPLATE_PAUSE_SCALE", "1")
    try:
        return max(0.0, float(text))
    except ValueError:
        return 1.0


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")

"""``gate``: whether Slurm's daemon may start. It stands before slurmd as ``ExecStartPre`` of a drop-in.

A node whose bootstrap failed must take no jobs. What PCS does when user data fails is not documented; that
slurmd is started after it is, and that it is a systemd service whose name begins with ``slurmd`` is seen on
PCS images (awslabs/awsome-distributed-ai, ``architectures/aws-pcs/assets/add-cng-p5.yaml``: "slurmd is the
only Slurm systemd service", with versioned units such as ``slurmd-25.11``). So the daemon is what is held
back. A node that does not join Slurm within about 30 minutes is replaced (PCS User Guide, "Troubleshooting
node lifecycle actions").
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Callable, Optional

from bedplate.node import identity
from bedplate.node.bootstrap.places import BOOT_UNIT, PROGRAM, PYTHON, RECORD, UNITS
from bedplate.node.bootstrap.record import read_record

HELP = "end with 0 once this boot's bootstrap has done every step; with 1 where it failed"
DROP_INS = (
    f"{UNITS}/slurmd.service.d/10-bedplate-gate.conf",
    f"{UNITS}/slurmd-.service.d/10-bedplate-gate.conf",
)
"""The second is for units such as ``slurmd-25.11.service``: systemd reads drop-ins of a dashed prefix too
(systemd.unit(5))."""
DROP_IN = f"""\
[Unit]
After={BOOT_UNIT}
[Service]
ExecStartPre=+{PYTHON} {PROGRAM} gate
TimeoutStartSec=1800
"""
_WAIT_SECONDS = 1500.0
_POLL_SECONDS = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How long to wait for a bootstrap that still runs."""
    parser.add_argument(
        "--wait", type=float, default=_WAIT_SECONDS, help="seconds to wait for its end (default: %(default)g)"
    )


def main(arguments: argparse.Namespace) -> int:
    """Wait for the record of this boot, and say what it says."""
    path = Path(identity.node_root() + RECORD)
    problem = why_closed(path, boot_id=identity.boot_id(), wait_seconds=arguments.wait)
    if not problem:
        return 0
    print(f"bedplate: this node takes no jobs: {problem}", file=sys.stderr)
    return 1


def why_closed(
    path: Path, *, boot_id: str, wait_seconds: float, sleep: Callable[[float], None] = time.sleep
) -> str:
    """Empty where every step of this boot is done; else why not. Polls until there is a record of this
    boot.
    """
    waited = 0.0
    while True:
        text = _text(path)
        record = None if text is None else read_record(text)
        if record is not None and record.boot_id == boot_id:
            break
        if waited >= wait_seconds:
            return f"{path} holds no record of this boot after {waited:.0f} s"
        sleep(_POLL_SECONDS)
        waited += _POLL_SECONDS
    failed = [f"{step.name}: {step.reason}" for step in (*record.failed, *record.left)]
    return "" if record.is_done else "; ".join(failed) or "the bootstrap failed"


def _text(path: Path) -> Optional[str]:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None

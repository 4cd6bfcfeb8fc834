"""What a running sandbox leaves in its state folder, and how a client finds it again.

``DIR/sandbox.json`` is written, in one step, once the server answers; ``DIR/server.log`` is its log.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from bedplate.errors import BedplateError
from bedplate.sandbox.node import node_program

RECORD_NAME = "sandbox.json"
LOG_NAME = "server.log"
DEFAULT_STATE_DIR = Path("build/sandbox")


@dataclass(frozen=True)
class SandboxRecord:
    """Where a sandbox answers and which process it is."""

    endpoint: str
    pid: int
    account: str
    region: str


def write_record(state_dir: Path, record: SandboxRecord) -> None:
    """Write the record so that a reader sees all of it or none."""
    path = state_dir / RECORD_NAME
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def read_record(state_dir: Path) -> SandboxRecord | None:
    """The record in ``state_dir``, or None where no sandbox was started there."""
    try:
        record = SandboxRecord(**json.loads((state_dir / RECORD_NAME).read_text(encoding="utf-8")))
        if not isinstance(record.pid, int) or not isinstance(record.endpoint, str):
            raise TypeError("pid is a number, endpoint a text")
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise BedplateError(
            f"{state_dir / RECORD_NAME} is not the record of a sandbox: {error}",
            error_id="SBX-001",
            remedy=f"delete {state_dir} and start the sandbox again",
        ) from error
    return record


def is_alive(record: SandboxRecord) -> bool:
    """Whether the process that wrote the record still runs (a recycled process id does not count)."""
    try:
        os.kill(record.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return False
    status = Path(f"/proc/{record.pid}/status")
    if not status.exists():  # no /proc on this system: the process id is all we have
        return True
    if "\nState:\tZ" in status.read_text(encoding="utf-8"):
        return False
    command_line = Path(f"/proc/{record.pid}/cmdline").read_bytes()
    return b"bedplate.sandbox" in command_line


def client_environment(record: SandboxRecord) -> dict[str, str]:
    """The environment variables that point AWS clients, and the CDK, at this sandbox and nothing else."""
    return {
        "AWS_ENDPOINT_URL": record.endpoint,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",  # the sandbox checks no signature
        "AWS_SESSION_TOKEN": "testing",
        "AWS_REGION": record.region,
        "AWS_DEFAULT_REGION": record.region,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_MAX_ATTEMPTS": "3",
        "AWS_RETRY_MODE": "standard",
        "CDK_DEFAULT_ACCOUNT": record.account,
        "CDK_DEFAULT_REGION": record.region,
        "JSII_NODE": str(node_program()),
    }

"""The user data of a node: a small script that fetches the node program and hands over to it.

Text in, text out; no CDK here. What the node is set up with, and how, is in ``bedplate.node.bootstrap``.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.places import HOME, PROGRAM, PROGRAM_DIGEST, RECORD, SETTINGS
from bedplate.node.bootstrap.record import RECORD_SCHEMA
from bedplate.node.bootstrap.report import PREFIX
from bedplate.node.bootstrap.settings import NodeSettings

BOUNDARY = "==BEDPLATE=="
LARGEST_USER_DATA_BYTES = 16_384
"""EC2's limit before base64 (EC2 User Guide, "User data"); PCS adds its own part to it."""
_WORD = "BEDPLATE_END"
"""Ends the here-documents; nothing in them stands alone on a line."""


@dataclass(frozen=True, kw_only=True)
class NodeBootstrap:
    """What one kind of node is given at its launch.

    ``settings`` say what the node program does at every boot; ``program_bucket``, ``program_key`` and
    ``program_sha256`` name the program (``bedplate.constructs.node_program``). Strings may hold CDK tokens.
    """

    settings: NodeSettings
    program_bucket: str
    program_key: str
    program_sha256: str

    def script(self) -> str:
        """The whole script, with its interpreter line."""
        values = {
            "BUCKET": self.program_bucket,
            "KEY": self.program_key,
            "DIGEST": self.program_sha256,
            "RESULTS": self.settings.result_bucket,
        }
        lines = [f"{name}={_quoted(value)}" for name, value in values.items()]
        return "\n".join(
            [
                "#!/bin/bash",
                *lines,
                _HEAD,
                _file(SETTINGS, self.settings.to_json() + "\n"),
                *(self._gate() if self.settings.role == "compute" else []),
                _FETCH,
            ]
        )

    def user_data(self) -> str:
        """The script as the MIME multi-part archive that PCS merges with its own part (PCS User Guide).

        Raises ``ValueError`` where EC2 would refuse it for its size.
        """
        text = "\n".join(
            [
                "MIME-Version: 1.0",
                f'Content-Type: multipart/mixed; boundary="{BOUNDARY}"',
                "",
                f"--{BOUNDARY}",
                'Content-Type: text/x-shellscript; charset="us-ascii"',
                "MIME-Version: 1.0",
                "",
                self.script(),
                "",
                f"--{BOUNDARY}--",
                "",
            ]
        )
        if len(text.encode()) > LARGEST_USER_DATA_BYTES:
            raise ValueError(
                f"user data of {len(text.encode())} bytes; EC2 takes {LARGEST_USER_DATA_BYTES}:"
                " mount fewer file systems"
            )
        return text

    def _gate(self) -> list[str]:
        """Slurm's daemon is held back before anything can fail, so that no failure lets it start."""
        return [*(_file(path, gate.DROP_IN) for path in gate.DROP_INS), "systemctl daemon-reload"]


def _file(path: str, text: str) -> str:
    """Write a file of the node."""
    return f"write {path} <<'{_WORD}'\n{text}{_WORD}"


_HEAD = f"""\
# Bedplate: fetch the node program, compare its digest, hand over to it. Runs as root, once, after the node
# registered with PCS and before slurmd. Every path starts with $ROOT, empty on a node.
set -uo pipefail
umask 022
ROOT="${{BEDPLATE_ROOT:-}}"
LOG="$ROOT/var/log/bedplate-bootstrap.log"
mkdir -p "$ROOT{HOME}" "$ROOT/var/log"
rm -f "$ROOT{RECORD}"
say() {{ printf '%s %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" | tee -a "$LOG" >&2; }}
write() {{ mkdir -p "$ROOT$(dirname "$1")" && cat >"$ROOT$1"; }}"""

_FETCH = f"""\
printf '%s\\n' "$DIGEST" >"$ROOT{PROGRAM_DIGEST}"
right() {{ echo "$DIGEST  $1" | sha256sum --check --status 2>/dev/null; }}
fetch() {{ timeout 120 aws s3 cp --only-show-errors "s3://$BUCKET/$KEY" "$1" >>"$LOG" 2>&1; }}
# Without the program there is no bootstrap: say so where it would have.
give_up() {{
  say "$1"
  instance="$(cat "$ROOT/var/lib/cloud/data/instance-id" 2>/dev/null)"
  boot="$(cat "$ROOT/proc/sys/kernel/random/boot_id" 2>/dev/null)"
  now="$(date -u +%Y-%m-%dT%H:%M:%S+00:00)"
  write {RECORD} <<{_WORD}
{{"schema": {RECORD_SCHEMA}, "outcome": "failed", "environment": "", "pool": "", "role": "",
"instance_id": "$instance", "boot_id": "$boot", "program_version": "", "program_sha256": "",
"started_at": "$now", "ended_at": "$now", "seconds": $SECONDS,
"steps": [{{"name": "install_program", "outcome": "failed", "reason": "$1", "seconds": $SECONDS}}],
"report": {{"key": "", "problem": ""}}}}
{_WORD}
  report="s3://$RESULTS/{PREFIX}/$instance/$boot.json"
  timeout 60 aws s3 cp --only-show-errors "$ROOT{RECORD}" "$report" >>"$LOG" 2>&1
  exit 1
}}
new="$ROOT{PROGRAM}.new"
for attempt in 1 2 3 4 5 6; do
  right "$ROOT{PROGRAM}" && break
  fetch "$new" && right "$new" && chmod 0755 "$new" && mv -f "$new" "$ROOT{PROGRAM}" && break
  say "attempt $attempt to fetch the node program failed"
  [ "$attempt" = 6 ] || sleep $((5 * attempt * ${{BEDPLATE_PAUSE_SCALE:-1}}))
done
rm -f "$new"
right "$ROOT{PROGRAM}" || give_up "the node program cannot be fetched whole from s3://$BUCKET/$KEY"
exec python3 "$ROOT{PROGRAM}" bootstrap --settings "$ROOT{SETTINGS}"
"""


def _quoted(value: str) -> str:
    """Quote for bash. A CDK token stands whole in double quotes: AWS ids hold nothing to escape."""
    return f'"{value}"' if "${Token[" in value else shlex.quote(value)

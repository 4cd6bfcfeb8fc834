"""The shell of a node's first minute: pieces of the scripts that fetch the node program and hand over to it.

They expect BUCKET and KEY (where the program is), DIGEST (its SHA-256) and RESULTS (the bucket for reports).
"""

from __future__ import annotations

from bedplate.node.bootstrap import gate
from bedplate.node.bootstrap.places import HOME, PROGRAM, PROGRAM_DIGEST, RECORD, SETTINGS
from bedplate.node.bootstrap.record import RECORD_SCHEMA
from bedplate.node.bootstrap.report import PREFIX

_WORD = "BEDPLATE_END"
"""Ends the here-documents; nothing in them stands alone on a line."""


def write_file(path: str, text: str) -> str:
    """Write a file of the node; needs HEAD before it."""
    return f"write {path} <<'{_WORD}'\n{text}{_WORD}"


def hold_slurmd() -> list[str]:
    """Slurm's daemon is held back before anything can fail, so that no failure lets it start."""
    return [*(write_file(path, gate.DROP_IN) for path in gate.DROP_INS), "systemctl daemon-reload"]


HEAD = f"""\
# Every path starts with $ROOT, empty on a node.
set -uo pipefail
umask 022
ROOT="${{BEDPLATE_ROOT:-}}"
LOG="$ROOT/var/log/bedplate-bootstrap.log"
mkdir -p "$ROOT{HOME}" "$ROOT/var/log"
rm -f "$ROOT{RECORD}"
say() {{ printf '%s %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" | tee -a "$LOG" >&2; }}
write() {{ mkdir -p "$ROOT$(dirname "$1")" && cat >"$ROOT$1"; }}"""

FETCH = f"""\
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
"""
"""Leaves the program at its place, or ends with 1 and a record that says why."""
HAND_OVER = f'exec python3 "$ROOT{PROGRAM}" bootstrap --settings "$ROOT{SETTINGS}"'

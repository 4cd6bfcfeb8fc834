"""Fetch an object whose bytes are known beforehand."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bedplate.node.bootstrap.attempts import SHORT_PAUSES, must_retry
from bedplate.node.bootstrap.containers import Download
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.step import StepFailedError

_FETCH_SECONDS = 120.0


def fetch(host: Host, download: Download, folder: str) -> Path:
    """Fetch into the folder, which is there. Raises ``StepFailedError`` where it is not to be had, or is
    something else than what the deploy named.
    """
    target = host.path(f"{folder}/{download.name}")
    target.unlink(missing_ok=True)
    must_retry(
        *(host, "aws", "s3", "cp", "--only-show-errors", download.uri, str(target)),
        seconds=_FETCH_SECONDS,
        pauses=SHORT_PAUSES,
    )
    try:
        found = hashlib.sha256(target.read_bytes()).hexdigest()
    except OSError as error:
        raise StepFailedError(f"{target} cannot be read: {error.strerror}") from error
    if found != download.sha256:
        raise StepFailedError(
            f"{download.uri} has the SHA-256 {found}, the environment file says {download.sha256}: find out "
            "which of them is right, and mend it"
        )
    return target

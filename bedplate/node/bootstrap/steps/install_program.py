"""The node program is in its place, whole, and is what the deploy gave."""

from __future__ import annotations

import hashlib
import re

from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import PROGRAM, PROGRAM_DIGEST
from bedplate.node.bootstrap.settings import NodeSettings
from bedplate.node.bootstrap.step import Step, StepFailedError, always

_DIGEST = re.compile(r"^[0-9a-f]{64}$")


def _run(host: Host, _settings: NodeSettings) -> str:
    wanted = (host.read(PROGRAM_DIGEST) or "").strip()
    if not _DIGEST.match(wanted):
        raise StepFailedError(f"{PROGRAM_DIGEST} holds no SHA-256 digest: launch the node anew")
    try:
        found = hashlib.sha256(host.path(PROGRAM).read_bytes()).hexdigest()
    except OSError as error:
        raise StepFailedError(f"{PROGRAM} cannot be read: {error.strerror}") from error
    if found != wanted:
        raise StepFailedError(
            f"{PROGRAM} has the digest {found}, the deploy gave {wanted}: launch the node anew"
        )
    return f"SHA-256 {found}"


STEP = Step("install_program", always, _run)

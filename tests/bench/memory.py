"""The peak of this process's own memory."""

from __future__ import annotations

import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_mib() -> float:
    """Peak resident memory since this program began, in MiB.

    ``ru_maxrss`` is taken only where there is no /proc: on Linux it begins at the peak of the process that
    started this one, and hides whatever stays below.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

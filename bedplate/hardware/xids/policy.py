"""What to do about an Xid, in rising order of severity."""

from __future__ import annotations

IGNORE = "ignore"
"""Says nothing on its own, or follows from another Xid that does."""
MONITOR = "monitor"
"""Worth knowing; the node stays fit for work."""
RESTART_APP = "restart-app"
"""The job has failed; the node stays fit for work."""
RESET = "reset"
"""The GPU must be reset before the next job: a tenant of EC2 reboots the instance."""
REBOOT = "reboot"
"""The instance must be rebooted before the next job."""
REPLACE = "replace"
"""The hardware is not to be trusted: replace the instance, or stop and start it to land on another host."""

POLICIES = (IGNORE, MONITOR, RESTART_APP, RESET, REBOOT, REPLACE)
"""All policies, mildest first."""

_UNFIT = (RESET, REBOOT, REPLACE)


def fails_node(policy: str) -> bool:
    """Return whether a node under this policy is unfit for the next job; ``ValueError`` for no policy."""
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {policy!r}")
    return policy in _UNFIT


def severest(*policies: str) -> str:
    """Return the most severe of these policies."""
    return max(policies, key=POLICIES.index)

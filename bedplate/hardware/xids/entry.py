"""One Xid: NVIDIA's words on one side, the policies on the other."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.hardware.xids import policy as _policy


@dataclass(frozen=True)
class XidEntry:
    """One row of the catalogue.

    ``name``, ``meaning``, ``nvidia_action`` and ``nvidia_follow_up`` tell what NVIDIA's catalogue says (the
    last two by its own names, e.g. ``RESET_GPU``; empty where it says nothing). ``policy`` is ours, one of
    ``bedplate.hardware.xids.policy.POLICIES``; ``ec2_policy`` is what AWS's own node agent does, ``replace``
    or ``monitor``. ``note`` is why ours differs, or what else decides.
    """

    code: int
    name: str
    meaning: str
    nvidia_action: str
    nvidia_follow_up: str
    policy: str
    ec2_policy: str
    note: str
    sources: tuple[str, ...]

    @property
    def fails_node(self) -> bool:
        """Whether the node is unfit for the next job by our policy; sub-codes may still decide otherwise."""
        return _policy.fails_node(self.policy)

    @property
    def decided_by(self) -> str:
        """What decides: the ``code``, or its line in full by ``nvlink5`` or ``recovery-action``."""
        if 144 <= self.code <= 150:
            return "nvlink5"
        return "recovery-action" if self.code == 154 else "code"

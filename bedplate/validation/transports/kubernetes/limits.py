"""Our patience with a cluster. Data; nothing else decides about time. None of it was tried on a real one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KubernetesLimits:
    """In seconds.

    ``made``: until the Job has made its pods. ``placed``: until the scheduler has put a pod that may go on
    its node. ``started``: then, to pull the image and start it. ``ended``: beside the question's deadline,
    for a program that is stopped and for the cluster to tell of it. ``freed``: after a load, until its pods
    have left their nodes.
    """

    made: float = 60.0
    placed: float = 60.0
    started: float = 300.0
    ended: float = 60.0
    freed: float = 60.0
    first_pause: float = 0.5
    pause_factor: float = 1.4
    most_pause: float = 5.0

    @property
    def beside(self) -> float:
        """All that a pod may take beside what it is asked."""
        return self.made + self.placed + self.started + self.ended

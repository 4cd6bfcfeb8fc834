"""What hands out the nodes to jobs: one file for each kind."""

from __future__ import annotations

from bedplate.spec.orchestrator.common import SlurmCommon
from bedplate.spec.orchestrator.login import Login
from bedplate.spec.orchestrator.partition import Partition
from bedplate.spec.orchestrator.pcs import SlurmPcs
from bedplate.spec.orchestrator.team import Team
from bedplate.spec.orchestrator.user import User

__all__ = ["Login", "Partition", "SlurmCommon", "SlurmPcs", "Team", "User"]

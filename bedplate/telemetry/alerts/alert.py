"""One alert: when it holds, whom it wakes, and what is to be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["page", "ticket"]
"""``page`` wakes somebody: work stands still or is about to. ``ticket`` waits until the morning."""

Scope = Literal["gpu", "node", "job", "cluster"]
"""What an alert is about. Those of a GPU or a node have the label ``node`` and are one page a node."""

Dashboard = Literal[
    "bedplate-fleet",
    "bedplate-gpu",
    "bedplate-node",
    "bedplate-efa",
    "bedplate-lustre",
    "bedplate-queues",
    "bedplate-job",
    "bedplate-serving",
    "bedplate-validation",
    "bedplate-capacity",
]


@dataclass(frozen=True, kw_only=True)
class Alert:
    """A PromQL expression that is true where someone should know.

    ``summary`` is one line with Prometheus' templates, which names the node and the GPU by labels.
    ``meaning`` is what is documented of the cause, with ``source`` where it stands. ``own_choice`` names the
    figures in the expression that no source states.
    """

    name: str
    expression: str
    hold_for_minutes: int = 0
    severity: Severity
    scope: Scope
    summary: str
    meaning: str
    action: str
    dashboard: Dashboard
    source: str
    own_choice: str = ""

    @property
    def pages_for_node(self) -> bool:
        """Whether it is one of those that must not wake anybody twice for one node."""
        return self.severity == "page" and self.scope in ("gpu", "node")

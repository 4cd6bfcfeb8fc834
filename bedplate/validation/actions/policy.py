"""How much may be done on the word of one run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bedplate.validation.actions.model import OnFailure


@dataclass(frozen=True)
class ActionPolicy:
    """``at_most_percent`` of a pool's nodes may be out of service at once, drained by whomever; one always.

    Below ``least_confidence`` nothing is done. A cause that more than ``common_share`` of a pool's nodes
    have is taken for a cause that they share. A result older than ``max_age`` is not acted upon.
    """

    on_failure: OnFailure
    at_most_percent: int = 10
    least_confidence: float = 0.9
    common_share: float = 0.5
    max_age: timedelta = timedelta(hours=6)

    def __post_init__(self) -> None:
        if not 1 <= self.at_most_percent <= 100:
            raise ValueError(f"at_most_percent is {self.at_most_percent}; allowed are 1 to 100")
        if not 0 < self.least_confidence <= 1:
            raise ValueError(f"least_confidence is {self.least_confidence}; allowed is over 0 to 1")

    def most_out(self, *, nodes: int) -> int:
        """How many of a pool's nodes may be out of service at once."""
        return max(1, nodes * self.at_most_percent // 100) if nodes else 0

"""What Grafana's HTTP API refuses with."""

from __future__ import annotations


class Refused(Exception):
    """A status and words; ``reason`` is the word for programs, where Grafana has one."""

    def __init__(self, status: int, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.reason = reason

    def body(self) -> dict[str, str]:
        """The answer's JSON."""
        return {"message": self.message, **({"status": self.reason} if self.reason else {})}

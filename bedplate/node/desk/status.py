"""How an order ended, as it lies beside the answer."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Mapping, Optional

STATUS_SCHEMA = 1
_MOST_SHOWN = 300


@dataclass(frozen=True)
class Status:
    """``begun`` is False for an order that was refused; then nothing ran and ``problem`` says why.

    ``exit_status`` is None where the program was stopped or could not be started, for the reason in
    ``problem``: at its deadline (``overran``), by a cancellation, or with the desk. ``last_line`` is of its
    standard error.
    """

    begun: bool
    exit_status: Optional[int] = None
    overran: bool = False
    last_line: str = ""
    problem: str = ""

    def to_json(self) -> str:
        """One line."""
        return json.dumps({"schema": STATUS_SCHEMA, **asdict(self)})


def read_status(data: bytes) -> Status:
    """The inverse of ``to_json``. Raises ``ValueError`` for anything else."""
    found = json.loads(data)
    if not isinstance(found, dict) or found.pop("schema", None) != STATUS_SCHEMA:
        raise ValueError("it is no status of a desk that this program reads")
    kinds: Mapping[str, Any] = {
        "begun": bool,
        "exit_status": (int, type(None)),
        "overran": bool,
        "last_line": str,
        "problem": str,
    }
    if set(found) != set(kinds) or not all(isinstance(found[name], kinds[name]) for name in kinds):
        raise ValueError("the status lacks a field, or has one of another kind")
    return Status(**found)


def last_line(text: str) -> str:
    """Of what a program printed to standard error, without our own note below it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("bedplate: ")]
    return lines[-1][:_MOST_SHOWN] if lines else ""

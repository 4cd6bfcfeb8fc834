"""Values that the design has and this version has not: refused, with a word on why."""

from __future__ import annotations

VALUES: dict[str, tuple[str, ...]] = {
    "orchestrator.kind": ("eks-hyperpod",),
}
"""Values that are planned, by dotted path."""

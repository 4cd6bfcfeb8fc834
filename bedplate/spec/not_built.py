"""Fields and values that the design has and this version has not: refused, with a word on why."""

from __future__ import annotations

FIELDS: dict[str, str] = {
    "observability.grafana": "a Grafana workspace",
}
"""Unknown keys by dotted path (``[]`` for any item of a list) → what they would be."""

VALUES: dict[str, tuple[str, ...]] = {
    "orchestrator.kind": ("eks", "eks-hyperpod"),
    "validation.on_failure": ("drain", "replace"),
}
"""Values that are planned, by dotted path."""

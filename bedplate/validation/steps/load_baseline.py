"""First: what this cluster reached when it was accepted, where anybody has accepted anything."""

from __future__ import annotations

from bedplate.validation.baselines.store import read_baseline
from bedplate.validation.steps.context import Context


def load_baseline(context: Context) -> None:
    """Keep the stored baseline for the steps that measure, and say on the page which it is.

    Raises ``AwsRefused``, and ``BedplateError`` BAS-002 for one that cannot be used.
    """
    record = context.record
    record.baseline = read_baseline(clients=context.clients, manifest=record.manifest)
    if record.baseline is not None:
        stored = record.baseline
        record.notes.append(
            f"Bandwidths are held to this cluster's own baseline too, of run {', '.join(stored.runs)} "
            f"(accepted {stored.accepted_at}: {stored.reason})."
        )

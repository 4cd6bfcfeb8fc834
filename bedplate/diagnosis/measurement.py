"""A bandwidth that was measured, beside what was expected of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """One collective's bus bandwidth at one size; GB/s are 1e9 bytes per second.

    ``scope`` is ``in-node``, ``pair`` or ``all-nodes``; ``busbw_gb_per_s`` is the lower of in-place and
    out-of-place; floor and ceiling are None where none is sourced. The field names are those of
    ``bedplate.validation.result.Bandwidth``.
    """

    collective: str
    scope: str
    nodes: tuple[str, ...]
    ranks: int
    size_bytes: int
    busbw_gb_per_s: float
    floor_gb_per_s: float | None
    ceiling_gb_per_s: float | None
    source: str = ""

"""One recorded series."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """``labels`` are all that the series have. ``unit`` is a word for pages and panels."""

    name: str
    expression: str
    labels: tuple[str, ...]
    unit: str
    help: str

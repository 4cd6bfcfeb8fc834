"""All explanations of problems with an environment file, by id."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.explanation import CheckRow
from bedplate.spec.rows import SHAPE_ROWS
from bedplate.spec.rules import RULES

ROWS: Mapping[str, CheckRow] = MappingProxyType(
    {row.id: row for row in sorted((*SHAPE_ROWS, *(rule.row for rule in RULES)), key=lambda row: row.id)}
)

"""How far back the rules read each metric, from their expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import yaml

LOOKBACK_S = 300
"""Prometheus takes the last sample of five minutes."""
_SELECTOR = re.compile(r"([A-Za-z_:][\w:]*)(\{[^}]*\})?(?:\[(\d+)([smhdw])\])?(?: offset (\d+)([smhdw]))?")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def expressions(rule_text: str) -> list[tuple[str, str, str]]:
    """(group, name of the rule, expression), in order."""
    return [
        (group["name"], rule.get("alert") or rule["record"], rule["expr"])
        for group in yaml.safe_load(rule_text)["groups"]
        for rule in group["rules"]
    ]


def read_back_s(texts: Iterable[str], *, known: Iterable[str]) -> Mapping[str, int]:
    """Metric → seconds before the evaluation from which on its samples are read by any of the texts."""
    names = frozenset(known)
    found: dict[str, int] = {}
    for text in texts:
        for name, _, count, unit, offset, offset_unit in _SELECTOR.findall(text):
            if name in names:
                back = int(count) * _UNITS[unit] if count else LOOKBACK_S
                back += int(offset) * _UNITS[offset_unit] if offset else 0
                found[name] = max(found.get(name, 0), back)
    return found

"""The list of conditions in a status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def set_condition(status: dict[str, Any], word: str, *, holds: bool, now: str, **more: str) -> None:
    """Put one condition into a status; its time of transition stays where its state does."""
    new = {"type": word, "status": "True" if holds else "False", "lastTransitionTime": now, **more}
    conditions = list(status.get("conditions") or ())
    for place, old in enumerate(conditions):
        if old["type"] == word:
            if old["status"] == new["status"]:
                new["lastTransitionTime"] = old["lastTransitionTime"]
            conditions[place] = new
            break
    else:
        conditions.append(new)
    status["conditions"] = conditions


def holds(found: Mapping[str, Any], word: str) -> bool:
    """Whether an object's condition of this type is True."""
    conditions = (found.get("status") or {}).get("conditions") or ()
    return any(one["type"] == word and one["status"] == "True" for one in conditions)

"""How long promtool's unit tests see an alert take, with its real times."""

from __future__ import annotations

from collections.abc import Mapping


def minutes_by_alert() -> Mapping[str, int]:
    """Alert → minutes from the fault to its firing, of several cases the fewest; empty without them."""
    found: dict[str, int] = {}
    try:
        from tests.telemetry.promtool.all_cases import CASES
    except ModuleNotFoundError:
        return found
    for each in CASES:
        found[each.alert] = min(each.after_minutes, found.get(each.alert, each.after_minutes))
    return found

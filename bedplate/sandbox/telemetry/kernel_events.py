"""Which Xids a simulated node's kernel log holds, and when each was written."""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.hardware import xid
from bedplate.sandbox.telemetry.node import View

UNKNOWN = "unknown"


@dataclass(frozen=True)
class KernelEvent:
    """One line: ``policy`` is what this project does about it, by the line in full."""

    code: int
    gpu: int
    policy: str
    at_s: float


def kernel_events(view: View) -> tuple[KernelEvent, ...]:
    """All since the node booted; a fault writes its line at the moment of its beginning."""
    found: dict[tuple[int, int, str], KernelEvent] = {}
    for stretch in view.node.timeline.until(view.at_s):
        for code, gpu in stretch.effects.xids:
            entry = xid(code)
            _note(found, KernelEvent(code, gpu, entry.policy if entry else UNKNOWN, stretch.from_s))
        for code, policy, gpu in stretch.situation.xids:
            _note(found, KernelEvent(code, gpu, policy, stretch.from_s))
    return tuple(found.values())


def _note(found: dict[tuple[int, int, str], KernelEvent], event: KernelEvent) -> None:
    found.setdefault((event.code, event.gpu, event.policy), event)

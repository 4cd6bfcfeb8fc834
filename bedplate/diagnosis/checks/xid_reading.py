"""What each event of a kernel log means for the node: the root told from what follows it, under a policy.

NVIDIA's meaning of a code and what is done about it are two tables (``bedplate.hardware.xids``). An
environment may set its own policy for a code, which then counts for every line of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bedplate.diagnosis.causes import sxid_cause, xid_cause
from bedplate.diagnosis.expected import XidPolicy
from bedplate.diagnosis.parsers.kernel_log import XidEvent
from bedplate.hardware import read_nvlink5, recovery_action, xid
from bedplate.hardware.xids.policy import fails_node

PREEMPTED, OFF_BUS, ACTION_CHANGED = 45, 79, 154


@dataclass(frozen=True)
class XidReading:
    """What one event means: ``policy`` None says that the catalogue does not know it."""

    event: XidEvent
    cause: str
    text: str
    policy: str | None
    fails: bool
    follows: bool = False
    told_here: bool = False
    """Whether the environment's own policy decided."""


def read_events(events: Sequence[XidEvent], policies: Sequence[XidPolicy] = ()) -> list[XidReading]:
    """What each event means, in the log's order."""
    own = {policy.code: policy for policy in policies}
    return [_under_policy(_read(event, events), own) for event in events]


def _under_policy(reading: XidReading, own: Mapping[int, XidPolicy]) -> XidReading:
    """The reading under the environment's policy; what follows another XID stays a consequence of it."""
    policy = own.get(reading.event.code) if reading.event.kind == "xid" and not reading.follows else None
    if policy is None:
        return reading
    return replace(
        reading,
        policy=policy.policy,
        fails=fails_node(policy.policy),
        text=f"{reading.text}; this environment says {policy.policy}: {policy.reason}",
        told_here=True,
    )


def _read(event: XidEvent, events: Iterable[XidEvent]) -> XidReading:
    device = event.device or "a GPU"
    if event.kind == "sxid":
        word = {True: "fatal", False: "non-fatal", None: "of unknown gravity"}[event.fatal]
        policy = "monitor" if event.fatal is False else "reset" if event.fatal else None
        text = f"SXid {event.code} ({word}) on the switch at {device}"
        return XidReading(event, sxid_cause(event.code), text, policy, event.fatal is True)
    if event.kind == "off-bus":
        told = any(e.kind == "xid" and e.code == OFF_BUS and event.device in {"", e.device} for e in events)
        policy = "ignore" if told else "reboot"
        return XidReading(event, "gpu-lost", f"{device} has fallen off the bus", policy, not told)
    return _read_xid(event, events)


def _read_xid(event: XidEvent, events: Iterable[XidEvent]) -> XidReading:
    cause = xid_cause(event.code)
    entry = xid(event.code)
    name = f"XID {event.code} on {event.device}"
    if entry is None:
        return XidReading(event, cause, f"{name} is not in the catalogue", None, False)
    if _follows(event, events):
        return XidReading(
            event, cause, f"{name} follows another XID on the same GPU", "ignore", False, follows=True
        )
    # NVIDIA's workflow for a 45 that stands alone is to restart the application.
    policy = "restart-app" if event.code == PREEMPTED else entry.policy
    if event.code == ACTION_CHANGED:
        action = recovery_action(event.text)
        if action is None:
            return XidReading(event, cause, f"{name}: its recovery action cannot be read", None, False)
        return XidReading(
            event,
            cause,
            f"{name} asks for: {action.words or 'an unknown action'}",
            action.policy,
            action.fails_node,
        )
    nvlink = read_nvlink5(event.text)
    if entry.decided_by == "nvlink5":
        if nvlink is None:
            # A line that the decode table does not cover: its word of gravity is all there is.
            return XidReading(
                event,
                cause,
                f"{name} cannot be decoded",
                None if not event.fatal else "reset",
                bool(event.fatal),
            )
        text = f"{name}, {nvlink.unit} {nvlink.label}"
        if nvlink.follow_154 and nvlink.fatal and not nvlink.fails_node and not _has_action(event, events):
            # A line of XID 154 decides, and there is none (drivers before R570 print none).
            return XidReading(event, cause, f"{text} is fatal, and no XID 154 says what to do", None, False)
        return XidReading(event, cause, text, nvlink.policy, nvlink.fails_node)
    return XidReading(event, cause, f"{name}: {entry.meaning}", policy, entry.fails_node)


def _has_action(event: XidEvent, events: Iterable[XidEvent]) -> bool:
    """Whether an XID 154 tells what the event's GPU needs."""
    return any(other.code == ACTION_CHANGED and other.device == event.device for other in events)


def _follows(event: XidEvent, events: Iterable[XidEvent]) -> bool:
    """An XID 45 beside another XID on its GPU; beside the one that it names as its cause, where it names one.

    The driver names a cause behind a 45 alone (open-gpu-kernel-modules: preemptive removal): behind any other
    code the words excuse nothing.
    """
    if event.code != PREEMPTED:
        return False
    others = {other.code for other in events if other.kind == "xid" and other.device == event.device} - {
        PREEMPTED
    }
    if event.follows is not None:
        return event.follows in others
    return bool(others - {ACTION_CHANGED})

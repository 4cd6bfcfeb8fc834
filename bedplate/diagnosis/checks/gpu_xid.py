"""GPU-004: the kernel log of this boot holds no XID that makes the node unfit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bedplate.diagnosis.causes import sxid_cause, xid_cause
from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, info, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.kernel_log import KernelLog, XidEvent
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Severity, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import read_nvlink5, recovery_action, xid

ROW = CheckRow(
    id="GPU-004",
    title="the kernel log holds no XID that makes the node unfit",
    what="Every XID and SXid since boot, once per device, code and sub-code, is looked up in the XID "
    "catalogue. Codes that ask for a reset, a reboot or a replacement fail; others are findings. XID 63 "
    "is the success of a row remap, 64 its failure, 79 a GPU off the bus; 45 follows others; 154 says "
    "itself what to do.",
    why="DCGM cannot report some XIDs at all (79, 119, 120), and a GPU with a fatal one often works on "
    "until the next job. The kernel log is the authority.",
    fix="Do what the remedy says for the code: reboot for a reset, replace the instance for a hardware "
    "failure. `nvidia-smi` and a DCGM run show whether it came back.",
    by_hand="`journalctl -k -b 0 | grep -E 'Xid|fallen off the bus'`, then NVIDIA's XID catalogue.",
)

_PREEMPTED, _OFF_BUS, _ACTION_CHANGED = 45, 79, 154
_REMEDIES = {
    "reset": "Reboot the node (EC2 offers no reset of a GPU alone), then validate again.",
    "reboot": "Reboot the node, then validate again.",
    "replace": "Drain the node and replace the instance.",
    "restart-app": "Restart the job that met it; act on the node if it comes again.",
    "monitor": "Watch it; act if it comes again.",
    "ignore": "",
}
_WEIGHT = {"replace": 3, "reboot": 2, "reset": 1}


@dataclass(frozen=True)
class _Reading:
    """What one event means: ``policy`` None says that the catalogue does not know it."""

    event: XidEvent
    cause: str
    text: str
    policy: str | None
    fails: bool


def check(*, node: str, log: Reading[KernelLog], evidence: Sequence[str] = ()) -> Verdict:
    """Fail for an unfit node, error for a log that is partial or holds what nobody knows, else pass with
    findings.
    """
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=0,
        unit="events that make a node unfit",
        source="NVIDIA XID catalogue",
    )
    record = log.record
    if record is None:
        return writer.error(f"The kernel log cannot be read: {log.problem}")
    readings = [_read(event, record.events) for event in record.events]
    failing = sorted((r for r in readings if r.fails), key=_order)
    findings = [_finding(reading) for reading in readings if not reading.fails]
    if failing:
        return _failed(writer, failing, findings)
    unknown = [reading for reading in readings if reading.policy is None]
    if unknown or record.unreadable:
        lines = [reading.event.text for reading in unknown] + list(record.unreadable)
        return writer.error(
            "The kernel log holds XIDs that the catalogue does not know",
            lines=lines,
            findings=findings,
            remedy="Look the code up in NVIDIA's XID catalogue, and keep the node out of work until it "
            "is known.",
        )
    if log.problem:
        return writer.error(f"The kernel log cannot be trusted: {log.problem}", findings=findings)
    if not record.holds_boot:
        return writer.error(
            f"The kernel log is partial: its {record.lines} lines do not reach back to the boot",
            findings=findings,
            remedy="Raise journald's SystemMaxUse and RuntimeMaxUse until a whole boot fits, then reboot.",
        )
    return writer.passed("No XID that makes the node unfit since boot", measured=0, findings=findings)


def _failed(writer: Writer, failing: list[_Reading], findings: list[Finding]) -> Verdict:
    worst = failing[0]
    others = [
        Finding(Severity.CRITICAL, reading.text, _REMEDIES[reading.policy or "ignore"])
        for reading in failing[1:]
    ]
    return writer.failed(
        worst.text,
        cause=worst.cause,
        measured=len(failing),
        findings=others + findings,
        lines=[reading.event.text for reading in failing],
        remedy=_remedy(worst),
    )


def _order(reading: _Reading) -> tuple[int, int, int]:
    """The root before its consequences: an XID 154 only repeats what another asks for; then the gravest;
    then the first.
    """
    return (
        int(reading.event.code == _ACTION_CHANGED),
        -_WEIGHT.get(reading.policy or "", 0),
        reading.event.first_line,
    )


def _remedy(reading: _Reading) -> str:
    remedy = _REMEDIES[reading.policy or "ignore"]
    nvlink = read_nvlink5(reading.event.text)
    if nvlink is not None and nvlink.peer_suspected:
        return f"The GPU at the other end of the link is suspected, not the one that reports. {remedy}"
    return remedy


def _read(event: XidEvent, events: Iterable[XidEvent]) -> _Reading:
    device = event.device or "a GPU"
    if event.kind == "sxid":
        word = {True: "fatal", False: "non-fatal", None: "of unknown gravity"}[event.fatal]
        policy = "monitor" if event.fatal is False else "reset" if event.fatal else None
        text = f"SXid {event.code} ({word}) on the switch at {device}"
        return _Reading(event, sxid_cause(event.code), text, policy, event.fatal is True)
    if event.kind == "off-bus":
        told = any(e.kind == "xid" and e.code == _OFF_BUS and event.device in {"", e.device} for e in events)
        policy = "ignore" if told else "reboot"
        return _Reading(event, "gpu-lost", f"{device} has fallen off the bus", policy, not told)
    return _read_xid(event, events)


def _read_xid(event: XidEvent, events: Iterable[XidEvent]) -> _Reading:
    cause = xid_cause(event.code)
    entry = xid(event.code)
    name = f"XID {event.code} on {event.device}"
    if entry is None:
        return _Reading(event, cause, f"{name} is not in the catalogue", None, False)
    if _follows(event, events):
        return _Reading(event, cause, f"{name} follows another XID on the same GPU", "ignore", False)
    # NVIDIA's workflow for a 45 that stands alone is to restart the application.
    policy = "restart-app" if event.code == _PREEMPTED else entry.policy
    if event.code == _ACTION_CHANGED:
        action = recovery_action(event.text)
        if action is None:
            return _Reading(event, cause, f"{name}: its recovery action cannot be read", None, False)
        return _Reading(
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
            return _Reading(
                event,
                cause,
                f"{name} cannot be decoded",
                None if not event.fatal else "reset",
                bool(event.fatal),
            )
        text = f"{name}, {nvlink.unit} {nvlink.label}"
        if nvlink.follow_154 and nvlink.fatal and not nvlink.fails_node and not _has_action(event, events):
            # A line of XID 154 decides, and there is none (drivers before R570 print none).
            return _Reading(event, cause, f"{text} is fatal, and no XID 154 says what to do", None, False)
        return _Reading(event, cause, text, nvlink.policy, nvlink.fails_node)
    return _Reading(event, cause, f"{name}: {entry.meaning}", policy, entry.fails_node)


def _has_action(event: XidEvent, events: Iterable[XidEvent]) -> bool:
    """Whether an XID 154 tells what the event's GPU needs."""
    return any(other.code == _ACTION_CHANGED and other.device == event.device for other in events)


def _follows(event: XidEvent, events: Iterable[XidEvent]) -> bool:
    """An XID 45 beside another XID on its GPU, or one that names the XID that caused it, where that one is
    there.
    """
    others = {other.code for other in events if other.kind == "xid" and other.device == event.device} - {
        event.code
    }
    if event.follows is not None:
        return event.follows in others
    return event.code == _PREEMPTED and bool(others - {_PREEMPTED, _ACTION_CHANGED})


def _finding(reading: _Reading) -> Finding:
    count = f" ({reading.event.count} lines)" if reading.event.count > 1 else ""
    # A row that was remapped takes effect at the next reset: NVIDIA says ignore, EC2's agent says replace.
    warns = reading.policy in {"monitor", "restart-app", None} or reading.event.code == 63
    if not warns:
        return info(f"{reading.text}{count}")
    remedy = (
        "Reboot the node in the next window."
        if reading.event.code == 63
        else _REMEDIES[reading.policy or "monitor"]
    )
    return warning(f"{reading.text}{count}", remedy=remedy)


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        log=facts.kernel_log,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)

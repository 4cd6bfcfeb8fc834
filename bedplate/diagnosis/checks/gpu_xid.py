"""GPU-004: the kernel log of this boot holds no XID that makes the node unfit."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.causes import xid_cause
from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, info, node_subject, warning
from bedplate.diagnosis.checks.xid_reading import ACTION_CHANGED, XidReading, read_events
from bedplate.diagnosis.expected import XidPolicy
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.kernel_log import KernelLog
from bedplate.diagnosis.parsers.nvidia_smi_details import DetailsLog
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Severity, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import read_nvlink5

ROW = CheckRow(
    id="GPU-004",
    title="the kernel log holds no XID that makes the node unfit",
    what="Every XID and SXid since boot, once per device, code and sub-code, is looked up in the XID "
    "catalogue. Codes that ask for a reset, a reboot or a replacement fail; others are findings. XID 63 "
    "is the success of a row remap, 64 its failure, 79 a GPU off the bus; 45 follows others; 154 says "
    "itself what to do, and so does the driver, whose word of now (`nvidia-smi -q -x`) counts too. What "
    "NVIDIA says that a code means and what is done about it are two tables; `validation.xid_policies` sets "
    "another policy for a code. A log without the cursor that `journalctl --show-cursor` ends with is no "
    "pass: what was cut off may be the fault.",
    why="DCGM cannot report some XIDs at all (79, 119, 120), and a GPU with a fatal one often works on "
    "until the next job. The kernel log is the authority.",
    fix="Do what the remedy says for the code: reboot for a reset, replace the instance for a hardware "
    "failure. `nvidia-smi` and a DCGM run show whether it came back.",
    by_hand="`journalctl -k -b 0 | grep -E 'Xid|fallen off the bus'`, then NVIDIA's XID catalogue.",
)

_REMEDIES = {
    "reset": "Reboot the node (EC2 offers no reset of a GPU alone), then validate again.",
    "reboot": "Reboot the node, then validate again.",
    "replace": "Drain the node and replace the instance.",
    "restart-app": "Restart the job that met it; act on the node if it comes again.",
    "monitor": "Watch it; act if it comes again.",
    "ignore": "",
}
# What a GPU may ask for and still take the next job.
_AT_REST = frozenset({"none", "drain p2p"})
_UNASKED: Reading[DetailsLog] = Reading(None, "nobody asked")
_WEIGHT = {"replace": 3, "reboot": 2, "reset": 1}


def check(
    *,
    node: str,
    log: Reading[KernelLog],
    policies: Sequence[XidPolicy] = (),
    details: Reading[DetailsLog] = _UNASKED,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail for an unfit node, error for a log that is partial or holds what nobody knows, else pass with
    findings. ``policies`` are the environment's own; ``details`` tell what the driver asks for now.
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
    readings = read_events(record.events, policies)
    failing = sorted((r for r in readings if r.fails), key=_order)
    findings = [_finding(reading) for reading in readings if not reading.fails]
    if failing:
        return _failed(writer, failing, findings)
    asked = _asked_for(details)
    if asked:
        return writer.failed(
            f"The driver asks for action: {asked[0]}",
            cause=xid_cause(ACTION_CHANGED),
            measured=len(asked),
            lines=asked,
            findings=findings,
            remedy=_REMEDIES["reboot"],
        )
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
    if details is not _UNASKED and (details.record is None or details.problem):
        return writer.error(f"What the driver asks for cannot be read: {details.problem}", findings=findings)
    if not record.holds_boot:
        return writer.error(
            f"The kernel log is partial: its {record.lines} lines do not reach back to the boot",
            findings=findings,
            remedy="Raise journald's SystemMaxUse and RuntimeMaxUse until a whole boot fits, then reboot.",
        )
    if not record.ended:
        return writer.error(
            f"The kernel log is partial: after {record.lines} lines it has no end mark",
            findings=findings,
            remedy="Validate again; if it stays so, ask `journalctl --verify` on the node.",
        )
    return writer.passed("No XID that makes the node unfit since boot", measured=0, findings=findings)


def _failed(writer: Writer, failing: list[XidReading], findings: list[Finding]) -> Verdict:
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


def _asked_for(details: Reading[DetailsLog]) -> list[str]:
    """GPUs whose driver asks for a reset or a reboot now, whatever the log still holds (driver 570 on)."""
    gpus = () if details.record is None else details.record.gpus
    told = [(gpu.bus_id, gpu.word("recovery_action")) for gpu in gpus]
    return [f"GPU {bus_id}: {word}" for bus_id, word in told if word and word.lower() not in _AT_REST]


def _order(reading: XidReading) -> tuple[int, int, int]:
    """The root before its consequences: an XID 154 only repeats what another asks for; then the gravest;
    then the first.
    """
    return (
        int(reading.event.code == ACTION_CHANGED),
        -_WEIGHT.get(reading.policy or "", 0),
        reading.event.first_line,
    )


def _remedy(reading: XidReading) -> str:
    remedy = _REMEDIES[reading.policy or "ignore"]
    nvlink = read_nvlink5(reading.event.text)
    if nvlink is not None and nvlink.peer_suspected:
        return f"The GPU at the other end of the link is suspected, not the one that reports. {remedy}"
    return remedy


def _finding(reading: XidReading) -> Finding:
    count = f" ({reading.event.count} lines)" if reading.event.count > 1 else ""
    # A row that was remapped takes effect at the next reset: NVIDIA says ignore, EC2's agent says replace.
    warns = (
        reading.policy in {"monitor", "restart-app", None} or reading.event.code == 63 or reading.told_here
    )
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
        policies=facts.expected.xid_policies,
        details=facts.gpu_details,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)

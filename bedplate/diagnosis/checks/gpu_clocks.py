"""GPU-006: nothing holds a GPU's clocks back."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.gpu_details_support import incomplete, missing
from bedplate.diagnosis.checks.support import Writer, info, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.nvidia_smi_details import REASONS, DetailsLog, GpuDetails
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="GPU-006",
    title="nothing holds a GPU's clocks back",
    what="`nvidia-smi -q -x`: no GPU is slowed down by heat or by a power brake, none has a power limit or "
    "application clocks below its default, and all can reach the same clock. What the driver counted since "
    "it was loaded is a finding.",
    why="A GPU that throttles halves its clock and works on: the collective waits for it in every step, and "
    "the whole job has its speed.",
    fix="Heat or power brake: drain the node and replace the instance, since a tenant cannot mend cooling. A "
    "limit that somebody set: `nvidia-smi -rac` and `nvidia-smi -pl WATTS`; the hardware is not at fault.",
    by_hand="`nvidia-smi -q -d PERFORMANCE,CLOCK,POWER`: `HW Thermal Slowdown`, `HW Power Brake Slowdown` "
    "and `SW Thermal Slowdown` must be `Not Active`. `HW Slowdown` alone may show for a moment while a GPU "
    "changes its state (NVML documentation), so alone it is a finding.",
)

_HEAT = {
    "hw_thermal_slowdown": "is too hot: its hardware halves the clock",
    "hw_power_brake_slowdown": "is slowed down by the power supply",
    "sw_thermal_slowdown": "is too hot: its driver lowers the clock",
}
_LIMITS = (
    ("power_limit_w", "default_power_limit_w", "power limit", "W"),
    ("application_clock_mhz", "default_application_clock_mhz", "application clock", "MHz"),
)

_MUST_BE_TOLD = ("power_limit_w", "default_power_limit_w", "max_sm_clock_mhz")


def check(
    *, node: str, details: Reading[DetailsLog], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where heat, power or a setting holds a GPU back, error where one does not tell, else pass."""
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=0,
        unit="GPUs held back",
        source="NVML: clocks event reasons",
    )
    log = details.record
    if log is None:
        return writer.error(f"Clocks cannot be read: {details.problem}")
    hot = [line for gpu in log.gpus if (line := _throttled(gpu))]
    limited = [line for gpu in log.gpus if (line := _limited(gpu, log.gpus))]
    if hot or limited:
        return writer.failed(
            f"{len(hot or limited)} of {len(log.gpus)} GPUs are "
            + ("slowed down by heat or power" if hot else "limited by a setting"),
            cause="gpu-throttled" if hot else "gpu-clocks-limited",
            measured=len(hot or limited),
            lines=hot + limited,
        )
    problem = incomplete(details, instance_type)
    if problem:
        return writer.error(f"Clocks cannot be trusted: {problem}")
    untold = missing(log.gpus, (*REASONS, *_MUST_BE_TOLD)) + _half_told(log.gpus)
    if untold:
        return writer.error(untold[0], lines=untold)
    return writer.passed(
        f"Nothing holds back any of {len(log.gpus)} GPUs",
        measured=0,
        findings=[finding for gpu in log.gpus for finding in _findings(gpu)],
    )


def _throttled(gpu: GpuDetails) -> str:
    return next((f"GPU {gpu.bus_id} {words}" for field, words in _HEAT.items() if gpu.flag(field)), "")


def _limited(gpu: GpuDetails, peers: Sequence[GpuDetails]) -> str:
    for field, default, what, unit in _LIMITS:
        value, usual = gpu.number(field), gpu.number(default)
        if value is not None and usual is not None and value < usual:
            return f"GPU {gpu.bus_id}: its {what} is {value:g} {unit}, its default {usual:g}"
    own = gpu.number("max_sm_clock_mhz")
    best = max((clock for peer in peers if (clock := peer.number("max_sm_clock_mhz"))), default=None)
    if own is not None and best is not None and own < best:
        return f"GPU {gpu.bus_id}: it can reach {own:g} MHz, its neighbours {best:g}"
    return ""


def _half_told(gpus: Sequence[GpuDetails]) -> list[str]:
    """Newer drivers have no application clocks; one of the two without the other proves nothing."""
    pair = ("application_clock_mhz", "default_application_clock_mhz")
    return [
        f"GPU {gpu.bus_id} tells one application clock without the other"
        for gpu in gpus
        if len({gpu.word(field) is None for field in pair}) == 2
    ]


def _findings(gpu: GpuDetails) -> list[Finding]:
    found = []
    if gpu.flag("hw_slowdown"):
        found.append(warning(f"GPU {gpu.bus_id} shows a hardware slowdown without heat or power brake"))
    if gpu.flag("sw_power_cap"):
        found.append(info(f"GPU {gpu.bus_id} is at its power limit"))
    for field, what in (("hw_thermal_us", "heat"), ("hw_power_brake_us", "the power brake")):
        microseconds = gpu.number(field) or 0
        if microseconds:
            seconds = microseconds / 1e6
            found.append(warning(f"GPU {gpu.bus_id} was slowed down by {what} for {seconds:.1f} s so far"))
    return found


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        details=facts.gpu_details,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)

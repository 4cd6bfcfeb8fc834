"""GPU-005: every GPU's PCIe link has the width and the speed that it can have."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.gpu_details_support import incomplete, missing
from bedplate.diagnosis.checks.support import Writer, info, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.nvidia_smi_details import DetailsLog, GpuDetails
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType
from bedplate.hardware.gpu_rates import GPU_RATES

ROW = CheckRow(
    id="GPU-005",
    title="every GPU's PCIe link has its width and its speed",
    what="`nvidia-smi -q -x`: each link is as wide as the GPU and its slot allow, no narrower than NVIDIA's "
    "own diagnostics ask of the model, and as fast as it can be while the GPU is in its highest performance "
    "state. No GPU may be able to do less than its neighbours. In a lower performance state a link rests at "
    "a lower speed, which is a finding.",
    why="A link that trained at half its lanes halves what passes between host and GPU: loading data, "
    "checkpoints, and every byte that GPUDirect moves. Nothing else fails.",
    fix="Reboot the node, so that the links are trained anew. If one stays narrow or slow, drain the node "
    "and replace the instance.",
    by_hand="`nvidia-smi --query-gpu=index,pstate,pcie.link.width.current,pcie.link.width.max,"
    "pcie.link.gen.current,pcie.link.gen.max --format=csv`. What EC2 shows for the generations is "
    "unverified: only the driver's own maximum is asked for.",
)

_FIELDS = ("pcie_width", "pcie_width_max", "pcie_generation", "pcie_generation_max", "performance_state")


def check(
    *, node: str, details: Reading[DetailsLog], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where a link is narrower or slower than it can be, error where a GPU does not tell, else pass."""
    rates = GPU_RATES.get(instance_type.gpu.model)
    lanes = None if rates is None else rates.pcie_lanes
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=lanes if lanes is not None else "as wide as the link can be",
        unit="PCIe lanes",
        source="the driver's own maximum" + ("" if rates is None else f"; {rates.sources[0]}"),
    )
    log = details.record
    if log is None:
        return writer.error(f"PCIe links cannot be read: {details.problem}")
    widths = [width for gpu in log.gpus if (width := gpu.number("pcie_width")) is not None]
    measured = int(min(widths)) if widths else None
    bad = [line for gpu in log.gpus if (line := _wrong(gpu, log.gpus, lanes))]
    if bad:
        return writer.failed(
            f"{len(bad)} of {len(log.gpus)} GPUs have a PCIe link below what it can do",
            cause="pcie-degraded",
            measured=measured,
            lines=bad,
        )
    problem = incomplete(details, instance_type)
    if problem:
        return writer.error(f"PCIe links cannot be trusted: {problem}", measured=measured)
    untold = missing(log.gpus, _FIELDS)
    if untold:
        return writer.error(untold[0], measured=measured, lines=untold)
    return writer.passed(
        f"All {len(log.gpus)} PCIe links are as wide as they can be, and can be as fast",
        measured=measured,
        findings=[finding for gpu in log.gpus for finding in _findings(gpu)],
    )


def _wrong(gpu: GpuDetails, peers: Sequence[GpuDetails], lanes: int | None) -> str:
    """What is wrong with one GPU's link, in words; empty where nothing is."""
    width, width_max = gpu.number("pcie_width"), gpu.number("pcie_width_max")
    generation, generation_max = gpu.number("pcie_generation"), gpu.number("pcie_generation_max")
    wanted = max(filter(None, (width_max, float(lanes) if lanes else None)), default=None)
    if width is not None and wanted is not None and width < wanted:
        return f"GPU {gpu.bus_id}: {width:g} of {wanted:g} lanes"
    for what, value in (("pcie_width_max", width_max), ("pcie_generation_max", generation_max)):
        best = max((other for peer in peers if (other := peer.number(what)) is not None), default=None)
        if value is not None and best is not None and value < best:
            return f"GPU {gpu.bus_id}: {what} is {value:g}, its neighbours have {best:g}"
    slow = generation is not None and generation_max is not None and generation < generation_max
    if slow and (gpu.word("performance_state") or "").upper() == "P0":
        return f"GPU {gpu.bus_id}: generation {generation:g} of {generation_max:g} in P0"
    return ""


def _findings(gpu: GpuDetails) -> list[Finding]:
    generation, best = gpu.number("pcie_generation") or 0, gpu.number("pcie_generation_max") or 0
    replays = gpu.number("pcie_replays") or 0
    found = []
    if generation < best:
        state = gpu.word("performance_state")
        found.append(info(f"GPU {gpu.bus_id} rests at PCIe generation {generation:g} of {best:g} in {state}"))
    if replays:
        found.append(warning(f"GPU {gpu.bus_id} replayed {replays:g} PCIe packets since its reset"))
    return found


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        details=facts.gpu_details,
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, judge=_judge)

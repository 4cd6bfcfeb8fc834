"""NVL-001: every NVLink of every GPU is up."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgmi_nvlink import LinkLine, LinkTable
from bedplate.diagnosis.parsers.nvidia_smi_nvlink import GpuLinks, parse_nvidia_smi_nvlink
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="NVL-001",
    title="every NVLink of every GPU is up",
    what="`dcgmi nvlink -s` shows, for each GPU of the type, as many links up as its part has, and none down "
    "or disabled. `nvidia-smi nvlink -s`, which asks the driver and not DCGM, must agree, and show all links "
    "at one speed.",
    why="`dcgmi diag -r 2` has passed on a machine with all NVLinks down: nothing else at this level "
    "looks at them.",
    fix="Reboot the node. If a link stays down, drain the node and replace the instance. Where all "
    "links of all GPUs are down, look at the fabric manager first: `systemctl status "
    "nvidia-fabricmanager`.",
    by_hand="`dcgmi nvlink -s`: U is up, D is down, X is disabled, _ is not there on this part. In "
    "`nvidia-smi nvlink -s` a link that is down is `<inactive>`, in newer drivers `<inActive>`.",
)


def check(
    *,
    node: str,
    links: Reading[LinkTable],
    speeds: Reading[tuple[GpuLinks, ...]],
    instance_type: InstanceType,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where a link is not up or slow, error where a GPU is missing in a table, else pass. ``links`` is
    DCGM's table, ``speeds`` what the driver says.
    """
    wanted = instance_type.gpus * instance_type.gpu.nvlinks
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=wanted,
        unit="NVLinks up",
        source="; ".join(instance_type.gpu.sources[:1]),
    )
    if not instance_type.has_nvlink:
        return writer.not_applicable(f"{instance_type.name} has no NVLink")
    table = links.record
    if table is None:
        return writer.error(f"NVLinks cannot be read: {links.problem}")
    measured = sum(gpu.up for gpu in table.gpus)
    # Of a tool that ended badly the last line may break off: links that it does not show are not down.
    wanted_each = instance_type.gpu.nvlinks
    whole = table.gpus[:-1] if links.problem else table.gpus
    bad = [gpu for gpu in table.gpus if gpu.down or gpu.disabled or (gpu in whole and gpu.up < wanted_each)]
    if bad:
        return writer.failed(
            f"{wanted - measured} NVLinks are not up, on {len(bad)} GPUs"
            if measured < wanted and not links.problem
            else "NVLinks are down",
            cause="nvlink-down",
            measured=measured,
            lines=map(_describe, bad),
        )
    told_whole = (speeds.record or ())[: -1 if speeds.problem else None]
    best = max((speed for gpu in told_whole for _, speed in gpu.speeds if speed), default=0.0)
    wrong = [line for gpu in told_whole for line in _wrong(gpu, wanted_each, best)]
    if wrong:
        return writer.failed(
            f"The driver shows NVLinks that are down or slow: {wrong[0]}",
            cause="nvlink-down",
            measured=sum(gpu.active for gpu in speeds.record or ()),
            lines=wrong,
        )
    if links.problem:
        return writer.error(f"NVLinks cannot be trusted: {links.problem}", measured=measured)
    if {gpu.id for gpu in table.gpus} != set(range(instance_type.gpus)):
        return writer.error(
            f"The table shows {len(table.gpus)} of {instance_type.gpus} GPUs", measured=measured
        )
    if measured != wanted:
        return writer.error(f"{measured} links are up where the part has {wanted}", measured=measured)
    told = {gpu.gpu for gpu in speeds.record or ()}
    if speeds.problem or told != set(range(instance_type.gpus)):
        reason = speeds.problem or f"the driver tells of {len(told)} of {instance_type.gpus} GPUs"
        return writer.error(f"NVLinks cannot be trusted: {reason}", measured=measured)
    findings = [
        warning(f"Switch {switch.id} has links down: {', '.join(map(str, switch.down))}")
        for switch in table.switches
        if switch.down
    ]
    return writer.passed(f"All {wanted} NVLinks are up", measured=measured, findings=findings)


def _wrong(gpu: GpuLinks, wanted: int, best: float) -> list[str]:
    """What is wrong with one GPU's links by the driver's own word; ``best`` is the node's fastest (GB/s)."""
    if gpu.active < wanted:
        return [f"GPU {gpu.gpu}: {gpu.active} of {wanted} links are active"]
    return [
        f"GPU {gpu.gpu} link {link}: {speed:g} of {best:g} GB/s"
        for link, speed in gpu.speeds
        if speed is not None and speed < best
    ]


def _describe(gpu: LinkLine) -> str:
    return f"gpuId {gpu.id}: {' '.join(gpu.links)}"


def _has_nvlink(instance_type: InstanceType, _nodes: int) -> bool:
    return instance_type.has_nvlink


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        links=facts.nvlinks,
        speeds=read_tool(
            answer=facts.answer, argv=gpu_tools.NVIDIA_SMI_NVLINK, parse=parse_nvidia_smi_nvlink
        ),
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, applies=_has_nvlink, judge=_judge)

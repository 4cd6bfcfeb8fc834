"""EFA-001: every EFA device is there, in the kernel and in libfabric."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis import host_tools
from bedplate.diagnosis.check import PROBE, Check, has_efa
from bedplate.diagnosis.checks.support import Writer, info, node_subject, warning
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.efa_sysfs import EfaSysfs
from bedplate.diagnosis.parsers.fi_info import FabricInfo
from bedplate.diagnosis.parsers.ibv_devices import parse_ibv_devices
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

NOT_ASKED: Reading[tuple[str, ...]] = Reading(None, "it was not asked")

ROW = CheckRow(
    id="EFA-001",
    title="every EFA device is there, in the kernel and in libfabric",
    what="`/sys/class/infiniband` holds as many devices of vendor 0x1d0f with driver `efa` as the "
    "hardware table attaches to the type, and `fi_info -p efa -t FI_EP_RDM` lists the same ones.",
    why="NCCL works on with the devices that are left. A two-node all-reduce is bound by NVLink on some "
    "types, so that a lost device can hide behind a perfect bandwidth.",
    fix="Drain the node and replace the instance. If all nodes lack the same devices, the launch "
    "template attaches too few interfaces; if only libfabric lacks them, look for `/dev/infiniband` and "
    "the libfabric version.",
    by_hand="`grep -l 0x1d0f /sys/class/infiniband/*/device/vendor | wc -l`, and `fi_info -p efa -t "
    "FI_EP_RDM | grep domain | sed 's/-rdm//' | sort -u | wc -l`: each device is listed twice from "
    "libfabric 2.1 on.",
)


def check(
    *,
    node: str,
    sysfs: Reading[EfaSysfs],
    fabric: Reading[FabricInfo],
    instance_type: InstanceType,
    verbs: Reading[tuple[str, ...]] = NOT_ASKED,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where devices are missing in either place, error where the places cannot be read, else pass.

    ``verbs`` is what rdma-core lists; what it lacks is a finding, since libfabric is what NCCL opens.
    """
    wanted = instance_type.efa_count
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=wanted,
        unit="EFA devices",
        source="; ".join(instance_type.sources[:1]),
    )
    if wanted == 0:
        return writer.not_applicable(f"{instance_type.name} has no EFA")
    if sysfs.record is None:
        return writer.error(f"EFA devices cannot be counted: {sysfs.problem}")
    kernel = sysfs.record.efa_devices
    if len(kernel) < wanted:
        unbound = ", ".join(sysfs.record.unbound)
        return writer.failed(
            f"{len(kernel)} of {wanted} EFA devices are there"
            + (f"; without driver: {unbound}" if unbound else ""),
            cause="efa-device-lost",
            measured=len(kernel),
            lines=["in the kernel: " + ", ".join(kernel)],
        )
    if sysfs.problem or len(kernel) > wanted:
        return writer.error(
            sysfs.problem or f"{len(kernel)} EFA devices where the type has {wanted}", measured=len(kernel)
        )
    return _judge_libfabric(writer, kernel, fabric, _of_verbs(kernel, verbs))


def _of_verbs(kernel: tuple[str, ...], verbs: Reading[tuple[str, ...]]) -> list[Finding]:
    if verbs is NOT_ASKED:
        return []
    if verbs.record is None or verbs.problem:
        return [info(f"rdma-core's list of devices could not be read: {verbs.problem}")]
    missing = [name for name in kernel if name not in verbs.record]
    text = f"rdma-core (ibv_devices) does not list {', '.join(missing)}"
    return [warning(text, remedy="Look for the rdma-core that the EFA installer brings.")] if missing else []


def _judge_libfabric(
    writer: Writer, kernel: tuple[str, ...], fabric: Reading[FabricInfo], findings: Sequence[Finding]
) -> Verdict:
    if fabric.record is None:
        return writer.error(f"libfabric's devices cannot be read: {fabric.problem}", measured=len(kernel))
    listed = fabric.record.efa_devices
    missing = [name for name in kernel if name not in listed]
    # A list that breaks off lacks devices that are there: only a whole one, or "none found", accuses.
    if missing and (fabric.record.none_found or (listed and not fabric.problem)):
        return writer.failed(
            f"libfabric sees {len(listed)} of the {len(kernel)} EFA devices that the kernel has",
            cause="efa-device-lost",
            measured=len(listed),
            lines=["missing in libfabric: " + ", ".join(missing)],
        )
    if fabric.problem:
        return writer.error(f"libfabric's devices cannot be trusted: {fabric.problem}", measured=len(listed))
    if listed != kernel:
        return writer.error(
            "libfabric and the kernel name different devices",
            measured=len(listed),
            lines=["in the kernel: " + ", ".join(kernel), "in libfabric: " + ", ".join(listed)],
        )
    return writer.passed(f"All {len(kernel)} EFA devices are there", measured=len(kernel), findings=findings)


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        sysfs=facts.efa_sysfs,
        fabric=facts.libfabric,
        instance_type=facts.instance_type,
        verbs=read_tool(answer=facts.answer, argv=host_tools.IBV_DEVICES, parse=parse_ibv_devices),
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=PROBE, applies=has_efa, judge=_judge)

"""IMX-001: on a node of an UltraServer IMEX is up, and what is in its job's domain is connected."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.check import EXERCISE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.imex import ImexDomain, parse_imex
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.verdict import Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="IMX-001",
    title="IMEX is up on a node of an UltraServer",
    what="Inside a job of its own on the node, `nvidia-imex-ctl -N -j` shows a domain that is UP, every node "
    "of it READY, and every one connected to every other. The domain is the job's, and the job has one node: "
    "a domain of one passes, and proves that IMEX is up on this node. Whether the domain spans the nodes is "
    "NCL-004; that GPUs have joined the NVLink fabric is GPU-007.",
    why="Memory of GPUs in other instances of the UltraServer is reached through IMEX. Without it NCCL uses "
    "EFA between nodes that NVLink joins, at a quarter of the speed, and says so in a line that nobody "
    "reads.",
    fix="The prolog must write the addresses of the job's nodes into /etc/nvidia-imex/nodes_config.cfg and "
    'restart nvidia-imex on each (AWS PCS User Guide, "Configure UltraServer instances"). Under PCS '
    "Bedplate's prolog does, on an image that has and enables nvidia-imex; it drains a node that cannot be "
    "in its job's domain, with this check's id. Under ParallelCluster and HyperPod it must be a prolog of "
    "your own. A mismatch of the lists is mended only by stopping the service on all of them.",
    by_hand="`srun --exclusive -N 2 nvidia-imex-ctl -N`: `Domain State: UP`, all nodes READY, a `C` in every "
    "field. Not tried on an UltraServer by this project: unverified.",
)

_UP, _READY, _CONNECTED = "UP", "READY", "CONNECTED"


def check(
    *, node: str, domain: Reading[ImexDomain], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail where the domain, a node or a connection is not as it must be, error where it cannot be read."""
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=_UP,
        source="NVIDIA IMEX guide; AWS PCS User Guide",
    )
    if not instance_type.needs_imex:
        return writer.not_applicable(f"{instance_type.name} is no part of an UltraServer")
    record = domain.record
    if record is None:
        return writer.error(
            f"The IMEX domain cannot be read: {domain.problem}",
            remedy="Install nvidia-imex and enable it on the image; see IMX-001.",
        )
    bad = _wrong(record)
    if bad:
        return writer.failed(
            f"The IMEX domain is {record.status}", cause="imex-down", measured=record.status, lines=bad
        )
    if domain.problem:
        return writer.error(f"The IMEX domain cannot be trusted: {domain.problem}", measured=record.status)
    if not record.nodes:
        return writer.error("The IMEX domain has no node", measured=record.status)
    return writer.passed(
        f"IMEX is up on this node, in a domain of {len(record.nodes)}; whether the domain spans the nodes is "
        "NCL-004",
        measured=record.status,
    )


def _wrong(domain: ImexDomain) -> list[str]:
    """What is not as it must be, one line each."""
    lines = [] if domain.status.upper() == _UP else [f"domain: {domain.status}"]
    hosts = {node.host for node in domain.nodes}
    for node in domain.nodes:
        if node.status.upper() != _READY:
            lines.append(f"{node.host}: {node.status}")
        peers = dict(node.connections)
        lines += [
            f"{node.host} → {host}: {peers.get(host, 'no connection')}"
            for host in sorted(hosts)
            if peers.get(host, "").upper() != _CONNECTED
        ]
    return lines


def _needs_imex(instance_type: InstanceType, _nodes: int) -> bool:
    return instance_type.needs_imex


def _judge(facts: NodeFacts) -> Verdict:
    return check(
        node=facts.node,
        domain=read_tool(answer=facts.answer, argv=gpu_tools.IMEX_DOMAIN, parse=parse_imex),
        instance_type=facts.instance_type,
        evidence=facts.evidence,
    )


CHECK = Check(row=ROW, stage=EXERCISE, applies=_needs_imex, judge=_judge)

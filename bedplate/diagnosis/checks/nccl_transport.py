"""NCL-002: between nodes NCCL really used EFA with GPUDirect, with every device and every rank."""

from __future__ import annotations

from collections.abc import Sequence

from bedplate.diagnosis.check import ENGINE, Check, efa_between_nodes
from bedplate.diagnosis.checks.asked_hosts import doubt_of_names
from bedplate.diagnosis.checks.collective_run import CollectiveRun
from bedplate.diagnosis.checks.support import LOOK_AGAIN, Writer
from bedplate.diagnosis.checks.support import info as remark
from bedplate.diagnosis.checks.told_failures import told_failures
from bedplate.diagnosis.missing_programs import remedy_for
from bedplate.diagnosis.parsers.nccl_failures import NETWORK_NOT_FOUND
from bedplate.diagnosis.parsers.nccl_info import NcclInfo
from bedplate.diagnosis.verdict import Finding, Subject, Verdict
from bedplate.explanation import CheckRow
from bedplate.hardware import InstanceType

ROW = CheckRow(
    id="NCL-002",
    title="between nodes NCCL used EFA with GPUDirect, with every device and every rank",
    what="From one log: the libfabric provider is exactly `efa` on every node, each finds as many NICs "
    "as the type has, every node has channels that leave it, all of them with GDRDMA where the type has "
    "it, none over NET/Socket; every rank ended its initialisation with the right number of ranks, on "
    "hosts of the names that the nodes told of themselves, and the ratio busbw/algbw allows that number. "
    "What such a log tells of failures all the same rides on the pass as warnings.",
    why="NCCL falls back to TCP in silence when a library or a device is missing; here it is told to use "
    "EFA's plugin (`NCCL_NET`), so that it fails instead. And a job that was meant to span nodes may have "
    "run inside one. A bandwidth proves nothing until the experiment is proven.",
    fix="Provider not efa, or Socket: look for aws-ofi-nccl, libfabric and /dev/infiniband on the nodes "
    "named. Fewer NICs: see EFA-001. No GDRDMA: EFA driver and NVIDIA driver versions. Fewer ranks: "
    "nccl-tests built without MPI.",
    by_hand="Run the collective with `NCCL_DEBUG=INFO`, then `grep -E 'Selected .rovider|via "
    "NET/|nranks'` in its log.",
)


_EFA_NETWORKS = frozenset({"aws libfabric", "libfabric", "ofi"})
"""What NCCL calls aws-ofi-nccl's network: by its name to 1.12, from 1.13 on, and by its alias from 1.21."""


def check(
    *,
    subject: Subject,
    run: CollectiveRun,
    nodes: int,
    instance_type: InstanceType,
    shares_nvlink: bool,
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail where the log shows another transport, error where it does not prove the right one, else pass."""
    writer = Writer(
        check_id=ROW.id,
        subject=subject,
        evidence=evidence,
        expected=run.asked.ranks,
        unit="ranks over EFA",
        source="aws/aws-ofi-nccl and NVIDIA/nccl",
    )
    if instance_type.efa_count == 0:
        return writer.not_applicable(f"{instance_type.name} has no EFA")
    if shares_nvlink:
        return writer.not_tested(
            "These nodes share one NVLink domain, so that no EFA carries their collective"
        )
    info = run.info
    if info is None:
        started = "the log holds no NCCL message"
        problem = run.problem() if run.launch_failed else run.unreadable or started
        remedy = remedy_for("\n".join([problem, *run.failure_lines()])) or LOOK_AGAIN
        return writer.error(f"The transport is not proven: {problem}", remedy=remedy)
    ranks = len({comm.rank for comm in info.comms})
    fault = _fault(info, instance_type)
    if fault is not None:
        summary, cause, lines = fault
        return writer.failed(summary, cause=cause, measured=ranks, lines=lines)
    doubt = _doubt(run, info, nodes, instance_type)
    if doubt:
        return writer.error(
            f"The transport is not proven: {doubt}", measured=ranks, lines=run.failure_lines()
        )
    nics = instance_type.efa_count
    return writer.passed(
        f"{ranks} ranks on {nodes} nodes over EFA, {nics} devices a node" + _gdr(instance_type),
        measured=ranks,
        findings=[*_thinned(run), *told_failures(info)],
        lines=[info.net_channels[0].text],
    )


def _thinned(run: CollectiveRun) -> list[Finding]:
    return [remark(f"The evidence is thinned: {run.thinned}")] if run.thinned else []


def _gdr(instance_type: InstanceType) -> str:
    return ", with GPUDirect RDMA" if instance_type.has_gpudirect_rdma else ""


def _fault(info: NcclInfo, instance_type: InstanceType) -> tuple[str, str, list[str]] | None:
    """What the log shows to be wrong: (summary, cause, lines)."""
    refused = hosts_without_network(info)
    if refused:
        return (
            f"NCCL was told to use EFA's plugin, and did not get it on {', '.join(refused)}",
            "efa-fallback-socket",
            [each.text for each in info.failures if each.meaning is NETWORK_NOT_FOUND] + list(info.fallbacks),
        )
    hosts = socket_hosts(info)
    if hosts:
        lines = [channel.text for channel in info.socket_channels]
        lines += [
            f"{line.host}: provider {line.provider}" for line in info.providers if line.provider != "efa"
        ]
        return (
            f"NCCL did not use EFA on {', '.join(hosts)}",
            "efa-fallback-socket",
            lines + list(info.fallbacks),
        )
    short = short_of_nics(info, instance_type)
    if short:
        lines = [f"{host}: found {nics} nics" for host, nics in short]
        return (
            f"NCCL found too few EFA devices on {', '.join(host for host, _ in short)}",
            "efa-device-lost",
            lines,
        )
    bounced = [channel.text for channel in info.net_channels if not channel.gdrdma]
    if bounced and instance_type.has_gpudirect_rdma:
        count = sum(each.count for each in info.net_channels if not each.gdrdma)
        return f"{count} channels go without GPUDirect RDMA", "gpudirect-off", bounced
    return None


def hosts_without_network(info: NcclInfo) -> tuple[str, ...]:
    """The hosts on which NCCL did not find the network that it was told to use: it then ends, and falls back
    to none.
    """
    found = [each.host for each in info.failures if each.meaning is NETWORK_NOT_FOUND]
    # nccl-tests repeats NCCL's words without a place to read the host from.
    named = tuple(sorted({host for host in found if host}))
    return named or (("a host",) if found else ())


def socket_hosts(info: NcclInfo) -> tuple[str, ...]:
    """The hosts that chose TCP, or a libfabric provider that is not exactly ``efa``.

    A healthy host sends to a fallen one over TCP too, so channels count only where no host tells its choice.
    """
    chose = {line.host for line in info.providers if line.provider != "efa"}
    chose |= {line.host for line in info.networks if line.name.lower() == "socket"}
    return tuple(sorted(chose or {channel.host for channel in info.socket_channels}))


def short_of_nics(info: NcclInfo, instance_type: InstanceType) -> tuple[tuple[str, int], ...]:
    """The hosts on which a process found fewer NICs than the type has, with the fewest it found."""
    least: dict[str, int] = {}
    for line in info.providers:
        if line.nics is not None and line.nics < instance_type.efa_count:
            least[line.host] = min(line.nics, least.get(line.host, line.nics))
    return tuple(sorted(least.items()))


def _doubt(run: CollectiveRun, info: NcclInfo, nodes: int, instance_type: InstanceType) -> str:
    """What the log does not prove, in words; empty where it proves all."""
    asked = run.asked.ranks
    told = {comm.ranks for comm in info.comms}
    ranks = {comm.rank for comm in info.comms}
    if told - {asked}:
        return f"NCCL tells of {min(told - {asked})} ranks, asked were {asked}"
    if ranks != set(range(asked)):
        return f"{len(ranks)} of {asked} ranks ended their initialisation"
    if run.interval is None or not run.interval.allows(asked):
        return f"the table's ratios tell of {run.interval or 'no number of'} ranks, asked were {asked}"
    hosts = {comm.host for comm in info.comms}
    if len(hosts) != nodes:
        return f"the ranks ran on {len(hosts)} hosts, asked were {nodes}"
    return doubt_of_names(run) or _doubt_of_hosts(info, hosts, instance_type)


def _doubt_of_hosts(info: NcclInfo, hosts: set[str], instance_type: InstanceType) -> str:
    untold = hosts - {line.host for line in info.providers}
    if untold:
        return f"{', '.join(sorted(untold))} does not tell its libfabric provider"
    if any(line.nics is None for line in info.providers):
        return "the plugin is too old to tell how many NICs it found (before aws-ofi-nccl 1.6)"
    most = max(line.nics for line in info.providers if line.nics is not None)
    if most > instance_type.efa_count:
        return f"the plugin found {most} NICs, where {instance_type.name} has {instance_type.efa_count} EFAs"
    others = {
        channel.network for channel in info.net_channels if channel.network.lower() not in _EFA_NETWORKS
    }
    if others:
        return f"channels go over {', '.join(sorted(others))}, which is not the plugin's network"
    silent = hosts - {channel.host for channel in info.net_channels if channel.way != "receive"}
    if silent:
        return f"no channel leaves {', '.join(sorted(silent))}"
    return ""


CHECK = Check(row=ROW, stage=ENGINE, applies=efa_between_nodes, subject="cluster")

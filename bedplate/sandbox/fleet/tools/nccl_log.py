"""What NCCL 2.27 and aws-ofi-nccl 1.16 write with NCCL_DEBUG=INFO and the subsystems INIT and NET.

Line forms: aws/aws-ofi-nccl at tag v1.16.3 (src/nccl_ofi_net.cpp, src/platform-aws.cpp) and facts,
validation, 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import efa_pci_address, gpu_bus
from bedplate.sandbox.fleet.tools.job import Job
from bedplate.sandbox.fleet.tools.nccl_environment import NcclEnvironment
from bedplate.sandbox.fleet.truth import NodeTruth

_CHANNELS = 16
_IMEX_WARNING = (
    "MNNVL (cliqueSize {ranks}) is available but not working on this system. Check the IMEX configuration "
    "(nvidia-imex-ctl -N). Set NCCL_MNNVL_ENABLE=0 to ignore this issue."
)
_COMM_ID = "0x5be7b1a7e0001dea"


@dataclass(frozen=True)
class _Rank:
    number: int
    node: NodeTruth
    local: int
    pid: int
    ranks: int

    def line(self, text: str) -> str:
        return f"{self.node.hostname}:{self.pid}:{self.pid + 61} [{self.local}] NCCL INFO {text}"

    def warning(self, place: str, text: str) -> str:
        return f"{self.node.hostname}:{self.pid}:{self.pid + 61} [{self.local}] {place} NCCL WARN {text}"

    def communicator_shape(self, nodes: int, per_node: int, mnnvl: bool) -> str:
        return self.line(
            f"comm 0x{0x55D0C0000000 + self.number * 0x1000:x} rank {self.number} nRanks {self.ranks} "
            f"nNodes {nodes} localRanks {per_node} localRank {self.local} MNNVL {int(mnnvl)}"
        )

    def communicator(self, *, end: str) -> str:
        bus = gpu_bus(self.node.gpus[self.local])
        return self.line(
            f"ncclCommInitRankConfig comm 0x{0x55D0C0000000 + self.number * 0x1000:x} rank {self.number} "
            f"nranks {self.ranks} cudaDev {self.local} nvmlDev {self.local} busId {bus:x}000 "
            f"commId {_COMM_ID} - {end}"
        )


def init_lines(job: Job, pids: tuple[int, ...], environment: NcclEnvironment) -> Iterator[tuple[int, str]]:
    """(rank, line) of the initialisation of every rank, up to the start of the communicator."""
    for rank in _ranks(job, pids):
        if rank.number == 0:
            yield 0, f"NCCL version {versions.NCCL}+cuda{versions.CUDA}"
        for text in _network_lines(rank, environment, between_nodes=len(job.nodes) > 1):
            yield rank.number, rank.line(text)
        if not _has_network(rank.node, environment):
            yield rank.number, rank.warning("plugin/net.cc:334", "Failed to initialize any NET plugin")
            continue
        if job.over_nvlink and rank.node.effects.imex_down:
            yield rank.number, rank.warning("mnnvl.cc:85", _IMEX_WARNING.format(ranks=job.ranks))
            continue
        yield rank.number, rank.communicator(end="Init START")


def start_failures(
    job: Job, pids: tuple[int, ...], environment: NcclEnvironment
) -> Iterator[tuple[int, str]]:
    """(rank, line) of nccl-tests for every rank whose NCCL did not get the network that it was told to
    use.
    """
    for rank in _ranks(job, pids):
        if not _has_network(rank.node, environment):
            host = rank.node.hostname
            reason = (
                "'invalid usage (run with NCCL_DEBUG=WARN for details) / Failed to initialize any NET plugin'"
            )
            yield rank.number, f"{host}: Test NCCL failure common.cu:1279 {reason}"
            yield rank.number, f" .. {host} pid {rank.pid}: Test failure common.cu:1101"
        elif job.over_nvlink and rank.node.effects.imex_down:
            host = rank.node.hostname
            yield rank.number, f"{host}: Test NCCL failure common.cu:1279 'unhandled system error'"
            yield rank.number, f" .. {host} pid {rank.pid}: Test failure common.cu:1101"


def connect_lines(job: Job, pids: tuple[int, ...], environment: NcclEnvironment) -> Iterator[tuple[int, str]]:
    """(rank, line) of the channels and of the communicator's completion."""
    ranks = _ranks(job, pids)
    over_nvlink = job.over_nvlink
    for rank in ranks:
        if job.shares_nvlink and len(job.nodes) > 1:
            yield rank.number, rank.communicator_shape(len(job.nodes), job.ranks_per_node, over_nvlink)
        for channel in range(_CHANNELS):
            text = _channel(ranks, rank, channel, environment, over_nvlink=over_nvlink)
            yield rank.number, rank.line(text)
        yield rank.number, rank.line("Connected all rings, use ring PXN 0 GDR 1")
    for rank in ranks:
        yield rank.number, rank.communicator(end="Init COMPLETE")


def _ranks(job: Job, pids: tuple[int, ...]) -> list[_Rank]:
    return [
        _Rank(n, job.nodes[n // job.ranks_per_node], n % job.ranks_per_node, pids[n], job.ranks)
        for n in range(job.ranks)
    ]


def _has_plugin(node: NodeTruth) -> bool:
    return not node.effects.socket and bool(node.efas)


def _has_network(node: NodeTruth, environment: NcclEnvironment) -> bool:
    return _has_plugin(node) or not environment.wants_plugin


def _network_lines(rank: _Rank, environment: NcclEnvironment, *, between_nodes: bool) -> Iterator[str]:
    node = rank.node
    yield f"Bootstrap: Using ens32:{node.private_ip}<0>"
    if not _has_plugin(node):
        yield "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin."
        if environment.wants_plugin:
            return
        yield "NET/IB : No device found."
        yield f"NET/Socket : Using [0]ens32:{node.private_ip}<0>"
        yield "Using network Socket"
        return
    if node.effects.wrong_plugin:
        yield from _other_plugin()
        return
    yield f"NET/Plugin: Loaded net plugin {environment.plugin_name} (v10)"
    plugin = versions.OLD_OFI_PLUGIN if node.effects.old_plugin else versions.ofi_plugin(node.instance_type)
    yield f"NET/OFI Initializing aws-ofi-nccl {plugin}"
    yield f"NET/OFI Using Libfabric version {versions.LIBFABRIC_API}"
    yield "NET/OFI Using CUDA driver version 12080 with runtime 12080"
    yield "NET/OFI Configuring AWS-specific options"
    yield "NET/OFI Setting provider_filter to efa"
    yield "NET/OFI Internode latency set at 75.0 us"
    yield "NET/OFI Using transport protocol RDMA (platform set)"
    yield "NET/OFI Plugin selected platform: AWS"
    yield f"NET/OFI Selected provider is efa, fabric is efa-direct (found {len(node.efas)} nics)"
    # Every rank prints the groups; one a node is enough here and keeps the logs of 512 ranks readable.
    if rank.local == 0 and between_nodes:
        yield from _nic_groups(node)
    yield "NET/OFI Support for global registrations: true"
    yield f"NET/OFI Support for DMA-BUF registrations: {str(node.hardware.gpudirect).lower()}"
    yield f"Assigned NET plugin {environment.plugin_name} to comm"
    yield f"Using network {environment.plugin_name}"


def _other_plugin() -> Iterator[str]:
    """A plugin built for another libfabric, whose provider is not EFA (aws/aws-ofi-nccl issues 19, 33)."""
    yield "NET/Plugin: Loaded net plugin AWS Libfabric (v8)"
    yield "NET/OFI Initializing aws-ofi-nccl 1.7.4-aws"
    yield "NET/OFI Selected Provider is tcp;ofi_rxm (found 1 nics)"
    yield "Using network AWS Libfabric"


def _nic_groups(node: NodeTruth) -> Iterator[str]:
    per_gpu = max(node.hardware.efa_count // max(node.hardware.gpus, 1), 1)
    for device in node.efas:
        address = efa_pci_address(node.hardware, device)
        yield f"NET/OFI NIC group {device // per_gpu} device #{device % per_gpu} {address}"


def _channel(
    ranks: list[_Rank], rank: _Rank, channel: int, environment: NcclEnvironment, *, over_nvlink: bool
) -> str:
    """The rank's link to the next in its ring; rings leave a node at its last rank and enter the next at its
    first.
    """
    peer = ranks[(rank.number + 1) % len(ranks)]
    ends = f"Channel {channel:02d}/0 : {rank.number}[{rank.local}] -> {peer.number}[{peer.local}]"
    if peer.node is rank.node:
        return f"{ends} via P2P/CUMEM"
    if over_nvlink:
        return f"{ends} via P2P/MNNVL"
    if rank.node.effects.socket or peer.node.effects.socket:
        return f"{ends} [send] via NET/Socket/0"
    if rank.node.effects.wrong_plugin:
        return f"{ends} [send] via NET/AWS Libfabric/0"
    tail = "/GDRDMA" if rank.node.hardware.gpudirect else ""
    return f"{ends} [send] via NET/{environment.plugin_name}/{channel % max(len(rank.node.efas), 1)}{tail}"

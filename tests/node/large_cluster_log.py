"""SIMULATED: what every rank of a large cluster prints with NCCL_DEBUG=INFO for INIT and NET, as a stream.

Run as a program it thins that stream and prints what came of it as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bedplate.node.thin_log import thinned
from tests.bench.logs.log_file import RANKS_PER_NODE, rank_lines
from tests.bench.memory import peak_mib
from tests.diagnosis import texts

_PIECE_CHARACTERS = 1 << 20


def chatter(rank: int, *, nodes: int) -> Iterator[str]:
    """What one rank says beside its connections; wordings of NCCL 2.27 and aws-ofi-nccl 1.16."""
    node, local = divmod(rank, RANKS_PER_NODE)
    ranks = nodes * RANKS_PER_NODE
    start = f"{rank}: ip-10-1-{node}-11:{4100 + local}:{4200 + local} [{local}] NCCL INFO "
    comm, bus = f"comm 0x55d0c0{rank:06x} rank {rank}", f"{0x53 + local:x}000"
    for text in (
        f"Bootstrap: Using ens32:10.1.{node // 250}.{node % 250}<0>",
        "cudaDriverVersion 12080",
        "NET/Plugin: Loaded net plugin Libfabric (v10)",
        "NET/OFI Using Libfabric version 2.1",
        "NET/OFI Using CUDA driver version 12080 with runtime 12080",
        "NET/OFI Configuring AWS-specific options",
        "NET/OFI Setting provider_filter to efa",
        f"DMA-BUF is available on GPU device {local}",
        f"ncclCommInitRankConfig {comm} nranks {ranks} cudaDev {local} busId {bus} - Init START",
        f"Setting affinity for GPU {local} to ff,ffff0000,00{local:x}fffff",
        f"{comm} nRanks {ranks} nNodes {nodes} localRanks 8 localRank {local} MNNVL 0",
        "P2P Chunksize set to 131072",
        f"[Proxy Service] Device {local} CPU core {rank % 96}",
        "Connected all rings, use ring PXN 0 GDR 1",
        "threadThresholds 8/8/64 | 262144/8/64 | 512 | 512",
    ):
        yield start + text


def cluster_log(*, nodes: int) -> Iterator[str]:
    """The whole log, in pieces of about 1 MiB."""
    hosts = [f"ip-10-1-{node}-11" for node in range(2)]
    lines = texts.preamble(hosts=hosts, ranks_per_host=RANKS_PER_NODE, gpus_per_thread=1)
    size = 0
    for rank in range(nodes * RANKS_PER_NODE):
        said = [*chatter(rank, nodes=nodes), *rank_lines(rank, nodes=nodes)]
        lines += said
        size += 100 * len(said)
        if size > _PIECE_CHARACTERS:
            yield "\n".join(lines) + "\n"
            lines, size = [], 0
    yield "\n".join([*lines, *texts.table(peak=370.0, ranks=nodes * RANKS_PER_NODE)]) + "\n"


def main(nodes: int, path: Path) -> None:
    """Thin the log into a file; say how long it was, and how much memory that took."""
    before, raw = peak_mib(), 0

    def counted() -> Iterator[str]:
        nonlocal raw
        for piece in cluster_log(nodes=nodes):
            raw += len(piece)
            yield piece

    with path.open("w", encoding="utf-8") as file:
        for piece in thinned(counted()):
            file.write(piece)
    sys.stdout.write(json.dumps({"raw_bytes": raw, "peak_mib": peak_mib() - before}))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))

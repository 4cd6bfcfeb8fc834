"""SIMULATED: a long NCCL log, the lines that every rank of 64 nodes prints with NCCL_DEBUG=INFO, channel
lines above all, then the table of nccl-tests; what a rank says is repeated until the file has its size.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.diagnosis import texts

NODES, RANKS_PER_NODE, CHANNELS = 64, 8, 16
MEGABYTE = 1_000_000


def rank_lines(rank: int, *, nodes: int = NODES) -> Iterator[str]:
    """What one rank of so many nodes says: its transport, its connections inside and outside of its node."""
    node, local = divmod(rank, RANKS_PER_NODE)
    start = f"{rank}: ip-10-1-{node}-11:{4100 + local}:{4200 + local} [{local}] NCCL INFO "
    yield start + "NET/OFI Initializing aws-ofi-nccl 1.16.3"
    yield start + "NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)"
    yield start + "Using network Libfabric"
    for device in range(16):
        yield start + f"NET/OFI GUID for dev[{device}]: 000000000000000000000000{node:04x}{device:04x}"
    yield start + "Trees [0] 1/8/-1->0->-1 [1] 1/-1/-1->0->8"
    for channel in range(CHANNELS):
        peer = (rank + RANKS_PER_NODE) % (nodes * RANKS_PER_NODE)
        head = f"Channel {channel:02d}/0 : {rank}[{local}] -> "
        yield start + head + f"{rank ^ 1}[{local ^ 1}] via P2P/CUMEM"
        yield start + head + f"{peer}[{local}] [send] via NET/Libfabric/{channel % 16}/GDRDMA"
        yield start + head + f"{peer}[{local}] [receive] via NET/Libfabric/{channel % 16}/GDRDMA"
    yield start + f"comm 0x55d0 rank {rank} nranks {nodes * RANKS_PER_NODE} cudaDev {local} - Init COMPLETE"


def write_log(path: Path, *, megabytes: int) -> None:
    """Write a log of about so many megabytes (1e6 bytes)."""
    ranks = ["\n".join(rank_lines(rank)) + "\n" for rank in range(NODES * RANKS_PER_NODE)]
    hosts = [f"ip-10-1-{node}-11" for node in range(2)]
    head = texts.preamble(hosts=hosts, ranks_per_host=RANKS_PER_NODE, gpus_per_thread=1)
    left = megabytes * MEGABYTE
    with path.open("w", encoding="utf-8") as file:
        file.write("\n".join(head) + "\n")
        while left > 0:
            for text in ranks:
                left -= file.write(text)
                if left <= 0:
                    break
        file.write("\n".join(texts.table(peak=370.0, ranks=NODES * RANKS_PER_NODE)) + "\n")

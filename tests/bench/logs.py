"""``make bench-logs``: how fast a long NCCL log is read, beside ``wc -l`` on the same file, and what memory.

The log is SIMULATED: the lines that every rank of 64 nodes prints with NCCL_DEBUG=INFO, channel lines above
all, then the table of nccl-tests; what a rank says is repeated until the file has its size.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bedplate.diagnosis.parsers.collective_log import read_collective_log
from bedplate.diagnosis.parsers.lines import read_pieces, stream_lines
from tests.diagnosis import texts

NODES, RANKS_PER_NODE, CHANNELS = 64, 8, 16
MEGABYTE = 1_000_000


def rank_lines(rank: int) -> Iterator[str]:
    """What one rank says: its transport, and its connections inside and outside of its node."""
    node, local = divmod(rank, RANKS_PER_NODE)
    start = f"{rank}: ip-10-1-{node}-11:{4100 + local}:{4200 + local} [{local}] NCCL INFO "
    yield start + "NET/OFI Initializing aws-ofi-nccl 1.16.3"
    yield start + "NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)"
    yield start + "Using network Libfabric"
    for device in range(16):
        yield start + f"NET/OFI GUID for dev[{device}]: 000000000000000000000000{node:04x}{device:04x}"
    yield start + "Trees [0] 1/8/-1->0->-1 [1] 1/-1/-1->0->8"
    for channel in range(CHANNELS):
        peer = (rank + RANKS_PER_NODE) % (NODES * RANKS_PER_NODE)
        head = f"Channel {channel:02d}/0 : {rank}[{local}] -> "
        yield start + head + f"{rank ^ 1}[{local ^ 1}] via P2P/CUMEM"
        yield start + head + f"{peer}[{local}] [send] via NET/Libfabric/{channel % 16}/GDRDMA"
        yield start + head + f"{peer}[{local}] [receive] via NET/Libfabric/{channel % 16}/GDRDMA"
    yield start + f"comm 0x55d0 rank {rank} nranks {NODES * RANKS_PER_NODE} cudaDev {local} - Init COMPLETE"


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


def measure(path: Path) -> dict[str, float]:
    """Seconds of ``wc -l`` and of the reader, lines, and the growth of this process's peak memory (MiB)."""
    begun = time.perf_counter()
    counted = subprocess.run(["wc", "-l", str(path)], check=True, capture_output=True, text=True)
    counting = time.perf_counter() - begun
    before = _peak_mib()
    begun = time.perf_counter()
    with path.open("rb") as file:
        read = read_collective_log(stream_lines(read_pieces(file)))
    reading = time.perf_counter() - begun
    if read.table is None or read.info is None or not read.table.complete:
        raise SystemExit("the log was not read whole")
    return {
        "lines": float(counted.stdout.split()[0]),
        "megabytes": path.stat().st_size / MEGABYTE,
        "wc_seconds": counting,
        "reader_seconds": reading,
        "peak_growth_mib": _peak_mib() - before,
    }


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(argv: list[str] | None = None) -> int:
    """Print one line a size."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.logs", description=__doc__)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 100, 1000])
    sys.stdout.write("SIMULATED log\n    MB       lines  wc -l s  reader s   MB/s  lines/s  memory + MiB\n")
    for megabytes in parser.parse_args(argv).megabytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "nccl.log"
            write_log(path, megabytes=megabytes)
            seen = measure(path)
        speed, rate = seen["megabytes"] / seen["reader_seconds"], seen["lines"] / seen["reader_seconds"]
        sys.stdout.write(
            f"{seen['megabytes']:6.0f} {seen['lines']:11.0f} {seen['wc_seconds']:8.2f} "
            f"{seen['reader_seconds']:9.2f} {speed:6.1f} {rate:8.0f} {seen['peak_growth_mib']:13.1f}\n"
        )
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""One log read in a process of its own, so that the peak memory is that log's: prints JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from bedplate.diagnosis.parsers.collective_log import CollectiveLog, read_collective_log
from bedplate.diagnosis.parsers.lines import read_pieces, stream_lines
from tests.bench.memory import peak_mib


def main(path: Path) -> int:
    """Read it and print seconds and peak memory; 1 where the log was not read whole."""
    before = peak_mib()
    wall, processor = time.perf_counter(), time.process_time()
    with path.open("rb") as file:
        read = read_collective_log(stream_lines(read_pieces(file)))
    told = {
        "wall_s": time.perf_counter() - wall,
        "processor_s": time.process_time() - processor,
        "peak_mib": peak_mib() - before,
        "base_mib": before,
    }
    sys.stdout.write(json.dumps(told))
    return 0 if _whole(read) else 1


def _whole(read: CollectiveLog) -> bool:
    return read.table is not None and read.table.complete and read.info is not None


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))

"""The JSON of nccl-tests in the shape that its sources write, made for these tests from their text logs."""

from __future__ import annotations

import json
from typing import Any

from bedplate.diagnosis.parsers.nccl_record import Half
from bedplate.diagnosis.parsers.nccl_tests import parse_nccl_tests

SECRET = "AWS_SECRET_ACCESS_KEY=do-not-keep-me"


def nccl_json(log: str, *, version: int = 3, **changes: Any) -> dict[str, Any]:
    """The file that the run of a text log would have written; ``changes`` replace whole entries."""
    table = parse_nccl_tests(log)
    average = {"bandwidth": 0.0, "okay": "unchecked"}
    if table.average is not None:
        average["bandwidth"] = table.average.value
    results = [
        {
            "size": row.size_bytes,
            "count": row.count,
            "type": row.dtype,
            "redop": row.redop,
            "root": f"{-1 if row.root is None else row.root:6d}",
            "out_of_place": _half(row.out_of_place),
            "in_place": _half(row.in_place),
            **({} if version == 1 else {"out_of_place_per_iter": {"min_us": 1.5, "times_us": [1.5, 2.5]}}),
            "actual_iterations": 20,
            "experiment_name": "AllReduce",
        }
        for row in table.rows
    ]
    return {
        "version": version,
        "start_time": "2026-10-01 10:00:00",
        "args": ["/opt/nccl-tests/build/all_reduce_perf", "-b", "8", "-J", "out.json"],
        "env": ["PATH=/usr/bin", SECRET],
        "nccl_version": 22707,
        "config": {
            "nthreads": 1,
            "ngpus": 1,
            "minimum_bytes": 8,
            "maximum_bytes": 16 * 1024**3,
            "step_factor": 2,
            "validation": 1,
            "blocking_collectives": "false",
            "devices": [{"rank": rank.rank, "hostname": rank.host, "device": 0} for rank in table.ranks],
        },
        "results": results,
        "out_of_bounds": {"count": table.bounds_failed, "okay": "true" if table.bounds_ok else "false"},
        "average_bus_bandwidth": average,
        "errors": [""],
        "end_time": "2026-10-01 10:01:00",
        **changes,
    }


def _half(half: Half) -> dict[str, Any]:
    return {
        "time": half.time_us.value,
        "alg_bw": half.algbw.value,
        "bus_bw": half.busbw.value,
        "nwrong": half.wrong,
    }


def dumped(data: dict[str, Any]) -> str:
    """As the file holds it."""
    return json.dumps(data)

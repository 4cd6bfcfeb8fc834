"""NVLink's error counters of every GPU, as DCGM tells them: one program a GPU."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List

from bedplate.diagnosis.gpu_tools import nvlink_errors_argv
from bedplate.node.process import Limits, run_tool

SECONDS = 30.0
_AT_ONCE = 4


def nvlink_counters(gpus: int) -> List[Dict[str, Any]]:
    """The runs in the order of the GPUs; together they take no longer than ``SECONDS`` for each four."""

    def one(gpu: int) -> Dict[str, Any]:
        return run_tool(argv=nvlink_errors_argv(gpu=gpu), limits=Limits(SECONDS)).as_json()

    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return list(pool.map(one, range(gpus)))


def longest_seconds(gpus: int) -> float:
    """The longest that it may take."""
    return SECONDS * -(-gpus // _AT_ONCE)

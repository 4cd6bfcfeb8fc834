"""What a validation of N simulated nodes costs the controller: a process each, against a stand-in for AWS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.bench.engine.answers import Nodes
from tests.bench.engine.small_aws import Server
from tests.bench.timing import ROOT, BenchFailedError

_LIMIT_S = 1800


@dataclass(frozen=True)
class Cost:
    """``calls`` are requests to AWS by name; times are seconds, memory MiB above an idle controller's."""

    nodes: int
    wall_s: float
    processor_s: float
    peak_mib: float
    base_mib: float
    passed: bool
    calls: Mapping[str, int]
    steps_s: Mapping[str, float]
    verdicts: int
    detail: Mapping[str, Any]

    @property
    def calls_per_node(self) -> float:
        """Requests to AWS for each node."""
        return sum(self.calls.values()) / self.nodes

    @property
    def processor_ms_per_node(self) -> float:
        """The controller's processor time for each node."""
        return 1000 * self.processor_s / self.nodes

    @property
    def peak_kib_per_node(self) -> float:
        """The controller's peak memory for each node."""
        return 1024 * self.peak_mib / self.nodes


def measure(size: int) -> Cost:
    """Validate so many healthy nodes once. Raises ``BenchFailedError`` where the controller fails."""
    nodes = Nodes(size)
    server = Server(nodes)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.engine.controller"],
            cwd=ROOT,
            env={
                **os.environ,
                "AWS_ENDPOINT_URL": server.endpoint,
                "AWS_ACCESS_KEY_ID": "testing",
                "AWS_SECRET_ACCESS_KEY": "testing",
                "AWS_DEFAULT_REGION": "us-west-2",
                "PYTHONPATH": str(ROOT),
            },
            input=nodes.manifest().model_dump_json(),
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    finally:
        server.close()
        nodes.close()
    if done.returncode:
        raise BenchFailedError(
            f"a validation of {size} nodes ended with {done.returncode}:\n{done.stderr[-3000:]}"
        )
    told = json.loads(done.stdout)
    return Cost(
        nodes=size,
        wall_s=told["wall_s"],
        processor_s=told["processor_s"],
        peak_mib=told["peak_mib"],
        base_mib=told["base_mib"],
        passed=told["passed"],
        calls=dict(server.aws.calls),
        steps_s=told["steps_s"],
        verdicts=told["verdicts"],
        detail={"reasons": told["reasons"], "not_passed": told["not_passed"], "rounds": told["rounds"]},
    )

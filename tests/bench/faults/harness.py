"""Run the real validation over and over on simulated nodes, each time with other faults, and score it."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, Self

from bedplate.errors import AwsRefused
from bedplate.validation.evidence import EvidenceStore
from bedplate.validation.progress import NullProgress
from bedplate.validation.record import Record
from bedplate.validation.result import RunResult
from bedplate.validation.steps.context import Context
from bedplate.validation.validate import Validation
from tests.bench.faults.clients import MemoryClients
from tests.bench.faults.cluster import Cluster
from tests.bench.faults.draws import THROTTLED, Run
from tests.bench.faults.played_node import PlayedNodes
from tests.bench.faults.score import Score, score
from tests.bench.faults.transports import played_transport, process_transport
from tests.bench.faults.virtual_time import VirtualTime

How = Literal["processes", "played"]
_MEMORY = "/dev/shm"


class Harness:
    """A context manager; boots each cluster once, when its first run comes."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._clusters: dict[tuple[str, int], Cluster] = {}

    def __enter__(self) -> Self:
        # Nodes write many small files: in memory where the machine has such a place.
        place = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="bedplate-proof-", dir=place))
        self._folder = Path(folder)
        return self

    def __exit__(self, *_: object) -> None:
        for cluster in self._clusters.values():
            cluster.close()
        self._stack.close()

    def score(self, run: Run, *, how: How) -> Score:
        """One run's score; what the validation raises is a crash, and never a pass."""
        begun = time.perf_counter()
        try:
            return self.run(run, how=how)[0]
        except Exception as error:  # noqa: BLE001 - it is counted, and the next run goes on
            seconds = round(time.perf_counter() - begun, 3)
            told = f"{type(error).__name__}: {error}"[:300]
            return Score(run.number, how, run.instance_type, run.size, (), False, seconds=seconds, crash=told)

    def run(self, run: Run, *, how: How) -> tuple[Score, RunResult, Mapping[str, Any]]:
        """One run; its score, its result, and what was injected."""
        cluster = self._cluster(run.instance_type, run.size)
        injected = dict(cluster.inject(run.plan()))
        if run.throttled_after is not None:
            row = {"cause": THROTTLED, "kind": "cluster", "subjects": [], "detail": {}}
            injected["faults"] = [*injected["faults"], row]
        begun = time.perf_counter()
        left = run.throttled_after
        # Each has a name of its own, as in life: one that AWS cut off may leave files behind.
        name = f"run-{run.number}"
        result = _processes(cluster, name, left) if how == "processes" else _played(cluster, name, left)
        scored = score(
            number=run.number,
            how=how,
            instance_type=run.instance_type,
            size=run.size,
            injected=injected,
            result=result,
            seconds=time.perf_counter() - begun,
        )
        return scored, result, injected

    def _cluster(self, instance_type: str, size: int) -> Cluster:
        key = (instance_type, size)
        if key not in self._clusters:
            folder = self._folder / f"{instance_type}-{size}"
            folder.mkdir(exist_ok=True)
            self._clusters[key] = Cluster(folder, instance_type=instance_type, size=size)
        return self._clusters[key]


def _processes(cluster: Cluster, name: str, questions: int | None) -> RunResult:
    transport = process_transport(cluster)
    transport.questions_left = questions
    return validate(cluster, name, transport)


def _played(cluster: Cluster, name: str, questions: int | None) -> RunResult:
    clock = VirtualTime()
    with PlayedNodes(clock, cluster.environment) as nodes:
        transport = played_transport(cluster, nodes, clock)
        transport.questions_left = questions
        return validate(cluster, name, transport)


def validate(cluster: Cluster, name: str, transport: Any) -> RunResult:
    """All steps of the real validation. Where AWS refuses, what is known then: a run that was cut off."""
    clients: Any = MemoryClients(cluster)
    manifest = cluster.manifest()
    evidence = EvidenceStore(clients, manifest.validation.result_bucket, name)
    record = Record(manifest, simulated=True, evidence_location=evidence.location)
    validation = Validation(Context(record, clients, transport, evidence, NullProgress()))
    try:
        return validation.run()
    except AwsRefused:
        return validation.result()

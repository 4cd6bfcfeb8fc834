"""SIMULATED: collectives over any number of nodes, as the fleet's stand-ins print them, without processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bedplate.node.collectives import between_nodes_argv, between_nodes_environment
from bedplate.node.run_jobs import Job as Order
from bedplate.node.run_jobs import decode_jobs
from bedplate.sandbox.fleet.effects import Effects, effects_of
from bedplate.sandbox.fleet.hardware_facts import read_hardware
from bedplate.sandbox.fleet.tools.job import Job
from bedplate.sandbox.fleet.tools.nccl_arguments import parse
from bedplate.sandbox.fleet.tools.nccl_tests import run_job
from bedplate.sandbox.fleet.truth import NodeTruth
from bedplate.validation.transports.question import Question


class SimulatedRuns:
    """Answers ``run-jobs`` for nodes named ``h200-N``; ``faults`` is index → (cause, detail)."""

    def __init__(
        self,
        *,
        size: int,
        kind: str = "p5en.48xlarge",
        faults: Mapping[int, tuple[str, Mapping[str, Any]]] | None = None,
        all_slow: float = 1.0,
    ) -> None:
        self.launched: list[tuple[str, int]] = []
        self._truths = {
            f"h200-{index}": _truth(index, kind, _effects((faults or {}).get(index), all_slow))
            for index in range(size)
        }

    def __call__(self, _instance_id: str, question: Question) -> dict[str, Any]:
        """The login node's answer."""
        jobs = decode_jobs(question.options[question.options.index("--jobs") + 1])
        return {"jobs": [self._run(job) for job in jobs]}

    def _run(self, order: Order) -> dict[str, Any]:
        self.launched.append((order.collective, len(order.nodes)))
        nodes = tuple(self._truths[name] for name in order.nodes)
        lines: list[str] = []
        tool, *words = between_nodes_argv(collective=order.collective)
        code = run_job(
            Job(order.collective, nodes, order.gpus),
            parse(tool, words),
            between_nodes_environment(path=order.path),
            lambda rank, line: lines.append(f"{rank}: {line}"),
        )
        return {
            "id": order.job_id,
            "rc": code,
            "timed_out": False,
            "truncated": False,
            "stdout": "\n".join(lines) + "\n",
            "stderr": "",
        }


def _effects(fault: tuple[str, Mapping[str, Any]] | None, all_slow: float) -> Effects:
    effects = effects_of([fault] if fault else [])
    return replace(effects, fabric_speed=effects.fabric_speed * all_slow)


def _truth(index: int, kind: str, effects: Effects) -> NodeTruth:
    return NodeTruth(
        instance_id=f"i-{index:017x}",
        hostname=f"ip-10-0-0-{index + 1}",
        private_ip=f"10.0.0.{index + 1}",
        slurm_name=f"h200-{index}",
        role="compute",
        instance_type=kind,
        partitions=("train",),
        boot_id="boot",
        booted_at="2026-02-03T08:00:00+00:00",
        seed="seed",
        hardware=read_hardware(kind, role="compute"),
        effects=effects,
        folder=Path("/nonexistent"),
    )


def asked_of(runs: SimulatedRuns) -> Sequence[tuple[str, int]]:
    """(collective, nodes) of what was launched over more than two nodes, in order."""
    return [each for each in runs.launched if each[1] > 2]

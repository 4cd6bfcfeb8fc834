"""SIMULATED: what any number of healthy nodes answers, made from one node that was really booted and asked.

A node's probe and exercise are taken once from the played fleet; every other node's is that answer with its
own id, name and address. Collectives and the scheduler are the fleet's stand-ins themselves, called with as
many nodes as are asked for.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from bedplate.manifest import ClusterManifest
from bedplate.node.collectives import between_nodes_environment
from bedplate.node.envelope import open_envelope, seal
from bedplate.node.large_log import THIN_FROM_BYTES
from bedplate.node.process import OUTPUT_LIMIT_BYTES, ToolRun
from bedplate.node.run_jobs import Job as Order
from bedplate.node.run_jobs import decode_jobs, srun_argv
from bedplate.node.scheduler import TOOLS as SCHEDULER_TOOLS
from bedplate.node.stages.settings import ExerciseSettings
from bedplate.node.thin_log import thinned
from bedplate.sandbox.fleet.tools import srun
from bedplate.sandbox.fleet.tools.scontrol import main as scontrol
from bedplate.sandbox.fleet.tools.sinfo import main as sinfo
from bedplate.sandbox.fleet.truth import NodeTruth
from tests.bench.faults.cluster import LOGIN, Cluster
from tests.bench.faults.played_node import PlayedNodes
from tests.bench.faults.virtual_time import VirtualTime

_TYPE = "p5en.48xlarge"
_PLAYERS = {"scontrol": scontrol, "sinfo": sinfo}
_NONCE = "nonce-of-the-template"
_PACK = gzip.compress


@dataclass
class Nodes:
    """``size`` healthy nodes and a login node, without a folder of their own."""

    size: int

    def __post_init__(self) -> None:
        self._clock = VirtualTime()
        self._folder = tempfile.TemporaryDirectory(prefix="bedplate-engine-")
        self._cluster = Cluster(Path(self._folder.name), instance_type=_TYPE, size=1)
        self._login = self._cluster.truths()[LOGIN]
        self._first = self._cluster.truths()[Cluster.node_id(0)]
        self._truths = {self.node_id(i): self._truth(i) for i in range(self.size)}
        self._by_name = {truth.slurm_name: truth for truth in self._truths.values()}
        self._templates: dict[tuple[str, ...], str] = {}

    @staticmethod
    def node_id(index: int) -> str:
        """The instance id of a compute node."""
        return f"i-{index:017x}"

    @staticmethod
    def address(index: int) -> str:
        """Its private address."""
        return f"10.{1 + index // 62500}.{index // 250 % 250}.{index % 250 + 4}"

    def manifest(self) -> ClusterManifest:
        """What the deploy of so many nodes left behind."""
        found = self._cluster.manifest()
        pool = found.pools[0].model_copy(update={"node_count_min": self.size, "node_count_max": self.size})
        # The round trip through S3 is one node's, whatever their number, and no template can answer it.
        file_systems = [each.model_copy(update={"associations": []}) for each in found.file_systems]
        return found.model_copy(update={"pools": [pool], "file_systems": file_systems})

    def instances(self, group: str) -> list[tuple[str, str, str]]:
        """(id, type, address) of ``login`` or ``compute``."""
        if group == "login":
            return [(LOGIN, "c7i.xlarge", self._login.private_ip)]
        return [(self.node_id(i), _TYPE, self.address(i)) for i in range(self.size)]

    def answer(self, instance_id: str, words: Sequence[str]) -> str:
        """What ``bedplate-node.pyz WORDS`` prints on the node."""
        command, options = words[0], dict(zip(words[1::2], words[2::2], strict=False))
        nonce = options.pop("--nonce")
        if instance_id == LOGIN:
            body = self._scheduler() if command == "scheduler" else self._jobs(options["--jobs"], nonce)
        else:
            body = self._own(instance_id, (command, *(word for pair in options.items() for word in pair)))
        return _sealed(body=body, instance_id=instance_id, nonce=nonce, command=command)

    def close(self) -> None:
        """Remove what was booted."""
        self._cluster.close()
        self._folder.cleanup()

    def _truth(self, index: int) -> NodeTruth:
        address = self.address(index)
        return replace(
            self._first,
            instance_id=self.node_id(index),
            private_ip=address,
            hostname="ip-" + address.replace(".", "-"),
            slurm_name=f"gpu-{index + 1}",
        )

    def _own(self, instance_id: str, words: tuple[str, ...]) -> Mapping[str, Any]:
        """The template's answer under another name."""
        if words not in self._templates:
            asked = [words[0], "--nonce", _NONCE, *words[1:]]
            with PlayedNodes(self._clock, self._cluster.environment) as nodes:
                text = nodes.run(self._first, asked, deadline_seconds=3600).stdout
            body = open_envelope(
                text, instance_id=self._first.instance_id, nonce=_NONCE, command=words[0]
            ).body
            self._templates[words] = json.dumps(body)
        truth = self._truths[instance_id]
        text = (
            self._templates[words]
            .replace(self._first.instance_id, instance_id)
            .replace(self._first.hostname, truth.hostname)
            .replace(self._first.private_ip, truth.private_ip)
        )
        found: Mapping[str, Any] = json.loads(text)
        return found

    def _scheduler(self) -> Mapping[str, Any]:
        runs = []
        fleet = "bedplate.sandbox.fleet.tools.scontrol.read_fleet"
        state = "bedplate.sandbox.fleet.tools.scontrol.slurm_state"
        idle = srun.slurm_state(self._first)
        with mock.patch(fleet, return_value=self._truths), mock.patch(state, return_value=idle):
            for argv in SCHEDULER_TOOLS:
                player = _PLAYERS[argv[0]]
                runs.append(_run(argv, lambda p=player, a=argv: p(a[0], list(a[1:]), self._login), {}))
        return {"tools": runs}

    def _jobs(self, encoded: str, nonce: str) -> Mapping[str, Any]:
        return {"jobs": [self._job(job, nonce) for job in decode_jobs(encoded)]}

    def _job(self, job: Order, nonce: str) -> Mapping[str, Any]:
        told = {"id": job.job_id, "kind": job.kind, "nodes": list(job.nodes)}
        if job.kind == "exercise":
            return {**told, **self._exercise(job, job.exercise, nonce)}
        truths = [self._by_name[name] for name in job.nodes]

        def play() -> int:
            options = srun.parse(list(srun_argv(job, nonce=nonce)[1:]), {})
            return srun._run_collective(options, truths)

        # All nodes stand in one folder here, and their counters are answered from the template.
        with mock.patch("bedplate.sandbox.fleet.tools.nccl_tests.count_traffic"):
            return {**told, **_run(srun_argv(job, nonce=nonce), play, between_nodes_environment())}

    def _exercise(self, job: Order, settings: ExerciseSettings, nonce: str) -> Mapping[str, Any]:
        (name,) = job.nodes
        instance_id = self._by_name[name].instance_id
        body = self._own(instance_id, ("exercise", "--settings", settings.encode()))
        text = _sealed(body=body, instance_id=instance_id, nonce=nonce, command="exercise")
        return _told(srun_argv(job, nonce=nonce), 0, text, "")


def _run(argv: Sequence[str], play: Any, environment: Mapping[str, str]) -> dict[str, Any]:
    """One run of one tool, as the node program tells it."""
    out, err = io.StringIO(), io.StringIO()
    with mock.patch.dict(os.environ, environment), redirect_stdout(out), redirect_stderr(err):
        code = int(play())
    return _told(argv, code, out.getvalue(), err.getvalue())


def _told(argv: Sequence[str], code: int, stdout: str, stderr: str) -> dict[str, Any]:
    if len(stdout) > THIN_FROM_BYTES:
        # Of collectives alone: nothing else prints as much.
        stdout = "".join(thinned([stdout]))
    if max(len(stdout), len(stderr)) <= OUTPUT_LIMIT_BYTES:
        return ToolRun(argv[0], tuple(argv), code, False, False, 1.0, stdout, stderr).as_json()
    # The node program stops a tool that prints more, and says so: such a run is no pass.
    kept, errors = stdout[:OUTPUT_LIMIT_BYTES], stderr[:OUTPUT_LIMIT_BYTES]
    problem = f"printed more than {OUTPUT_LIMIT_BYTES} bytes"
    return ToolRun(argv[0], tuple(argv), None, False, True, 1.0, kept, errors, problem).as_json()


def _sealed(**words: Any) -> str:
    """As a node seals it, packed less hard: that is not the cost that is measured here."""
    with mock.patch("gzip.compress", lambda data, mtime: _PACK(data, 1, mtime=mtime)):
        return seal(**words)

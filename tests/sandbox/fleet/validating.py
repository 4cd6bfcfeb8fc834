"""The real validation, step by step, against simulated nodes without any AWS between."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bedplate.manifest import ClusterManifest
from bedplate.node.envelope import EnvelopeError, open_envelope
from bedplate.sandbox.fleet import Fleet, NodeUnreachable
from bedplate.sandbox.fleet.leaves import network_nodes
from bedplate.validation.evidence import EvidenceStore
from bedplate.validation.progress import NullProgress
from bedplate.validation.record import Record
from bedplate.validation.result import RunResult
from bedplate.validation.steps.context import Context
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.validate import Validation

from .buckets import SharedS3
from .conftest import FSX, LOGIN, node_id

NONCE = "0123456789abcdef0123456789abcdef"


class FleetTransport:
    """Asks nodes as the SSM transport does, without SSM."""

    def __init__(self, fleet: Fleet, clients: Any) -> None:
        self._fleet = fleet
        self._slept_seconds = 0.0
        self.clients = clients

    def sleep(self, seconds: float) -> None:
        """Nothing is worth waiting for; the clock goes on all the same."""
        self._slept_seconds += seconds

    def clock(self) -> float:
        """Seconds, those that were to be slept counted."""
        return time.monotonic() + self._slept_seconds

    def ask(
        self,
        *,
        instance_ids: Sequence[str],
        question: Question,
        on_reply: Callable[[Reply], None] | None = None,
    ) -> dict[str, Reply]:
        """One reply for each instance."""
        with ThreadPoolExecutor(4) as pool:
            replies = dict(
                zip(instance_ids, pool.map(lambda each: self._one(each, question), instance_ids), strict=True)
            )
        for reply in replies.values():
            if on_reply:
                on_reply(reply)
        return replies

    def _one(self, instance_id: str, question: Question) -> Reply:
        words = " ".join([question.command, "--nonce", NONCE, *question.options])
        script = f'exec python3 "$BEDPLATE_ROOT/opt/bedplate/bedplate-node.pyz" {words}'
        try:
            result = self._fleet.run_shell(instance_id, script, question.deadline_seconds)
            answer = open_envelope(
                result.stdout, instance_id=instance_id, nonce=NONCE, command=question.command
            )
        except NodeUnreachable as error:
            return Reply(instance_id, problem=str(error), unreachable=True)
        except EnvelopeError as error:
            return Reply(instance_id, problem=str(error))
        return Reply(instance_id, answer=answer)


def manifest(nodes: int) -> ClusterManifest:
    """What a deploy of the demo leaves behind, as far as these steps read it."""
    return ClusterManifest.model_validate(
        {
            "environment": "demo",
            "account": "123456789012",
            "region": "us-west-2",
            "zone_id": "usw2-az2",
            "orchestrator": {
                "kind": "slurm-pcs",
                "cluster_id": "pcs_1",
                "cluster_name": "demo",
                "version": "25.05",
            },
            "pools": [
                {
                    "name": "gpu",
                    "instance_type": "p5en.48xlarge",
                    "node_count_min": nodes,
                    "node_count_max": nodes,
                    "node_group_id": "compute",
                    "selection_tags": {"group": "compute"},
                    "partitions": ["gpu"],
                    "expected_gpus_per_node": 8,
                    "expected_efas_per_node": 16,
                    "capacity_source": "on-demand",
                }
            ],
            "login": {"node_group_id": "login", "selection_tags": {"group": "login"}},
            "file_systems": [
                {
                    "kind": "lustre",
                    "created": True,
                    "file_system_id": "fs-0123456789abcdef0",
                    "mount_source": FSX,
                    "mount_path": "/fsx",
                    "efa": True,
                    "throughput_mb_per_s": 9375,
                    "associations": [
                        {"path": "/datasets", "data_repository": "s3://datasets/v1/", "imports": ["new"]},
                        {"path": "/checkpoints", "data_repository": "s3://checkpoints/", "exports": ["new"]},
                    ],
                }
            ],
            "local_nvme": "raid0",
            "observability": None,
            "validation": {
                "result_bucket": "results",
                "command_document": "demo-node",
                "dcgm_level": 2,
                "throughput": True,
                "collectives": ["all_reduce", "all_gather"],
                "waivers": {},
                "on_failure": "report",
            },
        }
    )


def validate(fleet: Fleet, *, nodes: int, folder: Path) -> RunResult:
    """Run all steps of a validation on the fleet."""
    return Validation(new_context(fleet, nodes=nodes, folder=folder)).run()


def new_context(fleet: Fleet, *, nodes: int, folder: Path) -> Context:
    """What every step of a validation of the fleet works with."""
    tied = {"file_system_id": "fs-0123456789abcdef0"}
    fleet.tie(
        [
            {
                **tied,
                "path": "/datasets",
                "bucket": "datasets",
                "prefix": "v1/",
                "imports": ["NEW"],
                "exports": [],
            },
            {
                **tied,
                "path": "/checkpoints",
                "bucket": "checkpoints",
                "prefix": "",
                "imports": [],
                "exports": ["NEW"],
            },
        ]
    )
    clients = SimpleNamespace(
        ec2=SimpleNamespace(get_paginator=lambda name: _Instances(nodes)),
        s3=SharedS3(),
        simulated=True,
    )
    evidence = EvidenceStore(clients, "results", "run", folder)
    record = Record(manifest(nodes), simulated=True, evidence_location=evidence.location)
    transport: Any = FleetTransport(fleet, clients)
    return Context(record, clients, transport, evidence, NullProgress())


class _Instances:
    def __init__(self, nodes: int) -> None:
        self._nodes = nodes

    def paginate(
        self,
        *,
        Filters: Sequence[Mapping[str, Any]] = (),  # noqa: N803
        InstanceIds: Sequence[str] = (),  # noqa: N803
    ) -> Iterator[Mapping[str, Any]]:
        """The login node or the compute nodes, by the group that is asked for; or where those nodes stand."""
        if InstanceIds:
            places = {node_id(place): place for place in range(self._nodes)}
            yield {
                "Instances": [
                    {"InstanceId": each, "NetworkNodes": list(network_nodes(places[each]))}
                    for each in InstanceIds
                ]
            }
            return
        login = Filters[0]["Values"] == ["login"]
        ids = (
            [(LOGIN, "10.0.0.5")] if login else [(node_id(i), f"10.0.1.{i + 5}") for i in range(self._nodes)]
        )
        rows = [
            {
                "InstanceId": each,
                "InstanceType": "c7i.xlarge" if login else "p5en.48xlarge",
                "PrivateIpAddress": address,
                "State": {"Name": "running"},
            }
            for each, address in ids
        ]
        yield {"Reservations": [{"Instances": rows}]}


def injected(fleet: Fleet) -> dict[str, Any]:
    """What the fleet says it injected."""
    record: dict[str, Any] = json.loads((fleet._state_dir / "injected.json").read_text(encoding="utf-8"))
    return record

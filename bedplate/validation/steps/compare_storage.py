"""The speed of disks and file systems: each node's figures beside those of the other nodes of its pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bedplate.diagnosis.applicability import required_checks
from bedplate.diagnosis.checks import file_system_speed, nvme_speed
from bedplate.diagnosis.checks.speed_rule import median_gb_per_s
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.parsers.disk_speed import DiskSpeed
from bedplate.diagnosis.storage_speed import PlaceSpeed, StorageSpeeds
from bedplate.diagnosis.verdict import Verdict
from bedplate.validation.record import Node
from bedplate.validation.steps.context import Context

STORAGE_CHECKS = (nvme_speed.CHECK, file_system_speed.CHECK)


def compare_storage(context: Context) -> None:
    """NVM-002 and FSX-002 of every node whose exercise answered; the others have theirs already."""
    for pool in context.record.manifest.pools:
        nodes = [node for node in context.record.of_pool(pool) if node.storage is not None]
        if nodes:
            context.record.add(_judge(nodes, context.record.expected_of(pool), len(context.record.nodes)))


def _judge(nodes: Sequence[Node], expected: NodeExpectation, count: int) -> Iterator[Verdict]:
    read = {node.node: node.storage or StorageSpeeds() for node in nodes}
    scratch = _median([speeds.scratch for speeds in read.values()])
    mounts = {
        mount.path: _median([speeds.at(mount.path) for speeds in read.values()])
        for mount in file_system_speed.lustre_mounts(expected)
    }
    for node in nodes:
        required = required_checks(node.hardware, nodes=count, expected=expected)
        evidence = (f"nodes/{node.node}/exercise.json",)
        if nvme_speed.CHECK.id in required:
            yield nvme_speed.check(
                node=node.node,
                place=read[node.node].scratch,
                median=scratch,
                instance_type=node.hardware,
                evidence=evidence,
            )
        if file_system_speed.CHECK.id in required:
            yield file_system_speed.check(
                node=node.node,
                speeds=read[node.node],
                medians=mounts,
                expected=expected,
                evidence=evidence,
            )


def _median(places: Sequence[PlaceSpeed | None]) -> float | None:
    """Of those that can be trusted: one whose data came back wrong is no yardstick."""
    records: list[DiskSpeed] = [
        place.speed.record
        for place in places
        if place is not None
        and place.speed.record is not None
        and not place.speed.problem
        and not place.speed.record.wrong_blocks
    ]
    return median_gb_per_s(records)

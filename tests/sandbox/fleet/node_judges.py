"""Every check about one node as a function of the node's two answers, as the validation's steps ask it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

from bedplate.diagnosis import node as front_door
from bedplate.diagnosis.bandwidth_expectation import NAMED_SIZES, Accepted
from bedplate.diagnosis.checks import (
    EXERCISE_CHECKS,
    PROBE_CHECKS,
    file_system_speed,
    nccl_in_node,
    nvme_speed,
    software_versions,
)
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.node import ExerciseJudgement, judge_exercise
from bedplate.diagnosis.storage_speed import StorageSpeeds, read_storage_speeds
from bedplate.diagnosis.storage_tools import SCRATCH
from bedplate.diagnosis.told_versions import read_versions
from bedplate.diagnosis.verdict import Verdict

from .conftest import node_id
from .whole_node import RUN_ID, WholeNode

_BASELINE = tuple((size, Accepted(1.0, 1, "a baseline of this test")) for size in NAMED_SIZES)
"""Types without a published figure inside a node can be a pass by a baseline alone."""

Answer = Mapping[str, Any]
Judge = Callable[[Answer, Answer], Verdict]
"""Of the answers to ``probe`` and to ``exercise``."""


def node_judges(node: WholeNode) -> dict[str, Judge]:
    """Check id → judge, for each check about a node that one node's own answers decide.

    Disks and file systems are held to the median of nodes that are as fast as this one is when it is well.
    """

    def facts(answer: Answer) -> NodeFacts:
        return NodeFacts(node=node_id(0), answer=answer, instance_type=node.kind, expected=node.expected)

    def in_node(answer: Answer) -> ExerciseJudgement:
        # NCL-001 alone, so that what it reads is not mixed with what the others read.
        with patch.object(front_door, "EXERCISE_CHECKS", ()):
            return judge_exercise(facts(answer), accepted=_BASELINE)

    def versions(probe: Answer, exercise: Answer) -> Verdict:
        told, nccl = read_versions(probe), in_node(exercise).versions
        return software_versions.check(
            node=node_id(0),
            versions={**told.versions, **nccl},
            exercised=bool(nccl),
            unread=told.unread,
            instance_type=node.kind,
        )

    well = _speeds(node.exercise)
    medians = {each.place: _speed(well, each.place) for each in well.mounts}
    judges: dict[str, Judge] = {}
    for check in PROBE_CHECKS:
        judges[check.id] = lambda probe, _, judge=check.judge: judge(facts(probe))
    for check in EXERCISE_CHECKS:
        judges[check.id] = lambda _, exercise, judge=check.judge: judge(facts(exercise))
    judges[nvme_speed.CHECK.id] = lambda _, exercise: nvme_speed.check(
        node=node_id(0),
        place=_speeds(_stage(exercise, "nvme")).scratch,
        median=_speed(well, SCRATCH),
        instance_type=node.kind,
    )
    judges[file_system_speed.CHECK.id] = lambda _, exercise: file_system_speed.check(
        node=node_id(0), speeds=_speeds(_stage(exercise, "lustre")), medians=medians, expected=node.expected
    )
    if node.kind.gpus > 1:
        judges[nccl_in_node.CHECK.id] = lambda _, exercise: in_node(exercise).verdicts[-1]
    judges[software_versions.CHECK.id] = versions
    return judges


def _stage(exercise: Answer, name: str) -> Answer:
    """The answer as if it held this stage alone."""
    return {"stages": {name: exercise["stages"].get(name)}}


def _speeds(exercise: Answer) -> StorageSpeeds:
    return read_storage_speeds(answer=exercise, scratch=SCRATCH, run_id=RUN_ID)


def _speed(speeds: StorageSpeeds, path: str) -> float:
    place = speeds.scratch if path == SCRATCH else speeds.at(path)
    assert place is not None
    assert place.speed.record is not None
    return place.speed.record.lower_gb_per_s

"""No answer about the cluster that lacks a part, or has it broken, leaves the validation passed.

What one node says of itself is held to the same in ``tests/sandbox/fleet/test_no_output_no_pass.py``; here
are the questions that the engine asks beside it: of the scheduler, of the jobs between nodes, of the way to
S3, of the devices' counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from bedplate.validation.judgement import judge
from tests.bench.faults.cluster import Cluster
from tests.bench.faults.spoiled import ANY, DAMAGES, Seen, damaged, paths, spoiled_run

pytestmark = pytest.mark.slow

OF_ONE_NODE = ("probe", "exercise")
ENVELOPE = frozenset(
    {
        *("boot_id", "command", "finished_at", "hostname", "instance_id"),
        *("nonce", "program_version", "schema", "simulated", "started_at"),
    }
)
"""Who answered what, and when: held against the question before an answer is one."""
EXCUSED: Mapping[tuple[str, str], str] = {
    ("association", "places/*/in/problem"): "why there is no file; without one the file decides",
    ("association", "places/*/in/seconds"): "told, not judged",
    ("association", "places/*/in/state_before"): "told as a note: a file that loads need not be released",
    ("association", "places/*/in/state_after"): "evidence",
    ("association", "places/*/out/problem"): "why nothing was written; what reached S3 decides",
    ("association", "places/*/out/state"): "evidence",
    ("association", "places/*/removed"): "what may be left is a finding",
    ("scheduler", "tools/*/problem"): "words for the status beside it",
    ("scheduler", "tools/*/seconds"): "told, not judged",
    ("scheduler", "tools/*/tool"): "the command line names the tool",
    ("scheduler", "tools/*/truncated"): "a node that a cut list lacks is not known, and is no pass",
    ("run-jobs", "jobs/*/argv"): "evidence",
    ("run-jobs", "jobs/*/kind"): "the id names the job",
    ("run-jobs", "jobs/*/nodes"): "the id names the job, and the log its hosts",
    ("run-jobs", "jobs/*/problem"): "words for the status beside it",
    ("run-jobs", "jobs/*/seconds"): "told, not judged",
    ("run-jobs", "jobs/*/stderr"): "NCCL writes to the other stream, and a failure has a status",
    ("run-jobs", "jobs/*/tool"): "the command line names the tool",
    ("efa-counters", "infiniband"): "counters are evidence beside a bandwidth, and never a pass",
}
"""(question, part) → why the run may pass without it."""
HALF_IS_ENOUGH = {("scheduler", "tools"): "the second tool tells Slurm's version, which is not judged"}
"""(question, part) → why the run may pass with the first half of it alone."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two healthy nodes and a login node, SIMULATED."""
    made = Cluster(tmp_path_factory.mktemp("damaged"), instance_type="p5en.48xlarge", size=2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def well(cluster: Cluster) -> Seen:
    """Every answer of a run that passes."""
    result, seen = spoiled_run(cluster)
    assert judge(result=result).passed
    return seen


@pytest.fixture(scope="module")
def parts(well: Seen) -> list[tuple[str, str]]:
    """(question, part) of every answer about the cluster."""
    found = {
        (command, "/".join(path))
        for command, body in well.answers
        if command not in OF_ONE_NODE
        for path in paths(body)
        if path[0] not in ENVELOPE
    }
    assert {command for command, _ in found} == {"association", "efa-counters", "run-jobs", "scheduler"}
    return sorted(found)


def test_no_part_is_missed_in_silence(cluster: Cluster, well: Seen, parts: list[tuple[str, str]]) -> None:
    """Absent, nothing, empty, half, or of another kind: no pass, and no crash either."""
    passed = []
    for command, part in parts:
        path = tuple(part.split("/"))
        bodies = [body for asked, body in well.answers if asked == command]
        for name, damage in DAMAGES.items():
            harmless = all(damaged(body, path, damage) == body for body in bodies)
            if harmless or _excuse(command, part) or (name == "half" and (command, part) in HALF_IS_ENOUGH):
                continue
            result, _ = spoiled_run(cluster, command=command, path=path, damage=damage)
            if judge(result=result).passed:
                passed.append((command, part, name))
    assert passed == []


def test_every_excuse_is_needed(cluster: Cluster, parts: list[tuple[str, str]]) -> None:
    """A line that excuses nothing would hide the next gap."""
    assert set(EXCUSED) <= set(parts)
    for command, path in EXCUSED:
        damage = DAMAGES["absent"]
        result, _ = spoiled_run(cluster, command=command, path=tuple(path.split("/")), damage=damage)
        assert judge(result=result).passed, (command, path)


def _excuse(command: str, path: str) -> str:
    """The reason of the part, or of one that it lies in."""
    steps = path.split("/")
    above = ("/".join(steps[: end + 1]) for end in range(len(steps)))
    return next((EXCUSED[command, each] for each in above if (command, each) in EXCUSED), "")


def test_many_alike_are_one_part() -> None:
    """A part of each element of a list, or of each device, has one path; counters are one part."""
    answer = {"a": [{"b": "1"}, {"b": "2"}], "c": {"x": {"d": ""}, "y": {"d": ""}}, "e": {"n": 1, "m": 2}}
    assert set(paths(answer)) == {("a",), ("a", ANY, "b"), ("c",), ("c", ANY), ("c", ANY, "d"), ("e",)}

"""A run as metrics: a text file for node_exporter, and the series that go to AMP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from bedplate.diagnosis.verdict import Outcome
from bedplate.telemetry.exposition import Sample, exposition, sample
from bedplate.validation.judgement import Judgement, judge
from bedplate.validation.result import RunResult

MOST_FAILED = 200
"""Series of failed verdicts, so that a cluster that is off in all its parts does not fill the workspace; the
number of verdicts tells them all.
"""
_PREFIX = "bedplate_validation_"


def render_prometheus(result: RunResult) -> str:
    """The run as a text file for ``--collector.textfile.directory``."""
    return exposition(run_samples(result))


def run_samples(result: RunResult) -> Iterator[Sample]:
    """The series of a run; what judges it is what judges the page."""
    judgement = judge(result=result)
    ended = datetime.fromisoformat(result.finished_at)
    took_s = (ended - datetime.fromisoformat(result.started_at)).total_seconds()
    yield sample(f"{_PREFIX}passed", int(judgement.passed))
    yield sample(f"{_PREFIX}timestamp_seconds", ended.timestamp())
    yield sample(f"{_PREFIX}duration_seconds", took_s)
    for state, count in _nodes(result, judgement).items():
        yield sample(f"{_PREFIX}nodes", count, state=state)
    for outcome, count in judgement.counts.items():
        yield sample(f"{_PREFIX}verdicts", count, outcome=outcome.value)
    for check, cause, subject in _failed(result)[:MOST_FAILED]:
        yield sample(f"{_PREFIX}failed", 1, check=check, cause=cause, subject=subject)
    for (collective, nodes), busbw in _bandwidths(result).items():
        yield sample(f"{_PREFIX}bus_bandwidth_gbs", busbw, collective=collective, nodes=str(nodes))


def _nodes(result: RunResult, judgement: Judgement) -> dict[str, int]:
    """Nodes by state; of a node that failed in one check and is open in another, that it failed."""
    failed = {name for fault in judgement.faults for name in fault.subject.names}
    unproven = [each.subject for each in judgement.unproven]
    open_ = {name for each in (*unproven, *(m.subject for m in judgement.missing)) for name in each.names}
    nodes = {node.node for node in result.nodes}
    return {
        "passed": len(nodes - failed - open_),
        "failed": len(nodes & failed),
        "open": len(nodes & (open_ - failed)),
    }


def _failed(result: RunResult) -> list[tuple[str, str, str]]:
    """(check, cause, subject) of what failed and is not waived, each once, in the order of the run."""
    waived = {each.check_id for each in result.waivers if each.reason.strip()}
    found = [
        (each.check_id, each.cause or "", str(each.subject))
        for each in result.verdicts
        if each.outcome is Outcome.FAIL and each.check_id not in waived
    ]
    return list(dict.fromkeys(found))


def _bandwidths(result: RunResult) -> dict[tuple[str, int], float]:
    """(collective, number of nodes) → GB/s at the largest size; of several groups the slowest."""
    largest: dict[tuple[str, int], int] = {}
    found: dict[tuple[str, int], float] = {}
    for each in result.bandwidths:
        key = (each.collective, len(each.nodes))
        if each.size_bytes > largest.get(key, -1):
            largest[key], found[key] = each.size_bytes, each.busbw_gb_per_s
        elif each.size_bytes == largest[key]:
            found[key] = min(found[key], each.busbw_gb_per_s)
    return found

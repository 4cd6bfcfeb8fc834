"""What DCG-005 and DCG-006 have in common: DCGM's run against the model's rates, and what its tests tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.checks.dcgm_levels import LEVELS
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgm_results import DcgmDiag, DiagResult, test_key
from bedplate.diagnosis.reading import Reading, read_tool

_ASKED_FOR = {test_key(test) for test in gpu_tools.THROUGHPUT_TESTS}
_OF_A_LEVEL = {
    test_key(name)
    for number, level in LEVELS.items()
    if number > 1
    for names in (*level.v3, *level.v4)
    for name in names
}


def throughput_run(facts: NodeFacts) -> Reading[DcgmDiag]:
    """DCGM's run with the thresholds of the node's GPU model, and no other: DCGM's answer does not tell what
    it was held against, and a run at a level has the same tests with other thresholds.
    """
    argv = gpu_tools.throughput_argv(model=facts.instance_type.gpu.model)
    reading = read_tool(answer=facts.answer, argv=argv, parse=parse_dcgm_diag)
    strange = (
        [] if reading.record is None else [each.test for each in reading.record.results if _is_strange(each)]
    )
    if strange:
        return Reading(None, f"it holds {strange[0]}, which this run was not asked for")
    return reading


def _is_strange(result: DiagResult) -> bool:
    return test_key(result.test) in _OF_A_LEVEL - _ASKED_FOR


def results_of(diag: Reading[DcgmDiag], tests: Iterable[str]) -> list[DiagResult]:
    """The results of these tests."""
    keys = {test_key(test) for test in tests}
    record = diag.record
    return [] if record is None else [each for each in record.results if test_key(each.test) in keys]


def told(results: Sequence[DiagResult], test: str, pattern: re.Pattern[str]) -> Mapping[int, float]:
    """GPU → the number that a test tells of it, by a pattern with the groups ``gpu`` and ``value``."""
    found: dict[int, float] = {}
    for result in results:
        if test_key(result.test) != test_key(test):
            continue
        for text in result.info:
            match = pattern.search(text)
            if match is not None and int(match.group("gpu")) == result.gpu:
                found[result.gpu] = float(match.group("value"))
    return found


def stragglers(rates: Mapping[int, float]) -> Mapping[int, float]:
    """The GPUs below ``RELATIVE_SHARE`` of the median of all, with their rates."""
    if len(rates) < 2:
        return {}
    limit = gpu_tools.RELATIVE_SHARE * median(rates.values())
    return {gpu: rate for gpu, rate in rates.items() if rate < limit}

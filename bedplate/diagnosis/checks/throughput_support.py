"""What DCG-005 and DCG-006 have in common: DCGM's run against the model's rates, and what its tests tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from bedplate.diagnosis import gpu_tools
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgm_results import DcgmDiag, DiagResult, test_key
from bedplate.diagnosis.reading import Reading, read_tool


def throughput_run(facts: NodeFacts) -> Reading[DcgmDiag]:
    """DCGM's run with the thresholds of the node's GPU model, and no other."""
    argv = gpu_tools.throughput_argv(model=facts.instance_type.gpu.model)
    return read_tool(answer=facts.answer, argv=argv, parse=parse_dcgm_diag)


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

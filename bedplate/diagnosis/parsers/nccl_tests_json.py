"""The file that nccl-tests writes with ``-J``, in its three versions, as the same record as its text gives.

Version 1 came with 2.17.3, 2 added a block of per-iteration times, 3 a count of skipped iterations. Up to
2.17.8 two keys are misspelt; truth values are strings; numbers that are none are the string ``nan``; before
2.18.4 an early error leaves the file cut off. The block ``env`` holds the whole environment of the process,
secrets included: it is dropped while the file is read and is in no record. Source: NVIDIA/nccl-tests
``src/util.cu``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from bedplate.diagnosis.parsers.launch_failures import CRASH, Failure
from bedplate.diagnosis.parsers.nccl_record import Config, Half, NcclTestsLog, RankLine, Row
from bedplate.diagnosis.parsers.nccl_tests import MOST_KEPT, MOST_RANKS, MOST_ROWS, TOOL
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import Printed, whole

VERSIONS = (1, 2, 3)
_HALF_UNIT = 0.5e-6
"""The tool prints six decimals."""
_MOST = 1e30
_ROOT = re.compile(r"-?[0-9]{1,10}")
"""A string, padded with blanks."""


class _TwiceError(ValueError):
    pass


def parse_nccl_tests_json(text: str) -> NcclTestsLog:
    """Read one file whole; ParseError where it is cut off, holds a key twice, or is of no known version."""
    data = _load(text)
    version = data.get("version")
    if version not in VERSIONS or isinstance(version, bool):
        raise ParseError(tool=TOOL, reason=f"its JSON is of version {version!r:.20}; known are 1, 2 and 3")
    if not isinstance(data.get("results"), list):
        raise ParseError(tool=TOOL, reason="its JSON holds no results: the run ended before the first size")
    rows, damaged = _rows(data["results"])
    bounds, average = _mapping(data.get("out_of_bounds")), _average(data)
    config = _mapping(data.get("config"))
    return NcclTestsLog(
        rows=rows,
        counts_wrong=True,
        config=_config(config),
        ranks=_ranks(config.get("devices")),
        runs=1,
        elided=False,
        damaged=damaged,
        bounds_failed=_integer(bounds.get("count")),
        bounds_ok=_truth(bounds.get("okay")),
        average=_number(average.get("bandwidth", average.get("bandwidith"))),
        average_ok=_truth(average.get("okay")),
        started=_program(data.get("args")),
        concluded=isinstance(data.get("end_time"), str),
        nccl_version=_nccl_version(data.get("nccl_version")),
        failures=_failures(data.get("errors")),
    )


def _load(text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text, object_pairs_hook=_without_environment)
    except _TwiceError as error:
        raise ParseError(tool=TOOL, reason=f"its JSON holds {error} twice") from None
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", type(error).__name__)
        raise ParseError(tool=TOOL, reason=f"its JSON is cut off or broken: {reason}") from None
    if not isinstance(data, dict):
        raise ParseError(tool=TOOL, reason="its JSON is no object")
    return data


def _without_environment(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    kept = dict(pairs)
    if len(kept) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(repr(next(name for name in names if names.count(name) > 1))[:40])
    kept.pop("env", None)
    return kept


def _rows(results: list[Any]) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    rows: list[Row] = []
    damaged: list[str] = []
    for number, entry in enumerate(results, start=1):
        row = _row(entry, number)
        if row is not None and len(rows) < MOST_ROWS:
            rows.append(row)
        elif len(damaged) < MOST_KEPT:
            damaged.append(f"result {number} of the file")
    return tuple(rows), tuple(damaged)


def _row(entry: Any, number: int) -> Row | None:
    entry = _mapping(entry)
    size, count = _integer(entry.get("size")), _integer(entry.get("count"))
    left, right = _half(entry.get("out_of_place")), _half(entry.get("in_place"))
    dtype, redop = entry.get("type"), entry.get("redop")
    if size is None or count is None or left is None or right is None or not isinstance(dtype, str):
        return None
    root = str(entry.get("root", "")).strip()
    return Row(
        size_bytes=size,
        count=count,
        dtype=dtype[:20],
        redop=redop[:20] if isinstance(redop, str) else "",
        root=int(root) if _ROOT.fullmatch(root) else None,
        out_of_place=left,
        in_place=right,
        line=number,
        text=f"result {number}: {size} B, {left.busbw.value:.2f} and {right.busbw.value:.2f} GB/s",
    )


def _half(value: Any) -> Half | None:
    entry = _mapping(value)
    time_us = _number(entry.get("time", entry.get("cpu_time")))
    algbw, busbw = _number(entry.get("alg_bw")), _number(entry.get("bus_bw"))
    if time_us is None or algbw is None or busbw is None or "nwrong" not in entry:
        return None
    if min(time_us.value, algbw.value, busbw.value) < 0:
        return None
    if entry["nwrong"] is None:
        return Half(time_us, algbw, busbw, None)
    wrong = _number(entry["nwrong"])
    return None if wrong is None or wrong.value < 0 else Half(time_us, algbw, busbw, wrong.value)


def _average(data: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(data.get("average_bus_bandwidth", data.get("average_bus_bandwidith")))


def _config(config: Mapping[str, Any]) -> Config | None:
    gpus, smallest = _integer(config.get("ngpus")), _integer(config.get("minimum_bytes"))
    largest, factor = _integer(config.get("maximum_bytes")), _integer(config.get("step_factor"))
    step = factor if factor is not None else _integer(config.get("step_bytes"))
    if gpus is None or smallest is None or largest is None or step is None:
        return None
    return Config(gpus, smallest, largest, step, factor is not None, _integer(config.get("validation")))


def _ranks(devices: Any) -> tuple[RankLine, ...]:
    """A build without MPI writes the first device alone, so the list is no proof of how many ran."""
    found = []
    for entry in devices[:MOST_RANKS] if isinstance(devices, list) else ():
        told = _mapping(entry)
        rank, device = _integer(told.get("rank")), _integer(told.get("device"))
        if rank is not None and isinstance(told.get("hostname"), str):
            found.append(RankLine(rank, told["hostname"][:256], -1 if device is None else device))
    return tuple(found)


def _failures(errors: Any) -> tuple[Failure, ...]:
    """What NCCL gave as its last errors: a run that has any is not judged."""
    told = errors if isinstance(errors, list) else ()
    return tuple(Failure(CRASH, 0, str(text).strip()[:300]) for text in told[:MOST_KEPT] if str(text).strip())


def _program(arguments: Any) -> str:
    first = arguments[0] if isinstance(arguments, list) and arguments else ""
    return PurePosixPath(first).name[:100] if isinstance(first, str) else ""


def _nccl_version(code: Any) -> str:
    """NCCL's number as words: X.Y.Z is X × 10000 + Y × 100 + Z from 2.9 on, with 1000 before."""
    number = _integer(code)
    if number is None or number < 1000:
        return ""
    base = 10_000 if number >= 10_000 else 1000
    return f"{number // base}.{number % base // 100}.{number % 100}"


def _number(value: Any) -> Printed | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return Printed(float(value), _HALF_UNIT) if abs(value) < _MOST else None


def _integer(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return whole(str(value))


def _truth(value: Any) -> bool | None:
    """``"true"``, ``"false"``; ``"unchecked"`` and anything else say nothing."""
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

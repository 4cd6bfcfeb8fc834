"""Coverage-guided fuzzing: every parser is a target, a finding is seen, and a short run finds none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bedplate.diagnosis.parsers.problem import ParseError
from tests.fuzz.__main__ import fuzz_one
from tests.fuzz.targets import TARGETS, parsers_of_text, try_one


def test_every_parser_of_text_is_a_target() -> None:
    """A parser that is added is fuzzed without being told of."""
    assert set(parsers_of_text()) < set(TARGETS)
    assert {"parse_nccl_tests", "parse_dcgm_diag", "parse_kernel_log"} <= set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_no_healthy_output_breaks_any_parser(name: str) -> None:
    """Each takes every tool's output, its own or not, and bytes that are no text."""
    seeds = [seed.encode("utf-8") for seed in TARGETS[name].seeds]
    tried = [try_one(name, data) for data in (*seeds, b"", b"\xff\xfe\x00", bytes(range(256)) * 4)]
    assert len(tried) > 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="atheris has wheels for Linux alone")
@pytest.mark.parametrize("name", ["parse_nccl_tests", "parse_dcgm_diag", "judge_collective"])
def test_a_short_run_finds_nothing(name: str, tmp_path: Path) -> None:
    """Three seconds of the fuzzer end well, with inputs tried."""
    status = fuzz_one(name, seconds=3, folder=tmp_path)
    log = (tmp_path / name / "log.txt").read_text(encoding="utf-8", errors="replace")
    assert status == 0, log[-3000:]
    assert "Done " in log


def test_a_finding_is_no_parse_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not a typed parse error reaches the fuzzer."""

    def broken(_text: str) -> None:
        raise ZeroDivisionError

    def refused(_text: str) -> None:
        raise ParseError(tool="x", reason="y")

    target = TARGETS["stream_lines"]
    monkeypatch.setattr(
        "tests.fuzz.targets.TARGETS", {"a": type(target)(broken, ()), "b": type(target)(refused, ())}
    )
    assert not try_one("b", b"")
    with pytest.raises(ZeroDivisionError):
        try_one("a", b"")

"""What no own text has thought of: each line of every shared sample deleted, cut, doubled and swapped, where
the samples are there. Nothing of it turns a reading that is no pass into a pass.

The exceptions are those of ``test_damage_never_helps``: of a kernel log no line with an XID is deleted or cut
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from bedplate.diagnosis.bandwidth_expectation import PUBLISHED, Expectation, Least
from bedplate.diagnosis.checks import gpu_xid, nccl_transport, nvlink_status
from bedplate.diagnosis.checks.bandwidth_rule import judge_bandwidth
from bedplate.diagnosis.checks.collective_run import Asked, CollectiveRun, read_run
from bedplate.diagnosis.checks.dcgm_levels import check_level
from bedplate.diagnosis.checks.support import Writer
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgmi_nvlink import parse_dcgmi_nvlink
from bedplate.diagnosis.parsers.dcgmi_nvlink_errors import parse_dcgmi_nvlink_errors
from bedplate.diagnosis.parsers.kernel_log import parse_kernel_log
from bedplate.diagnosis.parsers.nvidia_smi_nvlink import GpuLinks
from bedplate.diagnosis.parsers.nvidia_smi_q import parse_nvidia_smi_q
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.sinfo import parse_sinfo
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import CLUSTER, Outcome
from bedplate.hardware import instance_type
from tests.diagnosis import texts

MIB, GIB = 1024**2, 1024**3
P5 = instance_type("p5.48xlarge")
TWO_GPUS = replace(P5, gpus=2, gpu=replace(P5.gpu, nvlinks=12))
"""What the tables of links in the samples show."""

Judge = Callable[[str], bool]
"""Whether a text passes."""


@lru_cache(maxsize=1)
def _read(text: str) -> CollectiveRun:
    """Read once, however many ask."""
    return read_run(log=text, rc=0, timed_out=False, asked=Asked("all_reduce", 16, 8, 16 * GIB))


def _table(collective: str, ranks: int, begin: int, end: int) -> Judge:
    """The rule of a bandwidth with a floor that every row reaches: what holds is the table's own shape."""

    def judge(text: str) -> bool:
        run = replace(_read(text), asked=Asked(collective, ranks, begin, end))
        least = Least(0.001, PUBLISHED, "any")
        verdict = judge_bandwidth(
            writer=Writer(check_id="NCL-003", subject=CLUSTER),
            run=run,
            expected=[Expectation(end, least, None)],
            slow_cause=None,
        )
        return verdict.outcome is Outcome.PASS

    return judge


def _transport(text: str) -> bool:
    verdict = nccl_transport.check(
        subject=CLUSTER, run=_read(text), nodes=2, instance_type=P5, shares_nvlink=False
    )
    return verdict.outcome is Outcome.PASS


def _diag(level: int, *, problem: str = "") -> Judge:
    def judge(text: str) -> bool:
        verdict = check_level(
            level=level,
            asked=level,
            check_id=f"DCG-00{level}",
            node="i-1",
            diag=Reading(parse_dcgm_diag(text), problem),
            instance_type=P5,
        )
        return verdict.outcome is Outcome.PASS

    return judge


def _links(text: str) -> bool:
    verdict = nvlink_status.check(
        node="i-1",
        links=Reading(parse_dcgmi_nvlink(text)),
        speeds=Reading(tuple(GpuLinks(gpu, "", ((0, 25.0),) * 12) for gpu in range(2))),
        instance_type=TWO_GPUS,
    )
    return verdict.outcome is Outcome.PASS


def _link_errors(text: str) -> bool:
    read = parse_dcgmi_nvlink_errors(text)
    return read.gpu == 0 and len(read.counted) == 8 and read.above_zero == ()


def _pages(text: str) -> bool:
    gpus = parse_nvidia_smi_q(text).gpus
    return len(gpus) == 8 and all(gpu.flag("retirement_pending") is False for gpu in gpus)


def _whole_boot(text: str) -> bool:
    """The sample as all that the kernel said since it started."""
    log = parse_kernel_log("\n".join([*texts.BOOT, text.rstrip("\n"), texts.CURSOR]))
    return gpu_xid.check(node="i-1", log=Reading(log)).outcome is Outcome.PASS


def _part_of_a_boot(text: str) -> bool:
    return gpu_xid.check(node="i-1", log=Reading(parse_kernel_log(text))).outcome is Outcome.PASS


def _serves(text: str) -> bool:
    """Whether the node that is drained in the sample looks as if it took jobs."""
    found = {node.name: node for node in parse_sinfo(text)}
    node = found.get("node0201")
    return node is not None and node.answers and node.state in {"idle", "mixed", "allocated"}


def _whole_table(collective: str, ranks: int, begin: int, end: int) -> dict[str, Judge]:
    """A table that passes for what it is, and must not for anything else that might have been asked."""
    return {
        "right": _table(collective, ranks, begin, end),
        "of more ranks": _table(collective, 2 * ranks, begin, end),
        "of fewer ranks": _table(collective, ranks // 2, begin, end),
        "of another collective": _table("all_gather", ranks, begin, end),
        "to a larger size": _table(collective, ranks, begin, 2 * end),
        "from a smaller size": _table(collective, ranks, begin // 2, end),
        "without its transport": _transport,
    }


READINGS: dict[str, dict[str, Judge]] = {
    "nccl/s01-": {"cut before its footer": _table("all_reduce", 16, 8, 2 * GIB)},
    "nccl/s02-": {"cut before its footer": _table("all_reduce", 16, 8, 16 * GIB)},
    "nccl/s03-": {"abridged": _table("all_reduce", 16, 8, 2 * GIB)},
    "nccl/s04-": {"one node of two": _table("all_reduce", 16, 8, 16 * GIB), "transport": _transport},
    "nccl/s05-": {"abridged": _table("all_reduce", 128, 8, 16 * GIB)},
    "nccl/s06-": _whole_table("all_reduce", 72, 512 * MIB, 8 * GIB),
    "nccl/s07-": _whole_table("all_reduce", 1440, 512 * MIB, 16 * GIB),
    "nccl/s08-": _whole_table("all_reduce", 8, 32 * MIB, 1 * GIB),
    "nccl/s09-": _whole_table("all_reduce", 16, 32 * MIB, 1 * GIB),
    "nccl/s10-": {"never launched": _table("all_reduce", 16, 8, 16 * GIB)},
    "nccl/s11-": {"not checked": _table("alltoall", 8, 1, 8 * GIB)},
    "nccl/s12-": {"not checked": _table("all_gather", 8, 1, 8 * GIB)},
    "nccl/s13-": {"not checked": _table("broadcast", 8, 1, 8 * GIB)},
    "nccl/s14-dcgm-mock-pass": {"of two ranks": _table("all_reduce", 2, 32 * MIB, 32 * MIB)},
    "nccl/s14-dcgm-mock-fail_oob": {"wrong": _table("all_reduce", 1, 32 * MIB, 32 * MIB)},
    "nccl/s14-dcgm-mock-fail_bw": {"refused": _table("all_reduce", 1, 32 * MIB, 32 * MIB)},
    "nccl/s15-": {"impossible": _table("all_reduce", 16, 8 * GIB, 16 * GIB)},
    "nccl/s16-": _whole_table("all_reduce", 16, 1 * GIB, 16 * GIB),
    "nccl/s17-": {"transport": _transport},
    "dcgm/d-diag-pass": {"right": _diag(1), "a level higher": _diag(2)},
    "dcgm/d-diag-fail": {"fails": _diag(1)},
    "dcgm/d-diag-warn": {"a level higher": _diag(2)},
    "dcgm/d-non-fatal": {"ended badly": _diag(1, problem="ended with status 205")},
    "dcgm/d-dcgmi-r2-text": {"too hot": _diag(2)},
    "dcgm/d-nvlink-status-pass": {"right": _links},
    "dcgm/d-nvlink-status-fail": {"links down": _links},
    "dcgm/d-nvlink-all-inactive": {"links inactive": _links},
    "dcgm/d-nvlink-error-pass": {"right": _link_errors},
    "dcgm/d-nvlink-error-fail": {"has counted": _link_errors},
    "dcgm/d-nvidia-smi-q-retired": {"pages pending": _pages},
    "dcgm/d-syslog-ib-link-flap": {"no boot": _part_of_a_boot},
    "dcgm/d-dmesg-xid119": {"xid": _whole_boot, "no boot": _part_of_a_boot},
    "dcgm/d-dmesg-blackwell": {"xid": _whole_boot, "no boot": _part_of_a_boot},
    "dcgm/d-dmesg-xid64": {"xid": _whole_boot, "no boot": _part_of_a_boot},
    "dcgm/d-xid63": {"no boot": _part_of_a_boot},
    "dcgm/d-sinfo-pipe": {"drained": _serves},
}
"""By the beginning of a sample's name; only ``right`` passes."""


def _damaged(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(what was done, the lines then), each thing done to each line by itself."""
    last = len(lines) - 1
    for at, line in enumerate(lines):
        before, behind = lines[:at], lines[at + 1 :]
        yield f"{at} deleted", before + behind
        yield f"{at} doubled", [*before, line, line, *behind]
        for cut in sorted({len(line) // 2, len(line.rstrip().rpartition(" ")[0])}):
            yield f"{at} cut to {cut} characters", [*before, line[:cut], *behind]
        for other in sorted({at + 1, at + len(lines) // 2}):
            if other <= last:
                swapped = lines.copy()
                swapped[at], swapped[other] = swapped[other], swapped[at]
                yield f"{at} swapped with {other}", swapped


def _passes(judge: Judge, lines: list[str]) -> bool:
    try:
        return judge("\n".join(lines) + "\n")
    except ParseError:
        return False


def _hides_an_xid(whole: list[str], left: list[str]) -> bool:
    """The exception: a line with an XID is gone, and may have been the one by which the node failed."""
    return any("Xid" in line and line not in left for line in whole)


def _lines(samples: Path, stem: str) -> list[str]:
    folder, _, name = stem.partition("/")
    (path,) = (samples / folder).glob(f"{name}*")
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("stem", READINGS)
def test_no_damage_to_one_line_of_a_sample_makes_it_pass(samples: Path, stem: str) -> None:
    """Whatever is done to one line of a real output, what was no pass stays none; what is right passes whole,
    so that the rest is not refused for another reason.
    """
    whole = _lines(samples, stem)
    passing = {name for name, judge in READINGS[stem].items() if _passes(judge, whole)}
    assert passing == {"right"} & set(READINGS[stem])
    helped = [
        f"{name}: {done}"
        for done, left in _damaged(whole)
        for name, judge in READINGS[stem].items()
        if name != "right"
        and _passes(judge, left)
        and not (judge is _whole_boot and _hides_an_xid(whole, left))
    ]
    assert helped == []


def test_every_sample_is_walked(samples: Path) -> None:
    """A sample that is added is judged here too."""
    there = {f"{path.parent.name}/{path.name}" for path in samples.glob("*/*")}
    assert there == {name for name in there if any(name.startswith(stem) for stem in READINGS)}
    assert len(READINGS) == len(there)

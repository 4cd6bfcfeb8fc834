"""What GDRCopy's own tests say: ``gdrcopy_sanity`` and ``gdrcopy_copybw``.

``gdrcopy_sanity`` ends with ``Total: 28, Passed: 26, Failed: 0, Waived: 2`` and lists the failed and the
waived; a waived test was not made, since this GPU or driver has no such feature. Before 2.3 the summary was
libcheck's (``100%: Checks: 12, Failures: 0, Errors: 0``). Source: NVIDIA/gdrcopy ``tests/testsuites/
testsuite.cpp``, ``tests/copybw.cpp``, issues 92 and 324.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.text import clean_lines, printed

SANITY = "gdrcopy_sanity"
COPYBW = "gdrcopy_copybw"

_SUMMARY = re.compile(
    r"^Total: (\d{1,6}), Passed: (\d{1,6}), Failed: (\d{1,6}), Waived: (\d{1,6})$", re.ASCII
)
_OLD_SUMMARY = re.compile(r"^\d{1,3}%: Checks: (\d{1,6}), Failures: (\d{1,6}), Errors: (\d{1,6})$", re.ASCII)
_LISTS = {"List of failed tests:": "failed", "List of waived tests:": "waived"}
_NO_DRIVER = "gdr_open error"
_RATE = re.compile(r"^(write|read) BW: (\S{1,20})MB/s$", re.ASCII)


@dataclass(frozen=True)
class GdrCopySanity:
    """How many of GDRCopy's tests were made and how they ended; ``names`` are those that failed."""

    total: int
    passed: int
    failed: int
    waived: int
    names: tuple[str, ...]
    no_driver: bool

    @property
    def well(self) -> bool:
        """Whether tests were made, and none failed."""
        return self.failed == 0 and self.passed > 0


@dataclass(frozen=True)
class GdrCopyBandwidth:
    """What the CPU writes to and reads from GPU memory through GDRCopy's mapping, in GB/s (1e9 bytes)."""

    write_gb_per_s: float
    read_gb_per_s: float


def parse_gdrcopy_sanity(text: str) -> GdrCopySanity:
    """Read the summary; ParseError where there is none, two, or its numbers contradict each other."""
    lines = [line.strip() for line in clean_lines(text)]
    found = [match for match in map(_SUMMARY.match, lines) if match]
    old = [match for match in map(_OLD_SUMMARY.match, lines) if match]
    if len(found) + len(old) != 1:
        raise ParseError(tool=SANITY, reason=f"{len(found) + len(old)} summaries where one ends a run")
    if found:
        total, passed, failed, waived = (int(word) for word in found[0].groups())
    else:
        total, failures, errors = (int(word) for word in old[0].groups())
        failed, waived = failures + errors, 0
        passed = total - failed
    if passed < 0 or passed + failed + waived != total:
        raise ParseError(tool=SANITY, reason="its numbers do not add up")
    names = _listed(lines)
    if found and len(names) != failed:
        raise ParseError(tool=SANITY, reason=f"it counts {failed} failed tests and names {len(names)}")
    return GdrCopySanity(total, passed, failed, waived, names, any(_NO_DRIVER in line for line in lines))


def _listed(lines: list[str]) -> tuple[str, ...]:
    names, reading = [], ""
    for line in lines:
        if line in _LISTS:
            reading = _LISTS[line]
        elif not line or line.startswith("Error:"):
            reading = ""
        elif reading == "failed":
            names.append(line)
    return tuple(names)


def parse_gdrcopy_copybw(text: str) -> GdrCopyBandwidth:
    """Read the two rates; ParseError where one is missing, there twice, or no positive number."""
    rates: dict[str, float] = {}
    for number, line in enumerate(clean_lines(text), start=1):
        match = _RATE.match(line.strip())
        if match is None:
            continue
        value = printed(match.group(2))
        if value is None or value.value <= 0 or match.group(1) in rates:
            raise ParseError(tool=COPYBW, reason="a rate is no number, or there twice", line=number)
        rates[match.group(1)] = value.value / 1000.0
    if set(rates) != {"write", "read"}:
        raise ParseError(tool=COPYBW, reason="it does not tell both rates")
    return GdrCopyBandwidth(write_gb_per_s=rates["write"], read_gb_per_s=rates["read"])

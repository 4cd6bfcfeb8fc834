"""What a run of ``dcgmi diag`` says, whichever form it was printed in."""

from __future__ import annotations

from dataclasses import dataclass, field

TOOL = "dcgmi diag"

PASS, FAIL, WARN, SKIP, NOT_RUN, UNKNOWN = "pass", "fail", "warn", "skip", "not-run", "unknown"
_STATUSES = {"pass": PASS, "fail": FAIL, "warn": WARN, "skip": SKIP, "not run": NOT_RUN}

SEVERITIES = ("none", "monitor", "isolate", "unknown", "triage", "config", "reset")
"""DCGM's severities by number: 5 is a matter of configuration, not of hardware (``dcgm_errors.h``)."""

SEVERITY_CONFIG = 5
SEVERITIES_HARDWARE = frozenset({2, 4, 6})


@dataclass(frozen=True)
class DiagWarning:
    """What DCGM says beside a status; ``severity`` and ``error_id`` are None where it is a bare string (DCGM
    to 3.1, and every table).
    """

    text: str
    error_id: int | None
    severity: int | None


@dataclass(frozen=True)
class DiagResult:
    """One status of one test: of the GPU ``gpu`` (an index), or of the whole node where that is None; then
    ``all_gpus`` says whether DCGM itself says that it is of each of them (``Pass - All``).

    ``status`` is one of ``pass``, ``fail``, ``warn``, ``skip``, ``not-run``, ``unknown``. ``info`` is what
    the test tells with ``-v``, such as the rate that it measured.
    """

    test: str
    category: str
    gpu: int | None
    status: str
    warnings: tuple[DiagWarning, ...]
    info: tuple[str, ...] = field(default=())
    all_gpus: bool = False


@dataclass(frozen=True)
class DcgmDiag:
    """One run: ``summaries`` are DCGM 4's own (test, status); ``runtime_error`` is what stopped it, if
    anything did.
    """

    generation: int
    version: str
    driver: str
    results: tuple[DiagResult, ...]
    summaries: tuple[tuple[str, str], ...]
    runtime_error: str


def test_key(name: str) -> str:
    """A test's name as it is compared: lower case, letters and digits only (``PCIe`` and ``pcie`` are
    one).
    """
    return "".join(letter for letter in name.lower() if letter.isalnum())


def status_of(word: str) -> str:
    """The status that a word stands for; ``unknown`` for one that DCGM's schema does not have."""
    return _STATUSES.get(word.strip().lower(), UNKNOWN)

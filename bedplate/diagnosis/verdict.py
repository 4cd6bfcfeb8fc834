"""What a check says: one of five outcomes, with what was measured, what was expected, and the proof.

A check that could not run, was skipped, ran on a partial log, has no sourced floor, got an empty or foreign
answer, or measured something else than it was asked to, is never a pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Optional, Union

_STRICT: dict[str, Any] = {"extra": "forbid"}
"""For pydantic, where a result file is read back: a key that is not ours means a changed file."""


class Outcome(str, Enum):  # noqa: UP042 - StrEnum is younger than Python 3.9
    """The five things a check can say."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    NOT_TESTED = "not-tested"
    """It was not asked, or a condition for asking was not met."""
    ERROR = "error"
    """It was asked, and the answer cannot be judged."""
    NOT_APPLICABLE = "not-applicable"
    """The hardware table says that this type has no such part; never a check's own wish."""


class Severity(str, Enum):  # noqa: UP042
    """How much a finding weighs; findings may ride on a pass."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True)
class Finding:
    """Something worth knowing that does not decide the outcome, e.g. a pending row remap."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    severity: Severity
    text: str
    remedy: str = ""


@dataclass(frozen=True)
class Subject:
    """What a verdict is about.

    ``kind`` is ``node``, ``link`` or ``cluster``; ``names`` holds node names: one for a node, two for a link,
    none for the cluster. A node is named by its EC2 instance id throughout.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    kind: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ↔ ".join(self.names) if self.names else self.kind


CLUSTER = Subject("cluster")

Measure = Union[float, int, str, None]  # noqa: UP007 - evaluated at run time, on Python 3.9 too


@dataclass(frozen=True)
class Verdict:
    """One check's answer about one subject.

    ``measured`` and ``expected`` are in ``unit``; ``source`` says where the expectation comes from;
    ``evidence`` names the evidence files (keys below the run's evidence folder) and ``excerpt`` shows the
    lines that decided.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    check_id: str
    subject: Subject
    outcome: Outcome
    summary: str
    measured: Measure = None
    expected: Measure = None
    unit: str = ""
    source: str = ""
    excerpt: str = ""
    evidence: tuple[str, ...] = ()
    remedy: str = ""
    findings: tuple[Finding, ...] = field(default=())
    cause: str | None = None
    """For a fail: the kind of fault that is named (``bedplate.diagnosis.causes``), e.g.
    ``efa-device-lost``.
    """
    confidence: Optional[float] = None  # noqa: UP045
    """How sure it is that this subject, and nothing else, is at fault: 0 to 1; None where nothing was
    inferred from tests of several nodes.
    """
    because: tuple[str, ...] = ()
    """The tests that led there, in order, one sentence each."""
    basis: str = ""
    """On what ground ``expected`` stands, for a bandwidth: ``published``, ``baseline`` (of this cluster), or
    ``relative`` (to the fleet's own groups in the same run, and to nothing absolute).
    """

"""What a node's answers say: the front door of the diagnosis for one node.

An answer is the JSON object that the node program prints (``schema`` 1): ``tools`` as in
``bedplate.diagnosis.tools``, ``infiniband`` (the probe's listing of sysfs: ``[{"name", "vendor", "device",
"driver", "hw_counters": {name: int}}]``, null where it could not be read) and ``files``
(``{"efa_installed_packages": text or null}``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bedplate.diagnosis.measurement import Measurement
from bedplate.diagnosis.verdict import Verdict
from bedplate.hardware import InstanceType

DEFAULT_SIZE_BYTES = 16 * 1024**3


@dataclass(frozen=True)
class ExerciseJudgement:
    """The verdicts on one node's exercise, and the bandwidths that it measured (none where it could not)."""

    verdicts: tuple[Verdict, ...]
    measurements: tuple[Measurement, ...]


def judge_answered(*, node: str, problem: str | None = None, unreachable: bool = False) -> Verdict:
    """NOD-001: whether the node answered, whole, for itself and fresh.

    ``problem`` says in words what is wrong with the answer (empty, cut, another node's, another nonce),
    None where nothing is. ``unreachable`` says that no command could reach the node at all, which is a fail
    with the cause ``node-unreachable``; any other problem is an error.
    """
    raise NotImplementedError


def judge_unanswered(*, node: str, check_ids: Sequence[str], reason: str) -> list[Verdict]:
    """One error for each check that an answer should have decided and no usable answer came for."""
    raise NotImplementedError


def judge_probe(
    *, node: str, answer: Mapping[str, object], instance_type: InstanceType, evidence: Sequence[str] = ()
) -> list[Verdict]:
    """The passive checks of one node: GPU-001 to GPU-004, NVL-001, EFA-001, in this order, one verdict each.

    A part that the type does not have gives not-applicable; a tool that is missing, ended badly, ran past its
    deadline or printed what cannot be read gives error.
    """
    raise NotImplementedError


def judge_exercise(
    *,
    node: str,
    answer: Mapping[str, object],
    instance_type: InstanceType,
    dcgm_level: int,
    collective: str = "all_reduce",
    size_bytes: int = DEFAULT_SIZE_BYTES,
    evidence: Sequence[str] = (),
) -> ExerciseJudgement:
    """The checks of one node under load: DCG-001, DCG-002 (from level 2 on), NCL-001."""
    raise NotImplementedError


def software_versions(answer: Mapping[str, object]) -> dict[str, str]:
    """Component → version as the node's probe tells it; what it does not tell is left out."""
    raise NotImplementedError

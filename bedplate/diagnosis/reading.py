"""One tool's output, read: the record, the reason why it cannot be trusted, or both.

A record may come with a problem: a tool that ended badly has often printed what is wrong. A check may fail
on such a record, and may never pass on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.tools import find_run

Record = TypeVar("Record")


@dataclass(frozen=True)
class Reading(Generic[Record]):
    """A record (None where there is none) and its problem in words (empty where the record can be
    trusted).
    """

    record: Record | None
    problem: str = ""


def read_tool(
    *,
    answer: Mapping[str, object],
    argv: Sequence[str],
    parse: Callable[[str], Record],
    with_stderr: bool = False,
) -> Reading[Record]:
    """Read the one run of ``argv`` in a node's answer; ``with_stderr`` for tools that speak on both
    streams.
    """
    run = find_run(answer=answer, argv=argv)
    if run is None:
        return Reading(None, f"the answer holds no single run of `{' '.join(argv)[:80]}`")
    problem = run.problem() or ""
    text = f"{run.stdout}\n{run.stderr}" if with_stderr or problem else run.stdout
    try:
        return Reading(parse(text), problem)
    except ParseError as error:
        return Reading(None, problem or str(error))

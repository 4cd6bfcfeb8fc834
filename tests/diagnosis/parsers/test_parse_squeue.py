"""The queue of jobs, as squeue tells it by ``%L|%j``."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.squeue import QueuedJob, parse_squeue


@pytest.mark.parametrize(
    ("left", "seconds"),
    [
        ("0:07", 7),
        ("59:59", 3599),
        ("1:00:00", 3600),
        ("2-03:04:05", 183845),
        ("UNLIMITED", None),
        ("NOT_SET", None),
        ("INVALID", None),
        ("", None),
        ("1:2:3", None),
    ],
)
def test_the_time_left_is_read(left: str, seconds: int | None) -> None:
    """Slurm leaves out what is zero in front, and says a word where there is no end."""
    assert parse_squeue(f"{left}|train\n") == (QueuedJob("train", seconds),)


def test_a_name_may_hold_anything() -> None:
    """What stands behind the first bar is the name, bars and blanks in it included; no line is no job."""
    assert parse_squeue("1:00|a | b=c\n\n0:10|bedplate-x-1\n") == (
        QueuedJob("a | b=c", 60),
        QueuedJob("bedplate-x-1", 10),
    )
    assert parse_squeue("") == ()


def test_a_line_of_another_kind_is_a_problem() -> None:
    """A header or a message is no queue of no jobs."""
    with pytest.raises(ParseError):
        parse_squeue("JOBID PARTITION NAME\n")

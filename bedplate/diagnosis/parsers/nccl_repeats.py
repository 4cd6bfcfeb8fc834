"""Which of NCCL's messages may be left out of a log once they were said, since the readers of a collective's
log would learn nothing from them again.
"""

from __future__ import annotations

import re

from bedplate.diagnosis.parsers.launch_failures import find_failure
from bedplate.diagnosis.parsers.nccl_failures import meaning_of
from bedplate.diagnosis.parsers.nccl_info import tells_of_host
from bedplate.diagnosis.parsers.nccl_tests import tells_of_a_run

ONCE_A_HOST = ""
"""A provider, network or version: a host that says it again tells nothing new."""
_MOST_CHARACTERS = 500
_WHOLE = re.compile(
    r"(?:\[\d+,\d+\]<\w+>: ?|\s*\d+: )?([A-Za-z0-9][\w.-]*):\d+:\d+ \[\d+\] NCCL INFO (\S.*)", re.ASCII
)
_NUMBER = re.compile(r"\w*\d\w*|\b[a-f]{2,}\b")


def whole_message(line: str) -> tuple[str, str] | None:
    """(host, text), where a clean line is one message of NCCL that is no warning, and nothing beside it."""
    match = _WHOLE.fullmatch(line) if line.count(" NCCL ") == 1 else None
    return None if match is None else (match.group(1), match.group(2))


def kind_of(text: str) -> str | None:
    """``ONCE_A_HOST``, or the shape of a message that tells nothing that is looked for: its words without the
    numbers. None where each such message tells something, or may.
    """
    if (
        len(text) > _MOST_CHARACTERS
        or any(word in text for word in ("Channel ", "Init COMPLETE", "BEDPLATE-"))
        or tells_of_trouble(text)
        or tells_of_a_run(text)
    ):
        return None
    return ONCE_A_HOST if tells_of_host(text) else _NUMBER.sub("#", text)


def tells_of_trouble(text: str) -> bool:
    """Whether a text, be it a host's name, has the words of a failure."""
    return meaning_of(text) is not None or find_failure(1, text) is not None

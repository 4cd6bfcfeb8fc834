"""Text of a user that becomes part of a script: held to what the places it stands in can carry."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bedplate.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MOUNT = re.compile(r"/[^:,]*:/[^:,]*(:[a-z+]+)?")


def job_name(text: str) -> str:
    """A name that stands unquoted on an ``#SBATCH`` line and in a path. Raises ``UsageError`` JOB-007."""
    if not _NAME.fullmatch(text):
        raise _refused(f"--name {text!r}", "Use letters, digits, dots, dashes and underscores, 64 at most.")
    return text


def one_line(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts without line ends and other control characters. Raises ``UsageError`` JOB-007."""
    found = tuple(texts)
    for text in found:
        if _CONTROL.search(text):
            raise _refused(repr(text), "Give text on one line, without control characters.")
    return found


def mount(text: str) -> str:
    """``HOST:CONTAINER[:FLAGS]`` as Pyxis splits it. Raises ``UsageError`` JOB-007."""
    if not _MOUNT.fullmatch(text):
        raise _refused(f"--mount {text!r}", "Write HOST:CONTAINER, both absolute, without commas.")
    return text


def absolute(text: str) -> str:
    """An absolute path. Raises ``UsageError`` JOB-007."""
    if not text.startswith("/") or {",", ":"} & set(text):
        raise _refused(
            f"--checkpoints {text!r}",
            "Give an absolute path on a file system of all nodes, without commas and colons.",
        )
    return text.rstrip("/") or "/"


def _refused(what: str, remedy: str) -> UsageError:
    return UsageError(f"{what} cannot stand in a job script", error_id="JOB-007", remedy=remedy)

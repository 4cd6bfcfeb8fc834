"""Print as a tool prints."""

from __future__ import annotations

import sys
from collections.abc import Iterable


def say(*lines: str) -> None:
    """Write lines to standard output."""
    sys.stdout.write("".join(line + "\n" for line in lines))


def say_all(lines: Iterable[str]) -> None:
    """Write many lines at once."""
    sys.stdout.write("\n".join(lines) + "\n")


def complain(*lines: str) -> None:
    """Write lines to standard error."""
    sys.stderr.write("".join(line + "\n" for line in lines))

"""The exit codes and the one exception tree that every command ends with.

``BedplateError``
  ├── ``UsageError``          2  the command line makes no sense
  ├── ``SpecRefused``         3  the environment file is refused
  ├── ``ChecksFailed``        4  checks failed, or could not be made
  ├── ``AwsRefused``          5  AWS refused, or was out of reach
  └── ``DataWouldBeLost``     6  the command would lose data

This module imports nothing of the package, so that every floor may raise what the command line renders.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a process says to its caller; the same everywhere."""

    OK = 0
    FAILED = 1
    USAGE = 2
    SPEC_REFUSED = 3
    CHECKS_FAILED = 4
    AWS_REFUSED = 5
    DATA_WOULD_BE_LOST = 6
    INTERRUPTED = 130


class BedplateError(Exception):
    """A failure that a user can act on: what is wrong, how to mend it, and a stable id.

    ``error_id`` is documented by ``bedplate explain ID``; ``remedy`` is one sentence in the imperative.
    """

    exit_code = ExitCode.FAILED

    def __init__(self, message: str, *, error_id: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.error_id = error_id
        self.remedy = remedy


class UsageError(BedplateError):
    """The command line makes no sense."""

    exit_code = ExitCode.USAGE


class SpecRefused(BedplateError):
    """The environment file is refused; subclasses carry the list of problems.

    ``file`` is the file that is refused as the user would name it; None where only the caller knows it.
    """

    exit_code = ExitCode.SPEC_REFUSED

    def __init__(self, message: str, *, error_id: str, remedy: str = "", file: str | None = None) -> None:
        super().__init__(message, error_id=error_id, remedy=remedy)
        self.file = file


class ChecksFailed(BedplateError):
    """Checks failed, or could not be made."""

    exit_code = ExitCode.CHECKS_FAILED


class AwsRefused(BedplateError):
    """AWS refused, or was out of reach."""

    exit_code = ExitCode.AWS_REFUSED


class DataWouldBeLost(BedplateError):
    """The command would lose data and was not told that it may."""

    exit_code = ExitCode.DATA_WOULD_BE_LOST

"""What a rule between fields is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.problems import Path


@dataclass(frozen=True, kw_only=True)
class Violation:
    """One place where a rule is broken.

    ``path`` is the field at fault; ``given`` is shown instead of the text that stands there where that
    is a section or absent.
    """

    path: Path
    message: str
    allowed: str
    remedy: str
    given: str | None = None
    at_key: bool = False


@dataclass(frozen=True)
class Rule:
    """A rule with its explanation. ``check`` looks at a draft and yields what breaks the rule; it is pure."""

    row: CheckRow
    check: Callable[[Draft], Iterator[Violation]]

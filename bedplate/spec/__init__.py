"""What a user asks for: the typed environment file.

``load_environment(path)`` gives an ``Environment`` or raises with every problem at once. Imported lazily, so
that ``import bedplate.spec`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bedplate.spec.environment import Environment as Environment
    from bedplate.spec.find import find_environment as find_environment
    from bedplate.spec.loader import load_environment as load_environment
    from bedplate.spec.problems import Problem as Problem
    from bedplate.spec.problems import SpecProblems as SpecProblems

__all__ = ["Environment", "Problem", "SpecProblems", "find_environment", "load_environment"]

_HOMES = {
    "Environment": "bedplate.spec.environment",
    "find_environment": "bedplate.spec.find",
    "load_environment": "bedplate.spec.loader",
    "Problem": "bedplate.spec.problems",
    "SpecProblems": "bedplate.spec.problems",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)

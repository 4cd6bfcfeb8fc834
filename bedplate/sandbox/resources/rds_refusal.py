"""What RDS refuses, as a stack sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from moto.core.exceptions import ServiceException

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.schema import schema_extension

T = TypeVar("T")


def or_refused(call: Callable[[], T]) -> T:
    """What ``call`` gives; raises ``ResourceError`` where moto's RDS refuses."""
    try:
        return call()
    except ServiceException as error:
        raise ResourceError(str(error)) from error


def refuse_unknown_version(engine: str, version: object, *, at_creation: bool = True) -> None:
    """ResourceError for a version that RDS does not know, or ``at_creation`` for one that it only keeps."""
    known = _versions("engine_version", engine)
    kept = _versions("engine_version_deprecated", engine) if at_creation else ()
    offered = [each for each in known if each not in kept]
    if str(version) not in offered:
        raise ResourceError(
            f"InvalidParameterCombination: Cannot find version {version} for {engine}; the newest are"
            f" {', '.join(offered[-3:])}"
        )


@lru_cache(maxsize=4)
def _versions(rule: str, engine: str) -> tuple[str, ...]:
    """Versions of an engine, as cfn-lint has them from RDS (DescribeDBEngineVersions)."""
    for case in schema_extension(f"aws_rds_dbcluster/{rule}")["allOf"]:
        asked: Mapping[str, Any] = case["if"]["properties"]
        if asked["Engine"].get("const") == engine:
            # The list of what is no longer offered is in the condition, that of all in the consequence.
            told = case["then"]["properties"] if case["then"] else asked
            return tuple(map(str, told["EngineVersion"]["enum"]))
    raise ResourceError(f"InvalidParameterValue: Invalid DB engine: {engine}")

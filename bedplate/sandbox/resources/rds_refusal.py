"""What RDS refuses, as a stack sees it."""

from __future__ import annotations

from collections.abc import Callable
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


def refuse_unknown_version(engine: str, version: object) -> None:
    """ResourceError for an engine version that RDS does not offer, or an engine that the sandbox has not."""
    offered = _versions().get(engine)
    if offered is None:
        raise ResourceError(f"InvalidParameterValue: Invalid DB engine: {engine}")
    if version is not None and str(version) not in offered:
        raise ResourceError(
            f"InvalidParameterCombination: Cannot find version {version} for {engine}; the newest are"
            f" {', '.join(offered[-3:])}"
        )


@lru_cache(maxsize=1)
def _versions() -> dict[str, tuple[str, ...]]:
    """Engine → versions, as cfn-lint has them from RDS (DescribeDBEngineVersions)."""
    found: dict[str, tuple[str, ...]] = {}
    rules: list[Any] = schema_extension("aws_rds_dbcluster/engine_version")["allOf"]
    for rule in rules:
        engine = rule["if"]["properties"]["Engine"].get("const")
        if engine is not None:
            found[engine] = tuple(map(str, rule["then"]["properties"]["EngineVersion"]["enum"]))
    return found

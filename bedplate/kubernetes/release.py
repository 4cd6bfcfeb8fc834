"""One Helm release: a chart at its version, its values, and what has to be there before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.kubernetes.lost_values import lost_values
from bedplate.kubernetes.versions import Component

LONGEST_TIMEOUT_MINUTES = 15
"""The provider of the CDK ends after 15 minutes (aws-cdk issue 22257); Helm has to give up before it."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """``after`` names the releases of the same cluster that come first. Values hold no None: Helm's callers
    lose it, and with it the key.

    ``atomic``: a half installed release stays pending and blocks every later one, so that it is rolled back.
    """

    component: Component
    values: Mapping[str, Any]
    after: tuple[str, ...] = ()
    timeout_minutes: int = 10
    atomic: bool = True

    def __post_init__(self) -> None:
        if self.component.kind != "chart" or not self.component.version:
            raise ValueError(f"{self.component.name} is no chart with a version")
        if not 0 < self.timeout_minutes < LONGEST_TIMEOUT_MINUTES:
            raise ValueError(f"{self.name}: a timeout is shorter than {LONGEST_TIMEOUT_MINUTES} minutes")
        if lost := list(lost_values(self.values, self.name)):
            raise ValueError(f"{lost[0]} is None, which Helm would not be told of; say what it shall be")

    @property
    def name(self) -> str:
        """The component's name; the release's own name in the cluster is ``component.release``."""
        return self.component.name

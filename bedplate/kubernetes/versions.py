"""Every component that Bedplate may put into a cluster: where it comes from, in which version, who says so.

One table, ``versions.json``. ``verified`` means that the component's own source at this very version was read
and that our values were rendered by it once; whether its registry still serves it, nobody could ask here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

from bedplate.hardware.software.version import at_least

Kind = Literal["add-on", "chart", "folder", "manifest"]
"""A folder is a chart that no registry has: it is taken from its repository."""


@dataclass(frozen=True, kw_only=True)
class Least:
    """``version`` or newer is needed for ``what``; on these families, or on all where none is named."""

    version: str
    what: str
    families: tuple[str, ...]
    source: str


@dataclass(frozen=True, kw_only=True)
class Component:
    """One row. ``chart`` is the add-on's name, the chart's, or the path in ``repository``.

    ``version`` is empty for an add-on: which versions there are depends on the cluster's Kubernetes, and EKS
    alone knows. A folder's and a manifest's is a commit.
    """

    name: str
    kind: Kind
    chart: str
    namespace: str
    source: str
    repository: str = ""
    version: str = ""
    release: str = ""
    least: tuple[Least, ...] = ()
    verified: bool = False

    @property
    def address(self) -> str:
        """Where it is fetched from; empty for an add-on, which EKS brings."""
        if self.kind == "manifest":
            return f"https://raw.githubusercontent.com/{self.repository}/{self.version}/{self.chart}"
        if self.kind == "folder":
            return f"https://github.com/{self.repository}/tree/{self.version}/{self.chart}"
        if self.repository.startswith("oci://"):
            return f"{self.repository}/{self.chart}"
        return self.repository

    def too_old_for(self, family: str) -> Least | None:
        """What the pinned version does not fulfil on this family of instances; None where it fulfils all."""
        for each in self.least:
            if self.version and family in each.families and not at_least(self.version, each.version):
                return each
        return None


@lru_cache(maxsize=1)
def components() -> Mapping[str, Component]:
    """All rows by name."""
    rows = json.loads(files("bedplate.kubernetes").joinpath("versions.json").read_text(encoding="utf-8"))
    return MappingProxyType({row["name"]: _component(row) for row in rows})


def component(name: str) -> Component:
    """The row of this name; ``KeyError`` where the table has none."""
    return components()[name]


def _component(row: Mapping[str, Any]) -> Component:
    least = tuple(
        Least(
            version=each["version"],
            what=each["for"],
            families=tuple(each.get("families", ())),
            source=each["source"],
        )
        for each in row.get("least", ())
    )
    return Component(**{**row, "least": least})

"""Versions over the nodes, and where they differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from bedplate.validation.reports.html.names import Names, NodeName, name_of
from bedplate.validation.result import RunResult


@dataclass(frozen=True)
class VersionView:
    """One version of a component and its nodes; ``version`` is empty where a node did not say."""

    version: str
    nodes: tuple[NodeName, ...]
    odd: bool


@dataclass(frozen=True)
class ComponentView:
    """One component; ``skewed`` where nodes of one instance type name different versions."""

    name: str
    versions: tuple[VersionView, ...]
    skewed: bool


def component_views(result: RunResult, names: Names) -> tuple[ComponentView, ...]:
    """All components that any node named, those with skew first."""
    components = sorted({component for node in result.nodes for component in node.versions}, key=str.lower)
    views = [_component(component, result, names) for component in components]
    return tuple(sorted(views, key=lambda view: not view.skewed))


def _component(component: str, result: RunResult, names: Names) -> ComponentView:
    by_version: dict[str, list[NodeName]] = {}
    by_type: dict[str, set[str]] = {}
    for node in result.nodes:
        version = node.versions.get(component, "")
        by_version.setdefault(version, []).append(name_of(node.node, names))
        if version:
            by_type.setdefault(node.instance_type, set()).add(version)
    skewed = any(len(versions) > 1 for versions in by_type.values())
    ranked = sorted(by_version.items(), key=lambda pair: (not pair[0], -len(pair[1]), pair[0]))
    return ComponentView(
        name=component,
        versions=tuple(
            VersionView(version, tuple(nodes), odd=not version or (skewed and index > 0))
            for index, (version, nodes) in enumerate(ranked)
        ),
        skewed=skewed,
    )


def fleet_text(result: RunResult) -> str:
    """What the nodes are: ``8 × p5en.48xlarge``."""
    counts = Counter(node.instance_type for node in result.nodes)
    return ", ".join(f"{count} × {kind}" for kind, count in sorted(counts.items())) or "none"

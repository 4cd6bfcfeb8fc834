"""Nodes as the page names them: the scheduler's short name first, the instance id beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.diagnosis.verdict import Subject
from bedplate.validation.reports.wording import whole_name
from bedplate.validation.result import RunResult


@dataclass(frozen=True)
class NodeName:
    """``short`` fits a label, ``node`` is the whole instance id, ``detail`` its pool and type."""

    short: str
    node: str
    detail: str


@dataclass(frozen=True)
class SubjectName:
    """A verdict's subject: a kind in words and the nodes, none for the cluster."""

    kind: str
    nodes: tuple[NodeName, ...]

    @property
    def text(self) -> str:
        """The subject in one line."""
        return " ↔ ".join(node.short for node in self.nodes) or self.kind


@dataclass(frozen=True)
class Names:
    """Instance id → name for each node of the run, and what the whole is called."""

    nodes: Mapping[str, NodeName]
    whole: str


def node_names(result: RunResult) -> Names:
    """The names of a run's nodes."""
    nodes = {
        node.node: NodeName(
            short=node.hostname or short_id(node.node),
            node=node.node,
            detail=f"{node.pool} · {node.instance_type}",
        )
        for node in result.nodes
    }
    return Names(nodes, whole_name(result))


def name_of(node: str, names: Names) -> NodeName:
    """A node's name; one that the run does not list is named by its id."""
    return names.nodes.get(node) or NodeName(
        short=short_id(node), node=node, detail="not among the run's nodes"
    )


def subject_name(subject: Subject, names: Names) -> SubjectName:
    """A subject's name: nodes for a node or a link, words for anything else, e.g. ``pool h200``."""
    if subject.kind in {"node", "link"}:
        return SubjectName(subject.kind, tuple(name_of(node, names) for node in subject.names))
    if subject.kind == "cluster":
        return SubjectName(names.whole, ())
    return SubjectName(" ".join((subject.kind, *subject.names)), ())


def short_id(node: str) -> str:
    """An instance id cut to what tells it apart: ``i-0822…dbe29``; short names stay whole."""
    return f"{node[:6]}…{node[-5:]}" if len(node) > 14 else node

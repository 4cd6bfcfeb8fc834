"""Software that differs between the nodes of a pool, as a finding on the odd ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from bedplate.diagnosis.verdict import Finding, Severity
from bedplate.validation.record import Node, Record


def compare_versions(
    record: Record, nodes: Sequence[Node], versions_of: Callable[[Node], Mapping[str, str]]
) -> None:
    """A node whose software differs from most of ``nodes`` carries a finding on its NOD-001.

    ``versions_of`` gives a node's component → version; all of ``nodes`` were asked for the same components.
    """
    told = {node.node: versions_of(node) for node in nodes}
    for component in sorted({component for versions in told.values() for component in versions}):
        counts = Counter(versions.get(component, "") for versions in told.values())
        usual, often = counts.most_common(1)[0]
        for node, versions in told.items():
            version = versions.get(component, "")
            if version != usual:
                most = f"{often} of {len(told)} nodes have {usual or 'none'}"
                text = f"{component} is {version or 'not told'}; {most}"
                finding = Finding(Severity.WARNING, text, "Bring all nodes of a pool to one image.")
                record.add_finding(check_id="NOD-001", node=node, finding=finding)

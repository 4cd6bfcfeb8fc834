"""Which software differs between two groups of nodes exactly as the groups do; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.validation.record import Node


def dividing_settings(nodes: Mapping[str, Node], groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """What all nodes of one group have in one version and all of the other in another, a clause each.

    Empty where there are not two groups, where nothing divides them so, or where a node did not tell.
    """
    if len(groups) != 2:
        return ()
    one, other = ([_told(nodes[name]) for name in group if name in nodes] for group in groups)
    if not one or not other:
        return ()
    names = sorted(set.intersection(*(set(told) for told in (*one, *other))))
    found = []
    for name in names:
        here, there = {told[name] for told in one}, {told[name] for told in other}
        if len(here) == len(there) == 1 and here != there:
            found.append(f"{name} is {here.pop()} on the first and {there.pop()} on the others")
    return tuple(found)


def _told(node: Node) -> dict[str, str]:
    """Every version that the node told, from its packages and from NCCL's own log."""
    inside = {f"{name} (as NCCL loads it)": value for name, value in node.nccl_versions.items()}
    return {name: value for name, value in {**node.versions, **inside}.items() if value}

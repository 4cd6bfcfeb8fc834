"""topology.conf of ``topology/tree`` from where EC2 says that the instances stand; pure.

``DescribeInstanceTopology`` lists network nodes from the top down, three of them or four (EC2 User Guide,
"Amazon EC2 instance topology"): the last is the switch that an instance hangs on. Each becomes a switch of
that name. What Slurm demands (SchedMD/slurm ``src/plugins/topology/tree/switch_record.c``): a switch has
nodes or switches, never both; every node is under a switch, or it gets no jobs; jobs span only what has a
common root.
"""

from __future__ import annotations

from collections import Counter
from typing import Dict, List, Mapping, Sequence, Set, Tuple

from bedplate.node.host_ranges import names_in, short_form

ROOT = "root"
"""Joins what has no common switch, so that jobs can span it."""
UNKNOWN = "unknown"
"""Nodes of which EC2 tells no switch: not launched yet, or of a type without network nodes."""
_NODES_OF = "-nodes"
_LINE_BYTES = 60_000


class TopologyRefusedError(Exception):
    """No topology can be made of it, or the text is none that slurmctld would take."""


def tree_conf(paths: Mapping[str, Sequence[str]]) -> str:
    """The file for ``paths``: Slurm node → its network nodes from the top down, empty where not known.

    The same paths give the same text whatever their order. Raises ``TopologyRefusedError`` where a switch has
    two parents, or there is no node.
    """
    if not paths:
        raise TopologyRefusedError("there is no node to place")
    parents, leaves = _parents(paths), _leaves(paths)
    children: Dict[str, List[str]] = {}
    for child, parent in sorted(parents.items()):
        children.setdefault(parent, []).append(child)
    lines: List[str] = []
    for leaf, nodes in sorted(leaves.items()):
        name = leaf
        if leaf in children:
            # Instances of a type with fewer levels hang where those of another type have switches.
            name = leaf + _NODES_OF
            children[leaf].append(name)
        lines.append(f"SwitchName={name} Nodes={short_form(nodes)}")
    lines += [f"SwitchName={name} Switches={','.join(below)}" for name, below in sorted(children.items())]
    tops = sorted({path[0] for path in paths.values() if path} | ({UNKNOWN} & set(leaves)))
    if len(tops) > 1:
        lines.append(f"SwitchName={ROOT} Switches={','.join(tops)}")
    text = "".join(f"{line}\n" for line in lines)
    check_tree(text, nodes=list(paths))
    return text


def check_tree(text: str, *, nodes: Sequence[str]) -> None:
    """Raises ``TopologyRefusedError`` where slurmctld would end at the text, or leave one of ``nodes`` out.

    To be asked before ``scontrol reconfigure``: a file that slurmctld does not take ends it.
    """
    under, below = _read(text)
    placed = [node for names in under.values() for node in names]
    for what, names in (("under two switches", _doubled(placed)), ("missing", set(nodes) - set(placed))):
        if names:
            raise TopologyRefusedError(f"nodes are {what}: {short_form(sorted(names))}")
    if set(placed) - set(nodes):
        raise TopologyRefusedError(f"there is no node {short_form(sorted(set(placed) - set(nodes)))}")
    children = [child for names in below.values() for child in names]
    nowhere = sorted((set(children) - set(under) - set(below)) | _doubled(children))
    if nowhere:
        raise TopologyRefusedError(f"switch {nowhere[0]} is under two switches, or nowhere defined")
    roots = (set(under) | set(below)) - set(children)
    if len(roots) != 1:
        raise TopologyRefusedError(f"{len(roots)} switches have nothing above them; there must be one root")
    reached = _reached(next(iter(roots)), below)
    if len(reached) != len(under) + len(below):
        raise TopologyRefusedError("some switches are above each other in a circle")


def _parents(paths: Mapping[str, Sequence[str]]) -> Dict[str, str]:
    parents: Dict[str, str] = {}
    for node, path in sorted(paths.items()):
        if len(set(path)) != len(path) or {ROOT, UNKNOWN} & set(path):
            raise TopologyRefusedError(f"{node} is under {' / '.join(path)}, which is no path")
        for level in range(1, len(path)):
            child, parent = path[level], path[level - 1]
            if parents.setdefault(child, parent) != parent:
                both = f"{parents[child]} and, for {node}, under {parent}"
                raise TopologyRefusedError(f"{child} is under {both}")
    tops = {path[0] for path in paths.values() if path}
    for top in sorted(tops & set(parents)):
        raise TopologyRefusedError(f"{top} is on top, and elsewhere under {parents[top]}")
    return parents


def _leaves(paths: Mapping[str, Sequence[str]]) -> Dict[str, List[str]]:
    leaves: Dict[str, List[str]] = {}
    for node, path in sorted(paths.items(), key=lambda item: natural(item[0])):
        leaves.setdefault(path[-1] if path else UNKNOWN, []).append(node)
    return leaves


def natural(name: str) -> Tuple[str, int, str]:
    """A key by which gpu-9 comes before gpu-10."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0), name


def _read(text: str) -> Tuple[Dict[str, List[str]], Dict[str, List[str]]]:
    """Switch → its nodes, and switch → the switches below it."""
    under: Dict[str, List[str]] = {}
    below: Dict[str, List[str]] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if len(line) > _LINE_BYTES:
            raise TopologyRefusedError(f"a line has more than {_LINE_BYTES} characters: {line[:60]}…")
        words = [word.split("=", 1) for word in line.split()]
        keys = [word[0] for word in words]
        if keys not in (["SwitchName", "Nodes"], ["SwitchName", "Switches"]) or len(words[1]) != 2:
            raise TopologyRefusedError(f"not a line of topology/tree: {line[:60]}")
        name, value = words[0][1], words[1][1]
        if name in under or name in below:
            raise TopologyRefusedError(f"switch {name} is defined twice")
        try:
            (under if keys[1] == "Nodes" else below)[name] = names_in(value)
        except ValueError as error:
            raise TopologyRefusedError(f"switch {name}: {error}") from error
    return under, below


def _doubled(names: Sequence[str]) -> Set[str]:
    return {name for name, times in Counter(names).items() if times > 1}


def _reached(root: str, below: Mapping[str, Sequence[str]]) -> Set[str]:
    reached: Set[str] = set()
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += below.get(name, ())
    return reached

"""topology.conf of ``topology/block`` from the NVLink domains that EC2 tells of; pure.

EC2 names an UltraServer's domain by CapacityBlockId: "only supported for UltraServer instances and identifies
instances within the UltraServer domain" (EC2 API Reference, InstanceTopology). Each becomes a block of 9 or
18 nodes. What Slurm demands (SchedMD/slurm ``src/plugins/topology/block/block_record.c``): slurmctld ends at
a block with fewer nodes than the first of BlockSizes, and at a name that is there twice; further sizes are
that one times a power of two; of nodes outside blocks it warns.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Sequence

from bedplate.node.host_ranges import short_form
from bedplate.node.switch_tree import TopologyRefusedError, natural

SPARE = "spare"
"""Begins the name of a block of nodes that are not launched yet."""


def block_conf(domains: Mapping[str, str], *, size: int) -> str:
    """The file for ``domains``: Slurm node → its NVLink domain, empty where it is not launched yet.

    ``size`` is how many nodes a whole domain has. A domain of which nodes are missing is filled up with nodes
    that are not launched, since those are what will come; what is left of them makes whole blocks, and fewer
    than that are left out. The same domains give the same text whatever their order. Raises
    ``TopologyRefusedError`` where a domain has too many nodes, or cannot be filled.
    """
    if size < 1:
        raise TopologyRefusedError(f"a domain of {size} nodes is none")
    blocks: Dict[str, List[str]] = {}
    spare: List[str] = []
    for node in sorted(domains, key=natural):
        if domains[node]:
            blocks.setdefault(domains[node], []).append(node)
        else:
            spare.append(node)
    for name, nodes in sorted(blocks.items()):
        missing = size - len(nodes)
        if missing < 0:
            raise TopologyRefusedError(f"domain {name} has {len(nodes)} nodes, and {size} are the most")
        if missing > len(spare):
            told = f"domain {name} has {len(nodes)} of {size} nodes: {short_form(nodes)}"
            raise TopologyRefusedError(f"{told}; slurmctld would end at such a block")
        nodes += spare[:missing]
        del spare[:missing]
    for number in range(len(spare) // size):
        blocks[f"{SPARE}{number + 1}"] = spare[number * size : (number + 1) * size]
    if not blocks:
        raise TopologyRefusedError(f"{len(domains)} nodes make no block of {size}")
    lines = [f"BlockName={name} Nodes={short_form(_sorted(nodes))}" for name, nodes in sorted(blocks.items())]
    return "".join(f"{line}\n" for line in [*lines, f"BlockSizes={_sizes(size, len(blocks))}"])


def _sizes(size: int, blocks: int) -> str:
    """The domain, then pairs of domains, pairs of these and so on, while there are as many."""
    sizes = [size]
    while sizes[-1] * 2 <= size * blocks:
        sizes.append(sizes[-1] * 2)
    return ",".join(map(str, sizes))


def _sorted(nodes: Sequence[str]) -> List[str]:
    return sorted(nodes, key=natural)

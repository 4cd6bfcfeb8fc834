"""The pools section: groups of equal GPU nodes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, StrictInt, StrictStr, Tag

from bedplate.spec.base import Section, WholeNumber, about
from bedplate.spec.capacity_sources import CapacitySource

NAME_PATTERN = r"^[a-z][a-z0-9-]*$"
"""Node groups and queues of PCS: 3 to 25 letters, digits and hyphens (PCS API); lower case by our choice."""
NAME_REMEDY = "Use 3 to 25 lower-case letters, digits and hyphens, a letter first."


class NodeRange(Section):
    """A pool that grows and shrinks with the queue."""

    min: Annotated[
        StrictInt, about("Nodes that are always up.", update="in-place", ge=0, le=2048, examples=[0])
    ]
    max: Annotated[StrictInt, about("Nodes at most.", update="in-place", ge=1, le=2048, examples=[16])]


def _kind_of_nodes(value: object) -> str:
    return "range" if isinstance(value, dict | NodeRange) else "count"


NodeCount = Annotated[StrictInt, about("A fixed number of nodes", update="in-place", ge=1, le=2048)]


class Pool(Section):
    """A group of equal nodes: one instance type, one capacity source, one group of the orchestrator's."""

    name: Annotated[
        StrictStr,
        about(
            "The pool's name, unique in the file.",
            update="replaces",
            examples=["h200"],
            pattern=NAME_PATTERN,
            min_length=3,
            max_length=25,
            remedy=NAME_REMEDY,
        ),
    ]
    instance_type: Annotated[
        StrictStr,
        about(
            "The EC2 instance type of every node. Change it together with the pool's name: AWS PCS "
            "refuses a second node group of one name.",
            update="replaces",
            examples=["p5en.48xlarge"],
        ),
    ]
    alternative_types: Annotated[
        tuple[StrictStr, ...],
        about(
            "Further instance types that a node may be of as well, where the orchestrator can mix them.",
            update="replaces",
            examples=[[]],
            max_length=3,
        ),
    ] = ()
    ultraserver: Annotated[
        Literal["u-p6e-gb200x36", "u-p6e-gb200x72"] | None,
        about(
            "The UltraServer that the pool's nodes come in; for p6e-gb200.36xlarge only, and needed there.",
            update="replaces",
            examples=["u-p6e-gb200x72"],
        ),
    ] = None
    interfaces: Annotated[
        Literal["save-addresses", "more-address-bandwidth"],
        about(
            "Layout of the network interfaces: one address a node, or further ENA interfaces for more "
            "bandwidth over TCP, each with an address. For p5.48xlarge, p5e, p6-b200 and p6-b300 only.",
            update="stop-fleet",
            examples=["save-addresses"],
        ),
    ] = "save-addresses"
    efas: Annotated[
        Literal[4, 8] | None,
        WholeNumber,
        about(
            "EFAs of a p6e-gb200 node: 4 of 400 Gbps (the default there), or 8 of 200 Gbps. For no other "
            "type.",
            update="stop-fleet",
            examples=[4],
        ),
    ] = None
    nodes: Annotated[
        Annotated[NodeCount, Tag("count")] | Annotated[NodeRange, Tag("range")],
        Discriminator(_kind_of_nodes),
        about(
            "How many nodes: a number, or `{min: 0, max: 16}` to grow and shrink with the queue. On a block "
            "they come when it is delivered. From a number to a range or back the nodes are launched anew. "
            "Past 32 or 512 nodes of all pools and login nodes AWS PCS needs a larger cluster: deploy "
            "another environment then.",
            update="in-place",
            examples=[8, {"min": 0, "max": 16}],
        ),
    ]
    capacity: Annotated[
        CapacitySource,
        about("Where the nodes come from.", update="stop-fleet", examples=[{"source": "on-demand"}]),
    ]

    @property
    def min_nodes(self) -> int:
        """Nodes that are always up."""
        return self.nodes.min if isinstance(self.nodes, NodeRange) else self.nodes

    @property
    def max_nodes(self) -> int:
        """Nodes at most."""
        return self.nodes.max if isinstance(self.nodes, NodeRange) else self.nodes

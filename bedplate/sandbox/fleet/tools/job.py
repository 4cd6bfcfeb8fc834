"""One collective over some nodes: which are in it, and what it would measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bedplate.hardware import ultraservers_of
from bedplate.sandbox.fleet.performance import Node, bandwidth_gb_per_s, noise, seconds_per_run
from bedplate.sandbox.fleet.truth import NodeTruth

_PAIR = 2


@dataclass(frozen=True)
class Job:
    """``collective`` is the program's name without ``_perf``; ``ranks_per_node`` GPUs of each node take
    part.
    """

    collective: str
    nodes: tuple[NodeTruth, ...]
    ranks_per_node: int
    nvlink_between_nodes: bool = True
    """Whether NCCL may use NVLink between nodes, where they share it."""

    @property
    def ranks(self) -> int:
        """All GPUs that take part."""
        return len(self.nodes) * self.ranks_per_node

    @property
    def shares_nvlink(self) -> bool:
        """Whether all nodes stand in one NVLink domain: those of one UltraServer do."""
        return any(
            len(self.nodes) <= server.instances for server in ultraservers_of(self.nodes[0].instance_type)
        )

    @property
    def over_nvlink(self) -> bool:
        """Whether NVLink carries what goes between the nodes."""
        return len(self.nodes) > 1 and self.shares_nvlink and self.nvlink_between_nodes

    @property
    def hangs(self) -> bool:
        """Whether it never ends: a faulty node lets its peers wait."""
        return len(self.nodes) > 1 and any(node.effects.hangs for node in self.nodes)

    @property
    def crashing(self) -> NodeTruth | None:
        """The node whose ranks end while they start, between nodes only."""
        return next((node for node in self.nodes if node.effects.crashes and len(self.nodes) > 1), None)

    @property
    def cut_after_rows(self) -> int | None:
        """After how many rows of its table the log ends without a word, None where it is whole."""
        cuts = [node.effects.cut_after_rows for node in self.nodes if node.effects.cut_after_rows >= 0]
        return min(cuts) if cuts and len(self.nodes) > 1 else None

    @property
    def nodes_short_of_gpus(self) -> tuple[NodeTruth, ...]:
        """Nodes whose driver sees fewer GPUs than the job wants."""
        return tuple(node for node in self.nodes if len(node.gpus) < self.ranks_per_node)

    def anchor_gb_per_s(self) -> float:
        """Bus bandwidth at 16 GiB, without noise. Raises ``NotModelled``."""
        return bandwidth_gb_per_s(
            instance_type=self.nodes[0].instance_type,
            collective=self.collective,
            nodes=[_node(node) for node in self.nodes],
            link_speed=_slowest_link(self.nodes),
            fabric_speed=min(node.effects.fabric_speed for node in self.nodes) * self._crowded_speed,
            over_nvlink=self.over_nvlink,
        )

    @property
    def _crowded_speed(self) -> float:
        """What paths that many nodes share, such as a leaf's way up, leave where more than a pair runs."""
        if len(self.nodes) <= _PAIR:
            return 1.0
        return min(node.effects.together_speed for node in self.nodes)

    def seconds(self, *, size_bytes: int, in_place: bool, anchor_gb_per_s: float) -> float:
        """Time of one run of one size, with noise that depends on the seed, the nodes, the size and the
        placement.
        """
        names = ",".join(node.instance_id for node in self.nodes)
        carrier = "nvlink" if self.over_nvlink else "efa"
        key = f"{self.nodes[0].seed}/{self.collective}/{names}/{size_bytes}/{in_place}/{carrier}"
        return noise(key) * seconds_per_run(
            collective=self.collective,
            size_bytes=size_bytes,
            ranks=self.ranks,
            nodes=1 if self.over_nvlink else len(self.nodes),
            anchor_gb_per_s=anchor_gb_per_s,
        )


def _node(node: NodeTruth) -> Node:
    hardware, effects = node.hardware, node.effects
    links = hardware.nvlinks or 1
    worst = max((count for _, count in effects.nvlinks_down), default=0)
    return Node(
        gpus=hardware.gpus,
        efa_gb_per_s=hardware.efa_count * hardware.efa_gbps_each / 8,
        efa_speed=_efa_speed(node),
        nvlink_speed=effects.nvlink_speed * max(links - worst, 1) / links,
        socket=effects.socket or effects.wrong_plugin,
    )


def _efa_speed(node: NodeTruth) -> float:
    """The factor of the GPU with the worst EFAs.

    A GPU stripes its traffic evenly over its devices, so a slow one sets the pace of all of them; a lost one
    leaves its share to the others, and to a neighbour's if it was the only one.
    """
    hardware, effects = node.hardware, node.effects
    devices_per_gpu = max(hardware.efa_count // max(hardware.gpus, 1), 1)
    speed = min((speed for _, speed in effects.slow_efas), default=1.0)
    lost_of_one_gpu = max(
        (
            sum(1 for each in effects.lost_efas if each // devices_per_gpu == gpu)
            for gpu in range(hardware.gpus)
        ),
        default=0,
    )
    left = devices_per_gpu - lost_of_one_gpu
    return speed * (left / devices_per_gpu if left > 0 else 0.5)


def _slowest_link(nodes: Sequence[NodeTruth]) -> float:
    names = {node.instance_id for node in nodes}
    return min(
        (speed for node in nodes for peer, speed in node.effects.slow_links if peer in names), default=1.0
    )

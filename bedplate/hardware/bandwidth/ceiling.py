"""What the wires allow: no measurement can be above this, and no floor may be.

Let a run have n GPUs in D NVLink domains, EFA of C = nodes × (one node's EFA) in all, and a message of
S bytes that takes t. EFA does not reduce on the way, so at least so much crosses between the domains,
whatever the algorithm:

- all_reduce: every domain but one sends its part to be reduced, and the result comes back: 2 (D-1) S,
- all_gather, reduce_scatter: every domain receives (or sends) what the others hold: (D-1) S in all,
- alltoall: of the S bytes of each GPU, the share that is meant for GPUs of other domains,
- broadcast, reduce: S into (out of) each domain but one; sendrecv in a ring: S over each border.

Dividing by C gives the least t, and so the highest bus bandwidth. With one node a domain, N nodes and B
per node this is the known B × (n-1)/n × N/(N-1) for all_reduce; a flat ring reaches B at most.

Within a domain each GPU must put its data on its NVLinks once and take the result once, and NVSwitch may
reduce on the way (NVLS). So all_reduce is bounded there by 2 (n-1)/n × the NVLink rate, and the others by
the NVLink rate. Between domains a GPU has its share of the EFA beside its NVLinks.
"""

from __future__ import annotations

from dataclasses import dataclass

from bedplate.hardware.bandwidth.domain import nvlink_domains
from bedplate.hardware.bandwidth.factor import busbw_factor
from bedplate.hardware.catalogue import instance_type as _row
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.unknown import UnknownCollective

MARGIN = 1.02
"""Room for rounding and clocks above a ceiling. Reduction in the switch (NVLS) and trees need none: the
ceilings hold for any algorithm, since they count what must cross at least.
"""

_FIGURED_OUT = ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "reduce", "sendrecv")


@dataclass(frozen=True)
class Ceiling:
    """The highest bus bandwidth that the hardware allows, in 1e9 bytes a second.

    ``limited_by`` is ``nvlink`` or ``efa``. ``ring_gb_per_s`` is what a flat ring could reach: the EFA rate
    of one node, or the NVLink rate of one GPU. ``derivation`` says what went in.
    """

    value_gb_per_s: float
    ring_gb_per_s: float
    limited_by: str
    derivation: str

    @property
    def wire_gb_per_s(self) -> float:
        """What a run that loads the wires evenly can reach: the ring's rate, or the ceiling if lower."""
        return min(self.value_gb_per_s, self.ring_gb_per_s)

    def allows(self, busbw_gb_per_s: float) -> bool:
        """Whether a measurement can be true at all; a little more than the ceiling can, by ``MARGIN``."""
        return busbw_gb_per_s <= self.value_gb_per_s * MARGIN


def bandwidth_ceiling(
    *, instance_type: str | InstanceType, collective: str, nodes: int, path: str | None = None
) -> Ceiling:
    """Return the ceiling for ``collective`` over all GPUs of ``nodes`` instances.

    A name stands for the type in its default layout; a row of another layout counts with its own EFAs.
    ``path="efa"`` asks for NVLink between instances to be off. Raises ``UnknownInstanceType``,
    ``UnknownCollective``, and ``ValueError`` for counts and paths that make no sense, one GPU alone included.
    """
    if collective not in _FIGURED_OUT:
        raise UnknownCollective(collective, _FIGURED_OUT)
    instance = _row(instance_type) if isinstance(instance_type, str) else instance_type
    domains = nvlink_domains(instance, nodes=nodes, path=path)
    ranks = nodes * instance.gpus
    if ranks < 2:
        raise ValueError(f"{nodes} × {instance_type} has one GPU: a collective moves nothing")
    inside = _inside_gb_per_s(instance, collective, ranks, with_efa=len(domains) > 1)
    derivation = _explain(instance, collective, domains)
    if len(domains) == 1:
        return Ceiling(inside, instance.gpu.nvlink_gb_per_s, "nvlink", derivation)
    between = _between_gb_per_s(instance, collective, domains)
    value, limit = min((between, "efa"), (inside, "nvlink"))
    return Ceiling(value, instance.efa_gb_per_s, limit, derivation)


def _inside_gb_per_s(instance: InstanceType, collective: str, ranks: int, *, with_efa: bool) -> float:
    """What one GPU's own links allow; ``with_efa`` adds its share of the node's EFA."""
    links = instance.gpu.nvlink_gb_per_s if instance.has_nvlink else 0.0
    links += instance.efa_gb_per_s / instance.gpus if with_efa else 0.0
    return links * (busbw_factor("all_reduce", ranks) if collective == "all_reduce" else 1.0)


def _between_gb_per_s(instance: InstanceType, collective: str, domains: tuple[int, ...]) -> float:
    """What EFA between the domains allows; sizes are counted in units of S, so time is per byte of S."""
    ranks = sum(domains) * instance.gpus
    if collective in ("broadcast", "reduce", "sendrecv"):
        return min(domains) * instance.efa_gb_per_s
    if collective == "alltoall":
        crossing = sum(each * instance.gpus * (ranks - each * instance.gpus) / ranks for each in domains)
    else:
        crossing = (len(domains) - 1) * (2.0 if collective == "all_reduce" else 1.0)
    return busbw_factor(collective, ranks) * sum(domains) * instance.efa_gb_per_s / crossing


def _explain(instance: InstanceType, collective: str, domains: tuple[int, ...]) -> str:
    where = f"{len(domains)} NVLink domains" if len(domains) > 1 else "one NVLink domain"
    return (
        f"{collective} over {sum(domains) * instance.gpus} GPUs in {where}; "
        f"EFA {instance.efa_gb_per_s:g} GB/s a node, "
        f"NVLink {instance.gpu.nvlink_gb_per_s:g} GB/s a GPU, each in one direction"
    )

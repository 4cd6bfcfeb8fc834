"""Which instances of a run share NVLink: the units between which EFA has to carry data."""

from __future__ import annotations

from bedplate.hardware.bandwidth.published import EFA, NVLINK
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.ultraserver import ultraservers_of


def nvlink_domains(instance: InstanceType, *, nodes: int, path: str | None = None) -> tuple[int, ...]:
    """Return how many instances stand in each NVLink domain of a run over ``nodes`` of them.

    Instances of an UltraServer share one as far as it reaches, unless ``path`` is ``efa``, which means that
    NVLink between instances is off. All others stand alone. Raises ``ValueError`` for fewer than one node,
    for an unknown path, and for the path ``nvlink`` where one domain cannot hold the nodes.
    """
    if nodes < 1:
        raise ValueError(f"nodes must be 1 or more, not {nodes}")
    if path not in (None, EFA, NVLINK):
        raise ValueError(f"path must be {EFA!r}, {NVLINK!r} or None, not {path!r}")
    ultraservers = ultraservers_of(instance.name)
    reach = ultraservers[-1].instances if ultraservers and path != EFA else 1
    full, rest = divmod(nodes, reach)
    domains = (reach,) * full + ((rest,) if rest else ())
    if path == NVLINK and len(domains) > 1:
        raise ValueError(f"{nodes} × {instance.name} do not share one NVLink domain; it holds {reach}")
    return domains


def path_of(instance: InstanceType, *, nodes: int, path: str | None = None) -> str:
    """Return ``nvlink`` if the run stays in one NVLink domain, else ``efa``; errors as ``nvlink_domains``."""
    return NVLINK if len(nvlink_domains(instance, nodes=nodes, path=path)) == 1 else EFA

"""The bill of materials of a cluster: each component, its version and where that is from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bedplate.hardware import instance_type
from bedplate.kubernetes.versions import Component, components
from bedplate.spec.orchestrator.eks import Eks
from bedplate.spec.orchestrator.eks_hyperpod import EksHyperPod
from bedplate.spec.orchestrator.kubernetes_software import cluster_software
from bedplate.spec.pools import Pool


@dataclass(frozen=True, kw_only=True)
class BillRow:
    """One component of a cluster. ``version`` is empty where EKS chooses it."""

    name: str
    kind: str
    origin: str
    version: str
    namespace: str
    verified: bool


def bill(
    orchestrator: Eks | EksHyperPod,
    *,
    pools: Iterable[Pool],
    file_system_kinds: Iterable[str] = (),
    dcgm_exporter: bool = False,
) -> tuple[BillRow, ...]:
    """The rows in the table's order: add-ons, then charts and manifests.

    ``ValueError`` where a pinned version is older than a pool's family of instances needs.
    """
    types = [instance_type(pool.instance_type) for pool in pools]
    names = cluster_software(
        orchestrator,
        file_system_kinds=file_system_kinds,
        has_efa=any(each.efa_max for each in types),
        dcgm_exporter=dcgm_exporter,
    )
    found = tuple(each for each in components().values() if each.name in names)
    refuse_old(found, families=sorted({each.family for each in types}))
    return tuple(
        BillRow(
            name=each.name,
            kind=each.kind,
            origin=each.address or each.chart,
            version=each.version,
            namespace=each.namespace,
            verified=each.verified,
        )
        for each in found
    )


def refuse_old(found: Iterable[Component], *, families: Iterable[str]) -> None:
    """``ValueError`` for each component whose pinned version is older than one of these families needs."""
    named = tuple(families)
    old = [(each, least) for each in found for family in named if (least := each.too_old_for(family))]
    if old:
        raise ValueError(
            "; ".join(
                f"{each.name} {each.version} is older than {least.version}, which {least.what} needs "
                f"({least.source}): pin a newer one in versions.json"
                for each, least in old
            )
        )

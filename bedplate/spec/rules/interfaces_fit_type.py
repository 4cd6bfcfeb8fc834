"""CAP-013: the instance type has the chosen layout of interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import INSTANCE_TYPES
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation

_LAID_OUT_BY = {"slurm-parallelcluster": "ParallelCluster", "slurm-hyperpod": "HyperPod"}
"""Orchestrator kind → the service that chooses its nodes' interfaces."""


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a layout that AWS publishes none of for the type."""
    service = _LAID_OUT_BY.get(draft.orchestrator_kind or "")
    if service is not None:
        yield from _laid_out_by_service(draft, service)
        return
    for index, pool in draft.pools.items():
        known = INSTANCE_TYPES.get(pool.instance_type)
        if known is None:
            continue
        choices = tuple(dict.fromkeys(layout.choice for layout in known.layouts))
        if pool.interfaces not in choices:
            yield Violation(
                path=("pools", index, "interfaces"),
                message=f"{known.name} has no layout {pool.interfaces}: {known.no_more_addresses}",
                allowed=", ".join(choices),
                remedy=f"Write `interfaces: {choices[0]}`, or leave it away.",
            )


def _laid_out_by_service(draft: Draft, service: str) -> Iterator[Violation]:
    for index, pool in draft.pools.items():
        for name, given in (("interfaces", pool.interfaces), ("efas", pool.efas)):
            if given not in ("save-addresses", None):
                yield Violation(
                    path=("pools", index, name),
                    message=f"{service} lays out a node's interfaces itself, and takes no choice",
                    allowed="no choice",
                    remedy=f"Leave `{name}` away, or use `kind: slurm-pcs`.",
                )


RULE = Rule(
    row=CheckRow(
        id="CAP-013",
        title="the interface layout fits the instance type",
        what=(
            "`interfaces: more-address-bandwidth` is given for types whose layout with further ENA "
            "interfaces the EC2 User Guide publishes: p5.48xlarge, p5e.48xlarge, p6-b200.48xlarge, "
            "p6-b300.48xlarge. Under `slurm-parallelcluster` and "
            "`slurm-hyperpod` neither `interfaces` nor `efas` is chosen."
        ),
        why=(
            "ENA and EFA share the cards' bandwidth, and which cards take a further interface differs "
            "from type to type. Where AWS publishes none, a guess would cost addresses and might cost "
            "EFA bandwidth, unseen."
        ),
        fix="Leave `interfaces` away: the layout that saves addresses has every EFA.",
        by_hand='See "Maximize network bandwidth" (efa-acc-inst-types) in the EC2 User Guide.',
    ),
    check=check,
)

"""ORC-045: GB200 gets its NVLink domains from the DRA driver."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.draft import Draft
from bedplate.spec.orchestrator import Eks
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse another choice of software, or of image, where a pool is of GB200."""
    kubernetes = draft.kubernetes
    domains = [pool for pool in draft.pools.values() if pool.ultraserver is not None]
    if kubernetes is None or not domains:
        return
    name = domains[0].name
    if kubernetes.gpu_software != "dra-driver":
        yield Violation(
            path=("orchestrator", "gpu_software"),
            message=f"the pool {name} is of GB200, whose NVLink domains only NVIDIA's DRA driver offers",
            given=kubernetes.gpu_software,
            allowed="dra-driver",
            remedy="Write `gpu_software: dra-driver`.",
        )
    if isinstance(kubernetes, Eks) and kubernetes.image != "al2023":
        yield Violation(
            path=("orchestrator", "image"),
            message=f"the pool {name} is of GB200, and EKS documents Amazon Linux 2023 alone for it",
            given=kubernetes.image,
            allowed="al2023",
            remedy="Write `image: al2023`, or leave it out.",
        )


RULE = Rule(
    row=CheckRow(
        id="ORC-045",
        title="GB200 has what its NVLink domains need",
        what="With a pool of p6e-gb200 under `eks`, `gpu_software` is `dra-driver` and `image` is `al2023`.",
        why=(
            "Pods of one UltraServer share memory over NVLink through a ComputeDomain, which the DRA "
            "driver makes. With the device plugin alone NCCL falls back to EFA between nodes, at a "
            "fraction of the bandwidth."
        ),
        fix="Write `gpu_software: dra-driver`.",
        by_hand='Read "Use P6e-GB200 UltraServers with Amazon EKS" in the EKS User Guide.',
    ),
    check=check,
)

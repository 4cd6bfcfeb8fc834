"""Random ways to run Kubernetes that break no rule."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from bedplate.hardware import INSTANCE_TYPES

Data = dict[str, Any]
_ROLE = "arn:aws:iam::123456789012:role/"
_JOBS = ("trainer", "jobset", "leader-worker-set")
"""The MPI operator is refused (ORC-049)."""


@st.composite
def _teams(draw: st.DrawFn, pools: list[Data]) -> list[Data]:
    """None, or one with a quota of whole nodes and one that has what is left."""
    if not draw(st.booleans()):
        return []
    of_node = {INSTANCE_TYPES[pool["instance_type"]].gpus for pool in pools}
    nodes = [each["max"] if isinstance(each := pool["nodes"], dict) else each for pool in pools]
    quota = {} if len(of_node) > 1 else {"gpus": of_node.pop() * draw(st.integers(0, sum(nodes)))}
    return [
        {"name": "pretraining", **quota, "roles": [f"{_ROLE}team/pretraining"]},
        {"name": "vision", "borrows": draw(st.booleans())},
    ]


@st.composite
def kubernetes(draw: st.DrawFn, *, pools: list[Data], arm: bool) -> Data:
    """EKS; ``arm`` is GB200, which wants the DRA driver (ORC-045)."""
    systems = ["m7g.2xlarge", "m7i.2xlarge"]
    return {
        "kind": "eks",
        "kubernetes_version": draw(st.sampled_from(["1.34", "1.35", "1.36"])),
        "control_plane_tier": draw(
            st.sampled_from(["standard", "tier-xl", "tier-2xl", "tier-4xl", "tier-8xl"])
        ),
        "public_endpoint_from": draw(st.sampled_from([[], ["203.0.113.0/24"]])),
        "administrators": draw(st.sampled_from([[], [f"{_ROLE}platform"]])),
        "system_nodes": {
            "instance_type": draw(st.sampled_from(systems)),
            "nodes": draw(st.integers(2, 32)),
        },
        "gpu_software": "dra-driver" if arm else draw(st.sampled_from(["device-plugin", "gpu-operator"])),
        "efa_software": draw(st.sampled_from(["device-plugin", "dra-driver"])),
        "admission": draw(st.sampled_from(["kueue", "none"])),
        "scheduler": draw(st.sampled_from(["default", "volcano", "kai"])),
        "jobs": draw(st.lists(st.sampled_from(_JOBS), unique=True)),
        "teams": draw(_teams(pools)),
        "image": "al2023" if arm else draw(st.sampled_from(["al2023", "bottlerocket"])),
        "node_repair": draw(st.sampled_from(["automatic", "none"])),
        "mountpoint_s3": draw(st.booleans()),
    }

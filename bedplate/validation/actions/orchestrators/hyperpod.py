"""SageMaker HyperPod: replace or reboot nodes by API, or by Slurm with a reason that its agent reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bedplate.validation.actions.orchestrators.api_call import ApiCall

NODES_A_CALL = 25
"""API BatchReplaceClusterNodes and BatchRebootClusterNodes, ``NodeIds``."""

REPLACE_REASON = "Action:Replace"
REBOOT_REASON = "Action:Reboot"
"""Exactly these words, or the agent does nothing (SageMaker AI Developer Guide, "Manually replace or reboot a
node using Slurm")."""


def replacements(*, cluster: str, nodes: Sequence[str]) -> Iterator[ApiCall]:
    """The calls that replace instances by their ids; root and further volumes of each are lost."""
    yield from _calls("BatchReplaceClusterNodes", cluster, nodes)


def reboots(*, cluster: str, nodes: Sequence[str]) -> Iterator[ApiCall]:
    """The calls that reboot instances by their ids."""
    yield from _calls("BatchRebootClusterNodes", cluster, nodes)


def slurm_argv(*, name: str, reason: str = REPLACE_REASON) -> tuple[str, ...]:
    """The command that has HyperPod's agent replace or reboot a node of a Slurm cluster."""
    if reason not in (REPLACE_REASON, REBOOT_REASON):
        raise ValueError(f"reason is {reason!r}; allowed are {REPLACE_REASON} and {REBOOT_REASON}")
    return ("scontrol", "update", f"NodeName={name}", "State=FAIL", f"Reason={reason}")


def refused(*, asked: Sequence[str], answer: Mapping[str, Any]) -> dict[str, str]:
    """Node → why it is not replaced, from the answer of one call: some may fail while others succeed.

    A node that the answer does not speak of is refused too.
    """
    failed = {
        str(row.get("NodeId")): f"{row.get('ErrorCode')}: {row.get('Message')}"
        for row in answer.get("Failed") or []
    }
    begun = {str(node) for node in answer.get("Successful") or []}
    silent = {node: "the answer does not speak of it" for node in asked if node not in {*begun, *failed}}
    return {**silent, **failed}


def _calls(operation: str, cluster: str, nodes: Sequence[str]) -> Iterator[ApiCall]:
    for start in range(0, len(nodes), NODES_A_CALL):
        chunk = list(nodes[start : start + NODES_A_CALL])
        yield ApiCall("sagemaker", operation, {"ClusterName": cluster, "NodeIds": chunk})

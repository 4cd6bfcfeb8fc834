"""Kubernetes' nodes in the words in which actions are planned, done and undone: those of Slurm's nodes.

So the cap, the second look before an end, the journal and the undo are the same code for every
orchestrator. A node counts as drained while it is cordoned or has our taint; its reason is ours where it
says itself what we did, else another's, which is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bedplate.diagnosis.parsers.kubernetes_node import KubernetesNode, read_kubernetes_node
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.errors import BedplateError
from bedplate.node.kubernetes.names import DRAIN_TAINT, POOL_LABEL
from bedplate.node.kubernetes.out_of_service import (
    NotOursError,
    back_patch,
    done_by,
    out_patch,
    reason_on,
)
from bedplate.node.kubernetes.work import is_work
from bedplate.node.set_nodes import Change
from bedplate.validation.actions.cluster import Cluster
from bedplate.validation.actions.orchestrators.eks import replacement
from bedplate.validation.actions.orchestrators.kubernetes_api import KubernetesApi, KubernetesRefused
from bedplate.validation.aws import aws_errors

BY_OTHERS = "cordoned, or tainted, by somebody else"
_TRIES = 3
"""A kubelet writes its node's status every few minutes, so that a conflict is rare, two in a row rarer."""
_CONFLICT = 409


@dataclass
class KubernetesCluster(Cluster):
    """One deployed environment whose nodes are Kubernetes'."""

    api: KubernetesApi = field(kw_only=True)
    scheduler: ClassVar[str] = "Kubernetes"

    def slurm(self) -> dict[str, SlurmNode]:
        """Private address → node, by the instance behind each. Raises ``BedplateError`` ACT-003."""
        addresses = {
            one.instance_id: one.private_ip for pool in self.manifest.pools for one in self.instances(pool)
        }
        try:
            nodes = [self._told(item, addresses) for item in self.api.list_nodes()]
        except (KubernetesRefused, ParseError) as error:
            raise _silent(str(error)) from error
        return {node.address: node for node in nodes if node is not None}

    def change(self, changes: Sequence[Change]) -> tuple[dict[str, str], dict[str, SlurmNode]]:
        """Take nodes out of service, or back: node → why it was not changed, and the nodes afterwards."""
        problems = {change.name: self._changed(change) for change in changes}
        return problems, self.slurm()

    def terminate(self, instance_id: str) -> None:
        """End one instance of a managed node group, so that its scaling group launches another."""
        if self.manifest.orchestrator.kind == "eks-hyperpod":
            self._have_replaced(instance_id)
            return
        with aws_errors(f"terminating {instance_id}"):
            self.clients.autoscaling.terminate_instance_in_auto_scaling_group(
                **replacement(instance_id=instance_id).parameters
            )

    def _told(self, item: Mapping[str, Any], addresses: Mapping[str, str]) -> SlurmNode | None:
        """One node; None for one that is of none of the pools. Only those of our pools are asked for pods."""
        found = read_kubernetes_node(item)
        address = addresses.get(found.instance_id)
        if address is None:
            return None
        busy = any(is_work(pod) for pod in self.api.list_pods_on(found.name))
        return as_slurm_node(item, found=found, address=address, busy=busy)

    def _changed(self, change: Change) -> str:
        """Why a node was not changed; empty where it was. A conflict is tried again, on what is there now."""
        for _ in range(_TRIES):
            try:
                node = self.api.get_node(change.name)
                patch = self._patch(change, node)
                if isinstance(patch, str):
                    return patch
                self.api.patch_node(change.name, patch)
            except KubernetesRefused as error:
                if error.status != _CONFLICT:
                    return str(error)
            else:
                return ""
        return "the node changes under the hand: the API server answered 409 each time"

    def _patch(self, change: Change, node: Mapping[str, Any]) -> dict[str, Any] | str:
        """The patch, or why there is none: between the plan and now a node may have got another owner."""
        addresses = {
            one.instance_id: one.private_ip for p in self.manifest.pools for one in self.instances(p)
        }
        try:
            found = read_kubernetes_node(node)
        except ParseError as error:
            return str(error)
        if addresses.get(found.instance_id) != change.address:
            return f"it is {found.instance_id or 'no instance'} now, which is not the one at {change.address}"
        reason = reason_on(node)
        if change.state == "UNDRAIN":
            done = done_by(node)
            if done is None or not reason.startswith(change.reason):
                return f"it is out of service for another reason: {reason or BY_OTHERS}"
            return back_patch(node, plan=done.plan) or BY_OTHERS
        if found.unschedulable and not reason:
            return BY_OTHERS
        plan, check_id = _plan_and_check(change.reason)
        try:
            return out_patch(node, plan=plan, check_id=check_id, reason=change.reason)
        except NotOursError as error:
            return str(error)


def as_slurm_node(item: Mapping[str, Any], *, found: KubernetesNode, address: str, busy: bool) -> SlurmNode:
    """A Kubernetes node in Slurm's words; ``item`` is the object that ``found`` was read from."""
    out = found.unschedulable or found.has_taint(DRAIN_TAINT)
    silent = found.status_of("Ready") != "True"
    flags = [*(["DRAIN"] if out else []), *(["NOT_RESPONDING"] if silent or found.is_being_deleted else [])]
    return SlurmNode(
        name=found.name,
        address=address,
        hostname=found.name,
        state="ALLOCATED" if busy else "IDLE",
        flags=tuple(flags),
        partitions=(found.labels.get(POOL_LABEL, ""),),
        gres=found.instance_type,
        allocated="pods" if busy else "",
        reason=(reason_on(item) or BY_OTHERS) if out else "",
    )


def _plan_and_check(reason: str) -> tuple[str, str]:
    """From a reason that the plan wrote: ``bedplate act-…: cause (EFA-001, …)``."""
    plan = reason.removeprefix("bedplate ").partition(":")[0]
    checks = reason.rpartition("(")[2].rstrip(")")
    return plan, checks.partition(",")[0]


def _silent(problem: str) -> BedplateError:
    return BedplateError(
        f"the scheduler cannot be asked: {problem}",
        error_id="ACT-003",
        remedy="See that the API server can be reached and that `kubectl get nodes` answers, then repeat it.",
    )

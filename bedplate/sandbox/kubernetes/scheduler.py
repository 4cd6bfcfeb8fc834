"""The default scheduler: gives each pending pod the first node, by name, that it fits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bedplate.sandbox.kubernetes.conditions import set_condition
from bedplate.sandbox.kubernetes.events import tell
from bedplate.sandbox.kubernetes.kinds import NODES, PODS
from bedplate.sandbox.kubernetes.placement import ENDED, free_of_all, message_of, reasons_against, take
from bedplate.sandbox.kubernetes.store import Object, Store

NAME = "default-scheduler"


class Scheduler:
    """Steps through the pods that wait, by priority and then in the order of their names. A pod that names
    another scheduler waits for that one. Nothing is preempted.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def step(self) -> None:
        """Place what fits now, and say of the rest why it does not."""
        pods, _ = self._store.objects(PODS)
        nodes, _ = self._store.objects(NODES)
        waiting = sorted((one for one in pods if _waits(one)), key=_turn)
        if not waiting:
            return
        free = free_of_all(nodes, pods)
        for pod in waiting:
            self._place(pod, nodes, free)

    def _place(self, pod: Object, nodes: list[Object], free: dict[str, dict[str, Fraction]]) -> None:
        reasons = []
        for node in nodes:
            name = node["metadata"]["name"]
            against = reasons_against(pod, node, free[name])
            if not against:
                self._bind(pod, name)
                take(free[name], pod)
                return
            reasons.append(against)
        self._refuse(pod, message_of(reasons))

    def _bind(self, pod: Object, node: str) -> None:
        def bound(found: dict[str, Any]) -> None:
            found["spec"]["nodeName"] = node
            set_condition(found.setdefault("status", {}), "PodScheduled", holds=True, now=self._store.now())

        self._store.update(PODS, pod["metadata"]["namespace"], pod["metadata"]["name"], bound)
        self._tell(pod, "Scheduled", f"Successfully assigned {_full_name(pod)} to {node}", warns=False)

    def _refuse(self, pod: Object, message: str) -> None:
        before = pod.get("status", {}).get("conditions") or ()
        if any(one["type"] == "PodScheduled" and one.get("message") == message for one in before):
            return

        def refused(found: dict[str, Any]) -> None:
            set_condition(
                found.setdefault("status", {}),
                "PodScheduled",
                holds=False,
                now=self._store.now(),
                reason="Unschedulable",
                message=message,
            )

        self._store.update(PODS, pod["metadata"]["namespace"], pod["metadata"]["name"], refused)
        self._tell(pod, "FailedScheduling", message, warns=True)

    def _tell(self, pod: Object, reason: str, message: str, *, warns: bool) -> None:
        tell(self._store, pod, reason=reason, message=message, source=NAME, warns=warns)


def _waits(pod: Object) -> bool:
    spec = pod["spec"]
    return (
        not spec.get("nodeName")
        and not spec.get("schedulingGates")
        and spec.get("schedulerName", NAME) == NAME
        and not pod["metadata"].get("deletionTimestamp")
        and (pod.get("status") or {}).get("phase") not in ENDED
    )


def _turn(pod: Object) -> tuple[int, str]:
    return -int(pod["spec"].get("priority") or 0), _full_name(pod)


def _full_name(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"

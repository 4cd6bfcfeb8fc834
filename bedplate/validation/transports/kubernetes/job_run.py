"""One Indexed Job of ours from its creation to its deletion: pods are bound to their nodes, watched and read.

Its pods are listed again and again rather than watched: one label's pods cost the server little, and a list
cannot be cut off in the middle as a watch can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from bedplate.kubernetes.validation.names import CONTAINER
from bedplate.kubernetes.validation.placement import placed
from bedplate.validation.transports.kubernetes.client import EVENTS, JOBS, PODS, ClusterClient
from bedplate.validation.transports.kubernetes.limits import KubernetesLimits
from bedplate.validation.transports.kubernetes.pod_state import PodState, pod_state
from bedplate.validation.transports.kubernetes.refused import ClusterRefused

_NOBODY_TELLS = frozenset({0, 401, 403})


@dataclass(frozen=True)
class PodEnd:
    """How one index ended. ``problem`` says why its status tells nothing; ``text`` is its log, as far as
    there is one.
    """

    text: str = ""
    exit_status: int | None = None
    said: str = ""
    overran: bool = False
    problem: str = ""


@dataclass
class JobRun:
    """``document`` is the Job, ``nodes`` are the names of its nodes in the order of its indexes."""

    client: ClusterClient
    document: Mapping[str, Any]
    nodes: Sequence[str]
    deadline_seconds: float
    limits: KubernetesLimits
    clock: Callable[[], float]
    _began: float = 0.0
    _bound: dict[int, str] = field(default_factory=dict)
    _since: dict[tuple[int, str], float] = field(default_factory=dict)
    _ended: set[int] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The Job's name."""
        return str(self.document["metadata"]["name"])

    @property
    def waiting(self) -> list[int]:
        """Indexes that have not ended."""
        return [index for index in range(len(self.nodes)) if index not in self._ended]

    def start(self) -> None:
        """Raises ``ClusterRefused``. Call ``delete`` whatever happens."""
        self._began = self.clock()
        self.client.create(JOBS, self.document)

    def step(self, pods: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, PodEnd]]:
        """Bind what may go, and tell what has ended; ``pods`` are the Job's own as they are now."""
        now = self.clock()
        states = [pod_state(pod) for pod in pods]
        for state in states:
            wanted = 0 <= state.index < len(self.nodes) and state.index not in self._bound
            if wanted and state.stage == "gated":
                # Before: whether a request was carried out whose answer is lost, nobody knows.
                self._bound[state.index] = state.name
                self._since[(state.index, "placed")] = now
                self._place(state)
        by_name = {state.name: state for state in states}
        for index in self.waiting:
            end = self._end(index, by_name.get(self._bound.get(index, "")), now)
            if end is not None:
                self._ended.add(index)
                yield index, end

    def delete(self) -> None:
        """The Job and with it its pods, which get a signal to end. What cannot be deleted now is found by its
        label later, and ends by its own deadline.
        """
        with suppress(ClusterRefused):
            self.client.delete(f"{JOBS}/{self.name}", propagation="Foreground")

    def _end(self, index: int, state: PodState | None, now: float) -> PodEnd | None:
        limits = self.limits
        if index not in self._bound:
            late = now - self._began > limits.made
            return PodEnd(problem=self._not_made()) if late else None
        if state is None:
            return PodEnd(problem="its pod was deleted while it was waited for")
        if state.stage == "ended":
            return self._read(state)
        end = self._late(state, now)
        if end is not None:
            # Or it would load its node as soon as that is free. A pod in its place stays behind its gate.
            with suppress(ClusterRefused):
                self.client.delete(f"{PODS}/{state.name}")
        return end

    def _late(self, state: PodState, now: float) -> PodEnd | None:
        limits = self.limits
        began = self._since.setdefault((state.index, state.stage), now)
        if state.stage in ("gated", "unplaced"):
            began, most, what = self._since[(state.index, "placed")], limits.placed, "did not place its pod"
        elif state.stage == "starting":
            most, what = limits.started, "did not start its pod"
        else:
            late = now - began > self.deadline_seconds + limits.ended
            return PodEnd(overran=True) if late else None
        if now - began <= most:
            return None
        return PodEnd(problem=f"Kubernetes {what} within {most:.0f} s: {state.why or 'it is still gated'}")

    def _place(self, state: PodState) -> None:
        try:
            self.client.merge(f"{PODS}/{state.name}", placed(self.nodes[state.index]))
        except ClusterRefused as refused:
            # Gone in between: the next look says so.
            if refused.status != 404:
                raise

    def _not_made(self) -> str:
        """With the reason, such as a policy that admits no privileged pods, if the Job's events tell it."""
        told = self.client.listed(EVENTS, fields=f"involvedObject.name={self.name}")
        warnings = [str(one.get("message", "")) for one in told if one.get("type") == "Warning"]
        why = f": {warnings[-1][:300]}" if warnings else ""
        return f"Kubernetes made no pod for it within {self.limits.made:.0f} s{why}"

    def _read(self, state: PodState) -> PodEnd:
        try:
            text = self.client.text(f"{PODS}/{state.name}/log", query={"container": CONTAINER})
        except ClusterRefused as refused:
            if refused.status in _NOBODY_TELLS:
                raise
            if not state.why:
                return PodEnd(problem=f"its log cannot be read: {refused}")
            text = ""
        return PodEnd(text, state.exit_status, state.said, state.overran, state.why)

"""The kubelets of all played nodes: they run the pods that were placed, and end those that were deleted."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.kubernetes.container_status import State, running, terminated, waiting, write_states
from bedplate.sandbox.kubernetes.deletion import delete
from bedplate.sandbox.kubernetes.events import tell
from bedplate.sandbox.kubernetes.kinds import NODES, PODS, Kind
from bedplate.sandbox.kubernetes.placement import ENDED
from bedplate.sandbox.kubernetes.pod_environment import NoSuchKey, environment_of
from bedplate.sandbox.kubernetes.pod_faults import PodFault
from bedplate.sandbox.kubernetes.runner import KILLED_RC, Run, Runner
from bedplate.sandbox.kubernetes.status import ApiStatus
from bedplate.sandbox.kubernetes.store import Object, Store

_CANNOT_START_RC = 128


class Kubelet:
    """Runs pods, each in a thread: its init containers one after the other, then its containers together. A
    container that ended is not started again, whatever the pod's restartPolicy: restarts are not played.
    """

    def __init__(self, store: Store, runner: Runner) -> None:
        self._store = store
        self._runner = runner
        self._lock = threading.Lock()
        self._runs: dict[str, dict[str, Run]] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._evicted: set[str] = set()
        self.faults: list[PodFault] = []
        store.graceful = self._is_running

    def step(self) -> None:
        """Start what was placed, stop what was deleted, forget what is gone."""
        pods = {pod["metadata"]["uid"]: pod for pod in self._store.objects(PODS)[0]}
        for uid, pod in pods.items():
            placed = pod["spec"].get("nodeName") and pod["status"]["phase"] == "Pending"
            if pod["metadata"].get("deletionTimestamp"):
                self._stop(uid)
                if uid not in self._threads or not self._threads[uid].is_alive():
                    self._remove(pod)
            elif placed and uid not in self._threads and self._answers(pod["spec"]["nodeName"]):
                self._begin(uid, pod)
        for uid in set(self._threads) - set(pods):
            self._stop(uid)
            if not self._threads[uid].is_alive():
                del self._threads[uid]
                self._runs.pop(uid, None)

    def evict(self, namespace: str, name: str, message: str) -> None:
        """End a pod as a node under pressure does: Failed, by the reason Evicted. Raises a 404."""
        pod = self._store.get(PODS, namespace, name)
        uid = pod["metadata"]["uid"]
        self._evicted.add(uid)
        self._stop(uid)

        def changed(found: dict[str, Any]) -> None:
            found["status"].update(phase="Failed", reason="Evicted", message=message)

        self._store.update(PODS, namespace, name, changed)
        tell(self._store, pod, reason="Evicted", message=message, source="kubelet", warns=True)

    def log(self, pod: Object, container: str) -> str | None:
        """What a container printed; None where it has not begun."""
        run = self._runs.get(pod["metadata"]["uid"], {}).get(container)
        return run.log if run else None

    def close(self) -> None:
        """Stop all pods and wait for their processes to be gone."""
        for uid in list(self._threads):
            self._stop(uid)
        for thread in list(self._threads.values()):
            thread.join(timeout=10)

    def _is_running(self, kind: Kind, found: Object) -> bool:
        return (
            kind.key == PODS.key
            and found["metadata"]["uid"] in self._threads
            and (found["status"]["phase"] not in ENDED)
        )

    def _answers(self, node: str) -> bool:
        """Whether the node's own kubelet lives: one that fell silent takes no pod, and the pod waits."""
        found = self._store.find(NODES, "", node)
        conditions = ((found or {}).get("status") or {}).get("conditions") or ()
        return found is not None and not any(
            one["type"] == "Ready" and one["status"] == "Unknown" for one in conditions
        )

    def _stop(self, uid: str) -> None:
        with self._lock:
            for run in self._runs.get(uid, {}).values():
                run.stop.set()

    def _remove(self, pod: Object) -> None:
        delete(self._store, PODS, pod, {"gracePeriodSeconds": 0})

    def _begin(self, uid: str, pod: Object) -> None:
        if any(one.trouble == "image-pull" and one.strikes(pod) for one in self.faults):
            self._hold(pod, "ImagePullBackOff", "Back-off pulling image")
            return
        missing = [one["name"] for one in _all_containers(pod) if not one.get("command")]
        if missing:
            # Not our kind of silence: a container that does nothing would count as a success.
            self._hold(pod, "CreateContainerError", "the sandbox has no images: give the container a command")
            return
        try:
            runs = {
                one["name"]: Run(pod["spec"]["nodeName"], pod, one, environment_of(self._store, pod, one))
                for one in _all_containers(pod)
            }
        except NoSuchKey as error:
            self._hold(pod, "CreateContainerConfigError", str(error))
            return
        with self._lock:
            self._runs[uid] = runs
        thread = threading.Thread(target=self._guarded, args=(pod, runs), daemon=True, name=f"pod-{uid}")
        self._threads[uid] = thread
        thread.start()

    def _hold(self, pod: Object, reason: str, message: str) -> None:
        """A pod whose containers cannot be made stays Pending."""
        first = _all_containers(pod)[0]
        current = (pod["status"].get("containerStatuses") or [{}])[0].get("state", {}).get("waiting", {})
        if current.get("reason") != reason or current.get("message") != message:
            states = {one["name"]: waiting(reason, message) for one in _all_containers(pod)}
            self._write(pod, states, "Pending")
            text = f"{message} {first.get('image', '')}".strip()
            tell(self._store, pod, reason="Failed", message=text, source="kubelet", warns=True)

    def _guarded(self, pod: Object, runs: Mapping[str, Run]) -> None:
        try:
            self._live(pod, runs)
        except ApiStatus as error:
            # Removed by force while it ran: nobody is left to write the status for.
            if error.code != 404:
                raise

    def _live(self, pod: Object, runs: Mapping[str, Run]) -> None:
        for container in pod["spec"].get("initContainers") or ():
            run = runs[container["name"]]
            if self._container(pod, run, "Pending") != 0:
                self._finish(pod, "Failed")
                return
        codes: dict[str, int] = {}

        def main(name: str) -> None:
            codes[name] = self._container(pod, runs[name], "Running")

        names = [one["name"] for one in pod["spec"]["containers"]]
        threads = [threading.Thread(target=main, args=(name,), daemon=True) for name in names[1:]]
        for thread in threads:
            thread.start()
        main(names[0])
        for thread in threads:
            thread.join()
        self._finish(pod, "Succeeded" if all(codes.get(name) == 0 for name in names) else "Failed")

    def _container(self, pod: Object, run: Run, phase: str) -> int:
        name, started = run.container["name"], self._store.now()
        self._write(pod, {name: running(started)}, phase)
        reason = message = ""
        if any(one.trouble == "oom-killed" and one.strikes(pod) for one in self.faults):
            code, reason = KILLED_RC, "OOMKilled"
        else:
            try:
                code = self._runner(run)
                message = run.message
            except Exception as error:  # noqa: BLE001 - a runner of a test may fail in any way
                code, reason, message = _CANNOT_START_RC, "StartError", f"{type(error).__name__}: {error}"
        ended = terminated(code, started, self._store.now(), reason=reason, message=message)
        self._write(pod, {name: ended}, phase)
        return code

    def _finish(self, pod: Object, phase: str) -> None:
        self._write(pod, {}, phase)

    def _write(self, pod: Object, states: Mapping[str, State], phase: str) -> None:
        metadata = pod["metadata"]
        evicted = metadata["uid"] in self._evicted

        def changed(found: dict[str, Any]) -> None:
            write_states(found, states, phase="Failed" if evicted else phase, now=self._store.now())

        self._store.update(PODS, metadata["namespace"], metadata["name"], changed)


def _all_containers(pod: Object) -> list[Mapping[str, Any]]:
    return [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]

"""A played cluster: the API server with the life behind it, stepped by calls or by a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Self

from bedplate.sandbox.kubernetes.job_controller import JobController
from bedplate.sandbox.kubernetes.kubelet import Kubelet
from bedplate.sandbox.kubernetes.pod_parts import pod_parts
from bedplate.sandbox.kubernetes.runner import ProcessRunner, Runner
from bedplate.sandbox.kubernetes.scheduler import Scheduler
from bedplate.sandbox.kubernetes.server import DEFAULT_MINOR, KubernetesServer
from bedplate.sandbox.kubernetes.status import ApiStatus
from bedplate.sandbox.kubernetes.store import Store

LOG = logging.getLogger("bedplate.sandbox.kubernetes")
_LOOK_EVERY_S = 0.1


class Cluster:
    """SIMULATED: API server, scheduler, Job controller and kubelets. With ``stepped`` nothing happens but by
    ``step``; without, a thread steps after each change while the cluster is open (a context manager).
    ``runner`` carries containers out; by default their commands are processes of this machine. ``lets_in``
    and ``refresh`` are the server's.
    """

    def __init__(
        self,
        *,
        store: Store | None = None,
        minor: int = DEFAULT_MINOR,
        runner: Runner | None = None,
        stepped: bool = False,
        lets_in: Callable[[str], bool] = lambda _token: False,
        refresh: Callable[[], None] = lambda: None,
    ) -> None:
        self.store = store or Store()
        self.server = KubernetesServer(store=self.store, minor=minor, lets_in=lets_in, refresh=refresh)
        self.kubelet = Kubelet(self.store, runner or ProcessRunner())
        self.server.rest.parts.update(pod_parts(self.store, self.kubelet))
        self._stepped = stepped
        self._scheduler = Scheduler(self.store)
        self._jobs = JobController(self.store)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="kubernetes-controllers")

    def __enter__(self) -> Self:
        self.server.__enter__()
        if not self._stepped:
            self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        self.kubelet.close()
        self.server.__exit__(*exception)

    def step(self) -> None:
        """One round of every controller."""
        self._jobs.step()
        self._scheduler.step()
        self.kubelet.step()

    def _run(self) -> None:
        seen = 0
        while not self._closing.is_set():
            seen = self.store.version
            try:
                self.step()
            except ApiStatus as error:
                # An object went away between the look and the write; the next round sees it gone.
                LOG.info("%s", error.message)
            except Exception:
                LOG.exception("a controller of the played cluster failed")
            try:
                self.store.changes_since(seen, _LOOK_EVERY_S)
            except ApiStatus:
                LOG.info("compacted meanwhile")

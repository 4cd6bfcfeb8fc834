"""The Job controller: starts a Job's pods, counts how they end, and ends the Job."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

from bedplate.sandbox.kubernetes.conditions import holds, set_condition
from bedplate.sandbox.kubernetes.defaults import fill_in
from bedplate.sandbox.kubernetes.deletion import delete
from bedplate.sandbox.kubernetes.events import tell
from bedplate.sandbox.kubernetes.job_progress import INDEX, Progress, as_intervals, progress_of
from bedplate.sandbox.kubernetes.kinds import JOBS, PODS
from bedplate.sandbox.kubernetes.status import ApiStatus
from bedplate.sandbox.kubernetes.store import Object, Store

_DEADLINE = ("Failed", "DeadlineExceeded", "Job was active longer than specified deadline")


class JobController:
    """Steps through all Jobs. A pod that failed is replaced at once: the real controller's growing pause
    between tries is not played.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def step(self) -> None:
        """Bring each Job one step on."""
        for job in self._store.objects(JOBS)[0]:
            try:
                self._step(job)
            except ApiStatus as error:
                # Deleted meanwhile: by a client's request in another thread.
                if error.code != 404:
                    raise

    def _step(self, job: Object) -> None:
        if holds(job, "Complete") or holds(job, "Failed"):
            self._expire(job)
            return
        progress = progress_of(job, self._pods(job))
        finished = progress.finished or self._deadline(job)
        if finished:
            for pod in progress.active:
                delete(self._store, PODS, pod, {})
            if finished[0] == "Failed":
                tell(
                    self._store,
                    job,
                    reason=finished[1],
                    message=finished[2],
                    source="job-controller",
                    warns=True,
                )
        else:
            for index in progress.to_start:
                self._start(job, index)
            progress = progress_of(job, self._pods(job))
        self._write(job, progress, finished)

    def _pods(self, job: Object) -> list[Object]:
        uid = job["metadata"]["uid"]
        return [
            pod
            for pod in self._store.objects(PODS, job["metadata"]["namespace"])[0]
            if any(owner["uid"] == uid for owner in pod["metadata"].get("ownerReferences") or ())
        ]

    def _deadline(self, job: Object) -> tuple[str, str, str] | None:
        limit = job["spec"].get("activeDeadlineSeconds")
        started = job.get("status", {}).get("startTime")
        if limit is None or started is None or job["spec"].get("suspend"):
            return None
        return _DEADLINE if self._store.clock() >= _time(started) + timedelta(seconds=limit) else None

    def _expire(self, job: Object) -> None:
        """Delete a Job that ended longer ago than it is to be kept."""
        ttl = job["spec"].get("ttlSecondsAfterFinished")
        ended = [one["lastTransitionTime"] for one in job["status"]["conditions"]]
        if ttl is not None and self._store.clock() >= _time(max(ended)) + timedelta(seconds=ttl):
            delete(self._store, JOBS, job, {"propagationPolicy": "Background"})

    def _start(self, job: Object, index: int | None) -> None:
        body = copy.deepcopy(dict(job["spec"]["template"]))
        name = job["metadata"]["name"] if index is None else f"{job['metadata']['name']}-{index}"
        metadata = body.setdefault("metadata", {})
        metadata["name"] = f"{name}-{self._store.suffix()}"
        metadata["namespace"] = job["metadata"]["namespace"]
        metadata["ownerReferences"] = [
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": job["metadata"]["name"],
                "uid": job["metadata"]["uid"],
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]
        if index is not None:
            for place in ("annotations", "labels"):
                metadata[place] = {**(metadata.get(place) or {}), INDEX: str(index)}
            body["spec"].setdefault("hostname", name)
            for container in body["spec"]["containers"]:
                container["env"] = [
                    *(container.get("env") or ()),
                    {"name": "JOB_COMPLETION_INDEX", "value": str(index)},
                ]
        fill_in(PODS, body)
        self._store.create(PODS, body)
        tell(
            self._store,
            job,
            reason="SuccessfulCreate",
            message=f"Created pod: {metadata['name']}",
            source="job-controller",
        )

    def _write(self, job: Object, progress: Progress, finished: tuple[str, str, str] | None) -> None:
        now = self._store.now()

        def changed(found: dict[str, Any]) -> None:
            status = found.setdefault("status", {})
            if not found["spec"].get("suspend"):
                status.setdefault("startTime", now)
            status["active"] = 0 if finished else len(progress.active)
            status["succeeded"], status["failed"] = progress.succeeded, progress.failed
            if found["spec"].get("completionMode") == "Indexed":
                status["completedIndexes"] = as_intervals(progress.done_indexes)
                if found["spec"].get("backoffLimitPerIndex") is not None:
                    status["failedIndexes"] = as_intervals(progress.failed_indexes)
            if finished:
                word, reason, message = finished
                set_condition(status, word, holds=True, now=now, reason=reason, message=message)
                if word == "Complete":
                    status["completionTime"] = now

        self._store.update(JOBS, job["metadata"]["namespace"], job["metadata"]["name"], changed)


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)

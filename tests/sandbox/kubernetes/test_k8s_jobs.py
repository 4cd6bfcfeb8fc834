"""Jobs of the played cluster start, retry, end and go as the Job controller has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kubernetes import client, config

from bedplate.sandbox.kubernetes.cluster import Cluster
from bedplate.sandbox.kubernetes.job_progress import INDEX, progress_of
from bedplate.sandbox.kubernetes.store import Store


@dataclass
class Clock:
    """A clock that a test turns."""

    now: datetime = field(default_factory=lambda: datetime(2030, 1, 1, tzinfo=UTC))

    def __call__(self) -> datetime:
        """What it shows."""
        return self.now


@dataclass
class Player:
    """A stepped cluster without nodes: the test says how pods end."""

    cluster: Cluster
    core: client.CoreV1Api
    batch: client.BatchV1Api
    clock: Clock

    def create(self, **spec: Any) -> None:
        """Create the Job ``work``."""
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]}}
        self.batch.create_namespaced_job(
            "default", {"metadata": {"name": "work"}, "spec": {"template": template, **spec}}
        )
        self.cluster.step()

    def pods(self) -> list[Any]:
        """The pods that have not ended."""
        found: list[Any] = self.core.list_namespaced_pod(
            "default", field_selector="status.phase=Pending"
        ).items
        return sorted(
            found, key=lambda pod: pod.metadata.annotations["batch.kubernetes.io/job-completion-index"]
        )

    def indexes(self) -> list[str]:
        """Their indexes, from the environment."""
        return [pod.spec.containers[0].env[0].value for pod in self.pods()]

    def end(self, index: str, phase: str) -> None:
        """Let the pod of an index end."""
        (pod,) = (one for one in self.pods() if one.spec.containers[0].env[0].value == index)
        self.core.patch_namespaced_pod_status(pod.metadata.name, "default", {"status": {"phase": phase}})
        self.cluster.step()

    def status(self) -> Any:
        """The Job's status."""
        return self.batch.read_namespaced_job("work", "default").status

    def outcome(self) -> list[tuple[str, str]]:
        """(condition, reason) of all conditions."""
        return [(one.type, one.reason) for one in self.status().conditions or ()]


@pytest.fixture
def player() -> Iterator[Player]:
    """A cluster of its own for each test."""
    clock = Clock()
    with (
        Cluster(store=Store(clock=clock), stepped=True) as cluster,
        config.new_client_from_config_dict(cluster.server.kubeconfig()) as api,
    ):
        yield Player(cluster, client.CoreV1Api(api), client.BatchV1Api(api), clock)


def test_an_indexed_job_has_a_pod_an_index(player: Player) -> None:
    """Each pod knows its index, is named and addressed by it; the Job is complete once all succeeded."""
    player.create(completionMode="Indexed", completions=3, parallelism=2)
    assert player.indexes() == ["0", "1"]
    pod = player.pods()[1]
    assert pod.spec.hostname == "work-1"
    assert pod.metadata.name.startswith("work-1-")
    assert pod.metadata.labels["batch.kubernetes.io/job-name"] == "work"
    player.end("1", "Succeeded")
    assert player.indexes() == ["0", "2"]
    assert (player.status().active, player.status().completed_indexes) == (2, "1")
    player.end("0", "Succeeded")
    player.end("2", "Succeeded")
    assert player.outcome() == [("Complete", "CompletionsReached")]
    assert (player.status().succeeded, player.status().completed_indexes) == (3, "0-2")
    assert player.status().completion_time is not None


def test_failures_beyond_the_limit_end_the_job(player: Player) -> None:
    """A failed pod is replaced until the limit is passed; then the others are stopped."""
    player.create(completionMode="Indexed", completions=2, parallelism=2, backoffLimit=1)
    player.end("0", "Failed")
    assert player.indexes() == ["0", "1"]
    player.end("0", "Failed")
    assert player.outcome() == [("Failed", "BackoffLimitExceeded")]
    assert player.indexes() == []
    assert (player.status().failed, player.status().active) == (2, 0)


def test_a_limit_for_each_index_lets_the_others_finish(player: Player) -> None:
    """With backoffLimitPerIndex one index may fail, and the Job ends once each index has ended."""
    player.create(completionMode="Indexed", completions=2, parallelism=2, backoffLimitPerIndex=0)
    player.end("0", "Failed")
    assert player.indexes() == ["1"]
    assert player.outcome() == []
    player.end("1", "Succeeded")
    assert player.outcome() == [("Failed", "FailedIndexes")]
    assert (player.status().completed_indexes, player.status().failed_indexes) == ("1", "0")


def test_a_deadline_ends_a_job_that_waits(player: Player) -> None:
    """A Job is failed once it was active for too long, also where its pods never started."""
    player.create(completionMode="Indexed", completions=1, activeDeadlineSeconds=60)
    player.clock.now += timedelta(seconds=59)
    player.cluster.step()
    assert player.outcome() == []
    player.clock.now += timedelta(seconds=1)
    player.cluster.step()
    assert player.outcome() == [("Failed", "DeadlineExceeded")]
    assert player.pods() == []


def test_an_ended_job_goes_after_its_time(player: Player) -> None:
    """ttlSecondsAfterFinished deletes the Job with its pods, not before."""
    player.create(completionMode="Indexed", completions=1, ttlSecondsAfterFinished=10)
    player.end("0", "Succeeded")
    player.clock.now += timedelta(seconds=9)
    player.cluster.step()
    assert player.outcome() == [("Complete", "CompletionsReached")]
    player.clock.now += timedelta(seconds=1)
    player.cluster.step()
    assert player.batch.list_namespaced_job("default").items == []
    assert player.core.list_namespaced_pod("default").items == []


def test_what_was_counted_stays_counted(player: Player) -> None:
    """An index that is done is not run again when its pod is deleted, nor is a failure forgotten."""
    player.create(completionMode="Indexed", completions=3, parallelism=3, backoffLimit=2)
    player.end("0", "Succeeded")
    player.end("1", "Failed")
    player.core.delete_collection_namespaced_pod("default", field_selector="status.phase!=Pending")
    player.cluster.step()
    assert player.indexes() == ["1", "2"]
    assert (player.status().completed_indexes, player.status().failed) == ("0", 1)


def test_what_is_not_played_is_refused(player: Player) -> None:
    """A field of a Job that nothing here carries out is no silent success."""
    with pytest.raises(client.ApiException) as error:
        player.create(
            completionMode="Indexed", completions=1, successPolicy={"rules": [{"succeededCount": 1}]}
        )
    assert error.value.status == 400
    assert "does not play a Job's spec.successPolicy" in error.value.body


def test_more_failed_indexes_than_allowed_end_the_job(player: Player) -> None:
    """Not before: an index that failed holds up none of the others."""
    limits = {"backoffLimitPerIndex": 0, "maxFailedIndexes": 1}
    player.create(completionMode="Indexed", completions=3, parallelism=3, **limits)
    player.end("0", "Failed")
    assert player.indexes() == ["1", "2"]
    player.end("1", "Failed")
    assert [one.reason for one in player.status().conditions if one.status == "True"] == [
        "MaxFailedIndexesExceeded"
    ]


def test_a_pod_that_is_being_deleted_is_replaced_as_the_policy_says() -> None:
    """By default at once; by the policy Failed not before it has ended."""
    metadata = {"annotations": {INDEX: "0"}, "deletionTimestamp": "2030-01-01T00:00:00Z"}
    leaving = {"metadata": metadata, "spec": {}, "status": {"phase": "Running"}}
    spec = {"completionMode": "Indexed", "completions": 1, "backoffLimit": 6, "parallelism": 1}
    assert progress_of({"spec": spec}, [leaving]).to_start == (0,)
    patient = {"spec": {**spec, "podReplacementPolicy": "Failed"}}
    assert progress_of(patient, [leaving]).to_start == ()
    ended = {**leaving, "status": {"phase": "Failed"}}
    assert progress_of(patient, [ended]).to_start == (0,)

"""Watches of the played API server, as the official client follows them."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from bedplate.sandbox.kubernetes.server import KubernetesServer


def config_map(name: str, **labels: str) -> dict[str, Any]:
    """An object that nothing else looks after."""
    return {"metadata": {"name": name, "labels": labels}}


def events(core: client.CoreV1Api, count: int, **how: Any) -> list[tuple[str, str]]:
    """(type, name) of the first events."""
    seen: list[tuple[str, str]] = []
    watcher = watch.Watch()
    for event in watcher.stream(core.list_namespaced_config_map, "default", timeout_seconds=5, **how):
        seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == count:
            watcher.stop()
    return seen


def test_a_watch_tells_every_change_since_a_version(core: client.CoreV1Api) -> None:
    """Additions, changes and deletions after the version come in order; without one, what there is first."""
    core.create_namespaced_config_map("default", config_map("a"))
    since = core.list_namespaced_config_map("default").metadata.resource_version
    core.create_namespaced_config_map("default", config_map("b"))
    core.patch_namespaced_config_map("b", "default", {"data": {"k": "v"}})
    core.delete_namespaced_config_map("b", "default")
    assert events(core, 3, resource_version=since) == [("ADDED", "b"), ("MODIFIED", "b"), ("DELETED", "b")]
    assert events(core, 1) == [("ADDED", "a")]


def test_what_ceases_to_match_is_told_as_deleted(core: client.CoreV1Api) -> None:
    """A watch by label sees an object come when it gets the label and go when it loses it."""
    since = core.list_namespaced_config_map("default").metadata.resource_version
    core.create_namespaced_config_map("default", config_map("a"))
    core.patch_namespaced_config_map("a", "default", {"metadata": {"labels": {"team": "x"}}})
    core.patch_namespaced_config_map("a", "default", {"metadata": {"labels": {"team": "y"}}})
    seen = events(core, 2, resource_version=since, label_selector="team=x")
    assert seen == [("ADDED", "a"), ("DELETED", "a")]


def test_a_watch_from_a_forgotten_version_is_gone(server: KubernetesServer, core: client.CoreV1Api) -> None:
    """After a compaction, a watch from before it is 410, so that the client lists anew."""
    since = core.list_namespaced_config_map("default").metadata.resource_version
    core.create_namespaced_config_map("default", config_map("a"))
    server.store.forget()
    with pytest.raises(ApiException) as error:
        events(core, 1, resource_version=since)
    assert error.value.status == 410
    assert "too old resource version" in error.value.reason


def test_a_watch_can_be_cut(server: KubernetesServer, core: client.CoreV1Api) -> None:
    """A broken connection ends the stream in the middle; the events before it have come."""
    core.create_namespaced_config_map("default", config_map("a"))
    seen = []

    def follow() -> None:
        for event in watch.Watch().stream(core.list_namespaced_config_map, "default", timeout_seconds=20):
            seen.append(event["object"].metadata.name)
            threading.Timer(0.1, server.cut_watches).start()
            if len(seen) > 1:
                return

    try:
        follow()
    except HTTPError:
        assert seen == ["a"]
    else:
        # The client may take the break for an end and connect again; then it is told the same object anew.
        assert seen == ["a", "a"]

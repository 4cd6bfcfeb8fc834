"""The played API server throttles and fails where a test asks for it."""

from __future__ import annotations

import pytest
from kubernetes import client
from kubernetes.client.exceptions import ApiException

from bedplate.sandbox.kubernetes.server import KubernetesServer


def test_a_throttled_request_says_when_to_come_again(
    server: KubernetesServer, core: client.CoreV1Api, api: client.ApiClient
) -> None:
    """429 with Retry-After for as many requests as asked for, and only for those that fit."""
    server.faults.refuse(429, times=1, method="GET", part_of_path="/nodes", retry_after_s=0)
    assert core.list_namespace().items
    # urllib3 itself comes again after a 429 that names a time: the client's user sees a list.
    assert core.list_node().items == []
    assert server.faults.struck == 1


def test_a_client_that_does_not_retry_sees_the_refusal(
    server: KubernetesServer, core: client.CoreV1Api
) -> None:
    """A create is never repeated by the client itself: its user gets the Status and the header."""
    server.faults.refuse(429, times=1, method="POST", retry_after_s=7)
    body = {"metadata": {"name": "n"}}
    with pytest.raises(ApiException) as error:
        core.create_namespace(body)
    assert error.value.status == 429
    assert error.value.headers["Retry-After"] == "7"
    assert core.create_namespace(body).metadata.name == "n"


def test_a_server_fails_for_a_while(server: KubernetesServer, core: client.CoreV1Api) -> None:
    """500s come for the number of requests asked for, then all is well."""
    server.faults.refuse(500, times=2)
    for _ in range(2):
        with pytest.raises(ApiException) as error:
            core.list_node()
        assert error.value.status == 500
        assert "injected by the sandbox" in error.value.body
    assert core.list_node().items == []

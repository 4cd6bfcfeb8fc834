"""A played API server, and the official client against it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kubernetes import client, config

from bedplate.sandbox.kubernetes.server import KubernetesServer


@pytest.fixture
def server() -> Iterator[KubernetesServer]:
    """A server of its own for each test."""
    with KubernetesServer() as opened:
        yield opened


@pytest.fixture
def api(server: KubernetesServer) -> Iterator[client.ApiClient]:
    """The official client, set up by the server's kubeconfig."""
    with config.new_client_from_config_dict(server.kubeconfig()) as found:
        yield found


@pytest.fixture
def core(api: client.ApiClient) -> client.CoreV1Api:
    """The core API."""
    return client.CoreV1Api(api)

"""The fence and the surroundings of the test session hold."""

from __future__ import annotations

import os
import socket

import pytest

from tests.support.fence import OutsideFenceError, is_loopback
from tests.support.surroundings import arrange, node_binary


@pytest.mark.parametrize(
    "host", ["192.0.2.1", "sts.us-west-2.amazonaws.com", "2001:db8::1", "localhost.example"]
)
def test_other_machines_are_out_of_reach(host: str) -> None:
    """A connection or a look-up that would leave this machine is refused before it starts."""
    assert not is_loopback(host)
    with pytest.raises(OutsideFenceError):
        socket.create_connection((host, 443), timeout=1)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as plain, pytest.raises(OutsideFenceError):
        plain.connect((host, 443))


def test_loopback_is_reachable() -> None:
    """A server on loopback can be talked to by name and by address."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for host in ("127.0.0.1", "localhost"):
            with socket.create_connection((host, port), timeout=5) as client:
                assert client.getpeername()[1] == port


def test_the_session_has_no_credentials_and_its_own_node() -> None:
    """Fake credentials, no configuration files, CDK's validation off, and the locked Node."""
    assert os.environ["AWS_ACCESS_KEY_ID"] == "testing"
    assert os.environ["AWS_CONFIG_FILE"] == os.devnull
    assert "AWS_PROFILE" not in os.environ
    assert os.environ["JSII_NODE"]
    assert node_binary().is_file()


def test_arranging_forgets_what_the_user_had() -> None:
    """A profile, a role or an endpoint of the user's does not reach the tests."""
    environ = {"AWS_PROFILE": "prod", "AWS_ENDPOINT_URL": "https://aws.test", "CDK_VALIDATION": "true"}
    arrange(environ)
    assert "AWS_PROFILE" not in environ
    assert "AWS_ENDPOINT_URL" not in environ
    assert environ["CDK_VALIDATION"] == "true"
    assert environ["AWS_SECRET_ACCESS_KEY"] == "testing"

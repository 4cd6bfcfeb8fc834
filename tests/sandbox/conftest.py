"""A sandbox in this process for the tests of this folder."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.serving import make_server

from tests.sandbox.stand_in import FakeFleet, FakeResult, StandIn


@pytest.fixture(scope="session")
def stand_in_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """One sandbox for all tests of this folder."""
    from bedplate.sandbox.application import SandboxApplication
    from bedplate.sandbox.options import SandboxOptions
    from bedplate.sandbox.sandbox import Sandbox

    state_dir = tmp_path_factory.mktemp("sandbox")
    fleet = FakeFleet()
    late: list[Any] = []
    server = make_server("127.0.0.1", 0, lambda environ, start: late[0](environ, start), threaded=True)
    endpoint = f"http://localhost:{server.port}"
    options_path = state_dir / "options.json"
    late.append(
        SandboxApplication(
            Sandbox(
                state_dir=state_dir, endpoint=endpoint, fleet=fleet, options=SandboxOptions(path=options_path)
            )
        )
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield StandIn(endpoint, fleet, options_path)
    server.shutdown()
    thread.join(5)
    server.server_close()


@pytest.fixture
def stand_in(stand_in_server: StandIn) -> Iterator[StandIn]:
    """The sandbox, with switches and fleet put back afterwards."""
    from moto.core import DEFAULT_ACCOUNT_ID

    from bedplate.sandbox.account import furnish
    from bedplate.sandbox.options import SandboxOptions

    # Another test of this process may have emptied moto since: that of ParallelCluster's validators does.
    furnish(DEFAULT_ACCOUNT_ID, SandboxOptions(path=stand_in_server.options_path))
    yield stand_in_server
    stand_in_server.options()
    stand_in_server.fleet.answer = lambda instance_id, script: FakeResult(f"{instance_id}: {script}")
    stand_in_server.fleet.boot_error = None

"""The sandbox is killed while the CDK works."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from bedplate.errors import ExitCode
from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.cdk_failure import EndpointGone
from tests.sandbox.deploy.conftest import Deployment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("deployment", ["demo"], indirect=True)
def test_killed_sandbox_ends_the_deploy_soon(deployment: Deployment) -> None:
    """A deploy whose endpoint dies ends with a clear error within a minute, not after the SDK's retries."""
    environment = deployment.environment
    deployment.cdk.bootstrap(account=environment.account, region=environment.region)
    killed: list[float] = []

    def kill_at_first_stack(line: str) -> None:
        if "creating stack" in line and not killed:
            killed.append(time.monotonic())
            os.kill(deployment.record.pid, signal.SIGKILL)

    cdk = Cdk(
        project=deployment.cdk.project,
        environment=deployment.cdk.environment,
        output=deployment.cdk.output,
        on_line=kill_at_first_stack,
    )
    with pytest.raises(EndpointGone, match="does not answer") as gone:
        cdk.deploy()
    assert gone.value.exit_code == ExitCode.AWS_REFUSED
    assert killed
    assert time.monotonic() - killed[0] < 60
    assert threading.active_count() < 20


@pytest.mark.parametrize("deployment", ["demo"], indirect=True)
def test_endpoint_that_was_never_there_is_said_so(deployment: Deployment) -> None:
    """Bootstrapping against a dead endpoint is an error that names it."""
    os.kill(deployment.record.pid, signal.SIGKILL)
    began = time.monotonic()
    with pytest.raises(EndpointGone, match=deployment.record.endpoint):
        deployment.cdk.bootstrap(account="123456789012", region="us-west-2")
    assert time.monotonic() - began < 60

"""What a run leaves in AMP, so that a cluster's state has a history. No failure here is one of the run."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit

from bedplate.errors import AwsRefused
from bedplate.manifest import ClusterManifest
from bedplate.telemetry.metrics.exporters import VALIDATION
from bedplate.validation.aws import AwsClients
from bedplate.validation.remote_write.message import write_request
from bedplate.validation.remote_write.sender import Sender
from bedplate.validation.reports.prometheus import run_samples
from bedplate.validation.result import RunResult

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def leave_metrics(*, clients: AwsClients, manifest: ClusterManifest, result: RunResult) -> str:
    """Write the run's series to the environment's workspace; returns what is to be told, empty for nothing.

    Nothing is raised for AMP: the verdict stays what it is. A simulated run is written to a workspace on this
    machine only.
    """
    there = manifest.observability
    if there is None or not there.amp_endpoint:
        return ""
    if result.simulated and urlsplit(there.amp_endpoint).hostname not in _LOOPBACK:
        return ""
    try:
        Sender(endpoint=there.amp_endpoint, region=manifest.region, credentials=clients.credentials()).send(
            write_request(
                run_samples(result),
                labels={
                    "job": VALIDATION.job,
                    "environment": manifest.environment,
                    "cluster": manifest.orchestrator.cluster_name,
                },
                at_ms=int(datetime.fromisoformat(result.finished_at).timestamp() * 1000),
            )
        )
    except AwsRefused as error:
        return f"{error.error_id}: {error.message}; the verdict does not depend on it. {error.remedy}"
    return ""

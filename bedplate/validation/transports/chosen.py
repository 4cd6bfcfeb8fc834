"""The way to the nodes of an environment, by what runs its Slurm."""

from __future__ import annotations

from bedplate.manifest import ClusterManifest
from bedplate.validation.aws import AwsClients
from bedplate.validation.discovery import login_instances
from bedplate.validation.transports.desk import DeskTransport
from bedplate.validation.transports.sent_log import SentLog
from bedplate.validation.transports.slurm import SlurmTransport
from bedplate.validation.transports.ssm import SsmTransport
from bedplate.validation.transports.transport import Transport


def transport_to(
    *, clients: AwsClients, manifest: ClusterManifest, run_id: str, sent_log: SentLog | None = None
) -> Transport:
    """Run Command where that reaches nodes; else the controller's desk, and Slurm from there.

    ``sent_log`` is what a run that goes on with another knows of its commands. Raises ``AwsRefused``.
    """
    wanted = manifest.validation
    if manifest.orchestrator.kind != "slurm-hyperpod":
        return SsmTransport(clients, wanted.command_document, wanted.result_bucket, run_id, sent_log=sent_log)
    heads = login_instances(clients=clients, manifest=manifest)
    return SlurmTransport(
        DeskTransport(clients, wanted.result_bucket, sent_log=sent_log),
        heads[0].instance_id if heads else "",
        manifest.orchestrator.version,
    )

"""Which AWS services the machines inside a VPC call, and who calls them: what a closed network must reach.

A row stands here because something of ours, or an agent that we rely on, makes the call from inside the VPC;
functions outside of it and the services themselves need no endpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bedplate.spec.environment import Environment


@dataclass(frozen=True, kw_only=True)
class EndpointService:
    """One AWS service that is called from inside the VPC.

    ``name`` is what follows ``com.amazonaws.REGION.`` in the endpoint's service name; ``iam_prefix`` is the
    service's name in IAM actions. ``needed`` says whether an environment needs it.
    """

    name: str
    kind: Literal["Gateway", "Interface"]
    iam_prefix: str
    caller: str
    source: str
    needed: Callable[[Environment], bool]


def _always(_: Environment) -> bool:
    return True


def _on_pcs(environment: Environment) -> bool:
    return environment.orchestrator.kind == "slurm-pcs"


def _collects(environment: Environment) -> bool:
    return environment.observability.collection.kind != "none"


S3 = EndpointService(
    name="s3",
    kind="Gateway",
    iam_prefix="s3",
    caller="nodes fetch the node program, put their answers, and install packages of Amazon Linux",
    source="VPC User Guide: Gateway endpoints",
    needed=_always,
)
ENDPOINT_SERVICES = (
    S3,
    EndpointService(
        name="pcs",
        kind="Interface",
        iam_prefix="pcs",
        caller="the PCS agent registers each node (RegisterComputeNodeGroupInstance)",
        source="PCS User Guide: Access AWS PCS using an interface endpoint",
        needed=_on_pcs,
    ),
    EndpointService(
        name="aps-workspaces",
        kind="Interface",
        iam_prefix="aps",
        caller="the agent on each node writes metrics to the workspace (RemoteWrite)",
        source="AMP User Guide: Using Amazon Managed Service for Prometheus with interface VPC endpoints",
        needed=_collects,
    ),
    *(
        EndpointService(
            name=name,
            kind="Interface",
            iam_prefix=name,
            caller=caller,
            source="Systems Manager User Guide: Reference: ec2messages, ssmmessages, and other APIs",
            needed=_always,
        )
        for name, caller in (
            ("ssm", "the SSM agent reports itself, and asks for its associations"),
            ("ssmmessages", "the SSM agent takes commands of validation, and carries people's sessions"),
            ("ec2messages", "the SSM agent takes commands where ssmmessages is not allowed to it"),
        )
    ),
)
"""Every service that something inside the VPC calls, the gateway first."""


def needed_services(environment: Environment) -> tuple[EndpointService, ...]:
    """Return the services that the environment's own machines call from inside its VPC."""
    return tuple(each for each in ENDPOINT_SERVICES if each.needed(environment))


def interface_services(environment: Environment) -> tuple[str, ...]:
    """Return the names of all services that need an interface endpoint where there is no way out.

    Those of the cluster first, then ``network.endpoint_services``, each once.
    """
    own = [each.name for each in needed_services(environment) if each.kind == "Interface"]
    return tuple(dict.fromkeys([*own, *environment.network.endpoint_services]))

"""The nodes of a Kubernetes cluster for everything that is no GPU job."""

from __future__ import annotations

from typing import Annotated

from pydantic import StrictInt, StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.login import INSTANCE_TYPE_PATTERN


class SystemNodes(Section):
    """Nodes without GPUs in the two control zones: DNS, controllers, operators and exporters run there."""

    instance_type: Annotated[
        StrictStr,
        about(
            "The EC2 instance type of the system nodes.",
            update="replaces",
            examples=["m7i.2xlarge"],
            pattern=INSTANCE_TYPE_PATTERN,
            remedy="Give an EC2 instance type such as m7i.2xlarge.",
        ),
    ] = "m7i.2xlarge"
    nodes: Annotated[
        StrictInt, about("How many system nodes.", update="in-place", ge=2, le=32, examples=[3])
    ] = 3

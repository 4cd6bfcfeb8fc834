"""The node that a Slurm cluster is run from, where it is an instance of one's own."""

from __future__ import annotations

from typing import Annotated

from pydantic import StrictStr

from bedplate.spec.base import Section, about
from bedplate.spec.orchestrator.login import INSTANCE_TYPE_PATTERN


class ControlNode(Section):
    """The instance that runs slurmctld, and slurmdbd where jobs are recorded."""

    instance_type: Annotated[
        StrictStr,
        about(
            "The EC2 instance type of the node that runs slurmctld.",
            update="not-possible",
            examples=["m7i.4xlarge"],
            pattern=INSTANCE_TYPE_PATTERN,
            remedy="Give an EC2 instance type such as m7i.4xlarge.",
        ),
    ] = "m7i.4xlarge"

"""The nodes that people log in to."""

from __future__ import annotations

from typing import Annotated

from pydantic import StrictInt, StrictStr

from bedplate.spec.base import Section, about

INSTANCE_TYPE_PATTERN = r"^[a-z][a-z0-9-]*[0-9][a-z0-9-]*\.[a-z0-9-]+$"


class Login(Section):
    """Nodes that people log in to, and that multi-node runs are started from."""

    instance_type: Annotated[
        StrictStr,
        about(
            "The EC2 instance type of the login nodes. On AWS PCS another type is another node group of the "
            "same name, which PCS refuses.",
            update="not-possible",
            examples=["m7i.4xlarge"],
            pattern=INSTANCE_TYPE_PATTERN,
            remedy="Give an EC2 instance type such as m7i.4xlarge.",
        ),
    ] = "m7i.4xlarge"
    nodes: Annotated[
        StrictInt, about("How many login nodes.", update="in-place", ge=1, le=8, examples=[1])
    ] = 1

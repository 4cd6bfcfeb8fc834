"""The validation section: what is asked of the cluster after a deploy."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictStr

from bedplate.spec.base import Section, WholeNumber, about


class Waiver(Section):
    """A check that need not pass, and why. Waivers are printed on every report."""

    check: Annotated[
        StrictStr,
        about(
            "The check's id.",
            update="in-place",
            examples=["DCG-002"],
            pattern=r"^[A-Z]{3}-[0-9]{3}$",
            remedy="Give the check's id as the report prints it, such as DCG-002.",
        ),
    ]
    reason: Annotated[
        StrictStr,
        about(
            "Why, in a sentence that the next reader understands.",
            update="in-place",
            examples=["level 2 runs on Sundays, by the maintenance job"],
            pattern=r"\S",
            remedy="Write down why the check need not pass.",
        ),
    ]


class Validation(Section):
    """What is asked of the cluster after a deploy."""

    dcgm_level: Annotated[
        Literal[1, 2],
        WholeNumber,
        about(
            "Depth of NVIDIA's `dcgmi diag`: 1 takes seconds, 2 about two minutes with load on the GPUs.",
            update="in-place",
            examples=[2],
        ),
    ] = 2
    collectives: Annotated[
        tuple[Literal["all_reduce"], ...],
        about("NCCL collectives that are measured over all nodes.", update="in-place", min_length=1),
    ] = ("all_reduce",)
    waivers: Annotated[
        tuple[Waiver, ...],
        about("Checks that need not pass, each with its reason.", update="in-place", examples=[[]]),
    ] = ()
    on_failure: Annotated[
        Literal["report"],
        about("What to do with a node that fails. `report` is what is built so far.", update="in-place"),
    ] = "report"

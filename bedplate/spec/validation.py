"""The validation section: what is asked of the cluster after a deploy."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StrictBool, StrictInt, StrictStr

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


class XidPolicy(Section):
    """What an Xid means for a node of this environment, in place of the project's own policy."""

    xid: Annotated[
        StrictInt,
        WholeNumber,
        about(
            "NVIDIA's code.",
            update="in-place",
            examples=[63],
            ge=1,
            le=999,
            remedy="Give the number as the kernel log prints it.",
        ),
    ]
    policy: Annotated[
        Literal["ignore", "monitor", "restart-app", "reset", "reboot", "replace"],
        about(
            "From `reset` on the node is unfit for the next job. NVIDIA's meaning of the code stays as it "
            "is.",
            update="in-place",
            examples=["replace"],
        ),
    ]
    reason: Annotated[
        StrictStr,
        about(
            "Why, in a sentence that the next reader understands.",
            update="in-place",
            examples=["EC2 replaces after a remapped row, and so do we"],
            pattern=r"\S",
            remedy="Write down why the code means something else here.",
        ),
    ]


class Validation(Section):
    """What is asked of the cluster after a deploy."""

    dcgm_level: Annotated[
        Literal[1, 2, 3, 4],
        WholeNumber,
        about(
            "Depth of NVIDIA's `dcgmi diag`: 1 takes seconds, 2 two to ten minutes with load on the GPUs, "
            "3 up to half an hour, 4 hours. 3 and 4 are for nodes in quarantine.",
            update="in-place",
            examples=[2],
        ),
    ] = 2
    throughput: Annotated[
        StrictBool,
        about(
            "Whether the speed of matrix units, GPU memory, EFA devices, NVMe and file systems is measured "
            "on each node, which takes some minutes of load.",
            update="in-place",
        ),
    ] = True
    collectives: Annotated[
        tuple[Literal["all_reduce", "all_gather", "reduce_scatter", "alltoall"], ...],
        about(
            "NCCL collectives that are measured over all nodes. All-reduce is what training waits for; "
            "all-gather, reduce-scatter and all-to-all are bound by the network alone, where an all-reduce "
            "can hide a lost device behind NVLink, so that the one by which nodes are compared is always "
            "measured too.",
            update="in-place",
            examples=[["all_reduce", "all_gather"]],
            min_length=1,
        ),
    ] = ("all_reduce", "all_gather")
    cover_links: Annotated[
        StrictBool,
        about(
            "Whether every pair of nodes is tested once, which takes as many rounds as there are nodes.",
            update="in-place",
        ),
    ] = False
    after_deploy: Annotated[
        StrictBool,
        about(
            "Whether a runner in the account validates when a deploy has come to its end.",
            update="in-place",
        ),
    ] = False
    schedule: Annotated[
        StrictStr | None,
        about(
            "When the runner in the account validates besides: an EventBridge rate or cron expression, UTC.",
            update="in-place",
            examples=["rate(1 day)", "cron(0 3 ? * SUN *)"],
            pattern=r"^(rate|cron)\([^()]+\)$",
            remedy="Write rate(1 day), or cron(minutes hours day-of-month month day-of-week year).",
        ),
    ] = None
    waivers: Annotated[
        tuple[Waiver, ...],
        about("Checks that need not pass, each with its reason.", update="in-place", examples=[[]]),
    ] = ()
    xid_policies: Annotated[
        tuple[XidPolicy, ...],
        about(
            "Xids that mean something else here than in the project's own table, each with its reason.",
            update="in-place",
            examples=[[]],
        ),
    ] = ()
    on_failure: Annotated[
        Literal["report", "drain", "replace"],
        about(
            "What to do with a node at fault: `report` it, `drain` it from the scheduler, or `replace` the "
            "instance. A fault of the configuration never drains.",
            update="in-place",
        ),
    ] = "report"
    act_on_at_most_percent: Annotated[
        StrictInt,
        about(
            "The largest share of a pool's nodes, in percent, that may be drained or replaced; one node "
            "always may be. Nodes that are drained already count.",
            update="in-place",
            ge=1,
            le=100,
            examples=[10],
        ),
    ] = 10

    @property
    def runs_by_itself(self) -> bool:
        """Whether a runner in the account is asked for."""
        return self.after_deploy or self.schedule is not None

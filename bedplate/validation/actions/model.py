"""What was planned, what was left alone, and what was done: the records that reports and the journal hold."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bedplate.diagnosis.verdict import Subject

OnFailure = Literal["report", "drain", "replace"]
"""The mode: the environment file's ``validation.on_failure``, or what the command line says."""

State = Literal["planned", "done", "waiting", "refused", "failed", "undone"]
"""``waiting``: begun, and the rest waits for something outside (a job's end, EC2's capacity)."""

Rule = Literal[
    "report-only",
    "not-a-node",
    "no-cause",
    "configuration",
    "look-again",
    "unknown-cause",
    "low-confidence",
    "common-cause",
    "foreign-node",
    "no-longer-there",
    "launched-later",
    "not-in-slurm",
    "held-by-others",
    "acted-on-already",
    "over-the-cap",
]
"""Why nothing is done about a fault; each is explained in docs/reference/actions.md."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Step(_Frozen):
    """One thing that was done for an action, and whether it went well."""

    at: str = Field(description="ISO 8601, UTC")
    what: str
    well: bool = True


class Action(_Frozen):
    """What is done with one node, and how far it is."""

    do: Literal["drain", "replace"]
    node: str = Field(description="EC2 instance id")
    hostname: str = ""
    pool: str
    cause: str = Field(description="The kind of fault that decided, by its id")
    checks: tuple[str, ...] = Field(description="Every check that shows it")
    why: str = Field(description="One sentence: what was seen")
    confidence: float | None = Field(
        default=None, description="0 to 1; null where the part was read directly"
    )
    because: tuple[str, ...] = Field(default=(), description="The tests that led there, in order")
    cautions: tuple[str, ...] = Field(default=(), description="What to know before it is done")
    slurm_name: str = ""
    private_ip: str = ""
    reason: str = Field(default="", description="What Slurm is told")
    state: State = "planned"
    outcome: str = Field(default="", description="How it went, one sentence")
    waits_for: Literal["", "job", "instance"] = Field(
        default="", description="What a waiting action waits for: the end of a job, or the new instance"
    )
    ended_at: str = Field(default="", description="When EC2 was asked to end the instance")
    pool_then: tuple[str, ...] = Field(
        default=(), description="The instances of the pool at that moment: none of them is its successor"
    )
    replaced_by: str = Field(default="", description="The instance that came in its place")
    steps: tuple[Step, ...] = ()


class LeftAlone(_Frozen):
    """A fault about which nothing is done, and the rule that says so."""

    subject: Subject
    cause: str | None
    checks: tuple[str, ...]
    rule: Rule
    why: str


class ActionPlan(_Frozen):
    """All actions of one run, and all faults that are left alone; ``id`` is also in Slurm's reasons."""

    id: str = Field(pattern=r"^act-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}$")
    environment: str
    account: str
    region: str
    simulated: bool
    made_at: str
    run_finished_at: str
    on_failure: OnFailure
    actions: tuple[Action, ...] = ()
    left_alone: tuple[LeftAlone, ...] = ()


class Journal(_Frozen):
    """What is kept of a plan in the result bucket: the plan, with how far each action is."""

    version: Literal[1] = 1
    plan: ActionPlan
    undone_at: str = ""

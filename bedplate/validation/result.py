"""The one result model that every report is written from.

Its JSON Schema is published by ``bedplate schema --result``. Outcomes and subjects are those of
``bedplate.diagnosis.verdict``; times are ISO 8601 in UTC, durations are seconds.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bedplate.diagnosis.verdict import Verdict
from bedplate.validation.actions.model import Action, LeftAlone

RESULT_VERSION = 1


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NodeResult(_Frozen):
    """One node as it was seen."""

    node: str = Field(description="EC2 instance id")
    hostname: str = ""
    pool: str
    instance_type: str
    versions: dict[str, str] = Field(default_factory=dict, description="Component → version")


class EfaTraffic(_Frozen):
    """What the EFA devices counted while a collective ran: evidence beside its bandwidth.

    Sums over the nodes that told both readings; null where the driver has no such counter.
    """

    nodes_told: int
    least_sent_bytes: int | None = Field(description="By the node that sent least")
    most_sent_bytes: int | None = Field(description="By the node that sent most")
    rx_drops: int | None
    retrans_pkts: int | None
    retrans_timeout_events: int | None
    unresponsive_remote_events: int | None
    impaired_remote_conn_events: int | None
    worst_node: str = Field(default="", description="The node with most retransmission timeouts, if any")


class Bandwidth(_Frozen):
    """One collective's measured bus bandwidth beside what was expected of it."""

    collective: str
    scope: Literal["in-node", "pair", "group", "nvlink-domain", "all-nodes"]
    nodes: list[str]
    ranks: int
    size_bytes: int
    busbw_gb_per_s: float = Field(description="In GB/s (1e9 bytes); lower of in-place and out-of-place")
    floor_gb_per_s: float | None = Field(description="Floor in GB/s; null where there is none")
    ceiling_gb_per_s: float | None = Field(description="Physical ceiling in GB/s")
    source: str = Field(default="", description="Where the floor comes from")
    basis: Literal["", "published", "baseline", "relative"] = Field(
        default="",
        description="On what ground the floor stands; relative: on the fleet's own groups in the same run",
    )
    path: Literal["", "nvlink", "efa"] = Field(default="", description="What carried it between GPUs")
    efa: EfaTraffic | None = Field(
        default=None, description="What the EFA devices counted during the run; null where none was counted"
    )


class Round(_Frozen):
    """One round of the search between nodes: groups that ran at once."""

    number: int
    purpose: str
    groups: list[list[str]]
    failed: list[int] = Field(description="Indices of the groups that failed")
    unheard: list[int] = Field(
        default_factory=list, description="Indices of the groups whose test said nothing; no failure"
    )


class Waiver(_Frozen):
    """A check that does not count, with the reason that the environment file gives."""

    check_id: str
    reason: str


class BlockResult(_Frozen):
    """The Capacity Block that a pool's nodes come from, and its four moments."""

    pool: str
    reservation_id: str
    start_time: str = Field(description="When the block begins")
    warning_time: str = Field(description="When EC2 sends the event that it will take the instances")
    taken_time: str = Field(description="When EC2 begins to take the instances")
    end_time: str = Field(description="When the block ends")


class RunResult(_Frozen):
    """One run of validation or preflight, whole."""

    version: Literal[1] = 1
    kind: Literal["preflight", "validate"]
    environment: str
    account: str
    region: str
    simulated: bool = Field(description="True where anything in it came from the local stand-in")
    started_at: str
    finished_at: str
    complete: bool = Field(description="False where the run was cut off; such a run never passes")
    required_checks: list[str]
    nodes: list[NodeResult]
    verdicts: list[Verdict]
    bandwidths: list[Bandwidth]
    rounds: list[Round]
    waivers: list[Waiver]
    blocks: list[BlockResult] = Field(default_factory=list, description="Pools on Capacity Blocks")
    versions: dict[str, str] = Field(default_factory=dict, description="Bedplate and what it ran on")
    actions: list[Action] = Field(
        default_factory=list, description="What is done, or would be, with nodes at fault; strongest first"
    )
    action_plan: str = Field(default="", description="The plan's id; `bedplate undo` takes it")
    left_alone: list[LeftAlone] = Field(
        default_factory=list,
        description="Faults about which nothing is done, each with the rule that says so",
    )
    notes: list[str] = Field(
        default_factory=list, description="What a reader must know to read the run right, one sentence each"
    )
    evidence_location: str = Field(default="", description="Where the raw evidence lies, for people")

    def passed(self) -> bool:
        """Whether the whole run is a pass: complete, something required, and every required verdict a pass.

        A waived check does not count; a check that applies and has no verdict for a node fails the run.
        """
        from bedplate.validation.judgement import judge

        return judge(result=self).passed

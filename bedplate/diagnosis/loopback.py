"""What the exercise's ``efa_loopback`` stage told, device by device; see ``bedplate.node.stages``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.diagnosis.host_tools import LOOPBACK_BYTES, LOOPBACK_ITERATIONS
from bedplate.diagnosis.parsers.efa_counters import CounterRise, counter_rise
from bedplate.diagnosis.parsers.fi_pingpong import PingPongRow, parse_fi_pingpong
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.tools import ToolRun, run_of

STAGE = "efa_loopback"
PROGRAM = "fi_pingpong"


@dataclass(frozen=True)
class Loopback:
    """One device that sent to itself.

    ``row`` is what was measured, None where ``problem`` says why not; ``refused`` says that the program ran
    and could not get its messages through. ``rise`` is what the device's counters rose by meanwhile, None
    where ``uncounted`` says why not.
    """

    device: str
    row: PingPongRow | None = None
    problem: str = ""
    refused: bool = False
    rise: CounterRise | None = None
    uncounted: str = ""

    @property
    def proven(self) -> bool:
        """Whether the device itself counted what was sent: memory that is shared on the host moves no
        counter.
        """
        carried = None if self.rise is None else self.rise.carried_bytes
        return self.row is not None and carried is not None and carried >= self.row.moved_bytes


@dataclass(frozen=True)
class LoopbackReport:
    """All devices in the order in which they ran; ``problem`` says why there is none."""

    loops: tuple[Loopback, ...]
    problem: str = ""

    @property
    def devices(self) -> int:
        """How many distinct devices ran."""
        return len({loop.device for loop in self.loops})


def read_loopbacks(answer: Mapping[str, object]) -> LoopbackReport:
    """The stage's part of an exercise's answer, whatever it holds."""
    stages = answer.get("stages")
    stage = stages.get(STAGE) if isinstance(stages, dict) else None
    if not isinstance(stage, dict):
        return LoopbackReport((), "the answer holds no loopback")
    entries = stage.get("loops")
    rows = entries if isinstance(entries, list) else []
    loops = tuple(_loop(entry) for entry in rows if isinstance(entry, dict))
    if loops:
        return LoopbackReport(loops)
    listed = run_of(stage.get("listed"))
    problem = "libfabric's list is missing" if listed is None else listed.problem()
    return LoopbackReport((), problem or "libfabric lists no EFA device that a loopback could run on")


def _loop(entry: Mapping[str, object]) -> Loopback:
    device = entry.get("device")
    name = device if isinstance(device, str) else ""
    row, problem, refused = _measured(run_of(entry.get("client")), run_of(entry.get("server")))
    try:
        rise = counter_rise(device=name, before=entry.get("before"), after=entry.get("after"))
    except ParseError as error:
        return Loopback(name, row, problem, refused, None, str(error))
    return Loopback(name, row, problem, refused, rise)


def _measured(client: ToolRun | None, server: ToolRun | None) -> tuple[PingPongRow | None, str, bool]:
    """The row, or why there is none, and whether the program ran and its messages did not get through."""
    if client is None or server is None:
        return None, "one of the two ends is missing in the answer", False
    for end in (client, server):
        problem = end.problem()
        if problem:
            ran = end.timed_out or (end.rc is not None and not end.truncated)
            return None, _told(problem, client, server), ran
    try:
        rows = parse_fi_pingpong(client.stdout)
    except ParseError as error:
        return None, str(error), False
    asked = len(rows) == 1 and rows[0].size_bytes == LOOPBACK_BYTES and rows[0].sent == LOOPBACK_ITERATIONS
    if not asked or not rows[0].all_acknowledged or rows[0].gb_per_s <= 0:
        return None, "it measured something else than it was asked to", False
    return rows[0], "", False


def _told(problem: str, client: ToolRun, server: ToolRun) -> str:
    """The problem, with the client's last word where the problem is only the server's being stopped."""
    words = [line.strip() for line in f"{server.stderr}\n{client.stderr}".splitlines() if line.strip()]
    errors = [word for word in words if not word.startswith("bedplate:")]
    return f"{problem}; {errors[-1][:160]}" if errors and errors[-1][:60] not in problem else problem

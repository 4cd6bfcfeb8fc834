"""``health-check``: Slurm's hook on a compute node. It asks little, quickly, and drains a sick node.

Slurm calls it by the scripts that the bootstrap writes (``steps/install_hooks``): before a job, after a job,
and from time to time. A node that is sick is drained with a reason that begins with ``bedplate`` and has the
check's id; a drain of somebody else's is left alone. A node that only this hook drained, for what may be well
again by itself, is put back once it is. On UltraServers it makes the job's IMEX domain besides, where nobody
else does (``bedplate.node.imex``).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.light_checks import RECOVERS, STAGES, LightVerdict, light_verdicts, tools_of
from bedplate.diagnosis.parsers.scontrol import SlurmNode
from bedplate.hardware import InstanceType, UnknownInstanceType, instance_type
from bedplate.node.bootstrap.places import SETTINGS
from bedplate.node.bootstrap.settings import NodeSettings, SettingsRefusedError
from bedplate.node.gate.hold import hold, say
from bedplate.node.gate.mark import read_mark
from bedplate.node.gate.names import WAITS, is_gate_job, plain_reason
from bedplate.node.identity import node_root
from bedplate.node.imex.set_up import SET_UP_SECONDS, SetUp, set_up
from bedplate.node.imex.take_down import take_down
from bedplate.node.infiniband import infiniband_devices, infiniband_folder
from bedplate.node.job_marks import forget_job, note_job, note_slurm_name
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, ToolRun, run_tool
from bedplate.node.set_nodes import REASON_PREFIX, is_held_by_others
from bedplate.node.slurm_client import SlurmClient

HELP = "ask a compute node for its health around jobs, and drain it where it is sick; for Slurm's hooks"
TOOL_SECONDS = 20.0
"""All tools run at once."""
HOOK_SECONDS = 26.0
"""A prolog that takes longer than half a minute is felt by every job. What tools leave of this is Slurm's;
the rest of the half minute is for Python's start and for programs that are stopped.
"""
_DRAIN_SECONDS = 5.0
_MARK = "(health check)"
_IMEX = f"{REASON_PREFIX}IMX-001 (IMEX)"
_IMEX_SILENT = f"{REASON_PREFIX}IMX-001 (IMEX, Slurm was silent)"
"""Behind it what keeps a node from a job's domain; of the second kind it is put back once Slurm answers."""


class NotAskedError(Exception):
    """This node cannot be asked: it is no compute node, or its settings are not there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """When Slurm asks."""
    parser.add_argument("--stage", required=True, choices=list(STAGES))
    parser.add_argument("--slurm", default="", help="the cluster's Slurm version, such as 25.11")


def main(arguments: argparse.Namespace) -> int:
    """1 where the node is sick: Slurm then starts the job elsewhere. What cannot be asked holds no job back:
    it is told, and the validation fails the node for it.

    Around a job that has the node its metrics are labelled with it (``job_marks``).
    """
    note_slurm_name()
    if arguments.stage == "epilog":
        forget_job()
    status = _checked(arguments)
    if arguments.stage == "prolog" and status == 0:
        note_job()
    return status


def _checked(arguments: argparse.Namespace) -> int:
    own = _OwnNode(arguments.slurm, arguments.stage)
    try:
        settings = own_settings()
        if settings.gate == "pair" and not _may_pass(arguments.stage, own):
            return 1
        with ThreadPoolExecutor(max_workers=1) as beside:
            ended = beside.submit(take_down) if settings.imex and arguments.stage == "epilog" else None
            facts = light_facts(settings, arguments.stage)
        _tell(ended.result() if ended is not None else "")
    except NotAskedError as error:
        print(f"bedplate: health check not made: {error}", file=sys.stderr)
        return 0
    found = light_verdicts(stage=arguments.stage, facts=facts)
    for each in found:
        if each.verdict.outcome.value not in ("pass", "not-applicable"):
            told = f"{each.verdict.check_id} {each.verdict.outcome.value}: {each.verdict.summary}"
            print(f"bedplate: {told}", file=sys.stderr)
    sick = [each for each in found if each.is_sick]
    reason = _reason(sick) if sick else ""
    if settings.imex and arguments.stage == "prolog" and not sick:
        reason = _imex_reason(own)
    if reason:
        own.drain(reason)
    elif arguments.stage == "periodic":
        own.undrain_recovered(found)
    return 1 if reason else 0


def _imex_reason(own: "_OwnNode") -> str:
    """Make the job's domain; why this node cannot be in it, or nothing. The domain needs its peers, so that a
    prolog takes longer here.
    """
    until = time.monotonic() + SET_UP_SECONDS
    own.may_take_until(until)
    made: SetUp = set_up(slurm=own.slurm, until=until)
    own.may_take_until(time.monotonic() + _DRAIN_SECONDS)
    _tell(made.told)
    _tell(made.fault)
    mark = _IMEX_SILENT if made.slurm_is_silent else _IMEX
    return plain_reason(f"{mark}: {made.fault}") if made.fault else ""


def _tell(text: str) -> None:
    if text:
        print(f"bedplate: {text}", file=sys.stderr)


def _may_pass(stage: str, own: "_OwnNode") -> bool:
    """Whether the gate lets this go on: always, but for a prolog of a job that is not the gate's own while
    this boot has no mark. From time to time the node holds itself until it has one.
    """
    if stage == "epilog" or read_mark() is not None:
        return True
    if stage == "prolog":
        if is_gate_job():
            return True
        # A reservation holds back no job that was placed before it; Slurm's own drain has no reason of ours.
        print("bedplate: this boot has not passed its gate; the job starts elsewhere", file=sys.stderr)
        own.drain(WAITS)
        return False
    if own.name and hold(own.name, own.slurm):
        say(own.shown(), own.slurm)
    return True


def own_settings() -> NodeSettings:
    """Those of this compute node. Raises ``NotAskedError`` where it is none, or has none."""
    path = Path(node_root() + SETTINGS)
    try:
        settings = NodeSettings.from_json(path.read_text(encoding="utf-8"))
    except (OSError, SettingsRefusedError) as error:
        raise NotAskedError(f"{path}: {error}") from error
    if settings.role != "compute":
        raise NotAskedError(f"this is a {settings.role} node")
    return settings


def light_facts(settings: NodeSettings, stage: str) -> NodeFacts:
    """What the stage's tools say. Raises ``NotAskedError`` for a type that the hardware table lacks."""
    try:
        kind = instance_type(settings.instance_type)
    except UnknownInstanceType as error:
        raise NotAskedError(str(error)) from error
    expected = NodeExpectation(
        mounts=tuple(ExpectedMount(each.kind, each.source, each.path, each.efa) for each in settings.mounts),
        lnet_efas=settings.lnet_efa_count,
        local_nvme=settings.local_nvme,
    )
    return NodeFacts(
        os.environ.get("SLURMD_NODENAME", ""), _answer(stage, kind, expected), kind, expected=expected
    )


def _answer(stage: str, kind: InstanceType, expected: NodeExpectation) -> Dict[str, Any]:
    """As ``probe`` answers, of the stage's tools alone, all at once."""
    argvs = tools_of(stage=stage, instance_type=kind, expected=expected)
    with ThreadPoolExecutor(max_workers=max(len(argvs), 1)) as pool:
        runs = list(pool.map(_run, argvs))
    return {
        "tools": [run.as_json() for run in runs],
        "infiniband": infiniband_devices(infiniband_folder()),
    }


def _run(argv: Tuple[str, ...]) -> ToolRun:
    return run_tool(argv=argv, limits=Limits(TOOL_SECONDS), environment={"PATH": extended_path()})


def _reason(sick: Sequence[LightVerdict]) -> str:
    """As ``bedplate GPU-001, EFA-001 (health check): 7 of 8 GPUs answer``, in the first check's words."""
    first, *others = [each.verdict for each in sick]
    ids = "".join(f", {verdict.check_id}" for verdict in others)
    return plain_reason(f"{REASON_PREFIX}{first.check_id}{ids} {_MARK}: {first.summary}")


class _OwnNode:
    """This node in Slurm. Where Slurm does not answer nothing is changed, and that is told."""

    def __init__(self, version: str, stage: str) -> None:
        self.name = os.environ.get("SLURMD_NODENAME", "")
        self._version = version
        self.may_take_until(None if stage == "periodic" else time.monotonic() + HOOK_SECONDS)

    def may_take_until(self, until: Optional[float]) -> None:
        """Slurm's clients are over by then."""
        self.slurm = SlurmClient(first=_beside_slurmd(), version=self._version, until=until)

    def drain(self, reason: str) -> None:
        """Keep it from further jobs; what runs goes on. A drain that is there stays, with its reason."""
        node = self.shown()
        if node is None or "DRAIN" in node.flags or is_held_by_others(node):
            return
        self.slurm.scontrol("update", f"NodeName={node.name}", "State=DRAIN", f"Reason={reason}")

    def undrain_recovered(self, found: Sequence[LightVerdict]) -> None:
        """Put it back where this hook drained it for what passes now, and may be well again by itself."""
        node = self.shown()
        if node is None or "DRAIN" not in node.flags:
            return
        if node.reason.startswith(_IMEX_SILENT):
            self.slurm.scontrol("update", f"NodeName={node.name}", "State=UNDRAIN")
            return
        ids = _ids_of(node.reason)
        passed = {each.verdict.check_id for each in found if each.verdict.outcome.value == "pass"}
        if ids and all(check_id in RECOVERS and check_id in passed for check_id in ids):
            self.slurm.scontrol("update", f"NodeName={node.name}", "State=UNDRAIN")

    def shown(self) -> Optional[SlurmNode]:
        """As Slurm shows it; None where it does not."""
        if not self.name:
            print("bedplate: SLURMD_NODENAME is not set: was this called by slurmd?", file=sys.stderr)
            return None
        return next((node for node in self.slurm.nodes(self.name) if node.name == self.name), None)


def _beside_slurmd() -> Tuple[str, ...]:
    """Where the clients of the slurmd that called lie: an image may hold several versions."""
    try:
        program = Path(f"/proc/{os.getppid()}/exe").resolve(strict=True)
    except OSError:
        return ()
    folder = program.parent.parent / "bin"
    return (str(folder),) if program.name.startswith("slurm") and folder.is_dir() else ()


def _ids_of(reason: str) -> List[str]:
    """The checks of a reason that this hook wrote; none where another did."""
    if not reason.startswith(REASON_PREFIX) or _MARK not in reason:
        return []
    return reason[len(REASON_PREFIX) : reason.index(_MARK)].strip().split(", ")

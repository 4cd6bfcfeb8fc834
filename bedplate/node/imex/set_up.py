"""The prolog's part: make the job's domain on this node, and wait until it is up."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Mapping, Sequence, Tuple

from bedplate.diagnosis.gpu_tools import IMEX_DOMAIN
from bedplate.diagnosis.parsers.imex import parse_imex
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.node.imex.addresses import Addresses, ask_addresses
from bedplate.node.imex.channel import make_channel
from bedplate.node.imex.config import our_settings, with_settings
from bedplate.node.imex.domain import DomainState, judge_domain
from bedplate.node.imex.job import Job, has_nodes_alone, job_of
from bedplate.node.imex.mark import mark_job
from bedplate.node.imex.places import CONFIG, PEERS, on_node, write_whole
from bedplate.node.imex.service import Service
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, ToolRun, run_tool
from bedplate.node.slurm_client import SlurmClient

SET_UP_SECONDS = 30.0
"""Of our choice: the prologs of a job's nodes begin together, and are apart by what their checks take (20 s
at most); a peer that comes later has failed. AWS's own prolog for PCS may take 75 s.
"""
_ADDRESS_SECONDS = 10.0
_ASK_SECONDS = 8.0
_OWN_STATE = ("nvidia-imex-ctl", "-q")
_OWN_SECONDS = 3.0
_AGAIN_SECONDS = 0.5


@dataclass(frozen=True)
class SetUp:
    """``fault`` is this node's own: it is drained, and the job starts elsewhere. ``told`` is for slurmd's log
    and holds no job back. ``slurm_is_silent``: the fault is that Slurm did not answer; it is over once Slurm
    does.
    """

    fault: str = ""
    told: str = ""
    slurm_is_silent: bool = False


def set_up(*, slurm: SlurmClient, until: float, environment: Mapping[str, str] = os.environ) -> SetUp:
    """Make the domain of the job that ``environment`` names, by the moment ``until``."""
    job = job_of(environment)
    if job is None:
        return SetUp(told="slurmd named no job: no IMEX domain is made")
    service = Service(until=until)
    enabled = service.enabled()
    if enabled is False:
        return SetUp(told="the image does not start nvidia-imex: the job has no IMEX domain")
    if enabled is None:
        return SetUp(fault="systemd does not say whether nvidia-imex is there")
    alone = has_nodes_alone(job, slurm)
    if alone is False:
        # A restart would take NVLink between nodes away from whoever else runs here.
        return SetUp(told="the job shares its nodes (no --exclusive): it has no IMEX domain")
    found, problem = ask_addresses(
        nodes=job.nodes,
        own_name=environment.get("SLURMD_NODENAME", ""),
        slurm=slurm,
        until=min(until, time.monotonic() + _ADDRESS_SECONDS),
    )
    if alone is None or found is None:
        return SetUp(fault=problem or "Slurm did not say who is on the job's nodes", slurm_is_silent=True)
    fault = service.stop() or _configure(job, found) or service.start()
    if fault:
        return SetUp(fault=fault)
    state, unread = _wait(found, until)
    told = [unread, state.others and f"the IMEX domain is not up: {state.others}", make_channel()]
    return SetUp(fault=state.fault, told="; ".join(each for each in told if each))


def _configure(job: Job, addresses: Addresses) -> str:
    """Write what the service reads at its start, while it does not run; why not, or nothing."""
    try:
        config = on_node(CONFIG)
        text = config.read_text(encoding="utf-8")
        mark_job(job.number)
        write_whole(on_node(PEERS), "".join(f"{address}\n" for address in addresses.all))
        write_whole(config, with_settings(text, our_settings(job.number)))
    except (OSError, ValueError) as error:
        return f"the configuration of nvidia-imex cannot be written: {error}"
    return ""


def _wait(addresses: Addresses, until: float) -> Tuple[DomainState, str]:
    """The domain once it is up, or as it was last, and why it could not be read."""
    while True:
        state, unread = _ask(addresses, until)
        if (state.is_up and not unread) or time.monotonic() + _AGAIN_SECONDS >= until:
            return state, unread
        time.sleep(_AGAIN_SECONDS)


def _ask(addresses: Addresses, until: float) -> Tuple[DomainState, str]:
    run = _control(IMEX_DOMAIN, min(_ASK_SECONDS, max(1.0, until - time.monotonic())))
    if run.rc is None and not run.timed_out:
        # Where a program is missing, it is on all nodes.
        return DomainState(), f"the IMEX domain cannot be asked for: {run.problem}"
    if run.rc != 0:
        # It asks all peers: what keeps it may be one of them, which this node is not to be drained for.
        return _alone(_control(_OWN_STATE, _OWN_SECONDS)), ""
    try:
        return judge_domain(parse_imex(run.stdout), addresses), ""
    except ParseError as error:
        return DomainState(), f"the IMEX domain cannot be read: {error}"


def _alone(run: ToolRun) -> DomainState:
    """What this node's own service says, where the domain as a whole cannot be asked for."""
    if run.rc == 0 and run.stdout.split()[-1:] == ["READY"]:
        return DomainState(others="nvidia-imex-ctl does not say how the peers are")
    words = (run.problem or run.stdout or run.stderr).strip().splitlines()
    return DomainState(fault=f"IMEX of this node is not ready: {words[0][:100] if words else run.rc}")


def _control(argv: Sequence[str], seconds: float) -> ToolRun:
    limits = Limits(seconds, grace_seconds=1.0)
    return run_tool(argv=argv, limits=limits, environment={"PATH": extended_path()})

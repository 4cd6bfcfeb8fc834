"""``set-nodes``: drain nodes in Slurm with a reason, or put drained ones back; on the login node.

Each change names the node, its address and, for an undrain, how the reason that it was drained with must
begin: between the plan and this moment a name may have got another instance, and a drain another owner. What
does not agree is left as it is. The answer holds what Slurm says before and after: the controller judges by
that.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import SlurmNode, parse_scontrol_nodes
from bedplate.node.places import extended_path
from bedplate.node.process import Limits, ToolRun, run_tool

HELP = "drain nodes in Slurm, or put drained ones back; on the login node"
SHOW: Tuple[str, ...] = ("scontrol", "show", "node", "-o")
STATES = ("DRAIN", "UNDRAIN")
"""``UNDRAIN``, not ``RESUME``: that would also bring a node back that Slurm, or a person, holds for down."""
REASON_PREFIX = "bedplate "
"""Reasons that begin so are ours."""
_DEADLINE_SECONDS = 60.0
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")
_ADDRESS = re.compile(r"^[0-9]{1,3}(\.[0-9]{1,3}){3}$")
_REASON = re.compile(r"^[A-Za-z0-9 ._:,;()/+-]{1,200}$")
"""What a reason may hold: nothing that Slurm, or who reads its output, takes for more than text."""


class ChangesRefusedError(Exception):
    """The list of changes cannot be made as it is."""


@dataclass(frozen=True)
class Change:
    """One node: ``state`` is ``DRAIN`` with its ``reason``, or ``UNDRAIN`` where the reason begins so."""

    name: str
    address: str
    state: str
    reason: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The changes: base64 of a JSON list (the SSM parameter has a restrictive pattern)."""
    parser.add_argument("--changes", required=True)
    parser.add_argument("--slurm", default="", help="the cluster's Slurm version, such as 25.11")


def encode_changes(changes: Sequence[Change]) -> str:
    """The changes as ``--changes`` takes them."""
    data = json.dumps([asdict(change) for change in changes], separators=(",", ":")).encode("utf-8")
    return base64.b64encode(data).decode("ascii")


def decode_changes(text: str) -> List[Change]:
    """The changes of ``--changes``. Raises ``ChangesRefusedError`` for none, a bad one, or a node twice."""
    try:
        rows = json.loads(base64.b64decode(text, validate=True))
        changes = [Change(**{str(key): str(value) for key, value in row.items()}) for row in rows]
    except (binascii.Error, ValueError, TypeError, AttributeError) as error:
        raise ChangesRefusedError(f"--changes cannot be read: {error}") from error
    if not changes or len({change.name for change in changes}) != len(changes):
        raise ChangesRefusedError("no change, or two for one node")
    for change in changes:
        if not (_NAME.match(change.name) and _ADDRESS.match(change.address) and _REASON.match(change.reason)):
            raise ChangesRefusedError(f"a name, an address or a reason is not allowed: {change}")
        if change.state not in STATES:
            raise ChangesRefusedError(f"state is {change.state!r}; allowed are {', '.join(STATES)}")
    return changes


def run(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Make the changes one by one; ``refused`` says why a change was not tried."""
    changes = decode_changes(arguments.changes)
    environment = {"PATH": extended_path(slurm=arguments.slurm)}
    runs = [_run(SHOW, environment)]
    before = _nodes(runs[0])
    rows: List[Dict[str, Any]] = []
    for change in changes:
        refused = _refused(change, before)
        row: Dict[str, Any] = {"name": change.name, "state": change.state, "refused": refused}
        if not refused:
            row["update"] = _run(_update(change), environment).as_json()
        rows.append(row)
    runs.append(_run(SHOW, environment))
    return {"changes": rows, "before": runs[0].as_json(), "after": runs[1].as_json()}


def _run(argv: Sequence[str], environment: Mapping[str, str]) -> ToolRun:
    return run_tool(argv=argv, limits=Limits(_DEADLINE_SECONDS), environment=environment)


def _update(change: Change) -> Tuple[str, ...]:
    argv = ("scontrol", "update", f"NodeName={change.name}", f"State={change.state}")
    return (*argv, f"Reason={change.reason}") if change.state == "DRAIN" else argv


def _nodes(shown: ToolRun) -> Mapping[str, SlurmNode]:
    """What Slurm says before; nothing where it says nothing that can be read, so that nothing is changed."""
    if shown.rc != 0 or shown.truncated:
        return {}
    try:
        return {node.name: node for node in parse_scontrol_nodes(shown.stdout)}
    except ParseError:
        return {}


def is_held_by_others(node: SlurmNode) -> bool:
    """Whether a person keeps the node from jobs: draining it would write over the reason given.

    A node that Slurm itself holds for down carries the stamp of Slurm's own user: ``[slurm@2026-…]``.
    """
    if not node.reason or node.reason.startswith(REASON_PREFIX):
        return False
    return "DRAIN" in node.flags or (
        node.state not in ("IDLE", "ALLOCATED", "MIXED") and "[slurm@" not in node.reason
    )


def _refused(change: Change, before: Mapping[str, SlurmNode]) -> str:
    """Why the change is not made; empty where it is."""
    node = before.get(change.name)
    if node is None:
        return "Slurm does not say that there is such a node"
    if node.address != change.address:
        return f"Slurm has it at {node.address}, not at {change.address}: it is another instance now"
    drained = "DRAIN" in node.flags
    if change.state == "DRAIN":
        if drained:
            return f"it is drained already: {node.reason}"
        return f"it is {node.state} by others: {node.reason}" if is_held_by_others(node) else ""
    if not drained:
        return "it is not drained"
    return "" if node.reason.startswith(change.reason) else f"it is drained for another reason: {node.reason}"

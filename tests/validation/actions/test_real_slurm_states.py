"""How drained, busy and downed nodes are read, in the form that Slurm 22.05 gives them.

The states and reasons were noted by hand when slurmctld 22.05.8 (Debian 12) was tried; the lines are put
together here, some times shortened, and no whole output of that trial is kept. So these tests hold how such
lines are read, not that Slurm prints them.
"""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.scontrol import SlurmNode, parse_scontrol_nodes
from bedplate.node.set_nodes import is_held_by_others
from bedplate.validation.actions.live import is_busy, is_drained, is_drained_by_us, is_out

OURS = "bedplate act-20260203T092147Z-0a1b2c3d: efa-device-lost (EFA-001, FAB-001)"
HEAD = (
    "NodeName=gpu-2 Arch=x86_64 CPUAlloc={cpus} Gres=(null) NodeAddr=10.0.0.6 NodeHostName=vm Version=22.05.8"
)


def _node(state: str, *, reason: str = "", allocated: str = "") -> SlurmNode:
    """One line of ``scontrol show node -o``."""
    line = f"{HEAD.format(cpus=1 if allocated else 0)} State={state} Partitions=train  CfgTRES=cpu=2,mem=1M "
    line += f"AllocTRES={allocated} CapWatts=n/a ExtSensorsTemp=n/s"
    (node,) = parse_scontrol_nodes(f"{line} Reason={reason}" if reason else line)
    return node


@pytest.mark.parametrize(
    ("what", "node", "drained", "busy", "out"),
    [
        ("idle", _node("IDLE"), False, False, False),
        ("State=DRAIN", _node("IDLE+DRAIN", reason=f"{OURS} [root@2026-11-30T02:01:03]"), True, False, True),
        ("a job of one CPU", _node("MIXED", allocated="cpu=1"), False, True, False),
        (
            "State=DRAIN under a job",
            _node("MIXED+DRAIN", reason=f"{OURS} [root@2026-11-30T02:01:07]", allocated="cpu=1"),
            True,
            True,
            True,
        ),
        ("the epilog runs", _node("IDLE+COMPLETING+DRAIN", reason=f"{OURS} [root@1]"), True, True, True),
        ("State=UNDRAIN, for a moment", _node("IDLE+NOT_RESPONDING"), False, False, True),
        ("in a reservation of the kind MAINT", _node("IDLE+MAINTENANCE+RESERVED"), False, False, True),
        ("State=DOWN", _node("DOWN", reason="x [root@2026-11-30T02:01:09]"), False, False, True),
        (
            "State=DRAIN of a node that is down",
            _node("DOWN+DRAIN", reason=f"{OURS} [root@1]"),
            True,
            False,
            True,
        ),
    ],
)
def test_states_are_read_as_slurm_means_them(
    what: str, node: SlurmNode, drained: bool, busy: bool, out: bool
) -> None:
    """Drained, busy with a job or its epilog, and out of service are three things."""
    assert (is_drained(node), is_busy(node), is_out(node)) == (drained, busy, out), what


def test_our_reason_is_known_by_its_beginning_with_slurms_stamp_behind_it() -> None:
    """Slurm adds who gave the reason, and when."""
    node = _node("IDLE+DRAIN", reason=f"{OURS} [root@2026-11-30T02:01:03]")
    assert is_drained_by_us(node, "gpu-2")
    assert not is_drained_by_us(node, "gpu-1")
    assert not is_drained_by_us(_node("IDLE+DRAIN", reason="x [root@1]"), "gpu-2")


@pytest.mark.parametrize(
    ("node", "held"),
    [
        (_node("IDLE"), False),
        (_node("DOWN+NOT_RESPONDING", reason="Not responding [slurm@2026-11-30T02:01:09]"), False),
        (_node("DOWN", reason="not for you [root@2026-11-30T02:01:40]"), True),
        (_node("IDLE+DRAIN", reason="not for you [root@2026-11-30T02:01:40]"), True),
        (_node("IDLE+DRAIN", reason=f"{OURS} [root@2026-11-30T02:01:40]"), False),
        (_node("DOWN+NOT_RESPONDING", reason=f"{OURS} [root@2026-11-30T02:01:40]"), False),
    ],
)
def test_a_persons_reason_is_not_written_over(node: SlurmNode, held: bool) -> None:
    """Slurm forgets the old reason when it is given a new one; its own word, and ours, may go."""
    assert is_held_by_others(node) is held

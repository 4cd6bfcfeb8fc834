"""What ``bedplate explain`` says about actions that are refused."""

from __future__ import annotations

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="ACT-001",
        title="The result is one that may be acted upon",
        what="It is a whole validation of this environment, account and Region, and of nodes of the same "
        "kind: real ones on AWS, simulated ones in the sandbox.",
        why="A run that was cut off, or of another cluster, says nothing about the nodes that run here.",
        fix="Run `bedplate validate` again and let it come to its end.",
        by_hand="Read `kind`, `complete`, `environment`, `account`, `region` and `simulated` in the file.",
    ),
    CheckRow(
        id="ACT-002",
        title="The result is fresh",
        what="The run ended within the last six hours, and not in the future.",
        why="Nodes are rebooted, mended and replaced; yesterday's word may be about hardware that has gone.",
        fix="Run `bedplate validate` again.",
        by_hand="Compare `finished_at` in the file with the clock.",
    ),
    CheckRow(
        id="ACT-003",
        title="The scheduler answers before anything is done",
        what="A login node gives Slurm's list of nodes, whole and readable.",
        why="Without it nobody knows which nodes have jobs, or which are drained already.",
        fix="See that a login node runs, its SSM agent is online, and slurmctld answers there.",
        by_hand="`scontrol show node -o` on the login node",
    ),
    CheckRow(
        id="ACT-004",
        title="The plan that is to be undone is written down",
        what="`actions/PLAN.json` in the result bucket can be read; without a name, one is left to undo.",
        why="Only drains that are written down as ours are lifted.",
        fix="Take an id from `bedplate undo -e ENV --list`; drains made by hand are lifted by hand.",
        by_hand="`scontrol show node -o` shows each drain's reason; ours begin with `bedplate act-`.",
    ),
    CheckRow(
        id="ACT-005",
        title="There is a run to act upon",
        what="The result bucket keeps a run with a result.",
        why="Nothing is done without a validation that asks for it.",
        fix="Run `bedplate validate`, or name a file with `--result`.",
        by_hand="`aws s3 ls s3://BUCKET/runs/`",
    ),
    CheckRow(
        id="ACT-006",
        title="The node is in the run that is asked about",
        what="A run of the result bucket, or the named file, has a node of this instance id or host name.",
        why="An archive about another machine would send a support case astray.",
        fix="Give the EC2 instance id; for a node that was replaced, name its run with `--result`.",
        by_hand="Look for the id under `nodes` in `result.json`.",
    ),
)

ROWS = {row.id: row for row in _ROWS}
"""Id → row."""

"""What ``bedplate explain`` says about runs of validation that cannot begin or cannot go on."""

from __future__ import annotations

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="RUN-001",
        title="Another run of validation is under way",
        what="Whether the object `runs/current.json` of the result bucket is held by a run that is alive.",
        why="Two runs at once would measure each other: both put load on the same nodes and links.",
        fix="Wait until it has ended; one that was killed counts as dead ten minutes after its last sign.",
        by_hand="`aws s3 cp s3://BUCKET/runs/current.json -` names the run, who holds it and since when.",
    ),
    CheckRow(
        id="RUN-002",
        title="There is no run to take up",
        what="Whether the last run was cut off, not long ago, by the same Bedplate on the same deployment.",
        why="Answers of another deployment or of another day say nothing about the cluster as it is now.",
        fix="Run `bedplate validate` without --resume: it begins anew.",
        by_hand="`aws s3 cp s3://BUCKET/runs/current.json -` shows the last run and whether it is complete.",
    ),
    CheckRow(
        id="RUN-003",
        title="The run lost its hold",
        what="Whether the run is still the one that `runs/current.json` names.",
        why="It could not give a sign for ten minutes, and another run has begun: what both measure is void.",
        fix="Let the other run end, then run `bedplate validate` again.",
        by_hand="`aws s3 cp s3://BUCKET/runs/current.json -` names the run that holds it now.",
    ),
    CheckRow(
        id="RUN-004",
        title="The deploy did not come to rest",
        what="Whether the environment's stacks left every `..._IN_PROGRESS` state within an hour.",
        why="A cluster that is being changed is not the one that the verdict would be about.",
        fix="Look at the stack that the message names; start the runner again once it has come to rest.",
        by_hand="`aws cloudformation describe-stacks --query 'Stacks[].[StackName,StackStatus]'`",
    ),
    CheckRow(
        id="RUN-005",
        title="Nodes of this orchestrator are not validated in this version",
        what="Whether the deployed environment is one whose nodes validation can ask and load: Slurm's.",
        why="A run that reached no node could say nothing, and must not look as if it had.",
        fix="Look at the nodes by hand until a later version does; docs/kubernetes.md says what to look at.",
        by_hand=(
            "`kubectl get nodes -o "
            "custom-columns=NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu`"
        ),
    ),
)

ROWS = {row.id: row for row in _ROWS}
"""Id → row."""

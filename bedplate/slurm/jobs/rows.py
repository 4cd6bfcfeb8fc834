"""What ``bedplate explain`` says about jobs that are refused."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.explanation import CheckRow

_ROWS = (
    CheckRow(
        id="JOB-001",
        title="a job has a partition",
        what="`--partition` names a partition of the environment file; without it the file has a default "
        "one, or one alone.",
        why="Slurm refuses a job whose partition it does not have, once somebody has waited for it.",
        fix="Give one of the names in the message.",
        by_hand="`sinfo --summarize` on a login node.",
    ),
    CheckRow(
        id="JOB-002",
        title="a job fits its partition",
        what="The nodes asked are no more than the partition's pools can have.",
        why="`EnforcePartLimits` refuses such a job at submission; without it the job would wait for ever.",
        fix="Ask for fewer nodes, or raise `nodes` of the pool and deploy.",
        by_hand="`sinfo --format='%P %D'` on a login node.",
    ),
    CheckRow(
        id="JOB-003",
        title="a job's nodes are of one instance type",
        what="The pools of the partition have one instance type.",
        why="The number of GPUs on a node is part of the script, and in a collective all wait for the "
        "slowest.",
        fix="Name another partition, or make one for each type.",
        by_hand="`sinfo --Node --format='%N %G'` on a login node.",
    ),
    CheckRow(
        id="JOB-004",
        title="a job is in the name of a team",
        what="Where jobs are recorded and the file has teams, `--account` is one that the partition takes. "
        "Elsewhere none is given.",
        why="`AccountingStorageEnforce` refuses a job without such an account.",
        fix="Give one of the names in the message.",
        by_hand="`sacctmgr show associations where user=$USER` on a login node.",
    ),
    CheckRow(
        id="JOB-005",
        title="a job's time is within the partition's",
        what="`--hours` is at least 1 and at most the partition's `max_time_hours`, or a year.",
        why="Slurm refuses a job that asks for more.",
        fix="Ask for less: a training goes on by itself after its time limit.",
        by_hand="`sinfo --format='%P %l'` on a login node.",
    ),
    CheckRow(
        id="JOB-006",
        title="checkpoints have a place",
        what="The environment has an FSx for Lustre file system, new or existing, or `--checkpoints` names a "
        "folder that is on no disk of the node's own.",
        why="All nodes write a checkpoint at once, and whichever nodes go on with it must see it. Homes and "
        "the nodes' own disks are no place for that.",
        fix="Add a file system of kind `lustre`, or give `--checkpoints` with a folder that all nodes mount.",
        by_hand="`findmnt --types lustre` on a node.",
    ),
    CheckRow(
        id="JOB-007",
        title="what is given can stand in a job script",
        what="The name, paths, mounts and arguments of a job are of a form that sbatch, bash and Pyxis read "
        "as it was meant; none is empty, and `--mount` stands beside a `--container`.",
        why="A comma in a mount is a second mount for Pyxis, an `#SBATCH` line knows no quotes, and a "
        "program whose name begins with a dash is an option to whoever starts it: a script that is "
        "read otherwise than meant writes somewhere else, or runs without what was asked.",
        fix="Correct what the message names.",
        by_hand="`bash -n FILE` and `sbatch --test-only FILE`.",
    ),
    CheckRow(
        id="JOB-008",
        title="a container needs Enroot and Pyxis",
        what="`--container` and `--mount` are given only where `orchestrator.containers` is not of `kind: "
        "none`.",
        why="Without Pyxis srun does not know `--container-image`: the job would end at its first line, once "
        "it has waited for its nodes.",
        fix="Set `orchestrator.containers` and deploy, or run the programs of the nodes.",
        by_hand="`srun --help | grep container-image` on a login node.",
    ),
    CheckRow(
        id="JOB-009",
        title="job scripts are Slurm's",
        what="The environment's `orchestrator.kind` is one of Slurm's.",
        why="`bedplate job` writes scripts for sbatch, which a Kubernetes cluster has no use for.",
        fix="Name an environment that runs Slurm.",
        by_hand="Read `orchestrator.kind` in the file.",
    ),
)

ROWS: Mapping[str, CheckRow] = MappingProxyType({row.id: row for row in _ROWS})

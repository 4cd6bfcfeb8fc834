"""``bedplate job``: sbatch scripts for the cluster of an environment file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bedplate.cli.options import environment_option, json_option
from bedplate.errors import UsageError

if TYPE_CHECKING:
    from bedplate.slurm.jobs.asked import JobAsked
    from bedplate.slurm.jobs.script import Cluster, JobScript

Function = TypeVar("Function", bound=Callable[..., Any])
_EPILOG = """\b
Examples:
  bedplate job nccl-tests -e prod-slurm --account research --nodes 2
  bedplate job fsdp2 -e prod-slurm --account research --script /fsx/code/train.py | sbatch
"""
_NCCL_TESTS = """\b
Examples:
  bedplate job nccl-tests -e demo | sbatch
  bedplate job nccl-tests -e demo --nodes 2 --collective all_gather -o pair.sbatch
"""
_FSDP2 = """\b
Examples:
  bedplate job fsdp2 -e demo --script /fsx/code/fsdp2_train.py -o train.sbatch -- --steps 10000
  bedplate job fsdp2 -e parallelcluster --account pretraining --container /fsx/torch.sqsh --script train.py
"""
_COLLECTIVES = ("all_gather", "all_reduce", "alltoall", "reduce_scatter")
"""Held against ``bedplate.slurm.jobs`` by a test; to import it takes jinja2, which help does not need."""


@click.group(name="job", epilog=_EPILOG, short_help="Print an sbatch script for an environment's cluster.")
def command() -> None:
    """Print an sbatch script for an environment's cluster.

    Partition, account, nodes and GPUs are held against the environment file, so that Slurm takes the job.
    """


def _common(usual_name: str, usual_hours: str) -> Callable[[Function], Function]:
    """Add what every job takes."""
    options = (
        environment_option,
        json_option,
        click.option("--name", default=usual_name, show_default=True, help="The job's name in Slurm."),
        click.option("--partition", help="The partition.  [default: the environment's default one]"),
        click.option("--nodes", type=int, help="How many nodes.  [default: all of the partition]"),
        click.option("--account", help="The team; needed where the environment has teams."),
        click.option("--hours", type=int, help=f"The time limit.  [default: {usual_hours}]"),
        click.option("--container", metavar="IMAGE", help="Image that Pyxis starts it in."),
        click.option(
            "--mount",
            "mounts",
            multiple=True,
            metavar="HOST:CONTAINER",
            help="A folder that the container sees; as often as needed.",
        ),
        click.option(
            "-o",
            "--output",
            type=click.Path(path_type=Path),
            help="Write the script to a file.  [default: standard output]",
        ),
    )

    def add(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


@command.command(
    name="nccl-tests", short_help="A collective over all GPUs of some nodes.", epilog=_NCCL_TESTS
)
@_common("nccl-tests", "1")
@click.option(
    "--collective",
    type=click.Choice(_COLLECTIVES),
    default="all_reduce",
    show_default=True,
    help="What is measured.",
)
def nccl_tests(environment: Path, as_json: bool, output: Path | None, collective: str, **asked: Any) -> None:
    """Print a job that runs a collective of nccl-tests over all GPUs of some nodes.

    It is called as `bedplate validate` calls it: EFA or nothing, from 8 B to 16 GiB, results checked.
    """
    from bedplate.slurm.jobs.script import nccl_tests as script

    _deliver(
        script(cluster=_cluster(environment), asked=_asked(asked), collective=collective), output, as_json
    )


@command.command(short_help="A training by torchrun that goes on by itself.", epilog=_FSDP2)
@_common("fsdp2", "24, or the partition's longest")
@click.option(
    "--script",
    required=True,
    metavar="FILE",
    help="The training program, where all nodes see it; examples/jobs has one.",
)
@click.option(
    "--checkpoints",
    metavar="FOLDER",
    help="Where checkpoints lie.  [default: checkpoints/USER/NAME on the first Lustre file system]",
)
@click.option(
    "--python",
    metavar="FILE",
    help="The interpreter that has torch.  [default: the one of `torchrun` on PATH]",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def fsdp2(
    environment: Path,
    as_json: bool,
    output: Path | None,
    script: str,
    checkpoints: str | None,
    python: str | None,
    arguments: tuple[str, ...],
    **asked: Any,
) -> None:
    """Print a job that trains by torchrun and goes on from its last complete checkpoint.

    It goes on by itself after a lost node, a failure that came further than the start, or the time limit.
    ARGUMENTS, after `--`, are the training program's.
    """
    from bedplate.slurm.jobs.asked import TrainingAsked
    from bedplate.slurm.jobs.script import fsdp2 as job

    training = TrainingAsked(script=script, arguments=arguments, checkpoints=checkpoints, python=python)
    _deliver(job(cluster=_cluster(environment), asked=_asked(asked), training=training), output, as_json)


def _asked(options: dict[str, Any]) -> JobAsked:
    from bedplate.slurm.jobs.asked import JobAsked

    return JobAsked(**options)


def _cluster(file: Path) -> Cluster:
    from bedplate.slurm.jobs.script import Cluster
    from bedplate.spec.loader import load_environment

    found = load_environment(file)
    if found.slurm is None:
        raise UsageError(
            f"{found.name} runs `{found.orchestrator.kind}`, and these are job scripts of Slurm",
            error_id="JOB-009",
            remedy="Name an environment whose orchestrator is one of Slurm's.",
        )
    return Cluster(
        environment=found.name,
        kind=found.slurm.kind,
        slurm=found.slurm,
        pools=found.pools,
        file_systems=found.storage.file_systems,
    )


def _deliver(made: JobScript, output: Path | None, as_json: bool) -> None:
    """Write the script, or print it; with JSON what it asks for is told beside it."""
    if output is not None:
        from bedplate.validation.reports.result_file import write_text

        write_text(made.text, output)
    if as_json:
        click.echo(_json(made, output))
    elif output is None:
        click.echo(made.text, nl=False)
    else:
        click.echo(f"Wrote {output}: {made.placement.nodes} nodes of partition {made.placement.partition}.")


def _json(made: JobScript, output: Path | None) -> str:
    import json

    placed = made.placement
    return json.dumps(
        {
            "name": made.name,
            "partition": placed.partition,
            "nodes": placed.nodes,
            "gpus_per_node": placed.hardware.gpus,
            "account": placed.account or None,
            "hours": placed.hours,
            "checkpoints": made.checkpoints or None,
            "file": str(output) if output is not None else None,
            "script": made.text,
        },
        indent=2,
        ensure_ascii=False,
    )

"""From what is asked to the text of an sbatch script: a pure function for each job."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from jinja2 import Environment as Templates
from jinja2 import PackageLoader, StrictUndefined

from bedplate.errors import UsageError
from bedplate.node.bootstrap.steps.set_nccl_defaults import DEFAULTS as NODE_DEFAULTS
from bedplate.node.collectives import BINARIES, PLUGIN_NETWORK, between_nodes_argv, between_nodes_environment
from bedplate.node.places import PLACES
from bedplate.slurm.jobs.asked import JobAsked, TrainingAsked
from bedplate.slurm.jobs.placement import Placement, place
from bedplate.slurm.jobs.words import absolute, image, job_name, mounts, one_line, other_arguments, program
from bedplate.spec.file_systems import ExistingLustre, FileSystem, Lustre, LustreTiering
from bedplate.spec.orchestrator import SlurmCommon
from bedplate.spec.pools import Pool

_SECONDS_TO_STOP = 300
"""From the signal to the time limit. Slurm may send it up to a minute earlier (sbatch(1), ``--signal``), and
a checkpoint of all GPUs' memory takes minutes on a busy file system."""
_TRAINING_HOURS = 24
_COLLECTIVE_HOURS = 1
_TESTS = "nccl-tests"
_USER = "{user}"
"""Stands in a path for whoever submits the job."""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What of an environment the scripts depend on; ``kind`` is the orchestrator's."""

    environment: str
    kind: str
    slurm: SlurmCommon
    pools: Sequence[Pool]
    file_systems: Sequence[FileSystem]


@dataclass(frozen=True, kw_only=True)
class JobScript:
    """A script, and what it asks for; ``checkpoints`` is a path, in which ``{user}`` stands for whoever
    submits the job, and empty for a job that has none.
    """

    name: str
    placement: Placement
    checkpoints: str
    text: str


def nccl_tests(*, cluster: Cluster, asked: JobAsked, collective: str) -> JobScript:
    """A collective over all GPUs of the nodes, called as the validation calls it."""
    placed = place(asked=asked, slurm=cluster.slurm, pools=cluster.pools, usual_hours=_COLLECTIVE_HOURS)
    called, *arguments = between_nodes_argv(collective=collective)
    patterns = [f"/{each.pattern}" for each in PLACES if each.holds == _TESTS]
    text = _render(
        "nccl-tests.sbatch.j2",
        cluster,
        asked,
        placed,
        job="nccl-tests",
        environment_variables=between_nodes_environment(),
        program=called,
        arguments=shlex.join(arguments),
        patterns=patterns,
        mounts=mounts(asked.mounts, container=image(asked.container)),
    )
    return JobScript(name=asked.name, placement=placed, checkpoints="", text=text)


def fsdp2(*, cluster: Cluster, asked: JobAsked, training: TrainingAsked) -> JobScript:
    """A training by torchrun that goes on from its last complete checkpoint after whatever ended it.

    Raises ``UsageError`` JOB-006 where there is no place for checkpoints.
    """
    placed = place(asked=asked, slurm=cluster.slurm, pools=cluster.pools, usual_hours=_TRAINING_HOURS)
    lustre = _first_lustre(cluster.file_systems)
    path, own = _checkpoints(job_name(asked.name), training.checkpoints, lustre)
    # Quoted as it stands, but for the one part that the shell fills in.
    folder = '"$(id -un)"'.join(shlex.quote(part) if part else "" for part in path.split(_USER))
    given = training.python
    python = None if given is None else program(given, option="--python")
    text = _render(
        "fsdp2.sbatch.j2",
        cluster,
        asked,
        placed,
        job="fsdp2",
        environment_variables={"NCCL_NET": PLUGIN_NETWORK, "NCCL_DEBUG": "WARN"},
        seconds_to_stop=_SECONDS_TO_STOP,
        checkpoints=folder,
        launcher=f"{shlex.quote(python)} -m torch.distributed.run" if python else "torchrun",
        script=program(training.script, option="--script"),
        arguments=shlex.join(other_arguments(training.arguments)),
        mounts=[
            *([f"{lustre}:{lustre}"] if lustre else []),
            *mounts(asked.mounts, container=image(asked.container)),
        ],
        mount_checkpoints=not own,
    )
    return JobScript(name=asked.name, placement=placed, checkpoints=path, text=text)


COLLECTIVES = tuple(BINARIES)
"""The collectives that ``nccl_tests`` takes."""


def _first_lustre(file_systems: Sequence[FileSystem]) -> str:
    """Its mount, empty where there is none."""
    kinds = Lustre | LustreTiering | ExistingLustre
    return next((each.mount for each in file_systems if isinstance(each, kinds)), "")


def _checkpoints(name: str, given: str | None, lustre: str) -> tuple[str, bool]:
    """The folder, and whether it lies on the Lustre that is mounted anyway."""
    if given is not None:
        (path,) = one_line((absolute(given),))
        return path, bool(lustre) and f"{path}/".startswith(f"{lustre}/")
    if not lustre:
        raise UsageError(
            "the environment has no Lustre file system for checkpoints",
            error_id="JOB-006",
            remedy="Add a file system of kind lustre, or give --checkpoints with a folder that all nodes "
            "mount.",
        )
    return f"{lustre}/checkpoints/{_USER}/{name}", True


def _check_containers(cluster: Cluster, asked: JobAsked) -> None:
    if cluster.slurm.containers.kind != "none" or not asked.container:
        return
    raise UsageError(
        "--container given, and the cluster has no Enroot and no Pyxis to start a container by",
        error_id="JOB-008",
        remedy="Leave --container out, or set `orchestrator.containers` in the environment file and deploy.",
    )


def _render(template: str, cluster: Cluster, asked: JobAsked, placed: Placement, **more: object) -> str:
    _check_containers(cluster, asked)
    return (
        _templates()
        .get_template(template)
        .render(
            environment=cluster.environment,
            name=job_name(asked.name),
            placed=placed,
            container=image(asked.container),
            node_defaults=NODE_DEFAULTS,
            auto_resume=cluster.kind == "slurm-hyperpod",
            **more,
        )
    )


@lru_cache(maxsize=1)
def _templates() -> Templates:
    templates = Templates(
        loader=PackageLoader("bedplate.slurm.jobs"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 -- bash, no HTML: what a user gives goes through ``sh``
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["sh"] = shlex.quote
    return templates

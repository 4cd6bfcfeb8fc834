"""The command line of ``srun``, as far as the node program and the job templates use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.node.counted import is_counted, uncounted
from bedplate.sandbox.fleet.tools.nodelist import expand
from bedplate.sandbox.fleet.tools.refusal import ToolRefused

# Option → whether it takes a value. Short forms map to long ones. Everything else is refused.
_LONG = {
    "--nodelist": True,
    "--nodes": True,
    "--ntasks": True,
    "--ntasks-per-node": True,
    "--gpus-per-node": True,
    "--partition": True,
    "--mpi": True,
    "--immediate": True,
    "--time": True,
    "--job-name": True,
    "--exclusive": False,
    "--label": False,
    "--kill-on-bad-exit": False,
    "--export": True,
}
_SHORT = {"-w": "--nodelist", "-N": "--nodes", "-n": "--ntasks", "-p": "--partition", "-l": "--label"}
_OPTIONAL_VALUE = ("--immediate", "--kill-on-bad-exit", "--exclusive")
_MPI = ("pmix", "pmix_v4", "pmix_v5", "pmi2", "none")


@dataclass(frozen=True)
class SrunOptions:
    """What is to be started where. ``wait_seconds`` is None where srun would wait for ever; ``counted`` says
    that the command stands between two readings of EFA counters (``bedplate.node.counted``); ``minutes`` is
    the job's time limit.
    """

    names: tuple[str, ...]
    tasks_per_node: int
    gpus_per_node: int | None
    partition: str
    label: bool
    wait_seconds: float | None
    command: tuple[str, ...]
    counted: bool = False
    job_name: str = ""
    minutes: int | None = None


def parse(words: list[str], environment: Mapping[str, str]) -> SrunOptions:
    """Read a command line and srun's own environment variables. Raises ``ToolRefused`` in srun's words."""
    found, command = _split(words)
    if not command:
        raise ToolRefused("srun: fatal: No command given to execute.", 1)
    if "--nodelist" not in found:
        raise ToolRefused("srun: error: the simulated srun needs --nodelist", 1)
    names = tuple(expand(found["--nodelist"]))
    nodes = _number(found.get("--nodes", str(len(names))), "--nodes")
    if nodes != len(names):
        raise ToolRefused(
            "srun: error: Required nodelist includes more nodes than permitted by max-node count "
            f"({len(names)} > {nodes}).",
            1,
        )
    tasks = _number(found.get("--ntasks-per-node", "1"), "--ntasks-per-node")
    if "--ntasks" in found and _number(found["--ntasks"], "--ntasks") != tasks * nodes:
        raise ToolRefused("srun: error: the simulated srun starts the same number of tasks on every node", 1)
    if found.get("--mpi", "none") not in _MPI:
        raise ToolRefused(
            f"srun: error: Couldn't find the specified plugin name for mpi/{found['--mpi']}",
            1,
        )
    immediate = found.get("--immediate")
    gpus = found.get("--gpus-per-node")
    return SrunOptions(
        names=names,
        tasks_per_node=tasks,
        gpus_per_node=None if gpus is None else _number(gpus, "--gpus-per-node"),
        partition=found.get("--partition", environment.get("SLURM_PARTITION", "")),
        label="--label" in found,
        wait_seconds=None if immediate is None else float(_number(immediate or "1", "--immediate")),
        command=uncounted(command),
        counted=is_counted(command),
        job_name=found.get("--job-name", ""),
        minutes=_number(found["--time"], "--time") if "--time" in found else None,
    )


def _split(words: list[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    found: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-"):
        name, equals, value = rest.pop(0).partition("=")
        name = _SHORT.get(name, name)
        if name == "--":
            break
        if name not in _LONG:
            raise ToolRefused(
                f"srun: unrecognized option '{name}'\nTry \"srun --help\" for more information", 255
            )
        if _LONG[name] and not equals and name not in _OPTIONAL_VALUE:
            if not rest:
                raise ToolRefused(f"srun: option '{name}' requires an argument", 255)
            value = rest.pop(0)
        found[name] = value
    return found, tuple(rest)


def _number(text: str, name: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ToolRefused(f'srun: error: Invalid numeric value "{text}" for {name}.', 1)
    return int(text)

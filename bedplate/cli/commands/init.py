"""``bedplate init``: a first, commented environment file, from a few questions or from options."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from bedplate.errors import UsageError

_SOURCES = (
    "on-demand",
    "open-reservation",
    "targeted-reservation",
    "interruptible-reservation",
    "capacity-block",
    "ultraserver-block",
    "spot",
)
"""What Slurm on AWS PCS can launch from; held against the models by a test."""
_WITH_RESERVATION = {
    "targeted-reservation",
    "interruptible-reservation",
    "capacity-block",
    "ultraserver-block",
}
_FILE_SYSTEMS = ("lustre", "lustre-tiering", "openzfs", "efs")
_GROWING = {"lustre-tiering", "efs"}
_RESERVATION_QUESTION = {"targeted-reservation": "Reservation id (cr-…), a resource group's ARN, or create"}
_NODES = click.IntRange(min=1)
_EPILOG = """\b
Examples:
  bedplate init
  bedplate init --name prod --account 123456789012 --region us-west-2 --zone usw2-az2 \\
      --instance-type p5en.48xlarge --nodes 64 --capacity capacity-block \\
      --reservation cr-0123456789abcdef0 --file-system lustre:38400 --file-system openzfs
"""


class _FileSystem(click.ParamType[tuple[str, int]]):
    """``KIND`` or ``KIND:GIB`` of a new file system."""

    name = "kind[:gib]"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Return the kind and the size, 0 where none is given."""
        kind, _, size = str(value).strip().partition(":")
        if kind not in _FILE_SYSTEMS:
            self.fail(f"'{kind}' is none of {', '.join(_FILE_SYSTEMS)}.{_nearest(kind)}", param, ctx)
        if size and not (size.isascii() and size.isdigit() and int(size) > 0):
            self.fail(f"'{size}' is no size in GiB, such as {kind}:38400.", param, ctx)
        if size and kind in _GROWING:
            self.fail(f"A file system of kind {kind} grows by itself; write {kind}.", param, ctx)
        return kind, int(size or 0)


class _FileSystems(click.ParamType[tuple[tuple[str, int], ...]]):
    """Several file systems with commas between them, or ``none``."""

    name = "list"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[str, int], ...]:
        """Return a kind and a size for each."""
        if isinstance(value, tuple):
            return value
        parts = [part for part in str(value).split(",") if part.strip()]
        if [part.strip() for part in parts] == ["none"]:
            return ()
        return tuple(_FileSystem().convert(part, param, ctx) for part in parts)


def _nearest(kind: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(kind, _FILE_SYSTEMS, n=1, cutoff=0.6)
    return f" Did you mean {close[0]}?" if close else ""


@click.command(epilog=_EPILOG, short_help="Write a commented environment file.")
@click.option("--name", help="The environment's name.")
@click.option("--account", help="The AWS account's 12 digits.")
@click.option("--region", help="The AWS Region.")
@click.option("--zone", help="AZ id that the capacity is in, such as usw2-az2.")
@click.option("--instance-type", help="EC2 instance type of the nodes.  [default: p5en.48xlarge]")
@click.option("--nodes", type=_NODES, help="Number of nodes.  [default: 2]")
@click.option("--capacity", type=click.Choice(_SOURCES), help="Where nodes come from.  [default: on-demand]")
@click.option(
    "--reservation",
    help="Id of the reservation or block, cr-…; with targeted-reservation also `create`, or a group's ARN.",
)
@click.option(
    "--file-system",
    "file_systems",
    type=_FileSystem(),
    multiple=True,
    metavar="KIND[:GIB]",
    help=f"New file system, as often as needed: {', '.join(_FILE_SYSTEMS)}.  [default: none]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Where to write.  [default: environments/NAME.yaml]",
)
def command(
    name: str | None,
    account: str | None,
    region: str | None,
    zone: str | None,
    instance_type: str | None,
    nodes: int | None,
    capacity: str | None,
    reservation: str | None,
    file_systems: tuple[tuple[str, int], ...],
    output: Path | None,
) -> None:
    """Write a first, commented environment file.

    On a terminal, what no option answers is asked for. A file that is there is never overwritten.
    """
    from bedplate.spec.loader import parse_environment
    from bedplate.spec.starter import Answers, starter

    ask = _Questions(interactive=sys.stdin.isatty())
    name = ask.text(name, "--name", "Name of the environment")
    target = output or Path("environments") / f"{name}.yaml"
    _refuse_overwriting(target)
    source = ask.text(
        capacity, "--capacity", "Capacity source", default="on-demand", kind=click.Choice(_SOURCES)
    )
    answers = Answers(
        name=name,
        account=ask.text(account, "--account", "AWS account (12 digits)"),
        region=ask.text(region, "--region", "Region", default="us-west-2"),
        zone=ask.text(zone, "--zone", "AZ id that the capacity is in, such as usw2-az2"),
        instance_type=ask.text(instance_type, "--instance-type", "Instance type", default="p5en.48xlarge"),
        nodes=int(ask.text(nodes, "--nodes", "Nodes", default="2", kind=_NODES)),
        capacity=source,
        reservation=ask.text(
            reservation, "--reservation", _RESERVATION_QUESTION.get(source, "Reservation id (cr-…)")
        )
        if source in _WITH_RESERVATION
        else reservation or "",
        file_systems=file_systems or ask.file_systems(),
    )
    text = starter(answers)
    parse_environment(text, file=f"{target} (not written)")
    _write(target, text)
    _write_schema_beside(target)
    argument = name if target == Path("environments") / f"{name}.yaml" else shlex.quote(str(target))
    click.echo(f"Wrote {target}. Read it, and change what does not fit.")
    click.echo(f"Next: bedplate check -e {argument}")


class _Questions:
    """Takes an option's value, else asks on a terminal, else takes the default, else says what is missing."""

    def __init__(self, *, interactive: bool) -> None:
        self._interactive = interactive

    def text(
        self,
        given: str | int | None,
        option: str,
        question: str,
        *,
        default: str | None = None,
        kind: click.ParamType[Any] | None = None,
    ) -> str:
        if given is not None:
            return str(given)
        if self._interactive:
            return str(click.prompt(question, default=default, type=kind or click.STRING))
        if default is not None:
            return default
        raise click.UsageError(f"There is no terminal to ask on; give {option}.")

    def file_systems(self) -> tuple[tuple[str, int], ...]:
        """Ask for file systems on a terminal; none elsewhere."""
        if not self._interactive:
            return ()
        question = "File systems, such as lustre:38400,openzfs"
        return click.prompt(question, default="none", type=_FileSystems())


def _refuse_overwriting(target: Path) -> None:
    if target.exists():
        raise UsageError(
            f"{target} is there already",
            error_id="CLI-003",
            remedy="Give another --name or --output, or move the file away.",
        )


def _write(target: Path, text: str) -> None:
    """Write beside the target first, then link it into place: never half a file, never over another."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(temporary).chmod(0o644)
        os.link(temporary, target)
    except FileExistsError:
        _refuse_overwriting(target)
    finally:
        Path(temporary).unlink()


def _write_schema_beside(target: Path) -> None:
    """Put the schema that the file's first line names beside it, unless there is one."""
    import json

    from bedplate.spec.schema import environment_schema

    schema = target.parent / "environment.schema.json"
    if not schema.exists():
        _write(schema, json.dumps(environment_schema(), indent=2, ensure_ascii=False) + "\n")

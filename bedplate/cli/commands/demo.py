"""``bedplate demo``: deploy, break and validate a simulated cluster."""

from __future__ import annotations

from pathlib import Path

import click

_EPILOG = """\b
Examples:
  bedplate demo
  bedplate demo --seed 7 --output build/demo-7
"""


@click.command(epilog=_EPILOG, short_help="Deploy, break and validate a simulated cluster.")
@click.option(
    "-e",
    "--env",
    "environment",
    metavar="NAME|PATH",
    default="demo",
    show_default=True,
    help="Environment: NAME for environments/NAME.yaml, or a file's path.",
)
@click.option(
    "--seed",
    default="default",
    show_default=True,
    metavar="N|default",
    help="Which faults to inject: a number draws some, none among them.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("build/demo"),
    show_default=True,
    metavar="DIR",
    help="Folder for the page, the result and the logs; replaced by the next run.",
)
@click.pass_context
def command(context: click.Context, environment: str, seed: str, output: Path) -> None:
    """Deploy, break and validate a simulated cluster, with no AWS account.

    The real CDK command line deploys every stack into a local AWS stand-in, whose simulated nodes carry
    faults that the validating process cannot see. Exits with 0 only if what was named equals what was
    injected.
    """
    from bedplate.cli.demo_story import tell
    from bedplate.sandbox.demo.request import DemoRequest, read_seed
    from bedplate.spec.find import find_environment

    request = DemoRequest(
        repository=Path.cwd(),
        environment=find_environment(environment, Path.cwd()),
        output=output,
        seed=read_seed(seed),
    )
    context.exit(tell(request))

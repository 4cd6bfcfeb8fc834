"""``bedplate support-bundle``: one archive about one node, for a support case."""

from __future__ import annotations

import json
from pathlib import Path

import click

from bedplate.cli.options import environment_option, json_option

_EPILOG = """\b
Examples:
  bedplate support-bundle i-0123456789abcdef0 -e prod
  bedplate support-bundle ip-10-60-128-6 -e prod --output case.tar.gz
  bedplate support-bundle i-0123456789abcdef0 -e prod --result build/validation/result.json
"""


@click.command("support-bundle", epilog=_EPILOG, short_help="Pack what a support case about a node needs.")
@click.argument("node", metavar="NODE")
@environment_option
@json_option
@click.option(
    "--result",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take this result.json and the evidence beside it, not the newest run that has the node.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the archive here; without it, by its own name into this folder.",
)
def command(environment: Path, as_json: bool, node: str, file: Path | None, output: Path | None) -> None:
    """Pack what a support case about NODE needs into one archive.

    NODE is an EC2 instance id, or a host name as the report shows it. The archive has a summary to
    paste, serial numbers, XIDs with NVIDIA's meaning, versions, every verdict on the node and the evidence.
    Secrets are left out, and counted by kind; read the archive before you send it. Nothing is run on the
    node.
    """
    from bedplate.slurm.pcs_cluster_shape import cluster_name
    from bedplate.spec.loader import load_environment
    from bedplate.validation.aws import AwsClients
    from bedplate.validation.deployed import read_manifest
    from bedplate.validation.reports.result_file import read_result, write_bytes
    from bedplate.validation.support.bundle import archive, bundle_files, bundle_name
    from bedplate.validation.support.hyperpod_node import about_hyperpod_node
    from bedplate.validation.support.instance import about_instance
    from bedplate.validation.support.sources import newest_run_with, run_of_file

    wanted = load_environment(environment)
    clients = AwsClients(region=wanted.region)
    if file is not None:
        found = run_of_file(path=file, result=read_result(file), name=node)
    else:
        manifest = read_manifest(clients=clients, environment=wanted.name)
        found = newest_run_with(clients=clients, bucket=manifest.validation.result_bucket, name=node)
    for why in found.passed_over:
        click.echo(f"warning: a newer run is passed over: {why}", err=True)
    if wanted.orchestrator.kind == "slurm-hyperpod":
        cluster = cluster_name(wanted.name)
        about = about_hyperpod_node(clients=clients, cluster=cluster, instance_id=found.node.node)
    else:
        about = about_instance(clients=clients, instance_id=found.node.node)
    files = bundle_files(found, about=about)
    name = bundle_name(found)
    path = output or Path(f"{name}.tar.gz")
    write_bytes(archive(files, name=name), path)
    contents = json.loads(files["contents.json"])
    if as_json:
        click.echo(json.dumps({"archive": str(path), **contents}, indent=2))
        return
    left_out = sum(contents["secrets_left_out"].values())
    click.echo(f"Wrote {path}: {len(files)} files on {found.node.node}, of {found.where}")
    click.echo(f"{left_out} secrets were left out. Read it before you send it.")
    for missing, why in contents["files_left_out"].items():
        click.echo(f"Left out: {missing}: {why}")

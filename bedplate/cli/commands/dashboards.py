"""``bedplate dashboards``: the dashboards as files, for a Grafana that is not made by the deploy."""

from __future__ import annotations

import json
from pathlib import Path

import click

from bedplate.cli.options import json_option

_EPILOG = """\b
Example:
  bedplate dashboards export build/grafana --prometheus http://10.0.0.5:9090
"""
_EXPORT = """\b
Examples:
  bedplate dashboards export build/grafana --prometheus http://10.0.0.5:9090 --region us-west-2
  bedplate dashboards export build/grafana \\
    --prometheus https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0123
"""


@click.group(name="dashboards", epilog=_EPILOG, short_help="Write the Grafana dashboards as files.")
def command() -> None:
    """Write the Grafana dashboards as files, for a Grafana that is not made by the deploy."""


@command.command(short_help="Write dashboards, data sources and a compose file.", epilog=_EXPORT)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--prometheus",
    "prometheus_url",
    required=True,
    metavar="URL",
    help="The root of a Prometheus or of an AMP workspace; queries of the latter are signed.",
)
@click.option(
    "--region",
    metavar="REGION",
    help="Region of CloudWatch, where FSx's figures are.  [default: the AMP workspace's]",
)
@json_option
def export(folder: Path, prometheus_url: str, region: str | None, as_json: bool) -> None:
    """Write dashboards, data sources and a compose file of open-source Grafana into DIR.

    Use it where the environment file has no managed Grafana, or load the files under dashboards/ into a
    Grafana that you have: they name the data sources by the uids bedplate-prometheus and
    bedplate-cloudwatch. Files that it wrote before are replaced, others are left alone. No credentials are
    written.
    """
    from bedplate.telemetry.dashboards.self_hosted import COMPOSE, grafana_files, has_cloudwatch
    from bedplate.validation.reports.result_file import write_bytes

    files = grafana_files(prometheus_url=prometheus_url, region=region)
    for name, text in files.items():
        write_bytes(text.encode("utf-8"), folder / name)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "files": sorted(files)}, indent=2))
        return
    count = sum(name.startswith("dashboards/") for name in files)
    click.echo(f"Wrote {count} dashboards, data sources and {COMPOSE} into {folder}.")
    if not has_cloudwatch(files):
        click.echo("No --region: there is no CloudWatch source, and FSx's panels stay empty.", err=True)

"""Writes the table of components as a page: ``python -m bedplate.kubernetes.versions_page > FILE``.

The page is committed as ``docs/reference/kubernetes-versions.md``; a test holds it against what this makes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from bedplate.kubernetes.versions import Component, components

_HEAD = """# Kubernetes components

Made from `bedplate/kubernetes/versions.json` by `python -m bedplate.kubernetes.versions_page`; do not edit by
hand. What of it a cluster has follows from its orchestrator and its pools.
"""

_ADD_ONS = """## Add-ons of EKS

EKS brings them. Which versions there are depends on the cluster's Kubernetes, so none is pinned here: what
the EKS API would say is **unverified**.
"""

_CHARTS = """## Charts, folders and manifests

Each is pinned; a folder is a chart that no registry has. `read` where its own source was read at this version
and rendered with our values once; whether its registry serves that version is **unverified** for all of them.
"""

_LEAST = """## Least versions

A pin below one of these is refused where the cluster has such nodes.
"""


def versions_page() -> str:
    """The whole page as Markdown."""
    rows = tuple(components().values())
    add_ons = [each for each in rows if each.kind == "add-on"]
    charts = [each for each in rows if each.kind != "add-on"]
    return "\n".join(
        (
            _HEAD,
            _ADD_ONS,
            _table(
                ("component", "add-on", "namespace", "source"),
                ((each.name, f"`{each.chart}`", each.namespace or "–", each.source) for each in add_ons),
            ),
            _CHARTS,
            _table(
                ("component", "from", "version", "release", "namespace", "source", "seen"),
                (_chart_row(each) for each in charts),
            ),
            _LEAST,
            _table(
                ("component", "version or newer", "for", "source"),
                (
                    (each.name, least.version, least.what, least.source)
                    for each in rows
                    for least in each.least
                ),
            ),
        )
    )


def _chart_row(each: Component) -> tuple[str, ...]:
    origin = f"`{each.repository}` `{each.chart}`"
    seen = "read" if each.verified else "**unverified**"
    return (each.name, origin, f"`{each.version}`", each.release or "–", each.namespace, each.source, seen)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(versions_page())

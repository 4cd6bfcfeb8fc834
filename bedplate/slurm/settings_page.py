"""docs/slurm-settings.md, written from the tables.

Run ``python -m bedplate.slurm.settings_page docs`` after changing one; a test holds the file against it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bedplate.slurm.cluster_shape import ClusterShape
from bedplate.slurm.left_settings import LEFT_SETTINGS
from bedplate.slurm.our_settings import OUR_SETTINGS
from bedplate.spec.slurm_parameters import KINDS, Scope, ruling, settable
from bedplate.spec.slurm_parameters.known import KNOWN
from bedplate.spec.slurm_parameters.ours import OURS

PAGE = "slurm-settings.md"
_SHAPE = ClusterShape(accounting=True, teams=True, longest_hours=None)
_HEAD = """# Settings of Slurm

Written from the tables by `python -m bedplate.slurm.settings_page docs`; do not edit.

The environment file's `orchestrator.settings`, and `settings` of a partition, take parameters by their
names in slurm.conf. A parameter that stands there goes before ours of the same name. What the orchestrator
keeps for itself, and what a field of the file stands for, is refused by `bedplate check` (ORC-012).

Sources: slurm.conf(5); PCS User Guide, "Custom Slurm settings"; the validators of aws-parallelcluster
3.16.1; `scontrol update` of 22.05. What HyperPod's agent writes is unverified: AWS publishes no list.
"""
_LEFT_HEAD = """What GPU clusters need besides, and Bedplate does not set everywhere. A value that no source
states is called unverified, and none is set on a guess: PCS fails a deploy for a name that it does not take.
"""
_TITLES: dict[Scope, str] = {
    "cluster": "Of the cluster",
    "queue": "Of a partition",
    "node-group": "Of a node group",
}


def page() -> str:
    """Return the page."""
    parts = [_HEAD, "## What Bedplate sets\n", _ours()]
    parts += ["## What is left to the service, and what follows\n", _left()]
    parts += ["## What the fields of the file stand for\n", _fields()]
    parts += ["## Who sets what\n", "`yes`: free to be set. `service`: the orchestrator keeps it.\n"]
    for scope in ("cluster", "queue"):
        parts += [f"### {_TITLES[scope]}\n", _table(scope)]
    return "\n".join(parts)


def _ours() -> str:
    lines = [
        "| parameter | value | why | " + " | ".join(KINDS) + " |",
        "|---|---|---|" + "---|" * len(KINDS),
    ]
    for each in OUR_SETTINGS:
        there = [
            "left alone"
            if kind in each.not_on
            else "set"
            if settable(each.parameter, scope="cluster", kind=kind)
            else "by the service"
            for kind in KINDS
        ]
        lines.append(f"| {each.parameter} | `{each.value(_SHAPE)}` | {each.why} | {' | '.join(there)} |")
    return "\n".join(lines) + "\n"


def _left() -> str:
    lines = [_LEFT_HEAD]
    for each in LEFT_SETTINGS:
        lines.append(f"### {each.subject}\n")
        lines.append(f"{', '.join(f'`{name}`' for name in each.parameters)}. {each.follows}\n")
        lines += [f"- {kind}: {each.words[kind]}" for kind in KINDS]
        lines.append(f"- Source: {each.source}.\n")
    return "\n".join(lines)


def _fields() -> str:
    lines = ["| parameter | of | instead |", "|---|---|---|"]
    for scope, rows in OURS.items():
        lines += [f"| {name} | {scope} | {instead} |" for name, instead in rows.items()]
    return "\n".join(lines) + "\n"


def _table(scope: Scope) -> str:
    words = {"free": "yes", "service": "service", "ours": "a field"}
    lines = ["| parameter | " + " | ".join(KINDS) + " |", "|---|" + "---|" * len(KINDS)]
    for name in KNOWN[scope]:
        cells = [words[ruling(name, scope=scope, kind=kind).standing] for kind in KINDS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(sys.argv[1]) / PAGE).write_text(page(), encoding="utf-8")

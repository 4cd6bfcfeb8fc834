"""Writes all metrics as one Markdown page: ``python -m bedplate.telemetry.metrics.reference > FILE``.

The page is committed as ``docs/reference/metrics.md``; a test holds it against what this module makes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from bedplate.telemetry.metrics.catalogue import METRICS
from bedplate.telemetry.metrics.dcgm import DcgmMetric
from bedplate.telemetry.metrics.exporter import Exporter
from bedplate.telemetry.metrics.exporters import EXPORTERS
from bedplate.telemetry.metrics.labels import COMMON_LABELS, PLACEMENT_LABELS
from bedplate.telemetry.metrics.metric import Metric

_HEAD = """# Metrics reference

Made by `python -m bedplate.telemetry.metrics.reference` from the table of metrics; do not edit by hand.
Exporters' lists, rules, alerts and dashboards name these and no others.

Every series has the labels COMMON, and `job`, whichever exporter it comes from. Where a node is placed
(PLACEMENT) is on `bedplate_node_info` alone. The labels below are those beside them.
"""


def reference_page() -> str:
    """The page, with a section for each exporter."""
    head = _HEAD.replace("COMMON", _words(COMMON_LABELS)).replace("PLACEMENT", _words(PLACEMENT_LABELS))
    return "\n".join([head, *(_section(each) for each in EXPORTERS)])


def _section(exporter: Exporter) -> str:
    metrics = [each for each in METRICS.values() if each.exporter is exporter]
    told = [f'`job="{exporter.job}"`'] if exporter.job else []
    told += [f"port {exporter.port}"] if exporter.port else []
    told += [f"version {exporter.version}"] if exporter.version else []
    return "\n".join(
        [
            f"## {exporter.name}\n",
            f"{', '.join([*told, f'source: {exporter.source}'])}.\n",
            "| metric | kind | unit | labels | a series for each | what |",
            "|---|---|---|---|---|---|",
            *_rows(metrics),
            "",
        ]
    )


def _rows(metrics: Iterable[Metric]) -> list[str]:
    return [
        f"| `{each.name}` | {each.kind} | {each.unit} | {_labels(each)} | {each.series_per} | {_what(each)} |"
        for each in metrics
    ]


def _labels(each: Metric) -> str:
    return _words(each.labels) or "none"


def _words(labels: Iterable[str]) -> str:
    return ", ".join(f"`{label}`" for label in labels)


def _what(each: Metric) -> str:
    said = [each.help]
    if isinstance(each, DcgmMetric):
        said.append(f"DCGM's field {each.field}")
        if each.newer_name:
            said.append(f"`DCGM_FI_{each.newer_name}` since 2026")
        if each.profiling:
            said.append("needs performance counters")
    if each.gpu_architectures:
        said.append(f"{' and '.join(each.gpu_architectures)} only")
    return "; ".join(said)


if __name__ == "__main__":
    sys.stdout.write(reference_page())

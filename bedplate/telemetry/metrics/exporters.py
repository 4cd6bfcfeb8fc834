"""The exporters, pinned."""

from __future__ import annotations

from bedplate.telemetry.metrics.exporter import Exporter

DCGM_EXPORTER = Exporter(
    name="dcgm-exporter",
    job="dcgm",
    port=9400,
    version="4.8.2",
    source="NVIDIA/dcgm-exporter: etc/default-counters.csv, internal/pkg/counters",
)
NODE_EXPORTER = Exporter(
    name="node_exporter",
    job="node",
    port=9100,
    version="1.9.1",
    source="prometheus/node_exporter: collector/",
)
NODE_PROGRAM = Exporter(
    name="bedplate-node",
    job="node",
    port=None,
    version="",
    source="bedplate/node/metrics, as text files that node_exporter serves",
)
SLURMCTLD = Exporter(
    name="slurmctld",
    job="slurm",
    port=6817,
    version="25.11",
    source="SchedMD/slurm: doc/html/metrics.shtml",
)
KUBE_STATE_METRICS = Exporter(
    name="kube-state-metrics",
    job="kube-state-metrics",
    port=8080,
    version="2.20.0",
    source="kubernetes/kube-state-metrics: docs/metrics",
)
KUEUE = Exporter(
    name="Kueue",
    job="kueue",
    port=8443,
    version="0.19.2",
    source="kubernetes-sigs/kueue: site/content/en/docs/reference/metrics.md; by HTTPS and a bearer token",
)
NCCL_INSPECTOR = Exporter(
    name="NCCL Inspector",
    job="node",
    port=None,
    version="",
    source="NVIDIA/nccl: plugins/profiler/inspector, as text files that node_exporter serves",
)
APPLICATION = Exporter(
    name="application",
    job="application",
    port=None,
    version="",
    source="a job's own end point, found by file discovery",
)
VALIDATION = Exporter(
    name="bedplate validate",
    job="validation",
    port=None,
    version="",
    source="bedplate/validation, written to AMP and as a text file",
)
AGENT = Exporter(
    name="agent",
    job="",
    port=None,
    version="",
    source="Prometheus documentation: Jobs and instances, automatically generated labels and time series",
)
RULER = Exporter(
    name="ruler",
    job="",
    port=None,
    version="",
    source="Prometheus documentation: Alerting rules, inspecting alerts during runtime",
)

EXPORTERS = (
    DCGM_EXPORTER,
    NODE_EXPORTER,
    NODE_PROGRAM,
    SLURMCTLD,
    KUBE_STATE_METRICS,
    KUEUE,
    NCCL_INSPECTOR,
    APPLICATION,
    VALIDATION,
    AGENT,
    RULER,
)

"""The agent's configuration: what is scraped, what of it is kept, and the labels that all of it gets.

In Prometheus' own form, so that vmagent and promtool both check it; written as JSON, which is YAML.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Optional, Sequence

from bedplate.node.bootstrap.collection import Collection
from bedplate.node.bootstrap.exporters.table import MetricsTable
from bedplate.node.bootstrap.places import APPLICATIONS, SLURMCTLD
from bedplate.node.bootstrap.settings import NodeSettings

DCGM_PORT, NODE_PORT = 9400, 9100
INTERVAL_SECONDS = 30
SLURM_INTERVAL_SECONDS = 60
"""Every scrape of slurmctld takes its locks (SchedMD/slurm, ``doc/html/metrics.shtml``: 60 to 120 s)."""
APPLICATION_SAMPLES = 1000
"""As many series as one end point of a job may have; ours to choose. One with more is not scraped."""
COMMON = ("environment", "cluster", "pool", "instance_id", "instance_type", "zone", "node")
_LOOPBACK = r"(127\.0\.0\.1|localhost):[0-9]+"


def common_labels(settings: NodeSettings, told: Collection, *, instance_id: str, node: str) -> Dict[str, str]:
    """``bedplate.telemetry.metrics.labels.COMMON_LABELS``. Labels of targets, not ``external_labels``: those
    come before relabelling in some versions of vmagent, and behind it in others and in Prometheus.
    """
    return {
        "environment": settings.environment,
        "cluster": told.cluster,
        "pool": settings.pool,
        "instance_id": instance_id,
        "instance_type": settings.instance_type,
        "zone": told.zone,
        "node": node,
    }


def scrape_config(
    settings: NodeSettings, told: Collection, table: MetricsTable, *, instance_id: str, node: str
) -> str:
    """The text for a node of these settings."""
    jobs = [_job("node", NODE_PORT, table, instance_id)]
    if settings.gpus:
        jobs.insert(0, _job("dcgm", DCGM_PORT, table, instance_id))
    if told.slurmctld:
        jobs += [_slurm(path, table) for path in table.slurm_paths]
    if settings.role == "compute":
        jobs.append(_applications(instance_id))
    labels = common_labels(settings, told, instance_id=instance_id, node=node)
    for job in jobs:
        job["relabel_configs"] += [_set(label, value) for label, value in labels.items()]
    config = {
        "global": {"scrape_interval": f"{INTERVAL_SECONDS}s", "scrape_timeout": "10s"},
        "scrape_configs": jobs,
    }
    return json.dumps(config, indent=1) + "\n"


def renamed(text: str, *, node: str) -> Optional[str]:
    """The configuration with another name of the node; None where it has this one, or cannot be read."""
    try:
        config: Dict[str, Any] = json.loads(text)
        rules = [rule for job in config["scrape_configs"] for rule in job["relabel_configs"]]
        ours = [rule for rule in rules if rule.get("target_label") == "node"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if all(rule["replacement"] == node for rule in ours):
        return None
    for rule in ours:
        rule["replacement"] = node
    return json.dumps(config, indent=1) + "\n"


def _job(name: str, port: int, table: MetricsTable, instance_id: str) -> Dict[str, Any]:
    return {
        "job_name": name,
        "static_configs": [{"targets": [f"127.0.0.1:{port}"]}],
        "relabel_configs": [_set("instance", instance_id)],
        "metric_relabel_configs": [_keep(table.names[name]), _label_keep(table.labels[name])],
    }


def _slurm(path: str, table: MetricsTable) -> Dict[str, Any]:
    """slurmctld's address is in a file, which the collector of Slurm writes once slurmctld has told it."""
    part = path.rpartition("/")[2]
    return {
        "job_name": f"slurm-{part}",
        "scrape_interval": f"{SLURM_INTERVAL_SECONDS}s",
        "metrics_path": path,
        "file_sd_configs": [{"files": [SLURMCTLD]}],
        "relabel_configs": [_set("job", "slurm"), _set("instance", f"slurmctld-{part}")],
        "metric_relabel_configs": [_keep(table.names["slurm"]), _label_keep(table.labels["slurm"])],
    }


def _applications(instance_id: str) -> Dict[str, Any]:
    """What a job says of itself. A user may write such a file, so it names end points of this node alone, and
    no labels but the job's: none of another node's.
    """
    return {
        "job_name": "application",
        "file_sd_configs": [{"files": [f"{APPLICATIONS}/*.json"]}],
        "sample_limit": APPLICATION_SAMPLES,
        "relabel_configs": [
            {"source_labels": ["__address__"], "regex": _LOOPBACK, "action": "keep"},
            {"regex": "__.*|hpc_job", "action": "labelkeep"},
            _set("job", "application"),
            {
                "source_labels": ["__address__"],
                "regex": ".*:([0-9]+)",
                "target_label": "instance",
                "replacement": f"{instance_id}:$1",
            },
        ],
    }


def _set(label: str, value: str) -> Dict[str, Any]:
    return {"target_label": label, "replacement": value}


def _keep(names: Sequence[str]) -> Dict[str, Any]:
    return {"source_labels": ["__name__"], "regex": "|".join(map(re.escape, names)), "action": "keep"}


def _label_keep(labels: Sequence[str]) -> Dict[str, Any]:
    own: List[str] = ["__name__", "job", "instance", *COMMON, *labels]
    return {"regex": "|".join(own), "action": "labelkeep"}

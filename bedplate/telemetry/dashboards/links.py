"""Links from one dashboard to another, and from a row of a table to what it names."""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import DashboardLink
from grafana_foundation_sdk.models.dashboard import DashboardLinkType

FLEET, GPU, NODE, EFA, LUSTRE, QUEUES, JOB, SERVING, VALIDATION, CAPACITY = (
    f"bedplate-{name}"
    for name in (
        "fleet",
        "gpu",
        "node",
        "efa",
        "lustre",
        "queues",
        "job",
        "serving",
        "validation",
        "capacity",
    )
)
"""The dashboards' uids, in the order of their list."""

TAG = "bedplate"

_KEPT = "${__url_time_range}&var-environment=${environment}"


def to_siblings() -> DashboardLink:
    """A menu of all dashboards, which keeps the time and the variables."""
    return (
        DashboardLink("Dashboards")
        .type(DashboardLinkType.DASHBOARDS)
        .tags([TAG])
        .as_dropdown(as_dropdown=True)
        .include_vars(include_vars=True)
        .keep_time(keep_time=True)
    )


def to_node() -> DashboardLink:
    """From a series that has the node's name as a label."""
    return _to(NODE, "The node ${__field.labels.node}", "var-node=${__field.labels.node}")


def to_node_of_cell() -> DashboardLink:
    """From a table's cell that is a node's name."""
    return _to(NODE, "This node", "var-node=${__value.raw}")


def to_job_of_cell() -> DashboardLink:
    """From a table's cell that is a job's id."""
    return _to(JOB, "This job", "var-job=${__value.raw}")


def _to(uid: str, title: str, variable: str) -> DashboardLink:
    return DashboardLink(title).url(f"/d/{uid}?{_KEPT}&{variable}")

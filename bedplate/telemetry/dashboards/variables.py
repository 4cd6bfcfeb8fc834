"""The variables on top of a dashboard. A query that uses one that its dashboard lacks fails a test."""

from __future__ import annotations

from grafana_foundation_sdk.builders.dashboard import QueryVariable, TextBoxVariable
from grafana_foundation_sdk.models.dashboard import VariableOption, VariableRefresh, VariableSort

from bedplate.telemetry.dashboards.scope import ENVIRONMENT, JOB, POOL
from bedplate.telemetry.dashboards.sources import cloudwatch_source, prometheus_source
from bedplate.telemetry.metrics.catalogue import metric
from bedplate.telemetry.metrics.cloudwatch import cloudwatch_metric

Variable = QueryVariable | TextBoxVariable

_ALL = VariableOption(text="All", value="$__all")
_ANYTHING = ".*"


def environment() -> QueryVariable:
    """One environment: everything on the page is of it."""
    return _values("environment", "Environment", "up", "", "environment")


def pool() -> QueryVariable:
    """One pool, several or all."""
    return _several(_values("pool", "Pool", "bedplate_node_info", ENVIRONMENT, "pool"))


def nodes() -> QueryVariable:
    """One node, several or all."""
    return _several(_values("node", "Node", "bedplate_node_info", POOL, "node"))


def node() -> QueryVariable:
    """One node."""
    return _values("node", "Node", "bedplate_node_info", ENVIRONMENT, "node")


def job() -> QueryVariable:
    """One job, of those that ran in the time that the page shows."""
    return _values("job", "Job", "bedplate_job_node", ENVIRONMENT, "hpc_job").sort(
        VariableSort.NUMERICAL_DESC
    )


def job_node() -> QueryVariable:
    """One node of the job, several or all."""
    return _several(_values("node", "Node of the job", "bedplate_job_node", JOB, "node"))


def file_system_id() -> QueryVariable:
    """One file system of the account and Region, by FSx's id: CloudWatch knows no environments."""
    name = "FreeDataStorageCapacity"
    found = cloudwatch_metric(name, dimensions=("FileSystemId",))
    return (
        QueryVariable("file_system_id")
        .label("FSx file system")
        .datasource(cloudwatch_source())
        .query(
            {
                "queryType": "dimensionValues",
                "region": "default",
                "namespace": found.namespace,
                "metricName": name,
                "dimensionKey": "FileSystemId",
                "dimensionFilters": {},
                "refId": "CloudWatchVariableQueryEditor-VariableQuery",
            }
        )
        .refresh(VariableRefresh.ON_DASHBOARD_LOAD)
        .sort(VariableSort.ALPHABETICAL_ASC)
    )


def price() -> TextBoxVariable:
    """What a GPU costs an hour; with 1, money is GPU hours."""
    return (
        TextBoxVariable("price")
        .label("Price of a GPU hour")
        .description("In whatever currency; Bedplate knows no prices. With 1, the figures are GPU hours.")
        .default_value("1")
        .current(VariableOption(text="1", value="1"))
    )


def _values(name: str, label: str, series: str, matchers: str, of: str) -> QueryVariable:
    metric(series)  # raises where no table has it
    within = f"{series}{{{matchers}}}" if matchers else series
    return (
        QueryVariable(name)
        .label(label)
        .datasource(prometheus_source())
        .query(
            {
                "qryType": 1,  # label values
                "query": f"label_values({within}, {of})",
                "refId": "PrometheusVariableQueryEditor-VariableQuery",
            }
        )
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
    )


def _several(variable: QueryVariable) -> QueryVariable:
    return variable.multi(multi=True).include_all(include_all=True).all_value(_ANYTHING).current(_ALL)

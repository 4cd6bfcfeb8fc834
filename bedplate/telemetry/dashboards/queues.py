"""Slurm's queues: who waits for what, which nodes take jobs, and which are drained and why."""

from __future__ import annotations

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import QUEUES, to_job_of_cell, to_node_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import figure, lines
from bedplate.telemetry.dashboards.queries import now, over_time
from bedplate.telemetry.dashboards.scope import ENVIRONMENT, POOL
from bedplate.telemetry.dashboards.table import Column, listing

_JOBS = "bedplate_slurm_jobs"
_GPUS = "bedplate_slurm_gpus"
_STATE = "bedplate_slurm_node_state"
_CONFIGURED, _ALLOCATED = (f'{ENVIRONMENT},state="{state}"' for state in ("configured", "allocated"))
_OUT = "drained|draining|down|fail|failing|invalid_reg|not_responding|reboot_issued|maint.*"

_NOW = Band(
    title="Now",
    lines=(
        (
            figure(
                "Jobs that run",
                "In all partitions.",
                now(f'sum({_JOBS}{{{ENVIRONMENT},state="running"}})'),
            ),
            figure(
                "Jobs that wait",
                "In all partitions.",
                now(f'sum({_JOBS}{{{ENVIRONMENT},state="pending"}})'),
            ),
            figure(
                "GPUs",
                "That the nodes which answer have by their type.",
                now(f"sum(bedplate:pool_gpus_expected{{{POOL}}})"),
            ),
            figure(
                "GPUs in jobs",
                "Of those that Slurm has.",
                now(f"sum({_GPUS}{{{_ALLOCATED}}}) / sum({_GPUS}{{{_CONFIGURED}}})"),
                unit=units.SHARE,
            ),
            figure(
                "Nodes that take no job",
                "Drained, draining, down or failing.",
                now(f'count({_STATE}{{{ENVIRONMENT},state=~"{_OUT}"}} == 1) or vector(0)'),
                levels=levels.NONE_IS_CALM,
            ),
            figure(
                "Drained by Bedplate",
                "Of those: drains that `bedplate undo` can take back.",
                now(f'count({_STATE}{{{ENVIRONMENT},state=~"drain.*",ours="true"}} == 1) or vector(0)'),
            ),
        ),
    ),
)

_HISTORY = Band(
    title="Over time",
    lines=(
        (
            lines(
                "Jobs by state",
                "In all partitions.",
                over_time(f"sum by (state) ({_JOBS}{{{ENVIRONMENT}}})", "{{state}}"),
                width=12,
                stacked=True,
            ),
            lines(
                "Nodes by state",
                "As Slurm has them.",
                over_time(f"sum by (state) ({_STATE}{{{ENVIRONMENT}}})", "{{state}}"),
                width=12,
                stacked=True,
            ),
        ),
        (
            lines(
                "GPUs in jobs by partition",
                "Of those that the partition has. Partitions that share nodes count them each.",
                over_time(
                    f"sum by (slurm_partition) ({_GPUS}{{{_ALLOCATED}}})"
                    f" / sum by (slurm_partition) ({_GPUS}{{{_CONFIGURED}}})",
                    "{{slurm_partition}}",
                ),
                unit=units.SHARE,
                width=12,
                top=1,
            ),
            lines(
                "Waiting jobs by partition",
                "A line that only rises is a partition that is too small, or a job that can never run.",
                over_time(
                    f'sum by (slurm_partition) ({_JOBS}{{{ENVIRONMENT},state="pending"}})',
                    "{{slurm_partition}}",
                ),
                width=12,
            ),
        ),
    ),
)

_LISTS = Band(
    title="Nodes and jobs",
    lines=(
        (
            listing(
                "Nodes that take no job, by name",
                "With the state that Slurm has them in, and whether the drain is Bedplate's. `scontrol show "
                "node` has the reason.",
                Column(
                    title="",
                    expression="max by (node, slurm_partition, state, ours) (label_join("
                    f'{_STATE}{{{ENVIRONMENT},state=~"{_OUT}"}} == 1, "node", "", "slurm_node"))',
                ),
                labels=(
                    ("node", "node"),
                    ("slurm_partition", "partition"),
                    ("state", "state"),
                    ("ours", "by Bedplate"),
                ),
                links={"node": to_node_of_cell()},
                width=12,
            ),
            listing(
                "Jobs that run, by id",
                "With how many nodes each has. A click on a job opens it.",
                Column(
                    title="nodes",
                    expression="count by (hpc_job, job_name, account, partition)"
                    f" (bedplate_job_node{{{POOL}}})",
                ),
                labels=(
                    ("hpc_job", "job"),
                    ("job_name", "name"),
                    ("account", "account"),
                    ("partition", "partition"),
                ),
                links={"hpc_job": to_job_of_cell()},
                sort_by="nodes",
                width=12,
            ),
        ),
    ),
)

_CONTROLLER = Band(
    title="As slurmctld itself counts (from 25.11)",
    lines=(
        (
            lines(
                "Jobs, by slurmctld",
                "Empty before Slurm 25.11, which has no end point for metrics.",
                over_time(f"max(slurm_jobs_running{{{ENVIRONMENT}}})", "run"),
                over_time(f"max(slurm_jobs_pending{{{ENVIRONMENT}}})", "wait"),
                width=12,
                height=6,
            ),
            lines(
                "Nodes, by slurmctld",
                "Empty before Slurm 25.11.",
                over_time(f"max(slurm_nodes_alloc{{{ENVIRONMENT}}})", "allocated"),
                over_time(f"max(slurm_nodes_mixed{{{ENVIRONMENT}}})", "in part"),
                over_time(f"max(slurm_nodes_idle{{{ENVIRONMENT}}})", "idle"),
                over_time(f"max(slurm_nodes_drain{{{ENVIRONMENT}}})", "drained"),
                over_time(f"max(slurm_nodes_down{{{ENVIRONMENT}}})", "down"),
                width=12,
                height=6,
            ),
        ),
    ),
)


def queues() -> Page:
    """What one looks at when somebody asks why their job does not start."""
    return Page(
        uid=QUEUES,
        title="Slurm queues",
        description="Jobs and GPUs by partition, nodes by state, and which nodes take no job.",
        variables=(variables.environment(), variables.pool()),
        bands=(_NOW, _HISTORY, _LISTS, _CONTROLLER),
    )

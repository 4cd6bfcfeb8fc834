"""One job: from its id to its nodes, its GPUs and its EFA devices, and which of them holds the others up."""

from __future__ import annotations

from bedplate.telemetry.dashboards import levels, units, variables
from bedplate.telemetry.dashboards.links import JOB, to_node, to_node_of_cell
from bedplate.telemetry.dashboards.page import Band, Page
from bedplate.telemetry.dashboards.panels import bars, figure, lines
from bedplate.telemetry.dashboards.queries import now, over_time
from bedplate.telemetry.dashboards.scope import ENVIRONMENT, ON_JOB
from bedplate.telemetry.dashboards.scope import JOB as THIS
from bedplate.telemetry.dashboards.table import Column, listing

_OF_NODES = f'{THIS},node=~"$node"'
_SM = f"DCGM_FI_PROF_SM_ACTIVE{{{_OF_NODES}}}"
_CLOCK = f"DCGM_FI_DEV_SM_CLOCK{{{_OF_NODES}}}"
_BY_GPU = "by (node, gpu, pci_bus_id)"
_RATE = "[$__rate_interval]"
_SENT = f'rate(node_amazonefa_tx_bytes{{{ENVIRONMENT},node=~"$node"}}{_RATE}) {ON_JOB}'
_AGAIN = f'rate(node_amazonefa_retrans_pkts{{{ENVIRONMENT},node=~"$node"}}{_RATE}) {ON_JOB}'
_NCCL = f'{ENVIRONMENT},slurm_job_id="$job"'

_NOW = Band(
    title="The job",
    lines=(
        (
            figure("Nodes", "That the job has.", now(f"count(bedplate_job_node{{{THIS}}})")),
            figure(
                "GPUs",
                "That report under this job.",
                now(f"count(count by (node, gpu) (DCGM_FI_DEV_GPU_TEMP{{{THIS}}}))"),
            ),
            figure(
                "SM activity",
                "Mean of the job's GPUs; near zero with GPUs allocated is a stalled job.",
                now(f"avg({_SM})"),
                unit=units.SHARE,
                levels=levels.ACTIVITY,
            ),
            figure(
                "Slowest GPU, of the median",
                "The lowest SM clock of a GPU at work, as a share of the job's median. A step ends when the "
                "slowest has ended.",
                now(f"min({_CLOCK}) / quantile(0.5, {_CLOCK})"),
                unit=units.SHARE,
                levels=levels.BEHIND,
            ),
            figure(
                "Step",
                "What the last training step took, where the program tells.",
                now(f"avg(bedplate_training_step_seconds{{{THIS}}})"),
                unit=units.SECONDS,
            ),
            figure(
                "Tokens a second",
                "Where the program tells.",
                now(f"sum(rate(bedplate_training_tokens_total{{{THIS}}}{_RATE}))"),
            ),
        ),
    ),
)

_SLOWEST = Band(
    title="Who holds it up",
    lines=(
        (
            bars(
                "Slowest GPUs",
                "The eight lowest SM clocks, each as a share of the job's median.",
                now(
                    f"bottomk(8, {_CLOCK} / scalar(quantile(0.5, {_CLOCK})))",
                    "{{node}} GPU {{gpu}}",
                ),
                unit=units.SHARE,
                levels=levels.BEHIND,
                width=8,
                top=1,
                link=to_node(),
            ),
            bars(
                "EFA devices that send least",
                "The eight lowest, of the devices of the job's nodes.",
                now(f"bottomk(8, {_SENT})", "{{node}} {{device}}"),
                unit=units.BYTES_A_SECOND,
                width=8,
                link=to_node(),
            ),
            bars(
                "EFA devices that send again most",
                "Packets a second; red is what AWS's own agent calls bad.",
                now(f"topk(8, {_AGAIN})", "{{node}} {{device}}"),
                unit=units.PACKETS_A_SECOND,
                levels=levels.bad_efa_rate("retrans_pkts"),
                width=8,
                link=to_node(),
            ),
        ),
        (
            listing(
                "GPUs of the job",
                "Each GPU as it is now. A click on a node opens it.",
                Column(title="SM clock", expression=f"max {_BY_GPU} ({_CLOCK}) * 1e6", unit=units.HERTZ),
                Column(title="SM activity", expression=f"max {_BY_GPU} ({_SM})", unit=units.SHARE),
                Column(
                    title="tensor",
                    expression=f"max {_BY_GPU} (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{{_OF_NODES}}})",
                    unit=units.SHARE,
                ),
                Column(
                    title="power",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_POWER_USAGE{{{_OF_NODES}}})",
                    unit=units.WATTS,
                ),
                Column(
                    title="of slowdown",
                    expression=f"max {_BY_GPU} (DCGM_FI_DEV_GPU_TEMP{{{_OF_NODES}}}"
                    f" / DCGM_FI_DEV_SLOWDOWN_TEMP{{{_OF_NODES}}})",
                    unit=units.SHARE,
                    levels=levels.NEAR_SLOWDOWN,
                ),
                Column(
                    title="throttled by heat",
                    expression=f"max {_BY_GPU} (rate(DCGM_FI_DEV_THERMAL_VIOLATION{{{_OF_NODES}}}{_RATE}))"
                    " / 1e9",
                    unit=units.SHARE,
                    levels=levels.THROTTLED,
                ),
                Column(
                    title="Xids in 5 min",
                    expression=f"sum {_BY_GPU} (DCGM_EXP_XID_ERRORS_COUNT{{{_OF_NODES}}})",
                    levels=levels.NONE_IS_CALM,
                ),
                labels=(("node", "node"), ("gpu", "GPU"), ("pci_bus_id", "PCI bus")),
                links={"node": to_node_of_cell()},
                sort_by="SM clock",
                smallest_first=True,
                height=10,
            ),
        ),
    ),
)

_HISTORY = Band(
    title="Over time",
    lines=(
        (
            lines(
                "SM activity of the job",
                "The lowest, the median and the highest of the job's GPUs.",
                over_time(f"max({_SM})", "highest"),
                over_time(f"quantile(0.5, {_SM})", "median"),
                over_time(f"min({_SM})", "lowest"),
                unit=units.SHARE,
                top=1,
            ),
            lines(
                "SM clock of the job",
                "The lowest and the median of the job's GPUs.",
                over_time(f"quantile(0.5, {_CLOCK}) * 1e6", "median"),
                over_time(f"min({_CLOCK}) * 1e6", "lowest"),
                unit=units.HERTZ,
            ),
        ),
        (
            lines(
                "EFA by node",
                "Sent by the job's nodes, at most twelve of them.",
                over_time(f"topk(12, sum by (node) ({_SENT}))", "{{node}}"),
                unit=units.BYTES_A_SECOND,
                link=to_node(),
            ),
            lines(
                "NCCL bus bandwidth",
                "Of the job's collectives, where NCCL Inspector is loaded; the lowest rank.",
                over_time(
                    f"min by (collective, message_size) (nccl_bus_bandwidth_gbs{{{_NCCL}}})",
                    "{{collective}} {{message_size}}",
                ),
                unit=units.GB_A_SECOND,
            ),
        ),
        (
            lines(
                "Training step",
                "What a step took, where the program tells.",
                over_time(f"avg(bedplate_training_step_seconds{{{THIS}}})", "step"),
                unit=units.SECONDS,
            ),
            lines(
                "Loss",
                "Of the last step, where the program tells.",
                over_time(f"avg(bedplate_training_loss{{{THIS}}})", "loss"),
                unit=units.NONE,
            ),
        ),
    ),
)


def job() -> Page:
    """What one looks at when somebody says that their job is slow."""
    return Page(
        uid=JOB,
        title="job",
        description="From a job's id to its nodes, GPUs and EFA devices, and which of them is slow.",
        variables=(variables.environment(), variables.job(), variables.job_node()),
        bands=(_NOW, _SLOWEST, _HISTORY),
        since="now-3h",
    )

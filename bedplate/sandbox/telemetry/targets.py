"""What is scraped of a simulated fleet, and what each target answers at a moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.sandbox.telemetry.application import application_samples, nccl_samples
from bedplate.sandbox.telemetry.dcgm import WINDOW_S, dcgm_samples
from bedplate.sandbox.telemetry.fleet import TelemetryFleet
from bedplate.sandbox.telemetry.kubernetes import (
    KUBE_STATE_PATH,
    KUEUE_PATH,
    kube_state_samples,
    kueue_samples,
)
from bedplate.sandbox.telemetry.node import View
from bedplate.sandbox.telemetry.node_exporter import node_exporter_samples
from bedplate.sandbox.telemetry.node_program import node_program_samples
from bedplate.sandbox.telemetry.slurm import slurm_samples, slurmctld_samples
from bedplate.sandbox.telemetry.validation import validation_samples
from bedplate.telemetry.exposition import Sample
from bedplate.telemetry.metrics.exporters import (
    APPLICATION,
    DCGM_EXPORTER,
    KUBE_STATE_METRICS,
    KUEUE,
    NODE_EXPORTER,
    SLURMCTLD,
    VALIDATION,
)
from bedplate.telemetry.metrics.slurmctld import PATHS

LOGIN_PATH = "login"


@dataclass(frozen=True)
class Target:
    """One scrape target: ``path`` is below the server's root, ``labels`` are what the agent adds."""

    job: str
    path: str
    labels: tuple[tuple[str, str], ...]


class TargetDown(Exception):
    """Nothing answers there."""


def targets(fleet: TelemetryFleet) -> Iterator[Target]:
    """All, in order. An application is scraped on the first node of its job."""
    for index, node in enumerate(fleet.nodes):
        yield Target(DCGM_EXPORTER.job, f"/{index}/dcgm", node.labels)
        yield Target(NODE_EXPORTER.job, f"/{index}/node", node.labels)
    for _, indices in fleet.jobs():
        yield Target(APPLICATION.job, f"/{indices[0]}/application", fleet.nodes[indices[0]].labels)
    shared = tuple(pair for pair in fleet.login.labels if pair[0] in ("environment", "cluster"))
    if fleet.plan.kubernetes:
        yield Target(KUBE_STATE_METRICS.job, f"/{KUBE_STATE_PATH}", shared)
        yield Target(KUEUE.job, f"/{KUEUE_PATH}", shared)
    else:
        yield Target(NODE_EXPORTER.job, f"/{LOGIN_PATH}/node", fleet.login.labels)
        for path in PATHS:
            yield Target(SLURMCTLD.job, f"/slurmctld{path}", fleet.login.labels)
    yield Target(VALIDATION.job, "/validation", shared)


def answer(fleet: TelemetryFleet, path: str, *, at_s: float, window_s: float = WINDOW_S) -> Iterator[Sample]:
    """The series of one target. ``window_s`` is dcgm-exporter's. Raises ``TargetDown`` where a fault keeps it
    from answering, ``KeyError`` where there is none of this path.
    """
    place, _, exporter = path.strip("/").partition("/")
    if place == KUBE_STATE_PATH:
        return kube_state_samples(fleet.views(at_s))
    if place == KUEUE_PATH:
        return kueue_samples(fleet.views(at_s))
    if place == "slurmctld":
        if any(view.situation.slurmctld_gone for view in fleet.views(at_s)):
            raise TargetDown(path)
        return slurmctld_samples(f"/{exporter}", fleet.views(at_s))
    if place == "validation":
        return _validation(fleet, at_s)
    if place == LOGIN_PATH and exporter == "node":
        return _login(fleet, at_s)
    if not place.isdigit() or int(place) >= len(fleet.nodes):
        raise KeyError(path)
    view = fleet.nodes[int(place)].view(at_s, epoch_s=fleet.epoch_s)
    if view.stretch.effects.unreachable:
        raise TargetDown(path)
    return _node_target(fleet, view, exporter, window_s)


def _node_target(fleet: TelemetryFleet, view: View, exporter: str, window_s: float) -> Iterator[Sample]:
    situation = view.situation
    gone = {"dcgm": situation.dcgm_exporter_gone, "node": situation.node_exporter_gone}
    if gone.get(exporter, False):
        raise TargetDown(exporter)
    if exporter == "dcgm":
        return dcgm_samples(view, window_s=window_s)
    if exporter == "node":
        return _node(fleet, view)
    if exporter == "application":
        return application_samples(view)
    raise KeyError(exporter)


def _node(fleet: TelemetryFleet, view: View) -> Iterator[Sample]:
    yield from node_exporter_samples(view)
    yield from node_program_samples(view)
    if view.job is not None:
        job = view.job.job_id
        mates = [each for each in fleet.views(view.at_s) if each.node.job and each.node.job.job_id == job]
        yield from nccl_samples(view, mates)


def _login(fleet: TelemetryFleet, at_s: float) -> Iterator[Sample]:
    view = fleet.login.view(at_s, epoch_s=fleet.epoch_s)
    yield from node_exporter_samples(view)
    yield from node_program_samples(view)
    yield from slurm_samples(fleet.views(at_s))


def _validation(fleet: TelemetryFleet, at_s: float) -> Iterator[Sample]:
    """The last validation found what had been injected: it comes as often as it is asked for here."""
    views = fleet.views(at_s)
    age_s = max(view.situation.validation_age_s for view in views)
    nodes = [(v.truth.instance_id, fleet.plan.pool, v.truth.instance_type) for v in views]
    return validation_samples(
        faults=fleet.bound(at_s),
        nodes=nodes,
        environment=fleet.plan.environment,
        ended_s=round(fleet.epoch_s + at_s - age_s),
        speed=min(view.situation.bus_bandwidth_factor for view in views),
    )

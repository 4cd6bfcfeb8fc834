"""What our own program writes as text files on a simulated compute node."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.sandbox.telemetry.dcgm import pci_bus_id
from bedplate.sandbox.telemetry.efa import efa_samples
from bedplate.sandbox.telemetry.kernel_events import kernel_events
from bedplate.sandbox.telemetry.node import View
from bedplate.sandbox.telemetry.node_exporter import collectors_of, file_age_s
from bedplate.sandbox.telemetry.timeline import Stretch
from bedplate.telemetry.exposition import Sample, sample

FILE_SYSTEM = {"file_system": "fmkbqbev", "path": "/fsx"}
_READ_BYTES_PER_S = 60e6
_OPERATIONS = {"open": 4.0, "close": 4.0, "getattr": 20.0, "create": 0.2, "unlink": 0.1, "rename": 0.1}


def node_program_samples(view: View) -> Iterator[Sample]:
    """All its text files."""
    if view.truth.role == "compute":
        yield from _node(view)
        yield from efa_samples(view)
        yield from _xids(view)
        yield from _lustre(view)
        yield from _job(view)
    yield sample("bedplate_bootstrap_done", int(not view.situation.bootstrap_undone))
    for name in collectors_of(view):
        yield sample("bedplate_collector_success", int(_is_well(view, name)), collector=name)
        yield sample("bedplate_collector_seconds", 0.08, collector=name)
        ended = round(view.now_s - file_age_s(view, name) - _failed_for_s(view, name), 3)
        yield sample("bedplate_collector_timestamp_seconds", ended, collector=name)


def _is_well(view: View, collector: str) -> bool:
    return view.situation.failing_collector != collector


def _failed_for_s(view: View, collector: str) -> float:
    began = view.node.timeline.since(lambda each: each.situation.failing_collector == collector, view.at_s)
    return 0.0 if began is None else view.at_s - began


def _node(view: View) -> Iterator[Sample]:
    hardware = view.truth.hardware
    yield sample("bedplate_node_info", 1, ultraserver="", network_node=view.node.network_node)
    yield sample("bedplate_expected_gpus", hardware.gpus)
    yield sample("bedplate_expected_efas", hardware.efa_count)
    yield sample("bedplate_gate_open", int(not view.situation.gate_closed))
    if view.situation.capacity_ends_in_s:
        end = round(view.now_s + view.situation.capacity_ends_in_s)
        yield sample("bedplate_capacity_end_timestamp_seconds", end)


def _xids(view: View) -> Iterator[Sample]:
    counts: dict[tuple[str, int, str], int] = {}
    for each in kernel_events(view):
        key = (str(each.code), each.gpu, each.policy)
        counts[key] = counts.get(key, 0) + 1
    for (code, gpu, policy), count in counts.items():
        yield sample("bedplate_xid_total", count, xid=code, pci_bus_id=pci_bus_id(gpu), policy=policy)


def _lustre(view: View) -> Iterator[Sample]:
    yield sample("bedplate_lustre_mounted", int(not view.stretch.effects.mounts_gone), **FILE_SYSTEM)
    if view.stretch.effects.mounts_gone:
        return
    read = view.total(lambda each: _READ_BYTES_PER_S * _lustre_share(view, each))
    yield sample("bedplate_lustre_read_bytes_total", int(read), **FILE_SYSTEM)
    yield sample("bedplate_lustre_written_bytes_total", int(read / 3), **FILE_SYSTEM)
    for operation, rate in _OPERATIONS.items():
        count = int(rate / _READ_BYTES_PER_S * read)
        yield sample("bedplate_lustre_operations_total", count, **FILE_SYSTEM, operation=operation)


def _lustre_share(view: View, stretch: Stretch) -> float:
    effects = stretch.effects
    if not view.works(stretch) or effects.mounts_gone or effects.file_system_silent:
        return 0.0
    return effects.file_system_speed * stretch.situation.lustre_factor


def _job(view: View) -> Iterator[Sample]:
    job = view.job
    if job is not None:
        gpus = ",".join(str(gpu) for gpu in range(view.truth.hardware.gpus))
        labels = {"hpc_job": job.job_id, "job_name": job.name, "account": job.account}
        yield sample("bedplate_job_node", 1, **labels, partition=job.partition, gpus=gpus)

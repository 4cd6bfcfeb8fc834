"""What node_exporter tells of a simulated node, without the text files that it serves."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.sandbox.telemetry.node import View
from bedplate.sandbox.telemetry.situation import Situation
from bedplate.telemetry.exposition import Sample, sample
from bedplate.telemetry.metrics.node import SYSTEMD_UNITS

GIB = 2**30
SCRATCH = "/scratch"
_ROOT_BYTES = 500 * GIB
_DISK_BYTES = 3_500 * GIB
_HUGE_PAGES = 5_128
_LUSTRE = "10.0.9.9@tcp:/fmkbqbev"
_UNIT_STATES = ("active", "activating", "deactivating", "failed", "inactive")
_NIC = "ens32"
_HAD_HUNG_S = 1_200.0
_BOOTED_BEFORE_S = 6 * 3_600.0


def node_exporter_samples(view: View) -> Iterator[Sample]:
    """Its own collectors, as far as the table of metrics takes them."""
    yield from _memory(view)
    yield from _file_systems(view)
    yield from _disks(view)
    yield from _network(view)
    yield from _clock(view)
    yield from _units(view)


def collectors_of(view: View) -> tuple[str, ...]:
    """The collectors of our own program whose text files the node has."""
    if view.truth.role == "login":
        return ("boot", "slurm")
    files = ["boot", "efa", "expected", "jobs", "lustre", "xids"]
    return tuple(files)


def file_age_s(view: View, collector: str) -> float:
    """How long ago a collector last wrote its file: some seconds; one that hangs has for long."""
    stale = view.node.timeline.since(lambda each: each.situation.stale_collector == collector, view.at_s)
    return 5.0 if stale is None else _HAD_HUNG_S + view.at_s - stale


def _memory(view: View) -> Iterator[Sample]:
    total = view.truth.hardware.memory_gib * GIB
    pages = 0 if view.stretch.effects.no_huge_pages else 64 if view.situation.few_huge_pages else _HUGE_PAGES
    yield sample("node_load1", round(24.0 if view.job else 0.4, 2))
    yield sample("node_memory_MemTotal_bytes", total)
    yield sample("node_memory_MemAvailable_bytes", round(total * (0.62 if view.job else 0.97)))
    yield sample("node_memory_HugePages_Total", pages)
    yield sample("node_memory_HugePages_Free", pages // 2 if view.job else pages)


def _file_systems(view: View) -> Iterator[Sample]:
    effects = view.stretch.effects
    found = [("/dev/nvme0n1p1", "ext4", "/", _ROOT_BYTES)]
    disks = view.truth.hardware.nvme_count
    if disks and not effects.scratch_gone and not effects.lost_disks:
        found.append(("/dev/md0", "xfs", SCRATCH, disks * _DISK_BYTES))
    if view.truth.role == "compute" and not effects.mounts_gone:
        found.append((_LUSTRE, "lustre", "/fsx", 100 * _DISK_BYTES))
    for device, kind, place, size in found:
        labels = {"device": device, "fstype": kind, "mountpoint": place}
        kept = _kept(view.situation, place)
        left = float(max(effects.disk_full_after_bytes, 0)) if _is_full(view, place) else size * kept
        yield sample("node_filesystem_size_bytes", size, **labels)
        yield sample("node_filesystem_avail_bytes", round(left), **labels)
        yield sample("node_filesystem_files_free", 30_000_000, **labels)
        yield sample("node_filesystem_readonly", int(place == "/" and view.situation.read_only), **labels)


def _kept(situation: Situation, place: str) -> float:
    """The share of a file system that is free."""
    return {"/": 0.6 * situation.disk_kept_share, "/fsx": 0.8 * situation.lustre_kept_share}.get(place, 0.8)


def _is_full(view: View, place: str) -> bool:
    return place == "/" and view.stretch.effects.disk_full_after_bytes >= 0


def _disks(view: View) -> Iterator[Sample]:
    effects, count = view.stretch.effects, view.truth.hardware.nvme_count
    found = [index for index in range(count) if index not in effects.lost_disks]
    for name in ("nvme0n1", *(f"nvme{index + 1}n1" for index in found)):
        read = view.total(lambda each: 40e6 * view.works(each) * each.effects.nvme_speed)
        yield sample("node_disk_read_bytes_total", int(read), device=name)
        yield sample("node_disk_written_bytes_total", int(read / 2), device=name)
        yield sample("node_disk_io_time_seconds_total", round(read / 4e9, 3), device=name)
    if count and not effects.scratch_gone:
        lost = len(effects.lost_disks)
        for state, number in (("active", count - lost), ("failed", lost), ("removed", 0), ("spare", 0)):
            yield sample("node_md_disks", number, device="md0", state=state)


def _network(view: View) -> Iterator[Sample]:
    received = view.total(lambda each: 2e6 + 1e9 * (view.works(each) and each.effects.socket))
    yield sample("node_network_receive_bytes_total", int(received), device=_NIC)
    yield sample("node_network_transmit_bytes_total", int(received), device=_NIC)


def _clock(view: View) -> Iterator[Sample]:
    offset_s = view.stretch.effects.clock_offset_ms / 1e3
    yield sample("node_timex_offset_seconds", round(offset_s + 2e-5 * view.jitter("clock"), 9))
    yield sample("node_timex_sync_status", int(not view.situation.clock_unsynchronised))
    yield sample("node_boot_time_seconds", round(view.epoch_s - _BOOTED_BEFORE_S))


def _units(view: View) -> Iterator[Sample]:
    for unit in _units_of(view):
        shown = _unit_state(view, unit)
        for state in _UNIT_STATES:
            labels = {"name": f"{unit}.service", "state": state, "type": "simple"}
            yield sample("node_systemd_unit_state", int(state == shown), **labels)
    for name in collectors_of(view):
        written = round(view.now_s - file_age_s(view, name))
        yield sample("node_textfile_mtime_seconds", written, file=f"{name}.prom")
    yield sample("node_textfile_scrape_error", int(view.situation.unreadable_text_file))


def _units_of(view: View) -> tuple[str, ...]:
    if view.truth.role == "login":
        return ("munge",)
    hardware = view.truth.hardware
    absent = {"nvidia-imex": not hardware.imex, "nvidia-fabricmanager": not hardware.nvswitch}
    return tuple(unit for unit in SYSTEMD_UNITS if not absent.get(unit, False))


def _unit_state(view: View, unit: str) -> str:
    effects = view.stretch.effects
    if unit == view.situation.failed_unit:
        return "failed"
    failed = {"nvidia-fabricmanager": effects.fabric_manager_down, "nvidia-imex": effects.imex_down}
    if failed.get(unit, False):
        return "failed"
    return "inactive" if unit == "nvidia-persistenced" and effects.persistence_off else "active"

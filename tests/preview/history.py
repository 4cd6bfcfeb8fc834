"""Hours of simulated fleets as blocks of a real Prometheus: what an hour of scraping would have left.

SIMULATED: the sandbox's exporters, two pools, with faults that begin on the way.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bedplate.sandbox.fleet.fault import make_fault
from bedplate.sandbox.telemetry.fleet import FleetPlan, TelemetryFleet
from bedplate.sandbox.telemetry.targets import Target, TargetDown, answer, targets
from bedplate.telemetry.alert_rules import rule_file
from tests.support.prometheus import Prometheus

ENVIRONMENT = "demo"
STEP_SECONDS = 120
"""Half of what a rate over five minutes needs at least."""


def simulated_fleets(*, epoch: float, hours: float) -> list[TelemetryFleet]:
    """A pool of H200 and one of B200; what befalls them begins in the last third."""
    hopper = TelemetryFleet(FleetPlan(pool="h200", nodes=8), epoch_s=epoch)
    blackwell = TelemetryFleet(
        FleetPlan(pool="b200", nodes=2, instance_type="p6-b200.48xlarge"), epoch_s=epoch
    )
    begin = hours * 3600 * 2 / 3
    for offset, (cause, node) in enumerate(_FAULTS):
        fault = make_fault({"cause": cause, "node_index": node})
        hopper.inject(fault, at_s=begin + offset * STEP_SECONDS)
    for symptom, node in _SYMPTOMS:
        hopper.befall(symptom, node=node, at_s=begin)
    for node in (2, 4):  # of the last five minutes
        hopper.befall("xid-31-record", node=node, at_s=hours * 3600 - STEP_SECONDS)
    blackwell.inject(make_fault({"cause": "nvlink-down", "node_index": 0}), at_s=begin)
    return [hopper, blackwell]


_FAULTS = (
    ("xid-48", 1),
    ("gpu-lost", 2),
    ("row-remap-failure", 5),
    ("xid-63", 0),
    ("nvlink-errors", 5),
    ("nvlink-down", 3),
    ("pcie-degraded", 5),
    ("gpu-throttled", 4),
    ("efa-device-lost", 3),
    ("nvme-disk-lost", 0),
    ("file-system-not-mounted", 6),
)
_SYMPTOMS = (
    ("efa-retransmits", 3),
    ("efa-retransmit-timeouts", 3),
    ("gpu-straggler", 4),
    ("near-slowdown", 4),
    ("ecc-corrected-rate", 5),
    ("nvlink-crc", 5),
    ("pcie-replays", 5),
    ("drained-by-bedplate", 3),
    ("capacity-ending", 0),
    ("validation-failed", 2),
    ("unit-failed", 2),
    ("slow-steps", 4),
    ("pcie-slow", 5),
    ("fabric-limited", 1),
    ("disk-read-only", 2),
)


@contextmanager
def simulated_history(folder: Path, *, hours: float, end: float) -> Iterator[str]:
    """The URL of a Prometheus that has the fleets' hours, the last of them at ``end``."""
    fleets = simulated_fleets(epoch=round(end - hours * 3600), hours=hours)
    _write_blocks(folder, fleets, hours=hours)
    config = folder / "prometheus.yml"
    # Alerts and records of the present are made by the server itself, while the last samples are fresh.
    config.write_text("{global: {evaluation_interval: 2s}, rule_files: [rules.yml]}\n", encoding="utf-8")
    (folder / "rules.yml").write_text(rule_file(environment=ENVIRONMENT), encoding="utf-8")
    with Prometheus(folder, config=config) as server:
        _write_recorded(folder, url=server.url, start=end - hours * 3600, end=end)
    with Prometheus(folder, config=config) as server:
        yield server.url


def _write_blocks(folder: Path, fleets: Sequence[TelemetryFleet], *, hours: float) -> None:
    """Scrape each minute of the fleets' hours into ``folder/data``."""
    text = folder / "history.om"
    with text.open("w", encoding="utf-8") as opened:
        opened.writelines(_lines(fleets, hours))
        opened.write("# EOF\n")
    _run("promtool", "tsdb", "create-blocks-from", "openmetrics", str(text), str(folder / "data"))
    text.unlink()


def _write_recorded(folder: Path, *, url: str, start: float, end: float) -> None:
    """Evaluate the recording rules over what is there; a server that starts later reads these blocks too."""
    _run(
        "promtool",
        "tsdb",
        "create-blocks-from",
        "rules",
        f"--start={start:.0f}",
        f"--end={end:.0f}",
        f"--url={url}",
        f"--output-dir={folder / 'data'}",
        f"--eval-interval={STEP_SECONDS}s",
        str(folder / "rules.yml"),
    )


def _run(*argv: str) -> None:
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)
    if ended.returncode:
        raise RuntimeError(f"{' '.join(argv)}: {ended.stdout[-500:]} {ended.stderr[-1500:]}")


def _lines(fleets: Sequence[TelemetryFleet], hours: float) -> Iterator[str]:
    scraped = [(fleet, target, _of(target)) for fleet in fleets for target in _own(fleets, fleet)]
    for at in range(0, int(hours * 3600) + 1, STEP_SECONDS):
        for fleet, target, outside in scraped:
            when = fleet.epoch_s + at
            try:
                for each in answer(fleet, target.path, at_s=at):
                    inside = ",".join(f'{name}="{value}"' for name, value in each.labels)
                    labels = f"{outside},{inside}" if inside else outside
                    yield f"{each.name}{{{labels}}} {each.value!r} {when:.0f}\n"
                up = 1
            except TargetDown:
                up = 0
            yield f"up{{{outside}}} {up} {when:.0f}\n"


def _own(fleets: Sequence[TelemetryFleet], fleet: TelemetryFleet) -> Iterator[Target]:
    """One login node, one slurmctld and one validation for all: those of the first fleet."""
    for target in targets(fleet):
        if fleet is fleets[0] or target.path.strip("/").partition("/")[0].isdigit():
            yield target


def _of(target: Target) -> str:
    labels = [("job", target.job), *target.labels]
    return ",".join(f'{name}="{value}"' for name, value in labels)

"""Clock, capacity, validation, telemetry."""

from __future__ import annotations

from tests.telemetry.promtool.case import Case
from tests.telemetry.promtool.series import JOB, PLACE, Series, both, gpu, node

_ON = "train-1 (i-0a1)"
_END = "bedplate_capacity_end_timestamp_seconds"
_WHEN = "bedplate_validation_timestamp_seconds"
_BANDWIDTH = {"collective": "AllReduce", "nodes": "8"}
_OF_A_JOB = {"job_name": "train", "account": "a", "partition": "p", "gpus": "0,1", **JOB}
_POOL = {"pool": PLACE["pool"]}


def _idle(util: int, **labels: str) -> tuple[Series, ...]:
    return (gpu("DCGM_FI_DEV_GPU_UTIL", 98, util, **labels), gpu("DCGM_FI_DEV_GPU_TEMP", 60, 40, **labels))


CLOCK = (
    Case(
        alert="ClockOff",
        faulty=(node("node_timex_offset_seconds", 0.00001, -0.2),),
        after_minutes=10,
        summary=f"The clock of {_ON} is 0.2 s off.",
        blip=9,
        silent={"10 ms": (node("node_timex_offset_seconds", 0, 0.01),)},
    ),
    Case(
        alert="ClockNotFollowing",
        faulty=(node("node_timex_sync_status", 1, 0),),
        after_minutes=30,
        summary=f"The clock of {_ON} follows no source.",
        blip=29,
    ),
)
CAPACITY = (
    Case(
        alert="CapacityEndsInADay",
        # promtool's time begins at 0.
        faulty=(node(_END, 30 * 86400, 86400 + 1800),),
        after_minutes=1,
        summary="The Capacity Block of pool train ends in 23h 59m 0s.",
        labels=_POOL,
        silent={"it has ended": (node(_END, -1, -1),), "it is far away": (node(_END, 864000, 864000),)},
    ),
    Case(
        alert="CapacityEndsSoon",
        faulty=(node(_END, 30 * 86400, 7200 + 1800),),
        after_minutes=1,
        summary="The Capacity Block of pool train ends in 1h 59m 0s.",
        labels=_POOL,
        silent={"half a day is left": (node(_END, 43200 + 14400, 43200 + 14400),)},
    ),
    Case(
        alert="FleetIdle",
        faulty=(*_idle(0), *_idle(0, gpu="1")),
        after_minutes=120,
        summary="No GPU of pool train has worked for two hours, and all of them are paid for.",
        labels=_POOL,
        blip=119,
        silent={"one works": (*_idle(0), *_idle(3, gpu="1"))},
    ),
)
VALIDATION = (
    Case(
        alert="ValidationFailed",
        faulty=(
            node("bedplate_validation_passed", 1, 0),
            node("bedplate_validation_failed", "_", 1, check="GPU-001", cause="gpu-lost", subject="i-0a1"),
        ),
        after_minutes=0,
        summary="A validation of bedplate-demo found gpu-lost at i-0a1.",
        labels={"check": "GPU-001", "cause": "gpu-lost", "subject": "i-0a1"},
    ),
    Case(
        alert="ValidationOpen",
        faulty=(node("bedplate_validation_passed", 1, 0),),
        after_minutes=0,
        summary="The last validation of bedplate-demo has not passed, and blames nobody.",
        silent={
            "it blames somebody, which is another alert": (
                node("bedplate_validation_passed", 1, 0),
                node(
                    "bedplate_validation_failed", "_", 1, check="GPU-001", cause="gpu-lost", subject="i-0a1"
                ),
            )
        },
    ),
    Case(
        alert="ValidationStale",
        faulty=(node(_WHEN, 0, 1800 - 8 * 86400),),
        after_minutes=1,
        summary="bedplate-demo was last validated 8d 0h 1m 0s ago.",
    ),
    Case(
        alert="BusBandwidthFell",
        faulty=(node("bedplate_validation_bus_bandwidth_gbs", 480, 300, **_BANDWIDTH),),
        after_minutes=0,
        summary="AllReduce over 8 nodes of bedplate-demo reaches 300 GB/s, "
        "a tenth less than in the week before.",
        labels=_BANDWIDTH,
        silent={"a twentieth": (node("bedplate_validation_bus_bandwidth_gbs", 480, 456, **_BANDWIDTH),)},
    ),
)
TELEMETRY = (
    Case(
        alert="TelemetryLost",
        faulty=(node("bedplate_job_node", 1, "_", **_OF_A_JOB), node("up", 1, "_", job="node")),
        after_minutes=8,
        summary="All metrics of bedplate-demo ended while jobs ran.",
        silent={
            "one target is left": (
                node("bedplate_job_node", 1, "_", **_OF_A_JOB),
                node("up", 1, 0, job="node"),
            ),
            "no job ran, and the cluster was scaled to zero": (node("up", 1, "_", job="node"),),
        },
    ),
    Case(
        alert="CollectorFailed",
        faulty=(node("bedplate_collector_success", 1, 0, collector="efa"),),
        after_minutes=15,
        summary=f"{_ON}: the collector efa fails.",
        labels={"collector": "efa"},
        blip=14,
    ),
    Case(
        alert="CollectorStale",
        faulty=(node("bedplate_collector_timestamp_seconds", "0+60", "1740+0", collector="efa"),),
        after_minutes=20,
        summary=f"{_ON}: the collector efa last ended well 21m 0s ago.",
        labels={"collector": "efa"},
        silent={
            "it runs": (node("bedplate_collector_timestamp_seconds", "0+60", "1800+60", collector="efa"),)
        },
    ),
    Case(
        alert="TextFileUnreadable",
        faulty=(node("node_textfile_scrape_error", 0, 1),),
        after_minutes=15,
        summary=f"{_ON}: a text file of metrics cannot be read.",
        blip=14,
    ),
    Case(
        alert="ScrapeSlow",
        faulty=(node("scrape_duration_seconds", 0.4, 12, job="node"),),
        after_minutes=15,
        summary=f"{_ON}: a scrape of node takes 12 s.",
        labels={"job": "node"},
        blip=14,
        silent={"eight seconds": (node("scrape_duration_seconds", 0.4, 8, job="node"),)},
    ),
    Case(
        alert="SeriesNearQuota",
        faulty=(node("scrape_samples_scraped", 1000, 8_500_000, job="node"),),
        after_minutes=30,
        summary="bedplate-demo has 8.5M active series, near the workspace's quota.",
        blip=29,
        silent={"7 million": (node("scrape_samples_scraped", 1000, 7_000_000, job="node"),)},
    ),
    Case(
        alert="TargetGrows",
        faulty=(node("scrape_samples_scraped", 1000, 9000, job="dcgm"),),
        after_minutes=30,
        summary=f"{_ON}: dcgm has 9000 series.",
        labels={"job": "dcgm"},
        blip=29,
        silent={"4000": (both("scrape_samples_scraped", 4000, job="dcgm"),)},
    ),
)
CASES = (*CLOCK, *CAPACITY, *VALIDATION, *TELEMETRY)

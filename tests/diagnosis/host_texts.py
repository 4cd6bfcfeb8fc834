"""Texts of the tools that tell of a host, in the shapes that they print: healthy, with changes on demand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bedplate.diagnosis.host_tools import (
    GDRCOPY_COPYBW,
    GDRCOPY_SANITY,
    LOOPBACK_BYTES,
    LOOPBACK_ITERATIONS,
    loopback_argv,
    loopback_client_argv,
)
from bedplate.diagnosis.tools import FI_INFO
from tests.diagnosis import texts

NOW_EPOCH = 1_786_617_056.0
NOW = "2026-08-13T10:30:56+00:00"
"""The same moment as an answer carries it."""
MEMINFO = "MemTotal:       2113929216 kB\nHugePages_Total:    5128\nHugepagesize:       2048 kB\n"
GDRDRV = "2.5"
_WAIVED = ("invalidation_access_after_free_cumemalloc", "invalidation_access_after_free_vmmalloc")


def clock(
    *,
    offset: float = 0.000000704,
    delay: float = 0.000308092,
    dispersion: float = 0.000232773,
    leap: str = "Normal",
    reference_id: str = "A9FEA97B",
    stratum: int = 4,
    measured: float = NOW_EPOCH - 9.0,
) -> str:
    """``chronyc -c tracking``."""
    return (
        f"{reference_id},169.254.169.123,{stratum},{measured:.9f},{offset:.9f},0.000000704,0.000001603,8.643,"
        f"0.001,0.034,{delay:.9f},{dispersion:.9f},16.0,{leap}\n"
    )


def pingpong(*, mb_per_s: float = 20000.0, size: str = "16m", sent: int = 100, ack: str = "=100") -> str:
    """``fi_pingpong`` with one size."""
    return (
        "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
        f"{size:<8}{sent:<8}{ack:<9}3.1g        0.16s{mb_per_s:10.2f}     838.86       0.00\n"
    )


def sanity(*, failed: Sequence[str] = (), total: int = 28, waived: Sequence[str] = _WAIVED) -> str:
    """``gdrcopy_sanity`` of GDRCopy 2.3 and later."""
    passed = total - len(failed) - len(waived)
    lines = [f"Total: {total}, Passed: {passed}, Failed: {len(failed)}, Waived: {len(waived)}"]
    for title, names in (("failed", failed), ("waived", waived)):
        if names:
            lines += ["", f"List of {title} tests:", *(f"    {name}" for name in names)]
    if failed:
        lines.append("Error: Encountered an error or a test failure with status=1")
    return "\n".join(lines) + "\n"


def copybw() -> str:
    """``gdrcopy_copybw``."""
    return (
        "selecting device 0\ntesting size: 16777216\nwriting test, size=16777216 offset=0 num_iters=10000\n"
        "write BW: 9638.54MB/s\nreading test, size=16777216 offset=0 num_iters=100\nread BW: 530.135MB/s\n"
        "closing gdrdrv\n"
    )


def loop(device: str, index: int = 0, **changes: Any) -> dict[str, Any]:
    """One device of the ``efa_loopback`` stage; ``client`` and ``server`` set whole runs, ``rise`` what the
    counters rose by.
    """
    domain = f"{device}-rdm"
    sent = 2 * LOOPBACK_BYTES * LOOPBACK_ITERATIONS
    mb_per_s = changes.pop("mb_per_s", 20000.0)
    rise = {
        "tx_bytes": sent,
        "rx_bytes": sent,
        "retrans_timeout_events": 0,
        "unresponsive_remote_events": 0,
        "impaired_remote_conn_events": 0,
        "retrans_pkts": 0,
        **changes.pop("rise", {}),
    }
    before = dict.fromkeys(rise, 1_000_000)
    printed = pingpong(mb_per_s=mb_per_s)
    return {
        "device": device,
        "domain": domain,
        "fabric": "efa",
        "server": texts.tool(loopback_argv(fabric="efa", domain=domain, index=index), printed),
        "client": texts.tool(loopback_client_argv(fabric="efa", domain=domain, index=index), printed),
        "before": before,
        "after": {name: before[name] + value for name, value in rise.items()},
        **changes,
    }


def loopback_stage(names: Sequence[str]) -> dict[str, Any]:
    """The whole stage over these devices."""
    return {
        "listed": texts.tool(FI_INFO, texts.fabric_list(names)),
        "loops": [loop(name, index) for index, name in enumerate(names)],
    }


def gdrcopy_runs() -> dict[tuple[str, ...], Any]:
    """The tools of the ``gdrcopy`` stage."""
    return {GDRCOPY_SANITY: sanity(), GDRCOPY_COPYBW: copybw()}


def host_probe() -> dict[tuple[str, ...], Any]:
    """The probe's tools that tell of the host."""
    from bedplate.diagnosis.host_tools import CLOCK, HUGE_PAGES, IBV_DEVICES

    devices = "".join(f"    {name:<16}\t{'0' * 16}\n" for name in texts.efa_names())
    return {
        CLOCK: clock(),
        HUGE_PAGES: "5128\n",
        IBV_DEVICES: "    device          \t   node GUID\n    ------          \t----------------\n" + devices,
    }

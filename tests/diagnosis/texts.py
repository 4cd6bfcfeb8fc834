"""Texts in the shapes that tools print, made for these tests: healthy by default, with one thing wrong on
demand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

GIB = 1024**3
EFFORT = "warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0"
SIZES = tuple(8 * 2**step for step in range(32))


def factor(collective: str, ranks: int) -> float:
    """Bus bandwidth over algorithm bandwidth, computed apart from the product."""
    return (2 if collective == "all_reduce" else 1) * (ranks - 1) / ranks


def row(
    size: int,
    busbw: float,
    *,
    ranks: int,
    collective: str = "all_reduce",
    wrong: str = "0",
    in_place_busbw: float | None = None,
) -> str:
    """One row of nccl-tests 2.13 and later."""
    halves = ""
    for value in (busbw, busbw if in_place_busbw is None else in_place_busbw):
        algbw = value / factor(collective, ranks)
        time_us = size / algbw / 1e3
        halves += f"  {time_us:7.1f}  {algbw:6.2f}  {value:6.2f}  {wrong:>5}"
    redop, root = ("sum", -1) if collective in {"all_reduce", "reduce_scatter"} else ("none", -1)
    return f"{size:12d}  {size // 4:12d}  {'float':>8}  {redop:>6}  {root:6d}{halves}"


BETWEEN_RAMP_BYTES = 1.2e8
IN_NODE_RAMP_BYTES = 2.7e7


def busbw_at(size: int, peak: float, ramp: float = BETWEEN_RAMP_BYTES) -> float:
    """A plausible curve that reaches ``peak`` at 16 GiB, and half of its end at ``ramp`` bytes."""
    return peak * (16 * GIB / (16 * GIB + ramp)) ** -1 * size / (size + ramp)


def table(
    *,
    peak: float,
    ranks: int,
    sizes: Sequence[int] = SIZES,
    collective: str = "all_reduce",
    wrong: Mapping[int, str] | None = None,
    peaks: Mapping[int, tuple[float, float]] | None = None,
    footer: bool = True,
    ramp: float = BETWEEN_RAMP_BYTES,
) -> list[str]:
    """A whole table from header to closing line; ``peaks`` sets (out-of-place, in-place) at single sizes."""
    titles = "time   algbw   busbw #wrong     "
    lines = [
        "#",
        "#" + " " * 62 + "out-of-place                       in-place",
        f"#       size         count      type   redop    root     {titles}{titles}".rstrip(),
        "#        (B)    (elements)" + " " * 20 + 2 * "           (us)  (GB/s)  (GB/s)",
    ]
    total = 0.0
    for size in sizes:
        out, inside = (peaks or {}).get(size, (busbw_at(size, peak, ramp),) * 2)
        total += round(out, 2) + round(inside, 2)
        lines.append(
            row(
                size,
                out,
                ranks=ranks,
                collective=collective,
                wrong=(wrong or {}).get(size, "0"),
                in_place_busbw=inside,
            )
        )
    failed = sum(2 for word in (wrong or {}).values() if word not in {"0", "N/A"})
    if footer:
        lines += [
            f"# Out of bounds values : {failed} {'FAILED' if failed else 'OK'}",
            f"# Avg bus bandwidth    : {total / (2 * len(sizes)):g} ",
            "#",
            f"# Collective test concluded: {collective}_perf",
        ]
    return lines


def preamble(
    *, hosts: Sequence[str], ranks_per_host: int, gpus_per_thread: int, collective: str = "all_reduce"
) -> list[str]:
    """From the opening line to the list of ranks."""
    lines = [
        f"# Collective test starting: {collective}_perf",
        f"# nThread 1 nGpus {gpus_per_thread} minBytes 8 maxBytes 17179869184 step: 2(factor) {EFFORT}",
        "#",
        "# Using devices",
    ]
    for index, host in enumerate(hosts):
        for local in range(ranks_per_host):
            lines.append(
                f"#  Rank {index * ranks_per_host + local:2d} Group  0 Pid  {4100 + local} on {host} "
                f"device {local:2d} [0000:{0x53 + local:02x}:00] NVIDIA H200"
            )
    return lines


def in_node_log(*, peak: float = 478.0, gpus: int = 8, info: bool = True, **changes: Any) -> str:
    """A run of one process over all GPUs of a node; with ``info`` NCCL says what it is made of."""
    head = preamble(hosts=["ip-10-1-0-11"], ranks_per_host=gpus, gpus_per_thread=gpus)
    told = in_node_nccl_lines(gpus=gpus) if info else []
    return "\n".join([*head, *told, *table(peak=peak, ranks=gpus, ramp=IN_NODE_RAMP_BYTES, **changes)]) + "\n"


def in_node_nccl_lines(*, gpus: int = 8) -> list[str]:
    """What one process says of its GPUs with NCCL_DEBUG=INFO: channels that stay inside, and every rank."""
    lines = []
    for rank in range(gpus):
        start = f"ip-10-1-0-11:4100:{4200 + rank} [{rank}] NCCL INFO "
        peer = (rank + 1) % gpus
        lines += [start + f"Channel 00/0 : {rank}[{rank}] -> {peer}[{peer}] via P2P/direct pointer"]
        lines += [
            start + f"ncclCommInitAll comm 0x55d0c0{rank:06x} rank {rank} nranks {gpus} cudaDev {rank} "
            f"nvmlDev {rank} busId 53000 commId 0x5be7b1a7e0001dea - Init COMPLETE"
        ]
    return lines


def nccl_lines(
    *,
    hosts: Sequence[str],
    ranks_per_host: int = 8,
    nics: Mapping[str, int] | None = None,
    provider: Mapping[str, str] | None = None,
    socket: Iterable[str] = (),
    gdrdma: bool = True,
    ranks_told: int | None = None,
) -> list[str]:
    """What every rank says with NCCL_DEBUG=INFO."""
    lines = []
    ranks = len(hosts) * ranks_per_host
    fallen = set(socket)
    for rank in range(ranks):
        host = hosts[rank // ranks_per_host]
        local = rank % ranks_per_host
        start = f"{host}:{4100 + local}:{4200 + local} [{local}] NCCL INFO "
        if host in fallen:
            lines += [start + "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin."]
            lines += [start + "Using network Socket"]
        else:
            name = (provider or {}).get(host, "efa")
            found = (nics or {}).get(host, 16)
            lines += [start + "NET/OFI Initializing aws-ofi-nccl 1.16.3"]
            lines += [
                start + f"NET/OFI Selected provider is {name}, fabric is efa-direct (found {found} nics)"
            ]
            lines += [start + "Using network Libfabric"]
        target = (rank + ranks_per_host) % ranks
        way = "NET/Socket/0" if host in fallen else f"NET/Libfabric/{local}" + ("/GDRDMA" if gdrdma else "")
        lines += [start + f"Channel 00/0 : {rank}[{local}] -> {target}[{local}] [send] via {way}"]
        lines += [
            start + f"Channel 01/0 : {rank}[{local}] -> {(rank + 1) % ranks}[{(local + 1) % 8}] via P2P/CUMEM"
        ]
        told = ranks if ranks_told is None else ranks_told
        lines += [
            start
            + f"ncclCommInitRankConfig comm 0x55d0c0{rank:06x} rank {rank} nranks {told} cudaDev {local} "
            f"nvmlDev {local} busId 53000 commId 0x5be7b1a7e0001dea - Init COMPLETE"
        ]
    return lines


def between_log(
    *,
    hosts: Sequence[str] = ("ip-10-1-0-11", "ip-10-1-0-12"),
    peak: float = 470.0,
    label: bool = True,
    collective: str = "all_reduce",
    info: Mapping[str, Any] | None = None,
    table_ranks: int | None = None,
    **changes: Any,
) -> str:
    """A run over nodes with one rank a GPU, each line with srun's label."""
    ranks = len(hosts) * 8
    lines = [
        *preamble(hosts=hosts, ranks_per_host=8, gpus_per_thread=1, collective=collective),
        *nccl_lines(hosts=hosts, **(info or {})),
        *table(peak=peak, ranks=table_ranks or ranks, collective=collective, **changes),
    ]
    return "\n".join(f"0: {line}" if label else line for line in lines) + "\n"


GPU_TITLES = (
    "index, uuid, pci.bus_id, name, driver_version, vbios_version, memory.total [MiB], ecc.mode.current, "
    "ecc.errors.uncorrected.volatile.total, remapped_rows.correctable, remapped_rows.uncorrectable, "
    "remapped_rows.pending, remapped_rows.failure"
)


def gpu_table(*, gpus: int = 8, changes: Mapping[int, Mapping[str, str]] | None = None) -> str:
    """The CSV of nvidia-smi; ``changes`` sets single words by GPU and field."""
    lines = [GPU_TITLES]
    for index in range(gpus):
        words = {
            "index": str(index),
            "uuid": f"GPU-00000000-0000-0000-0000-{index:012d}",
            "pci.bus_id": f"00000000:{0x53 + index:02X}:00.0",
            "name": "NVIDIA H200",
            "driver_version": "570.172.08",
            "vbios_version": "96.00.A5.00.01",
            "memory.total": "143771 MiB",
            "ecc.mode.current": "Enabled",
            "ecc.errors.uncorrected.volatile.total": "0",
            "remapped_rows.correctable": "0",
            "remapped_rows.uncorrectable": "0",
            "remapped_rows.pending": "No",
            "remapped_rows.failure": "No",
        }
        words.update((changes or {}).get(index, {}))
        lines.append(", ".join(words.values()))
    return "\n".join(lines) + "\n"


def link_table(*, gpus: int = 8, links: Mapping[int, str] | None = None) -> str:
    """``dcgmi nvlink -s``."""
    lines = ["+----------------------+", "|  NvLink Link Status  |", "+----------------------+", "GPUs:"]
    for index in range(gpus):
        lines += [f"    gpuId {index}:", "        " + " ".join((links or {}).get(index, "U" * 18))]
    return (
        "\n".join([*lines, "NvSwitches:", "    No NvSwitches found.", "", "Key: Up=U, Down=D, Disabled=X"])
        + "\n"
    )


def efa_names(count: int = 16) -> list[str]:
    """Names as the kernel gives them."""
    return [f"rdmap{85 + index}s0" for index in range(count)]


def fabric_list(names: Iterable[str]) -> str:
    """``fi_info -p efa -t FI_EP_RDM`` of libfabric 2.1: every device under two fabrics."""
    blocks = [
        f"provider: efa\n    fabric: {fabric}\n    domain: {name}-rdm\n    type: FI_EP_RDM"
        for fabric in ("efa", "efa-direct")
        for name in names
    ]
    return "\n".join(blocks) + "\n"


def sysfs_list(names: Iterable[str]) -> list[dict[str, Any]]:
    """The probe's listing of /sys/class/infiniband, with two devices that are no EFA."""
    found = [
        {
            "name": name,
            "vendor": "0x1d0f",
            "device": "0xefa3",
            "driver": "efa",
            "hw_counters": {"tx_bytes": 12},
        }
        for name in names
    ]
    other = {"vendor": "0x15b3", "device": "0x1021", "driver": "mlx5_core", "hw_counters": {}}
    return [*found, {"name": "ibp0", **other}, {"name": "ibp1", **other}]


BOOT = (
    "2026-11-29T10:00:00+0000 ip-10-1-0-11 kernel: Linux version 6.8.0-1021-aws (buildd@builder) #23",
    "2026-11-29T10:00:04+0000 ip-10-1-0-11 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module",
)


CURSOR = "-- cursor: s=0f3c;i=2a;b=9d1e;m=61;t=64d;x=77"
"""What ``journalctl --show-cursor`` prints after all entries."""


def kernel_log(*messages: str, boot: bool = True) -> str:
    """``journalctl -k -o short-iso --show-cursor`` with these messages of the kernel."""
    said = [
        f"2026-11-29T10:07:{index:02d}+0000 ip-10-1-0-11 kernel: {text}"
        for index, text in enumerate(messages)
    ]
    return "\n".join([*(BOOT if boot else ()), *said, CURSOR]) + "\n"


DIAG_TESTS_V4 = {
    1: [("Deployment", "software")],
    2: [("Hardware", "memory"), ("Integration", "pcie")],
    3: [
        ("Hardware", "diagnostic"),
        ("Stress", "memory_bandwidth"),
        ("Stress", "targeted_power"),
        ("Stress", "targeted_stress"),
    ],
    4: [("Hardware", "memtest"), ("Hardware", "pulse_test")],
}


def diag_v4(
    *,
    level: int = 2,
    gpus: int = 8,
    changes: Mapping[tuple[str, int], tuple[str, Sequence[Mapping[str, Any]]]] | None = None,
    banner: str = "",
) -> str:
    """``dcgmi diag -j`` of DCGM 4; ``changes`` sets (status, warnings) by (test, GPU)."""
    tests = [each for step in range(1, level + 1) for each in DIAG_TESTS_V4[step]]
    categories = []
    for category, name in tests:
        results = []
        for gpu in range(gpus):
            status, warnings = (changes or {}).get((name, gpu), ("Pass", ()))
            result: dict[str, Any] = {
                "entity_group": "GPU",
                "entity_group_id": 1,
                "entity_id": gpu,
                "status": status,
            }
            if warnings:
                result["warnings"] = [dict(warning) for warning in warnings]
            results.append(result)
        failed = any(result["status"] == "Fail" for result in results)
        test = {"name": name, "results": results, "test_summary": {"status": "Fail" if failed else "Pass"}}
        categories.append({"category": category, "tests": [test]})
    document = {
        "DCGM Diagnostic": {"test_categories": categories},
        "entity_groups": [],
        "metadata": {"Driver Version Detected": "570.172.08", "version": "4.3.1"},
    }
    return banner + json.dumps(document, indent=2) + "\n"


DEPLOYMENT_V3 = (
    "Denylist",
    "NVML Library",
    "CUDA Main Library",
    "Permissions and OS Blocks",
    "Persistence Mode",
    "Environment Variables",
    "Page Retirement/Row Remap",
    "Graphics Processes",
    "Inforom",
)


def diag_v3(
    *, level: int = 2, gpus: int = 8, statuses: Mapping[str, str] | None = None, nulls: bool = False
) -> str:
    """``dcgmi diag -j`` of DCGM 3.3; ``statuses`` by test."""
    told = statuses or {}
    deployment: list[Any] = [
        {"name": name, "results": [{"status": told.get(name, "Pass")}]} for name in DEPLOYMENT_V3
    ]
    categories: list[Any] = [{"category": "Deployment", "tests": [*deployment, *([None] if nulls else [])]}]
    if level > 1:
        for category, name in (("Integration", "PCIe"), ("Hardware", "GPU Memory")):
            results = [{"gpu_id": str(gpu), "status": told.get(name, "Pass")} for gpu in range(gpus)]
            categories.append({"category": category, "tests": [{"name": name, "results": results}]})
    root = {"version": "3.3.9", "Driver Version Detected": "535.230.02", "test_categories": categories}
    return json.dumps({"DCGM GPU Diagnostic": root}, indent=1) + "\n"


def tool(
    argv: Sequence[str], stdout: str, *, rc: int | None = 0, timed_out: bool = False, stderr: str = ""
) -> dict[str, Any]:
    """One run of a tool as an answer carries it."""
    return {
        "tool": argv[0],
        "argv": list(argv),
        "rc": rc,
        "timed_out": timed_out,
        "seconds": 1.0,
        "stdout": stdout,
        "stderr": stderr,
    }


def diag_table(*, memory: str = "Pass - All", more: Sequence[tuple[str, str]] = ()) -> str:
    """``dcgmi diag -r 2`` of DCGM 3 without ``-j``; ``more`` are further rows below the memory test."""
    rows = [
        ("-----  Metadata  ----------", None),
        ("DCGM Version", "3.3.9"),
        ("-----  Deployment  --------", None),
    ]
    rows += [(name, "Pass") for name in DEPLOYMENT_V3]
    rows += [("-----  Integration  -------", None), ("PCIe", "Pass - All")]
    rows += [("-----  Hardware  ----------", None), ("GPU Memory", memory), *more]
    line = "+---------------------------+------------------------------------------------+"
    shown = [
        f"+{name}+{'-' * 48}+" if value is None else f"| {name:<25} | {value:<46} |" for name, value in rows
    ]
    title = f"| {'Diagnostic':<25} | {'Result':<46} |"
    head = ["Successfully ran diagnostic for group.", line, title, line.replace("-", "=")]
    return "\n".join([*head, *shown, line, ""])

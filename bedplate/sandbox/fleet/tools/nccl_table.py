"""The text that nccl-tests 2.17.6 prints (NVIDIA/nccl-tests: src/util.cu at that tag)."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.hardware import busbw_factor
from bedplate.sandbox.fleet import versions
from bedplate.sandbox.fleet.devices import gpu_bus, gpu_identity_of
from bedplate.sandbox.fleet.tools.job import Job
from bedplate.sandbox.fleet.tools.nccl_arguments import Arguments

_FLOAT_BYTES = 4
# Collectives that reduce print their operator; of the others, alltoall cannot be checked in place.
_REDUCING = ("all_reduce", "reduce_scatter")
_DIVIDED = ("all_gather", "reduce_scatter", "alltoall")
_ALIGNMENT_BYTES = 16


def preamble(job: Job, arguments: Arguments, pids: tuple[int, ...]) -> Iterator[str]:
    """From the version line to the blank comment before the header."""
    yield (
        f"# nccl-tests version {versions.NCCL_TESTS} nccl-headers={versions.NCCL_CODE} "
        f"nccl-library={versions.NCCL_CODE}"
    )
    yield f"# Collective test starting: {job.collective}_perf"
    yield (
        f"# nThread 1 nGpus {arguments.gpus} minBytes {arguments.begin} maxBytes {arguments.end} "
        f"step: {arguments.factor}(factor) warmup iters: {arguments.warmup} iters: {arguments.iterations} "
        f"agg iters: 1 validation: {int(arguments.check)} graph: 0"
    )
    yield "#"
    yield "# Using devices"
    for rank in range(job.ranks):
        node = job.nodes[rank // job.ranks_per_node]
        local = rank % job.ranks_per_node
        name = gpu_identity_of(node, node.gpus[local])[0]
        yield (
            f"#  Rank {rank:2d} Group {0:2d} Pid {pids[rank]:6d} on {node.hostname:>10} "
            f"device {local:2d} [0000:{gpu_bus(node.gpus[local]):02x}:00] {name}"
        )


def header() -> Iterator[str]:
    """The three lines above the rows."""
    blank = ("", "", "", "", "")
    numbers = ("time", "algbw", "busbw", "#wrong")
    units = ("(us)", "(GB/s)", "(GB/s)", "")
    stem = "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}"
    half = "  {:>7}  {:>6}  {:>6}  {:>6}"
    yield "#"
    yield stem.format(*blank) + "           out-of-place                       in-place          "
    titles = stem.format("size", "count", "type", "redop", "root")
    yield titles + half.format(*numbers) + half.format(*numbers) + " " * 21
    below = stem.format("(B)", "(elements)", "", "", "")
    yield below + half.format(*units) + half.format(*units) + " " * 21


def rows(job: Job, arguments: Arguments, anchor_gb_per_s: float) -> Iterator[tuple[str, tuple[float, float]]]:
    """(row, bus bandwidths out of place and in place) of each size."""
    operator = "sum" if job.collective in _REDUCING else "none"
    for asked in arguments.sizes:
        size, count = _size_and_count(job, asked)
        text = f"{size:12d}  {count:12d}  {'float':>8}  {operator:>6}  {-1:6d}"
        rates = []
        for in_place in (False, True):
            seconds = job.seconds(size_bytes=size, in_place=in_place, anchor_gb_per_s=anchor_gb_per_s)
            algbw = size / seconds / 1e9
            busbw = algbw * busbw_factor(job.collective, job.ranks)
            rates.append(busbw)
            wrong = "   N/A" if not _checked(job, arguments, in_place) else f"{0:6d}"
            text += f"  {_number(seconds * 1e6, 7)}  {_number(algbw, 6)}  {_number(busbw, 6)}  {wrong}"
        yield text, (rates[0], rates[1])


def footer(job: Job, mean_gb_per_s: float) -> Iterator[str]:
    """From the count of wrong results to the line that marks completion."""
    yield "# Out of bounds values : 0 OK"
    yield f"# Avg bus bandwidth    : {mean_gb_per_s:g} "
    yield "#"
    yield f"# Collective test concluded: {job.collective}_perf"


def _checked(job: Job, arguments: Arguments, in_place: bool) -> bool:
    return arguments.check and not (in_place and job.collective == "alltoall")


def _size_and_count(job: Job, asked: int) -> tuple[int, int]:
    """The size that is run: rounded down where the array is divided among the ranks, and the count of the
    row.
    """
    if job.collective not in _DIVIDED:
        return asked // _FLOAT_BYTES * _FLOAT_BYTES, asked // _FLOAT_BYTES
    share = asked // job.ranks // _ALIGNMENT_BYTES * _ALIGNMENT_BYTES
    return share * job.ranks, share // _FLOAT_BYTES


def _number(value: float, width: int) -> str:
    """As ``getFloatStr`` of nccl-tests 2.17: as many decimals as fit, then none, then an exponent."""
    digits = len(str(int(value))) if value >= 1 else 0
    if digits < width - 2:
        return f"{value:{width}.2f}"
    if digits < width - 1:
        return f"{value:{width}.1f}"
    if digits < width + 1:
        return f"{value:{width}.0f}"
    return f"{value:{width}.1e}" if width >= 7 else f"{value:{width}.0e}"

"""Writes the hardware tables as one Markdown page: ``python -m bedplate.hardware.reference > FILE``.

The page is committed as ``docs/reference/hardware.md``; a test holds it against what this module makes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from bedplate.hardware.bandwidth.ceiling import bandwidth_ceiling
from bedplate.hardware.bandwidth.floor import SHARE, floor_value, size_text
from bedplate.hardware.bandwidth.published import PUBLISHED, Published
from bedplate.hardware.catalogue import INSTANCE_TYPES
from bedplate.hardware.gpu_rates import GPU_RATES
from bedplate.hardware.gpus import GPUS
from bedplate.hardware.instance import InstanceType
from bedplate.hardware.network import EFA_ONLY, INTERFACE
from bedplate.hardware.ultraserver import ULTRASERVERS
from bedplate.hardware.xids.catalogue import XIDS

_HEAD = """# Hardware reference

Made from the tables in `bedplate/hardware` by `python -m bedplate.hardware.reference`; do not edit by hand.
A dash means that no source was found, or that there is no such part; it never means zero.
"""

_FLOORS = f"""A floor is {SHARE:g} × a published figure, rounded down to a tenth of a GB/s. It holds for its
own instance type with at least the EFA rate that was published, for its own message size and larger ones, and
over EFA for 2 up to its own node count; within one NVLink domain it holds for its own node count only. Where
nothing was published, groups of the same fleet are the measure, and the verdict says that it is relative
only; where there are none, the check says `not-tested`. The ceiling is what the wires allow; a measurement
above it contradicts itself.
"""

_RATES = """DCG-005 and DCG-006 hold a GPU to these floors: three quarters of what NVIDIA measured on the
model. They are far below a sheet's peak: no source says how near a healthy part comes to it in these tests.
"""

_XIDS = """NVIDIA's action and the two policies are kept apart. `reset`, `reboot` and `replace` make a node
unfit for the next job. EC2's column is what AWS's node monitoring agent does. Codes that NVIDIA lists as
unused are left out.
"""

_LAYOUTS = """An `efa-only` interface has no address, an ENA interface takes one. The first layout of a type
is what a pool gets unless it asks for another by `interfaces` or `efas`.
"""

Cell = object


def reference_page() -> str:
    """Return the whole page as Markdown."""
    sections = (_HEAD, _instances(), _layouts(), _ultraservers(), _gpus(), _bandwidths(), _xids(), _sources())
    return "\n".join(sections)


def _instances() -> str:
    rows = INSTANCE_TYPES.values()
    facts = _table(
        ("type", "arch", "vCPU", "memory GiB", "GPUs", "NVMe GB (as the API says)", "EBS Gbps", "sold as"),
        (
            (
                row.name,
                row.architecture,
                row.vcpus,
                row.memory_gib,
                f"{row.gpus} × {row.gpu.model}",
                f"{row.nvme_count} × {row.nvme_gb_each} ({row.nvme_api_gb_each or '–'})",
                row.ebs_gbps,
                ", ".join(row.capacity_sources),
            )
            for row in rows
        ),
    )
    applies = _table(
        ("type", "NVLink", "NVSwitch", "IMEX", "GPUDirect RDMA"),
        (
            (
                row.name,
                _yes(row.has_nvlink),
                _yes(row.has_nvswitch),
                _yes(row.needs_imex),
                _yes(row.has_gpudirect_rdma),
            )
            for row in rows
        ),
    )
    return f"## Instance types\n\n{facts}\n### Which checks apply\n\n{applies}"


def _layouts() -> str:
    table = _table(
        (
            "type",
            "layout",
            "cards",
            "EFAs attached (most)",
            "EFA generation",
            "EFA Gbps",
            "ENA Gbps at most",
            "LNet EFAs",
            "addresses",
            "interfaces",
        ),
        (
            _layout_row(row.laid_out(choice=layout.choice, efas=layout.efa_count), layout.choice)
            for row in INSTANCE_TYPES.values()
            for layout in row.layouts
        ),
    )
    missing = _table(
        ("type", "no layout with more address bandwidth, because"),
        ((row.name, row.no_more_addresses) for row in INSTANCE_TYPES.values() if row.no_more_addresses),
    )
    return f"## Network interfaces\n\n{_LAYOUTS}\n{table}\n{missing}"


def _layout_row(row: InstanceType, choice: str) -> tuple[Cell, ...]:
    return (
        row.name,
        choice,
        len(row.network_cards),
        f"{row.efa_count} ({row.efa_max})",
        row.efa_generation,
        f"{row.efa_count} × {row.efa_gbps_each} = {row.efa_gbps_total}",
        row.ena_gbps,
        row.lnet_efa_count,
        row.addresses,
        layout_text(row),
    )


def layout_text(row: InstanceType) -> str:
    """Return the layout in words: cards and devices of the ENA interfaces and of the EFAs."""
    groups: dict[tuple[str, int, bool], list[int]] = {}
    for each in row.interfaces:
        word = "ENA" if each.kind == INTERFACE else EFA_ONLY
        groups.setdefault((word, each.device, each.card > 0), []).append(each.card)
    return "; ".join(
        f"{word} on card {_ranges(cards)} device {device}" for (word, device, _), cards in groups.items()
    )


def _ranges(numbers: Sequence[int]) -> str:
    consecutive = list(numbers) == list(range(numbers[0], numbers[-1] + 1))
    if len(numbers) > 2 and consecutive:
        return f"{numbers[0]}–{numbers[-1]}"
    return ", ".join(map(str, numbers))


def _ultraservers() -> str:
    table = _table(
        ("UltraServer", "instances", "GPUs", "EFA Gbps", "zones", "sold as"),
        (
            (
                row.name,
                f"{row.instances} × {row.instance_type.name}",
                row.gpus,
                row.efa_gbps_total,
                ", ".join(row.zones),
                ", ".join(row.capacity_sources),
            )
            for row in ULTRASERVERS.values()
        ),
    )
    return f"## UltraServers\n\n{table}"


def _gpus() -> str:
    table = _table(
        (
            "GPU",
            "memory MiB",
            "HBM TB/s",
            "BF16 PFLOPS",
            "FP8 PFLOPS",
            "FP4 PFLOPS",
            "NVLinks",
            "NVLink GB/s one way",
        ),
        (
            (
                gpu.model,
                gpu.memory_mib,
                gpu.hbm_tb_per_s,
                gpu.bf16_dense_pflops,
                gpu.fp8_dense_pflops,
                gpu.fp4_dense_pflops,
                gpu.nvlinks,
                gpu.nvlink_gb_per_s,
            )
            for gpu in GPUS.values()
        ),
    )
    return f"## GPUs\n\nPeaks are without sparsity.\n\n{table}\n{_gpu_rates()}"


def _gpu_rates() -> str:
    table = _table(
        (
            "GPU",
            "single precision: NVIDIA measured GFLOPS",
            "floor GFLOPS",
            "sheet's peak GFLOPS",
            "memory: NVIDIA measured GB/s",
            "floor GB/s",
            "least PCIe lanes",
            "note",
            "source",
        ),
        (
            (
                row.model,
                f"{row.measured_gflops:,.0f}",
                f"{row.floor_gflops:,.0f}",
                None if row.fp32_peak_gflops is None else f"{row.fp32_peak_gflops:,.0f}",
                f"{row.measured_gb_per_s:,.0f}",
                f"{row.floor_gb_per_s:,.0f}",
                row.pcie_lanes,
                row.note,
                "; ".join(row.sources),
            )
            for row in GPU_RATES.values()
        ),
    )
    return f"### Rates that DCGM must find\n\n{_RATES}\n{table}"


def _bandwidths() -> str:
    table = _table(
        (
            "type",
            "collective",
            "nodes",
            "over",
            "size",
            "published GB/s",
            "floor GB/s",
            "ceiling GB/s",
            "source",
        ),
        (
            (
                row.instance_type,
                row.collective,
                row.nodes,
                row.path,
                size_text(row.size_bytes),
                row.gb_per_s,
                floor_value(row.gb_per_s),
                round(_ceiling(row), 1),
                f"{row.source}; {row.derivation}" if row.derivation else row.source,
            )
            for row in PUBLISHED
        ),
    )
    return f"## Bus bandwidth: floors and ceilings\n\n{_FLOORS}\n{table}"


def _ceiling(row: Published) -> float:
    return bandwidth_ceiling(
        instance_type=row.instance_type, collective=row.collective, nodes=row.nodes, path=row.path
    ).value_gb_per_s


def _xids() -> str:
    table = _table(
        ("Xid", "name", "meaning", "NVIDIA: action", "NVIDIA: then", "our policy", "EC2", "note"),
        (
            (
                entry.code,
                entry.name,
                entry.meaning,
                entry.nvidia_action,
                entry.nvidia_follow_up,
                entry.policy,
                entry.ec2_policy,
                entry.note,
            )
            for entry in XIDS.values()
        ),
    )
    return f"## Xid errors\n\n{_XIDS}\n{table}"


def _sources() -> str:
    used = [source for row in INSTANCE_TYPES.values() for source in (*row.sources, *row.gpu.sources)]
    used += [source for server in ULTRASERVERS.values() for source in server.sources]
    used += [source for entry in XIDS.values() for source in entry.sources]
    return "## Sources\n\n" + "".join(f"- {source}\n" for source in dict.fromkeys(used))


def _yes(value: bool) -> str:
    return "yes" if value else "–"


def _table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(_cell, line)) + " |\n" for line in lines)


def _cell(value: Cell) -> str:
    return "–" if value is None or value == "" else str(value).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference_page())

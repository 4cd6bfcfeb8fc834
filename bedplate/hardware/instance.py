"""One instance type as AWS sells it: the record that templates, checks and sizes are made from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bedplate.hardware.gpu import Gpu
from bedplate.hardware.network import SAVE_ADDRESSES, Interface, InterfaceLayout, NetworkCard


class NoSuchLayout(ValueError):
    """The type has no layout of this choice; the message says why and what there is."""


@dataclass(frozen=True)
class InstanceType:
    """An EC2 instance type. ``None`` means that no source was found, never zero.

    ``interfaces`` is the layout that saves addresses: one ENA interface, and every useful EFA as
    ``efa-only``; ``other_layouts`` are what ``laid_out`` can choose instead, and ``no_more_addresses`` is why
    there is none with further ENA interfaces, empty where there is one. ``efa_max`` is how many EFAs EC2
    allows. ``*_gbps`` are gigabits a second.
    ``nvme_gb_each`` is the size of the bare device and ``nvme_api_gb_each`` what DescribeInstanceTypes
    reports for it, both in 1e9 bytes. ``lnet_efa_setup`` is the number of EFAs that the FSx client set-up
    binds to LNet on this type where they are attached. ``capacity_sources`` names what it can be bought by,
    as in an environment file's ``capacity.source``.
    """

    name: str
    family: str
    architecture: str
    vcpus: int
    memory_gib: int
    gpu: Gpu
    gpus: int
    network_cards: tuple[NetworkCard, ...]
    interfaces: tuple[Interface, ...]
    other_layouts: tuple[InterfaceLayout, ...]
    no_more_addresses: str
    efa_max: int
    efa_generation: int | None
    efa_gbps_each: int
    ena_gbps: int | None
    ebs_gbps: int | None
    nvme_count: int
    nvme_gb_each: int
    nvme_api_gb_each: int | None
    lnet_efa_setup: int
    has_nvlink: bool
    has_nvswitch: bool
    needs_imex: bool
    has_gpudirect_rdma: bool
    capacity_sources: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def layouts(self) -> tuple[InterfaceLayout, ...]:
        """Every layout of the type, that of ``interfaces`` first."""
        first = InterfaceLayout(SAVE_ADDRESSES, self.interfaces, self.efa_gbps_each)
        return (first, *self.other_layouts)

    def laid_out(self, *, choice: str = SAVE_ADDRESSES, efas: int | None = None) -> InstanceType:
        """Return the type with another layout: its EFA, LNet and address counts are then that layout's.

        ``efas`` is the number of EFAs, where the type leaves a choice. Raises ``NoSuchLayout``.
        """
        for layout in self.layouts:
            if layout.choice == choice and efas in (None, layout.efa_count):
                return replace(self, interfaces=layout.interfaces, efa_gbps_each=layout.efa_gbps_each)
        there = "; ".join(f"{each.choice} with {each.efa_count} EFAs" for each in self.layouts)
        wanted = choice if efas is None else f"{choice} with {efas} EFAs"
        why = f" ({self.no_more_addresses})" if choice != SAVE_ADDRESSES and self.no_more_addresses else ""
        raise NoSuchLayout(f"{self.name} has no layout {wanted}{why}; it has: {there}")

    @property
    def efa_count(self) -> int:
        """How many EFAs the layout attaches: what every check after a deploy must find."""
        return sum(1 for interface in self.interfaces if interface.kind != "interface")

    @property
    def efa_gbps_total(self) -> int:
        """EFA bandwidth of one instance in one direction, in gigabits a second."""
        return self.efa_count * self.efa_gbps_each

    @property
    def efa_gb_per_s(self) -> float:
        """The same in 1e9 bytes a second: the unit of NCCL's bus bandwidth."""
        return self.efa_gbps_total / 8

    @property
    def lnet_efa_count(self) -> int:
        """How many EFAs LNet must show: what the client set-up binds, and never more than are attached."""
        return min(self.lnet_efa_setup, self.efa_count)

    @property
    def addresses(self) -> int:
        """How many private IPv4 addresses the layout takes from the subnet."""
        return sum(1 for interface in self.interfaces if interface.kind == "interface")

    @property
    def gpu_memory_mib(self) -> int | None:
        """Memory of all GPUs together, or ``None`` where the source gives none for one."""
        return None if self.gpu.memory_mib is None else self.gpus * self.gpu.memory_mib

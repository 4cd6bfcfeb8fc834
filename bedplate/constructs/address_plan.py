"""Which addresses of a VPC go to which subnet. Arithmetic only."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network

from bedplate.spec.addresses import subnet_ranges

AWS_RESERVED_ADDRESSES = 5
"""Addresses that AWS keeps in every subnet (VPC User Guide, "Subnet CIDR blocks")."""
SMALLEST_SUBNET_PREFIX = 28


class AddressesDoNotFitError(ValueError):
    """The VPC's range is too small for the subnets or for the nodes."""


@dataclass(frozen=True)
class AddressPlan:
    """The subnets' ranges as CIDR text; ``gpu_addresses`` is what instances can use in the GPU subnet."""

    gpu: str
    control: tuple[str, str]
    public: str
    gpu_addresses: int


def address_plan(*, cidr: str, gpu_addresses_needed: int) -> AddressPlan:
    """Give the upper half of ``cidr`` to the GPU subnet and quarters of the lower half to the others.

    The GPU subnet is not cut to today's number of nodes: a subnet's range is create-only and the file system
    stands in it, so a subnet that followed the pools would replace the file system when a pool grows. Instead
    the need is checked against the half: ``AddressesDoNotFitError`` says how much is missing.
    """
    network = IPv4Network(cidr)
    if network.prefixlen + 3 > SMALLEST_SUBNET_PREFIX:
        raise AddressesDoNotFitError(
            f"{cidr} cannot be cut into four subnets of /{SMALLEST_SUBNET_PREFIX} or larger; "
            f"use a /{SMALLEST_SUBNET_PREFIX - 3} or larger"
        )
    ranges = subnet_ranges(cidr)
    upper = IPv4Network(ranges.gpu)
    usable = upper.num_addresses - AWS_RESERVED_ADDRESSES
    if gpu_addresses_needed > usable:
        raise AddressesDoNotFitError(
            f"the nodes and the file system take {gpu_addresses_needed} addresses, "
            f"but the GPU subnet {upper} has {usable}; use a larger network"
        )
    return AddressPlan(gpu=ranges.gpu, control=ranges.control, public=ranges.public, gpu_addresses=usable)

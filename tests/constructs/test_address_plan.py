"""Which addresses go to which subnet."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from bedplate.constructs.address_plan import AddressesDoNotFitError, address_plan
from bedplate.spec.addresses import gpu_subnet_addresses


@pytest.mark.parametrize("cidr", ["10.40.0.0/16", "10.41.0.0/20", "10.0.0.0/25"])
def test_the_gpu_subnet_is_the_upper_half_and_nothing_overlaps(cidr: str) -> None:
    """Half of the range goes to the nodes; four subnets lie in the range without touching each other."""
    plan = address_plan(cidr=cidr, gpu_addresses_needed=1)
    network = IPv4Network(cidr)
    subnets = [IPv4Network(each) for each in (plan.gpu, *plan.control, plan.public)]
    assert IPv4Network(plan.gpu).num_addresses * 2 == network.num_addresses
    assert all(subnet.subnet_of(network) for subnet in subnets)
    assert not any(a.overlaps(b) for a in subnets for b in subnets if a is not b)
    assert min(subnet.num_addresses for subnet in subnets) >= 16


def test_a_growing_pool_does_not_move_the_subnet() -> None:
    """The ranges do not depend on the nodes, since a changed range would replace the file system."""
    one = address_plan(cidr="10.40.0.0/16", gpu_addresses_needed=1)
    assert one == address_plan(cidr="10.40.0.0/16", gpu_addresses_needed=30_000)


def test_too_many_nodes_are_refused_with_the_numbers() -> None:
    """A half that cannot hold the nodes is refused; the message has both numbers."""
    with pytest.raises(AddressesDoNotFitError, match=r"take 124 addresses.* has 123"):
        address_plan(cidr="10.0.0.0/24", gpu_addresses_needed=124)
    assert address_plan(cidr="10.0.0.0/24", gpu_addresses_needed=123).gpu_addresses == 123


def test_a_range_without_room_for_four_subnets_is_refused() -> None:
    """A /26 would give subnets smaller than AWS makes them."""
    with pytest.raises(AddressesDoNotFitError, match="/25 or larger"):
        address_plan(cidr="10.0.0.0/26", gpu_addresses_needed=1)


@pytest.mark.parametrize("prefix", range(16, 26))
def test_the_environment_file_counts_the_same_half(prefix: int) -> None:
    """What `bedplate check` calls enough is exactly what the subnet has."""
    cidr = f"10.0.0.0/{prefix}"
    have = gpu_subnet_addresses(cidr)
    assert address_plan(cidr=cidr, gpu_addresses_needed=have).gpu_addresses == have
    with pytest.raises(AddressesDoNotFitError):
        address_plan(cidr=cidr, gpu_addresses_needed=have + 1)

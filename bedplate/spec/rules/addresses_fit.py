"""NET-005: the GPU subnet holds the nodes' and the file systems' addresses."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.addresses import gpu_subnet_addresses, gpu_subnet_need
from bedplate.spec.draft import Draft
from bedplate.spec.rules.private_range import check as wrong_range
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a range whose upper half, the GPU subnet, is too small."""
    if draft.network is None or draft.network.cidr is None or any(wrong_range(draft)):
        return
    have = gpu_subnet_addresses(draft.network.cidr)
    need = gpu_subnet_need(
        pools=draft.pools.values(),
        login=draft.login,
        file_systems=draft.file_systems.values(),
        zone=draft.network.zone,
    )
    if need > have:
        yield Violation(
            path=("network", "cidr"),
            message=f"the GPU subnet, half of {draft.network.cidr}, has {have} addresses, "
            f"and nodes and file systems take {need}",
            allowed=f"/{_prefix_for(need)} or larger (a smaller number)",
            remedy=f"Give a larger range, such as 10.40.0.0/{_prefix_for(need)}, or fewer nodes.",
        )


def _prefix_for(need: int) -> int:
    for prefix in range(25, 16, -1):
        if gpu_subnet_addresses(f"10.0.0.0/{prefix}") >= need:
            return prefix
    return 16


RULE = Rule(
    row=CheckRow(
        id="NET-005",
        title="the addresses suffice",
        what=(
            "The upper half of `network.cidr`, which is the GPU subnet, has an address for every "
            "node at the pools' largest size, for the login nodes and for the file systems' "
            "servers, beside the five that AWS keeps. In a Local Zone the servers stand elsewhere."
        ),
        why=(
            "A subnet's range cannot be changed later, and file systems stand in it. When "
            "addresses run out, launches fail one by one with InsufficientFreeAddressesInSubnet."
        ),
        fix="Give a larger range (a smaller number after the slash).",
        by_hand=(
            "`aws ec2 describe-subnets --subnet-ids subnet-… --query "
            "'Subnets[].AvailableIpAddressCount'` tells what is left in a subnet that is there."
        ),
    ),
    check=check,
)

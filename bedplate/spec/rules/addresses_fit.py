"""NET-005: the GPU subnet and the control subnets hold the addresses that are taken of them."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.spec.addresses import (
    control_subnet_addresses,
    control_subnet_need,
    gpu_subnet_addresses,
    gpu_subnet_need,
)
from bedplate.spec.draft import Draft
from bedplate.spec.rules.private_range import LARGEST_PREFIX, SMALLEST_PREFIX
from bedplate.spec.rules.private_range import check as wrong_range
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse a range of which a part, the GPU subnet or a control subnet, is too small."""
    if draft.network is None or draft.network.cidr is None or any(wrong_range(draft)):
        return
    cidr, file_systems = draft.network.cidr, tuple(draft.file_systems.values())
    gpu = gpu_subnet_need(
        pools=draft.pools.values(),
        login=draft.login,
        file_systems=file_systems,
        zone=draft.network.zone,
        kubernetes=draft.kubernetes,
    )
    control = control_subnet_need(
        network=draft.network,
        login=draft.login,
        file_systems=file_systems,
        kubernetes=draft.kubernetes,
    )
    prefix = _prefix_for(gpu=gpu, control=control)
    if gpu > gpu_subnet_addresses(cidr):
        yield _too_small(
            f"the GPU subnet, half of {cidr}, has {gpu_subnet_addresses(cidr)} addresses, "
            f"and nodes and file systems take {gpu}",
            prefix=prefix,
        )
    elif control > control_subnet_addresses(cidr):
        yield _too_small(
            f"a control subnet, an eighth of {cidr}, has {control_subnet_addresses(cidr)} addresses, "
            f"and scheduler, endpoints and what stands beside a Local Zone take {control}",
            prefix=prefix,
        )


def _too_small(message: str, *, prefix: int | None) -> Violation:
    if prefix is None:
        return Violation(
            path=("network", "cidr"),
            message=f"{message}, more than the largest range of a VPC has",
            allowed=f"what a /{LARGEST_PREFIX} holds",
            remedy="Make pools or file systems smaller, or split them over two environments.",
        )
    return Violation(
        path=("network", "cidr"),
        message=message,
        allowed=f"/{prefix} or larger (a smaller number)",
        remedy=f"Give a larger range, such as 10.40.0.0/{prefix}, or fewer nodes.",
    )


def _prefix_for(*, gpu: int, control: int) -> int | None:
    """The longest prefix that holds both; None where no VPC does."""
    for prefix in range(SMALLEST_PREFIX, LARGEST_PREFIX - 1, -1):
        cidr = f"10.0.0.0/{prefix}"
        if gpu_subnet_addresses(cidr) >= gpu and control_subnet_addresses(cidr) >= control:
            return prefix
    return None


RULE = Rule(
    row=CheckRow(
        id="NET-005",
        title="the addresses suffice",
        what=(
            "The upper half of `network.cidr`, which is the GPU subnet, has an address for every "
            "node at the pools' largest size, for the login nodes and for the file systems' "
            "servers, beside the five that AWS keeps. A control subnet, an eighth, has them for the "
            "scheduler and the endpoints; beside a Local Zone, login nodes and servers stand there."
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

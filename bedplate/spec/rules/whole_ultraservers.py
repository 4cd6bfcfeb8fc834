"""CAP-007: a pool of an UltraServer type is made of whole UltraServers."""

from __future__ import annotations

from collections.abc import Iterator

from bedplate.explanation import CheckRow
from bedplate.hardware import ultraservers_of
from bedplate.spec.draft import Draft
from bedplate.spec.rules.rule import Rule, Violation


def check(draft: Draft) -> Iterator[Violation]:
    """Refuse node counts that no number of the pool's UltraServers gives; of any where it names none."""
    for index, pool in draft.pools.items():
        servers = ultraservers_of(pool.instance_type)
        named = [each for each in servers if each.name == pool.ultraserver] or servers
        if not named or pool.max_nodes % named[0].instances == 0:
            continue
        size = named[0].instances
        below = pool.max_nodes // size * size
        choices = [str(count) for count in (below, below + size) if count]
        sizes = " or ".join(str(each.instances) for each in named)
        yield Violation(
            path=("pools", index, "nodes"),
            message=f"{pool.ultraserver or 'an UltraServer'} has {sizes} instances, "
            f"and {pool.max_nodes} nodes are no whole number of them",
            given=str(pool.max_nodes),
            allowed=f"multiples of {size}",
            remedy=f"Give {' or '.join(choices)} nodes.",
        )


RULE = Rule(
    row=CheckRow(
        id="CAP-007",
        title="UltraServers are whole",
        what=(
            "The number of nodes of a P6e-GB200 pool is a multiple of its UltraServer's instances: 9 for "
            "u-p6e-gb200x36, 18 for u-p6e-gb200x72."
        ),
        why=(
            "The instances of an UltraServer are bought together and share one NVLink domain. A "
            "part of one leaves paid GPUs idle, and jobs that expect 36 or 72 GPUs in a domain do "
            "not fit."
        ),
        fix=(
            "Give as many nodes as the UltraServers that were bought have: 9 for each "
            "u-p6e-gb200x36, 18 for each u-p6e-gb200x72."
        ),
        by_hand=("`aws ec2 describe-capacity-blocks` shows the UltraServer type and count that were bought."),
    ),
    check=check,
)

"""How many managed policies the rights in tied buckets come to: IAM bounds their size and their number."""

from __future__ import annotations

from collections.abc import Sequence

CHARACTERS_A_POLICY = 6_144
"""A managed policy holds so many, white space not counted (IAM User Guide, quotas)."""
POLICIES_A_ROLE = 10
"""Managed policies that IAM attaches to a role or user unless more are asked for (IAM User Guide, quotas)."""
OTHER_POLICIES = 3
"""What a runner's role has beside: the operator's rights, its own, and those of ``on_failure: replace``."""
MOST_POLICIES = POLICIES_A_ROLE - OTHER_POLICIES

_OF_A_POLICY, _OF_A_FOLDER = 250, 420
"""What the policy itself and each folder with the longest bucket name take, prefixes apart."""


def grouped(prefixes: Sequence[str]) -> list[list[int]]:
    """The places of prefixes whose folders fit into one policy together, policy by policy, in their order."""
    groups: list[list[int]] = []
    used = 0
    for place, prefix in enumerate(prefixes):
        characters = _OF_A_FOLDER + 2 * len(prefix)
        if not groups or used + characters > CHARACTERS_A_POLICY:
            groups.append([])
            used = _OF_A_POLICY
        groups[-1].append(place)
        used += characters
    return groups

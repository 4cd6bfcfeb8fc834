"""Network interfaces that hold a subnet or a security group in use."""

from __future__ import annotations

from typing import Any


def interfaces_in_subnet(backend: Any, subnet_id: str) -> list[str]:
    """Ids of the interfaces in a subnet."""
    return [eni.id for eni in backend.enis.values() if _subnet_id(eni) == subnet_id]


def interfaces_of_group(backend: Any, group_id: str) -> list[str]:
    """Ids of the interfaces that carry a security group."""
    return [eni.id for eni in backend.enis.values() if group_id in {group.id for group in eni.group_set}]


def _subnet_id(eni: Any) -> str:
    subnet = eni.subnet
    return str(subnet if isinstance(subnet, str) else subnet.id)

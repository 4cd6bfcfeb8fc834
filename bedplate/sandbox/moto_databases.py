"""Mends moto's databases: one that is deleted, by whomever, lets go of its network interface."""

from __future__ import annotations

from typing import Any

from moto.ec2.models import ec2_backends
from moto.rds.models import RDSBackend

_delete = RDSBackend.delete_db_instance
_INTERFACE = "bedplate_interface"


def let_interfaces_go() -> None:
    """Mend moto; harmless when called twice."""
    RDSBackend.delete_db_instance = _delete_with_interface  # type: ignore[method-assign, assignment]


def give_interface(instance: Any, interface_id: str) -> None:
    """Tell an instance which interface is its."""
    setattr(instance, _INTERFACE, interface_id)


def _delete_with_interface(backend: Any, db_instance_identifier: str, **more: Any) -> Any:
    deleted = _delete(backend, db_instance_identifier, **more)
    interface = str(getattr(deleted, _INTERFACE, ""))
    ec2_backends[backend.account_id][backend.region_name].enis.pop(interface, None)
    return deleted

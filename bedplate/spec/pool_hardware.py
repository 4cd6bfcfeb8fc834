"""The hardware of a pool's nodes: the instance type's row, with the interfaces that the pool asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.hardware import InstanceType, instance_type

if TYPE_CHECKING:
    from bedplate.spec.pools import Pool


def pool_hardware(pool: Pool) -> InstanceType:
    """Return the pool's type, laid out as chosen: EFA, LNet and address counts are those of the choice.

    Raises ``UnknownInstanceType``, and ``NoSuchLayout`` for a choice that the type does not have;
    ``load_environment`` refuses both, with a position, before that.
    """
    return instance_type(pool.instance_type).laid_out(choice=pool.interfaces, efas=pool.efas)

"""A lock file for any environment, with fixed times, so that tests need not ask AWS."""

from __future__ import annotations

from datetime import UTC, datetime

from bedplate.capacity.locked import KIND_OF_SOURCE, reservation_of
from bedplate.lockfile import LOCK_VERSION, LockedReservation, LockFile
from bedplate.spec import Environment
from bedplate.spec.pools import Pool

LOCKED_AT = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
START = datetime(2026, 7, 1, 11, 30, tzinfo=UTC)
END = datetime(2026, 7, 15, 11, 30, tzinfo=UTC)


def lock_for(environment: Environment) -> LockFile:
    """What ``bedplate lock`` would write if every reservation of the file were as the file wants it.

    No images: the templates then name the pinned versions of AWS's parameters.
    """
    pools = [(reservation_of(pool), pool) for pool in environment.pools]
    ids = {reservation for reservation, _ in pools if reservation}
    reservations = {
        each: _reservation([pool for reservation, pool in pools if reservation == each], environment)
        for each in sorted(ids)
    }
    types = sorted(
        {name for pool in environment.pools for name in (pool.instance_type, *pool.alternative_types)}
    )
    return LockFile(
        version=LOCK_VERSION,
        environment=environment.name,
        account=environment.account,
        region=environment.region,
        locked_at=LOCKED_AT,
        images={},
        reservations=reservations,
        offerings=dict.fromkeys(types, (environment.network.zone,)),
    )


def _reservation(pools: list[Pool], environment: Environment) -> LockedReservation:
    pool = pools[0]
    kind = KIND_OF_SOURCE[pool.capacity.source]
    block = kind in {"capacity-block", "ultraserver-block"}
    return LockedReservation(
        kind=kind,
        instance_type=pool.instance_type,
        zone_id=environment.network.zone,
        instances=sum(each.max_nodes for each in pools),
        start=START if block else None,
        end=END if block else None,
    )

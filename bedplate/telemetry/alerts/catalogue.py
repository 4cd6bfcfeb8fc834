"""All alerts, by family."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bedplate.telemetry.alerts import (
    capacity,
    clock,
    counts,
    efa,
    jobs,
    memory,
    nodes,
    nvlink,
    pcie,
    storage,
    telemetry,
    thermal,
    validation,
)
from bedplate.telemetry.alerts.alert import Alert
from bedplate.telemetry.alerts.xids import xid_alerts

_FAMILIES: Mapping[str, tuple[Alert, ...]] = MappingProxyType(
    {
        "memory": memory.ALERTS,
        "thermal": thermal.ALERTS,
        "nvlink": nvlink.ALERTS,
        "pcie": pcie.ALERTS,
        "counts": counts.ALERTS,
        "efa": efa.ALERTS,
        "storage": storage.ALERTS,
        "nodes": nodes.ALERTS,
        "jobs": jobs.ALERTS,
        "clock": clock.ALERTS,
        "capacity": capacity.ALERTS,
        "validation": validation.ALERTS,
        "telemetry": telemetry.ALERTS,
    }
)


def families(xid_policies: Mapping[int, str] = MappingProxyType({})) -> Mapping[str, tuple[Alert, ...]]:
    """Alerts by family, one rule group each. ``xid_policies`` are an environment's own, code → policy."""
    return {"xids": xid_alerts(xid_policies), **_FAMILIES}


def alerts(xid_policies: Mapping[int, str] = MappingProxyType({})) -> tuple[Alert, ...]:
    """All alerts, in the order of the families."""
    return tuple(each for family in families(xid_policies).values() for each in family)

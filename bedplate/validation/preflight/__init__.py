"""Questions before a deploy, one file each; ``ROWS`` explains them, ``run_preflight`` (in ``run``) asks them.

Imports no AWS library: ``bedplate explain`` reads it.
"""

from __future__ import annotations

from bedplate.validation.preflight import (
    addresses,
    bootstrap,
    identity,
    quota_login,
    quota_lustre,
    quota_network,
    quota_on_demand,
    quota_spot,
    region_enabled,
    reservation,
    service_linked_roles,
    zone_offers_type,
    zones_open,
)

CHECKS = (
    identity,
    region_enabled,
    zones_open,
    bootstrap,
    service_linked_roles,
    zone_offers_type,
    quota_on_demand,
    quota_spot,
    quota_login,
    reservation,
    addresses,
    quota_network,
    quota_lustre,
)
"""Modules with ``ROW``, ``applies(environment)`` and ``check(preflight)``, in the order in which they run."""

ROWS = {module.ROW.id: module.ROW for module in CHECKS}
"""Id → what a person may read about it."""

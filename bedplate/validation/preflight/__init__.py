"""Questions before a deploy, one file each; ``ROWS`` explains them, ``run_preflight`` (in ``run``) asks them.

Imports no AWS library: ``bedplate explain`` reads it.
"""

from __future__ import annotations

from bedplate.validation.preflight import (
    addresses,
    block_status,
    bootstrap,
    encryption_keys,
    endpoint_zones,
    existing_file_systems,
    fabric_group,
    file_system_groups,
    identity,
    images,
    imported_buckets,
    interruptible,
    local_zone,
    lock_agrees,
    placement_group,
    quota_efs,
    quota_login,
    quota_lustre,
    quota_network,
    quota_on_demand,
    quota_openzfs,
    quota_spot,
    quota_tiering,
    region_enabled,
    replacements,
    reservation,
    resource_group,
    routes,
    service_linked_roles,
    ultraserver_block,
    vpc_endpoints,
    vpc_settings,
    zone_offers_type,
    zones_open,
)

CHECKS = (
    identity,
    region_enabled,
    zones_open,
    bootstrap,
    replacements,
    service_linked_roles,
    zone_offers_type,
    quota_on_demand,
    quota_spot,
    quota_login,
    reservation,
    lock_agrees,
    images,
    block_status,
    addresses,
    quota_network,
    quota_lustre,
    fabric_group,
    vpc_settings,
    routes,
    vpc_endpoints,
    local_zone,
    endpoint_zones,
    existing_file_systems,
    file_system_groups,
    imported_buckets,
    quota_tiering,
    quota_openzfs,
    quota_efs,
    encryption_keys,
    resource_group,
    interruptible,
    placement_group,
    ultraserver_block,
)
"""Modules with ``ROW``, ``applies(environment)`` and ``check(preflight)``, in the order in which they run."""

ROWS = {module.ROW.id: module.ROW for module in CHECKS}
"""Id → what a person may read about it."""

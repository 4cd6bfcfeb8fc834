"""The rules between fields, one a file. Each is pure: it looks at a draft and yields what breaks it."""

from __future__ import annotations

from bedplate.spec.draft import Draft
from bedplate.spec.problems import Problem
from bedplate.spec.rules import (
    addresses_fit,
    association_count,
    association_events,
    association_paths,
    association_repositories,
    block_is_fixed,
    block_size,
    cluster_parts,
    cluster_size,
    collectives_once,
    control_subnets,
    control_zone_kind,
    control_zones,
    created_endpoints,
    created_reservation_size,
    efas_fit_type,
    endpoint_services,
    group_of_created,
    interfaces_fit_type,
    known_check,
    known_instance_type,
    known_pools,
    known_region,
    lustre_efa_steps,
    lustre_steps,
    metadata_iops,
    mount_path,
    no_idle_pool,
    one_architecture,
    one_default,
    one_network,
    one_target,
    one_type_a_pool,
    one_waiver,
    partition_names,
    pools_once,
    private_range,
    range_in_order,
    reserved_pool_name,
    reserved_tags,
    resource_group_region,
    source_fits_orchestrator,
    source_fits_type,
    ultraserver_named,
    ultraserver_source,
    ultraserver_zone,
    unique_pools,
    whole_ultraservers,
    zone_of_region,
)
from bedplate.spec.rules.rule import Rule
from bedplate.spec.source import SourceMap

_MODULES = (
    known_instance_type,
    source_fits_type,
    ultraserver_source,
    source_fits_orchestrator,
    block_size,
    block_is_fixed,
    whole_ultraservers,
    range_in_order,
    one_target,
    group_of_created,
    one_type_a_pool,
    ultraserver_named,
    interfaces_fit_type,
    efas_fit_type,
    resource_group_region,
    created_reservation_size,
    zone_of_region,
    control_zones,
    one_network,
    private_range,
    addresses_fit,
    known_region,
    control_subnets,
    control_zone_kind,
    ultraserver_zone,
    created_endpoints,
    endpoint_services,
    lustre_steps,
    lustre_efa_steps,
    metadata_iops,
    association_paths,
    association_count,
    association_events,
    association_repositories,
    mount_path,
    unique_pools,
    known_pools,
    partition_names,
    one_default,
    no_idle_pool,
    reserved_pool_name,
    cluster_size,
    one_architecture,
    pools_once,
    cluster_parts,
    known_check,
    one_waiver,
    collectives_once,
    reserved_tags,
)

RULES: tuple[Rule, ...] = tuple(module.RULE for module in _MODULES)
"""All rules, by family and number."""


def judge(draft: Draft, source: SourceMap) -> list[Problem]:
    """Hold a draft against all rules; the source gives each violation its place."""
    return [
        source.problem(
            id=rule.row.id,
            place=source.key_at(violation.path) if violation.at_key else source.value_at(violation.path),
            path=violation.path,
            message=violation.message,
            given=violation.given,
            allowed=violation.allowed,
            remedy=violation.remedy,
        )
        for rule in RULES
        for violation in rule.check(draft)
    ]

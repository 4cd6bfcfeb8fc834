"""All stacks of one environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from constructs import Construct

from bedplate.capacity.locked import check_lock
from bedplate.lockfile import LockFile
from bedplate.spec import Environment
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.observability_stack import ObservabilityStack
from bedplate.stacks.orchestration_stack import OrchestrationStack
from bedplate.stacks.storage_stack import StorageStack
from bedplate.stacks.validation_stack import ValidationStack


@dataclass(frozen=True, kw_only=True)
class EnvironmentStacks:
    """The five stacks of an environment, in the order they are deployed."""

    network: NetworkStack
    storage: StorageStack
    observability: ObservabilityStack
    orchestration: OrchestrationStack
    validation: ValidationStack


def build_stacks(
    scope: Construct,
    *,
    environment: Environment,
    lock: LockFile | None = None,
    images: Mapping[str, str] | None = None,
) -> EnvironmentStacks:
    """Add the stacks of ``environment`` to ``scope``.

    ``lock`` is its lock file, needed where a pool is on a block; ``images`` maps an architecture to an AMI id
    and goes before the lock's. Raises ``LockRefused`` (LCK-003 …) for a lock of something else.
    """
    check_lock(environment=environment, lock=lock)
    locked = lock.image_ids if lock and environment.orchestrator.kind == "slurm-pcs" else {}
    chosen = {**locked, **(images or {})}
    network = NetworkStack(scope, environment=environment)
    storage = StorageStack(scope, environment=environment, network=network)
    observability = ObservabilityStack(
        scope, environment=environment, network=network, storage=storage, lock=lock
    )
    orchestration = OrchestrationStack(
        scope,
        environment=environment,
        network=network,
        storage=storage,
        observability=observability,
        images=chosen,
    )
    validation = ValidationStack(
        scope,
        environment=environment,
        network=network,
        storage=storage,
        observability=observability,
        orchestration=orchestration,
        lock=lock,
    )
    return EnvironmentStacks(
        network=network,
        storage=storage,
        observability=observability,
        orchestration=orchestration,
        validation=validation,
    )

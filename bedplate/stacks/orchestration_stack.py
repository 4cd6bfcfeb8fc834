"""The Slurm cluster of an environment."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from bedplate.spec import Environment
from bedplate.spec.orchestrator import SlurmHyperPod, SlurmParallelCluster, SlurmPcs
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.slurm_cluster import SlurmCluster
from bedplate.stacks.slurm_on_hyperpod import SlurmOnHyperPod
from bedplate.stacks.slurm_on_parallelcluster import SlurmOnParallelCluster
from bedplate.stacks.slurm_on_pcs import SlurmOnPcs
from bedplate.stacks.storage_stack import StorageStack

_SERVICES = {SlurmPcs: "PCS", SlurmParallelCluster: "ParallelCluster", SlurmHyperPod: "HyperPod"}


class OrchestrationStack(EnvironmentStack):
    """Control plane, roles, login nodes, pools and partitions."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        network: NetworkStack,
        storage: StorageStack,
        images: Mapping[str, str],
    ) -> None:
        slurm = environment.orchestrator
        super().__init__(
            scope,
            environment=environment,
            role="orchestration",
            purpose=f"Slurm cluster on {_SERVICES[type(slurm)]}",
        )
        self.add_stack_dependency(network)
        self.add_stack_dependency(storage)
        self.slurm: SlurmCluster = _cluster(self, environment, network, storage, images)
        """The cluster, as the other stacks see it."""


def _cluster(
    stack: OrchestrationStack,
    environment: Environment,
    network: NetworkStack,
    storage: StorageStack,
    images: Mapping[str, str],
) -> SlurmCluster:
    slurm = environment.orchestrator
    if isinstance(slurm, SlurmParallelCluster):
        return SlurmOnParallelCluster(
            stack, environment=environment, slurm=slurm, network=network, storage=storage, images=images
        ).cluster
    if isinstance(slurm, SlurmHyperPod):
        return SlurmOnHyperPod(
            stack, environment=environment, slurm=slurm, network=network, storage=storage
        ).cluster
    return SlurmOnPcs(
        stack, environment=environment, slurm=slurm, network=network, storage=storage, images=images
    ).cluster

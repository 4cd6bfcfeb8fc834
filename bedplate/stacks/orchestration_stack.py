"""The Slurm cluster of an environment."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from bedplate.spec import Environment
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.slurm_cluster import SlurmCluster
from bedplate.stacks.slurm_on_pcs import SlurmOnPcs
from bedplate.stacks.storage_stack import StorageStack


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
        super().__init__(scope, environment=environment, role="orchestration", purpose="Slurm cluster on PCS")
        self.add_stack_dependency(network)
        self.add_stack_dependency(storage)
        self.slurm: SlurmCluster = SlurmOnPcs(
            self, environment=environment, network=network, storage=storage, images=images
        ).cluster
        """The cluster, as the other stacks see it."""

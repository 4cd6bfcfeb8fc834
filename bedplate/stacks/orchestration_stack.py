"""The cluster of an environment: Slurm, or Kubernetes."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from bedplate.constructs.block_scaler_alarm import BlockScalerAlarm
from bedplate.constructs.hyperpod_health_events import HyperPodHealthEvents
from bedplate.spec import Environment
from bedplate.spec.orchestrator import Eks, SlurmHyperPod, SlurmParallelCluster, SlurmPcs
from bedplate.stacks.compute_cluster import ComputeCluster
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.node_collection import NodeCollection, node_collection
from bedplate.stacks.observability_stack import ObservabilityStack
from bedplate.stacks.slurm_on_hyperpod import SlurmOnHyperPod
from bedplate.stacks.slurm_on_parallelcluster import SlurmOnParallelCluster
from bedplate.stacks.slurm_on_pcs import SlurmOnPcs
from bedplate.stacks.storage_stack import StorageStack

_PURPOSES = {
    SlurmPcs: "Slurm cluster on PCS",
    SlurmParallelCluster: "Slurm cluster on ParallelCluster",
    SlurmHyperPod: "Slurm cluster on HyperPod",
    Eks: "Kubernetes cluster on EKS",
}


class OrchestrationStack(EnvironmentStack):
    """Control plane, roles, login nodes, pools and partitions; and who is told when the function that scales
    node groups on blocks fails, or when HyperPod finds something wrong with its nodes.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        network: NetworkStack,
        storage: StorageStack,
        observability: ObservabilityStack,
        images: Mapping[str, str],
    ) -> None:
        super().__init__(
            scope,
            environment=environment,
            role="orchestration",
            purpose=_PURPOSES[type(environment.orchestrator)],
        )
        for stack in (network, storage, observability):
            self.add_stack_dependency(stack)
        self.cluster: ComputeCluster = _cluster(
            self, environment, network, storage, node_collection(environment, observability), images
        )
        """The cluster, as the other stacks see it."""
        self._tell_people(observability.topic_arn)

    def _tell_people(self, topic_arn: str) -> None:
        """The topic's policy admits the alarms of this stack by its name, and EventBridge on HyperPod."""
        if self.cluster.block_scaler_name is not None:
            BlockScalerAlarm(
                self, "ScalerAlarm", function_name=self.cluster.block_scaler_name, topic_arn=topic_arn
            )
        if self.cluster.hyperpod is not None:
            HyperPodHealthEvents(self, "Health", cluster=self.cluster.hyperpod, topic_arn=topic_arn)


def _cluster(
    stack: OrchestrationStack,
    environment: Environment,
    network: NetworkStack,
    storage: StorageStack,
    collection: NodeCollection,
    images: Mapping[str, str],
) -> ComputeCluster:
    slurm = environment.orchestrator
    if isinstance(slurm, Eks):
        # Here, for it loads the CDK's classes of a dozen services, which Slurm has no use for.
        from bedplate.stacks.kubernetes_on_eks import KubernetesOnEks

        return KubernetesOnEks(
            stack, environment=environment, eks=slurm, network=network, storage=storage
        ).cluster
    if isinstance(slurm, SlurmParallelCluster):
        return SlurmOnParallelCluster(
            stack,
            environment=environment,
            slurm=slurm,
            network=network,
            storage=storage,
            collection=collection,
            images=images,
        ).cluster
    if isinstance(slurm, SlurmHyperPod):
        return SlurmOnHyperPod(
            stack,
            environment=environment,
            slurm=slurm,
            network=network,
            storage=storage,
            collection=collection,
        ).cluster
    return SlurmOnPcs(
        stack,
        environment=environment,
        slurm=slurm,
        network=network,
        storage=storage,
        collection=collection,
        images=images,
    ).cluster

"""What validation reads and uses in a deployed environment."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.constructs.cluster_manifest_object import ClusterManifestObject
from bedplate.constructs.hyperpod_replacement_access import HyperPodReplacementAccess
from bedplate.constructs.node_command_document import NodeCommandDocument
from bedplate.constructs.replacement_access import ReplacementAccess
from bedplate.constructs.slurm_accounts import SlurmAccounts
from bedplate.constructs.users_on_nodes import UsersOnNodes
from bedplate.constructs.validation_access import ValidationAccess
from bedplate.constructs.validation_runner import ValidationRunner
from bedplate.lockfile import LockFile
from bedplate.spec import Environment
from bedplate.stacks.cluster_manifest import cluster_manifest
from bedplate.stacks.compute_cluster import ComputeCluster
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.listed_users import user_list
from bedplate.stacks.names import ROLES, stack_name
from bedplate.stacks.network_stack import NetworkStack
from bedplate.stacks.observability_stack import ObservabilityStack
from bedplate.stacks.orchestration_stack import OrchestrationStack
from bedplate.stacks.slurm_teams import accounts_of
from bedplate.stacks.storage_stack import StorageStack

RUNNER_TIMEOUT_MINUTES = {1: 480, 2: 480, 3: 720, 4: 1440}
"""Level of DCGM → after how long CodeBuild ends a run: its wait for another run is part of that."""


class ValidationStack(EnvironmentStack):
    """Command document, access, the manifest, and the runner where the environment asks for one; deployed
    last, since the manifest names everything else.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        network: NetworkStack,
        storage: StorageStack,
        observability: ObservabilityStack,
        orchestration: OrchestrationStack,
        lock: LockFile | None,
    ) -> None:
        super().__init__(
            scope, environment=environment, role="validation", purpose="manifest and access for validation"
        )
        for stack in (storage, observability, orchestration):
            self.add_stack_dependency(stack)
        cluster = orchestration.cluster
        document_name = self._document(environment, cluster)
        access = ValidationAccess(
            self,
            "Access",
            environment=environment.name,
            node_role_name=cluster.node_role_name,
            node_tag=cluster.every_node_tag,
            document_name=document_name,
            hyperpod_arn=cluster.hyperpod.cluster_arn if cluster.hyperpod else None,
            bucket_arn=storage.results.bucket_arn,
            workspace_arn=observability.workspace.workspace_arn,
            kept_keys=[storage.users_key] if storage.users_key else [],
        )
        manifest = ClusterManifestObject(
            self,
            "Manifest",
            manifest=cluster_manifest(
                environment=environment,
                storage=storage,
                cluster=cluster,
                observability=observability,
                document_name=document_name,
                lock=lock,
            ),
            bucket_name=storage.results.bucket_name,
            bucket_arn=storage.results.bucket_arn,
        )
        further = [*self._replacement(environment, cluster), *storage.association_policy_arns]
        if environment.validation.runs_by_itself:
            runner = self._runner(environment, network, observability, access, further)
            # The rule that hears of the deploy's end is there well before that: EventBridge takes a while.
            manifest.node.add_dependency(runner)
        CfnOutput(
            self, "ManifestLocation", value=manifest.location, description="What `bedplate validate` reads"
        )
        CfnOutput(
            self,
            "OperatorPolicyArn",
            value=access.operator_policy_arn,
            description="Attach this to whoever runs `bedplate validate`",
        )

    def _document(self, environment: Environment, cluster: ComputeCluster) -> str | None:
        """The command that Systems Manager has nodes run, and what it has them follow; None where it does not
        reach them: those nodes follow the lists by themselves.
        """
        if cluster.every_node_tag is None:
            return None
        name = NodeCommandDocument(self, "NodeCommand").document_name
        self._teams(environment, cluster, name)
        users = user_list(environment.slurm)
        if users is not None:
            tag, value = cluster.every_node_tag
            UsersOnNodes(self, "Users", document_name=name, tags={tag: value}, users=users)
        return name

    def _teams(self, environment: Environment, cluster: ComputeCluster, document_name: str) -> None:
        if environment.slurm is not None and environment.slurm.teams:
            SlurmAccounts(
                self,
                "Teams",
                document_name=document_name,
                tags=dict(cluster.login_tags),
                teams=accounts_of(environment.slurm.teams),
                slurm_version=cluster.version,
            )

    def _replacement(self, environment: Environment, cluster: ComputeCluster) -> list[str]:
        """The right to end instances, where the environment asks for replacements and a command makes them:
        of nodes of Kubernetes none does yet (RUN-005).
        """
        if environment.validation.on_failure != "replace" or environment.kubernetes is not None:
            return []
        access: ReplacementAccess | HyperPodReplacementAccess
        if cluster.hyperpod is not None:
            access = HyperPodReplacementAccess(self, "Replacement", cluster_arn=cluster.hyperpod.cluster_arn)
        else:
            access = ReplacementAccess(self, "Replacement", tags=cluster.pool_tags)
        CfnOutput(
            self,
            "ReplacementPolicyArn",
            value=access.policy_arn,
            description="Attach this too to whoever runs `bedplate act` with on_failure: replace",
        )
        return [access.policy_arn]

    def _runner(
        self,
        environment: Environment,
        network: NetworkStack,
        observability: ObservabilityStack,
        access: ValidationAccess,
        further: Sequence[str],
    ) -> ValidationRunner:
        wanted = environment.validation
        runner = ValidationRunner(
            self,
            "Runner",
            environment=environment.name,
            operator_policy_arn=access.operator_policy_arn,
            further_policy_arns=further,
            vpc_id=network.vpc_id,
            subnet_ids=network.control_subnet_ids,
            topic_arn=observability.topic_arn,
            key_arn=observability.topic_key_arn,
            stack_names=[stack_name(environment=environment.name, role=role) for role in ROLES],
            after_deploy=wanted.after_deploy,
            schedule=wanted.schedule,
            timeout_minutes=RUNNER_TIMEOUT_MINUTES[wanted.dcgm_level],
        )
        CfnOutput(
            self,
            "RunnerProject",
            value=runner.project_name,
            description="CodeBuild project that validates; `aws codebuild start-build` starts it by hand",
        )
        return runner

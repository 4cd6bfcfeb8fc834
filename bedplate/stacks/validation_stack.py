"""What validation reads and uses in a deployed environment."""

from __future__ import annotations

from aws_cdk import CfnOutput
from constructs import Construct

from bedplate.constructs.cluster_manifest_object import ClusterManifestObject
from bedplate.constructs.node_command_document import NodeCommandDocument
from bedplate.constructs.validation_access import ValidationAccess
from bedplate.lockfile import LockFile
from bedplate.spec import Environment
from bedplate.stacks.cluster_manifest import cluster_manifest
from bedplate.stacks.environment_stack import EnvironmentStack
from bedplate.stacks.observability_stack import ObservabilityStack
from bedplate.stacks.orchestration_stack import OrchestrationStack
from bedplate.stacks.storage_stack import StorageStack


class ValidationStack(EnvironmentStack):
    """Command document, access, and the manifest; deployed last, since the manifest names everything else."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        storage: StorageStack,
        orchestration: OrchestrationStack,
        observability: ObservabilityStack,
        lock: LockFile | None,
    ) -> None:
        super().__init__(
            scope, environment=environment, role="validation", purpose="manifest and access for validation"
        )
        for stack in (storage, orchestration, observability):
            self.add_stack_dependency(stack)
        document = NodeCommandDocument(self, "NodeCommand")
        access = ValidationAccess(
            self,
            "Access",
            environment=environment.name,
            node_role_name=orchestration.node_role_name,
            cluster_id=orchestration.cluster_id,
            document_name=document.document_name,
            bucket_arn=storage.results.bucket_arn,
        )
        manifest = ClusterManifestObject(
            self,
            "Manifest",
            manifest=cluster_manifest(
                environment=environment,
                storage=storage,
                orchestration=orchestration,
                observability=observability,
                document_name=document.document_name,
                lock=lock,
            ),
            bucket_name=storage.results.bucket_name,
            bucket_arn=storage.results.bucket_arn,
        )
        CfnOutput(
            self, "ManifestLocation", value=manifest.location, description="What `bedplate validate` reads"
        )
        CfnOutput(
            self,
            "OperatorPolicyArn",
            value=access.operator_policy_arn,
            description="Attach this to whoever runs `bedplate validate`",
        )

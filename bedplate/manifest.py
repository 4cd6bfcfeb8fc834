"""What a deploy leaves behind for validation to read.

The stacks write it, validation reads it, nothing else crosses. The body is an object in the result bucket,
since an SSM parameter holds 4 KB; the parameter ``/bedplate/<environment>/manifest`` holds ``s3://bucket/key``.
Times are ISO 8601 in UTC; sizes carry their unit in the name.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bedplate.hardware import INSTANCE_TYPES, InstanceType, instance_type

MANIFEST_VERSION = 3


def manifest_parameter_name(environment: str) -> str:
    """The name of the SSM parameter that points to an environment's manifest."""
    return f"/bedplate/{environment}/manifest"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Orchestrator(_Frozen):
    """The control plane and how it is named at AWS."""

    kind: Literal["slurm-pcs", "slurm-parallelcluster", "slurm-hyperpod", "eks", "eks-hyperpod"]
    cluster_id: str
    cluster_name: str
    version: str


class PoolManifest(_Frozen):
    """One pool of equal nodes."""

    name: str
    instance_type: str
    node_count_min: int
    node_count_max: int
    node_group_id: str = Field(
        description="What the service calls the pool's group: PCS a node group's id, ParallelCluster a "
        "compute resource's name, HyperPod an instance group's, EKS a node group's"
    )
    selection_tags: dict[str, str] = Field(
        description="EC2 tags that select exactly this pool's instances; none where those are not the "
        "account's own"
    )
    partitions: list[str] = Field(description="Slurm partitions that hold the pool")
    expected_gpus_per_node: int
    expected_efas_per_node: int
    capacity_source: str
    reservation_id: str | None = None
    capacity_start_time: str | None = Field(default=None, description="When a block begins")
    capacity_warning_time: str | None = Field(
        default=None, description="When EC2 sends the event that it will take the instances"
    )
    capacity_taken_time: str | None = Field(
        default=None, description="When EC2 begins to take the instances, before the end"
    )
    capacity_end_time: str | None = Field(default=None, description="When a block ends")

    @model_validator(mode="after")
    def _layout_is_there(self) -> PoolManifest:
        if self.instance_type in INSTANCE_TYPES:
            _ = self.hardware
        return self

    @property
    def hardware(self) -> InstanceType:
        """The type's row of the hardware table, with as many EFAs as the deploy attached.

        Raises ``UnknownInstanceType``, and ``NoSuchLayout`` where the type has no layout with that many.
        """
        return instance_type(self.instance_type).laid_out(efas=self.expected_efas_per_node)


class LoginManifest(_Frozen):
    """The nodes on which multi-node runs are started; empty where there are none (Kubernetes)."""

    node_group_id: str
    selection_tags: dict[str, str]


class AssociationManifest(_Frozen):
    """One folder of the file system that is tied to a bucket."""

    path: str
    data_repository: str
    imports: list[Literal["new", "changed", "deleted"]] = Field(
        default=[], description="Changes in the bucket that show in the folder by themselves"
    )
    exports: list[Literal["new", "changed", "deleted"]] = Field(
        default=[], description="Changes in the folder that go to the bucket by themselves"
    )


class FileSystemManifest(_Frozen):
    """One file system as clients see it."""

    kind: Literal["lustre", "openzfs", "efs"]
    created: bool = Field(description="Whether the stack made it; else it was given by id")
    file_system_id: str
    mount_source: str = Field(description="What clients give to mount: `dns@tcp:/name`, `dns:/path`, …")
    mount_path: str
    efa: bool = Field(description="Whether clients reach it by EFA")
    throughput_mb_per_s: int | None = Field(
        default=None, description="What it was provisioned with, 1e6 bytes a second; None where not known"
    )
    associations: list[AssociationManifest] = []


class ObservabilityManifest(_Frozen):
    """Where metrics and alarms go."""

    amp_workspace_id: str
    amp_endpoint: str
    alarm_topic_arn: str
    grafana_workspace_id: str | None = Field(
        default=None, description="Workspace of Amazon Managed Grafana; None where there is none"
    )
    grafana_url: str | None = Field(default=None, description="Where people open the dashboards")


class XidPolicyManifest(_Frozen):
    """What an Xid means in this environment, and why."""

    xid: int
    policy: Literal["ignore", "monitor", "restart-app", "reset", "reboot", "replace"]
    reason: str


class ValidationManifest(_Frozen):
    """What validation may use and what it is asked to do."""

    result_bucket: str
    command_document: str = Field(
        description="Name of the SSM document that runs the node program; empty where Systems Manager does "
        "not reach the nodes"
    )
    dcgm_level: int
    throughput: bool = False
    collectives: list[str]
    cover_links: bool = False
    waivers: dict[str, str] = Field(description="Check id → reason")
    xid_policies: list[XidPolicyManifest] = []
    on_failure: Literal["report", "drain", "replace"]
    act_on_at_most_percent: int = 10


class ClusterManifest(_Frozen):
    """Everything that validation knows about a deployed environment."""

    version: Literal[3] = 3
    environment: str
    account: str
    region: str
    zone_id: str
    orchestrator: Orchestrator
    pools: list[PoolManifest]
    login: LoginManifest
    file_systems: list[FileSystemManifest]
    local_nvme: Literal["raid0", "none"] = Field(
        default="none", description="Whether nodes make one scratch volume of their NVMe disks"
    )
    observability: ObservabilityManifest | None
    validation: ValidationManifest
    users_key: str | None = Field(
        default=None,
        description="Key of the list of users in the result bucket; None where nodes make no users",
    )
    containers: bool = Field(default=False, description="Whether nodes have Enroot and Pyxis")
    collection: bool = Field(default=False, description="Whether nodes collect and send metrics")
    tags: dict[str, str] = {}

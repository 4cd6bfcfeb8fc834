"""File systems and buckets that are there already, as AWS tells of them: all is well, to be spoilt."""

from __future__ import annotations

from typing import Any

from bedplate.spec.file_systems import Association, ExistingEfs, ExistingLustre, ExistingOpenZfs, Lustre
from bedplate.spec.storage import Storage
from tests.validation.preflight.fake_aws import FakeAws, refusal
from tests.validation.preflight.network_answers import (
    FABRIC,
    GPU_SUBNET,
    RANGES,
    VPC_ID,
    existing_network,
    fabric,
    pair,
    subnet,
)

LUSTRE_ID, ZFS_ID, EFS_ID = (f"fs-0123456789abcdef{number}" for number in (1, 2, 3))
SERVERS = "sg-0123456789abcdef5"
BUCKET = "acme-datasets"
ROLE = "arn:aws:iam::123456789012:role/cdk-hnb659fds-cfn-exec-role-123456789012-us-west-2"


def lustre_row(**changes: Any) -> dict[str, Any]:
    """A Lustre file system with EFA, in the nodes' zone."""
    lustre = {"MountName": "abcdefgh", "EfaEnabled": True, "DeploymentType": "PERSISTENT_2"}
    return {
        "FileSystemId": LUSTRE_ID,
        "FileSystemType": "LUSTRE",
        "Lifecycle": "AVAILABLE",
        "StorageCapacity": 38400,
        "VpcId": VPC_ID,
        "SubnetIds": [GPU_SUBNET],
        "NetworkInterfaceIds": ["eni-1"],
        "LustreConfiguration": {**lustre, **changes.pop("lustre", {})},
        **changes,
    }


def zfs_row(**changes: Any) -> dict[str, Any]:
    """An OpenZFS file system in the nodes' zone."""
    return {
        "FileSystemId": ZFS_ID,
        "FileSystemType": "OPENZFS",
        "Lifecycle": "AVAILABLE",
        "StorageCapacity": 1024,
        "VpcId": VPC_ID,
        "SubnetIds": [GPU_SUBNET],
        "NetworkInterfaceIds": ["eni-1"],
        "OpenZFSConfiguration": {"ThroughputCapacity": 160},
        **changes,
    }


def volume(path: str, *options: str) -> dict[str, Any]:
    """A volume that is exported with these options."""
    exports = [{"ClientConfigurations": [{"Clients": "*", "Options": list(options)}]}] if options else []
    return {
        "FileSystemId": ZFS_ID,
        "VolumeType": "OPENZFS",
        "OpenZFSConfiguration": {"VolumePath": path, "NfsExports": exports},
    }


def target(zone: str = "usw2-az2", **changes: Any) -> dict[str, Any]:
    """A mount target."""
    return {
        "MountTargetId": f"fsmt-{zone}",
        "FileSystemId": EFS_ID,
        "SubnetId": GPU_SUBNET,
        "VpcId": VPC_ID,
        "AvailabilityZoneId": zone,
        "LifeCycleState": "available",
        **changes,
    }


def group(**changes: Any) -> dict[str, Any]:
    """The servers' group, which lets the nodes' and itself through by id, both ways."""
    open_ = [pair(FABRIC), pair(SERVERS)]
    return {
        "GroupId": SERVERS,
        "VpcId": VPC_ID,
        "IpPermissions": open_,
        "IpPermissionsEgress": open_,
        **changes,
    }


def nodes_group(**changes: Any) -> dict[str, Any]:
    """The nodes' group, which lets the servers' through by id, both ways."""
    whole = fabric()
    return {
        **whole,
        "IpPermissions": [*whole["IpPermissions"], pair(SERVERS)],
        "IpPermissionsEgress": [*whole["IpPermissionsEgress"], pair(SERVERS)],
        **changes,
    }


def existing_lustre(**changes: Any) -> ExistingLustre:
    """The Lustre file system as the environment file names it."""
    given = {"kind": "existing-lustre", "mount": "/fsx", "id": LUSTRE_ID, "mount_name": "abcdefgh"}
    return ExistingLustre(**{**given, "efa": True, **changes})  # type: ignore[arg-type]


def existing_zfs(**changes: Any) -> ExistingOpenZfs:
    """The OpenZFS file system as the environment file names it."""
    return ExistingOpenZfs(
        **{"kind": "existing-openzfs", "mount": "/home", "id": ZFS_ID, **changes}  # type: ignore[arg-type]
    )


def existing_efs(**changes: Any) -> ExistingEfs:
    """The EFS file system as the environment file names it."""
    return ExistingEfs(
        **{"kind": "existing-efs", "mount": "/home", "id": EFS_ID, **changes}  # type: ignore[arg-type]
    )


def tied_to(*prefixes: str) -> Storage:
    """A new file system, each folder of it tied to a prefix of the bucket."""
    return Storage(
        file_systems=(
            Lustre(
                kind="lustre",
                mount="/fsx",
                capacity_gib=38400,
                associations=tuple(
                    Association(path=f"/f{number}", bucket=BUCKET, prefix=prefix)
                    for number, prefix in enumerate(prefixes)
                ),
            ),
        )
    )


def with_file_systems(*file_systems: Any, **vpc: Any) -> dict[str, Any]:
    """The changes that give an environment these file systems in the existing network."""
    return {**existing_network(**vpc), "storage": Storage(file_systems=file_systems)}


def prepare(aws: FakeAws) -> FakeAws:
    """Let all of them be there, and the deploying role may do everything."""
    rows = {LUSTRE_ID: lustre_row(), ZFS_ID: zfs_row()}
    groups = {SERVERS: group(), FABRIC: nodes_group()}
    aws.tables["fsx"] |= {
        "describe_file_systems": lambda request: {
            "FileSystems": [rows[each] for each in request.get("FileSystemIds", rows)]
        },
        "describe_volumes": {"Volumes": [volume("/fsx", "rw", "no_root_squash")]},
    }
    aws.tables["efs"] = {
        "describe_file_systems": {"FileSystems": [{"FileSystemId": EFS_ID, "LifeCycleState": "available"}]},
        "describe_mount_targets": {"MountTargets": [target()]},
        "describe_mount_target_security_groups": {"SecurityGroups": [SERVERS]},
    }
    aws.tables["ec2"] |= {
        "describe_subnets": lambda request: {
            "Subnets": [subnet(each) for each in request.get("SubnetIds", RANGES)]
        },
        "describe_network_interfaces": lambda request: {
            "NetworkInterfaces": [{"SubnetId": GPU_SUBNET, "Groups": [{"GroupId": SERVERS}]}]
            if "NetworkInterfaceIds" in request
            else []
        },
        "describe_security_groups": lambda request: {
            "SecurityGroups": [groups[each] for each in request["GroupIds"]]
        },
    }
    aws.tables["s3"] = {
        "get_bucket_location": {"LocationConstraint": "us-west-2"},
        "get_bucket_policy": refusal("NoSuchBucketPolicy"),
        "get_bucket_encryption": refusal("ServerSideEncryptionConfigurationNotFoundError"),
    }
    aws.tables["iam"]["simulate_principal_policy"] = simulated()
    known = aws.tables["iam"]["get_role"]
    aws.tables["iam"]["get_role"] = lambda request: (
        {"Role": {"Arn": ROLE}} if ROLE.endswith(request["RoleName"]) else known(request)
    )
    return aws


def simulated(*denied: str) -> Any:
    """The simulator's answer: everything is allowed but these actions."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return {
            "EvaluationResults": [
                {
                    "EvalActionName": action,
                    "EvalResourceName": resource,
                    "EvalDecision": "implicitDeny" if action in denied else "allowed",
                }
                for action in request["ActionNames"]
                for resource in request["ResourceArns"]
            ]
        }

    return answer

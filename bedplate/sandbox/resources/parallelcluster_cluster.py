"""Custom::PclusterCluster: what ParallelCluster's provider makes of a configuration.

What a wrong configuration would be refused for by ParallelCluster's own validators is checked against those
validators in the tests of ``bedplate.slurm.parallelcluster``; here stands what the account itself refuses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.parallelcluster_instances import ParallelClusterInstances
from bedplate.sandbox.sandbox import PlayedParallelCluster, Sandbox
from bedplate.sandbox.services.s3_objects import read_object
from bedplate.sandbox.services.service import ApiError

Row = Mapping[str, Any]


class ParallelClusterHandler:
    """Makes a cluster's instances, and remembers it by name."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._instances = ParallelClusterInstances(sandbox)

    def create(self, request: ResourceRequest) -> Made:
        """Check the configuration against the account, and launch what is always there."""
        name, version = str(request.properties["ClusterName"]), self._version(request)
        clusters = self._sandbox.parallelcluster.clusters
        if name in clusters:
            raise ResourceError(f"ConflictException: cluster {name} already exists")
        configuration = self._checked(request)
        cluster = PlayedParallelCluster(name=name, version=version, configuration=configuration)
        clusters[name] = cluster
        try:
            self._instances.scale(request, cluster)
        except ResourceError:
            # The provider deletes a cluster that does not come up, before it answers.
            self._instances.end_all(request, clusters.pop(name))
            raise
        return self._made(request, cluster)

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Another configuration; the name and the version are for life."""
        cluster = self._sandbox.parallelcluster.clusters[made.physical_id]
        if request.properties["ClusterName"] != cluster.name:
            raise ResourceError("Cannot update the ClusterName in the properties.")
        if self._version(request) != cluster.version:
            raise ResourceError(f"the cluster is of {cluster.version}, and is updated by that version alone")
        cluster.configuration = self._checked(request)
        self._instances.scale(request, cluster)
        return self._made(request, cluster)

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """End all of its instances, unless they are to stay."""
        if request.properties.get("DeletionPolicy") == "Retain":
            return
        cluster = self._sandbox.parallelcluster.clusters.pop(made.physical_id, None)
        if cluster is not None:
            self._instances.end_all(request, cluster)

    def _version(self, request: ResourceRequest) -> str:
        token = str(request.properties["ServiceToken"])
        providers = self._sandbox.parallelcluster.providers
        if token not in providers:
            raise ResourceError(f"no provider of ParallelCluster answers at {token}")
        return providers[token]

    def _checked(self, request: ResourceRequest) -> dict[str, Any]:
        found: dict[str, Any] = _typed(request.properties["ClusterConfiguration"])
        if found.get("Region") != request.region:
            raise ResourceError(f"Region is {found.get('Region')}, the stack is in {request.region}")
        for node in _nodes(found):
            self._check_node(request, node)
        self._check_storage(found)
        for queue in found["Scheduling"]["SlurmQueues"]:
            for resource in queue["ComputeResources"]:
                _check_counts(queue, resource)
        return found

    def _check_node(self, request: ResourceRequest, node: Row) -> None:
        backend, networking = ec2_backends[request.account][request.region], node["Networking"]
        for subnet in networking.get("SubnetIds") or [networking["SubnetId"]]:
            backend.get_subnet(subnet)
        for group in networking["SecurityGroups"]:
            if backend.get_security_group_from_id(group) is None:
                raise ResourceError(f"InvalidGroup.NotFound: {group} does not exist")
        policies = iam_backends[request.account]["aws"].managed_policies
        for policy in node["Iam"]["AdditionalIamPolicies"]:
            if policy["Policy"] not in policies:
                raise ResourceError(f"NoSuchEntity: policy {policy['Policy']} does not exist")
        for action in node["CustomActions"].values():
            bucket, _, key = str(action["Script"]).removeprefix("s3://").partition("/")
            try:
                read_object(request.account, bucket, key)
            except ApiError as error:
                raise ResourceError(f"UrlValidator: {action['Script']}: {error}") from error

    def _check_storage(self, configuration: Row) -> None:
        for each in configuration.get("SharedStorage") or []:
            settings = each.get("FsxLustreSettings") or {}
            wanted = settings.get("FileSystemId")
            if wanted is not None and wanted not in self._sandbox.fsx.file_systems:
                raise ResourceError(f"FsxValidator: file system {wanted} does not exist")

    def _made(self, request: ResourceRequest, cluster: PlayedParallelCluster) -> Made:
        (head,) = cluster.instances["head"]
        instance = ec2_backends[request.account][request.region].get_instance(head)
        told = {
            "clusterName": cluster.name,
            "clusterStatus": "CREATE_COMPLETE",
            "version": cluster.version,
            "region": request.region,
            "cloudformationStackArn": request.arn("cloudformation", f"stack/{cluster.name}/0"),
            "headNode.instanceId": head,
            "headNode.privateIpAddress": str(instance.private_ip),
            "validationMessages": "[]",
        }
        return Made(physical_id=cluster.name, attribute=told.__getitem__, state=told)


def _nodes(configuration: Row) -> list[Row]:
    return [
        configuration["HeadNode"],
        *configuration["LoginNodes"]["Pools"],
        *configuration["Scheduling"]["SlurmQueues"],
    ]


def _check_counts(queue: Row, resource: Row) -> None:
    least, most = int(resource["MinCount"]), int(resource["MaxCount"])
    if not 0 <= least <= most:
        raise ResourceError(f"{resource['Name']}: MinCount {least} and MaxCount {most}")
    if queue["CapacityType"] == "CAPACITY_BLOCK" and not least == most > 0:
        raise ResourceError(f"{resource['Name']}: a Capacity Block takes MinCount equal to MaxCount")


def _typed(value: Any) -> Any:
    """CloudFormation hands a custom resource every number and truth as text."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if value in ("true", "false"):
        return json.loads(value)
    return value

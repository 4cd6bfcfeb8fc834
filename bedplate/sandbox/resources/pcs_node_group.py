"""AWS::PCS::ComputeNodeGroup: launches EC2 instances and boots them as simulated nodes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.resources.pcs_cluster import pcs_id
from bedplate.sandbox.resources.pcs_instances import PcsInstances, launch_template
from bedplate.sandbox.resources.pcs_names import refuse_one_too_many, refuse_second_of_name
from bedplate.sandbox.resources.pcs_reservation import check_purchase
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_shapes import lower_camel

LARGEST_CLUSTER = {"SMALL": 32, "MEDIUM": 512, "LARGE": 2048}
"""Instances that PCS manages in a cluster of each size (API CreateCluster, ``size``:
https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateCluster.html)."""


class PcsNodeGroupHandler(GenericHandler):
    """Checks what PCS checks, keeps ``MinInstanceCount`` instances running, and ends them on delete."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._instances = PcsInstances(sandbox)

    def create(self, request: ResourceRequest) -> Made:
        """Record the group, then launch its static instances."""
        self._refuse_what_pcs_refuses(request)
        neighbours = self._sandbox.pcs.groups_of(request.properties["ClusterId"])
        refuse_second_of_name("compute node group", request.properties.get("Name"), neighbours)
        refuse_one_too_many("compute node group", neighbours)
        made = super().create(request)
        self._record(made)
        try:
            self._instances.scale(request, made.state)
        except Exception:
            self._forget(made, request)
            raise
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Scale; another launch template version or AMI replaces the running instances."""
        self._refuse_what_pcs_refuses(request, known_id=made.state["Id"])
        new = super().update(request, made, old)
        self._record(new)
        launch = ("CustomLaunchTemplate", "AmiId", "IamInstanceProfileArn", "SubnetIds", "PurchaseOption")
        if any(old.get(name) != request.properties.get(name) for name in launch):
            self._instances.terminate_all(request, made.state["Id"])
        self._instances.scale(request, new.state)
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Refuse while a queue uses the group; then end its instances."""
        group_id = made.state["Id"]
        for queue in self._sandbox.pcs.queues.values():
            if any(m.get("computeNodeGroupId") == group_id for m in queue["computeNodeGroupConfigurations"]):
                raise ResourceError(f"ConflictException: queue {queue['id']} uses node group {group_id}")
        self._forget(made, request)

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Id and ARN in PCS's style."""
        group_id = values["Id"] if str(values.get("Id", "")).startswith("pcs_") else pcs_id()
        arn = request.arn("pcs", f"cluster/{request.properties['ClusterId']}/computenodegroup/{group_id}")
        return {"Id": group_id, "Arn": arn, "Status": "ACTIVE", "ErrorInfo": []}

    def _forget(self, made: Made, request: ResourceRequest) -> None:
        self._instances.terminate_all(request, made.state["Id"])
        self._sandbox.pcs.node_groups.pop(made.state["Id"], None)

    def _refuse_what_pcs_refuses(self, request: ResourceRequest, known_id: str | None = None) -> None:
        properties = request.properties
        cluster = self._sandbox.pcs.clusters.get(properties["ClusterId"])
        if cluster is None:
            raise ResourceError(
                f"ResourceNotFoundException: cluster {properties['ClusterId']} does not exist"
            )
        scaling = properties["ScalingConfiguration"]
        smallest, largest = int(scaling["MinInstanceCount"]), int(scaling["MaxInstanceCount"])
        if smallest > largest:
            raise ResourceError(f"MinInstanceCount {smallest} is over MaxInstanceCount {largest}")
        others = sum(
            group["scalingConfiguration"]["maxInstanceCount"]
            for group in self._sandbox.pcs.groups_of(cluster["id"])
            if group["id"] != known_id
        )
        if others + largest > LARGEST_CLUSTER[cluster["size"]]:
            limit, size = LARGEST_CLUSTER[cluster["size"]], cluster["size"]
            raise ResourceError(f"{others + largest} instances are over the {limit} of a {size} cluster")
        _check_instance_profile(request)
        self._check_zone(request)
        check_purchase(self._sandbox, properties, launch_template(request, properties))

    def _check_zone(self, request: ResourceRequest) -> None:
        backend = ec2_backends[request.account][request.region]
        for subnet_id in request.properties["SubnetIds"]:
            zone_id = backend.get_subnet(subnet_id).availability_zone_id
            for config in request.properties["InstanceConfigs"]:
                offers = backend.describe_instance_type_offerings(
                    location_type="availability-zone-id",
                    filters={"instance-type": [config["InstanceType"]], "location": [zone_id]},
                )
                if not offers:
                    raise ResourceError(f"Unsupported: {config['InstanceType']} is not offered in {zone_id}")

    def _record(self, made: Made) -> None:
        state, now = made.state, datetime.now(UTC)
        known = self._sandbox.pcs.node_groups.get(state["Id"], {})
        scaling = state["ScalingConfiguration"]
        self._sandbox.pcs.node_groups[state["Id"]] = {
            "name": state.get("Name") or known.get("name") or state["Id"],
            "id": state["Id"],
            "arn": state["Arn"],
            "clusterId": state["ClusterId"],
            "status": "ACTIVE",
            "createdAt": known.get("createdAt", now),
            "modifiedAt": now,
            "amiId": state.get("AmiId"),
            "subnetIds": list(state["SubnetIds"]),
            "purchaseOption": state.get("PurchaseOption", "ONDEMAND"),
            "customLaunchTemplate": {
                "id": state["CustomLaunchTemplate"].get("TemplateId")
                or state["CustomLaunchTemplate"].get("Id"),
                "version": str(state["CustomLaunchTemplate"]["Version"]),
            },
            "iamInstanceProfileArn": state["IamInstanceProfileArn"],
            "scalingConfiguration": {
                "minInstanceCount": int(scaling["MinInstanceCount"]),
                "maxInstanceCount": int(scaling["MaxInstanceCount"]),
            },
            "instanceConfigs": lower_camel(state["InstanceConfigs"]),
            "slurmConfiguration": lower_camel(state.get("SlurmConfiguration") or {}),
        }


def _check_instance_profile(request: ResourceRequest) -> None:
    """The role must be named AWSPCS… or lie under /aws-pcs/ (PCS User Guide, instance profiles)."""
    arn = request.properties["IamInstanceProfileArn"]
    profiles = iam_backends[request.account]["aws"].instance_profiles.values()
    profile = next((profile for profile in profiles if profile.arn == arn), None)
    if profile is None:
        raise ResourceError(f"ValidationException: instance profile {arn} does not exist")
    for role in profile.roles:
        if not role.name.startswith("AWSPCS") and not role.path.startswith("/aws-pcs/"):
            raise ResourceError(
                f"ValidationException: role {role.name} must be named AWSPCS… or have the path /aws-pcs/"
            )

"""The EC2 instances of a managed node group, and the simulated nodes behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.hardware import UnknownInstanceType, instance_type
from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.eks.records import EksNode, PlayedEksCluster
from bedplate.sandbox.eks.versions import image_of
from bedplate.sandbox.nodes import Role
from bedplate.sandbox.reservations import known_reservations
from bedplate.sandbox.resources.eks_template import (
    addresses,
    efas,
    security_groups,
    tags,
    template_of,
    type_of,
    user_data,
)
from bedplate.sandbox.resources.pcs_reservation import places
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_shapes import upper_camel
from bedplate.sandbox.services.s3_objects import read_object, write_object

BOOTS_AT_ONCE = 4
Row = Mapping[str, Any]


class EksInstances:
    """Launches and ends what a node group asks for, as its Auto Scaling group does."""

    def __init__(self, sandbox: Sandbox, cluster: PlayedEksCluster) -> None:
        self._sandbox = sandbox
        self._cluster = cluster
        self._ec2 = ec2_backends[cluster.account][cluster.region]

    def scale(self, group: Row) -> None:
        """Bring the number of instances to the desired one.

        A Capacity Block that has not begun launches nothing, and the group tells so in its health.
        """
        name = str(group["nodegroupName"])
        wanted = int(group["scalingConfig"]["desiredSize"])
        nodes = self._cluster.nodes_of(name)
        self.end([node.instance_id for node in nodes[wanted:]])
        missing = wanted - len(nodes)
        group["health"]["issues"] = []
        if missing <= 0:
            return
        request = self._request(group)
        template = template_of(request, request.properties)
        late = self._not_begun(group, template)
        if late:
            group["health"]["issues"] = [{"code": "AsgInstanceLaunchFailures", "message": late}]
            return
        counts = Counter(group["subnets"][index % len(group["subnets"])] for index in range(missing))
        for subnet_id, count in counts.items():
            self._launch(request, group, template, subnet_id=subnet_id, count=count)

    def end(self, instance_ids: list[str]) -> None:
        """End instances of the cluster."""
        for instance_id in instance_ids:
            for instance, _ in self._ec2.terminate_instances([instance_id]):
                for interface in list(instance.nics.values()):  # moto keeps those not asked to go
                    self._ec2.enis.pop(interface.id, None)
            self._sandbox.fleet.terminate(instance_id)
            self._sandbox.launched_into.pop(instance_id, None)
            self._cluster.nodes.pop(instance_id, None)

    def end_all(self, group: Row) -> None:
        """End every instance of one group."""
        self.end([node.instance_id for node in self._cluster.nodes_of(str(group["nodegroupName"]))])

    def relabel(self, group: Row) -> None:
        """Give the group's nodes its labels and taints of now."""
        for node in self._cluster.nodes_of(str(group["nodegroupName"])):
            instance = self._ec2.get_instance(node.instance_id)
            self._cluster.nodes[node.instance_id] = self._node(group, instance, node.efa_count)

    def _launch(
        self, request: ResourceRequest, group: Row, template: Row, *, subnet_id: str, count: int
    ) -> None:
        subnet = self._ec2.get_subnet(subnet_id)
        free, needed = subnet.available_ip_address_count, count * addresses(template)
        if free < needed:
            raise ResourceError(
                f"InsufficientFreeAddresses: {subnet_id} has {free} free, {needed} are needed"
            )
        kind = type_of(request.properties, template)
        launch = {"SubnetIds": [subnet_id], "InstanceConfigs": [{"InstanceType": kind}]}
        reserved = places(self._sandbox, request, launch, template, count=count)
        shared = self._cluster.described["resourcesVpcConfig"]["clusterSecurityGroupId"]
        own = self._tags(group, template)
        image = template.get("ImageId") or image_of(
            group["amiType"], group["version"], group["releaseVersion"]
        )
        launched = self._ec2.run_instances(
            image_id=str(image),
            count=count,
            user_data=template.get("UserData"),
            security_group_names=[],
            security_group_ids=security_groups(template) or [shared],
            instance_type=kind,
            is_instance_type_default=False,
            region_name=request.region,
            subnet_id=subnet_id,
            tags={"instance": own, "volume": {}},
        ).instances
        for instance in launched:
            self._cluster.nodes[instance.id] = self._node(group, instance, efas(template))
        self._sandbox.launched_into.update(zip((each.id for each in launched), reserved, strict=False))
        with ThreadPoolExecutor(BOOTS_AT_ONCE) as pool:
            jobs = [pool.submit(self._boot, each, group, template, own) for each in launched]
            for job in jobs:
                try:
                    job.result()
                except Exception as error:
                    raise ResourceError(
                        f"a node of {group['nodegroupName']} did not come up: {error}"
                    ) from error

    def _boot(self, instance: Any, group: Row, template: Row, own: Mapping[str, str]) -> None:
        role: Role = "compute" if _is_known(instance.instance_type) else "login"
        bottlerocket = str(group["amiType"]).startswith("BOTTLEROCKET")
        self._sandbox.fleet.boot(
            instance.id,
            instance_type=instance.instance_type,
            role=role,
            private_ip=str(instance.private_ip),
            slurm_name=None,
            user_data="" if bottlerocket else user_data(template),  # settings, which nothing here runs
            tags=own,
            s3_fetch=partial(read_object, self._cluster.account),
            s3_put=partial(write_object, self._cluster.account),
            efa_count=efas(template),
        )

    def _tags(self, group: Row, template: Row) -> dict[str, str]:
        (scaling_group,) = group["resources"]["autoScalingGroups"]
        return {
            **tags(template),
            "eks:cluster-name": self._cluster.name,
            "eks:nodegroup-name": str(group["nodegroupName"]),
            f"kubernetes.io/cluster/{self._cluster.name}": "owned",
            "aws:autoscaling:groupName": str(scaling_group["name"]),
        }

    def _node(self, group: Row, instance: Any, efa_count: int | None) -> EksNode:
        subnet = self._ec2.get_subnet(instance.subnet_id)
        name = f"ip-{str(instance.private_ip).replace('.', '-')}.{self._cluster.region}.compute.internal"
        arm = "ARM_64" in str(group["amiType"])
        return EksNode(
            instance_id=instance.id,
            name=name,
            group=str(group["nodegroupName"]),
            instance_type=instance.instance_type,
            private_ip=str(instance.private_ip),
            zone=str(subnet.availability_zone),
            zone_id=str(subnet.availability_zone_id),
            efa_count=efa_count,
            labels={
                "eks.amazonaws.com/nodegroup": str(group["nodegroupName"]),
                "eks.amazonaws.com/capacityType": str(group["capacityType"]),
                "kubernetes.io/arch": "arm64" if arm else "amd64",
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "node.kubernetes.io/instance-type": instance.instance_type,
                "topology.k8s.aws/zone-id": str(subnet.availability_zone_id),
                "topology.kubernetes.io/region": self._cluster.region,
                "topology.kubernetes.io/zone": str(subnet.availability_zone),
                **group["labels"],
            },
            taints=tuple(_taints(group)),
        )

    def _not_begun(self, group: Row, template: Row) -> str:
        if group["capacityType"] != "CAPACITY_BLOCK":
            return ""
        target = template["CapacityReservationSpecification"]["CapacityReservationTarget"]
        reservation = str(target["CapacityReservationId"])
        state = known_reservations(self._sandbox)[reservation].get("State")
        return f"{reservation} is {state}" if state in ("scheduled", "payment-pending") else ""

    def _request(self, group: Row) -> ResourceRequest:
        return ResourceRequest(
            account=self._cluster.account,
            region=self._cluster.region,
            stack_id="",
            stack_name="",
            logical_id=str(group["nodegroupName"]),
            type_name="AWS::EKS::Nodegroup",
            properties=upper_camel(
                {key: group[key] for key in ("launchTemplate", "instanceTypes") if key in group}
            ),
        )


def _taints(group: Row) -> Iterator[Mapping[str, str]]:
    effects = {
        "NO_SCHEDULE": "NoSchedule",
        "NO_EXECUTE": "NoExecute",
        "PREFER_NO_SCHEDULE": "PreferNoSchedule",
    }
    for each in group["taints"]:
        yield {"key": each["key"], "value": each.get("value", ""), "effect": effects[each["effect"]]}


def _is_known(kind: str) -> bool:
    """Whether the hardware table has the type: a node of another is simulated as one without GPUs."""
    try:
        instance_type(kind)
    except UnknownInstanceType:
        return False
    return True

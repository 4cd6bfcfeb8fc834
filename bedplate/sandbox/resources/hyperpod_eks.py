"""A HyperPod cluster whose nodes join a cluster of EKS: what the account refuses of it, and its nodes there.

Names and labels of nodes are those that others see on theirs (aws/sagemaker-hyperpod-cli, constants of its
command line). The health of a node is always Schedulable here, and no deep health check runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.handler import ResourceRequest
from bedplate.sandbox.eks.records import EksNode, PlayedEksCluster
from bedplate.sandbox.sandbox import HyperPodNode, Sandbox

Row = Mapping[str, Any]
_PREFIX = "sagemaker.amazonaws.com"


def eks_of(sandbox: Sandbox, cluster: Row) -> PlayedEksCluster | None:
    """The cluster of EKS that the nodes join; None under Slurm, or where there is none of that ARN."""
    arn = _arn(cluster)
    return next((each for each in sandbox.eks.clusters.values() if each.described["arn"] == arn), None)


def is_of_eks(cluster: Row) -> bool:
    """Whether the nodes join a cluster of EKS."""
    return bool(_arn(cluster))


def eks_problems(sandbox: Sandbox, request: ResourceRequest) -> Iterator[str]:
    """What HyperPod refuses of a cluster that is to join one of EKS."""
    cluster = request.properties
    if not is_of_eks(cluster):
        return
    eks = eks_of(sandbox, cluster)
    if eks is None or (eks.account, eks.region) != (request.account, request.region):
        yield f"EKS cluster {_arn(cluster)} does not exist"
        return
    if eks.described["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        yield f"EKS cluster {eks.name} must have the authentication mode API or API_AND_CONFIG_MAP"
    for other in sandbox.hyperpod.clusters.values():
        if _arn(other) == _arn(cluster) and other["ClusterName"] != cluster.get("ClusterName"):
            yield f"EKS cluster {eks.name} has the HyperPod cluster {other['ClusterName']} already"
    vpc, backend = eks.described["resourcesVpcConfig"]["vpcId"], ec2_backends[request.account][request.region]
    for subnet in (cluster.get("VpcConfig") or {}).get("Subnets") or []:
        if str(backend.get_subnet(subnet).vpc_id) != vpc:
            yield f"subnet {subnet} is not in {vpc}, where EKS cluster {eks.name} is"


def join(sandbox: Sandbox, cluster: Row, group: Row, node: HyperPodNode) -> None:
    """Let a node register with the cluster of EKS; nothing happens under Slurm."""
    eks = eks_of(sandbox, cluster)
    if eks is None:
        return
    subnet = ec2_backends[eks.account][eks.region].get_subnet(node.subnet_id)
    settings = group.get("KubernetesConfig") or {}
    name = f"hyperpod-{node.instance_id}"
    eks.hyperpod_nodes[node.instance_id] = EksNode(
        instance_id=node.instance_id,
        name=name,
        group=node.group,
        instance_type=node.instance_type.removeprefix("ml."),
        private_ip=node.private_ip,
        zone=str(subnet.availability_zone),
        zone_id=str(subnet.availability_zone_id),
        efa_count=None,
        labels={
            f"{_PREFIX}/cluster-name": str(cluster["ClusterName"]),
            f"{_PREFIX}/compute-type": "hyperpod",
            f"{_PREFIX}/instance-group-name": node.group,
            f"{_PREFIX}/node-health-status": "Schedulable",
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
            "node.kubernetes.io/instance-type": node.instance_type,
            "topology.k8s.aws/zone-id": str(subnet.availability_zone_id),
            "topology.kubernetes.io/region": eks.region,
            "topology.kubernetes.io/zone": str(subnet.availability_zone),
            **(settings.get("Labels") or {}),
        },
        taints=tuple(
            {"key": each["Key"], "value": each.get("Value", ""), "effect": each["Effect"]}
            for each in settings.get("Taints") or []
        ),
    )


def leave(sandbox: Sandbox, node: HyperPodNode) -> None:
    """Take a node away from whichever cluster of EKS has it."""
    for eks in sandbox.eks.clusters.values():
        eks.hyperpod_nodes.pop(node.instance_id, None)


def _arn(cluster: Row) -> str:
    return str(((cluster.get("Orchestrator") or {}).get("Eks") or {}).get("ClusterArn") or "")

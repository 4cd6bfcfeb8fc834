"""AWS::EKS::Cluster."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models import ec2_backends

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.cloudformation.generic_handler import GenericHandler, generated_name
from bedplate.sandbox.cloudformation.handler import Made, ResourceRequest
from bedplate.sandbox.eks.records import PlayedEksCluster
from bedplate.sandbox.eks.versions import KUBERNETES_VERSIONS
from bedplate.sandbox.resources.eks_refusals import cluster_problems, update_problems
from bedplate.sandbox.resources.interfaces import interfaces_of_group
from bedplate.sandbox.sandbox import Sandbox
from bedplate.sandbox.services.pcs_shapes import lower_camel

LONGEST_NAME = 100
_SIMULATED_AUTHORITY = base64.b64encode(b"SIMULATED: no certificate").decode()


class EksClusterHandler(GenericHandler):
    """A cluster with its security group, its network interfaces and a played API server."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def create(self, request: ResourceRequest) -> Made:
        """Make the cluster, with a security group that nodes and control plane share."""
        name = generated_name(request, longest=LONGEST_NAME)
        request = replace(request, properties={"Name": name, **request.properties})
        _refuse(cluster_problems(request))
        key = (request.account, request.region, str(request.properties["Name"]))
        if key in self._sandbox.eks.clusters:
            raise ResourceError(f"ResourceInUseException: Cluster already exists with name: {key[2]}")
        made = super().create(request)
        cluster = PlayedEksCluster(request.account, request.region, {"createdAt": datetime.now(UTC)})
        group = _security_group(request, made.physical_id)
        self._sandbox.eks.clusters[key] = cluster
        made.state["ClusterSecurityGroupId"] = group.id
        _stand_in_subnets(request, cluster, group.id)
        cluster.described.update(_described(request, made.state))
        self._serve(cluster)
        return made

    def update(self, request: ResourceRequest, made: Made, old: Mapping[str, Any]) -> Made:
        """Take over what EKS changes in place, one minor version at a time."""
        request = replace(request, properties={"Name": made.physical_id, **request.properties})
        _refuse([*cluster_problems(request), *update_problems(request, old)])
        cluster = self._sandbox.eks.clusters[(request.account, request.region, made.physical_id)]
        new = super().update(request, made, old)
        if old["ResourcesVpcConfig"] != request.properties["ResourcesVpcConfig"]:
            _leave_subnets(request, cluster)
            _stand_in_subnets(request, cluster, made.state["ClusterSecurityGroupId"])
        endpoint = cluster.described["endpoint"]
        cluster.described.update({**_described(request, new.state), "endpoint": endpoint})
        return new

    def delete(self, request: ResourceRequest, made: Made) -> None:
        """Refuse while the cluster is protected or has node groups."""
        key = (request.account, request.region, made.physical_id)
        cluster = self._sandbox.eks.clusters.get(key)
        if cluster is None:
            return
        if cluster.described["deletionProtection"]:
            raise ResourceError(
                f"InvalidRequestException: cluster {cluster.name} has deletion protection enabled"
            )
        if cluster.node_groups:
            raise ResourceError("ResourceInUseException: Cluster has nodegroups attached")
        _leave_subnets(request, cluster)
        backend = ec2_backends[request.account][request.region]
        group_id = cluster.described["resourcesVpcConfig"]["clusterSecurityGroupId"]
        # EKS leaves the group behind where something else still carries it; then the VPC cannot go.
        if not interfaces_of_group(backend, group_id):
            backend.delete_security_group(group_id=group_id)
        self._sandbox.kubernetes.stop(cluster)
        del self._sandbox.eks.clusters[key]

    def _serve(self, cluster: PlayedEksCluster) -> None:
        """DescribeCluster names the played API server; templates keep an address of EKS's form."""
        url = self._sandbox.kubernetes.start(cluster)
        if url:
            cluster.described["endpoint"] = url

    def attributes(self, request: ResourceRequest, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """ARN, endpoint and the rest in EKS's style; they stay when the cluster is changed."""
        if str(values.get("Endpoint", "")).startswith("https://"):
            return {}
        name = request.properties["Name"]
        identifier = secrets.token_hex(16).upper()
        keys = [each["Provider"]["KeyArn"] for each in request.properties.get("EncryptionConfig") or []]
        return {
            "Arn": request.arn("eks", f"cluster/{name}"),
            "Endpoint": f"https://{identifier}.gr7.{request.region}.eks.amazonaws.com",
            "CertificateAuthorityData": _SIMULATED_AUTHORITY,
            "CertificateAuthority.Data": _SIMULATED_AUTHORITY,
            "EncryptionConfigKeyArn": keys[0] if keys else "",
            "OpenIdConnectIssuerUrl": f"https://oidc.eks.{request.region}.amazonaws.com/id/{identifier}",
        }


def _refuse(problems: list[str]) -> None:
    if problems:
        raise ResourceError(f"InvalidParameterException: {'; '.join(problems)}")


def _security_group(request: ResourceRequest, name: str) -> Any:
    """The group that EKS makes: its members reach each other, and all reach the outside."""
    backend = ec2_backends[request.account][request.region]
    vpc = backend.get_subnet(request.properties["ResourcesVpcConfig"]["SubnetIds"][0]).vpc_id
    group = backend.create_security_group(
        name=f"eks-cluster-sg-{name}-{secrets.randbelow(10**9)}",
        description="EKS created security group applied to ENI that is attached to EKS Control Plane",
        vpc_id=vpc,
    )
    backend.authorize_security_group_ingress(
        group_name_or_id=group.id,
        ip_protocol="-1",
        from_port=None,  # type: ignore[arg-type]  # moto takes what EC2 takes: no ports for all protocols
        to_port=None,  # type: ignore[arg-type]
        ip_ranges=[],
        source_groups=[{"GroupId": group.id}],
        vpc_id=vpc,
    )
    backend.create_tags([group.id], {f"kubernetes.io/cluster/{name}": "owned", "aws:eks:cluster-name": name})
    return group


def _stand_in_subnets(request: ResourceRequest, cluster: PlayedEksCluster, group_id: str) -> None:
    """The control plane's interfaces: they hold subnets and security groups in use."""
    backend = ec2_backends[request.account][request.region]
    network = request.properties["ResourcesVpcConfig"]
    for subnet_id in network["SubnetIds"][:2]:
        subnet = backend.get_subnet(subnet_id)
        interface = backend.create_network_interface(
            subnet,
            subnet.get_available_subnet_ip(None),  # type: ignore[arg-type]  # moto only stores it
            group_ids=[group_id, *(network.get("SecurityGroupIds") or [])],
            description=f"Amazon EKS {request.properties['Name']}",
        )
        cluster.interfaces.append(str(interface.id))


def _leave_subnets(request: ResourceRequest, cluster: PlayedEksCluster) -> None:
    backend = ec2_backends[request.account][request.region]
    for interface in cluster.interfaces:
        backend.enis.pop(interface, None)
    cluster.interfaces.clear()


def _described(request: ResourceRequest, state: Mapping[str, Any]) -> dict[str, Any]:
    """The cluster as DescribeCluster tells it."""
    network = state["ResourcesVpcConfig"]
    vpc = ec2_backends[request.account][request.region].get_subnet(network["SubnetIds"][0]).vpc_id
    logging = ((state.get("Logging") or {}).get("ClusterLogging") or {}).get("EnabledTypes") or []
    types = [each["Type"] for each in logging]
    return {
        "name": state["Name"],
        "arn": state["Arn"],
        "version": state.get("Version", KUBERNETES_VERSIONS[-1]),
        "platformVersion": "eks.1",
        "endpoint": state["Endpoint"],
        "roleArn": state["RoleArn"],
        "status": "ACTIVE",
        "health": {"issues": []},
        "resourcesVpcConfig": {
            "subnetIds": list(network["SubnetIds"]),
            "securityGroupIds": list(network.get("SecurityGroupIds") or []),
            "clusterSecurityGroupId": state["ClusterSecurityGroupId"],
            "vpcId": str(vpc),
            "endpointPublicAccess": network.get("EndpointPublicAccess", True) in (True, "true"),
            "endpointPrivateAccess": network.get("EndpointPrivateAccess", False) in (True, "true"),
            "publicAccessCidrs": list(network.get("PublicAccessCidrs") or []),
        },
        "kubernetesNetworkConfig": lower_camel(state.get("KubernetesNetworkConfig") or {"IpFamily": "ipv4"}),
        "logging": {"clusterLogging": [{"types": types, "enabled": True}] if types else []},
        "identity": {"oidc": {"issuer": state["OpenIdConnectIssuerUrl"]}},
        "certificateAuthority": {"data": state["CertificateAuthorityData"]},
        "encryptionConfig": lower_camel(state.get("EncryptionConfig") or []),
        "accessConfig": {"authenticationMode": "CONFIG_MAP", **lower_camel(state.get("AccessConfig") or {})},
        "upgradePolicy": {"supportType": "EXTENDED", **lower_camel(state.get("UpgradePolicy") or {})},
        "computeConfig": lower_camel(state.get("ComputeConfig") or {"Enabled": False}),
        "storageConfig": lower_camel(state.get("StorageConfig") or {}),
        "deletionProtection": state.get("DeletionProtection", False) in (True, "true"),
        "controlPlaneScalingConfig": {
            "tier": "standard",
            **lower_camel(state.get("ControlPlaneScalingConfig") or {}),
        },
        "tags": request.all_tags(),
    }

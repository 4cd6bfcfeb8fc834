"""The control plane of a Kubernetes cluster on Amazon EKS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from aws_cdk import Annotations, Duration, RemovalPolicy, aws_ec2, aws_kms
from aws_cdk import aws_eks_v2 as eks_v2
from aws_cdk.lambda_layer_kubectl_v35 import KubectlV35Layer
from constructs import Construct, IConstruct

from bedplate.constructs.l1 import aws_eks as eks

_LOGS = ("API", "AUDIT", "AUTHENTICATOR", "CONTROLLER_MANAGER", "SCHEDULER")
_NO_ROUTES = "@aws-cdk/aws-ec2:noSubnetRouteTableId"
_NO_TAGS = "@aws-cdk/aws-eks:clusterMustManuallyTagSubnet"
_CLUSTER_POLICY = "AmazonEKSClusterAdminPolicy"


class EksCluster(Construct):
    """AWS::EKS::Cluster with its key, its logs, who may do what, and the way by which CDK installs charts.

    The second class of the CDK's for EKS (``aws_eks_v2``) makes the cluster: it is the native resource, and
    has the function that runs Helm and kubectl inside of the VPC, since the API server answers there alone.
    No capacity comes with it. ``subnet_ids`` are two, in different zones; ``security_group_id`` is the group
    that control plane and nodes share, which lets in what is of itself. ``public_from`` are ranges that reach
    the API server over the internet. ``administrators`` are ARNs of roles, ``groups`` Kubernetes groups with
    those of theirs. ``protected``: EKS refuses to delete the cluster until that is taken back.

    One release of kubectl, 1.35, speaks to clusters of 1.34 to 1.36 (Kubernetes version skew policy).
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
        version: str,
        vpc_id: str,
        subnet_ids: Sequence[str],
        zone_names: Sequence[str],
        security_group_id: str,
        tier: str = "standard",
        public_from: Sequence[str] = (),
        administrators: Sequence[str] = (),
        groups: Mapping[str, Sequence[str]] | None = None,
        protected: bool = False,
    ) -> None:
        super().__init__(scope, id)
        subnets = [self._subnet(number, each) for number, each in enumerate(subnet_ids)]
        group = aws_ec2.SecurityGroup.from_security_group_id(self, "Group", security_group_id, mutable=False)
        key = aws_kms.Key(
            self,
            "Key",
            description=f"Secrets of the Kubernetes cluster {name}",
            enable_key_rotation=True,
            removal_policy=RemovalPolicy.RETAIN,
            pending_window=Duration.days(30),
        )
        access = eks_v2.EndpointAccess.PRIVATE
        if public_from:
            access = eks_v2.EndpointAccess.PUBLIC_AND_PRIVATE.only_from(*public_from)
        self.cluster = eks_v2.Cluster(
            self,
            "Cluster",
            cluster_name=name,
            version=eks_v2.KubernetesVersion.of(version),
            vpc=aws_ec2.Vpc.from_vpc_attributes(
                self,
                "Vpc",
                vpc_id=vpc_id,
                availability_zones=list(zone_names),
                private_subnet_ids=list(subnet_ids),
            ),
            vpc_subnets=[aws_ec2.SubnetSelection(subnets=subnets)],
            security_group=group,
            endpoint_access=access,
            default_capacity_type=eks_v2.DefaultCapacityType.NODEGROUP,
            default_capacity=0,
            bootstrap_cluster_creator_admin_permissions=False,
            secrets_encryption_key=key,
            cluster_logging=[getattr(eks_v2.ClusterLoggingTypes, each) for each in _LOGS],
            kubectl_provider_options=eks_v2.KubectlProviderOptions(
                kubectl_layer=KubectlV35Layer(self, "Kubectl"),
                private_subnets=subnets,
            ),
        )
        """The cluster as the CDK knows it; charts and manifests are added to it."""
        told: list[IConstruct] = [self, self.cluster, *subnets]
        for each in told:
            Annotations.of(each).acknowledge_warning(_NO_ROUTES, "Subnets are told by their ids alone.")
            Annotations.of(each).acknowledge_warning(_NO_TAGS, "No load balancers are made here.")
        self.resource: eks_v2.CfnCluster = self.cluster.node.default_child  # type: ignore[assignment]
        """The native resource."""
        if tier != "standard":
            self.resource.add_property_override("ControlPlaneScalingConfig", {"Tier": tier})
        self.resource.add_property_override("DeletionProtection", protected)
        # A version that leaves standard support is not carried on at six times the price without a word.
        self.resource.add_property_override("UpgradePolicy", {"SupportType": "STANDARD"})
        self.name: str = self.cluster.cluster_name
        """Name."""
        self.cluster_arn: str = self.cluster.cluster_arn
        """ARN."""
        self.cluster_group_id: str = self.cluster.cluster_security_group_id
        """The group that EKS makes; nodes have it beside the shared one."""
        members: dict[str, list[str]] = {role: [] for role in administrators}
        for name_, roles in (groups or {}).items():
            for role in roles:
                if role not in administrators:
                    members.setdefault(role, []).append(name_)
        for role, own in members.items():
            self._entry(role, own)

    def _subnet(self, number: int, subnet_id: str) -> aws_ec2.ISubnet:
        return aws_ec2.Subnet.from_subnet_id(self, f"Subnet{number}", subnet_id)

    def _entry(self, role_arn: str, groups: Sequence[str]) -> None:
        """One a role, for EKS takes no second one; that of an administrator names no groups."""
        entry = eks.CfnAccessEntry
        partition = role_arn.split(":")[1]
        eks.CfnAccessEntry(
            self,
            # By the role, so that one that is added or removed replaces no other's entry.
            f"Access{sha256(role_arn.encode()).hexdigest()[:12]}",
            cluster_name=self.name,
            principal_arn=role_arn,
            kubernetes_groups=list(groups) or None,
            access_policies=None
            if groups
            else [
                entry.AccessPolicyProperty(
                    access_scope=entry.AccessScopeProperty(type="cluster"),
                    policy_arn=f"arn:{partition}:eks::aws:cluster-access-policy/{_CLUSTER_POLICY}",
                )
            ],
        )

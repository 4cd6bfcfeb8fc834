"""An add-on of an EKS cluster, with the role of its service account."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_eks as eks
from bedplate.constructs.l1 import aws_iam as iam


@dataclass(frozen=True, kw_only=True)
class AddOnRights:
    """What an add-on may do in AWS: AWS managed policies by name, or a document of one's own."""

    service_account: str
    managed_policies: Sequence[str] = ()
    document: Mapping[str, Any] | None = None


class EksAddOn(Construct):
    """AWS::EKS::Addon. Without ``version`` EKS takes the one that it recommends for the cluster's Kubernetes
    when the add-on is made, and keeps it until it is told otherwise.

    What somebody changed by hand in the add-on's own objects is written over. It goes with the stack.
    Its service account gets its rights by EKS Pod Identity, whose agent has to be in the cluster.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster_name: str,
        name: str,
        version: str = "",
        configuration: Mapping[str, Any] | None = None,
        rights: AddOnRights | None = None,
    ) -> None:
        super().__init__(scope, id)
        addon = eks.CfnAddon
        identities = None
        if rights is not None:
            identities = [
                addon.PodIdentityAssociationProperty(
                    role_arn=self._role(rights), service_account=rights.service_account
                )
            ]
        self.resource = eks.CfnAddon(
            self,
            "AddOn",
            addon_name=name,
            addon_version=version or None,
            cluster_name=cluster_name,
            configuration_values=json.dumps(configuration, sort_keys=True) if configuration else None,
            pod_identity_associations=identities,
            preserve_on_delete=False,
            resolve_conflicts="OVERWRITE",
        )
        """The add-on."""

    def _role(self, rights: AddOnRights) -> str:
        partition = Stack.of(self).partition
        role = iam.CfnRole(
            self,
            "Role",
            assume_role_policy_document={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "pods.eks.amazonaws.com"},
                        "Action": ["sts:AssumeRole", "sts:TagSession"],
                    }
                ],
            },
            managed_policy_arns=[
                f"arn:{partition}:iam::aws:policy/{name}" for name in rights.managed_policies
            ]
            or None,
        )
        if rights.document is not None:
            iam.CfnManagedPolicy(self, "Policy", roles=[role.ref], policy_document=rights.document)
        arn: str = role.attr_arn
        return arn

"""What runs in the Kubernetes cluster of an environment: add-ons, charts, and documents of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from constructs import Construct, IDependable

from bedplate.constructs.cluster_objects import ClusterObjects
from bedplate.constructs.eks_add_on import AddOnRights, EksAddOn
from bedplate.constructs.eks_cluster import EksCluster
from bedplate.constructs.helm_release import HelmRelease
from bedplate.kubernetes.addons import AddOn, add_ons
from bedplate.kubernetes.documents import cluster_documents
from bedplate.kubernetes.owners import by_owner
from bedplate.kubernetes.releases import releases
from bedplate.kubernetes.volumes import Folder, volumes
from bedplate.node.kubernetes.names import SYSTEM_NAMESPACE
from bedplate.spec import Environment
from bedplate.spec.orchestrator import Eks
from bedplate.stacks.deployed_file_system import DeployedFileSystem

BEFORE_NODES = ("eks-pod-identity-agent", "vpc-cni", "kube-proxy")
"""Add-ons without which a node does not become ready; the others need one that is."""

_SYSTEM_NAMESPACE = {
    "apiVersion": "v1",
    "kind": "Namespace",
    # What looks at nodes needs what pods are usually refused (docs/validation-on-kubernetes.md).
    "metadata": {
        "name": SYSTEM_NAMESPACE,
        "labels": {"pod-security.kubernetes.io/enforce": "privileged"},
    },
}


class KubernetesSoftware:
    """Made right in the stack that is ``scope``, one after the other in the order of the documents: EKS takes
    one add-on at a time, and Helm's function one release.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        eks: Eks,
        control: EksCluster,
        file_systems: Sequence[DeployedFileSystem],
    ) -> None:
        self._scope, self._eks, self._control = scope, eks, control
        self._environment, self._file_systems = environment, file_systems
        kinds = {each.kind for each in file_systems}
        self._add_ons = add_ons(eks, file_system_kinds=sorted(kinds))
        self.before_nodes: tuple[EksAddOn, ...] = self._chain(
            [each for each in self._add_ons if each.component.name in BEFORE_NODES]
        )
        """What nodes wait for."""

    def after_nodes(self, nodes: Sequence[IDependable]) -> None:
        """The rest, once there are nodes to run it on."""
        later = [each for each in self._add_ons if each.component.name not in BEFORE_NODES]
        last: Sequence[Construct] = self._chain(later, after=nodes)
        previous: Sequence[IDependable] = last or nodes
        for release in releases(self._eks, pools=self._environment.pools):
            row = release.component
            made = HelmRelease(
                self._scope,
                f"Chart{_camel(row.name)}",
                cluster=self._control.cluster,
                release=row.release,
                chart=row.chart,
                repository=row.address,
                version=row.version,
                namespace=row.namespace,
                values=release.values,
                timeout_minutes=release.timeout_minutes,
                atomic=release.atomic,
            )
            made.node.add_dependency(*previous)
            previous = [made]
        self._documents(previous)

    def _documents(self, after: Sequence[IDependable]) -> None:
        """What is the cluster's first, then each team's own: a team that comes or goes touches no other."""
        teams = [team.name for team in self._eks.teams]
        folders = [_folder(each) for each in self._file_systems]
        documents: list[Mapping[str, Any]] = [
            _SYSTEM_NAMESPACE,
            *cluster_documents(cluster=self._eks, pools=self._environment.pools),
            *volumes(folders=folders, namespaces=teams or ["default"]),
        ]
        previous = after
        for owner, own in by_owner(documents, teams=teams).items():
            made = ClusterObjects(
                self._scope,
                # The name as it is: `a-1` and `a1` are two teams.
                f"Team-{owner}" if owner else "Objects",
                cluster=self._control.cluster,
                documents=own,
            )
            made.node.add_dependency(*previous)
            previous = [made]

    def _chain(self, wanted: Sequence[AddOn], *, after: Sequence[IDependable] = ()) -> tuple[EksAddOn, ...]:
        made: list[EksAddOn] = []
        for each in wanted:
            one = EksAddOn(
                self._scope,
                f"AddOn{_camel(each.component.name)}",
                cluster_name=self._control.name,
                name=each.component.chart,
                version=each.component.version,
                configuration=each.configuration,
                rights=self._rights(each),
            )
            one.node.add_dependency(*(made[-1:] or after))
            made.append(one)
        return tuple(made)

    def _rights(self, wanted: AddOn) -> AddOnRights | None:
        rights = wanted.rights
        if rights is None:
            return None
        if rights.managed_policy:
            return AddOnRights(
                service_account=rights.service_account, managed_policies=(rights.managed_policy,)
            )
        document = _bucket_policy(self._file_systems)
        if document is None:
            return None
        return AddOnRights(service_account=rights.service_account, document=document)


def _bucket_policy(file_systems: Sequence[DeployedFileSystem]) -> Mapping[str, Any] | None:
    """Of Mountpoint: the folders of S3 that the file systems are tied to; None where there are none."""
    tied = [one.data_repository.removeprefix("s3://") for each in file_systems for one in each.associations]
    if not tied:
        return None
    buckets = list(dict.fromkeys(each.partition("/")[0] for each in tied))
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "ListBuckets",
                "Effect": "Allow",
                "Action": "s3:ListBucket",
                "Resource": [f"arn:aws:s3:::{bucket}" for bucket in buckets],
            },
            {
                "Sid": "UseObjects",
                "Effect": "Allow",
                "Action": ["s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"],
                "Resource": [f"arn:aws:s3:::{bucket}/*" for bucket in buckets],
            },
        ],
    }


def _folder(each: DeployedFileSystem) -> Folder:
    server, _, export = each.source.partition(":")
    return Folder(
        kind=each.kind,
        mount=each.path,
        file_system_id=each.file_system_id,
        dns_name=each.dns_name or server.partition("@")[0],
        mount_name=each.mount_name or "",
        export=export or "/",
        options=each.options,
    )


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))

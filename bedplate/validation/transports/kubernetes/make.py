"""The way to the nodes of one EKS cluster, from the account's own answers."""

from __future__ import annotations

from collections.abc import Callable

from bedplate.node.kubernetes.names import GPU_TAINT
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.transports.kubernetes.api import KubernetesApi
from bedplate.validation.transports.kubernetes.cluster import cluster_address
from bedplate.validation.transports.kubernetes.refused import ClusterRefused
from bedplate.validation.transports.kubernetes.token import eks_token
from bedplate.validation.transports.kubernetes.transport import KubernetesTransport

PREFIX = "answers"
"""As the agents of SSM put theirs."""


def kubernetes_transport(
    *,
    clients: AwsClients,
    cluster: str,
    image: str,
    result_bucket: str,
    run_id: str,
    taints: tuple[str, ...] = (GPU_TAINT,),
) -> KubernetesTransport:
    """Raises ``AwsRefused``; ``ClusterRefused`` where the cluster has no API server to ask."""
    return KubernetesTransport(
        cluster_api(clients=clients, cluster=cluster),
        run_id,
        image,
        bucket_store(clients=clients, bucket=result_bucket, run_id=run_id),
        taints,
    )


def cluster_api(*, clients: AwsClients, cluster: str) -> KubernetesApi:
    """The cluster's API server, with the caller's own rights there."""

    def token() -> str:
        return eks_token(
            credentials=clients.credentials(),
            region=clients.region,
            sts_endpoint=clients.sts.meta.endpoint_url,
            cluster=cluster,
        )

    with aws_errors(f"looking for the EKS cluster {cluster}"):
        try:
            address = cluster_address(eks=clients.eks, name=cluster)
        except ValueError as error:
            raise ClusterRefused(f"the cluster {cluster} cannot be asked: {error}", status=0) from error
    return KubernetesApi(address, token)


def bucket_store(*, clients: AwsClients, bucket: str, run_id: str) -> Callable[[str, str], str]:
    """Keeps what nodes printed in the result bucket, by name below the run, and gives its address."""

    def store(name: str, text: str) -> str:
        key = f"{PREFIX}/{run_id}/{name}"
        with aws_errors(f"keeping an answer in s3://{bucket}/{key}"):
            clients.s3.put_object(Bucket=bucket, Key=key, Body=text.encode("utf-8"))
        return f"s3://{bucket}/{key}"

    return store

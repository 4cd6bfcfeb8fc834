"""A Helm chart in an EKS cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_cdk import Duration
from aws_cdk import aws_eks_v2 as eks_v2
from constructs import Construct

from bedplate.kubernetes.lost_values import lost_values

LONGEST_MINUTES = 14
"""The function that runs Helm ends after 15 minutes, and leaves a release that blocks every later one."""


class HelmRelease(Construct):
    """A chart at one version, under a name of one's own, installed by the cluster's function.

    A release that fails is rolled back (``atomic``). ``repository`` is the address of an index, or with
    ``oci://`` that of the chart. Values hold no ``None``, which the CDK leaves out without a word:
    ``ValueError`` names the place.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster: eks_v2.Cluster,
        release: str,
        chart: str,
        repository: str,
        version: str,
        namespace: str,
        values: Mapping[str, Any],
        timeout_minutes: int = 10,
        atomic: bool = True,
    ) -> None:
        super().__init__(scope, id)
        if lost := list(lost_values(values, release)):
            raise ValueError(f"{lost[0]} is None, of which Helm would not be told; say what it shall be")
        if not 0 < timeout_minutes <= LONGEST_MINUTES:
            raise ValueError(f"{release}: timeout_minutes is 1 to {LONGEST_MINUTES}, not {timeout_minutes}")
        self.chart = eks_v2.HelmChart(
            self,
            "Chart",
            cluster=cluster,  # type: ignore[arg-type]  # the bindings' protocol lacks a member
            release=release,
            chart=chart,
            repository=repository,
            version=version,
            namespace=namespace,
            create_namespace=namespace != "kube-system",
            values=dict(values),
            timeout=Duration.minutes(timeout_minutes),
            atomic=atomic,
        )
        """The CDK's own construct."""

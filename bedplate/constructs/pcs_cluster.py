"""A Slurm control plane run by AWS PCS."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct

from bedplate.constructs.l1 import aws_pcs as pcs
from bedplate.slurm.pcs_cluster_shape import cluster_size


class PcsCluster(Construct):
    """Controller, accounting and cluster-wide Slurm settings.

    ``most_instances`` chooses the size; size is create-only, and PCS refuses a second cluster of
    one name: a cluster that outgrows its size cannot be updated (docs/architecture.md).
    ``rest_api`` runs slurmrestd, from Slurm 25.05 on.
    ``settings`` are slurm.conf parameters that PCS lets one set (``bedplate.slurm`` has the documents).
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
        subnet_id: str,
        security_group_id: str,
        slurm_version: str,
        most_instances: int,
        accounting: bool,
        rest_api: bool = False,
        settings: Mapping[str, str] | None = None,
        scale_down_idle_seconds: int | None = None,
    ) -> None:
        super().__init__(scope, id)
        cluster = pcs.CfnCluster
        # PCS refuses an empty list of settings, so none means no property.
        custom = [
            cluster.SlurmCustomSettingProperty(parameter_name=key, parameter_value=value)
            for key, value in sorted((settings or {}).items())
        ] or None
        self.resource = pcs.CfnCluster(
            self,
            "Cluster",
            name=name,
            size=cluster_size(most_instances),
            networking=cluster.NetworkingProperty(
                subnet_ids=[subnet_id], security_group_ids=[security_group_id]
            ),
            scheduler=cluster.SchedulerProperty(type="SLURM", version=slurm_version),
            slurm_configuration=cluster.SlurmConfigurationProperty(
                accounting=cluster.AccountingProperty(mode="STANDARD" if accounting else "NONE"),
                # Said where it is wanted alone: PCS has no such setting before Slurm 25.05.
                slurm_rest=cluster.SlurmRestProperty(mode="STANDARD") if rest_api else None,
                scale_down_idle_time_in_seconds=scale_down_idle_seconds,
                slurm_custom_settings=custom,
            ),
        )
        """The cluster."""
        self.cluster_id: str = self.resource.attr_id
        """Id, ``pcs_…``."""

"""A queue of a PCS cluster: a Slurm partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constructs import Construct

from bedplate.constructs.l1 import aws_pcs as pcs


class PcsQueue(Construct):
    """A partition over one or more node groups; ``settings`` are those that PCS lets one set."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        cluster_id: str,
        name: str,
        node_group_ids: Sequence[str],
        settings: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(scope, id)
        queue = pcs.CfnQueue
        custom = [
            queue.SlurmCustomSettingProperty(parameter_name=key, parameter_value=value)
            for key, value in sorted((settings or {}).items())
        ]
        self.resource = pcs.CfnQueue(
            self,
            "Queue",
            cluster_id=cluster_id,
            name=name,
            compute_node_group_configurations=[
                queue.ComputeNodeGroupConfigurationProperty(compute_node_group_id=each)
                for each in node_group_ids
            ],
            slurm_configuration=queue.SlurmConfigurationProperty(slurm_custom_settings=custom)
            if custom
            else None,
        )
        """The queue."""

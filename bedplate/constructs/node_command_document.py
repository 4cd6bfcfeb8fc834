"""The SSM document that runs the node program."""

from __future__ import annotations

from constructs import Construct

from bedplate.constructs.l1 import aws_ssm as ssm

STEP_NAME = "bedplateNode"
"""The step's name, and so a part of the key that SSM puts its output under."""
ARGUMENTS_PATTERN = "^[A-Za-z0-9 ._:,=/+-]*$"
"""What the program's arguments may hold: nothing that a shell reads as more than a word."""
DEFAULT_TIMEOUT_SECONDS = 600


class NodeCommandDocument(Construct):
    """A Command document with two parameters: the program's arguments, and a time limit in seconds.

    It runs nothing but the installed node program, so a right to send this document is not a right to run a
    shell.
    """

    def __init__(self, scope: Construct, id: str) -> None:  # noqa: A002
        super().__init__(scope, id)
        document = ssm.CfnDocument(
            self,
            "Document",
            document_type="Command",
            document_format="JSON",
            target_type="/AWS::EC2::Instance",
            update_method="NewVersion",
            content=_content(),
        )
        self.document_name: str = document.ref
        """The document's name, made by CloudFormation."""


def _content() -> dict[str, object]:
    return {
        "schemaVersion": "2.2",
        "description": "Bedplate: ask the node program of this node one question",
        "parameters": {
            "Arguments": {
                "type": "String",
                "description": "Command and options of bedplate-node.pyz",
                "allowedPattern": ARGUMENTS_PATTERN,
            },
            "TimeoutSeconds": {
                "type": "String",
                "description": "Seconds after which the agent ends the command",
                "default": str(DEFAULT_TIMEOUT_SECONDS),
                "allowedPattern": "^[1-9][0-9]{0,4}$",
            },
        },
        "mainSteps": [
            {
                "action": "aws:runShellScript",
                "name": STEP_NAME,
                "precondition": {"StringEquals": ["platformType", "Linux"]},
                "inputs": {
                    "timeoutSeconds": "{{ TimeoutSeconds }}",
                    "runCommand": [
                        'exec python3 "${BEDPLATE_ROOT:-}/opt/bedplate/bedplate-node.pyz" {{ Arguments }}'
                    ],
                },
            }
        ],
    }

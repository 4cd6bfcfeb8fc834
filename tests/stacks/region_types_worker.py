"""A process that asks the CDK's own validation which resource types a Region does not have.

It reads ``{"regions": […], "types": […], "folder": "…"}`` and answers with type → Regions without it.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bedplate.stacks.entry import use_locked_node

use_locked_node()

import jsii  # noqa: E402
from aws_cdk import (  # noqa: E402
    App,
    CfnResource,
    CloudFormationValidatePlugin,
    Environment,
    IPolicyValidationContext,
    PolicyValidationStack,
    Stack,
)

ACCOUNT = "123456789012"


def unknown(regions: list[str], types: list[str], folder: str) -> dict[str, list[str]]:
    """Make a stack of one resource of each type for each Region; their properties are of no matter here."""
    app = App(outdir=folder)
    stacks = {
        region: Stack(app, region, env=Environment(account=ACCOUNT, region=region)) for region in regions
    }
    for stack in stacks.values():
        for number, kind in enumerate(types):
            CfnResource(stack, f"r{number}", type=kind)
    app.synth()

    @jsii.implements(IPolicyValidationContext)
    class Context:
        """The stacks, as the CDK puts them before its plug-ins."""

        @property
        def app_construct(self) -> App:
            return app

        @property
        def template_paths(self) -> list[str]:
            return [f"{folder}/{region}.template.json" for region in stacks]

        @property
        def stack_templates(self) -> list[PolicyValidationStack]:
            return [
                PolicyValidationStack(
                    stack_construct_path=stack.node.path,
                    template_path=f"{folder}/{region}.template.json",
                    account_id=ACCOUNT,
                    region=region,
                )
                for region, stack in stacks.items()
            ]

    found: dict[str, list[str]] = defaultdict(list)
    for violation in CloudFormationValidatePlugin().validate(Context()).violations:
        told = re.search(r"'(AWS::[^']*)' does not exist in '([^']*)'", violation.description)
        if violation.rule_name == "F3006" and told:
            found[told[1]].append(told[2])
    return found


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    sys.stdout.write(json.dumps(unknown(asked["regions"], asked["types"], asked["folder"])))

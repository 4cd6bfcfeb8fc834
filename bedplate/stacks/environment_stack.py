"""What the five stacks have in common."""

from __future__ import annotations

from aws_cdk import Environment as CdkEnvironment
from aws_cdk import Stack, Tags
from constructs import Construct

import bedplate
from bedplate.spec import Environment
from bedplate.stacks.names import Role, stack_name


class EnvironmentStack(Stack):
    """One stack of an environment: name, account, Region, description and tags follow one rule."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        role: Role,
        purpose: str,
        termination_protection: bool = False,
    ) -> None:
        name = stack_name(environment=environment.name, role=role)
        super().__init__(
            scope,
            name,
            stack_name=name,
            description=f"Bedplate {bedplate.__version__}, environment {environment.name}: {purpose}",
            env=CdkEnvironment(account=environment.account, region=environment.region),
            termination_protection=termination_protection,
            # A third of a template was blanks, and CloudFormation takes 1 MB; `cdk synth` lays it out.
            suppress_template_indentation=True,
        )
        tags = {"bedplate:environment": environment.name, "bedplate:stack": role, **environment.tags}
        own = Tags.of(self)
        for key, value in sorted(tags.items()):
            own.add(key, value)

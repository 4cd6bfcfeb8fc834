"""cdk-nag's rules over all stacks, and the findings that we have read and accepted.

The accepted findings are data in ``acknowledgements.json``: rule, stack, path of the construct (with ``*``)
and the reason. A finding that is not listed fails the synthesis; an entry that no example needs fails a test.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import files

from aws_cdk import Acknowledgment, App, Stack, Validations

from bedplate.spec import Environment
from bedplate.stacks.environment_app import EnvironmentStacks
from bedplate.stacks.names import ROLES, Role


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """One accepted finding.

    ``rule`` may hold ``{environment}``, ``{region}`` and ``{account}``; ``path`` may hold ``*``.
    """

    rule: str
    stack: Role
    path: str
    reason: str

    def rule_in(self, environment: Environment) -> str:
        """The rule's id as it reads in this environment."""
        return (
            self.rule.replace("{environment}", environment.name)
            .replace("{region}", environment.region)
            .replace("{account}", environment.account)
        )

    def covers(self, path: str) -> bool:
        """Whether the construct at ``path`` (below its stack) is meant."""
        return fnmatchcase(path, self.path)


def accepted_findings() -> tuple[Accepted, ...]:
    """Every entry of the committed list."""
    text = files("bedplate.stacks").joinpath("acknowledgements.json").read_text(encoding="utf-8")
    return tuple(Accepted(**entry) for entry in json.loads(text))


def apply_policy(app: App, stacks: EnvironmentStacks, *, environment: Environment) -> None:
    """Register the rule packs with ``app`` and acknowledge what is accepted. Needs cdk-nag."""
    register_packs(app)
    acknowledge(stacks, environment=environment)


def register_packs(app: App) -> None:
    """Have AwsSolutions and NIST 800-53 R5 look at every template of ``app``."""
    from cdk_nag import AwsSolutionsChecks, NIST80053R5Checks

    Validations.of(app).add_plugins(AwsSolutionsChecks(app), NIST80053R5Checks(app))


def acknowledge(stacks: EnvironmentStacks, *, environment: Environment) -> None:
    """Attach every accepted finding to the constructs that it is about."""
    for role in ROLES:
        wanted = [each for each in accepted_findings() if each.stack == role]
        stack: Stack = getattr(stacks, role)
        prefix = f"{stack.node.path}/"
        for construct in stack.node.find_all():
            path = construct.node.path.removeprefix(prefix)
            matching = [each for each in wanted if each.covers(path)]
            if matching:
                Validations.of(construct).acknowledge(
                    *(Acknowledgment(id=each.rule_in(environment), reason=each.reason) for each in matching)
                )

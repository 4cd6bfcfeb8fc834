"""cdk-nag's rules over all stacks, and the findings that we have read and accepted.

The accepted findings are data in ``acknowledgements.json``: rule, stack, path of the construct (with ``*``)
and the reason. A finding that is not listed fails the synthesis; an entry that no example needs fails a test.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any

from aws_cdk import Acknowledgment, App, Stack, Validations

from bedplate.spec import Environment
from bedplate.stacks.environment_app import EnvironmentStacks
from bedplate.stacks.names import ROLES, Role


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """One accepted finding.

    ``rule`` may hold ``{environment}``, ``{region}``, ``{account}``, and ``{tied}``, which stands for each
    folder in a bucket that validation may write to; ``path`` may hold ``*``.
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

    def rules_in(self, environment: Environment, tied: Sequence[str]) -> list[str]:
        """The rule's ids as they read in this environment; ``tied`` as cdk-nag writes them."""
        rule = self.rule_in(environment)
        return [rule.replace("{tied}", each) for each in tied] if "{tied}" in rule else [rule]

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
    storage = stacks.storage
    tied = [_as_nag_writes(storage.resolve(arn)) for arn in storage.tied_object_arns]
    for role in ROLES:
        wanted = [each for each in accepted_findings() if each.stack == role]
        stack: Stack = getattr(stacks, role)
        prefix = f"{stack.node.path}/"
        for construct in stack.node.find_all():
            path = construct.node.path.removeprefix(prefix)
            matching = [each for each in wanted if each.covers(path)]
            if matching:
                Validations.of(construct).acknowledge(
                    *(
                        Acknowledgment(id=rule, reason=each.reason)
                        for each in matching
                        for rule in each.rules_in(environment, tied)
                    )
                )


def _as_nag_writes(resolved: Any) -> str:
    """A resolved value in the text of a finding: a reference is its logical id in angle brackets."""
    parts = resolved["Fn::Join"][1] if isinstance(resolved, dict) else [resolved]
    return "".join(part if isinstance(part, str) else f"<{part['Ref']}>" for part in parts)

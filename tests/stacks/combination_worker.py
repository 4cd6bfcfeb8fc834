"""One of the processes that synthesise legal combinations and judge their templates.

It reads one JSON value a line and answers with one. First ``{"first": 0, "step": 2, "folder": "…"}``: it
synthesises every second combination from the first on, in one app, and tells each stack's content by a hash.
Then a list of stacks: it puts their templates before the CDK's validation, cfn-lint and both rule packs of
cdk-nag, each once, and tells what they find.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bedplate.stacks.entry import use_locked_node
from tests.support.combinations import combinations
from tests.support.locks import lock_for

if TYPE_CHECKING:
    from aws_cdk import App, Stack

    from bedplate.spec import Environment

ROOT = Path(__file__).parents[2]
NAME = "combi-{:03}"
_ANY_NAME = re.compile(r"combi-?\d{3}", re.IGNORECASE)


@dataclass(frozen=True)
class Made:
    """One synthesised stack."""

    stack: Stack
    role: str
    environment: Environment
    path: Path

    @property
    def content(self) -> str:
        """The hash of the template with the environment's name taken out, so that equal content is equal."""
        text = _ANY_NAME.sub("combi", self.path.read_text(encoding="utf-8"))
        return hashlib.sha256(json.dumps(json.loads(text), sort_keys=True).encode()).hexdigest()


def synthesise(*, first: int, step: int, folder: Path) -> tuple[App, dict[str, Made]]:
    """Make every ``step``-th combination in one app; return its stacks by name."""
    use_locked_node()
    from aws_cdk import App

    from bedplate.stacks.environment_app import build_stacks
    from bedplate.stacks.policy import ROLES

    app = App(outdir=str(folder), context=json.loads((ROOT / "cdk.json").read_text())["context"])
    made: dict[str, Made] = {}
    for number, combination in list(enumerate(combinations()))[first::step]:
        environment = combination.environment(NAME.format(number))
        stacks = build_stacks(app, environment=environment, lock=lock_for(environment))
        for role in ROLES:
            stack = getattr(stacks, role)
            path = folder / f"{stack.stack_name}.template.json"
            made[stack.stack_name] = Made(stack, role, environment, path)
    app.synth()
    return app, made


def judge(app: App, stacks: Sequence[Made]) -> Iterator[dict[str, str]]:
    """What the three judges find in these stacks' templates, one finding at a time."""
    yield from _cdk(app, stacks)
    yield from _nag(app, stacks)
    for region in sorted({each.environment.region for each in stacks}):
        yield from _lint(region, [each.path for each in stacks if each.environment.region == region])


def _finding(judge: str, rule: str, where: str, what: str) -> dict[str, str]:
    return {"judge": judge, "rule": rule, "where": where, "what": what}


def _cdk(app: App, stacks: Sequence[Made]) -> Iterator[dict[str, str]]:
    import jsii
    from aws_cdk import CloudFormationValidatePlugin, IPolicyValidationContext, PolicyValidationStack

    @jsii.implements(IPolicyValidationContext)
    class Context:
        """These templates, as the CDK puts them before its plug-ins."""

        @property
        def app_construct(self) -> App:
            return app

        @property
        def template_paths(self) -> list[str]:
            return [str(each.path) for each in stacks]

        @property
        def stack_templates(self) -> list[PolicyValidationStack]:
            return [
                PolicyValidationStack(
                    stack_construct_path=each.stack.node.path,
                    template_path=str(each.path),
                    account_id=each.environment.account,
                    region=each.environment.region,
                )
                for each in stacks
            ]

    for violation in CloudFormationValidatePlugin().validate(Context()).violations:
        for resource in violation.violating_resources:
            where = f"{Path(str(resource.template_path)).name}: {resource.resource_logical_id}"
            yield _finding("cdk", violation.rule_name, where, violation.description)


def _nag(app: App, stacks: Sequence[Made]) -> Iterator[dict[str, str]]:
    from cdk_nag import AwsSolutionsChecks, NIST80053R5Checks

    from bedplate.stacks.policy import accepted_findings
    from tests.support.accepted_rules import is_rule

    accepted = accepted_findings()
    for pack in (AwsSolutionsChecks(app), NIST80053R5Checks(app)):
        for each in stacks:
            wanted = [entry for entry in accepted if entry.stack == each.role]
            for violation in pack.validate_scope(each.stack).violations:
                rule = f"{pack.read_pack_name}::{violation.rule_name}"
                for resource in violation.violating_resources:
                    path = str(resource.construct_path).partition("/")[2]
                    covered = any(
                        entry.covers(path) and is_rule(entry.rule_in(each.environment), rule)
                        for entry in wanted
                    )
                    judge = "accepted" if covered else "nag"
                    yield _finding(judge, rule, f"{each.stack.stack_name}/{path}", violation.description)


def _lint(region: str, paths: Sequence[Path]) -> Iterator[dict[str, str]]:
    from cfnlint.config import ConfigMixIn
    from cfnlint.runner import Runner

    for match in Runner(ConfigMixIn(["--regions", region, "--", *map(str, paths)])).run():
        where = f"{Path(match.filename).name}: {'/'.join(map(str, match.path))}"
        yield _finding("cfn-lint", match.rule.id, where, match.message)


def main() -> None:
    """Answer the two questions."""
    job = json.loads(sys.stdin.readline())
    app, made = synthesise(first=job["first"], step=job["step"], folder=Path(job["folder"]))
    _say({name: each.content for name, each in made.items()})
    owned = [made[name] for name in json.loads(sys.stdin.readline())]
    _say(list(judge(app, owned)) if owned else [])


def _say(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

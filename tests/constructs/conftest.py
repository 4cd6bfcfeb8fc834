"""One way for the tests of constructs to start the CDK and to read what a stack became."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from aws_cdk import Stack

Template = dict[str, Any]
Build = Callable[["Stack"], object]


@pytest.fixture(scope="session")
def _cdk() -> None:
    """Start Node without the CDK's own validation, which costs seconds; the compliance test has it on."""
    from bedplate.stacks.entry import use_locked_node

    with pytest.MonkeyPatch.context() as patch:
        # Node reads the variable when it starts; it is not left for the subprocesses of other tests.
        patch.setenv("CDK_VALIDATION", "false")
        use_locked_node()
        import aws_cdk

        aws_cdk.App()


@pytest.fixture
def synthesise(_cdk: None, tmp_path: Path) -> Callable[[Build], Template]:
    """Build constructs in a stack of a foreign app (no feature flags) and return the stack's template."""

    def run(build: Build) -> Template:
        from aws_cdk import App, Environment, Stack

        app = App(outdir=str(tmp_path / "assembly"))
        stack = Stack(app, "foreign", env=Environment(account="111122223333", region="us-west-2"))
        build(stack)
        app.synth()
        text = (tmp_path / "assembly" / "foreign.template.json").read_text(encoding="utf-8")
        template: Template = json.loads(text)
        return template

    return run


@pytest.fixture
def resources(synthesise: Callable[[Build], Template]) -> Callable[[Build, str], dict[str, Any]]:
    """Build constructs and return the resources of one type, by logical id."""

    def run(build: Build, type_: str) -> dict[str, Any]:
        return {key: value for key, value in synthesise(build)["Resources"].items() if value["Type"] == type_}

    return run

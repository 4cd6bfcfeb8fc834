"""A process that synthesises environments as people do: with the flags of cdk.json and the CDK's validation.

It reads one environment a line, as JSON, and answers each with a line of JSON: the names of its stacks, or
what was raised. Node reads whether it validates when it starts, so this cannot be done in the process of the
tests.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bedplate.stacks.entry import use_locked_node  # noqa: E402

use_locked_node()

from aws_cdk import App  # noqa: E402

from bedplate.spec import Environment  # noqa: E402
from bedplate.stacks.environment_app import build_stacks  # noqa: E402
from tests.support.locks import lock_for  # noqa: E402

FLAGS = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]


def synthesise(data: dict[str, Any]) -> list[str]:
    """Synthesise one environment, and name its stacks."""
    environment = Environment.model_validate(data)
    with TemporaryDirectory() as folder:
        app = App(context=FLAGS, outdir=folder)
        build_stacks(app, environment=environment, lock=lock_for(environment))
        return [stack.stack_name for stack in app.synth().stacks]


def main() -> None:
    """Answer line by line until there is none."""
    for line in sys.stdin:
        try:
            answer: dict[str, object] = {"stacks": synthesise(json.loads(line))}
        except Exception as error:  # noqa: BLE001 -- whatever is raised is what the test wants to know
            answer = {"raised": f"{type(error).__name__}: {str(error)[:2000]}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

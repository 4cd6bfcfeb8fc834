"""What is measured: each question compares one command of ours with a small yardstick."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.bench.timing import OUTPUT, ROOT, Command, Times

ENVIRONMENT = "environments/demo.yaml"
ONE_BUCKET = "tests/bench/one_bucket.py"


@dataclass(frozen=True)
class Question:
    """``ours`` against ``yardstick``; ``aim_ratio`` or ``aim_s`` is what we want to stay at or below."""

    title: str
    ours: Command
    yardstick: Command
    aim_ratio: float | None = None
    aim_s: float | None = None


@dataclass(frozen=True)
class Answer:
    """A question with the times of both commands, measured in one run."""

    question: Question
    ours: Times
    yardstick: Times

    @property
    def ratio(self) -> float:
        """Median against median."""
        return self.ours.median_s / self.yardstick.median_s

    @property
    def aim_met(self) -> bool | None:
        """Whether the aim was met; ``None`` where there is none."""
        if self.question.aim_ratio is not None:
            return self.ratio <= self.question.aim_ratio
        if self.question.aim_s is not None:
            return self.ours.median_s <= self.question.aim_s
        return None


def questions() -> tuple[Question, ...]:
    """The questions of ``make bench``; synth both as users run it (``cdk synth``) and the app alone."""
    bedplate = str(Path(sys.executable).with_name("bedplate"))
    pydantic = Command("import pydantic", (sys.executable, "-c", "from pydantic import BaseModel"), {})
    check = Command("bedplate check", (bedplate, "check", ENVIRONMENT), {})
    return (
        *(_synth(by_cli=by_cli, validation=on) for by_cli in (True, False) for on in (True, False)),
        Question(
            "bedplate --help", Command("bedplate --help", (bedplate, "--help"), {}), pydantic, aim_s=0.2
        ),
        Question("bedplate check", check, pydantic, aim_s=0.5),
    )


def _synth(*, by_cli: bool, validation: bool) -> Question:
    how = "cdk synth" if by_cli else "app alone"
    state = f"validation {'on' if validation else 'off'}"
    return Question(
        f"{how}, {state}",
        _synth_command(f"demo, {how}, {state}", "app.py", by_cli=by_cli, validation=validation),
        _synth_command("one bucket", ONE_BUCKET, by_cli=by_cli, validation=validation),
        aim_ratio=1.3,
    )


def _synth_command(name: str, app: str, *, by_cli: bool, validation: bool) -> Command:
    """The same feature flags (of cdk.json) and the same Node for both; validation on is the default."""
    from tests.support.surroundings import node_binary

    env = {
        "CDK_VALIDATION": "true" if validation else "false",
        "JSII_NODE": os.environ.get("JSII_NODE", str(node_binary())),
        "JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION": "1",
    }
    if by_cli:
        cdk = (
            str(ROOT / "node_modules/.bin/cdk"),
            "synth",
            "--quiet",
            "--no-notices",
            "--context",
            "env=demo",
        )
        # The command line starts by the locked Node too, whatever the host has.
        path = f"{node_binary().parent}{os.pathsep}{os.environ['PATH']}"
        return Command(
            name, (*cdk, "--app", f"{sys.executable} {app}", "--output", OUTPUT), {**env, "PATH": path}
        )
    flags = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    context = json.dumps({**flags, "env": "demo"})
    return Command(name, (sys.executable, app), {**env, "CDK_CONTEXT_JSON": context, "CDK_OUTDIR": OUTPUT})

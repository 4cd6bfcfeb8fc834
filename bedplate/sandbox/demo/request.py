"""What a demonstration is asked to do, and where it leaves what it makes."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bedplate.errors import UsageError

MARK = ".bedplate-demo"
Seed = int | Literal["default"]


def read_seed(text: str) -> Seed:
    """The seed that a user wrote: ``default`` or a whole number that is not negative."""
    if text == "default":
        return "default"
    if re.fullmatch(r"[0-9]{1,18}", text):
        return int(text)
    raise UsageError(
        f"the seed is {text[:40]!r}; `default` or a whole number from 0, of 18 digits at most, is allowed",
        error_id="DEM-001",
        remedy="Say for example: make demo SEED=7",
    )


@dataclass(frozen=True)
class DemoRequest:
    """``repository`` holds app.py and cdk.json; ``environment`` is the file to deploy; output goes below
    ``output``.
    """

    repository: Path
    environment: Path
    output: Path
    seed: Seed = "default"

    @property
    def assembly_dir(self) -> Path:
        """Where the CDK writes the templates."""
        return self.output / "cdk.out"

    @property
    def report(self) -> Path:
        """The page."""
        return self.output / "report.html"

    @property
    def result(self) -> Path:
        """The result of the validation."""
        return self.output / "result.json"

    def check(self) -> None:
        """Refuse to begin where the CDK app is not there."""
        for needed in ("app.py", "cdk.json", "node_modules/.bin/cdk"):
            if not (self.repository / needed).exists():
                raise UsageError(
                    f"{needed} is not in this folder; the demonstration deploys the CDK app of a checkout",
                    error_id="DEM-002",
                    remedy="Run it in Bedplate's repository, after `make install`.",
                )

    def prepare(self) -> None:
        """Make the output folder new. A folder that no demonstration made is left alone."""
        if self.output.exists() and any(self.output.iterdir()):
            if not (self.output / MARK).exists():
                raise UsageError(
                    f"{self.output} is not empty and was not made by a demonstration",
                    error_id="DEM-003",
                    remedy="Name another folder with --output, or empty this one.",
                )
            shutil.rmtree(self.output)
        self.output.mkdir(parents=True, exist_ok=True)
        (self.output / MARK).write_text("made by `bedplate demo`; the next run replaces this folder\n")

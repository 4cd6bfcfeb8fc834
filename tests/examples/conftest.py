"""Each construct example is run once per session as its reader runs it; the tests read what it wrote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FAMILIES = sorted(path.parent.name for path in (ROOT / "examples" / "constructs").glob("*/app.py"))


@dataclass(frozen=True)
class Example:
    """One family's example: its folder, where it ran, and the templates that it wrote, by stack."""

    folder: Path
    ran_in: Path
    templates: dict[str, dict[str, Any]]

    @property
    def types(self) -> Counter[str]:
        """How many resources of each type all its stacks have together."""
        return Counter(
            each["Type"] for template in self.templates.values() for each in template["Resources"].values()
        )

    def of_type(self, type_: str) -> list[dict[str, Any]]:
        """Properties of the resources of one type."""
        return [
            each.get("Properties", {})
            for template in self.templates.values()
            for each in template["Resources"].values()
            if each["Type"] == type_
        ]


@pytest.fixture(scope="session")
def example_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Example]:
    """Run a family's ``app.py`` in a process of its own, once; fails with its stderr where it fails."""
    ran: dict[str, Example] = {}

    def get(family: str) -> Example:
        if family not in ran:
            ran[family] = _run(ROOT / "examples" / "constructs" / family, tmp_path_factory.mktemp(family))
        return ran[family]

    return get


def _run(folder: Path, where: Path) -> Example:
    # Neither our Node nor our flags: the example has to find its Node as it does at its reader's.
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CDK_", "JSII_NODE"))}
    done = subprocess.run(
        [sys.executable, str(folder / "app.py")],
        cwd=where,
        env={**kept, "CDK_OUTDIR": "cdk.out", "CDK_VALIDATION": "false"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = sorted((where / "cdk.out").glob("*.template.json"))
    return Example(
        folder,
        where,
        {path.name.removesuffix(".template.json"): json.loads(path.read_text()) for path in found},
    )

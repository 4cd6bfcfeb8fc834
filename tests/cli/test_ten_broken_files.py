"""``bedplate check`` on ten broken files: the right line and remedy for each, exit code 3, no traceback."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path("tests/spec/broken")

TEN = [
    ("wrong-type", 13, 20, "CAP-001", "Did you mean 'p5en.48xlarge'?"),
    (
        "source-clashes-with-type",
        16,
        15,
        "CAP-002",
        "Use one of the sources that p5en.48xlarge is sold by, or another instance type.",
    ),
    (
        "lustre-no-multiple-for-efa",
        22,
        21,
        "STO-002",
        "Give 19200 or 38400, or another throughput (steps: 38400 at 125, 19200 at 250, 9600 at 500, 4800 at 1000), or `efa: false`.",  # noqa: E501
    ),
    ("zone-of-another-region", 7, 9, "NET-001", "Name a zone of us-west-2, or set `region: us-east-1`."),
    ("unknown-key", 14, 5, "SPC-002", "Did you mean 'nodes'?"),
    ("duplicate-key", 5, 1, "SPC-006", "Remove one of the two lines, 4 or 5."),
    (
        "unquoted-version",
        29,
        18,
        "SPC-008",
        'Write "25.11", in quotes; as a number, 25.10 would be 25.1.',
    ),
    (
        "two-pools-of-one-name",
        17,
        11,
        "ORC-001",
        "Call one of them otherwise, such as h200-b, and name it in a partition.",
    ),
    (
        "gb200-outside-ultraserver",
        17,
        15,
        "CAP-003",
        "Buy a Capacity Block for UltraServers and name its reservation: `capacity: {source: ultraserver-block, reservation: cr-…}`.",  # noqa: E501
    ),
    ("empty", 1, 1, "SPC-009", "Write one with `bedplate init`, or copy environments/demo.yaml."),
]


@pytest.mark.parametrize(("name", "line", "column", "check_id", "remedy"), TEN, ids=[row[0] for row in TEN])
def test_check_says_where_and_how_to_mend(
    name: str,
    line: int,
    column: int,
    check_id: str,
    remedy: str,
    bedplate_process: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """The one problem is shown with its place, its source line, a caret and the remedy."""
    path = FOLDER / f"{name}.yaml"
    done = bedplate_process("check", str(path))
    assert done.returncode == 3
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    shown = done.stderr.splitlines()
    assert shown[0].startswith(f"error[{check_id}]: ")
    assert f"--> {path}:{line}:{column}" in shown[1]
    source = path.read_text(encoding="utf-8").splitlines()[line - 1]
    assert shown[3] == f"{line} | {source}"
    margin = len(f"{line} | ")
    assert shown[4].index("^") == margin + column - 1
    assert any(text.endswith(f"= to mend: {remedy}") for text in shown)
    assert f"1 problem. `bedplate explain {check_id}`" in shown[-1]


def test_json_says_the_same(bedplate: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """With --json the same facts come as data on standard output, and the exit code is the same."""
    path = FOLDER / "wrong-type.yaml"
    done = bedplate("check", str(path), "--json")
    assert done.returncode == 3
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert answer["valid"] is False
    (problem,) = answer["problems"]
    assert problem == {
        "id": "CAP-001",
        "file": str(path),
        "line": 13,
        "column": 20,
        "width": 12,
        "source": "    instance_type: p5en.48xlage",
        "path": "pools[0].instance_type",
        "message": "'p5en.48xlage' is no instance type that Bedplate knows",
        "given": "p5en.48xlage",
        "allowed": problem["allowed"],
        "remedy": "Did you mean 'p5en.48xlarge'?",
    }
    assert "p5en.48xlarge" in problem["allowed"]

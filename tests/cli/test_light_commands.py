"""Commands that need neither the CDK nor AWS's client load neither, and answer fast."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"aws_cdk", "jsii", "constructs", "boto3", "botocore", "moto", "matplotlib", "rich", "jinja2"}
SCRIPT = """
import sys
from bedplate.cli.main import run
code = run(sys.argv[1:])
print("LOADED", " ".join(sorted({name.partition(".")[0] for name in sys.modules})))
sys.exit(code)
"""


def _loaded(*arguments: str, cwd: Path = ROOT) -> tuple[int, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("LOADED "))
    return done.returncode, set(line.split()[1:])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--help",), 0),
        (("--version",), 0),
        (("check", "-e", "demo"), 0),
        (("check", "--help"), 0),
        (("check", "tests/spec/broken/wrong-type.yaml"), 3),
        (("schema",), 0),
        (("expand", "-e", "demo"), 0),
        (("explain", "CAP-002"), 0),
        (("explain", "GPU-001"), 0),
        (("init", "--name", "demo"), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_neither_cdk_nor_boto3_is_loaded(arguments: tuple[str, ...], code: int) -> None:
    """The modules that are loaded in the end hold none of the heavy ones."""
    returned, loaded = _loaded(*arguments)
    assert returned == code
    assert not loaded & HEAVY


def test_a_new_file_needs_neither(tmp_path: Path) -> None:
    """Nor does writing one."""
    arguments = ("--name", "new", "--account", "123456789012", "--region", "us-west-2", "--zone", "usw2-az2")
    returned, loaded = _loaded("init", *arguments, cwd=tmp_path)
    assert returned == 0
    assert not loaded & HEAVY


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("explain", "CLI-001")], ids=" ".join)
def test_help_loads_neither_pydantic_nor_yaml(arguments: tuple[str, ...]) -> None:
    """Help comes from the table of commands alone, and an explanation from its own table."""
    assert not _loaded(*arguments)[1] & {"pydantic", "yaml"}


def test_check_answers_in_a_fraction_of_a_second() -> None:
    """The best of three checks of the demo takes less than a second of processor time."""

    def seconds() -> float:
        before = os.times()
        _loaded("check", "-e", "demo")
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    assert min(seconds() for _ in range(3)) < 1

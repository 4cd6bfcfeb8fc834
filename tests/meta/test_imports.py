"""The rules of the house about imports hold, and what must be fast imports little."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.meta.repository import ROOT

HEAVY = ("aws_cdk", "jsii", "boto3", "botocore", "moto", "matplotlib", "jinja2", "rich", "networkx")


@pytest.mark.slow
def test_the_import_rules_hold() -> None:
    """import-linter finds no broken contract."""
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def _loaded(code: str) -> set[str]:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


@pytest.mark.parametrize(
    "code",
    [
        "from bedplate.cli.main import run; run(['--help'])",
        "from bedplate.cli.main import run; run(['check', 'environments/demo.yaml'])",
        "import bedplate.spec.environment, bedplate.hardware",
    ],
    ids=["help", "check", "spec"],
)
def test_what_answers_at_once_imports_nothing_heavy(code: str) -> None:
    """Help, check and the models load neither the CDK, nor an AWS client, nor anything that draws."""
    assert not _loaded(code) & set(HEAVY)


def test_judging_and_reading_results_draws_nothing() -> None:
    """A result is read and judged without the libraries of any report."""
    loaded = _loaded("import bedplate.validation.judgement, bedplate.validation.reports.result_file")
    assert not loaded & set(HEAVY)

"""cdk-nag, the CDK's own validation and cfn-lint over every example; each exception with its reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from bedplate.spec import load_environment
from bedplate.spec.regions import is_local_zone
from bedplate.stacks.policy import Accepted, accepted_findings
from tests.support.accepted_rules import is_rule

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = sorted((ROOT / "environments").glob("*.yaml"))
CASES = sorted((HERE / "environments").glob("*.yaml"))
IGNORED = json.loads((HERE / "cfn_lint_ignores.json").read_text())

Entry = Callable[..., "CompletedProcess[str]"]

# Runs in a process of its own, since Node reads CDK_VALIDATION when it starts: the packs without any
# acknowledgement, so that every finding shows.
FINDINGS = """
import json, sys
from pathlib import Path
from bedplate.spec import load_environment
from bedplate.stacks.entry import use_locked_node
use_locked_node()
from aws_cdk import App
from bedplate.lockfile import read_lock
from bedplate.stacks.environment_app import build_stacks
from bedplate.stacks.policy import register_packs
app = App(outdir=sys.argv[2], context=json.loads(Path("cdk.json").read_text())["context"])
file = Path(sys.argv[1])
build_stacks(app, environment=load_environment(file), lock=read_lock(file))
register_packs(app)
try:
    app.synth()
except RuntimeError as error:
    if "ValidationFailed" not in str(error):
        raise
"""

ONE_ENTRY_LESS = """
import json, os, sys
from pathlib import Path
from bedplate.stacks import entry
os.environ.update(CDK_OUTDIR=sys.argv[1], CDK_CONTEXT_JSON=json.dumps({"env": "dev", "policy": "true"}))
entry.use_locked_node()
from bedplate.stacks import policy
kept = policy.accepted_findings()[1:]
policy.accepted_findings = lambda: kept
sys.exit(entry.main(base=Path.cwd()))
"""

BROKEN = """
import json, sys
from pathlib import Path
from bedplate.stacks.entry import use_locked_node
use_locked_node()
from aws_cdk import App, Stack
from aws_cdk.aws_ec2 import CfnPlacementGroup
app = App(outdir=sys.argv[1], context=json.loads(Path("cdk.json").read_text())["context"])
CfnPlacementGroup(Stack(app, "broken"), "Group", strategy="heap")
app.synth()
"""

CFN_LINT = "import sys; from cfnlint.runner import main; sys.exit(main())"


@dataclass(frozen=True)
class Finding:
    """One finding on one construct, and the accepted entries that cover it."""

    rule: str
    path: str
    covered_by: tuple[Accepted, ...]


def _python(code: str, *arguments: str) -> CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CDK_", "JSII_"))}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=kept,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def _findings(file: Path, folder: Path) -> list[Finding]:
    """Everything that the packs find in an environment."""
    done = _python(FINDINGS, str(file), str(folder))
    assert done.returncode == 0, done.stderr
    environment = load_environment(file)
    accepted = accepted_findings()
    found = []
    for plugin in json.loads((folder / "validation-report.json").read_text())["pluginReports"]:
        for violation in plugin["violations"]:
            if violation["description"].startswith("unverified: "):
                continue  # our own word on what no source settles
            rule = f"{plugin['pluginName']}::{violation['ruleName']}"
            for construct in violation["violatingConstructs"]:
                stack, _, path = construct["constructPath"].partition("/")
                matching = tuple(
                    each
                    for each in accepted
                    if stack == f"bedplate-{environment.name}-{each.stack}"
                    and each.covers(path)
                    and is_rule(each.rule_in(environment), rule)
                )
                found.append(Finding(rule, construct["constructPath"], matching))
    return found


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Finding]]:
    """Findings by example."""
    return {each.stem: _findings(each, tmp_path_factory.mktemp(f"nag-{each.stem}")) for each in EXAMPLES}


@pytest.mark.slow
def test_every_finding_is_accepted_with_a_reason(findings: dict[str, list[Finding]]) -> None:
    """AwsSolutions and NIST 800-53 R5 find nothing in any example that the committed list does not name."""
    open_findings = [
        (name, each.rule, each.path)
        for name, all_ in findings.items()
        for each in all_
        if not each.covered_by
    ]
    assert open_findings == []
    assert all(findings.values()), "packs that find nothing anywhere did not run"


@pytest.mark.slow
def test_no_accepted_finding_is_stale(findings: dict[str, list[Finding]]) -> None:
    """Every entry of the list covers a finding of some example; one that covers none must go."""
    used = {entry for all_ in findings.values() for each in all_ for entry in each.covered_by}
    assert [entry for entry in accepted_findings() if entry not in used] == []


def test_every_accepted_finding_says_why() -> None:
    """A reason is a sentence, and no entry stands twice."""
    entries = accepted_findings()
    assert all(len(entry.reason.split()) >= 8 and entry.reason.endswith(".") for entry in entries)
    assert len({(entry.rule, entry.stack, entry.path) for entry in entries}) == len(entries)


@pytest.mark.slow
def test_examples_pass_with_everything_on(entry: Entry, example: Path, tmp_path: Path) -> None:
    """`cdk synth -c policy=true`, with the CDK's own validation on, ends with 0 and no open finding.

    What is said of a Local Zone, which no source settles, is said there and nowhere else.
    """
    done = entry(example.stem, outdir=tmp_path / "out", policy=True)
    assert done.returncode == 0, done.stderr
    reports = json.loads((tmp_path / "out" / "validation-report.json").read_text())["pluginReports"]
    violations = [violation for report in reports for violation in report["violations"]]
    unverified = [each for each in violations if each["description"].startswith("unverified: ")]
    assert [each for each in violations if each not in unverified] == []
    zone = load_environment(example).network.zone
    assert bool(unverified) == is_local_zone(zone)


@pytest.mark.slow
def test_an_open_finding_ends_the_synthesis(tmp_path: Path) -> None:
    """With one entry of the list taken away the command ends with 1, one line, and no traceback."""
    done = _python(ONE_ENTRY_LESS, str(tmp_path / "out"))
    assert done.returncode == 1, done.stderr
    assert "APP-002" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_cdks_own_validation_is_on(tmp_path: Path) -> None:
    """The lane can fail: a placement strategy that does not exist is in the report, as a warning."""
    done = _python(BROKEN, str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    reports = json.loads((tmp_path / "out" / "validation-report.json").read_text())["pluginReports"]
    assert [violation["ruleName"] for report in reports for violation in report["violations"]]


def _lint(assembly: Any) -> list[dict[str, Any]]:
    templates = sorted(str(path) for path in assembly.folder.glob("*.template.json"))
    region = load_environment(assembly.file).region
    done = subprocess.run(
        [sys.executable, "-c", CFN_LINT, *templates, "--format", "json", "--regions", region],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.stdout.startswith("["), done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_cfn_lint_can_fail(assembly_of: Callable[[Path], Any], tmp_path: Path) -> None:
    """A template with a property that does not exist is found, so that silence means something."""
    demo = assembly_of(ROOT / "environments" / "demo.yaml")
    template = json.loads((demo.folder / "bedplate-demo-storage.template.json").read_text())
    (file_system,) = [
        each for each in template["Resources"].values() if each["Type"] == "AWS::FSx::FileSystem"
    ]
    file_system["Properties"]["Capacity"] = 1
    (tmp_path / "x.template.json").write_text(json.dumps(template))
    found = _lint(replace(demo, folder=tmp_path))
    assert [match["Rule"]["Id"] for match in found] == ["E3002"]


@pytest.mark.slow
def test_cfn_lint_finds_nothing_that_is_not_listed(assembly_of: Callable[[Path], Any]) -> None:
    """Over all environments cfn-lint finds exactly the kinds of false alarm that the list explains."""
    found = {
        # The message begins with the value that is refused, in quotes.
        (match["Rule"]["Id"], str(match["Location"]["Path"][-1]), match["Message"][1:].partition("' ")[0])
        for file in [*EXAMPLES, *CASES]
        for match in _lint(assembly_of(file))
    }
    assert found == {(each["rule"], each["property"], each["value"]) for each in IGNORED}
    assert all(len(each["reason"].split()) >= 8 for each in IGNORED)

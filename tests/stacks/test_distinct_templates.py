"""Every distinct template of the legal combinations passes the CDK's validation, cfn-lint and cdk-nag."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import pytest

from bedplate.capacity.legality import KINDS, SHAPES, WAYS, pool_of, refusals
from tests.stacks.combination_worker import judge, synthesise
from tests.support.combination_axes import NETWORKS, storages
from tests.support.combinations import combinations, legal_pools

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORKERS = 2
"""Processes that share the work; in each, Python and Node work in turn, so that two keep two cores busy."""
IGNORED = json.loads((HERE / "cfn_lint_ignores.json").read_text())


@dataclass(frozen=True)
class Judged:
    """What was made and what was found: content hash of each stack, the stacks judged, the findings."""

    contents: dict[str, str]
    stacks: tuple[str, ...]
    findings: tuple[dict[str, str], ...]

    def of(self, judge: str) -> list[dict[str, str]]:
        """The findings of one judge."""
        return [each for each in self.findings if each["judge"] == judge]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """All combinations synthesised once, and each distinct template judged once."""
    with ExitStack() as ends:
        workers = [_start(number, tmp_path_factory, ends) for number in range(WORKERS)]
        contents: dict[str, str] = {}
        owned: list[list[str]] = []
        judged_already: set[str] = set()
        for worker in workers:
            made = _answer(worker)
            first_of = {content: name for name, content in reversed(made.items())}
            owned.append([name for content, name in first_of.items() if content not in judged_already])
            judged_already |= set(first_of)
            contents |= made
        for worker, stacks in zip(workers, owned, strict=True):
            _ask(worker, stacks)
        findings = [finding for worker in workers for finding in _answer(worker)]
    return Judged(contents, tuple(name for stacks in owned for name in stacks), tuple(findings))


def _start(
    number: int, folders: pytest.TempPathFactory, ends: ExitStack
) -> tuple[subprocess.Popen[str], IO[str]]:
    errors = ends.enter_context((folders.mktemp("worker") / "stderr").open("w+"))
    worker = subprocess.Popen(
        [sys.executable, str(HERE / "combination_worker.py")],
        cwd=ROOT,
        env={**os.environ, "CDK_VALIDATION": "false"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )
    ends.enter_context(worker)
    ends.callback(worker.kill)
    job = {"first": number, "step": WORKERS, "folder": str(folders.mktemp("assembly"))}
    _ask((worker, errors), job)
    return worker, errors


def _ask(worker: tuple[subprocess.Popen[str], IO[str]], question: Any) -> None:
    stdin = worker[0].stdin
    assert stdin is not None
    stdin.write(json.dumps(question) + "\n")
    stdin.flush()


def _answer(worker: tuple[subprocess.Popen[str], IO[str]]) -> Any:
    process, errors = worker
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        errors.seek(0)
        pytest.fail(f"a worker ended:\n{errors.read()[-4000:]}", pytrace=False)
    return json.loads(line)


def test_every_legal_pair_of_shape_and_source_is_among_them() -> None:
    """Each shape with each way to buy it that the rules let through stands in some combination."""
    legal = {
        (shape.name, way)
        for shape in SHAPES
        for way in WAYS
        if not refusals(pool=pool_of(shape, way), kind=KINDS[0])
    }
    found = {tuple(label.split(", ")[:2]) for label, _ in legal_pools()}
    assert found == legal
    assert len(legal) >= 50


def test_every_network_and_every_kind_of_storage_is_among_them() -> None:
    """No entry of an axis is refused everywhere, in which case it would be measured by nothing."""
    labels = [each.label for each in combinations()]
    # Whole labels are compared: "existing" is the beginning of other names too.
    for network in NETWORKS:
        assert [name for name in storages("us-west-2") if f"{name} in {network}" in labels], network
    for name in storages("us-west-2"):
        assert [network for network in NETWORKS if f"{name} in {network}" in labels], name
    assert len(labels) == len(set(labels))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_each_distinct_template_is_judged_once(judged: Judged) -> None:
    """All five stacks of every combination are made; those of equal content are judged once."""
    assert len(judged.contents) == 5 * len(combinations())
    of_judged = Counter(judged.contents[name] for name in judged.stacks)
    assert set(of_judged) == set(judged.contents.values())
    assert set(of_judged.values()) == {1}
    roles = Counter(name.rpartition("-")[2] for name in judged.stacks)
    sys.stdout.write(
        f"{len(legal_pools())} legal pools, {len(combinations())} environments, {len(judged.contents)} "
        f"templates, {len(judged.stacks)} distinct: {dict(sorted(roles.items()))}\n"
    )
    assert all(roles[role] > 1 for role in ("network", "storage", "orchestration", "observability"))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_cdks_validation_finds_nothing(judged: Judged) -> None:
    """The CDK's own validation has nothing to say about any distinct template."""
    assert _first(judged.of("cdk")) == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_cfn_lint_finds_what_the_list_explains(judged: Judged) -> None:
    """cfn-lint finds nothing but the kinds of false alarm that are listed with their reasons."""
    ignored = {(each["rule"], each["property"], each["value"]) for each in IGNORED}
    left = [each for each in judged.of("cfn-lint") if _kind(each) not in ignored]
    assert _first(left) == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_cdk_nag_finds_what_is_accepted(judged: Judged) -> None:
    """AwsSolutions and NIST 800-53 R5 find nothing that is not on the committed list, and they did look."""
    assert _first(judged.of("nag")) == []
    packs = {each["rule"].partition("::")[0] for each in judged.of("accepted")}
    assert packs == {"AwsSolutions", "NIST.800.53.R5"}


@pytest.mark.slow
def test_each_judge_can_find_something(tmp_path: Path) -> None:
    """A made-up property is found by the CDK and by cfn-lint, an open bucket by cdk-nag."""
    app, made = synthesise(first=0, step=len(combinations()), folder=tmp_path)
    network = next(each for each in made.values() if each.role == "network")
    template = json.loads(network.path.read_text())
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::EC2::Subnet":
            resource["Properties"]["Nonsense"] = 1
    (tmp_path / "bad.json").write_text(json.dumps(template))
    from aws_cdk.aws_s3 import CfnBucket

    CfnBucket(network.stack, "Open")
    found = {
        (each["judge"], each["rule"].partition("[")[0])
        for each in judge(app, [replace(network, path=tmp_path / "bad.json")])
    }
    assert {("cdk", "F3002"), ("cfn-lint", "E3002"), ("nag", "AwsSolutions::AwsSolutions-S1")} <= found


def _kind(finding: dict[str, str]) -> tuple[str, str, str]:
    """Rule, property and the value that is refused, with which the message begins, in quotes."""
    return finding["rule"], finding["where"].rpartition("/")[2], finding["what"][1:].partition("' ")[0]


def _first(findings: Sequence[dict[str, str]]) -> list[str]:
    """One finding of each rule, as a line with its place and how many there are."""
    counts = Counter(each["rule"] for each in findings)
    one = {each["rule"]: each for each in findings}
    return [f"{counts[rule]} × {rule} at {one[rule]['where']}: {one[rule]['what'][:200]}" for rule in counts]

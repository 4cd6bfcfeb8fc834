"""What a failed run of the CDK says."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.errors import BedplateError
from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.cdk_failure import CdkFailed, telling_lines


def test_failure_tells_each_reason_once() -> None:
    """The CDK tells a failed resource twice; the message holds it once, without stack traces."""
    output = [
        "demo |   3 | 7:10:48 PM | CREATE_FAILED | AWS::S3::Bucket | B no",
        "demo |   3 | 7:10:48 PM | CREATE_COMPLETE | AWS::S3::Bucket | C",
        "    at Object.x (/a/node_modules/aws-cdk/lib/index.js:1:1) Error: x",
        "demo | 7:10:48 PM | CREATE_FAILED | AWS::S3::Bucket | B no",
        "❌  demo failed to deploy",
    ]
    assert telling_lines(output) == [
        "demo | 7:10:48 PM | CREATE_FAILED | AWS::S3::Bucket | B no",
        "❌  demo failed to deploy",
    ]


def test_failure_without_a_telling_line_shows_the_last_ones() -> None:
    """Where no line says why, the last five are shown."""
    failed = CdkFailed("deploy", 1, [f"line {number}" for number in range(9)])
    assert failed.lines == ["line 4", "line 5", "line 6", "line 7", "line 8"]
    assert "`cdk deploy` ended with 1" in failed.message


@pytest.mark.parametrize(
    ("kind", "word"),
    [("cluster", "another environment"), ("compute node group", "pool's name"), ("queue", "partition")],
)
def test_a_name_that_is_taken_says_what_to_change(kind: str, word: str) -> None:
    """PCS's own message names neither pool nor partition; the remedy does."""
    reason = f"ConflictException: A {kind} with the same name already exists: h200"
    failed = CdkFailed(
        "deploy", 1, [f"demo | 7:10 | CREATE_FAILED | AWS::PCS::X | N {reason}", "❌  demo failed"]
    )
    assert reason in failed.message
    assert word in failed.remedy


def test_missing_cdk_is_told(tmp_path: Path) -> None:
    """A folder without the CDK command line is an error with its remedy."""
    with pytest.raises(BedplateError, match="not in") as refused:
        Cdk(project=tmp_path, environment={}, output=tmp_path / "out").synth({"env": "demo"})
    assert refused.value.error_id == "SBX-005"
    assert "make install" in refused.value.remedy

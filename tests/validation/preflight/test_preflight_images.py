"""PRE-029: the images that nodes are launched from, locked or pinned, each thing spoilt in turn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bedplate.capacity.images import image_pins
from bedplate.diagnosis.verdict import Outcome, Severity, Verdict
from bedplate.lockfile import LockedImage
from bedplate.validation.preflight import images
from tests.support.locks import lock_for
from tests.validation.preflight.fake_aws import IMAGE, FakeAws, preflight_of, refusal

LOCKED = "ami-0fedcba9876543210"
PARAMETER = image_pins()["x86_64"].parameter


@pytest.fixture
def aws() -> FakeAws:
    """An account that sees one image."""
    return FakeAws()


def _published(aws: FakeAws, *versions: int) -> None:
    """The public parameter has these versions, each with an image that ends in another digit."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        _, _, asked = request["Name"].partition(":")
        version = int(asked) if asked else max(versions, default=0)
        if version not in versions:
            raise refusal("ParameterVersionNotFound")
        return {"Parameter": {"Value": IMAGE[:-1] + str(version - 1), "Version": version}}

    aws.tables["ssm"]["get_parameter"] = answer


def _seen(aws: FakeAws, **row: Any) -> None:
    aws.tables["ec2"]["describe_images"] = lambda request: {
        "Images": [
            {"ImageId": image, "State": "available", "Architecture": "x86_64", **row}
            for image in (IMAGE, LOCKED)
            if image in request["Filters"][0]["Values"]
        ]
    }


def _judged(aws: FakeAws, *, locked: bool = False) -> Verdict:
    asked = preflight_of(aws)
    if locked:
        image = LockedImage(parameter=PARAMETER, version=1, image_id=LOCKED)
        lock = lock_for(asked.environment).model_copy(update={"images": {"x86_64": image}})
        asked = replace(asked, lock=lock)
    (verdict,) = images.check(asked)
    return verdict


def test_the_locked_image_goes_before_the_pinned_one(aws: FakeAws) -> None:
    """What nodes are launched from is looked at, and no other image."""
    _seen(aws)
    pinned, locked = _judged(aws), _judged(aws, locked=True)
    assert (pinned.outcome, locked.outcome) == (Outcome.PASS, Outcome.PASS)
    assert IMAGE in pinned.summary
    assert LOCKED in locked.summary
    assert locked.findings == ()


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"State": "disabled"}, "is disabled, not available"),
        ({"Architecture": "arm64"}, "is of arm64, not of x86_64"),
        ({"ImageId": "ami-00000000000000000"}, "there is no image"),
    ],
)
def test_an_image_that_launches_nothing_fails(
    aws: FakeAws, row: dict[str, str], words: str, locked: bool
) -> None:
    """Gone, not available, or of the other architecture; the remedy is another image."""
    _seen(aws, **row)
    verdict = _judged(aws, locked=locked)
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary
    assert "--newest-images" in verdict.remedy


@pytest.mark.parametrize("locked", [False, True])
def test_a_newer_image_is_a_finding(aws: FakeAws, locked: bool) -> None:
    """It is told with both versions, and stops nothing."""
    _published(aws, 1, 3)
    _seen(aws)
    verdict = _judged(aws, locked=locked)
    assert verdict.outcome is Outcome.PASS
    (finding,) = verdict.findings
    assert finding.severity is Severity.INFO
    assert "version 3, where 1 is used" in finding.text


@pytest.mark.parametrize(("day", "told"), [("2026-11-28", True), ("2027-01-01", False)])
def test_a_deprecated_image_is_a_finding_from_its_day_on(aws: FakeAws, day: str, told: bool) -> None:
    """It can still be launched, but not for ever."""
    _seen(aws, DeprecationTime=f"{day}T00:00:00.000Z")
    verdict = _judged(aws)
    assert verdict.outcome is Outcome.PASS
    assert [each.severity for each in verdict.findings] == [Severity.WARNING] * told


@pytest.mark.parametrize("versions", [(2,), ()])
def test_a_pinned_version_that_the_region_lacks_fails(aws: FakeAws, versions: tuple[int, ...]) -> None:
    """CloudFormation could not resolve the reference; EC2 is not asked for nothing."""
    _published(aws, *versions)
    aws.tables["ec2"]["describe_images"] = AssertionError("asked for no image")
    verdict = _judged(aws)
    assert verdict.outcome is Outcome.FAIL
    assert "has no version 1 in this Region" in verdict.summary


def test_a_locked_image_outlives_its_parameter(aws: FakeAws) -> None:
    """Nodes are launched from the AMI; where the parameter is gone there is no newer one to tell of."""
    _published(aws)
    _seen(aws)
    verdict = _judged(aws, locked=True)
    assert verdict.outcome is Outcome.PASS
    assert verdict.findings == ()

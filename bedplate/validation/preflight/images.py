"""PRE-029: the machine images that the nodes are launched from are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bedplate.capacity.images import architectures_in_use, image_pins
from bedplate.diagnosis.verdict import Finding, Severity
from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer

if TYPE_CHECKING:
    from types_boto3_ec2.type_defs import ImageTypeDef

    from bedplate.diagnosis.verdict import Verdict
    from bedplate.lockfile import Architecture
    from bedplate.spec import Environment

ROW = CheckRow(
    id="PRE-029",
    title="the machine images that the nodes are launched from are there",
    what="For each architecture in use the AMI of the lock file, or where none is locked that of the version "
    "pinned in the package: EC2 DescribeImages knows it, as available and of that architecture. A newer "
    "version of the public parameter and a deprecated image are findings. An image given by `-c image:…` is "
    "not looked at.",
    why="AWS takes images away: an AMI that was locked long ago may be gone, and no node can be launched "
    "from it, neither now nor when a broken one is replaced.",
    fix="Run `bedplate lock -e NAME --newest-images`, review it, commit it, and deploy; every node is then "
    "launched anew.",
    by_hand="`aws ec2 describe-images --include-deprecated --image-ids AMI`; `aws ssm get-parameter --name "
    "PARAMETER` shows the newest",
)


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """An image that nodes are launched from, and the newest version of the parameter that named it.

    ``image_id`` is empty where the parameter has no such version.
    """

    architecture: Architecture
    parameter: str
    image_id: str
    version: int
    newest: int


def applies(environment: Environment) -> bool:
    """Where the images are chosen here; ParallelCluster takes its own."""
    return bool(architectures_in_use(environment))


def check(preflight: Preflight) -> list[Verdict]:
    """One request a parameter, and one for all images."""
    from bedplate.validation.aws import aws_errors

    writer = Writer(ROW.id)
    wanted = [_wanted(preflight, each) for each in architectures_in_use(preflight.environment)]
    ids = {each.image_id for each in wanted if each.image_id}
    with aws_errors("asking for the machine images"):
        rows = (
            preflight.clients.ec2.describe_images(
                Filters=[{"Name": "image-id", "Values": sorted(ids)}], IncludeDeprecated=True
            )["Images"]
            if ids
            else []
        )
    told = {row.get("ImageId", ""): row for row in rows}
    problems = [text for each in wanted for text in _problems(each, told.get(each.image_id))]
    names = ", ".join(f"{each.image_id} ({each.architecture})" for each in wanted)
    if problems:
        return [writer.failed("; ".join(problems), measured=len(told), expected=len(wanted), remedy=ROW.fix)]
    findings = [finding for each in wanted for finding in _findings(preflight, each, told[each.image_id])]
    return [
        writer.passed(
            f"there and available: {names}",
            measured=len(told),
            expected=len(wanted),
            unit="images",
            findings=tuple(findings),
        )
    ]


def _wanted(preflight: Preflight, architecture: Architecture) -> _Wanted:
    locked = preflight.lock.images.get(architecture) if preflight.lock else None
    pin = locked or image_pins()[architecture]
    newest, newest_image = _parameter(preflight, pin.parameter)
    if locked:
        image = locked.image_id
    elif newest == pin.version:
        image = newest_image
    else:
        _, image = _parameter(preflight, f"{pin.parameter}:{pin.version}")
    return _Wanted(
        architecture=architecture,
        parameter=pin.parameter,
        image_id=image,
        version=pin.version,
        newest=newest,
    )


def _parameter(preflight: Preflight, name: str) -> tuple[int, str]:
    """Version and AMI id; 0 and nothing where there is no such parameter or version."""
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    try:
        with aws_errors(f"asking for the image parameter {name}"):
            answer = preflight.clients.ssm.get_parameter(Name=name)["Parameter"]
    except AwsRefused as error:
        if error_code(error.__cause__) in {"ParameterNotFound", "ParameterVersionNotFound"}:
            return 0, ""
        raise
    return answer.get("Version", 0), answer.get("Value", "")


def _problems(wanted: _Wanted, row: ImageTypeDef | None) -> list[str]:
    if not wanted.image_id:
        return [f"{wanted.parameter} has no version {wanted.version} in this Region"]
    if row is None:
        return [f"there is no image {wanted.image_id} ({wanted.architecture}), or it is shared no more"]
    problems = []
    if row.get("State") != "available":
        problems.append(f"{wanted.image_id} is {row.get('State')}, not available")
    if row.get("Architecture") != wanted.architecture:
        problems.append(f"{wanted.image_id} is of {row.get('Architecture')}, not of {wanted.architecture}")
    return problems


def _findings(preflight: Preflight, wanted: _Wanted, row: ImageTypeDef) -> list[Finding]:
    findings = []
    if wanted.newest > wanted.version:
        text = (
            f"a newer image for {wanted.architecture} is published: version {wanted.newest}, where "
            f"{wanted.version} is used"
        )
        findings.append(Finding(Severity.INFO, text, remedy=ROW.fix))
    deprecated = row.get("DeprecationTime", "")
    if deprecated and deprecated[:10] <= f"{preflight.now:%Y-%m-%d}":
        text = f"{wanted.image_id} is deprecated since {deprecated[:10]}: its owner may take it away"
        findings.append(Finding(Severity.WARNING, text, remedy=ROW.fix))
    return findings

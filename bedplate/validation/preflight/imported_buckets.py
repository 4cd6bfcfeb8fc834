"""PRE-022: buckets that are given are there, in the Region, and may be tied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.diagnosis.verdict import Finding, Severity
from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer, of_bucket

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.file_systems import Association

ROW = CheckRow(
    id="PRE-022",
    title="the buckets that are given can be tied",
    what="For each bucket that an association names: that it exists, its Region, and whether the deploying "
    "principal (the role that CloudFormation works by, or who runs this) may read, list and write its "
    "prefix, by IAM's policy simulator; and the denials of the bucket's own policy.",
    why="FSx makes an association with the rights of whoever deploys: it needs s3:Get*, s3:List* and "
    "s3:PutObject on the prefix. Without them it fails after an hour, with words that name no right "
    "(aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow #91).",
    fix="Give the principal that the report names the rights that it names, or mend the bucket's policy.",
    by_hand="`aws iam simulate-principal-policy --policy-source-arn ROLE_ARN --action-names s3:PutObject "
    "--resource-arns arn:aws:s3:::BUCKET/PREFIX`",
)
BUCKET_ACTIONS = ("s3:ListBucket", "s3:GetBucketLocation", "s3:GetBucketAcl", "s3:GetBucketPolicy")
OBJECT_ACTIONS = ("s3:GetObject", "s3:PutObject")
"""What stands for s3:Get*, s3:List* and s3:PutObject; the simulator takes actions, not patterns."""
CREATE = "create"


def applies(environment: Environment) -> bool:
    """Where an association names a bucket that is there."""
    return bool(imported(environment))


def imported(environment: Environment) -> dict[str, list[Association]]:
    """Bucket → associations that name it."""
    found: dict[str, list[Association]] = {}
    for file_system in environment.storage.file_systems:
        for each in getattr(file_system, "associations", ()):
            if each.bucket != CREATE:
                found.setdefault(each.bucket, []).append(each)
    return found


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each bucket."""
    from bedplate.validation.preflight.deploying_principal import deploying_principal

    principal = deploying_principal(preflight)
    return [
        _one(preflight, bucket, associations, principal)
        for bucket, associations in imported(preflight.environment).items()
    ]


def _one(preflight: Preflight, bucket: str, associations: list[Association], principal: str) -> Verdict:
    writer, region = of_bucket(ROW.id, bucket), preflight.environment.region
    found = _region(preflight, bucket)
    if found is None:
        return writer.failed(f"there is no bucket {bucket}", remedy="Correct the name, or write `create`.")
    if found != region:
        return writer.failed(
            f"{bucket} is in {found}, the file system in {region}",
            measured=found,
            expected=region,
            remedy="FSx ties buckets of its own Region only: copy the data, or name another bucket.",
        )
    prefixes = sorted({each.prefix for each in associations})
    return _rights(preflight, writer, bucket=bucket, prefixes=prefixes, principal=principal)


def _rights(
    preflight: Preflight, writer: Writer, *, bucket: str, prefixes: list[str], principal: str
) -> Verdict:
    from bedplate.validation.preflight.bucket_policy import denials

    arn = f"arn:{principal.split(':')[1]}:s3:::{bucket}"
    objects = [f"{arn}/{prefix}probe" for prefix in prefixes]
    missing = _simulated(preflight, principal, BUCKET_ACTIONS, [arn])
    missing += _simulated(preflight, principal, OBJECT_ACTIONS, objects)
    denied = denials(
        _policy(preflight, bucket),
        principal=principal,
        resources=[arn, *objects],
        actions=(*BUCKET_ACTIONS, *OBJECT_ACTIONS),
    )
    if missing or denied.certain:
        text = "; ".join([*missing, *denied.certain])
        return writer.failed(f"{bucket}: {principal}: {text}", remedy=ROW.fix)
    findings = tuple(
        Finding(Severity.WARNING, f"{bucket}: {text}", "Look whether its condition fits the deploy.")
        for text in denied.conditional
    )
    told = ", ".join(f"s3://{bucket}/{prefix}" for prefix in prefixes)
    return writer.passed(f"{told}: {principal} may read, list and write", findings=findings)


def _simulated(
    preflight: Preflight, principal: str, actions: tuple[str, ...], resources: list[str]
) -> list[str]:
    """What IAM's simulator does not allow, in words."""
    from bedplate.validation.aws import aws_errors

    missing = []
    with aws_errors(f"asking what {principal} may do"):
        pages = preflight.clients.iam.get_paginator("simulate_principal_policy").paginate(
            PolicySourceArn=principal, ActionNames=list(actions), ResourceArns=resources
        )
        for page in pages:
            for result in page["EvaluationResults"]:
                answers = result.get("ResourceSpecificResults") or [
                    {
                        "EvalResourceName": result.get("EvalResourceName", ""),
                        "EvalResourceDecision": result.get("EvalDecision", ""),
                    }
                ]
                missing += [
                    f"{result['EvalActionName']} on {each.get('EvalResourceName')} is "
                    f"{each.get('EvalResourceDecision')}"
                    for each in answers
                    if each.get("EvalResourceDecision") != "allowed"
                ]
    return missing


def _region(preflight: Preflight, bucket: str) -> str | None:
    """The bucket's Region, or None where there is no such bucket."""
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    try:
        with aws_errors(f"asking for the Region of the bucket {bucket}"):
            answer = preflight.clients.s3.get_bucket_location(Bucket=bucket)
    except AwsRefused as error:
        if error_code(error.__cause__) not in ("NoSuchBucket", "404"):
            raise
        return None
    # The first Region has no name in this answer, and Ireland an old one (S3 API, GetBucketLocation).
    told = str(answer.get("LocationConstraint") or "us-east-1")
    return "eu-west-1" if told == "EU" else told


def _policy(preflight: Preflight, bucket: str) -> str | None:
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    try:
        with aws_errors(f"reading the policy of the bucket {bucket}"):
            return preflight.clients.s3.get_bucket_policy(Bucket=bucket)["Policy"]
    except AwsRefused as error:
        if error_code(error.__cause__) != "NoSuchBucketPolicy":
            raise
        return None

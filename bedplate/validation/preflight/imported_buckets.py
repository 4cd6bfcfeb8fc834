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
    "prefix and make the role that FSx goes there by, by IAM's policy simulator; the denials of the bucket's "
    "own policy; and whether a KMS key of its own encrypts it.",
    why="FSx makes an association with the rights of whoever deploys: it needs s3:Get*, s3:List* and "
    "s3:PutObject on the prefix. Without them it fails after the file system has been made, with words "
    "that name no right (aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow #91).",
    fix="Give the principal that the report names the rights that it names, or mend the bucket's policy.",
    by_hand="`aws iam simulate-principal-policy --policy-source-arn ROLE_ARN --action-names s3:PutObject "
    "--resource-arns arn:aws:s3:::BUCKET/PREFIX`",
)
BUCKET_ACTIONS = ("s3:ListBucket", "s3:GetBucketLocation", "s3:GetBucketAcl", "s3:GetBucketPolicy")
OBJECT_ACTIONS = ("s3:GetObject", "s3:PutObject")
"""What stands for s3:Get*, s3:List* and s3:PutObject; the simulator takes actions, not patterns."""
ROLE_ACTIONS = ("iam:CreateServiceLinkedRole", "iam:AttachRolePolicy", "iam:PutRolePolicy")
"""For the service-linked role by which FSx goes to the bucket (FSx for Lustre User Guide, "Setting up")."""
_FSX_ROLE = "aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_probe"
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
    partition, account = principal.split(":")[1], preflight.environment.account
    role = f"arn:{partition}:iam::{account}:role/{_FSX_ROLE}"
    missing += _simulated(preflight, principal, ROLE_ACTIONS, [role])
    denied = denials(
        _policy(preflight, bucket),
        principal=principal,
        resources=[arn, *objects],
        actions=(*BUCKET_ACTIONS, *OBJECT_ACTIONS),
    )
    if missing or denied.certain:
        text = "; ".join([*missing, *denied.certain])
        return writer.failed(f"{bucket}: {principal}: {text}", remedy=ROW.fix)
    findings = [
        Finding(Severity.WARNING, f"{bucket}: {text}", "Look whether its condition fits the deploy.")
        for text in denied.conditional
    ]
    key = _key(preflight, bucket)
    if key:
        text = f"{bucket} is encrypted by {key}, which must admit FSx's role for the file system"
        remedy = "Add the role to the key's policy once it is there (AWSServiceRoleForFSxS3Access_…)."
        findings.append(Finding(Severity.WARNING, text, remedy))
    told = ", ".join(f"s3://{bucket}/{prefix}" for prefix in prefixes)
    return writer.passed(f"{told}: {principal} may read, list and write", findings=tuple(findings))


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


def _key(preflight: Preflight, bucket: str) -> str:
    """The KMS key that encrypts the bucket by itself, or empty where S3's or AWS's own key does."""
    from bedplate.errors import AwsRefused
    from bedplate.validation.aws import aws_errors, error_code

    try:
        with aws_errors(f"asking how the bucket {bucket} is encrypted"):
            answer = preflight.clients.s3.get_bucket_encryption(Bucket=bucket)
    except AwsRefused as error:
        if error_code(error.__cause__) != "ServerSideEncryptionConfigurationNotFoundError":
            raise
        return ""
    defaults = [
        rule.get("ApplyServerSideEncryptionByDefault", {})
        for rule in answer["ServerSideEncryptionConfiguration"]["Rules"]
    ]
    return next((str(each["KMSMasterKeyID"]) for each in defaults if each.get("KMSMasterKeyID")), "")

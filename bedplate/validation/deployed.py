"""What a deploy left behind: the pointer in SSM, and the manifest in the result bucket."""

from __future__ import annotations

from urllib.parse import urlsplit

from botocore.exceptions import ClientError
from pydantic import ValidationError

from bedplate.errors import AwsRefused, UsageError
from bedplate.manifest import ClusterManifest, manifest_parameter_name
from bedplate.validation.aws import AwsClients, aws_errors, error_code

VALIDATED = ("slurm-pcs", "slurm-parallelcluster", "slurm-hyperpod")
"""Orchestrator kinds whose nodes validation can ask."""
_NO_MANIFEST = "AWS-005"


def read_manifest(*, clients: AwsClients, environment: str) -> ClusterManifest:
    """The manifest of a deployed environment. Raises ``AwsRefused`` (AWS-005 where there is none that can be
    read), and ``UsageError`` RUN-005 for an orchestrator that validation does not know.
    """
    name = manifest_parameter_name(environment)
    with aws_errors(f"reading the SSM parameter {name}"):
        try:
            location = clients.ssm.get_parameter(Name=name).get("Parameter", {}).get("Value", "")
        except clients.ssm.exceptions.ParameterNotFound as error:
            raise _none(f"there is no SSM parameter {name} in {clients.region}", environment) from error
    parts = urlsplit(location)
    if parts.scheme != "s3" or not parts.netloc or not parts.path.strip("/"):
        raise _none(f"the SSM parameter {name} holds {location!r}, not s3://bucket/key", environment)
    return _read_body(clients, parts.netloc, parts.path.lstrip("/"), environment)


def _read_body(clients: AwsClients, bucket: str, key: str, environment: str) -> ClusterManifest:
    where = f"s3://{bucket}/{key}"
    with aws_errors(f"reading the manifest {where}"):
        try:
            body = clients.s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        except ClientError as error:
            if error_code(error) in ("NoSuchKey", "NoSuchBucket", "404"):
                raise _none(f"there is no manifest at {where}", environment) from error
            raise
    try:
        manifest = ClusterManifest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "top"
        raise _none(
            f"the manifest at {where} cannot be read: {field}: {first['msg']}", environment
        ) from error
    if manifest.environment != environment:
        raise _none(f"{where} is the manifest of {manifest.environment!r}", environment)
    if manifest.orchestrator.kind not in VALIDATED:
        raise UsageError(
            f"nodes of `{manifest.orchestrator.kind}` are not validated in this version",
            error_id="RUN-005",
            remedy="Look at them by hand: docs/kubernetes.md says at what.",
        )
    return manifest


def _none(message: str, environment: str) -> AwsRefused:
    remedy = f"Deploy the environment's stacks first: cdk deploy -c env={environment} --all"
    return AwsRefused(message, error_id=_NO_MANIFEST, remedy=remedy)

"""Where a baseline lies: one object in the result bucket, beside the runs that it was made of."""

from __future__ import annotations

from pydantic import ValidationError

from bedplate.errors import BedplateError
from bedplate.manifest import ClusterManifest
from bedplate.validation.aws import AwsClients, aws_errors
from bedplate.validation.baselines.baseline import Baseline
from bedplate.validation.reports.result_file import parse_result
from bedplate.validation.result import RunResult
from bedplate.validation.stores.bucket import BucketStore


def baseline_key(environment: str) -> str:
    """The object's key."""
    return f"baselines/{environment}.json"


def read_baseline(*, clients: AwsClients, manifest: ClusterManifest) -> Baseline | None:
    """The stored baseline; None where there is none.

    Raises ``AwsRefused``, and ``BedplateError`` BAS-002 for one that cannot be read or is of another place:
    to go on without it would ask less than the operator has accepted.
    """
    bucket, key = manifest.validation.result_bucket, baseline_key(manifest.environment)
    stored = BucketStore(clients, bucket).read(key)
    if stored is None:
        return None
    where = f"s3://{bucket}/{key}"
    try:
        found = Baseline.model_validate_json(stored.body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _unreadable(where, f"{'.'.join(map(str, first['loc'])) or 'top'}: {first['msg']}") from error
    place = (found.environment, found.account, found.region)
    if place != (manifest.environment, manifest.account, manifest.region):
        raise _unreadable(where, f"it is of {found.environment} in {found.account}/{found.region}")
    if found.simulated and not clients.simulated:
        raise _unreadable(where, "it was made of SIMULATED runs, and this cluster is real")
    return found


def write_baseline(*, clients: AwsClients, manifest: ClusterManifest, baseline: Baseline) -> str:
    """Store it and return its address. Raises ``AwsRefused``."""
    bucket, key = manifest.validation.result_bucket, baseline_key(manifest.environment)
    BucketStore(clients, bucket).write(key, (baseline.model_dump_json(indent=1) + "\n").encode("utf-8"))
    return f"s3://{bucket}/{key}"


def forget_baseline(*, clients: AwsClients, manifest: ClusterManifest) -> str | None:
    """Delete it, readable or not; where it was, None where there was none. Raises ``AwsRefused``."""
    bucket, key = manifest.validation.result_bucket, baseline_key(manifest.environment)
    if BucketStore(clients, bucket).read(key) is None:
        return None
    with aws_errors(f"deleting the baseline s3://{bucket}/{key}"):
        clients.s3.delete_object(Bucket=bucket, Key=key)
    return f"s3://{bucket}/{key}"


def read_run(*, clients: AwsClients, manifest: ClusterManifest, run_id: str) -> RunResult:
    """The result of a run as the bucket holds it. Raises ``AwsRefused``, and ``BedplateError`` BAS-003 where
    there is no such run, or one that cannot be read.
    """
    bucket, key = manifest.validation.result_bucket, f"runs/{run_id}/result.json"
    stored = BucketStore(clients, bucket).read(key)
    if stored is None:
        raise BedplateError(
            f"there is no run {run_id!r} in s3://{bucket}/runs/",
            error_id="BAS-003",
            remedy=f"List the runs: aws s3 ls s3://{bucket}/runs/",
        )
    try:
        return parse_result(stored.body, where=f"s3://{bucket}/{key}")
    except BedplateError as error:
        raise BedplateError(
            error.message, error_id="BAS-003", remedy="Validate again, and accept that run."
        ) from error


def _unreadable(where: str, why: str) -> BedplateError:
    return BedplateError(
        f"the baseline {where} cannot be used: {why}",
        error_id="BAS-002",
        remedy="Forget it (`bedplate baseline forget`), then accept a run anew (`bedplate baseline accept`).",
    )

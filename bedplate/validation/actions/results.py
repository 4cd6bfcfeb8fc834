"""The newest result of an environment: the last run that is kept whole in the result bucket."""

from __future__ import annotations

from botocore.exceptions import ClientError

from bedplate.errors import BedplateError
from bedplate.validation.aws import AwsClients, aws_errors, error_code
from bedplate.validation.reports.result_file import parse_result
from bedplate.validation.result import RunResult

RUNS = "runs/"


def newest_result(*, clients: AwsClients, bucket: str) -> tuple[RunResult, str]:
    """The newest run that has a result, and its ``s3://`` address.

    Raises ``BedplateError`` ACT-005 where there is none, RES-002 to RES-004 where it cannot be read.
    """
    with aws_errors(f"listing the runs in s3://{bucket}/{RUNS}"):
        pages = clients.s3.get_paginator("list_objects_v2").paginate(
            Bucket=bucket, Prefix=RUNS, Delimiter="/"
        )
        folders = [row["Prefix"] for page in pages for row in page.get("CommonPrefixes", [])]
    # A run's id begins with its time.
    for folder in sorted(folders, reverse=True):
        where = f"s3://{bucket}/{folder}result.json"
        with aws_errors(f"reading {where}"):
            try:
                body = clients.s3.get_object(Bucket=bucket, Key=f"{folder}result.json")["Body"].read()
            except ClientError as error:
                if error_code(error) in ("NoSuchKey", "404"):
                    continue  # cut off, or still running
                raise
        return parse_result(body, where=where), where
    raise BedplateError(
        f"no run is kept in s3://{bucket}/{RUNS}",
        error_id="ACT-005",
        remedy="Run `bedplate validate` first, or name a result file with --result.",
    )

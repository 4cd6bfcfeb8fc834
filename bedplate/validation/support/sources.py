"""Where a run and its evidence are read from: a folder beside a result file, or the result bucket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from botocore.exceptions import ClientError

from bedplate.errors import BedplateError
from bedplate.validation.actions.results import RUNS
from bedplate.validation.aws import AwsClients, aws_errors, error_code
from bedplate.validation.reports.result_file import parse_result
from bedplate.validation.result import NodeResult, RunResult

_RUNS_LOOKED_AT = 50


class Evidence(Protocol):
    """The evidence of one run, by the names that verdicts use."""

    def names(self, prefix: str) -> list[str]:
        """All names below a folder, sorted."""
        ...

    def read(self, name: str) -> bytes | None:
        """One file; None where there is none."""
        ...


@dataclass(frozen=True)
class FolderEvidence:
    """A folder ``evidence`` beside a result file."""

    folder: Path

    def names(self, prefix: str) -> list[str]:
        """All names below a folder, sorted; none where it is another than ours, and no links: they may lead
        out of it.
        """
        found = self.folder.joinpath(prefix)
        if not found.resolve().is_relative_to(self.folder.resolve()):
            return []
        return sorted(
            path.relative_to(self.folder).as_posix()
            for path in found.rglob("*")
            if path.is_file() and not path.is_symlink()
        )

    def read(self, name: str) -> bytes | None:
        """One file; None where there is none, or where the name leads out of the folder."""
        path = self.folder / name
        if not path.resolve().is_relative_to(self.folder.resolve()) or not path.is_file():
            return None
        return path.read_bytes()


@dataclass(frozen=True)
class BucketEvidence:
    """The evidence of a run in the result bucket; ``prefix`` ends in ``evidence/``."""

    clients: AwsClients
    bucket: str
    prefix: str

    def names(self, prefix: str) -> list[str]:
        """All names below a folder, sorted. Raises ``AwsRefused``."""
        with aws_errors(f"listing s3://{self.bucket}/{self.prefix}{prefix}"):
            pages = self.clients.s3.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket, Prefix=f"{self.prefix}{prefix}"
            )
            keys = [row["Key"] for page in pages for row in page.get("Contents", [])]
        return sorted(key.removeprefix(self.prefix) for key in keys)

    def read(self, name: str) -> bytes | None:
        """One file; None where there is none. Raises ``AwsRefused``."""
        return _object(self.clients, self.bucket, f"{self.prefix}{name}")


@dataclass(frozen=True)
class FoundRun:
    """A run that has the node, where it lies, and its evidence.

    ``passed_over`` says of newer runs, one sentence each, why their results could not be read.
    """

    result: RunResult
    node: NodeResult
    where: str
    evidence: Evidence
    passed_over: tuple[str, ...] = ()


def run_of_file(*, path: Path, result: RunResult, name: str) -> FoundRun:
    """The node in the run of a file. Raises ``BedplateError`` ACT-006 where the run has no such node."""
    node = _node(result, name)
    if node is None:
        known = ", ".join(sorted(one.hostname or one.node for one in result.nodes)[:8])
        raise _unknown(f"{path}: the run has no node {name}; among others it has {known or 'none at all'}")
    return FoundRun(result, node, str(path), FolderEvidence(path.parent / "evidence"))


def newest_run_with(*, clients: AwsClients, bucket: str, name: str) -> FoundRun:
    """The newest run in the bucket that has the node: one that was replaced is in an older run.

    A result that cannot be read is passed over, and told: what older runs say of the node is no less true.
    Raises ``BedplateError`` ACT-006 where none of the newest 50 has it, ``AwsRefused`` where AWS refuses.
    """
    passed_over: list[str] = []
    for folder in _folders(clients, bucket):
        where = f"s3://{bucket}/{folder}result.json"
        body = _object(clients, bucket, f"{folder}result.json")
        if body is None:
            continue  # cut off, or still running
        try:
            result = parse_result(body, where=where)
        except BedplateError as error:
            passed_over.append(f"{error.message.splitlines()[0].rstrip(':')} ({error.error_id})")
            continue
        node = _node(result, name)
        if node is not None:
            evidence = BucketEvidence(clients, bucket, f"{folder}evidence/")
            return FoundRun(result, node, where, evidence, tuple(passed_over))
    none = f"none of the newest {_RUNS_LOOKED_AT} runs in s3://{bucket}/{RUNS} has a node {name}"
    raise _unknown("; passed over: ".join([none, *passed_over]))


def _folders(clients: AwsClients, bucket: str) -> Iterator[str]:
    with aws_errors(f"listing the runs in s3://{bucket}/{RUNS}"):
        pages = clients.s3.get_paginator("list_objects_v2").paginate(
            Bucket=bucket, Prefix=RUNS, Delimiter="/"
        )
        folders = [row["Prefix"] for page in pages for row in page.get("CommonPrefixes", [])]
    yield from sorted(folders, reverse=True)[:_RUNS_LOOKED_AT]


def _object(clients: AwsClients, bucket: str, key: str) -> bytes | None:
    with aws_errors(f"reading s3://{bucket}/{key}"):
        try:
            return clients.s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        except ClientError as error:
            if error_code(error) in ("NoSuchKey", "404"):
                return None
            raise


def _node(result: RunResult, name: str) -> NodeResult | None:
    """By instance id, by host name, or by the name that Slurm has for it in this run's actions."""
    by_slurm = {action.slurm_name: action.node for action in result.actions}
    wanted = {name, by_slurm.get(name, name)}
    return next((node for node in result.nodes if wanted & {node.node, node.hostname}), None)


def _unknown(message: str) -> BedplateError:
    return BedplateError(
        message,
        error_id="ACT-006",
        remedy="Name the node by its EC2 instance id, or the run that has it with --result.",
    )

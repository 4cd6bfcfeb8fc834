"""Folders of a Lustre file system that are tied to S3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from aws_cdk import RemovalPolicy
from constructs import Construct

from bedplate.constructs.l1 import aws_fsx as fsx

Event = Literal["new", "changed", "deleted"]
MOST_ASSOCIATIONS = 8
"""FSx takes so many per file system."""
MOST_CHUNK_MIB = 512_000
"""The largest ImportedFileChunkSize (FSx API)."""


@dataclass(frozen=True, kw_only=True)
class Association:
    """One folder and what it is tied to: ``path`` in the file system, ``s3://bucket/prefix``, and the events
    that travel.

    ``imports`` are changes in S3 that show in the folder, ``exports`` changes in the folder that go to S3.
    ``chunk_mib`` is the most that one stripe holds of an imported file, in MiB; FSx's own 1024 where it is
    None. ``import_existing``: what is in the bucket already shows when the two are tied.
    """

    path: str
    data_repository: str
    imports: tuple[Event, ...] = ()
    exports: tuple[Event, ...] = ()
    chunk_mib: int | None = None
    import_existing: bool = True


class DataRepositoryAssociations(Construct):
    """Associations of one file system, made one after another.

    FSx makes one association at a time and fails the second if two start together
    (hashicorp/terraform-provider-aws #24678), so each depends on the one before. They stay when the stack
    goes, like the file system they belong to.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        file_system_id: str,
        associations: Sequence[Association],
    ) -> None:
        super().__init__(scope, id)
        _check(associations)
        previous: fsx.CfnDataRepositoryAssociation | None = None
        for association in associations:
            resource = fsx.CfnDataRepositoryAssociation(
                self,
                _construct_id(association.path),
                file_system_id=file_system_id,
                file_system_path=association.path,
                data_repository_path=association.data_repository,
                batch_import_meta_data_on_create=association.import_existing,
                imported_file_chunk_size=association.chunk_mib,
                s3=_s3(association),
            )
            resource.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
            if previous is not None:
                resource.add_resource_dependency(previous)
            previous = resource


def _check(associations: Sequence[Association]) -> None:
    if len(associations) > MOST_ASSOCIATIONS:
        raise ValueError(
            f"associations: {len(associations)} given, FSx takes {MOST_ASSOCIATIONS} per file system"
        )
    for index, one in enumerate(associations):
        for other in associations[:index]:
            if _overlap(one.path, other.path):
                raise ValueError(f"associations: the folders {other.path} and {one.path} overlap")
        if one.chunk_mib is not None and not 1 <= one.chunk_mib <= MOST_CHUNK_MIB:
            raise ValueError(f"chunk_mib: {one.chunk_mib} given, allowed are 1 to {MOST_CHUNK_MIB}")


def _overlap(one: str, other: str) -> bool:
    one, other = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return one.startswith(other) or other.startswith(one)


def _s3(association: Association) -> fsx.CfnDataRepositoryAssociation.S3Property | None:
    if not association.imports and not association.exports:
        return None
    resource = fsx.CfnDataRepositoryAssociation
    return resource.S3Property(
        auto_import_policy=resource.AutoImportPolicyProperty(events=_events(association.imports))
        if association.imports
        else None,
        auto_export_policy=resource.AutoExportPolicyProperty(events=_events(association.exports))
        if association.exports
        else None,
    )


def _events(events: tuple[Event, ...]) -> list[str]:
    return [event.upper() for event in events]


def _construct_id(path: str) -> str:
    """The path without slashes, which an id does not take; two paths never become the same."""
    return "Root" if path == "/" else path.removeprefix("/").replace("/", ":")

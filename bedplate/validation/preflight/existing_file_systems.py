"""PRE-020: the file systems that are given by id are there, and fit the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedplate.explanation import CheckRow
from bedplate.validation.preflight.context import Preflight, Writer, of_file_system

if TYPE_CHECKING:
    from bedplate.diagnosis.verdict import Verdict
    from bedplate.spec import Environment
    from bedplate.spec.file_systems import ExistingEfs, ExistingLustre, ExistingOpenZfs
    from bedplate.validation.preflight.existing_judgement import Judgement

ROW = CheckRow(
    id="PRE-020",
    title="the existing file systems are there, and fit the environment",
    what="For each file system that is given by id: that it exists and is available, its kind, its VPC, the "
    "zone of its servers against `network.zone`; for Lustre the mount name and EFA, for OpenZFS the volume's "
    "path and whether root is let through, for EFS a mount target in the nodes' zone. Mount options that "
    "its kind does not know are told.",
    why="Nodes that cannot mount a file system do not come up. One in another zone is reached all the same, "
    "with every byte paid for twice and a longer way; by EFA it is not reached at all.",
    fix="Correct the id, the kind, the mount name or the path in the environment file; `efa: false` where "
    "the file system has no EFA or is in another zone; add a mount target in the nodes' zone.",
    by_hand="`aws fsx describe-file-systems --file-system-ids fs-…`, `aws efs describe-mount-targets "
    "--file-system-id fs-…`",
)


def applies(environment: Environment) -> bool:
    """Where a file system is given by id."""
    return bool(existing_ones(environment))


def existing_ones(environment: Environment) -> list[ExistingLustre | ExistingOpenZfs | ExistingEfs]:
    """The file systems that are given by id."""
    from bedplate.spec.file_systems import ExistingEfs, ExistingLustre, ExistingOpenZfs

    return [
        each
        for each in environment.storage.file_systems
        if isinstance(each, ExistingLustre | ExistingOpenZfs | ExistingEfs)
    ]


def check(preflight: Preflight) -> list[Verdict]:
    """One verdict for each file system that is given by id."""
    return [_one(preflight, each) for each in existing_ones(preflight.environment)]


def _one(preflight: Preflight, wanted: ExistingLustre | ExistingOpenZfs | ExistingEfs) -> Verdict:
    from bedplate.spec.file_systems import ExistingEfs
    from bedplate.validation.preflight import existing_efs, existing_fsx

    writer = of_file_system(ROW.id, wanted)
    if isinstance(wanted, ExistingEfs):
        return _verdict(writer, wanted.id, existing_efs.look(preflight, wanted))
    return _verdict(writer, wanted.id, existing_fsx.look(preflight, wanted))


def _verdict(writer: Writer, file_system_id: str, judgement: Judgement) -> Verdict:
    if judgement.problems:
        return writer.failed(f"{file_system_id}: {'; '.join(judgement.problems)}", remedy=ROW.fix)
    return writer.passed(f"{file_system_id}: {judgement.told}", findings=tuple(judgement.findings))

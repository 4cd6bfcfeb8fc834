"""FSX-003: a file goes both ways between each tied folder and its bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bedplate.diagnosis.association_legs import BROKEN, DONE, Leg
from bedplate.diagnosis.check import ENGINE, Check
from bedplate.diagnosis.checks.support import Writer, info, warning
from bedplate.diagnosis.expected import ExpectedAssociation, NodeExpectation
from bedplate.diagnosis.verdict import CLUSTER, Finding, Verdict
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="FSX-003",
    title="a file goes both ways between each tied folder and its bucket",
    what="For each folder that imports new objects by itself, 64 KiB are put into its bucket; one node waits "
    "for the file, asks `lfs hsm_state` (*released*: the data is in S3 alone), reads it, which loads it, and "
    "the SHA-256 must be right. For each folder that exports new files by itself the node writes 64 KiB, and "
    "the object in the bucket must have the same SHA-256. Each way has ten minutes; AWS states no time, so "
    "that bound is ours and unverified. Folders that do neither by themselves are not asked: an import or "
    "export by hand is no promise. All of it lies in `.bedplate-validation/RUN/` of the folder and of the "
    "bucket's prefix, at most 128 KiB, and is removed on both sides afterwards, every version of it, "
    "whatever happens; if not, a finding says so.",
    why="An association that is MISCONFIGURED, a bucket policy, a key's policy or a missing event rule stops "
    "imports and exports without a word on the nodes: checkpoints stay in the file system and are lost "
    "with it.",
    fix="`aws fsx describe-data-repository-associations`: Lifecycle and FailureDetails name what FSx may not "
    "do. See that the bucket's policy and its key's policy let FSx's service-linked role in, and that no "
    "other event rule was put on the bucket. If it is this check that was refused, attach the policies of "
    "the output AssociationPolicyArns to whoever runs it.",
    by_hand="`aws s3 cp x s3://BUCKET/PREFIX/x; lfs hsm_state /fsx/FOLDER/x; cat /fsx/FOLDER/x`; `cp y "
    "/fsx/FOLDER/y; lfs hsm_state /fsx/FOLDER/y; aws s3 ls s3://BUCKET/PREFIX/y`; then remove both on both "
    "sides. `lfs hsm_archive FILE` exports one file where nothing exports by itself.",
)


def check(
    *,
    legs: Mapping[str, Sequence[Leg]],
    problem: str = "",
    left_behind: Sequence[str] = (),
    evidence: Sequence[str] = (),
) -> Verdict:
    """Fail for a way that is broken, error for what is not known, else pass. ``legs`` are by folder;
    ``problem`` says why none could be tried.
    """
    every = [(folder, leg) for folder, ways in legs.items() for leg in ways]
    done = [leg for _, leg in every if leg.state == DONE]
    writer = Writer(
        check_id=ROW.id,
        subject=CLUSTER,
        evidence=evidence,
        expected=len(every),
        unit="ways that work",
        source="the associations of the deployed manifest",
    )
    findings = list(_findings(every, left_behind))
    lines = [f"{folder} {leg.direction}: {leg.state}: {leg.text}" for folder, leg in every]
    broken = [f"{folder}: {leg.text}" for folder, leg in every if leg.state == BROKEN]
    if broken:
        return writer.failed(
            broken[0] + (f", and {len(broken) - 1} more" if len(broken) > 1 else ""),
            cause="association-broken",
            measured=len(done),
            findings=findings,
            lines=lines,
        )
    unknown = [f"{folder}: {leg.text}" for folder, leg in every if leg.state != DONE]
    if problem or unknown or not every:
        reason = problem or (unknown[0] if unknown else "nothing was tried")
        return writer.error(
            f"No file could be sent: {reason}", measured=len(done), findings=findings, lines=lines
        )
    slowest = max(leg.seconds for leg in done)
    return writer.passed(
        f"Files went {len(done)} ways between folders and buckets, the slowest in {slowest:.0f} s",
        measured=len(done),
        findings=findings,
        lines=lines,
    )


def automatic_associations(expected: NodeExpectation) -> tuple[tuple[str, ExpectedAssociation], ...]:
    """(mount point, association) of each folder in which something new travels by itself."""
    return tuple(
        (mount.path, each)
        for mount in expected.mounts
        if mount.kind == "lustre"
        for each in mount.associations
        if each.automatic
    )


def _findings(every: Sequence[tuple[str, Leg]], left_behind: Sequence[str]) -> list[Finding]:
    found = [info(f"{folder} {leg.direction}: {leg.note}") for folder, leg in every if leg.note]
    found += [
        warning(f"What was written may still be there: {place}", remedy="Remove it by hand.")
        for place in left_behind
    ]
    return found


def _promised(expected: NodeExpectation) -> bool:
    return bool(automatic_associations(expected))


CHECK = Check(row=ROW, stage=ENGINE, promised=_promised, subject="cluster")

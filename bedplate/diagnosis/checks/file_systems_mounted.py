"""FSX-001: every file system is mounted and answers, Lustre over EFA with the right number of interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

from bedplate.diagnosis.check import PROBE, Check
from bedplate.diagnosis.checks.support import Writer, node_subject, warning
from bedplate.diagnosis.expected import ExpectedMount, NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.df_table import parse_df
from bedplate.diagnosis.parsers.lnet import FULL_HEALTH, LnetInterface, LnetState, parse_lnet
from bedplate.diagnosis.parsers.lustre_targets import (
    CONNECTED,
    LustreSpace,
    parse_lfs_df,
    parse_ost_states,
)
from bedplate.diagnosis.parsers.mount_list import MountedFileSystem, MountList
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.storage_tools import LFS_DF, LNET, NFS_DF, OST_STATES
from bedplate.diagnosis.tools import ToolRun, find_run
from bedplate.diagnosis.verdict import Finding, Verdict
from bedplate.explanation import CheckRow

ROW = CheckRow(
    id="FSX-001",
    title="every file system is mounted and answers, Lustre over EFA with the right number of interfaces",
    what="Each file system of the environment is mounted at its path (`findmnt`), from the source that was "
    "deployed; `lfs df` shows every target of Lustre, `lctl get_param osc.*.ost_server_uuid` every "
    "connection to one as FULL or IDLE, and `df` shows each that is mounted over NFS. Where a file system "
    "speaks EFA, `lnetctl net show -v` shows as many `efa` interfaces up as AWS's client set-up binds on the "
    "type.",
    why="Without its client set-up Lustre is mounted over TCP, or with 2 EFAs for 8, and nothing says so "
    "before the first slow job. A mount whose server is gone looks mounted until somebody reads.",
    fix="Not mounted, or too few interfaces: read `/var/log/bedplate-bootstrap.log` and run `systemctl "
    "restart bedplate-bootstrap`. No answer from a target: look at the file system's life cycle in FSx and "
    "at its security group; if only one node has it, replace the instance.",
    by_hand="`findmnt -t lustre,nfs4`; `lfs df`; `lnetctl net show -v | grep -A3 efa`. The number of "
    "interfaces is 8 on p5, p5e, p5en, p6-b200 and p6e-gb200, 16 on p6-b300.",
)


@dataclass(frozen=True)
class FileSystemFacts:
    """What the probe read; ``nfs`` is the run of ``df``, None where it is not in the answer."""

    mounts: Reading[MountList]
    space: Reading[tuple[LustreSpace, ...]]
    osts: Reading[tuple[tuple[str, str], ...]]
    lnet: Reading[LnetState]
    lustre_hangs: bool = False
    nfs: Optional[ToolRun] = None  # noqa: UP045 - evaluated on Python 3.9


def check(
    *, node: str, facts: FileSystemFacts, expected: NodeExpectation, evidence: Sequence[str] = ()
) -> Verdict:
    """Fail for what is not mounted, does not answer or lacks interfaces; error for what cannot be read; else
    pass. A fail goes before an error: what is wrong is told though something else could not be read.
    """
    writer = Writer(
        check_id=ROW.id,
        subject=node_subject(node),
        evidence=evidence,
        expected=len(expected.mounts),
        unit="file systems",
        source="the deployed manifest",
    )
    wrong = list(_not_mounted(facts.mounts, expected.mounts))
    mounted = len(expected.mounts) - len(wrong)
    if wrong:
        return writer.failed(
            f"{len(wrong)} of {len(expected.mounts)} file systems are not mounted",
            cause="file-system-not-mounted",
            measured=mounted,
            lines=wrong,
        )
    closed = list(_read_only(facts.mounts, expected.mounts))
    if closed:
        return writer.failed(
            "A file system takes no writes",
            cause="file-system-read-only",
            measured=mounted,
            lines=closed,
        )
    silent = list(_silent(facts, expected.mounts))
    if silent:
        return writer.failed(
            "A file system does not answer", cause="file-system-unreachable", measured=mounted, lines=silent
        )
    few = _too_few_interfaces(writer, facts.lnet, expected.lnet_efas)
    if few is not None:
        return few
    problems = list(_problems(facts, expected))
    if problems:
        return writer.error(f"File systems cannot be judged: {problems[0]}", lines=problems)
    return writer.passed(
        f"{', '.join(each.path for each in expected.mounts)}: mounted, and every server answers"
        + (f", Lustre over {len(_efas(facts.lnet))} EFA interfaces" if expected.lnet_efas else ""),
        measured=mounted,
        findings=_findings(facts, expected),
    )


def _not_mounted(mounts: Reading[MountList], expected: Sequence[ExpectedMount]) -> Iterator[str]:
    if mounts.record is None or mounts.problem:
        return
    for wanted in expected:
        found = mounts.record.at(wanted.path)
        if found is None:
            yield f"{wanted.path}: nothing is mounted there, {wanted.source} should be"
        elif not _is_wanted(found, wanted):
            yield f"{wanted.path}: {found.source} ({found.kind}) is mounted there, not {wanted.source}"


def _read_only(mounts: Reading[MountList], expected: Sequence[ExpectedMount]) -> Iterator[str]:
    """Nothing in an environment file asks for a mount that takes no checkpoint."""
    for wanted in expected:
        found = mounts.record.at(wanted.path) if mounts.record else None
        if found is not None and "ro" in found.options:
            yield f"{wanted.path} is mounted read-only"


def _is_wanted(found: MountedFileSystem, wanted: ExpectedMount) -> bool:
    """Whether a mount is the one that was deployed. Lustre shows its server's address for the name, so its
    own name counts; EFS's helper shows its own end of a tunnel.
    """
    if wanted.kind == "lustre":
        return found.kind == "lustre" and found.source.rpartition("/")[2] == wanted.source.rpartition("/")[2]
    if not found.kind.startswith("nfs"):
        return False
    return wanted.kind == "efs" or found.source.rstrip("/") == wanted.source.rstrip("/")


def _silent(facts: FileSystemFacts, expected: Sequence[ExpectedMount]) -> Iterator[str]:
    """What of the servers does not answer."""
    lustre = [each.path for each in expected if each.kind == "lustre"]
    if lustre and facts.lustre_hangs:
        yield "`lfs df` did not come back before its deadline"
    if lustre:
        for space in facts.space.record or ():
            if space.path in lustre:
                yield from (f"{space.path}: {name}: {why}" for name, why in space.silent)
        for name, state in facts.osts.record or ():
            if state not in CONNECTED:
                yield f"{name}: {state}"
    if any(each.kind != "lustre" for each in expected) and facts.nfs is not None and facts.nfs.timed_out:
        yield "`df` over NFS did not come back before its deadline"


def _too_few_interfaces(writer: Writer, lnet: Reading[LnetState], wanted: int) -> Verdict | None:
    if wanted == 0 or lnet.record is None or lnet.problem:
        return None
    found = lnet.record.of("efa")
    up = {each.device for each in lnet.record.up("efa") if each.device}
    if len(up) >= wanted:
        return None
    return writer.failed(
        f"Lustre goes over {len(up)} EFA interfaces, {wanted} are wanted"
        if up
        else "Lustre goes over TCP: no EFA interface carries LNet",
        cause="lnet-efa-missing" if up else "lustre-over-tcp",
        measured=len(up),
        lines=[f"{each.nid} on {each.device or 'no device'}: {each.status or 'unknown'}" for each in found],
    )


def _problems(facts: FileSystemFacts, expected: NodeExpectation) -> Iterator[str]:
    """Why what was read is not enough for a pass."""
    if facts.mounts.record is None or facts.mounts.problem:
        yield f"mounts: {facts.mounts.problem}"
    lustre = [each.path for each in expected.mounts if each.kind == "lustre"]
    if lustre:
        if facts.space.record is None or facts.space.problem:
            yield f"Lustre's targets: {facts.space.problem}"
        else:
            shown = {space.path: space for space in facts.space.record}
            yield from (f"`lfs df` does not show {path}" for path in lustre if path not in shown)
            yield from (
                f"`lfs df` shows no storage target of {path}"
                for path in lustre
                if path in shown and shown[path].osts == 0
            )
        if facts.osts.record is None or facts.osts.problem:
            yield f"connections to Lustre's targets: {facts.osts.problem}"
        elif facts.space.record is not None:
            listed = {name for space in facts.space.record for name in space.targets if "-OST" in name}
            connected = {name for name, _ in facts.osts.record}
            yield from (
                f"{name} is told by one of `lfs df` and `lctl` alone" for name in sorted(listed ^ connected)
            )
    if expected.lnet_efas and (facts.lnet.record is None or facts.lnet.problem):
        yield f"LNet: {facts.lnet.problem}"
    if len(lustre) < len(expected.mounts):
        yield from _nfs_problems(facts.nfs, [each.path for each in expected.mounts if each.kind != "lustre"])


def _nfs_problems(run: Optional[ToolRun], paths: Sequence[str]) -> Iterator[str]:  # noqa: UP045
    """Why ``df`` does not show that every server of NFS answers: a file system that it leaves out was not
    asked.
    """
    problem = "the answer holds no single run of `df`" if run is None else run.problem()
    if run is None or problem:
        yield f"NFS: {problem}"
        return
    try:
        shown = parse_df(run.stdout)
    except ParseError as error:
        yield f"NFS: {error}"
        return
    yield from (f"`df` does not show {path}" for path in paths if path not in shown)


def _findings(facts: FileSystemFacts, expected: NodeExpectation) -> list[Finding]:
    return [
        warning(f"LNet's health of {each.nid} is {each.health} of {FULL_HEALTH}")
        for each in (_efas(facts.lnet) if expected.lnet_efas else ())
        if each.health is not None and each.health < FULL_HEALTH
    ]


def _efas(lnet: Reading[LnetState]) -> tuple[LnetInterface, ...]:
    return lnet.record.up("efa") if lnet.record else ()


def _judge(facts: NodeFacts) -> Verdict:
    hangs = find_run(answer=facts.answer, argv=LFS_DF)
    read = FileSystemFacts(
        mounts=facts.mounts,
        space=read_tool(answer=facts.answer, argv=LFS_DF, parse=parse_lfs_df),
        osts=read_tool(answer=facts.answer, argv=OST_STATES, parse=parse_ost_states),
        lnet=read_tool(answer=facts.answer, argv=LNET, parse=parse_lnet),
        lustre_hangs=hangs is not None and hangs.timed_out,
        nfs=find_run(answer=facts.answer, argv=NFS_DF),
    )
    return check(node=facts.node, facts=read, expected=facts.expected, evidence=facts.evidence)


def _promised(expected: NodeExpectation) -> bool:
    return bool(expected.mounts)


CHECK = Check(row=ROW, stage=PROBE, promised=_promised, judge=_judge)

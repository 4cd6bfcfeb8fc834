"""FSX-001 and FSX-002: the rules for file systems, case by case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bedplate.diagnosis.checks import file_system_speed, file_systems_mounted
from bedplate.diagnosis.expected import ExpectedAssociation, ExpectedMount, NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.storage_speed import StorageSpeeds, read_storage_speeds
from bedplate.diagnosis.storage_tools import LFS_DF, LNET, MOUNTS, NFS_DF, OST_STATES
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import instance_type
from tests.diagnosis import storage_texts as given
from tests.diagnosis import texts

PASS, FAIL, ERROR, NOT_TESTED = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED
FSX = ExpectedMount("lustre", given.SOURCE, "/fsx", efa=True, share_gb_per_s=1.0)
OVER_EFA = NodeExpectation(mounts=(FSX,), lnet_efas=8)
OVER_TCP = NodeExpectation(mounts=(replace(FSX, efa=False),))
HOME = ExpectedMount("openzfs", "fs-1.fsx.us-west-2.amazonaws.com:/fsx", "/home")
WITH_NFS = NodeExpectation(mounts=(HOME,))


def judged(expected: NodeExpectation = OVER_EFA, runs: dict[tuple[str, ...], Any] | None = None) -> Verdict:
    """FSX-001 on an answer that is healthy but for ``runs``; a dict is a tool's whole run, None leaves it
    out.
    """
    mounts = (*given.MOUNTED, ("/home", HOME.source, "nfs4"))
    outputs: dict[tuple[str, ...], Any] = {
        MOUNTS: given.mount_list(*mounts),
        LNET: given.lnet(),
        LFS_DF: given.lfs_df(),
        OST_STATES: given.ost_states(),
        NFS_DF: given.NFS_DF,
        **(runs or {}),
    }
    answer = {
        "tools": [
            run if isinstance(run, dict) else texts.tool(argv, run)
            for argv, run in outputs.items()
            if run is not None
        ]
    }
    facts = NodeFacts(
        node="i-1", answer=answer, instance_type=instance_type("p5en.48xlarge"), expected=expected
    )
    assert file_systems_mounted.CHECK.judge is not None
    return file_systems_mounted.CHECK.judge(facts)


def hung(argv: tuple[str, ...]) -> dict[str, Any]:
    """A run that was stopped at its deadline."""
    return texts.tool(argv, "", rc=None, timed_out=True)


def mounted(*mounts: tuple[str, str, str]) -> dict[tuple[str, ...], Any]:
    """Other mounts than the healthy ones."""
    return {MOUNTS: given.mount_list(*mounts)}


LATE = given.lfs_df(silent=(1,))
MOUNT_CASES: dict[str, tuple[NodeExpectation, dict[tuple[str, ...], Any], Outcome, str | None]] = {
    "healthy over EFA": (OVER_EFA, {}, PASS, None),
    "healthy over TCP": (OVER_TCP, {LNET: given.lnet(efas=0)}, PASS, None),
    "LNet does not matter over TCP": (OVER_TCP, {LNET: None}, PASS, None),
    "more interfaces than wanted": (OVER_EFA, {LNET: given.lnet(efas=16)}, PASS, None),
    "not mounted": (OVER_EFA, mounted(), FAIL, "file-system-not-mounted"),
    "another Lustre is mounted there": (
        OVER_EFA,
        mounted(("/fsx", "10.0.1.7@tcp:/other", "lustre")),
        FAIL,
        "file-system-not-mounted",
    ),
    "a disk is mounted there": (
        OVER_EFA,
        mounted(("/fsx", "/dev/abcdef12", "xfs")),
        FAIL,
        "file-system-not-mounted",
    ),
    "a target is silent": (OVER_EFA, {LFS_DF: LATE}, FAIL, "file-system-unreachable"),
    "a connection is down": (
        OVER_EFA,
        {OST_STATES: given.ost_states("FULL", "DISCONN")},
        FAIL,
        "file-system-unreachable",
    ),
    "lfs df hangs": (OVER_EFA, {LFS_DF: hung(LFS_DF)}, FAIL, "file-system-unreachable"),
    "lfs df is missing": (OVER_EFA, {LFS_DF: None}, ERROR, None),
    "lfs df is cut off": (OVER_EFA, {LFS_DF: given.lfs_df(summary=False)}, ERROR, None),
    "lfs df shows another file system": (OVER_EFA, {LFS_DF: given.lfs_df(path="/other")}, ERROR, None),
    "lfs df shows no storage target": (OVER_EFA, {LFS_DF: given.lfs_df(osts=0)}, ERROR, None),
    "lctl ended badly": (
        OVER_EFA,
        {OST_STATES: texts.tool(OST_STATES, given.ost_states(), rc=2)},
        ERROR,
        None,
    ),
    "no EFA carries LNet": (OVER_EFA, {LNET: given.lnet(efas=0)}, FAIL, "lustre-over-tcp"),
    "two EFAs for eight": (OVER_EFA, {LNET: given.lnet(efas=2)}, FAIL, "lnet-efa-missing"),
    "all EFAs are down": (OVER_EFA, {LNET: given.lnet(status="down")}, FAIL, "lustre-over-tcp"),
    "LNet cannot be asked": (OVER_EFA, {LNET: texts.tool(LNET, "", rc=255)}, ERROR, None),
    "mounts cannot be read": (OVER_EFA, {MOUNTS: ""}, ERROR, None),
    "a fault is told though the mounts cannot be read": (
        OVER_EFA,
        {MOUNTS: "", LNET: given.lnet(efas=0)},
        FAIL,
        "lustre-over-tcp",
    ),
    "healthy over NFS": (WITH_NFS, {LFS_DF: None, OST_STATES: None, LNET: None}, PASS, None),
    "NFS hangs": (WITH_NFS, {NFS_DF: hung(NFS_DF)}, FAIL, "file-system-unreachable"),
    "NFS was not asked": (WITH_NFS, {NFS_DF: None}, ERROR, None),
    "NFS answers with a complaint": (WITH_NFS, {NFS_DF: texts.tool(NFS_DF, "", rc=1)}, ERROR, None),
    "another export is mounted": (
        WITH_NFS,
        mounted(("/home", "fs-2.fsx.us-west-2.amazonaws.com:/fsx", "nfs4")),
        FAIL,
        "file-system-not-mounted",
    ),
    "EFS by its helper's own end": (
        NodeExpectation(mounts=(ExpectedMount("efs", "fs-3:/", "/shared"),)),
        {
            **mounted(("/shared", "127.0.0.1:/", "nfs4")),
            NFS_DF: given.NFS_DF + "127.0.0.1:/ 9007199254739968 0 9007199254739968 0% /shared\n",
        },
        PASS,
        None,
    ),
    "NFS is passed over": (WITH_NFS, {NFS_DF: given.NFS_DF.replace("/home", "/other")}, ERROR, None),
    "NFS answers nothing": (WITH_NFS, {NFS_DF: ""}, ERROR, None),
    "another tool answers for NFS": (WITH_NFS, {NFS_DF: given.lfs_df()}, ERROR, None),
    "NFS's answer breaks off": (WITH_NFS, {NFS_DF: given.NFS_DF[:-20]}, ERROR, None),
}


@pytest.mark.parametrize("case", MOUNT_CASES)
def test_a_file_system_is_judged_by_its_mount_its_targets_and_its_way(case: str) -> None:
    """Each case of the table has its outcome and its cause."""
    expected, runs, outcome, cause = MOUNT_CASES[case]
    verdict = judged(expected, runs)
    assert (verdict.outcome, verdict.cause) == (outcome, cause), verdict.summary


def test_a_file_system_that_takes_no_writes_fails() -> None:
    """Nothing in an environment file asks for a mount that takes no checkpoint."""
    verdict = judged(runs={MOUNTS: given.mount_list(given.MOUNTED[1], options="ro")})
    assert (verdict.outcome, verdict.cause) == (FAIL, "file-system-read-only")
    assert "/fsx is mounted read-only" in verdict.excerpt


def test_degraded_interfaces_are_findings() -> None:
    """They do not decide, and are told."""
    verdict = judged(runs={LNET: given.lnet(health=640)})
    assert verdict.outcome is PASS
    assert sum("health" in each.text for each in verdict.findings) == 8


def test_nothing_is_owed_where_no_file_system_was_promised() -> None:
    """Without mounts there is nothing to ask."""
    kind = instance_type("p5en.48xlarge")
    assert not file_systems_mounted.CHECK.owed(kind, NodeExpectation(throughput=True), 2)
    assert not file_system_speed.CHECK.owed(kind, OVER_EFA, 2)
    assert not file_system_speed.CHECK.owed(kind, replace(WITH_NFS, throughput=True), 2)
    assert file_system_speed.CHECK.owed(kind, replace(OVER_EFA, throughput=True), 2)


def speeds(
    stdout: str | None = None, *, efa: int = 4000, tcp: int = 10, removed: bool = True, **row: Any
) -> StorageSpeeds:
    """What a node's exercise told of /fsx: its speed, and the messages over EFA and TCP meanwhile."""
    text = given.disk_speed(place="/fsx", write_gb=1.0, read_gb=2.0) if stdout is None else stdout
    told = {
        "path": "/fsx",
        "run": given.speed_run(text),
        "removed": removed,
        "lnet_before": texts.tool(LNET, given.lnet(efas=1, messages=100, tcp=10)),
        "lnet_after": texts.tool(LNET, given.lnet(efas=1, messages=100 + efa, tcp=10 + tcp)),
        **row,
    }
    answer = {"stages": {"lustre": {"mounts": [told]}}}
    return read_storage_speeds(answer=answer, scratch="/scratch", run_id="run")


def at(write_gb: float) -> str:
    """A run of this speed."""
    return given.disk_speed(place="/fsx", write_gb=write_gb, read_gb=3.0)


UNKNOWN = NodeExpectation(mounts=(replace(FSX, share_gb_per_s=None),), lnet_efas=8)
ROOT_EXPORTED = replace(FSX, associations=(ExpectedAssociation("/", "s3://b/", exports=("new",)),))
SPEED_CASES: dict[str, tuple[StorageSpeeds, NodeExpectation, float | None, Outcome, str | None]] = {
    "its share, over EFA": (speeds(), OVER_EFA, 1.0, PASS, None),
    "seven tenths of its share": (speeds(at(0.71)), OVER_EFA, 1.0, PASS, None),
    "less than that": (speeds(at(0.69)), OVER_EFA, 1.0, FAIL, "file-system-slow"),
    "alone, with a floor": (speeds(), OVER_EFA, None, PASS, None),
    "above its floor, far below the others": (speeds(at(0.9)), OVER_EFA, 2.0, FAIL, "file-system-slow"),
    "no floor, like the others": (speeds(at(0.2)), UNKNOWN, 0.2, PASS, None),
    "no floor, below the others": (speeds(at(0.09)), UNKNOWN, 0.2, FAIL, "file-system-slow"),
    "no floor and alone": (speeds(), UNKNOWN, None, NOT_TESTED, None),
    "fast, over TCP": (speeds(efa=10, tcp=4000), OVER_EFA, 1.0, FAIL, "lustre-over-tcp"),
    "slow, over TCP": (speeds(at(0.1), efa=0, tcp=4000), OVER_EFA, 1.0, FAIL, "lustre-over-tcp"),
    "over TCP where it speaks no EFA": (
        speeds(efa=0, tcp=4000),
        replace(OVER_TCP, lnet_efas=0),
        1.0,
        PASS,
        None,
    ),
    "LNet counted nothing": (speeds(efa=0, tcp=0), OVER_EFA, 1.0, ERROR, None),
    "LNet counted backwards": (speeds(efa=-50), OVER_EFA, 1.0, ERROR, None),
    "LNet shows fewer interfaces before": (
        speeds(lnet_before=texts.tool(LNET, given.lnet(efas=0))),
        OVER_EFA,
        1.0,
        ERROR,
        None,
    ),
    "LNet was not asked": (speeds(lnet_after=None), OVER_EFA, 1.0, ERROR, None),
    "slow, and LNet was not asked": (
        speeds(at(0.1), lnet_after=None),
        OVER_EFA,
        1.0,
        FAIL,
        "file-system-slow",
    ),
    "of another run": (speeds(given.disk_speed(place="/fsx", run="other")), OVER_EFA, 1.0, ERROR, None),
    "of another place": (speeds(given.disk_speed(place="/scratch")), OVER_EFA, 1.0, ERROR, None),
    "nothing was mounted": (
        speeds(given.disk_speed(place="/fsx", problem="nothing is mounted at /fsx")),
        OVER_EFA,
        1.0,
        ERROR,
        None,
    ),
    "killed at its deadline": (
        speeds(run=given.speed_run("", rc=None, timed_out=True)),
        OVER_EFA,
        1.0,
        ERROR,
        None,
    ),
    "another program's run": (speeds(run=texts.tool(("fio",), at(9.0))), OVER_EFA, 1.0, ERROR, None),
    "nothing was told": (StorageSpeeds(), OVER_EFA, 1.0, ERROR, None),
    "whatever is written goes to a bucket": (
        StorageSpeeds(),
        NodeExpectation(mounts=(ROOT_EXPORTED,)),
        None,
        NOT_TESTED,
        None,
    ),
}


@pytest.mark.parametrize("case", SPEED_CASES)
def test_a_file_systems_speed_is_judged_by_floor_peers_and_way(case: str) -> None:
    """Each case of the table has its outcome and its cause."""
    read, expected, median, outcome, cause = SPEED_CASES[case]
    verdict = file_system_speed.check(node="i-1", speeds=read, medians={"/fsx": median}, expected=expected)
    assert (verdict.outcome, verdict.cause) == (outcome, cause), verdict.summary


def test_the_worst_of_several_file_systems_stands() -> None:
    """One that is well does not hide one that was not measured."""
    both = replace(OVER_EFA, mounts=(FSX, replace(FSX, path="/data")))
    verdict = file_system_speed.check(node="i-1", speeds=speeds(), medians={}, expected=both)
    assert (verdict.outcome, "/data" in verdict.summary) == (ERROR, True)


@pytest.mark.parametrize(
    ("share", "efa", "floor"), [(1.0, True, 0.7), (50.0, True, 2.0), (50.0, False, 0.6), (None, True, None)]
)
def test_no_more_is_asked_of_a_client_than_one_can_carry(
    share: float | None, efa: bool, floor: float | None
) -> None:
    """Seven tenths of the share, and at most what one client is asked for."""
    mount = replace(FSX, share_gb_per_s=share, efa=efa)
    assert file_system_speed.floor_gb_per_s(mount) == floor


@pytest.mark.parametrize("stages", [None, [], {"lustre": []}, {"lustre": {"mounts": [1, None]}}, {"nvme": 1}])
def test_stages_of_another_shape_give_no_speed(stages: object) -> None:
    """Nothing, or a reading that has no record: never a figure."""
    read = read_storage_speeds(answer={"stages": stages}, scratch="/scratch", run_id="run")
    assert read.mounts == ()
    assert read.scratch is None or read.scratch.speed.record is None


def test_a_file_system_that_was_measured_twice_counts_as_not_measured() -> None:
    """Which of the two would count?"""
    once = speeds()
    assert once.at("/fsx") is not None
    assert replace(once, mounts=once.mounts * 2).at("/fsx") is None

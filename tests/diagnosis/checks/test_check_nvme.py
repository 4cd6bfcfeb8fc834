"""NVM-001 and NVM-002: the rules for disks, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.checks import nvme_array, nvme_speed
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.facts import NodeFacts
from bedplate.diagnosis.parsers.disk_speed import parse_disk_speed
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.storage_speed import PlaceSpeed
from bedplate.diagnosis.storage_tools import MDADM, MOUNTS
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import storage_texts as given
from tests.diagnosis import texts

PASS, FAIL, ERROR, NOT_TESTED = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_TESTED


def judged(
    *,
    disks: Any = None,
    mounts: Any = None,
    array: Any = None,
    kind: str = "p5en.48xlarge",
) -> Verdict:
    """NVM-001 on an answer that is healthy but for what is given; a dict is a tool's whole run."""
    runs = {
        MOUNTS: given.mount_list(*given.MOUNTED) if mounts is None else mounts,
        MDADM: given.array_detail() if array is None else array,
    }
    answer = {
        "tools": [run if isinstance(run, dict) else texts.tool(argv, run) for argv, run in runs.items()],
        "block_devices": given.block_devices() if disks is None else disks,
    }
    facts = NodeFacts(
        node="i-1",
        answer=answer,
        instance_type=instance_type(kind),
        expected=NodeExpectation(local_nvme="raid0"),
    )
    assert nvme_array.CHECK.judge is not None
    return nvme_array.CHECK.judge(facts)


def broken_run(argv: tuple[str, ...]) -> dict[str, Any]:
    """A tool that could not be started."""
    return texts.tool(argv, "", rc=None)


ARRAY_CASES: dict[str, tuple[dict[str, Any], Outcome, str | None]] = {
    "healthy": ({}, PASS, None),
    "a disk is missing": ({"disks": given.block_devices(given.DISKS[:7])}, FAIL, "nvme-disk-lost"),
    "no disk is there": ({"disks": given.block_devices(())}, FAIL, "nvme-disk-lost"),
    "a disk is small": ({"disks": given.block_devices(sectors=7_000_000_000)}, FAIL, "nvme-disk-lost"),
    "more disks than the type has": ({"disks": given.block_devices((*given.DISKS, "nvme9n1"))}, ERROR, None),
    "disks in no volume": ({"disks": given.block_devices(holder="")}, FAIL, "scratch-volume"),
    "disks in two volumes": (
        {
            "disks": [
                *given.block_devices(given.DISKS[:4]),
                *given.block_devices(given.DISKS[4:], holder="md126")[1:],
            ]
        },
        FAIL,
        "scratch-volume",
    ),
    "one disk outside of the volume": (
        {
            "disks": [
                *given.block_devices(given.DISKS[:7]),
                *given.block_devices(given.DISKS[7:], holder="")[1:],
            ]
        },
        FAIL,
        "scratch-volume",
    ),
    "the array lost a member": (
        {"array": given.array_detail(state="broken, FAILED", active=7)},
        FAIL,
        "nvme-disk-lost",
    ),
    "the array is not clean": ({"array": given.array_detail(state="inactive")}, FAIL, "nvme-disk-lost"),
    "the array is of fewer disks": (
        {"array": given.array_detail(devices=7, active=7)},
        FAIL,
        "scratch-volume",
    ),
    "the array is a mirror": ({"array": given.array_detail(level="raid1")}, FAIL, "scratch-volume"),
    "mdadm is missing": ({"array": broken_run(MDADM)}, ERROR, None),
    "mdadm was cut off": ({"array": given.array_detail()[:200]}, ERROR, None),
    "mdadm lists no member": ({"array": given.array_detail().split("    Number")[0]}, ERROR, None),
    "mdadm lists a member too few": ({"array": given.array_detail().rpartition("       7")[0]}, ERROR, None),
    "mdadm ended badly": ({"array": texts.tool(MDADM, given.array_detail(), rc=4)}, ERROR, None),
    "nothing at /scratch": ({"mounts": given.mount_list(given.MOUNTED[1])}, FAIL, "scratch-volume"),
    "another disk at /scratch": (
        {"mounts": given.mount_list(("/scratch", "/dev/nvme0n1p1", "ext4"))},
        FAIL,
        "scratch-volume",
    ),
    "mounted by the array's name": (
        {"mounts": given.mount_list(("/scratch", "/dev/md/bedplate", "xfs"))},
        PASS,
        None,
    ),
    "the image's own volume": (
        {
            "disks": given.block_devices(holder="dm-0"),
            "mounts": given.mount_list(("/scratch", "/dev/mapper/vg.01-lv_ephemeral", "ext4")),
            "array": broken_run(MDADM),
        },
        PASS,
        None,
    ),
    "the image's own volume, not mounted": (
        {"disks": given.block_devices(holder="dm-0"), "array": broken_run(MDADM)},
        FAIL,
        "scratch-volume",
    ),
    "findmnt is missing": ({"mounts": broken_run(MOUNTS)}, ERROR, None),
    "no listing of disks": ({"disks": {}}, ERROR, None),
}


@pytest.mark.parametrize("case", ARRAY_CASES)
def test_the_array_is_judged_by_its_disks_its_members_and_its_mount(case: str) -> None:
    """Each case of the table has its outcome and its cause."""
    changes, outcome, cause = ARRAY_CASES[case]
    verdict = judged(**changes)
    assert (verdict.outcome, verdict.cause) == (outcome, cause), verdict.summary


def test_a_probe_of_an_older_program_is_no_pass() -> None:
    """Without a listing of disks nothing is known."""
    facts = NodeFacts(
        node="i-1",
        answer={"tools": []},
        instance_type=instance_type("p5en.48xlarge"),
        expected=NodeExpectation(local_nvme="raid0"),
    )
    assert nvme_array.CHECK.judge is not None
    assert nvme_array.CHECK.judge(facts).outcome is ERROR


def test_the_array_is_owed_only_where_the_environment_makes_one(p5en: InstanceType) -> None:
    """`local_nvme: none` promises nothing; NVM-002 is owed only where throughput is asked for."""
    raid, asked = NodeExpectation(local_nvme="raid0"), NodeExpectation(local_nvme="raid0", throughput=True)
    assert nvme_array.CHECK.owed(p5en, raid, 2)
    assert not nvme_array.CHECK.owed(p5en, NodeExpectation(throughput=True), 2)
    assert (nvme_speed.CHECK.owed(p5en, raid, 2), nvme_speed.CHECK.owed(p5en, asked, 2)) == (False, True)


SPEED_CASES: dict[str, tuple[dict[str, Any], float | None, Outcome, str | None]] = {
    "as fast as the others": ({}, 10.0, PASS, None),
    "a fifth slower is allowed": ({"write_gb": 8.01}, 10.0, PASS, None),
    "slower than that": ({"write_gb": 7.9}, 10.0, FAIL, "nvme-slow"),
    "slow reading counts too": ({"read_gb": 7.9}, 10.0, FAIL, "nvme-slow"),
    "nothing to compare with": ({}, None, NOT_TESTED, None),
    "all are slower than SATA": ({"write_gb": 4.7}, 4.7, NOT_TESTED, None),
    "slower than the slow ones": ({"write_gb": 3.0}, 4.7, FAIL, "nvme-slow"),
    "a block came back wrong": (
        {"read": {"bytes": 10**9, "seconds": 0.1, "wrong_blocks": 1}},
        10.0,
        FAIL,
        "storage-corruption",
    ),
}


@pytest.mark.parametrize("case", SPEED_CASES)
def test_the_speed_of_scratch_is_judged_by_the_other_nodes(case: str, p5en: InstanceType) -> None:
    """Each case of the table has its outcome and its cause."""
    changes, median, outcome, cause = SPEED_CASES[case]
    place = PlaceSpeed("/scratch", Reading(parse_disk_speed(given.disk_speed(**changes))))
    verdict = nvme_speed.check(node="i-1", place=place, median=median, instance_type=p5en)
    assert (verdict.outcome, verdict.cause) == (outcome, cause), verdict.summary


def test_a_pass_without_a_floor_says_that_it_is_relative_only(p5en: InstanceType) -> None:
    """Nobody publishes a figure for these disks."""
    place = PlaceSpeed("/scratch", Reading(parse_disk_speed(given.disk_speed())))
    verdict = nvme_speed.check(node="i-1", place=place, median=10.0, instance_type=p5en)
    assert "relative only" in verdict.summary
    assert verdict.source.startswith("relative only")


def test_what_may_be_left_behind_is_told_with_every_outcome(p5en: InstanceType) -> None:
    """A finding rides on the pass, and on the error."""
    for reading in (Reading(parse_disk_speed(given.disk_speed())), Reading(None, "it was killed")):
        place = PlaceSpeed("/scratch", reading, left_behind=True)
        verdict = nvme_speed.check(node="i-1", place=place, median=10.0, instance_type=p5en)
        assert ["may not have been removed" in each.text for each in verdict.findings] == [True]


def test_a_node_whose_exercise_says_nothing_of_scratch_is_an_error(p5en: InstanceType) -> None:
    """The stage did not run, or its answer was lost."""
    verdict = nvme_speed.check(node="i-1", place=None, median=10.0, instance_type=p5en)
    assert verdict.outcome is ERROR

"""NVL-001 and EFA-001: links and devices by the hardware table."""

from __future__ import annotations

import dataclasses

import pytest

from bedplate.diagnosis.checks import efa_devices, nvlink_status
from bedplate.diagnosis.parsers.dcgmi_nvlink import parse_dcgmi_nvlink
from bedplate.diagnosis.parsers.efa_sysfs import parse_efa_sysfs
from bedplate.diagnosis.parsers.fi_info import parse_fi_info
from bedplate.diagnosis.parsers.nvidia_smi_nvlink import parse_nvidia_smi_nvlink
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import gpu_texts, texts

NAMES = texts.efa_names()
SPEEDS = Reading(parse_nvidia_smi_nvlink(gpu_texts.link_speeds()))


def _links(kind: InstanceType, problem: str = "", **changes: object) -> Verdict:
    table = parse_dcgmi_nvlink(texts.link_table(**changes))  # type: ignore[arg-type]
    return nvlink_status.check(node="i-1", links=Reading(table, problem), speeds=SPEEDS, instance_type=kind)


def _speeds(kind: InstanceType, text: str, problem: str = "") -> Verdict:
    links = Reading(parse_dcgmi_nvlink(texts.link_table()))
    speeds = Reading(parse_nvidia_smi_nvlink(text), problem)
    return nvlink_status.check(node="i-1", links=links, speeds=speeds, instance_type=kind)


def _efa(kind: InstanceType, kernel: list[str], fabric: list[str], problem: str = "") -> Verdict:
    text = texts.fabric_list(fabric) if fabric else "fi_getinfo: -61 (No data available)"
    return efa_devices.check(
        node="i-1",
        sysfs=Reading(parse_efa_sysfs(texts.sysfs_list(kernel))),
        fabric=Reading(parse_fi_info(text), problem),
        instance_type=kind,
    )


def test_all_links_up_pass(p5en: InstanceType) -> None:
    """18 links on each of 8 GPUs."""
    verdict = _links(p5en)
    assert (verdict.outcome, verdict.measured, verdict.expected) == (Outcome.PASS, 144, 144)


@pytest.mark.parametrize(
    "links", ["UUUDUUUUUUUUUUUUUU", "UUUXUUUUUUUUUUUUUU", "UUUUUUUUUUUU______", "__________________"]
)
def test_links_that_are_down_disabled_or_missing_fail(links: str, p5en: InstanceType) -> None:
    """One GPU with fewer links up than its part has."""
    verdict = _links(p5en, links={3: links})
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "nvlink-down")
    assert verdict.excerpt.startswith("gpuId 3:")


def test_a_gpu_that_is_not_in_the_table_is_an_error(p5en: InstanceType) -> None:
    """Seven whole GPUs prove nothing about the eighth; nor does a tool that ended badly."""
    assert _links(p5en, gpus=7).outcome is Outcome.ERROR
    assert _links(p5en, problem="ended with status 1").outcome is Outcome.ERROR
    missing = nvlink_status.check(
        node="i-1", links=Reading(None, "not there"), speeds=SPEEDS, instance_type=p5en
    )
    assert missing.outcome is Outcome.ERROR


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (gpu_texts.link_speeds(changes={(2, 5): "<inactive>"}), "GPU 2: 17 of 18 links are active"),
        (gpu_texts.link_speeds(changes={(2, 5): "<inActive>"}), "GPU 2: 17 of 18 links are active"),
        (gpu_texts.link_speeds(dark=6), "GPU 6: 0 of 18 links are active"),
        (gpu_texts.link_speeds(links=12), "GPU 0: 12 of 18 links are active"),
        (gpu_texts.link_speeds(changes={(2, 5): "13.281 GB/s"}), "GPU 2 link 5: 13.281 of 26.562 GB/s"),
        (
            gpu_texts.link_speeds(changes={(2, link): "13.281 GB/s" for link in range(18)}),
            "GPU 2 link 0: 13.281 of 26.562 GB/s",
        ),
    ],
)
def test_the_driver_must_agree_with_dcgm(text: str, words: str, p5en: InstanceType) -> None:
    """DCGM calls all links up; the driver sees one that is down, none of one GPU, or one that is slow."""
    for problem in ("", "ended with status 1"):
        verdict = _speeds(p5en, text, problem)
        assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "nvlink-down")
        assert words in verdict.excerpt


def test_without_the_drivers_word_there_is_no_pass(p5en: InstanceType) -> None:
    """Seven GPUs of eight, or a tool that ended badly."""
    assert _speeds(p5en, gpu_texts.link_speeds(gpus=7)).outcome is Outcome.ERROR
    assert _speeds(p5en, gpu_texts.link_speeds(), "ended with status 1").outcome is Outcome.ERROR


def test_only_the_hardware_table_says_that_a_type_has_no_nvlink() -> None:
    """One GPU alone has none, whatever the tool says."""
    single = instance_type("p5.4xlarge")
    verdict = nvlink_status.check(
        node="i-1", links=Reading(None, "not there"), speeds=SPEEDS, instance_type=single
    )
    assert verdict.outcome is Outcome.NOT_APPLICABLE


def test_all_devices_in_both_places_pass(p5en: InstanceType) -> None:
    """16 in the kernel and the same 16 in libfabric."""
    verdict = _efa(p5en, NAMES, NAMES)
    assert (verdict.outcome, verdict.measured, verdict.expected) == (Outcome.PASS, 16, 16)


@pytest.mark.parametrize(("kernel", "fabric"), [(15, 15), (16, 15), (16, 0), (0, 0), (15, 16)])
def test_a_device_that_is_missing_in_either_place_fails(kernel: int, fabric: int, p5en: InstanceType) -> None:
    """Lost in the kernel, or not seen by libfabric."""
    verdict = _efa(p5en, NAMES[:kernel], NAMES[:fabric])
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "efa-device-lost")
    assert verdict.measured == min(kernel, fabric)


def test_places_that_contradict_each_other_are_an_error(p5en: InstanceType) -> None:
    """More devices than the type has, or other names."""
    assert _efa(p5en, texts.efa_names(17), texts.efa_names(17)).outcome is Outcome.ERROR
    assert _efa(p5en, NAMES, texts.efa_names(17)).outcome is Outcome.ERROR
    assert _efa(p5en, NAMES, NAMES, problem="ended with status 1").outcome is Outcome.ERROR


def test_places_that_cannot_be_read_are_an_error(p5en: InstanceType) -> None:
    """No listing, or no answer of libfabric."""
    listing = Reading(parse_efa_sysfs(texts.sysfs_list(NAMES)))
    unread = efa_devices.check(
        node="i-1", sysfs=Reading(None, "no listing"), fabric=Reading(None, "x"), instance_type=p5en
    )
    assert unread.outcome is Outcome.ERROR
    silent = efa_devices.check(node="i-1", sysfs=listing, fabric=Reading(None, "x"), instance_type=p5en)
    assert silent.outcome is Outcome.ERROR


@pytest.mark.parametrize(
    ("verbs", "words"),
    [
        (Reading(tuple(NAMES)), ""),
        (Reading((*NAMES, "ibp198s0")), ""),
        (Reading(tuple(NAMES[:-1])), NAMES[-1]),
        (Reading(None, "it is not there"), "it is not there"),
    ],
)
def test_what_rdma_core_lacks_is_told_on_a_pass(
    verbs: Reading[tuple[str, ...]], words: str, p5en: InstanceType
) -> None:
    """It lists more than EFA, and NCCL opens devices by libfabric: a finding, and no verdict."""
    verdict = efa_devices.check(
        node="i-1",
        sysfs=Reading(parse_efa_sysfs(texts.sysfs_list(NAMES))),
        fabric=Reading(parse_fi_info(texts.fabric_list(NAMES))),
        instance_type=p5en,
        verbs=verbs,
    )
    assert verdict.outcome is Outcome.PASS
    assert [words in finding.text for finding in verdict.findings] == ([True] if words else [])


def test_a_table_that_breaks_off_accuses_no_link(p5en: InstanceType) -> None:
    """Links that were not printed are not down; one that is printed as down is, however the tool ended."""
    whole = texts.link_table()
    rows = [line for line in whole.splitlines() if line.split() and set(line.split()) == {"U"}]
    cut = parse_dcgmi_nvlink(whole[: whole.index(rows[0]) + len(rows[0]) // 2] + "\n")
    broken = nvlink_status.check(
        node="i-1", links=Reading(cut, "status 1: No space left on device"), speeds=SPEEDS, instance_type=p5en
    )
    assert (broken.outcome, broken.cause) == (Outcome.ERROR, None)
    down = parse_dcgmi_nvlink(_one_down(whole, rows[0]))
    told = nvlink_status.check(node="i-1", links=Reading(down, "status 1"), speeds=SPEEDS, instance_type=p5en)
    assert (told.outcome, told.cause) == (Outcome.FAIL, "nvlink-down")


def _one_down(table: str, row: str) -> str:
    return table.replace(row, row.replace("U", "D", 1), 1)


def test_a_list_that_breaks_off_accuses_no_device(p5en: InstanceType) -> None:
    """What libfabric had not printed when it ended badly is not missing: an error, and nobody to drain."""
    cut = _efa(p5en, NAMES, NAMES[:5], problem="`fi_info` ended with status 1: No space left on device")
    assert (cut.outcome, cut.cause) == (Outcome.ERROR, None)
    none = _efa(p5en, NAMES, [], problem="`fi_info` ended with status 61")
    assert (none.outcome, none.cause) == (Outcome.FAIL, "efa-device-lost")


def test_a_type_without_efa_is_not_asked(p5en: InstanceType) -> None:
    """Not applicable by the table's layout alone."""
    bare = dataclasses.replace(p5en, interfaces=())
    assert _efa(bare, [], []).outcome is Outcome.NOT_APPLICABLE

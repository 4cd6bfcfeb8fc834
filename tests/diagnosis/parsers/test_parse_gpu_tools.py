"""nvbandwidth, IMEX, health watches, NVLink counters and speeds, and systemd's units."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from bedplate.diagnosis.parsers.dcgmi_health import HealthIncident, parse_dcgmi_health
from bedplate.diagnosis.parsers.dcgmi_nvlink_errors import parse_dcgmi_nvlink_errors
from bedplate.diagnosis.parsers.imex import parse_imex
from bedplate.diagnosis.parsers.nvbandwidth import parse_nvbandwidth
from bedplate.diagnosis.parsers.nvidia_smi_nvlink import parse_nvidia_smi_nvlink
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.systemctl_show import parse_systemctl_show
from tests.diagnosis.gpu_texts import FABRIC_MANAGER_RUNS, REPLAYS, copies, health, imex, link_speeds


def test_bandwidths_are_numbers_or_nothing() -> None:
    """A matrix of strings, in which N/A stands for a pair that was not measured."""
    log = parse_nvbandwidth("nvbandwidth Version: v0.8\n" + copies(rates={1: "N/A"}))
    case = log.case("device_local_copy")
    assert case is not None
    assert (case.status, case.rows[0][:2], log.error) == ("Passed", (1305.5, None), "")
    assert log.case("host_to_device_memcpy_ce") is None


def test_a_case_that_is_there_twice_is_none() -> None:
    """Which of the two would count?"""
    document = json.loads(copies())
    document["nvbandwidth"]["testcases"] *= 2
    assert parse_nvbandwidth(json.dumps(document)).case("device_local_copy") is None


def test_an_imex_domain_has_nodes_and_their_connections() -> None:
    """Each node tells of each, itself included."""
    domain = parse_imex(imex(connections={("10.0.0.1", "10.0.0.2"): "INVALID"}))
    assert (domain.status, [node.status for node in domain.nodes]) == ("UP", ["READY", "READY"])
    assert domain.nodes[0].connections == (("10.0.0.1", "CONNECTED"), ("10.0.0.2", "INVALID"))


def test_health_is_read_from_table_and_from_json() -> None:
    """The same incident, with its words joined."""
    words = "Detected more than 8 PCIe replays per minute for GPU 0: 13 Reconnect PCIe card."
    incident = HealthIncident("GPU 0", "PCIe system", "warning", words)
    system = {"value": "Warning", "overflow": [words]}
    errors = {"children": {"PCIe system": system}}
    body = {
        "Overall Health": {"value": "Warning"},
        "GPU": {"children": {"0": {"value": "Warning", "children": {"Errors": errors}}}},
    }
    for text in (
        health(overall="Warning", rows=REPLAYS),
        json.dumps({"body": body, "header": ["Health Monitor Report"]}),
    ):
        report = parse_dcgmi_health(text)
        assert (report.watched, report.overall, report.incidents) == (True, "warning", (incident,))


def test_without_watches_nothing_was_watched() -> None:
    """DCGM says so, in words and with a bad status."""
    report = parse_dcgmi_health("Error: Health watches not enabled. Please enable watches. \n")
    assert (report.watched, report.overall, report.incidents) == (False, "", ())


def test_nvlink_counters_are_read_from_table_and_from_json() -> None:
    """By link; a bit error ratio is no count, and is never zero on a link that is well."""
    table = "\n".join(
        [
            "+------------------------------+--------------------------------------------------+",
            "| NVLINK Error Counts                                                             |",
            "| GPU 3                                                                           |",
            "+==============================+==================================================+",
            "| Link 0                       |                                                  |",
            "| -> CRC FLIT Error            | 0                                                |",
            "| -> Recovery Error            | 2                                                |",
            "+------------------------------+--------------------------------------------------+",
        ]
    )
    errors = parse_dcgmi_nvlink_errors(table)
    assert (errors.gpu, len(errors.counts)) == (3, 2)
    assert errors.above_zero == (("Link 0", "Recovery Error", 2.0),)
    detail = {"children": {"Symbol BER": {"value": "1.5e-254"}, "Rx Error": {"value": "0"}}}
    document = {"body": {"Error Detail": detail}, "header": ["NVLINK Error Counts", "GPU 3"]}
    assert parse_dcgmi_nvlink_errors(json.dumps(document)).above_zero == ()


@pytest.mark.parametrize("word", ["inactive", "inActive"])
def test_links_that_are_down_are_seen_in_either_spelling(word: str) -> None:
    """The case of one letter changed between drivers."""
    text = (
        "GPU 0: NVIDIA H200 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n"
        "GPU 1: NVIDIA H200 (UUID: GPU-2)\n"
        f"NVML: Unable to retrieve NVLink information as all links are {word}\n"
    )
    first, second = parse_nvidia_smi_nvlink(text.replace("<inactive>", f"<{word}>"))
    assert (first.active, first.speeds, first.all_inactive) == (1, ((0, 26.562), (1, None)), False)
    assert (second.active, second.all_inactive) == (0, True)


def test_units_are_told_by_their_states() -> None:
    """Loaded and active is running; anything else is not."""
    units = parse_systemctl_show(
        FABRIC_MANAGER_RUNS + "\nId=b.service\nLoadState=loaded\nActiveState=failed\n"
    )
    assert [units[name].running for name in ("nvidia-fabricmanager.service", "b.service")] == [True, False]


REFUSED: list[tuple[Callable[[str], object], str, str]] = [
    (parse_nvbandwidth, "", "no JSON"),
    (parse_nvbandwidth, copies()[:-40], "cut or broken"),
    (parse_nvbandwidth, "{}", "no 'nvbandwidth'"),
    (parse_nvbandwidth, copies(rates={0: "fast"}), "no bandwidth"),
    (parse_nvbandwidth, copies(rates={0: "nan"}), "no bandwidth"),
    (parse_nvbandwidth, copies(rates={0: "-1"}), "no bandwidth"),
    (parse_nvbandwidth, '{"nvbandwidth": {"testcases": [{"name": "a"}]}}', "no name or no status"),
    (parse_nvbandwidth, '{"nvbandwidth": {"a": 1, "a": 2}}', "cut or broken"),
    (parse_imex, "", "no JSON"),
    (parse_imex, imex()[:-30], "cut or broken"),
    (parse_imex, "[]{}", "no nodes"),
    (parse_imex, '{"nodes": {}}', "no status"),
    (parse_imex, '{"nodes": {"0": {"host": "a", "status": "READY"}}, "status": "UP"}', "no connections"),
    (parse_imex, imex().replace('"host": "10.0.0.2", "hostName"', '"hostName"'), "no host"),
    (parse_dcgmi_health, "", "nothing in it"),
    (parse_dcgmi_health, "Error: unable to connect\n", "unable to connect"),
    (parse_dcgmi_health, health(overall="Splendid"), "overall health is 'Splendid'"),
    (parse_dcgmi_health, '{"body": {"GPU": {}}}', "overall health is none"),
    (parse_dcgmi_nvlink_errors, '{"body": {"Link 0": {}}, "header": []}', "names 0 GPUs"),
    (parse_dcgmi_nvlink_errors, '{"body": {"Link 0": {}}, "header": ["GPU 0"]}', "no counter"),
    (parse_nvidia_smi_nvlink, "", "no GPU"),
    (parse_nvidia_smi_nvlink, "\t Link 0: 26.562 GB/s\n", "belong to no GPU"),
    (
        parse_nvidia_smi_nvlink,
        link_speeds(gpus=1, links=2) + "\t Link 1: 26.562 GB/s\n",
        "GPU 0 has a link twice",
    ),
    (parse_nvidia_smi_nvlink, "GPU 0: H (UUID: a)\n", "no link"),
    (parse_systemctl_show, "", "no unit"),
    (parse_systemctl_show, "Unit not found\n", "no property"),
    (parse_systemctl_show, "Id=a\nLoadState=loaded\n", "no ActiveState"),
    (parse_systemctl_show, "Id=a\nId=b\n", "two values"),
]


@pytest.mark.parametrize(("parse", "text", "words"), REFUSED)
def test_what_is_cut_foreign_or_contradictory_is_refused(
    parse: Callable[[str], object], text: str, words: str
) -> None:
    """Each with the reason."""
    with pytest.raises(ParseError, match=words):
        parse(text)

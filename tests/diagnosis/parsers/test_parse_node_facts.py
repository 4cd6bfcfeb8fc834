"""Reading nvidia-smi's table, dcgmi's links, libfabric's and the kernel's devices, and Slurm's nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bedplate.diagnosis.parsers.dcgmi_nvlink import parse_dcgmi_nvlink
from bedplate.diagnosis.parsers.efa_sysfs import parse_efa_sysfs
from bedplate.diagnosis.parsers.fi_info import parse_fi_info
from bedplate.diagnosis.parsers.nvidia_smi_csv import parse_nvidia_smi_csv
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.parsers.scontrol import parse_scontrol_nodes
from tests.diagnosis import texts

DATA = Path(__file__).resolve().parents[1] / "data"


def test_gpus_are_read_with_their_units_taken_off() -> None:
    """A number carries the unit that its title names."""
    table = parse_nvidia_smi_csv(texts.gpu_table())
    assert len(table.gpus) == 8
    assert table.gpus[3].number("memory.total") == 143771
    assert table.gpus[3].word("pci.bus_id") == "00000000:56:00.0"
    assert table.gpus[3].flag("remapped_rows.pending") is False


@pytest.mark.parametrize(
    "word", ["[N/A]", "[Not Supported]", "[Unknown Error]", "[GPU requires reset]", "N/A", ""]
)
def test_a_field_without_answer_is_no_answer(word: str) -> None:
    """None of the ways to say nothing is a zero or a no."""
    changes = {0: {"ecc.errors.uncorrected.volatile.total": word, "remapped_rows.failure": word}}
    gpu = parse_nvidia_smi_csv(texts.gpu_table(changes=changes)).gpus[0]
    assert gpu.number("ecc.errors.uncorrected.volatile.total") is None
    assert gpu.flag("remapped_rows.failure") is None


@pytest.mark.parametrize(
    ("word", "flag"), [("Yes", True), ("No", False), ("1", True), ("0", False), ("Pending", True)]
)
def test_flags_come_as_words_and_as_numbers(word: str, flag: bool) -> None:
    """Drivers differ in how they print a yes."""
    changes = {0: {"remapped_rows.pending": word}}
    assert (
        parse_nvidia_smi_csv(texts.gpu_table(changes=changes)).gpus[0].flag("remapped_rows.pending") is flag
    )


def test_a_lost_gpu_is_told_beside_the_table() -> None:
    """nvidia-smi says in a line of its own that a GPU cannot be reached."""
    line = "Unable to determine the device handle for GPU0000:5A:00.0: GPU is lost.  Reboot the system"
    table = parse_nvidia_smi_csv(texts.gpu_table(gpus=7) + line + "\n")
    assert (len(table.gpus), len(table.lost)) == (7, 1)
    alone = parse_nvidia_smi_csv("No devices were found\n")
    assert (alone.gpus, alone.lost) == ((), ("No devices were found",))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "0, GPU-1, a",
        texts.GPU_TITLES.replace("index", "Index"),
        texts.gpu_table() + "8, GPU-8, cut\n",
    ],
)
def test_what_is_no_table_of_gpus_is_refused(text: str) -> None:
    """No titles, or a row with fewer columns than titles."""
    with pytest.raises(ParseError, match="nvidia-smi"):
        parse_nvidia_smi_csv(text)


def test_links_are_read_by_gpu() -> None:
    """Down, disabled and missing links by their index; the banner and the key are passed over."""
    table = parse_dcgmi_nvlink(texts.link_table(gpus=2, links={1: "UUDX" + "_" * 14}))
    assert [(gpu.id, gpu.up, gpu.down, gpu.disabled) for gpu in table.gpus] == [
        (0, 18, (), ()),
        (1, 2, (2,), (3,)),
    ]
    assert table.switches == ()


def test_switches_are_no_gpus() -> None:
    """A switch's links are kept apart."""
    table = parse_dcgmi_nvlink(texts.link_table(gpus=1) + "    physicalId 3:\n        U D U\n")
    assert (len(table.gpus), [switch.down for switch in table.switches]) == (1, [(1,)])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GPUs:\n",
        "        U U U\n",
        "    gpuId 0:\n    gpuId 1:\n        U U\n",
        "    gpuId 0:\n        U U\n    gpuId 1:\n",
        "    gpuId 0:\n        U U\n    gpuId 0:\n        U U\n",
    ],
)
def test_what_is_no_table_of_links_is_refused(text: str) -> None:
    """No GPU, links without GPU, a GPU without links, a GPU twice."""
    with pytest.raises(ParseError, match="dcgmi nvlink"):
        parse_dcgmi_nvlink(text)


def test_a_device_under_two_fabrics_counts_once() -> None:
    """libfabric 2.1 lists each device for efa and for efa-direct, with a suffix behind the name."""
    names = texts.efa_names()
    text = (
        texts.fabric_list(names)
        + "provider: efa\n    fabric: efa\n    domain: rdmap85s0-dgrm\n    type: FI_EP_DGRAM\n"
    )
    assert parse_fi_info(text).efa_devices == tuple(sorted(names))


def test_other_providers_are_no_efa() -> None:
    """A layered provider over efa is another provider."""
    text = texts.fabric_list(["rdmap85s0"]).replace("provider: efa", "provider: efa;ofi_rxd")
    assert parse_fi_info(text).efa_devices == ()


def test_libfabric_says_that_there_is_no_device() -> None:
    """-61 is an answer: nothing found."""
    info = parse_fi_info("fi_getinfo: -61 (No data available)\n")
    assert (info.none_found, info.efa_devices) == (True, ())


@pytest.mark.parametrize("text", ["", "bash: fi_info: not here", "    domain: rdmap85s0-rdm\n"])
def test_what_is_no_list_of_endpoints_is_refused(text: str) -> None:
    """Nothing, another program's words, or a field that belongs to no provider."""
    with pytest.raises(ParseError, match="fi_info"):
        parse_fi_info(text)


def test_efas_are_known_by_vendor_and_driver_and_not_by_place() -> None:
    """NVLink's management ports stand in the same folder."""
    sysfs = parse_efa_sysfs(texts.sysfs_list(texts.efa_names(8)))
    assert (len(sysfs.devices), len(sysfs.efa_devices), sysfs.unbound) == (10, 8, ())
    assert sysfs.devices[0].hw_counters == (("tx_bytes", 12),)


def test_a_device_without_driver_is_told() -> None:
    """Amazon's device that the efa driver does not hold is unusable, and not an EFA."""
    listing = texts.sysfs_list(["rdmap85s0"])
    listing[0]["driver"] = ""
    assert parse_efa_sysfs(listing).unbound == ("rdmap85s0",)


@pytest.mark.parametrize("listing", [None, {}, "x", [1], [{"vendor": "0x1d0f"}], [{"name": ""}]])
def test_what_is_no_listing_is_refused(listing: object) -> None:
    """Only a list of objects with names is a listing; an empty one is."""
    with pytest.raises(ParseError, match="sysfs"):
        parse_efa_sysfs(listing)
    assert parse_efa_sysfs([]).efa_devices == ()


def test_nodes_of_slurm_are_read_with_values_that_hold_blanks() -> None:
    """OS and Reason hold blanks, and a reason may hold what looks like a key."""
    nodes = parse_scontrol_nodes((DATA / "scontrol-nodes.txt").read_text(encoding="utf-8"))
    assert [(node.name, node.address, node.state, node.idle) for node in nodes] == [
        ("gpu-1", "10.1.0.11", "IDLE", True),
        ("gpu-2", "10.1.0.12", "ALLOCATED", False),
        ("gpu-3", "10.1.0.13", "IDLE", False),
        ("gpu-4", "10.1.0.14", "IDLE", False),
        ("gpu-5", "10.1.0.15", "IDLE", False),
    ]
    assert nodes[0].partitions == ("train", "all")
    assert nodes[0].hostname == "ip-10-1-0-11"
    assert nodes[2].reason.startswith("bedplate: State=IDLE is a lie")
    assert "NOT_RESPONDING" in nodes[3].flags


@pytest.mark.parametrize(
    "text",
    [
        "",
        "slurm_load_node error: Unable to contact slurm controller",
        "NodeName=a",
        "NodeName=a State=IDLE\n" * 2,
    ],
)
def test_what_is_no_list_of_nodes_is_refused(text: str) -> None:
    """Nothing, an error, a line without a state, a node twice."""
    with pytest.raises(ParseError, match="scontrol"):
        parse_scontrol_nodes(text)


def test_a_comment_behind_a_reason_is_one_of_its_own() -> None:
    """As 22.05 prints both: the reason ends with Slurm's stamp, whatever a person wrote before it."""
    reason = "Reason=a=b Comment=c [root@2026-02-03T09:00:00]"
    (node,) = parse_scontrol_nodes(f"NodeName=gpu-2 State=IDLE+DRAIN {reason} Comment=bedplate gate: x\n")
    assert node.reason == "a=b Comment=c [root@2026-02-03T09:00:00]"
    assert node.comment == "bedplate gate: x"
    (idle,) = parse_scontrol_nodes("NodeName=gpu-2 State=IDLE Comment=bedplate gate: y z\n")
    assert (idle.reason, idle.comment) == ("", "bedplate gate: y z")

"""``nvidia-smi -q`` as XML and as text: one record from both."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.nvidia_smi_details import FIELDS
from bedplate.diagnosis.parsers.nvidia_smi_q import parse_nvidia_smi_q
from bedplate.diagnosis.parsers.nvidia_smi_xml import parse_nvidia_smi_xml
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis.gpu_texts import gpu_details

TEXT = """\

==============NVSMI LOG==============

Timestamp                                 : Mon Nov 30 10:00:00 2026
Driver Version                            : 570.172.08
CUDA Version                              : 12.8

Attached GPUs                             : 1
GPU 00000000:53:00.0
    Product Name                          : NVIDIA H200
    Persistence Mode                      : Enabled
    GPU UUID                              : GPU-00000000-0000-0000-0000-000000000000
    GPU Recovery Action                   : None
    PCI
        Bus                               : 0x53
        GPU Link Info
            PCIe Generation
                Max                       : 5
                Current                   : 5
                Host Max                  : N/A
            Link Width
                Max                       : 16x
                Current                   : 16x
        Replays Since Reset               : 0
    Performance State                     : P0
    Clocks Event Reasons
        Idle                              : Active
        SW Power Cap                      : Not Active
        HW Slowdown                       : Not Active
            HW Thermal Slowdown           : Not Active
            HW Power Brake Slowdown       : Not Active
        SW Thermal Slowdown               : Not Active
    Clocks Event Reasons Counters
        HW Thermal Slowdown               : 0 us
        HW Power Braking                  : 0 us
    Max Clocks
        SM                                : 1980 MHz
    Applications Clocks
        Graphics                          : 1980 MHz
    Default Applications Clocks
        Graphics                          : 1980 MHz
    GPU Power Readings
        Current Power Limit               : 700.00 W
        Default Power Limit               : 700.00 W
    Fabric
        State                             : Completed
        Status                            : Success
    Processes                             : None
"""


def test_text_and_xml_of_one_gpu_say_the_same() -> None:
    """Every field that one of them tells, the other tells too."""
    from_text = parse_nvidia_smi_q(TEXT).gpus[0]
    from_xml = parse_nvidia_smi_xml(gpu_details(gpus=1)).gpus[0]
    assert from_text == from_xml
    assert from_text.number("pcie_width") == 16
    assert from_text.flag("hw_thermal_slowdown") is False
    assert from_text.number("power_limit_w") == 700.0


def test_the_head_tells_driver_and_number() -> None:
    """Both forms; a number that is none is unknown."""
    for log in (parse_nvidia_smi_q(TEXT), parse_nvidia_smi_xml(gpu_details(gpus=1))):
        assert (log.driver, log.attached) == ("570.172.08", 1)
    assert (
        parse_nvidia_smi_q(TEXT.replace("GPUs                             : 1", "GPUs : x")).attached is None
    )


@pytest.mark.parametrize(
    "word", ["N/A", "[N/A]", "", "Unknown Error", "Requested functionality has been deprecated"]
)
def test_ways_to_say_nothing_are_no_answer(word: str) -> None:
    """Whatever is asked of the field, None comes back."""
    gpu = parse_nvidia_smi_xml(
        gpu_details(every={"persistence_mode": word, "pci/replay_counter": word})
    ).gpus[0]
    assert gpu.word("persistence_mode") is None
    assert gpu.flag("persistence_mode") is None
    assert gpu.number("pcie_replays") is None
    assert gpu.number("retired_single_bit") is None


def test_a_field_that_there_is_not_is_a_mistake_of_the_caller() -> None:
    """The names are a closed list."""
    gpu = parse_nvidia_smi_xml(gpu_details(gpus=1)).gpus[0]
    assert "colour" not in FIELDS
    with pytest.raises(KeyError):
        gpu.word("colour")


BROKEN = [
    ("", "no XML"),
    ("No devices were found\n", "No devices"),
    (gpu_details()[:-200], "cut or broken"),
    (gpu_details().replace("nvidia_smi_log", "something"), "no nvidia_smi_log"),
    (gpu_details().replace("<!DOCTYPE", "<!ENTITY"), "entities"),
    (gpu_details(gpus=0), "no GPU"),
    (gpu_details().replace("00000000:54:00.0", "00000000:53:00.0"), "twice"),
    (gpu_details().replace('id="00000000:54:00.0"', 'id=""'), "no id"),
    (
        gpu_details().replace(
            "\t\t<performance_state>P0", "\t\t<performance_state>P8</performance_state><performance_state>P0"
        ),
        "two values",
    ),
    (
        gpu_details().replace("<attached_gpus>8", "<attached_gpus>7</attached_gpus><attached_gpus>8"),
        "two values",
    ),
]


@pytest.mark.parametrize(("text", "words"), BROKEN, ids=[words for _, words in BROKEN])
def test_a_document_that_is_not_whole_is_refused(text: str, words: str) -> None:
    """Cut, foreign, contradicting itself, or empty."""
    with pytest.raises(ParseError, match=words):
        parse_nvidia_smi_xml(text)


def test_a_text_that_contradicts_itself_is_refused() -> None:
    """Two values for one name, a GPU twice, none at all, or titles without end."""
    with pytest.raises(ParseError, match="two values"):
        parse_nvidia_smi_q(
            TEXT.replace(
                "    Performance State                     : P0",
                "    Performance State : P0\n    Performance State : P8",
            )
        )
    with pytest.raises(ParseError, match="twice"):
        parse_nvidia_smi_q(TEXT + TEXT.partition("Attached")[2].partition("\n")[2])
    with pytest.raises(ParseError, match="no GPU"):
        parse_nvidia_smi_q("NVIDIA-SMI has failed\n")
    with pytest.raises(ParseError, match="without end"):
        parse_nvidia_smi_q("GPU 00000000:53:00.0\n" + "".join(" " * (n + 1) + "a\n" for n in range(20)))

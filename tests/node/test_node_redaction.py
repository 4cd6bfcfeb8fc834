"""What a node's answer leaves out."""

from __future__ import annotations

from bedplate.diagnosis.parsers.nvidia_smi_xml import parse_nvidia_smi_xml
from bedplate.node.redaction import without_lists
from tests.diagnosis.gpu_texts import gpu_details

PROGRAM = "<process_info><process_name>train --token=secret</process_name></process_info>"


def test_programs_and_their_arguments_do_not_travel() -> None:
    """The rest of the document reads as before."""
    text = gpu_details()
    full = text.replace("\t</gpu>", f"<processes>{PROGRAM}\n{PROGRAM}</processes>\n\t</gpu>")
    assert "secret" in full
    left = without_lists(full)
    assert "secret" not in left
    assert parse_nvidia_smi_xml(left) == parse_nvidia_smi_xml(text)


def test_a_list_that_is_cut_is_left_out_to_the_end() -> None:
    """A tool that was stopped in the midst of a list leaks none of it."""
    assert without_lists(f"<gpu><processes>{PROGRAM}") == "<gpu>"


def test_other_text_is_left_alone() -> None:
    """Words of an error pass unchanged."""
    assert without_lists("No devices were found\n") == "No devices were found\n"

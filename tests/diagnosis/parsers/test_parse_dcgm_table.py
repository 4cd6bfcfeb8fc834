"""The table that ``dcgmi diag`` prints without ``-j``."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import texts

LINE = "+---------------------------+------------------------------------------------+"


def _table(*rows: tuple[str, str]) -> str:
    return "\n".join([LINE, *(f"| {name:<25} | {value:<46} |" for name, value in rows), LINE])


def _wrapped(name: str, text: str) -> list[tuple[str, str]]:
    """A text as DCGM cuts it: 45 characters a row, blanks counted."""
    pieces = [text[at : at + 45] for at in range(0, len(text), 45)]
    return [(name if not number else "", piece) for number, piece in enumerate(pieces)]


def test_a_whole_table_of_dcgm_3_has_its_tests_and_versions() -> None:
    """Nine of the deployment, PCIe and memory."""
    diag = parse_dcgm_diag(texts.diag_table())
    assert (diag.generation, diag.version, len(diag.results)) == (3, "3.3.9", 11)
    assert {result.status for result in diag.results} == {"pass"}
    assert {result.category for result in diag.results} == {"Deployment", "Integration", "Hardware"}


def test_gpus_are_gathered_by_status() -> None:
    """Two groups of one test, each GPU with its own status."""
    rows = [("GPU Memory", "Pass - GPUs: 0, 2   "), ("", "Fail - GPU: 1   "), ("", "Skip - GPU: 3")]
    found = {result.gpu: result.status for result in parse_dcgm_diag(_table(*rows)).results}
    assert found == {0: "pass", 2: "pass", 1: "fail", 3: "skip"}


def test_words_cut_in_the_middle_are_joined() -> None:
    """Blanks at the end of a cell are the text's own."""
    text = (
        "GPU 1 Thermal violations totaling 13.3 seconds started at 9.7 seconds into the test for GPU 1 Verify"
    )
    rows = [("GPU Memory", "Pass - GPU: 0"), ("", "Fail - GPU: 1"), *_wrapped("Warning", text)]
    failed = parse_dcgm_diag(_table(*rows)).results[1]
    assert [warning.text for warning in failed.warnings] == [text]


def test_a_warning_belongs_to_the_gpu_that_it_names() -> None:
    """DCGM 3 prints the warnings of all below the group; those without a name are of what did not pass."""
    rows = [
        ("PCIe", "Pass - GPU: 0"),
        ("", "Fail - GPUs: 1, 2"),
        ("Warning", "GPU 2 is narrow"),
        ("Warning", "Something is wrong"),
    ]
    found = {each.gpu: [w.text for w in each.warnings] for each in parse_dcgm_diag(_table(*rows)).results}
    assert found == {0: [], 1: ["Something is wrong"], 2: ["GPU 2 is narrow", "Something is wrong"]}


def test_dcgm_4_has_a_row_for_each_gpu() -> None:
    """With the test's own summary above, and labels that name the GPU."""
    rows = [
        ("memory", "Fail"),
        ("", "GPU0: Pass"),
        ("", "GPU1: Fail"),
        *_wrapped("Warning: GPU1", "A memory mismatch was detected on GPU 1, but no error was reported"),
        ("Info: GPU0", "Allocated 16435239282 bytes (97.1%)"),
    ]
    diag = parse_dcgm_diag(_table(*rows))
    assert (diag.generation, diag.summaries) == (4, (("memory", "fail"),))
    assert [(each.gpu, each.status) for each in diag.results] == [(0, "pass"), (1, "fail")]
    assert diag.results[0].info == ("Allocated 16435239282 bytes (97.1%)",)
    assert diag.results[1].warnings[0].text.endswith("no error was reported")


def test_a_word_that_no_schema_has_is_unknown() -> None:
    """Never a pass."""
    assert [each.status for each in parse_dcgm_diag(_table(("Inforom", "Splendid"))).results] == ["unknown"]


@pytest.mark.parametrize("text", [LINE, _table(("", "Pass - All")), "| a", "Error | b"])
def test_a_table_without_a_test_is_refused(text: str) -> None:
    """Lines and a status that belongs to no test."""
    with pytest.raises(ParseError):
        parse_dcgm_diag(text)

"""One JSON document in what a tool printed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgmi_nvlink_errors import parse_dcgmi_nvlink_errors
from bedplate.diagnosis.parsers.imex import parse_imex
from bedplate.diagnosis.parsers.nvbandwidth import parse_nvbandwidth
from bedplate.diagnosis.parsers.one_document import one_document
from bedplate.diagnosis.parsers.problem import ParseError
from tests.diagnosis import gpu_texts, texts


def test_what_stands_around_it_does_no_harm() -> None:
    """A banner before it, a remark behind it."""
    assert one_document('Loading.\n{"a": 1}\nDone {x}.\n', tool="t", keys=("a",)) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        ("no route\n", "no JSON in it: no route"),
        ('{"a": ', "cut or broken"),
        ('{"a": 1, "a": 2}', "twice"),
        ("{" * 100_000, "cut or broken"),
        ('{"a": 1}\n{"a": 2}\n', "two runs"),
    ],
)
def test_what_is_not_one_document_is_refused(text: str, words: str) -> None:
    """Nothing, half of one, one that contradicts itself, and two."""
    with pytest.raises(ParseError, match=words):
        one_document(text, tool="t", keys=("a",))


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_dcgm_diag, texts.diag_v4()),
        (parse_dcgm_diag, texts.diag_v3()),
        (parse_dcgmi_nvlink_errors, gpu_texts.link_errors(3)),
        (parse_nvbandwidth, gpu_texts.copies()),
        (parse_imex, gpu_texts.imex()),
    ],
)
def test_two_runs_in_one_output_are_no_record(parse: Callable[[str], object], text: str) -> None:
    """A sick run behind a healthy one must not be hidden by it."""
    parse(text)
    with pytest.raises(ParseError, match="two runs"):
        parse(text + text)

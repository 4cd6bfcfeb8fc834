"""The YAML reader: places, anchors, and the same answers from PyYAML's two parsers."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bedplate.spec import yaml_reader
from bedplate.spec.limits import MAX_BYTES
from bedplate.spec.yaml_reader import read_yaml

BROKEN = sorted((Path(__file__).parent / "broken").glob("*.yaml"))


def test_places_count_from_one_and_span_the_text() -> None:
    """A value's place is its line, its first column and its width."""
    source, problems = read_yaml("a:\n  - {b: 'ü x', c: 12}\n", file="f")
    assert problems == []
    assert source.data == {"a": [{"b": "ü x", "c": 12}]}
    place = source.value_at(("a", 0, "b"))
    assert (place.line, place.column, place.width, place.text) == (2, 9, 5, "ü x")
    key = source.key_at(("a", 0, "c"))
    assert (key.line, key.column, key.width) == (2, 16, 1)


def test_what_is_absent_is_placed_at_its_parent() -> None:
    """A missing key is shown where its section is; at the top, on the first line."""
    source, _ = read_yaml("a:\n  b: 1\n", file="f")
    assert source.value_at(("a", "c")).line == 1
    assert (source.value_at(("z",)).line, source.value_at(("z",)).column) == (1, 1)


def test_anchors_and_merges_mean_what_they_mean_in_yaml() -> None:
    """Aliases repeat, merges fill in, explicit keys win."""
    text = "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc: {<<: [*x, {r: 4}]}\nd: *x\n"
    source, problems = read_yaml(text, file="f")
    assert problems == []
    assert source.data == yaml.safe_load(text)


def test_a_list_that_holds_itself_is_refused() -> None:
    """Recursion by an alias ends as a problem."""
    source, problems = read_yaml("a: &a [*a]\n", file="f")
    assert source.data is None
    assert [problem.id for problem in problems] == ["SPC-011"]


def test_a_merge_of_what_merges_takes_its_own_keys_first() -> None:
    """A mapping that overrides a key of what it merges is merged as it stands (PyYAML: the older key)."""
    text = "a: &a {p: 1, q: 2}\nb: &b {<<: *a, p: 3}\nc: {<<: *b}\nd: {<<: [{r: 4}, *b], q: 5}\n"
    source, problems = read_yaml(text, file="f")
    assert problems == []
    assert source.data["c"] == source.data["b"] == {"p": 3, "q": 2}
    assert source.data["d"] == {"p": 3, "q": 5, "r": 4}


@pytest.mark.parametrize("text", ["a: &a {<<: *a}\n", "a: {<<: &a [*a]}\n", "<<: &a {<<: [*a, *a]}\n"])
def test_a_merge_that_holds_itself_is_refused(text: str) -> None:
    """Merges in a circle end as a problem, however often each turn repeats."""
    source, problems = read_yaml(text, file="f")
    assert source.data is None
    assert [problem.id for problem in problems] == ["SPC-011"]


def test_large_files_are_refused_unread() -> None:
    """A file beyond the limit is not parsed."""
    _, problems = read_yaml("a: " + "x" * MAX_BYTES, file="f")
    assert [problem.id for problem in problems] == ["SPC-011"]


def test_tabs_are_let_through_in_comments_only() -> None:
    """A tab in a comment is nobody's business; one in text or between words is refused."""
    assert read_yaml("a: 1  # x\ty\n#\tz\n  # \t\n", file="f")[1] == []
    assert [problem.id for problem in read_yaml('a: "x\ty"\nb:\t1\n', file="f")[1]] == ["SPC-007", "SPC-007"]
    assert [problem.id for problem in read_yaml("a: 1\n\t\n", file="f")[1]] == ["SPC-007"]


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_both_parsers_agree(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where libyaml is missing, the data and the problems are the same, save for the words of YAML errors."""
    text = path.read_text(encoding="utf-8")
    fast = read_yaml(text, file="f")
    monkeypatch.setattr(yaml_reader, "_Loader", yaml.SafeLoader)
    slow = read_yaml(text, file="f")
    assert slow[0].data == fast[0].data
    assert [problem.id for problem in slow[1]] == [problem.id for problem in fast[1]]
    if fast[0].data is not None:
        assert slow[0].values == fast[0].values


@pytest.mark.parametrize("loader", [None, yaml.SafeLoader], ids=["libyaml", "python"])
@pytest.mark.parametrize(
    "text",
    ['a: 1\nb: "open\nc: 2\nd: "25"\n', "a: 1\nb: 'open\nc: 2\n"],
    ids=["next quote", "no other quote"],
)
def test_a_quote_that_is_not_closed_is_shown_where_it_opens(
    text: str, loader: type[yaml.SafeLoader] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line to mend is the one with the quote, not the one far below at which the parser gave up."""
    if loader is not None:
        monkeypatch.setattr(yaml_reader, "_Loader", loader)
    [problem] = read_yaml(text, file="f")[1]
    assert (problem.id, problem.line, problem.column) == ("SPC-001", 2, 4)
    assert problem.remedy == "Close the quote on this line."


@pytest.mark.parametrize(("written", "read"), [("010", "8"), ("1:30", "90"), ("-017", "-15")])
def test_numbers_that_mean_another_number_are_refused(written: str, read: str) -> None:
    """YAML 1.1 reads a leading 0 as octal and colons as base 60; ten nodes must not become eight."""
    [problem] = read_yaml(f"nodes: {written}\n", file="f")[1]
    assert problem.id == "SPC-004"
    assert f"reads {written} as {read}" in problem.message
    assert read_yaml("nodes: 0\nmore: 0x10\ntext: '010'\n", file="f")[1] == []

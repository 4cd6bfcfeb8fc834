"""Slurm's short form of names is written and read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.node.host_ranges import names_in, short_form

NAMES = st.builds(
    lambda stem, number, width: f"{stem}{number:0{width}d}",
    st.sampled_from(["gpu-", "gpu-h200-st-", "n", "queue1-dy-x2-"]),
    st.integers(0, 1200),
    st.sampled_from([1, 1, 1, 4]),
)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["gpu-1"], "gpu-1"),
        (["gpu-3", "gpu-1", "gpu-2", "gpu-7"], "gpu-[1-3,7]"),
        (["gpu-9", "gpu-10", "gpu-11"], "gpu-[9-11]"),
        (["gpu-08", "gpu-09", "gpu-10"], "gpu-[08-09],gpu-10"),
        (["b-1", "a-2", "b-2"], "b-[1-2],a-2"),
        (["login", "gpu-1", "gpu-1"], "login,gpu-1"),
    ],
)
def test_names_are_written_in_ranges(names, short) -> None:
    """Runs of numbers are ranges; each name once; stems stay in order."""
    assert short_form(names) == short
    assert set(names_in(short)) == set(names)


@given(st.lists(NAMES, min_size=1, max_size=40))
def test_what_was_written_reads_as_the_same_names(names) -> None:
    """No name is lost, added or changed by a zero."""
    assert sorted(names_in(short_form(names))) == sorted(set(names))


@pytest.mark.parametrize(
    "text", ["", "a,,b", "gpu-[1-3", "gpu-1]", "gpu-[3-1]", "gpu-[x]", "gpu-[1-999999999]"]
)
def test_what_is_no_list_of_names_is_refused(text) -> None:
    """Neither half a bracket nor a range without end is read as something."""
    with pytest.raises(ValueError, match=r"form|range|stands"):
        names_in(text)

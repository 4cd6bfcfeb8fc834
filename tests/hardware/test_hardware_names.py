"""Looking things up by name, and what an unknown name gets back."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bedplate.hardware import (
    INSTANCE_TYPES,
    ULTRASERVERS,
    UnknownCollective,
    UnknownInstanceType,
    UnknownUltraServer,
    busbw_factor,
    instance_type,
    ultraserver,
)
from bedplate.hardware.unknown import nearest_name

NAMES = sorted(INSTANCE_TYPES)


@given(st.sampled_from(NAMES))
def test_known_names_give_their_row(name: str) -> None:
    """A known name gives the row of that name."""
    assert instance_type(name).name == name


@given(st.text(max_size=30))
def test_any_other_name_is_refused_with_a_known_one_nearest(name: str) -> None:
    """Whatever else is asked for is refused, and the nearest match is always a name that works."""
    assume(name not in INSTANCE_TYPES)
    with pytest.raises(UnknownInstanceType) as caught:
        instance_type(name)
    assert caught.value.name == name
    assert caught.value.known == tuple(NAMES)
    assert caught.value.nearest in INSTANCE_TYPES
    assert caught.value.nearest in str(caught.value)


def _slips(name: str) -> set[str]:
    """All that one lost or one doubled letter makes of a name."""
    lost = {name[:at] + name[at + 1 :] for at in range(len(name))}
    doubled = {name[:at] + name[at] + name[at:] for at in range(len(name))}
    return (lost | doubled) - set(NAMES)


@given(st.sampled_from(NAMES), st.data())
def test_one_lost_or_doubled_letter_finds_the_name_again(name: str, data: st.DataObject) -> None:
    """A slip of one key leads to a name from which such a slip leads there: the one meant, save for ties."""
    slip = data.draw(st.sampled_from(sorted(_slips(name))))
    assert nearest_name(slip, NAMES) in {each for each in NAMES if slip in _slips(each)}


@given(st.sampled_from(NAMES))
def test_case_and_blanks_do_not_hide_the_name(name: str) -> None:
    """Upper case and blanks around it are no valid name, but the nearest match sees through them."""
    with pytest.raises(UnknownInstanceType) as caught:
        instance_type(f" {name.upper()} ")
    assert caught.value.nearest == name


def test_the_message_tells_what_is_allowed() -> None:
    """The message holds the value given, the nearest match and every name that is allowed."""
    with pytest.raises(UnknownInstanceType) as caught:
        instance_type("p5n.48xlarge")
    text = str(caught.value)
    assert "'p5n.48xlarge' is no known instance type" in text
    assert "Did you mean 'p5en.48xlarge'?" in text
    assert all(name in text for name in NAMES)


def test_other_tables_refuse_alike() -> None:
    """UltraServers and collectives have refusals of their own with a nearest match."""
    with pytest.raises(UnknownUltraServer) as server:
        ultraserver("u-p6e-gb200x70")
    assert server.value.nearest in ULTRASERVERS
    with pytest.raises(UnknownCollective) as collective:
        busbw_factor("allreduce", 8)
    assert collective.value.nearest == "all_reduce"


def test_nothing_known_has_no_nearest() -> None:
    """Among no names there is no nearest one."""
    assert nearest_name("p5en.48xlarge", []) is None

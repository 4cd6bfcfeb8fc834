"""The list of users on its way from the deploy to a node."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.node.users.listed import ListedUser, ListRefusedError, UserList, list_key
from bedplate.spec.orchestrator.team import USER_PATTERN

ALICE = ListedUser("alice", 2001)
LIST = UserList("/fsx/home", (ALICE, ListedUser("bob", 2002)))


def test_a_list_survives_the_way_to_the_node() -> None:
    """What is written is read back the same, on one line of ASCII."""
    text = LIST.to_json()
    assert UserList.from_json(text) == LIST
    assert text.isascii()
    assert "\n" not in text


def test_the_manifest_writers_form_is_read_too() -> None:
    """The function that writes the object sorts and indents."""
    text = json.dumps(json.loads(LIST.to_json()), indent=2, sort_keys=True) + "\n"
    assert UserList.from_json(text) == LIST


def test_homes_and_key_are_named_by_user_and_environment() -> None:
    """One folder a user; one key an environment, whatever is on the list."""
    assert LIST.home_of(ALICE) == "/fsx/home/alice"
    assert list_key("prod") == "users/prod.json"


def _changed(**changes: Any) -> str:
    return json.dumps({**json.loads(LIST.to_json()), **changes})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "no JSON"),
        ("[]", "no object"),
        (_changed(version=2), "version 2"),
        (_changed(version=True), "version True"),
        (_changed(extra=1), "no object of version"),
        (_changed(homes="home"), "absolute"),
        (_changed(homes="/"), "absolute"),
        (_changed(homes="/home/"), "absolute"),
        (_changed(homes="/home/../etc"), "absolute"),
        (_changed(homes=7), "absolute"),
        (_changed(users={}), "no list"),
        (_changed(users=["alice"]), "name and uid"),
        (_changed(users=[{"name": "alice", "uid": 2001, "sudo": True}]), "name and uid"),
        (_changed(users=[{"name": "a;b", "uid": 2001}]), "no name"),
        (_changed(users=[{"name": "alice\n", "uid": 2001}]), "no name"),
        (_changed(users=[{"name": "-x", "uid": 2001}]), "no name"),
        (_changed(users=[{"name": 7, "uid": 2001}]), "no name"),
        (_changed(users=[{"name": "alice", "uid": 0}]), "2000 to 59999"),
        (_changed(users=[{"name": "alice", "uid": 1999}]), "2000 to 59999"),
        (_changed(users=[{"name": "alice", "uid": 60000}]), "2000 to 59999"),
        (_changed(users=[{"name": "alice", "uid": "2001"}]), "2000 to 59999"),
        (_changed(users=[{"name": "alice", "uid": 2001.0}]), "2000 to 59999"),
        (_changed(users=[{"name": "a", "uid": 2001}, {"name": "a", "uid": 2002}]), "one name"),
        (_changed(users=[{"name": "a", "uid": 2001}, {"name": "b", "uid": 2001}]), "one uid"),
    ],
)
def test_unfit_lists_are_refused_by_name(text: str, named: str) -> None:
    """Neither root nor a word that useradd takes for an option is made by a list that somebody spoilt."""
    with pytest.raises(ListRefusedError) as refused:
        UserList.from_json(text)
    assert named in str(refused.value)


NAMES = st.from_regex(USER_PATTERN.replace("$", r"\Z").replace("^", r"\A"))


@given(st.dictionaries(NAMES, st.integers(2000, 59_999), max_size=8))
def test_whatever_the_environment_file_takes_comes_through(users: dict[str, int]) -> None:
    """Every name and id that the file's own pattern lets through is read back the same."""
    apart = {uid: name for name, uid in users.items()}
    wanted = UserList("/home", tuple(ListedUser(name, uid) for uid, name in apart.items()))
    assert UserList.from_json(wanted.to_json()) == wanted


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    """Any other text is a refusal, and no other error."""
    try:
        UserList.from_json(text)
    except ListRefusedError:
        return
    raise AssertionError(text)

"""The kinds of fault that can be named."""

from __future__ import annotations

import pytest

from bedplate.diagnosis.causes import CAUSES, cause, sxid_cause, xid_cause


def test_every_cause_says_whom_it_blames_and_what_to_do() -> None:
    """Subject, title and remedy are there, under the id's own key."""
    for key, row in CAUSES.items():
        assert (row.id, row.subject in {"node", "link", "cluster"}) == (key, True)
        assert row.title
        assert row.remedy.endswith(".")


def test_xids_are_causes_by_their_code() -> None:
    """`xid-64` needs no row of its own."""
    assert xid_cause(64) == "xid-64"
    named = cause(sxid_cause(12028))
    assert named is not None
    assert (named.id, named.subject) == ("sxid-12028", "node")


@pytest.mark.parametrize("word", ["", "xid-", "xid-64a", "efa", "xid-64\n"])
def test_an_unknown_id_is_no_cause(word: str) -> None:
    """Nothing is made up."""
    assert cause(word) is None

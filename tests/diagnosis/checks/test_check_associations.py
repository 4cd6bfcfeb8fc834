"""FSX-003: the rules for files between folders and buckets, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.association_legs import (
    BROKEN,
    DONE,
    UNKNOWN,
    Leg,
    hsm_words,
    leg_in,
    leg_out,
    written,
)
from bedplate.diagnosis.checks import association_round_trip
from bedplate.diagnosis.expected import ExpectedAssociation, ExpectedMount, NodeExpectation
from bedplate.diagnosis.verdict import CLUSTER, Outcome
from bedplate.hardware import instance_type

DIGEST = "a" * 64
IN, OUT = Leg("in", DONE, "in", 12.0), Leg("out", DONE, "out", 30.0)
BAD, DARK = Leg("out", BROKEN, "it did not come"), Leg("in", UNKNOWN, "no answer")

CASES: dict[str, tuple[dict[str, Any], Outcome, str | None, int | None]] = {
    "both ways": ({"legs": {"/a": [IN], "/b": [OUT]}}, Outcome.PASS, None, 2),
    "one way is broken": ({"legs": {"/a": [IN], "/b": [BAD]}}, Outcome.FAIL, "association-broken", 1),
    "one way is not known": ({"legs": {"/a": [DARK], "/b": [OUT]}}, Outcome.ERROR, None, 1),
    "broken goes before not known": ({"legs": {"/a": [DARK, BAD]}}, Outcome.FAIL, "association-broken", 0),
    "nothing was tried": ({"legs": {}}, Outcome.ERROR, None, 0),
    "an empty folder": ({"legs": {"/a": []}}, Outcome.ERROR, None, 0),
    "there was no node": ({"legs": {}, "problem": "no node"}, Outcome.ERROR, None, 0),
    "a problem beside ways that work": ({"legs": {"/a": [IN]}, "problem": "cut off"}, Outcome.ERROR, None, 1),
}


@pytest.mark.parametrize("case", CASES)
def test_the_round_trip_is_judged_by_every_way(case: str) -> None:
    """Each case of the table has its outcome, its cause and its count, about the cluster."""
    given, outcome, cause, measured = CASES[case]
    verdict = association_round_trip.check(**given)
    assert (verdict.outcome, verdict.cause, verdict.measured) == (outcome, cause, measured), verdict.summary
    assert verdict.subject == CLUSTER


def test_what_may_be_left_is_told_with_every_outcome() -> None:
    """A finding rides on the pass and on the fail."""
    for ways in ([IN], [BAD]):
        verdict = association_round_trip.check(legs={"/a": ways}, left_behind=["s3://b/x"])
        assert ["s3://b/x" in each.text for each in verdict.findings] == [True]


def row(**changes: Any) -> dict[str, Any]:
    """A node's row of the way in."""
    whole = {
        "appeared": True,
        "seconds": 12.5,
        "sha256": DIGEST,
        "state_before": "/fsx/a/in.bin: (0x0000000d) released exists archived, archive_id:1",
        "problem": "",
    }
    return {**whole, **changes}


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (row(), DONE),
        (row(appeared=False), BROKEN),
        (row(appeared="yes"), BROKEN),
        (row(sha256="b" * 64), BROKEN),
        (row(sha256=None), BROKEN),
        (row(problem="it cannot be read: [Errno 5]"), UNKNOWN),
        (None, UNKNOWN),
        ([], UNKNOWN),
        ({}, BROKEN),
    ],
)
def test_the_way_in_is_done_only_where_the_right_bytes_were_read(given: object, state: str) -> None:
    """A file that showed and holds something else is as broken as none."""
    assert leg_in(given, sha256=DIGEST).state == state


def test_a_digest_that_nobody_knows_is_no_proof() -> None:
    """Two empty digests are equal and prove nothing."""
    assert leg_in(row(sha256=""), sha256="").state == BROKEN


def test_data_that_was_there_before_it_was_read_is_told() -> None:
    """The lazy load was not seen then; released is the state before it."""
    assert leg_in(row(), sha256=DIGEST).note == ""
    loaded = leg_in(row(state_before="/x: (0x00000009) exists archived, archive_id:1"), sha256=DIGEST)
    assert (loaded.state, loaded.note) == (DONE, "before it was read its state was exists archived")
    assert "unknown" in leg_in(row(state_before=""), sha256=DIGEST).note


@pytest.mark.parametrize(
    ("found", "state"), [(DIGEST, DONE), ("b" * 64, BROKEN), (None, BROKEN)], ids=["right", "wrong", "none"]
)
def test_the_way_out_is_done_only_where_the_right_bytes_arrived(found: str | None, state: str) -> None:
    """An object of other content is not the file."""
    assert leg_out(found_sha256=found, sha256=DIGEST, seconds=3.0).state == state


@pytest.mark.parametrize("given", [None, {}, {"problem": "read-only"}, {"sha256": "short", "problem": ""}])
def test_what_the_node_does_not_tell_it_wrote_is_not_looked_for(given: object) -> None:
    """There is a reason instead of a digest."""
    digest, problem = written(given)
    assert (digest, bool(problem)) == ("", True)
    assert written({"sha256": DIGEST, "problem": ""}) == (DIGEST, "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/a: (0x0000000d) released exists archived, archive_id:1", ("released", "exists", "archived")),
        ("/a: (0x00000000)", ()),
        ("can't get hsm state", ()),
        ("", ()),
    ],
)
def test_states_of_the_archive_are_read_by_their_words(text: str, words: tuple[str, ...]) -> None:
    """As `lfs hsm_state` prints them."""
    assert hsm_words(text) == words


def test_only_folders_in_which_something_new_travels_are_owed() -> None:
    """Neither an import by hand, nor deletions alone, nor a file system of another kind."""

    def expected(*ties: ExpectedAssociation, kind: str = "lustre") -> NodeExpectation:
        return NodeExpectation(mounts=(ExpectedMount(kind, "fs@tcp:/a", "/fsx", associations=ties),))

    new_in, new_out = ({"imports": ("new",)}, {"exports": ("new", "changed")})
    kind = instance_type("p5en.48xlarge")
    check = association_round_trip.CHECK
    assert check.subject == "cluster"
    for given in (new_in, new_out):
        assert check.owed(kind, expected(ExpectedAssociation("/a", "s3://b/", **given)), 1)
    assert not check.owed(kind, expected(ExpectedAssociation("/a", "s3://b/", imports=("deleted",))), 1)
    assert not check.owed(kind, expected(ExpectedAssociation("/a", "s3://b/")), 1)
    assert not check.owed(kind, expected(ExpectedAssociation("/a", "s3://b/", **new_in), kind="efs"), 1)

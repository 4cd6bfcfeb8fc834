"""Journals and results in the bucket: what is written is read back, and what cannot be read is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bedplate.errors import AwsRefused, BedplateError
from bedplate.validation.actions.journal import Journals, new_plan_id
from bedplate.validation.actions.results import newest_result
from bedplate.validation.reports.result_file import result_json

from .acting import NOW, fail, plan, run
from .fake_bucket import FakeBucket


def _journals(bucket: FakeBucket) -> Journals:
    clients: Any = SimpleNamespace(s3=bucket)
    return Journals(clients, "bucket")


def test_a_plan_comes_back_as_it_was_written() -> None:
    """Every field of plan, actions and what was left alone."""
    journals = _journals(FakeBucket())
    made = plan(run(fail(1, "efa-device-lost"), fail(2, None)))
    journals.keep(made)
    assert journals.read(made.id).plan == made
    assert journals.ids() == [made.id]


def test_plans_are_listed_newest_first_and_other_objects_are_none() -> None:
    """Ids sort by time; what else lies below the prefix is passed over."""
    bucket = FakeBucket({"actions/notes.txt": b"", "actions/other.json": b"{}"})
    journals = _journals(bucket)
    ids = [f"act-2026020{day}T100000Z-0a1b2c3d" for day in (1, 3, 2)]
    for each in ids:
        journals.keep(plan(run()).model_copy(update={"id": each}))
    assert journals.ids() == sorted(ids, reverse=True)


def test_only_what_waits_and_is_not_undone_is_gone_on_with() -> None:
    """A plan that was taken back does not come alive again."""
    journals = _journals(FakeBucket())
    made = plan(run(fail(1, "efa-device-lost")))
    waiting = made.model_copy(
        update={"actions": tuple(one.model_copy(update={"state": "waiting"}) for one in made.actions)}
    )
    journals.keep(waiting)
    assert [each.plan.id for each in journals.open_ones()] == [made.id]
    journals.keep(waiting, undone_at="2026-02-03T10:00:00+00:00")
    assert not list(journals.open_ones())
    journals.keep(made)
    assert not list(journals.open_ones())


@pytest.mark.parametrize("body", [None, b"", b"{}", b'{"version": 2}', b"\xff"])
def test_a_journal_that_cannot_be_read_is_an_error_with_its_place(body: bytes | None) -> None:
    """Missing, cut off, of another version: ACT-004, and nothing is lifted on its word."""
    bucket = FakeBucket() if body is None else FakeBucket({"actions/act-1.json": body})
    with pytest.raises(BedplateError) as caught:
        _journals(bucket).read("act-1")
    assert caught.value.error_id == "ACT-004"
    assert ("--list" in caught.value.remedy) is (body is None)  # which could not be read either
    assert "actions/act-1.json" in caught.value.message


def test_a_bucket_that_takes_no_journal_stops_everything() -> None:
    """What cannot be written down is not done: the refusal is raised."""
    with pytest.raises(AwsRefused):
        _journals(FakeBucket(refuses="AccessDenied")).keep(plan(run(fail(1, "efa-device-lost"))))


def test_ids_of_plans_follow_their_pattern_and_differ() -> None:
    """Two plans of one second are two."""
    assert len({new_plan_id(NOW) for _ in range(50)}) == 50
    assert new_plan_id(NOW).startswith("act-20260203T100000Z-")


def test_the_newest_run_that_has_a_result_is_taken() -> None:
    """One that was cut off has none; the lock object beside them is no run."""
    result = run(fail(1, "efa-device-lost"))
    bucket = FakeBucket(
        {
            "runs/current.json": b"{}",
            "runs/20260201T000000Z-a/result.json": b"old",
            "runs/20260203T090000Z-b/result.json": result_json(result).encode(),
            "runs/20260203T095000Z-c/evidence/x.json": b"{}",
        }
    )
    clients: Any = SimpleNamespace(s3=bucket)
    found, where = newest_result(clients=clients, bucket="bucket")
    assert found == result
    assert where == "s3://bucket/runs/20260203T090000Z-b/result.json"


def test_a_damaged_newest_result_is_told_and_no_older_one_is_taken() -> None:
    """An older run is not what the operator means."""
    good = result_json(run()).encode()
    bucket = FakeBucket({"runs/1/result.json": good, "runs/2/result.json": good[:100]})
    clients: Any = SimpleNamespace(s3=bucket)
    with pytest.raises(BedplateError) as caught:
        newest_result(clients=clients, bucket="bucket")
    assert caught.value.error_id == "RES-002"


def test_no_run_at_all_is_told() -> None:
    """ACT-005 says what to do first."""
    clients: Any = SimpleNamespace(s3=FakeBucket())
    with pytest.raises(BedplateError) as caught:
        newest_result(clients=clients, bucket="bucket")
    assert caught.value.error_id == "ACT-005"

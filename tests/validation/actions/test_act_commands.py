"""`bedplate act`, `undo` and `validate --act` at their edges: what is shown, what is changed, exit codes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bedplate.cli.main import run as run_command
from bedplate.errors import BedplateError, ExitCode
from bedplate.validation.actions.after_run import act_after_run
from bedplate.validation.actions.journal import Journals
from bedplate.validation.actions.policy import ActionPolicy
from bedplate.validation.actions.session import ActionSession
from bedplate.validation.reports.result_file import parse_result, write_result
from bedplate.validation.result import RunResult
from bedplate.validation.run_lock import LOCK_KEY, Resume, take_hold
from bedplate.validation.stores.bucket import BucketStore
from tests.validation.preflight.fake_aws import DEMO

from .acting import fail, node, run
from .fake_bucket import FakeBucket
from .fake_cluster import FakeCluster


def _fresh(*verdicts: Any, **changes: Any) -> RunResult:
    now = datetime.now(UTC)
    times = {
        "started_at": (now - timedelta(minutes=9)).isoformat(timespec="seconds"),
        "finished_at": (now - timedelta(minutes=1)).isoformat(timespec="seconds"),
    }
    return run(*verdicts, nodes=4, **{**times, **changes})


class Played:
    """A fake cluster behind the real commands."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.bucket = FakeBucket()
        self.cluster = FakeCluster()
        self.clients: Any = self.cluster.clients
        self.clients.s3 = self.bucket
        cluster: Any = self.cluster
        self.session = ActionSession(
            cluster, Journals(self.clients, "bucket"), BucketStore(self.clients, "bucket")
        )
        self.folder = folder
        monkeypatch.setattr("bedplate.validation.deployed.read_manifest", lambda **_: self.cluster.manifest)
        monkeypatch.setattr("bedplate.validation.actions.session.new_session", lambda **_: self.session)

    def result(self, result: RunResult) -> str:
        """The path of a result file."""
        path = self.folder / "result.json"
        write_result(result, path)
        return str(path)

    def act(self, result: RunResult, *words: str) -> int:
        """``bedplate act`` upon a result."""
        return run_command(["act", "-e", str(DEMO), "--result", self.result(result), "-q", *words])


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Played]:
    """One cluster for one test."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    return Played(monkeypatch, tmp_path)


def test_without_do_nothing_is_changed_and_all_is_listed(played: Played, capsys: Any) -> None:
    """The listing names node, cause and check, says that nothing was changed, and writes no journal."""
    assert played.act(_fresh(fail(1, "efa-device-lost")), "--on-failure", "drain") == ExitCode.OK
    said = capsys.readouterr().out
    assert f"Drain h200-1 ({node(1)}), pool h200: planned, not done" in said
    assert "EFA-001" in said
    assert "Nothing was changed" in said
    assert not played.cluster.changes
    assert not played.bucket.objects


def test_the_files_own_policy_counts_where_none_is_given(played: Played, capsys: Any) -> None:
    """The demo's environment reports only."""
    assert played.act(_fresh(fail(1, "efa-device-lost")), "--do") == ExitCode.OK
    assert "[report-only]" in capsys.readouterr().out
    assert not played.cluster.changes


def test_do_drains_tells_how_to_undo_and_undo_does(played: Played, capsys: Any) -> None:
    """The id that is printed is the one that undo takes; without an id it takes the newest."""
    result = _fresh(fail(1, "efa-device-lost"))
    assert played.act(result, "--on-failure", "drain", "--do") == ExitCode.OK
    said = capsys.readouterr().out
    plan_id = said.rsplit(" ", 1)[-1].strip()
    assert f"bedplate undo -e {DEMO} {plan_id}" in said
    assert "DRAIN" in played.cluster.states["10.0.0.2"].flags
    assert run_command(["undo", "-e", str(DEMO), "--dry-run"]) == ExitCode.OK
    assert "lift the drain" in capsys.readouterr().out
    assert "DRAIN" in played.cluster.states["10.0.0.2"].flags
    assert run_command(["undo", "-e", str(DEMO), plan_id]) == ExitCode.OK
    assert "DRAIN" not in played.cluster.states["10.0.0.2"].flags
    assert run_command(["undo", "-e", str(DEMO)]) == ExitCode.FAILED
    assert run_command(["undo", "-e", str(DEMO), "--list"]) == ExitCode.OK
    assert f"{plan_id} (undone " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["demo.yaml", "my demo.yaml"])
def test_what_takes_it_back_is_proposed_for_the_file_that_was_typed(
    played: Played, capsys: Any, tmp_path: Path, name: str
) -> None:
    """By the name in the file no other command would find it; the proposal can be pasted into a shell."""
    file = tmp_path / name
    file.write_bytes(DEMO.read_bytes())
    result = played.result(_fresh(fail(1, "efa-device-lost")))
    words = ["act", "-e", str(file), "--result", result, "-q", "--on-failure", "drain", "--do"]
    assert run_command(words) == ExitCode.OK
    proposed = shlex.split(capsys.readouterr().out.rpartition("To take it back: ")[2])
    assert proposed[:4] == ["bedplate", "undo", "-e", str(file)]
    assert run_command(proposed[1:]) == ExitCode.OK
    assert "DRAIN" not in played.cluster.states["10.0.0.2"].flags


def test_the_listing_counts_by_what_became_of_each(played: Played, capsys: Any) -> None:
    """Planned first, then done; nothing to do where all is left alone."""
    result = _fresh(fail(1, "efa-device-lost"), fail(2, None))
    drain = ("--on-failure", "drain")
    for words, counts in (
        (drain, "1 planned, 1 left alone"),
        ((*drain, "--do"), "1 done, 1 left alone"),
        (("--on-failure", "report", "--do"), "nothing to do, 2 left alone"),
    ):
        assert played.act(result, *words) == ExitCode.OK
        assert capsys.readouterr().out.splitlines()[1].endswith(f": {counts}")


def test_json_is_one_object_and_nothing_else(played: Played, capsys: Any) -> None:
    """A program can read the plan, before and after."""
    result = _fresh(fail(1, "efa-device-lost"))
    for words, state in (((), "planned"), (("--do",), "done")):
        assert played.act(result, "--on-failure", "drain", "--json", *words) == ExitCode.OK
        assert json.loads(capsys.readouterr().out)["actions"][0]["state"] == state


def test_what_could_not_be_done_ends_with_4(played: Played, capsys: Any) -> None:
    """A drain that Slurm refuses is no success, and nor is an undo that does not lift."""
    played.cluster.refuses["h200-1"] = "it is another instance now"
    assert (
        played.act(_fresh(fail(1, "efa-device-lost")), "--on-failure", "drain", "--do")
        == ExitCode.CHECKS_FAILED
    )
    assert "another instance" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "error_id"),
    [
        ({"complete": False}, "ACT-001"),
        ({"environment": "prod"}, "ACT-001"),
        ({"simulated": False}, "ACT-001"),
        ({"finished_at": "2020-01-01T00:00:00+00:00"}, "ACT-002"),
    ],
)
def test_a_result_that_must_not_be_acted_upon_is_refused_with_its_id(
    played: Played, capsys: Any, changes: dict[str, Any], error_id: str
) -> None:
    """Exit code 1, the id, the remedy, no traceback, no change."""
    code = played.act(_fresh(fail(1, "efa-device-lost"), **changes), "--on-failure", "drain", "--do")
    said = capsys.readouterr().err
    assert code == ExitCode.FAILED
    assert error_id in said
    assert "to mend" in said
    assert "Traceback" not in said
    assert not played.cluster.changes


def test_no_action_begins_while_a_validation_runs(played: Played, capsys: Any) -> None:
    """The hold of a run is respected, and what is known of the run is as before after an action."""
    store = BucketStore(played.clients, "bucket")
    lock = take_hold(store=store, new_run_id=lambda: "run-1", fingerprint="x", resume=Resume.FRESH)
    result = _fresh(fail(1, "efa-device-lost"))
    assert played.act(result, "--on-failure", "drain", "--do") == ExitCode.CHECKS_FAILED
    assert "RUN-001" in capsys.readouterr().err
    assert not played.cluster.changes
    lock.release(complete=True)
    assert played.act(result, "--on-failure", "drain", "--do") == ExitCode.OK
    assert json.loads(played.bucket.objects[LOCK_KEY])["held"] is False


@pytest.mark.parametrize("undone", [False, True])
def test_act_and_undo_leave_a_cut_off_run_to_be_taken_up(played: Played, undone: bool) -> None:
    """`validate --resume` after them goes on with the run that was cut off before."""
    store = BucketStore(played.clients, "bucket")
    cut_off = take_hold(store=store, new_run_id=lambda: "run-1", fingerprint="x", resume=Resume.FRESH)
    cut_off.release(complete=False)
    kept = played.bucket.objects[LOCK_KEY]
    assert played.act(_fresh(fail(1, "efa-device-lost")), "--on-failure", "drain", "--do") == ExitCode.OK
    if undone:
        assert run_command(["undo", "-e", str(DEMO)]) == ExitCode.OK
    assert played.bucket.objects[LOCK_KEY] == kept
    lock = take_hold(store=store, new_run_id=lambda: "run-2", fingerprint="x", resume=Resume.REQUIRED)
    assert (lock.claim.run_id, lock.resumed) == ("run-1", True)


def _after(played: Played, result: RunResult, *, mode: str = "drain", carry_out: bool = True) -> RunResult:
    return act_after_run(
        clients=played.clients,
        manifest=played.cluster.manifest,
        run_id="run-1",
        result=result,
        policy=ActionPolicy(mode),  # type: ignore[arg-type]
        carry_out=carry_out,
        session=played.session,
    )


@pytest.mark.parametrize(("carry_out", "state"), [(False, "planned"), (True, "done")])
def test_after_a_run_the_plan_is_in_the_result_that_is_kept(
    played: Played, carry_out: bool, state: str
) -> None:
    """Planned without --act, done with it; the bucket holds the result with its actions."""
    told = _after(played, _fresh(fail(1, "efa-device-lost"), fail(2, None)), carry_out=carry_out)
    assert [(one.node, one.state) for one in told.actions] == [(node(1), state)]
    assert [one.rule for one in told.left_alone] == ["no-cause"]
    assert told.action_plan.startswith("act-")
    kept = parse_result(played.bucket.objects["runs/run-1/result.json"], where="bucket")
    assert kept == told
    assert not kept.passed()


@pytest.mark.parametrize(
    ("result", "mode"),
    [
        (_fresh(), "drain"),
        (_fresh(fail(1, "efa-device-lost")), "report"),
        (_fresh(fail(1, "efa-device-lost"), complete=False), "drain"),
    ],
)
def test_nothing_follows_a_run_without_faults_a_report_or_a_run_that_was_cut_off(
    played: Played, result: RunResult, mode: str
) -> None:
    """The result is as it was, and nobody is asked anything."""
    assert _after(played, result, mode=mode) is result
    assert not played.bucket.objects


def test_a_scheduler_that_is_away_is_a_note_and_the_verdict_stands(played: Played, monkeypatch: Any) -> None:
    """What could not be planned is told on the page; the run is no pass for it, and no error."""

    def silent() -> None:
        raise BedplateError("the scheduler cannot be asked", error_id="ACT-003")

    monkeypatch.setattr(played.cluster, "live", silent)
    told = _after(played, _fresh(fail(1, "efa-device-lost")))
    assert "ACT-003" in told.notes[-1]
    assert not told.actions
    assert not told.passed()
    assert not played.cluster.changes

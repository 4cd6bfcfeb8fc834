"""The runner in the account: one run at a time, each deploy covered, everything told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bedplate.errors import AwsRefused, BedplateError, ChecksFailed
from bedplate.manifest import ObservabilityManifest
from bedplate.validation.progress import NullProgress
from bedplate.validation.run_lock import ACTIONS, LOCK_KEY, Claim, Resume
from bedplate.validation.runner import run as runner
from bedplate.validation.runner.run import Order, run_in_account
from bedplate.validation.stores.folder import FolderStore
from tests.validation.reports.sample_run import faulty_run, healthy_run
from tests.validation.steps.small_cluster import manifest

TOPIC = "arn:aws:sns:us-west-2:123456789012:alarms"


def _no_credentials() -> None:
    """What signs nothing: no test writes to a workspace of AMP."""
    raise AwsRefused("no credentials", error_id="AWS-002")


class Account:
    """What the runner reaches: a folder for the bucket, a topic, metrics, and a validation."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = FolderStore(folder)
        self.folder = folder
        self.result: Any = healthy_run()
        self.begun: list[dict[str, Any]] = []
        self.busy_for = 0
        self.published: list[dict[str, str]] = []
        self.metrics: list[dict[str, Any]] = []
        self.slept = 0.0
        self.sns: Any = SimpleNamespace(publish=lambda **message: self.published.append(message))
        self.cloudwatch: Any = SimpleNamespace(put_metric_data=lambda **data: self.metrics.append(data))
        self.simulated = True
        self.credentials: Any = _no_credentials
        deployed = manifest().model_copy(
            update={
                "observability": ObservabilityManifest(
                    amp_workspace_id="ws-1", amp_endpoint="https://amp", alarm_topic_arn=TOPIC
                )
            }
        )
        monkeypatch.setattr(runner, "read_manifest", lambda **_: deployed)
        monkeypatch.setattr(runner, "BucketStore", lambda *_: _Named(self.store))
        monkeypatch.setattr(runner, "new_validation", self.new_validation)
        monkeypatch.setattr(runner, "act_after_run", lambda **given: given["result"])

    def new_validation(self, **given: Any) -> Any:
        """The validation, or a refusal while another run is under way."""
        self.begun.append(given)
        if self.busy_for > 0:
            self.busy_for -= 1
            raise ChecksFailed("another run is under way", error_id="RUN-001")
        return SimpleNamespace(run_id="run-1", run=self._run)

    def _run(self) -> Any:
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept += seconds

    def run(self, started_by: str = "hand", stacks: tuple[str, ...] = ()) -> Any:
        """Start the runner."""
        return run_in_account(
            clients=self,  # type: ignore[arg-type]
            order=Order("demo", stacks, started_by),
            progress=NullProgress(),
            sleep=self.sleep,
            clock=lambda: self.slept,
        )


class _Named:
    """The folder, with the bucket's name."""

    def __init__(self, store: FolderStore) -> None:
        self.bucket = "results"
        self.read, self.write = store.read, store.write


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Account:
    """An account over fakes."""
    return Account(tmp_path, monkeypatch)


def test_a_pass_leaves_reports_and_metrics_and_tells_nobody(account: Account) -> None:
    """Page and JUnit file lie beside the result; the topic is silent."""
    assert account.run("schedule") is account.result
    assert {path.name for path in (account.folder / "runs" / "run-1").iterdir()} == {
        "report.html",
        "junit.xml",
    }
    (metrics,) = account.metrics
    assert metrics["Namespace"] == "Bedplate/Validation"
    assert {one["MetricName"]: one["Value"] for one in metrics["MetricData"]}["Passed"] == 1
    assert account.published == []
    assert account.begun[0]["notes"] == ["Started by the runner in the account, on its schedule."]


def test_anything_but_a_pass_is_told_to_the_topic(account: Account) -> None:
    """With what is at fault, and where the page lies."""
    account.result = faulty_run()
    account.run()
    (message,) = account.published
    assert message["TopicArn"] == TOPIC
    assert "NOT PASSED" in message["Subject"]
    assert "s3://results/runs/run-1/" in message["Message"]


@pytest.mark.parametrize("error", [AwsRefused("gone", error_id="AWS-001"), KeyboardInterrupt()])
def test_a_run_that_could_not_be_made_is_told_and_raised(account: Account, error: BaseException) -> None:
    """AWS that goes away, a build that is stopped: the topic hears of it, and nothing counts as done."""
    account.result = error
    with pytest.raises(type(error)):
        account.run()
    (message,) = account.published
    assert "NOT VALIDATED" in message["Subject"]
    assert account.metrics == []


@pytest.mark.parametrize("part", ["sns", "cloudwatch"])
def test_one_way_of_telling_that_fails_does_not_keep_back_the_others(account: Account, part: str) -> None:
    """The reports are kept, what can be told is told, and the failure ends the run with its error."""
    account.result = faulty_run()

    def refuse(**_: Any) -> None:
        raise AwsRefused("no", error_id="AWS-003")

    setattr(account, part, SimpleNamespace(publish=refuse, put_metric_data=refuse))
    with pytest.raises(BedplateError, match="no"):
        account.run()
    assert (account.folder / "runs" / "run-1" / "report.html").exists()
    assert bool(account.metrics) is (part == "sns")
    assert bool(account.published) is (part == "cloudwatch")


def test_it_waits_for_the_run_that_is_under_way(account: Account) -> None:
    """Neither given up nor beside it: a deploy that ends meanwhile is validated afterwards."""
    account.busy_for = 3
    assert account.run("deploy") is account.result
    assert len(account.begun) == 4
    assert account.slept > 0


def test_a_turn_that_never_comes_is_given_up_and_told(account: Account) -> None:
    """After eight hours; the topic hears why."""
    account.busy_for = 10**6
    with pytest.raises(ChecksFailed, match="under way"):
        account.run()
    assert account.slept < 9 * 3600
    assert "RUN-001" in account.published[0]["Message"]


@pytest.mark.parametrize(
    ("later", "complete", "covered"),
    [
        (timedelta(hours=1), True, True),
        (timedelta(hours=1), False, False),
        (timedelta(hours=-1), True, False),
    ],
)
def test_a_deploy_of_several_stacks_is_validated_once(
    account: Account, later: timedelta, complete: bool, covered: bool
) -> None:
    """Of the runners that its stacks started, those find nothing to do that a later whole run has covered."""
    begun = (datetime.now(UTC) + later).isoformat()
    claim = Claim("run-0", "another pid 1", begun, "f", held=False, complete=complete)
    account.store.write(LOCK_KEY, claim.as_bytes())
    assert (account.run("deploy") is None) is covered
    assert bool(account.begun) is not covered
    assert account.published == []


def test_actions_on_nodes_cover_no_deploy(account: Account) -> None:
    """They prove nothing, however late they came."""
    begun = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    claim = Claim("act-1", "another pid 1", begun, ACTIONS, held=False, complete=True)
    account.store.write(LOCK_KEY, claim.as_bytes())
    assert account.run("deploy") is not None


@pytest.mark.parametrize(
    ("started_by", "resume"),
    [("deploy", Resume.FRESH), ("schedule", Resume.AUTO), ("hand", Resume.AUTO)],
)
def test_what_was_measured_before_a_deploy_is_not_taken_up_after_it(
    account: Account, started_by: str, resume: Resume
) -> None:
    """Nodes may have been launched anew; a run on schedule goes on with one that was cut off."""
    account.run(started_by)
    assert account.begun[0]["resume"] is resume


@pytest.mark.parametrize(("later_s", "covered"), [(300, False), (900, True)])
def test_a_run_that_began_while_the_deploy_went_on_covers_nothing(
    account: Account, monkeypatch: pytest.MonkeyPatch, later_s: float, covered: bool
) -> None:
    """The deploy takes ten minutes more: a run of its fifth minute has seen half of it, one after it all."""
    monkeypatch.setattr(runner, "wait_until_settled", lambda **_: account.sleep(600.0) or [])
    begun = (datetime.now(UTC) + timedelta(seconds=later_s)).isoformat()
    claim = Claim("run-0", "another pid 1", begun, "f", held=False, complete=True)
    account.store.write(LOCK_KEY, claim.as_bytes())
    assert (account.run("deploy", ("bedplate-demo-network",)) is None) is covered


def test_it_waits_for_the_deploy_first(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what that has to say of it stands on the page."""
    asked: list[Any] = []
    monkeypatch.setattr(
        runner, "wait_until_settled", lambda **given: asked.append(given["stacks"]) or ["Stack x failed."]
    )
    account.run("deploy", ("bedplate-demo-network",))
    assert asked == [("bedplate-demo-network",)]
    assert account.begun[0]["notes"][-1] == "Stack x failed."

"""A deploy that asks for it starts the runner, by the events that start it at AWS; and runs are taken up."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import SandboxRecord, client_environment
from tests.sandbox.deploy.conftest import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PATIENCE_S = 300.0


@dataclass(frozen=True)
class Deployed:
    """An environment of two nodes with a runner, deployed; ``file`` is its environment file."""

    record: SandboxRecord
    state_dir: Path
    file: Path

    def client(self, service: str) -> Any:
        """A client of the sandbox."""
        return boto3.client(
            service,
            endpoint_url=self.record.endpoint,
            region_name=self.record.region,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )

    @property
    def bucket(self) -> str:
        """The result bucket."""
        value = self.client("ssm").get_parameter(Name="/bedplate/auto/manifest")["Parameter"]["Value"]
        return str(value).removeprefix("s3://").split("/", 1)[0]

    def object(self, key: str) -> Any:
        """A JSON object of the result bucket; None where there is none."""
        s3 = self.client("s3")
        try:
            return json.loads(s3.get_object(Bucket=self.bucket, Key=key)["Body"].read())
        except s3.exceptions.NoSuchKey:
            return None

    def builds(self) -> list[dict[str, Any]]:
        """The runner's builds, the newest first."""
        codebuild = self.client("codebuild")
        (project,) = codebuild.list_projects()["projects"]
        ids = codebuild.list_builds_for_project(projectName=project)["ids"]
        return list(codebuild.batch_get_builds(ids=ids)["builds"]) if ids else []

    def validate(self, *options: str) -> subprocess.Popen[str]:
        """Start ``bedplate validate``."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
        return subprocess.Popen(
            [sys.executable, "-m", "bedplate.cli.main", "validate", "-e", str(self.file), *options],
            env={**kept, **client_environment(self.record)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    """The demonstration's environment with two nodes, quick checks and a runner."""
    folder = tmp_path_factory.mktemp("runner")
    text = (REPOSITORY / "environments" / "demo.yaml").read_text()
    for old, new in (
        ("name: demo\n", "name: auto\n"),
        ("nodes: 8\n", "nodes: 2\n"),
        ("dcgm_level: 2\n", "dcgm_level: 1\n  after_deploy: true\n"),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    file = folder / "auto.yaml"
    file.write_text(text)
    record = start_sandbox(state_dir=folder / "state", owned=True)
    try:
        cdk = Cdk(project=REPOSITORY, environment=client_environment(record), output=folder / "cdk.out")
        cdk.synth({"env": str(file)})
        cdk.bootstrap(account=record.account, region=record.region)
        cdk.deploy()
        yield Deployed(record, folder / "state", file)
    finally:
        stop_sandbox(record)


def _until(what: Callable[[], Any], *, seconds: float = PATIENCE_S) -> Any:
    """What comes true within the time; fails where it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError("it did not come true in time")


@pytest.fixture(scope="module")
def first_run(deployed: Deployed) -> dict[str, Any]:
    """The run that the deploy has started, when it has ended."""
    _until(lambda: deployed.builds() and all(build["buildComplete"] for build in deployed.builds()))
    current: dict[str, Any] = deployed.object("runs/current.json")
    assert current is not None, "".join(
        path.read_text() for path in (deployed.state_dir / "builds").glob("*.log")
    )
    return current


def test_the_deploy_starts_the_runner_and_leaves_its_result(
    deployed: Deployed, first_run: dict[str, Any]
) -> None:
    """Nobody called it: the last stack's completion did. Result, page and JUnit file lie in the bucket."""
    (build,) = deployed.builds()
    assert build["buildStatus"] == "SUCCEEDED"
    variables = {each["name"]: each["value"] for each in build["environment"]["environmentVariables"]}
    assert variables["BEDPLATE_STARTED_BY"] == "deploy"
    assert (first_run["held"], first_run["complete"]) == (False, True)
    result = deployed.object(f"runs/{first_run['run_id']}/result.json")
    assert (result["complete"], result["simulated"], len(result["nodes"])) == (True, True, 2)
    assert "Started by the runner in the account, after a deploy." in result["notes"]
    listed = deployed.client("s3").list_objects_v2(
        Bucket=deployed.bucket, Prefix=f"runs/{first_run['run_id']}/"
    )
    names = {item["Key"].rpartition("/")[2] for item in listed["Contents"]}
    assert {"result.json", "report.html", "junit.xml"} <= names


def test_its_metrics_are_there(deployed: Deployed, first_run: dict[str, Any]) -> None:
    """One figure of each name, for this environment."""
    assert first_run["complete"]
    found = deployed.client("cloudwatch").list_metrics(Namespace="Bedplate/Validation")["Metrics"]
    assert {one["MetricName"] for one in found} >= {"Passed", "Nodes", "Faults", "Duration"}
    assert {one["Dimensions"][0]["Value"] for one in found} == {"auto"}


def test_a_run_killed_half_way_is_taken_up_by_the_next(deployed: Deployed, first_run: dict[str, Any]) -> None:
    """SIGKILL while the nodes are under load: the next run collects their answers and repeats the rest."""
    before = first_run["run_id"]
    killed = deployed.validate("--quiet")

    def exercising() -> Any:
        current = deployed.object("runs/current.json")
        sent = deployed.object(f"runs/{current['run_id']}/sent.json") or []
        return current["run_id"] if current["run_id"] != before and len(sent) >= 2 else None

    run_id = _until(exercising)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    first = deployed.object(f"runs/{run_id}/sent.json")
    goes_on = deployed.validate("--resume", "--json", "--quiet")
    out, err = goes_on.communicate(timeout=PATIENCE_S)
    assert goes_on.returncode in (0, 4), err
    result = json.loads(out)
    assert result["complete"]
    assert any("goes on with one that was cut off" in note for note in result["notes"])
    current = deployed.object("runs/current.json")
    assert (current["run_id"], current["complete"]) == (run_id, True)
    sent = deployed.object(f"runs/{run_id}/sent.json")
    assert sent[: len(first)] == first
    questions = [each["question"] for each in sent]
    assert [questions.count(each["question"]) for each in first] == [1] * len(first), "asked twice"
    assert len(sent) > len(first)


def test_one_run_at_a_time(deployed: Deployed, first_run: dict[str, Any]) -> None:
    """While one runs, a second is refused by name; `--resume` finds nothing to take up afterwards."""
    assert first_run["complete"]
    running = deployed.validate("--quiet")
    _until(lambda: deployed.object("runs/current.json")["held"])
    second = deployed.validate("--quiet")
    _, err = second.communicate(timeout=60)
    assert second.returncode == 4
    assert re.search(r"error\[RUN-001\].* is under way", err)
    running.communicate(timeout=PATIENCE_S)
    third = deployed.validate("--resume", "--quiet")
    _, err = third.communicate(timeout=60)
    assert third.returncode == 1
    assert "came to its end" in err

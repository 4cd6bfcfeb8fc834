"""Deploy, break, validate, act, look into Slurm and EC2, take it back: by the commands that people type."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from bedplate.sandbox.cdk import Cdk
from bedplate.sandbox.process import start_sandbox, stop_sandbox
from bedplate.sandbox.state import SandboxRecord, client_environment

REPOSITORY = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

FAULTS = {"seed": "act", "faults": [{"cause": "efa-device-lost", "node_index": 1, "detail": {}}]}


@dataclass(frozen=True)
class Played:
    """A deployed and validated environment of four nodes, one of which lacks an EFA device."""

    file: Path
    record: SandboxRecord
    state_dir: Path
    variables: Mapping[str, str]
    result: Mapping[str, Any]

    def run(self, *words: str, rc: int | None = 0) -> str:
        """One command; its standard output. Without ``rc`` it is a validation that may pass or not."""
        done = subprocess.run(
            [sys.executable, "-m", "bedplate.cli.main", *words],
            cwd=REPOSITORY,
            env={**os.environ, **self.variables, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode in ((0, 4) if rc is None else (rc,)), done.stdout + done.stderr
        return done.stdout

    def plan(self, *words: str) -> dict[str, Any]:
        """What ``act`` or ``undo`` says as JSON."""
        found: dict[str, Any] = json.loads(self.run(*words, "-e", str(self.file), "--json"))
        return found

    def client(self, service: str) -> Any:
        """A boto3 client of the sandbox."""
        return boto3.client(
            service,
            endpoint_url=self.record.endpoint,
            region_name=self.record.region,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )

    def drains(self) -> dict[str, str]:
        """Name in Slurm → reason, as the stand-in keeps it."""
        return {path.name: path.read_text() for path in (self.state_dir / "fleet" / "slurm-drains").glob("*")}

    def running(self) -> set[str]:
        """Instances of the pool that run."""
        pages = self.client("ec2").describe_instances(
            Filters=[
                {"Name": "instance-state-name", "Values": ["running"]},
                {"Name": "instance-type", "Values": ["p5en.48xlarge"]},
            ]
        )
        return {row["InstanceId"] for each in pages["Reservations"] for row in each["Instances"]}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """The demo's environment with four nodes, deployed and validated once for all tests here."""
    folder = tmp_path_factory.mktemp("acted")
    file = folder / "acted.yaml"
    text = (REPOSITORY / "environments/demo.yaml").read_text().replace("nodes: 8", "nodes: 4")
    text = text.replace("name: demo", "name: acted", 1)
    file.write_text(f"{text.rstrip()}\n  on_failure: replace\n")
    (folder / "faults.json").write_text(json.dumps(FAULTS))
    state_dir = folder / "state"
    state_dir.mkdir()
    record = start_sandbox(
        state_dir=state_dir,
        faults=folder / "faults.json",
        account="123456789012",
        region="us-west-2",
        owned=True,
    )
    try:
        variables = client_environment(record)
        cdk = Cdk(
            project=REPOSITORY, environment=variables, output=folder / "cdk.out", on_line=lambda line: None
        )
        cdk.synth({"env": str(file)})
        cdk.bootstrap(account="123456789012", region="us-west-2")
        cdk.deploy()
        made = Played(file, record, state_dir, variables, {})
        made.run("validate", "-e", str(file), "--quiet", "--output", str(folder / "out"), rc=4)
        result = json.loads((folder / "out" / "result.json").read_text())
        yield Played(file, record, state_dir, variables, result)
    finally:
        stop_sandbox(record)


def test_1_validation_shows_what_would_be_done_and_changes_nothing(played: Played) -> None:
    """The page has the replacement as planned; Slurm and EC2 are as they were."""
    (action,) = played.result["actions"]
    assert (action["do"], action["cause"], action["state"]) == ("replace", "efa-device-lost", "planned")
    assert played.plan("act")["actions"][0]["state"] == "planned"
    assert played.drains() == {}
    assert len(played.running()) == 4


def test_2_a_drain_is_seen_in_slurm_and_taken_back(played: Played) -> None:
    """act --do drains the node at fault with our reason; undo lifts it, and there is nothing left to undo."""
    node = played.result["actions"][0]["node"]
    done = played.plan("act", "--on-failure", "drain", "--do")
    assert [(one["node"], one["state"]) for one in done["actions"]] == [(node, "done")]
    name = done["actions"][0]["slurm_name"]
    assert list(played.drains()) == [name]
    assert played.drains()[name].startswith(f"bedplate {done['id']}: efa-device-lost (EFA-001")
    again = played.plan("act", "--on-failure", "drain", "--do")
    assert [one["rule"] for one in again["left_alone"]] == ["acted-on-already"]
    undone = played.plan("undo")
    assert (undone["id"], undone["actions"][0]["state"]) == (done["id"], "undone")
    assert played.drains() == {}
    assert "ACT-004" in played.run("undo", "-e", str(played.file), "--json", rc=1)


def test_3_a_node_is_replaced_and_its_successor_is_well(played: Played) -> None:
    """The instance ends, PCS brings another into service, and the next run finds no fault."""
    before = played.running()
    node = played.result["actions"][0]["node"]
    done = played.plan("act", "--do", "--wait-minutes", "2")
    (action,) = done["actions"]
    assert (action["node"], action["state"]) == (node, "done")
    assert played.running() - before == {action["replaced_by"]}
    assert before - played.running() == {node}
    assert played.drains() == {}
    assert [one["rule"] for one in played.plan("act")["left_alone"]] == ["no-longer-there"]
    newest = json.loads(played.run("undo", "-e", str(played.file), "--list", "--json"))[0]
    assert newest["plan"]["id"] == done["id"]
    told = played.run(
        "support-bundle", node, "-e", str(played.file), "-o", str(played.file.parent / "c.tar.gz")
    )
    assert node in told
    out = played.file.parent / "again"
    played.run("validate", "-e", str(played.file), "-q", "-o", str(out), rc=None)
    result = json.loads((out / "result.json").read_text())
    assert {one["node"] for one in result["nodes"]} == played.running()
    assert [one["check_id"] for one in result["verdicts"] if one["outcome"] == "fail"] == []
    assert result["actions"] == []

"""The sandbox as a process: up, status, down, and what goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import boto3
import pytest

from bedplate.errors import BedplateError, ExitCode
from bedplate.sandbox.process import SandboxFailed, start_sandbox, stop_sandbox
from bedplate.sandbox.state import SandboxRecord, client_environment, is_alive, read_record


def _bedplate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bedplate.cli.main", "sandbox", *arguments],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def _exports(text: str) -> dict[str, str]:
    pairs = (line.removeprefix("export ").split("=", 1) for line in text.splitlines())
    return dict(pair for pair in pairs if len(pair) == 2)


def test_up_status_down(tmp_path: Path) -> None:
    """Up prints the variables of an endpoint that answers, status tells its stacks, down ends it."""
    state = ["--state", str(tmp_path)]
    up = _bedplate("up", *state)
    assert up.returncode == ExitCode.OK, up.stderr
    variables = _exports(up.stdout)
    assert variables["AWS_ENDPOINT_URL"].startswith("http://localhost:")
    record = read_record(tmp_path)
    assert record is not None
    try:
        identity = _client("sts", record).get_caller_identity()
        assert identity["Account"] == "123456789012"
        body = json.dumps({"Resources": {"B": {"Type": "AWS::S3::Bucket"}}})
        _client("cloudformation", record).create_stack(StackName="one", TemplateBody=body)
        status = json.loads(_bedplate("status", *state, "--json").stdout)
        assert status["stacks"] == [
            {"name": "one", "region": "us-west-2", "status": "CREATE_COMPLETE", "resources": 1}
        ]
        assert "one  CREATE_COMPLETE" in _bedplate("status", *state).stdout
        again = _bedplate("up", *state)
        assert again.returncode == ExitCode.FAILED
        assert "SBX-002" in again.stderr
        assert "Traceback" not in again.stderr
    finally:
        down = _bedplate("down", *state)
    assert down.returncode == ExitCode.OK, down.stderr
    assert not is_alive(record)
    assert read_record(tmp_path) is None
    assert _bedplate("status", *state).returncode == ExitCode.FAILED


def _client(service: str, record: SandboxRecord) -> Any:
    return boto3.client(
        service,
        endpoint_url=record.endpoint,
        region_name=record.region,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )


def test_sandbox_ends_with_its_owner(tmp_path: Path) -> None:
    """An owned sandbox does not outlive the process that started it."""
    code = (
        "import pathlib, sys; from bedplate.sandbox.process import start_sandbox;"
        "start_sandbox(state_dir=pathlib.Path(sys.argv[1]), owned=True);"
        "print((pathlib.Path(sys.argv[1]) / 'sandbox.json').read_text())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=90, check=True
    )
    record = SandboxRecord(**json.loads(done.stdout))
    for _ in range(100):
        if not is_alive(record):
            return
        subprocess.run(["sleep", "0.1"], check=True)
    pytest.fail("the sandbox still runs")


def test_broken_faults_file_is_told(tmp_path: Path) -> None:
    """A sandbox that cannot start says why, with the reason from its log."""
    faults = tmp_path / "faults.json"
    faults.write_text("{")
    with pytest.raises(SandboxFailed, match="is no JSON") as caught:
        start_sandbox(state_dir=tmp_path / "state", faults=faults)
    assert "FaultsRefused" not in caught.value.message


def test_stopping_what_is_gone_is_no_error(tmp_path: Path) -> None:
    """Stopping twice is well."""
    record = start_sandbox(state_dir=tmp_path, owned=True)
    stop_sandbox(record)
    stop_sandbox(record)
    assert not is_alive(record)


def test_record_of_a_recycled_process_is_not_alive() -> None:
    """A process of the same number that is no sandbox does not count."""
    assert not is_alive(SandboxRecord("http://localhost:1", 1, "123456789012", "us-west-2"))


def test_clients_look_nowhere_else() -> None:
    """The environment shuts out profiles, metadata and long retries."""
    variables = client_environment(SandboxRecord("http://localhost:1", 1, "123456789012", "us-west-2"))
    assert variables["AWS_CONFIG_FILE"] == variables["AWS_SHARED_CREDENTIALS_FILE"] == "/dev/null"
    assert variables["AWS_EC2_METADATA_DISABLED"] == "true"
    assert int(variables["AWS_MAX_ATTEMPTS"]) <= 3


def test_sandbox_plays_the_account_asked_for(tmp_path: Path) -> None:
    """The default credentials belong to the account that was asked for."""
    record = start_sandbox(state_dir=tmp_path, account="111122223333", region="us-east-1", owned=True)
    try:
        assert _client("sts", record).get_caller_identity()["Account"] == "111122223333"
        role = _client("iam", record).get_role(RoleName="AWSServiceRoleForPCS")["Role"]
        assert ":111122223333:" in role["Arn"]
    finally:
        stop_sandbox(record)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"a": 1}', '{"endpoint": 1, "pid": 2, "account": "", "region": ""}']
)
def test_a_record_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    """A broken or foreign sandbox.json ends in a clear error that says what to delete."""
    (tmp_path / "sandbox.json").write_text(text)
    with pytest.raises(BedplateError) as caught:
        read_record(tmp_path)
    assert caught.value.error_id == "SBX-001"
    assert str(tmp_path) in caught.value.remedy


def test_an_interrupted_start_leaves_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the server comes up ends the server too, since nobody would know of it."""
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(real(*arguments, **options))
        return started[0]

    def interrupted(_: Path) -> None:
        if started:
            raise KeyboardInterrupt

    monkeypatch.setattr("bedplate.sandbox.process.subprocess.Popen", popen)
    monkeypatch.setattr("bedplate.sandbox.process.read_record", interrupted)
    with pytest.raises(KeyboardInterrupt):
        start_sandbox(state_dir=tmp_path)
    assert started[0].poll() is not None

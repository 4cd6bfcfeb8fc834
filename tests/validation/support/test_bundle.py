"""What is in the archive, and what is not."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bedplate.cli.main import run as run_command
from bedplate.diagnosis import tools
from bedplate.diagnosis.verdict import Outcome, Subject, Verdict
from bedplate.errors import BedplateError
from bedplate.validation.reports.result_file import write_result
from bedplate.validation.result import RunResult
from bedplate.validation.support.bundle import archive, bundle_files, bundle_name
from bedplate.validation.support.machine import gpu_boards, xids_on_record
from bedplate.validation.support.sources import newest_run_with, run_of_file
from tests.diagnosis.answers import probe_answer
from tests.validation.actions.acting import fail, node, run
from tests.validation.actions.fake_bucket import FakeBucket
from tests.validation.preflight.fake_aws import DEMO

SECRET = "Zq7hT2mXw9RkP4vB"
EC2 = {"LaunchTime": "2026-02-01T00:00:00+00:00", "AvailabilityZone": "us-west-2a"}


def _saved(folder: Path, result: RunResult, files: dict[str, bytes]) -> Path:
    path = folder / "result.json"
    write_result(result, path)
    for name, body in files.items():
        target = folder / "evidence" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
    return path


def _probe(**changes: Any) -> bytes:
    return json.dumps({**probe_answer(), **changes}).encode()


def _files(folder: Path, result: RunResult, files: dict[str, bytes], name: str = "") -> dict[str, bytes]:
    path = _saved(folder, result, files)
    return bundle_files(run_of_file(path=path, result=result, name=name or node(1)), about=EC2)


def test_the_archive_holds_the_node_and_nobody_else(tmp_path: Path) -> None:
    """Its own evidence, and what verdicts about it or its links name; no other node's files or verdicts."""
    link = Verdict(
        "FAB-002", Subject("link", (node(1), node(2))), Outcome.FAIL, "slow", evidence=("rounds/1.log",)
    )
    result = run(fail(1, "efa-device-lost"), fail(2, "gpu-lost", check="GPU-001"), link, nodes=4)
    files = _files(
        tmp_path,
        result,
        {
            f"nodes/{node(1)}/probe.json": _probe(),
            f"nodes/{node(2)}/probe.json": _probe(),
            "rounds/1.log": b"slow\n",
            "rounds/2.log": b"other\n",
        },
    )
    assert {name for name in files if name.startswith("evidence/")} == {
        f"evidence/nodes/{node(1)}/probe.json",
        "evidence/rounds/1.log",
    }
    assert [row["check_id"] for row in json.loads(files["verdicts.json"])] == ["EFA-001", "FAB-002"]
    summary = files["summary.md"].decode()
    assert "EFA-001: An EFA device is missing" in summary
    assert "SIMULATED" in summary
    assert "GPU-001" not in summary


def test_serial_numbers_versions_and_xids_are_told(tmp_path: Path) -> None:
    """The boards with serial and UUID, each XID with NVIDIA's meaning, EC2's word on the instance."""
    answer = probe_answer()
    for entry in answer["tools"]:
        if tuple(entry["argv"]) == tools.KERNEL_LOG:
            entry["stdout"] += "2026-02-03T08:52:11+0000 ip kernel: NVRM: Xid (PCI:0000:97:00): 79, pid=1\n"
    files = _files(
        tmp_path,
        run(fail(1, "xid-79", check="GPU-004")),
        {f"nodes/{node(1)}/probe.json": json.dumps(answer).encode()},
    )
    machine = json.loads(files["machine.json"])
    assert machine["instance_id"] == node(1)
    assert machine["ec2"] == EC2
    assert len(machine["gpus"]) == 8
    assert all(board["uuid"] and board["vbios_version"] for board in machine["gpus"])
    assert [(row["code"], row["device"]) for row in machine["xids"]] == [(79, "0000:97:00")]
    assert machine["xids"][0]["meaning"]
    assert "xid 79 on 0000:97:00" in files["summary.md"].decode()


def test_secrets_are_in_none_of_its_files_and_are_counted(tmp_path: Path) -> None:
    """Evidence, verdicts and summary are searched; contents.json says how many of which kind."""
    verdict = Verdict(
        "EFA-001", Subject("node", (node(1),)), Outcome.FAIL, "seen", excerpt=f"HF_TOKEN={SECRET}"
    )
    files = _files(
        tmp_path,
        run(verdict, nodes=2),
        {
            f"nodes/{node(1)}/probe.json": _probe(files={"bootstrap": f"password: {SECRET}"}),
            f"nodes/{node(1)}/exercise.log": f"AWS_SECRET_ACCESS_KEY={SECRET}\n".encode(),
            f"nodes/{node(1)}/core": b"\x7fELF\x00" + SECRET.encode(),
        },
    )
    assert not [name for name, body in files.items() if SECRET.encode() in body]
    contents = json.loads(files["contents.json"])
    assert contents["secrets_left_out"]["value under a secret's name"] >= 3
    assert list(contents["files_left_out"]) == [f"nodes/{node(1)}/core"]


def test_evidence_that_is_gone_is_told_and_is_no_error(tmp_path: Path) -> None:
    """A verdict names a file that nobody kept: the archive says so."""
    verdict = Verdict(
        "EFA-001",
        Subject("node", (node(1),)),
        Outcome.FAIL,
        "seen",
        evidence=("rounds/9.log", "../../etc/passwd"),
    )
    files = _files(tmp_path, run(verdict, nodes=2), {})
    told = json.loads(files["contents.json"])["files_left_out"]
    assert set(told) == {"rounds/9.log", "../../etc/passwd"}
    assert json.loads(files["machine.json"])["xids"] is None
    assert "no whole kernel log" in files["summary.md"].decode()


def test_a_link_in_the_evidence_leads_nowhere(tmp_path: Path) -> None:
    """A file that a link points to outside the folder is not packed."""
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = tmp_path / "run" / "evidence" / "nodes" / node(1)
    folder.mkdir(parents=True)
    (folder / "probe.json").symlink_to(outside)
    files = _files(tmp_path / "run", run(fail(1, "efa-device-lost")), {})
    assert not any(name.startswith("evidence/") for name in files)


@pytest.mark.parametrize("name", [node(1), "h200-1"])
def test_a_node_is_found_by_instance_id_and_by_host_name(tmp_path: Path, name: str) -> None:
    """Either names it."""
    files = _files(tmp_path, run(fail(1, "efa-device-lost")), {}, name)
    assert json.loads(files["machine.json"])["instance_id"] == node(1)


def test_a_node_that_the_run_does_not_have_is_refused(tmp_path: Path) -> None:
    """No archive about nothing."""
    path = _saved(tmp_path, run(), {})
    with pytest.raises(BedplateError) as caught:
        run_of_file(path=path, result=run(), name="h200-99")
    assert caught.value.error_id == "ACT-006"


def test_the_same_files_give_the_same_archive(tmp_path: Path) -> None:
    """One folder, no times, no owners: two archives of one run can be compared by their sums."""
    result = run(fail(1, "efa-device-lost"))
    files = _files(tmp_path, result, {f"nodes/{node(1)}/probe.json": _probe()})
    found = run_of_file(path=tmp_path / "result.json", result=result, name=node(1))
    name = bundle_name(found)
    packed = archive(files, name=name)
    assert packed == archive(dict(reversed(files.items())), name=name)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        assert all(entry.name.startswith(f"{name}/") and entry.isfile() for entry in tar.getmembers())
        assert len(tar.getmembers()) == len(files)


@pytest.mark.parametrize("probe", [{}, {"tools": []}, {"tools": "x"}, {"tools": [{"argv": ["nvidia-smi"]}]}])
def test_a_probe_that_tells_nothing_gives_no_boards_and_no_log(probe: dict[str, Any]) -> None:
    """Nothing is made up."""
    assert gpu_boards(probe) == []
    assert xids_on_record(probe) is None


def test_the_command_writes_the_archive_though_ec2_is_out_of_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The evidence is there; that EC2 could not be asked is in the summary, and is no reason to fail."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    path = _saved(tmp_path, run(fail(1, "efa-device-lost")), {f"nodes/{node(1)}/probe.json": _probe()})
    target = tmp_path / "case.tar.gz"
    words = ["support-bundle", node(1), "-e", str(DEMO), "--result", str(path), "-o", str(target), "--json"]
    assert run_command(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["archive"] == str(target)
    with tarfile.open(target) as tar:
        name = next(each for each in tar.getnames() if each.endswith("summary.md"))
        member = tar.extractfile(name)
        assert member is not None
        assert "EC2 could not be asked" in member.read().decode()


@pytest.mark.parametrize("name", ["../../../elsewhere", "/elsewhere", "..", "i-0/../../x"])
def test_no_name_in_a_result_file_leads_to_another_folder(tmp_path: Path, name: str) -> None:
    """Neither the archive's name nor what is in it leaves its folder, whatever a node is called."""
    strange = json.loads(run(fail(1, "efa-device-lost"), nodes=2).model_dump_json().replace(node(1), name))
    strange["verdicts"][0]["evidence"] = ["nodes/../rounds/1.log", "../secret", "rounds/1.log"]
    result = RunResult.model_validate_json(json.dumps(strange))
    (tmp_path / "run").mkdir()
    (tmp_path / "secret").write_text("not ours")
    path = _saved(tmp_path / "run", result, {"rounds/1.log": b"slow\n"})
    found = run_of_file(path=path, result=result, name=name)
    assert "/" not in bundle_name(found)
    files = bundle_files(found, about=EC2)
    assert [one for one in files if one.startswith("evidence/")] == ["evidence/rounds/1.log"]


def _bucket(**results: bytes) -> Any:
    """A client of a result bucket with these runs."""
    return SimpleNamespace(
        s3=FakeBucket({f"runs/{name}/result.json": body for name, body in results.items()})
    )


def test_a_newer_result_that_cannot_be_read_is_passed_over_and_named() -> None:
    """The archive is of the newest run that can be read, and says which ones it is not of."""
    whole = run(fail(1, "efa-device-lost")).model_dump_json().encode()
    clients = _bucket(run1=whole, run2=b'{"version": 99}', run3=b"{")
    found = newest_run_with(clients=clients, bucket="b", name=node(1))
    assert found.where == "s3://b/runs/run1/result.json"
    assert [why.partition(": ")[0] for why in found.passed_over] == [
        "s3://b/runs/run3/result.json",
        "s3://b/runs/run2/result.json",
    ]
    contents = json.loads(bundle_files(found, about=EC2)["contents.json"])
    assert contents["newer_runs_passed_over"] == list(found.passed_over)


def test_a_node_that_may_be_in_a_result_that_cannot_be_read_is_told_so() -> None:
    """Where no other run has the node, the error names what was passed over."""
    with pytest.raises(
        BedplateError, match=r"has a node i-1; passed over: s3://b/runs/run3/result.json"
    ) as caught:
        newest_run_with(clients=_bucket(run3=b"{"), bucket="b", name="i-1")
    assert caught.value.error_id == "ACT-006"


def test_the_command_warns_of_what_it_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, by the result's address; the archive is written."""
    whole = run(fail(1, "efa-device-lost")).model_dump_json().encode()
    clients = _bucket(run1=whole, run2=b"{")
    wanted = SimpleNamespace(validation=SimpleNamespace(result_bucket="b"))
    monkeypatch.setattr("bedplate.validation.aws.AwsClients", lambda **_: clients)
    monkeypatch.setattr("bedplate.validation.deployed.read_manifest", lambda **_: wanted)
    monkeypatch.setattr("bedplate.validation.support.instance.about_instance", lambda **_: EC2)
    target = tmp_path / "case.tar.gz"
    assert run_command(["support-bundle", node(1), "-e", str(DEMO), "-o", str(target)]) == 0
    said = capsys.readouterr().err
    assert "warning: a newer run is passed over: s3://b/runs/run2/result.json: " in said
    assert target.is_file()

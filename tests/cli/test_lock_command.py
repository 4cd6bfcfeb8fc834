"""``bedplate lock``: what it prints, writes and exits with."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bedplate.lockfile import LockFile, lock_path
from bedplate.spec import Environment, load_environment
from tests.support.locks import END, lock_for

Bedplate = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An environment with a block, in a folder of its own."""
    return Path(shutil.copy(ROOT / "tests/lifecycle/locked.yaml", tmp_path / "locked.yaml"))


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch, file: Path) -> Callable[[LockFile], None]:
    """Let AWS answer with a lock file's content; at first with one that fits."""
    import bedplate.validation.capacity_facts as facts

    answer = [lock_for(load_environment(file))]

    def ask(environment: Environment, clients: object, **_: object) -> LockFile:
        return answer[0]

    monkeypatch.setattr(facts, "ask_for_lock", ask)

    def say(lock: LockFile) -> None:
        answer[0] = lock

    say(answer[0])
    return say


def _extended(file: Path) -> LockFile:
    lock = lock_for(load_environment(file))
    name = "cr-0123456789abcdef2"
    later = lock.reservations[name].model_copy(update={"end": END.replace(day=22)})
    return lock.model_copy(update={"reservations": {**lock.reservations, name: later}})


def test_the_first_lock_is_written(file: Path, bedplate: Bedplate, says: Callable[..., None]) -> None:
    """The file lies beside the environment, and every place is listed for the review."""
    done = bedplate("lock", "-e", str(file))
    assert done.returncode == 0, done.stderr
    assert lock_path(file).is_file()
    assert "2026-07-15T11:30:00Z" in done.stdout
    assert done.stdout.splitlines()[-1] == "Review it and commit it."


def test_check_writes_nothing(file: Path, bedplate: Bedplate, says: Callable[..., None]) -> None:
    """With --check a missing or differing file is exit code 4 and stays as it is; an equal one is 0."""
    assert bedplate("lock", "-e", str(file), "--check").returncode == 4
    assert not lock_path(file).exists()
    assert bedplate("lock", "-e", str(file)).returncode == 0
    before = lock_path(file).read_bytes()
    done = bedplate("lock", "-e", str(file), "--check")
    assert done.returncode == 0
    assert "as AWS says" in done.stdout
    says(_extended(file))
    done = bedplate("lock", "-e", str(file), "--check")
    assert done.returncode == 4
    assert "2026-07-15T11:30:00Z → 2026-07-22T11:30:00Z" in done.stdout
    assert lock_path(file).read_bytes() == before


def test_json_holds_changes_and_lock(file: Path, bedplate: Bedplate, says: Callable[..., None]) -> None:
    """Machines get each change with its place, and what AWS says as a whole."""
    bedplate("lock", "-e", str(file))
    says(_extended(file))
    done = bedplate("lock", "-e", str(file), "--json")
    told = json.loads(done.stdout)
    assert [change["after"] for change in told["changes"]] == ["2026-07-22T11:30:00Z"]
    assert LockFile.model_validate(told["lock"]) == _extended(file)


def test_a_block_that_has_ended_is_warned_of(
    file: Path, bedplate: Bedplate, says: Callable[..., None]
) -> None:
    """The warning goes to standard error, so that JSON stays JSON; a block that lasts is not named."""
    lock = lock_for(load_environment(file))
    name = "cr-0123456789abcdef2"
    times = {"start": datetime(2020, 1, 1, tzinfo=UTC), "end": datetime(2020, 1, 8, tzinfo=UTC)}
    row = lock.reservations[name].model_copy(update=times)
    says(lock.model_copy(update={"reservations": {**lock.reservations, name: row}}))
    done = bedplate("lock", "-e", str(file), "--json")
    assert done.stderr.startswith(f"warning: {name} has ended")
    assert json.loads(done.stdout)["file"]
    later = {"start": datetime(2098, 12, 25, tzinfo=UTC), "end": datetime(2099, 1, 1, tzinfo=UTC)}
    row = row.model_copy(update=later)
    says(lock.model_copy(update={"reservations": {**lock.reservations, name: row}}))
    assert bedplate("lock", "-e", str(file)).stderr == ""


def test_what_is_simulated_says_so(file: Path, bedplate: Bedplate, says: Callable[..., None]) -> None:
    """The first line says that the answer does not come from AWS."""
    says(lock_for(load_environment(file)).model_copy(update={"simulated": True}))
    assert bedplate("lock", "-e", str(file)).stdout.startswith("SIMULATED")


def test_a_kubernetes_cluster_has_its_components_listed(
    bedplate: Bedplate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each with its version and origin, or that EKS chooses; the same in JSON. Slurm has none."""
    import bedplate.validation.capacity_facts as facts

    file = Path(shutil.copy(ROOT / "environments/eks.yaml", tmp_path / "eks.yaml"))
    monkeypatch.setattr(facts, "ask_for_lock", lambda environment, *_, **__: lock_for(environment))
    lines = bedplate("lock", "-e", str(file)).stdout.splitlines()
    (kueue,) = [line for line in lines if line.startswith("  kueue ")]
    assert kueue.endswith("0.19.2  oci://registry.k8s.io/kueue/charts/kueue")
    (network,) = [line for line in lines if line.startswith("  vpc-cni ")]
    assert network.endswith("the version that EKS recommends")
    rows = json.loads(bedplate("lock", "-e", str(file), "--json").stdout)["components"]
    assert {row["name"]: row["version"] for row in rows}["kueue"] == "0.19.2"
    assert not [row for row in rows if row["name"] == "mpi-operator"]

"""The stages that try EFA's loopback and GDRCopy: what they run, how they end it, and what they leave."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bedplate.diagnosis.host_tools import LOOPBACK_BYTES
from bedplate.diagnosis.loopback import read_loopbacks
from bedplate.node.stages import efa_loopback, gdrcopy
from bedplate.node.stages.settings import ExerciseSettings
from tests.diagnosis import host_texts, texts

NAMES = texts.efa_names(2)
SETTINGS = ExerciseSettings(stages=("gdrcopy", "efa_loopback"), efa_count=2, tool_deadline_seconds=8.0)
# A pair meets by a file named after its port: the client without a server is refused, as over TCP.
PAIR = """\
printf '%s|%s|%s\\n' "$FI_EFA_ENABLE_SHM_TRANSFER" "$FI_EFA_IFACE" "$*" >>"$BEDPLATE_ROOT/calls"
domain=$8
counter=$BEDPLATE_ROOT/sys/class/infiniband/${domain%-rdm}/ports/1/hw_counters/tx_bytes
case $* in
*127.0.0.1)
    port=${14}
    [ -e "$BEDPLATE_ROOT/run.$port" ] || { echo 'failed to connect: Connection refused' >&2; exit 111; }
    BROKEN
    echo 3355443200 >"$counter" ;;
*)
    sleep 0.3
    touch "$BEDPLATE_ROOT/run.${14}"
    SERVER ;;
esac
"""


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A node's tree with two EFA devices, whose PATH has libfabric's tools."""
    for name in NAMES:
        folder = tmp_path / "sys/class/infiniband" / name / "ports/1/hw_counters"
        folder.mkdir(parents=True)
        for counter in ("tx_bytes", "retrans_timeout_events"):
            (folder / counter).write_text("0\n")
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("BEDPLATE_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    program(tmp_path, "fi_info", f"cat <<'END'\n{texts.fabric_list(NAMES)}END\n")
    return tmp_path


def program(node: Path, name: str, body: str) -> None:
    """Put a program on the node's PATH."""
    path = node / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}")
    path.chmod(0o755)


def pair(node: Path, *, broken: str = "", server: str = "sleep 0.5") -> None:
    """Put a fi_pingpong on the PATH; ``broken`` is what the client does before it is through."""
    said = f"cat <<'END'\n{host_texts.pingpong()}END\n"
    program(node, "fi_pingpong", PAIR.replace("BROKEN", broken or ":").replace("SERVER", server) + said)


def test_each_device_sends_to_itself_with_its_own_counters_around_it(node: Path) -> None:
    """A client that comes before its server is ready tries again, and shared memory is off on both ends."""
    pair(node)
    told = efa_loopback.run(SETTINGS)
    report = read_loopbacks({"stages": {"efa_loopback": told}})
    assert [loop.device for loop in report.loops] == NAMES
    assert all(loop.proven for loop in report.loops)
    assert {loop.rise.carried_bytes for loop in report.loops if loop.rise} == {2 * 100 * LOOPBACK_BYTES}
    calls = [line.split("|") for line in (node / "calls").read_text().splitlines()]
    assert {call[0] for call in calls} == {"0"}
    assert all(f"-f efa -d {call[1]}-rdm" in call[2] for call in calls)
    assert {call[1] for call in calls} == set(NAMES)


def test_a_server_without_its_client_is_not_waited_for(node: Path) -> None:
    """It would wait for its whole deadline, on every device that is at fault."""
    pair(node, broken="echo 'fi_eq_sread: Resource temporarily unavailable' >&2; exit 11", server="sleep 60")
    begun = time.monotonic()
    report = read_loopbacks({"stages": {"efa_loopback": efa_loopback.run(SETTINGS)}})
    assert time.monotonic() - begun < SETTINGS.tool_deadline_seconds
    assert [loop.refused for loop in report.loops] == [True, True]
    assert not any(loop.proven for loop in report.loops)


def test_without_the_program_nothing_is_refused_and_nothing_proven(node: Path) -> None:
    """An image without libfabric's tools is no fault of a device."""
    report = read_loopbacks({"stages": {"efa_loopback": efa_loopback.run(SETTINGS)}})
    assert [loop.refused for loop in report.loops] == [False, False]
    assert all("fi_pingpong" in loop.problem for loop in report.loops)


def test_without_a_list_of_devices_there_is_no_loop(node: Path) -> None:
    """What libfabric did not list cannot be tried, and the list is kept to say why."""
    program(node, "fi_info", "echo 'fi_getinfo: -61 (No data available)' >&2; exit 61\n")
    told = efa_loopback.run(SETTINGS)
    assert told["loops"] == []
    assert "61" in read_loopbacks({"stages": {"efa_loopback": told}}).problem


def test_devices_that_come_after_the_budget_are_left_out(node: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their check counts what was tested, and is an error."""
    pair(node)
    monkeypatch.setattr(efa_loopback, "BUDGET_SECONDS", -1.0)
    assert efa_loopback.run(SETTINGS)["loops"] == []


def test_no_stage_takes_longer_than_it_says() -> None:
    """The budget bounds how many devices begin; each program has its own deadline."""
    real = ExerciseSettings(efa_count=32)
    assert efa_loopback.deadline_seconds(real) == 300.0 + 3 * 30.0
    assert gdrcopy.deadline_seconds(real) == 240.0


@pytest.mark.parametrize(("version", "told"), [("2.5\n", "2.5"), (None, "")])
def test_a_loaded_module_is_told_with_its_version(node: Path, version: str | None, told: str) -> None:
    """A module that does not tell its version is loaded all the same."""
    folder = node / "sys/module/gdrdrv"
    folder.mkdir(parents=True)
    if version:
        (folder / "version").write_text(version)
    assert gdrcopy.run(SETTINGS)["module"] == told


def test_a_module_that_is_not_loaded_is_none(node: Path) -> None:
    """And both programs are run, unjudged."""
    answer = gdrcopy.run(SETTINGS)
    assert answer["module"] is None
    assert [run["tool"] for run in answer["tools"]] == ["gdrcopy_sanity", "gdrcopy_copybw"]

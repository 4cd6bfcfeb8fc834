"""The simulated loopback by sh and by function: the same words, counts and refusals."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.diagnosis.host_tools import (
    LOOPBACK_BYTES,
    LOOPBACK_ITERATIONS,
    loopback_argv,
    loopback_client_argv,
)
from bedplate.diagnosis.parsers.fi_pingpong import parse_fi_pingpong
from bedplate.node.infiniband import hw_counters
from bedplate.sandbox.fleet.devices import efa_name
from bedplate.sandbox.fleet.effects import Effects
from bedplate.sandbox.fleet.hardware_facts import read_hardware
from bedplate.sandbox.fleet.host_programs import write_host_programs
from bedplate.sandbox.fleet.layout import lay_out, node_environment
from bedplate.sandbox.fleet.tools import fi_pingpong
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

HARDWARE = read_hardware("p5en.48xlarge", role="compute")
WELL, SLOW, DEAD, COUNTING = range(4)
EFFECTS = Effects(faulty_efas=((SLOW, 0.4), (DEAD, 0.0)), efa_errors=((COUNTING, 9),))


@pytest.fixture
def truth(tmp_path: Path) -> NodeTruth:
    """A node with a slow device, a dead one and one that counts errors."""
    node = NodeTruth(
        instance_id="i-00000000000000001",
        hostname="ip-10-0-1-5",
        private_ip="10.0.1.5",
        slurm_name="gpu-1",
        role="compute",
        instance_type="p5en.48xlarge",
        partitions=("gpu",),
        boot_id="boot",
        booted_at="2026-01-01T00:00:00+00:00",
        seed="test",
        hardware=HARDWARE,
        folder=tmp_path / "i-00000000000000001",
    )
    node = replace(node, effects=EFFECTS)
    node.folder.mkdir()
    write_host_programs(tmp_path)
    lay_out(node)
    return node


def _argv(device: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    domain = f"{efa_name(HARDWARE, device)}-rdm"
    return (
        loopback_argv(fabric="efa", domain=domain, index=device),
        loopback_client_argv(fabric="efa", domain=domain, index=device),
    )


def _rises(truth: NodeTruth, device: int, before: dict[str, int]) -> dict[str, int]:
    after = _counters(truth, device)
    return {name: after[name] - value for name, value in before.items() if after[name] != value}


def _counters(truth: NodeTruth, device: int) -> dict[str, int]:
    return hw_counters(truth.root / "sys/class/infiniband" / efa_name(HARDWARE, device))


def _by_process(truth: NodeTruth, device: int) -> tuple[int, str, str]:
    environment = node_environment(truth, {})
    server, client = (
        subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for argv in ([str(truth.folder / "bin" / words[0]), *words[1:]] for words in _argv(device))
    )
    said, complained = client.communicate(timeout=20)
    if client.returncode == 0:
        assert server.communicate(timeout=20)[0] == said
    server.kill()
    server.wait(timeout=20)
    return client.returncode, said, complained


def _by_function(truth: NodeTruth, device: int, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    server, client = _argv(device)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(fi_pingpong.main, server[0], list(server[1:]), truth)
        try:
            code = fi_pingpong.main(client[0], list(client[1:]), truth)
        except ToolRefused as refusal:
            (truth.root / "run" / f"fi_pingpong.{server[-1]}.done").touch()
            waiting.result(timeout=20)
            capsys.readouterr()
            return refusal.rc, "", f"{refusal.text}\n"
        waiting.result(timeout=20)
    twice = capsys.readouterr().out
    half = twice[: len(twice) // 2]
    assert twice == half * 2
    return code, half, ""


@pytest.mark.parametrize("device", [WELL, SLOW, DEAD, COUNTING])
def test_a_pair_of_processes_and_a_pair_of_calls_say_and_count_the_same(
    truth: NodeTruth, device: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever plays it, both ends print one table, and the device counts what was sent."""
    before = _counters(truth, device)
    by_process = _by_process(truth, device)
    risen = _rises(truth, device, before)
    between = _counters(truth, device)
    assert _by_function(truth, device, capsys) == by_process
    assert _rises(truth, device, between) == risen
    if device == DEAD:
        assert (by_process[0], risen) == (11, {})
        return
    row = parse_fi_pingpong(by_process[1])[0]
    assert (row.size_bytes, row.sent) == (LOOPBACK_BYTES, LOOPBACK_ITERATIONS)
    assert risen["tx_bytes"] == 2 * LOOPBACK_BYTES * LOOPBACK_ITERATIONS
    assert risen.get("retrans_timeout_events", 0) == (9 if device == COUNTING else 0)
    assert (row.gb_per_s < 10) is (device == SLOW)

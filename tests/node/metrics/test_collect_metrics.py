"""``collect-metrics``: one file a collector, and none takes another with it."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bedplate.node.metrics import command
from bedplate.node.metrics.collector import Collector, Surroundings
from bedplate.node.metrics.exposition import Family, Sample, exposition, gauge
from bedplate.node.metrics.text_file import write_text_file
from tests.node.metrics.machine import SETTINGS, Machine


def collector(name: str, collect: Callable[[Surroundings], list[Family]]) -> Collector:
    """One that always applies."""
    return Collector(name, lambda _: True, collect)


def raises(_around: Surroundings) -> list[Family]:
    """As sysfs does where a device goes while it is read."""
    raise OSError("no such device")


def dies(_around: Surroundings) -> list[Family]:
    """Without a word, as a process that is killed for memory."""
    os._exit(9)


def hangs(_around: Surroundings) -> list[Family]:
    """Longer than anybody waits."""
    time.sleep(60)
    return []


GOOD = collector("good", lambda _: [gauge("bedplate_efas", 3)])


def run(machine: Machine, *collectors: Collector, deadline_seconds: float = 5.0) -> dict[str, str]:
    """File → text after a run."""
    folder = machine.root / "metrics"
    command.collect(
        machine.around(),
        collectors,
        folder=folder,
        locks=machine.root / "locks",
        deadline_seconds=deadline_seconds,
        now=lambda: 1000.0,
    )
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_collector_that_fails_says_so_and_the_others_go_on(machine: Machine) -> None:
    """Whether it raises, dies or hangs; its old file is gone, since it would be served as of now."""
    folder = machine.root / "metrics"
    for name in ("raises", "dies", "hangs"):
        write_text_file(folder, f"bedplate-{name}", "old 1\n")
    bad = [collector("raises", raises), collector("dies", dies), collector("hangs", hangs)]
    files = run(machine, *bad, GOOD, deadline_seconds=1.0)
    assert sorted(files) == ["bedplate-collectors.prom", "bedplate-good.prom"]
    assert files["bedplate-good.prom"] == "# TYPE bedplate_efas gauge\nbedplate_efas 3\n"
    summary = files["bedplate-collectors.prom"]
    for name, success in (("raises", 0), ("dies", 0), ("hangs", 0), ("good", 1)):
        assert f'bedplate_collector_success{{collector="{name}"}} {success}\n' in summary
    assert summary.count("bedplate_collector_timestamp_seconds{") == 1


def test_one_that_hangs_in_the_kernel_is_not_started_again(machine: Machine) -> None:
    """Its process holds a lock as long as it is there, whatever became of who started it."""
    lock = machine.root / "locks/stuck"
    lock.parent.mkdir(parents=True)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        from bedplate.node.file_lock import take_lock

        held = take_lock(lock)
        os.write(writer, b"x" if held else b"-")
        time.sleep(60)
        os._exit(0)
    try:
        assert os.read(reader, 1) == b"x"
        files = run(machine, collector("stuck", lambda _: []), GOOD)
        assert 'bedplate_collector_success{collector="stuck"} 0' in files["bedplate-collectors.prom"]
        assert "bedplate-good.prom" in files
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert "bedplate-stuck.prom" in run(machine, collector("stuck", lambda _: []))


def test_what_a_node_has_no_more_is_no_more_told(machine: Machine) -> None:
    """A change of settings takes the file away."""
    run(machine, GOOD)
    assert "bedplate-good.prom" not in run(machine, replace(GOOD, applies=lambda _: False))


def test_the_command_writes_every_file_and_ends_with_0(machine: Machine) -> None:
    """On a node where all is well."""
    assert command.main(argparse.Namespace(settings="")) == 0
    names = sorted(path.name for path in (machine.root / "var/lib/bedplate/metrics").iterdir())
    assert names == [
        f"bedplate-{each}.prom"
        for each in ("boot", "collectors", "efa", "expected", "info", "jobs", "lustre", "nccl", "xids")
    ]


def test_it_ends_with_1_where_a_collector_fails_or_there_are_no_settings(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    """systemd's journal then has the reason."""
    machine.program("lctl", "exit 1")
    assert command.main(argparse.Namespace(settings="")) == 1
    assert "lustre: CollectorError: lctl get_param" in capsys.readouterr().err
    assert command.main(argparse.Namespace(settings="/nowhere")) == 1


def test_the_text_is_prometheus_own() -> None:
    """Escapes, whole numbers, what is not finite; a family without series is left out."""
    text = exposition(
        [
            Family("a_total", "counter", (Sample(3.0, (("x", 'q"\\\n'),)), Sample(0.5))),
            Family("b", "gauge", ()),
            gauge("c", float("inf")),
        ]
    )
    assert text == '# TYPE a_total counter\na_total{x="q\\"\\\\\\n"} 3\na_total 0.5\n# TYPE c gauge\nc +Inf\n'
    with pytest.raises(ValueError, match="twice"):
        exposition([gauge("c", 1), gauge("c", 2)])


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exporter reads whatever ends in .prom, at any moment."""
    write_text_file(tmp_path, "a", "old 1\n")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_text_file(tmp_path, "a", "new 1\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.prom", "old 1\n")]


def test_settings_are_those_of_the_node() -> None:
    """The machine of these tests collects."""
    assert SETTINGS.collection is not None

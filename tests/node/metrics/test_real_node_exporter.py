"""The real node_exporter serves what the node program writes."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bedplate.node.bootstrap.exporters import units
from bedplate.node.bootstrap.exporters.table import read_table
from bedplate.node.job_marks import note_job
from bedplate.node.metrics import command
from bedplate.telemetry.metrics.node import NODE_METRICS
from bedplate.telemetry.node_table import node_table
from tests.node.metrics.machine import Machine
from tests.support.real_parts import find_program

_OF_THIS_HOST = {
    f"node_filesystem_{name}" for name in ("size_bytes", "avail_bytes", "files_free", "readonly")
}
"""A container may have overlays alone, which node_exporter leaves out."""
pytestmark = pytest.mark.real("node_exporter")


@contextmanager
def served(*folders: Path) -> Iterator[str]:
    """Its answer's address; it is over when the block is."""
    program = find_program("node_exporter")
    assert program is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    words = [f"--collector.textfile.directory={folder}" for folder in folders]
    process = subprocess.Popen(
        [
            *(program, "--collector.disable-defaults", "--collector.textfile"),
            *(f"--web.listen-address={address}", *words),
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://{address}/metrics"
    finally:
        process.kill()
        process.wait()


def scraped(url: str) -> str:
    """The text, once it answers."""
    until = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.read().decode()
        except OSError:
            assert time.monotonic() < until, "node_exporter answers"
            time.sleep(0.1)


def test_it_serves_every_series_and_finds_no_fault(machine: Machine) -> None:
    """Values, labels and types arrive as they were written; the time of each file is served with it."""
    note_job({"SLURM_JOB_ID": "42", "SLURM_JOB_GPUS": "0-7", "SLURM_JOB_ACCOUNT": 'a"b\\c'})
    machine.program("scontrol", "echo JobName=é")
    machine.journal(["ip kernel: Linux version 6", "ip kernel: NVRM: Xid (PCI:0000:53:00): 79, pid=1, lost"])
    assert command.main(argparse.Namespace(settings="")) == 0
    folder = machine.root / "var/lib/bedplate/metrics"
    with served(folder) as url:
        text = scraped(url)
    assert "node_textfile_scrape_error 0" in text
    assert 'bedplate_xid_total{pci_bus_id="00000000:53:00.0",policy="replace",xid="79"} 1' in text
    assert "# TYPE bedplate_xid_total counter" in text
    assert 'node_amazonefa_tx_bytes{device="rdmap80s0",port="1"} 5' in text
    assert 'account="a\\"b\\\\c",gpus="0,1,2,3,4,5,6,7",hpc_job="42",job_name="é"' in text
    written = {
        line.split(" ")[0].split("{")[0]
        for path in folder.iterdir()
        for line in path.read_text().splitlines()
        if not line.startswith("#")
    }
    assert written <= set(re.findall(r"^(\w+)", text, re.MULTILINE))
    assert text.count("node_textfile_mtime_seconds{") == len(list(folder.iterdir()))


def test_a_file_that_is_being_written_is_not_read(machine: Machine) -> None:
    """It has another name until it is whole."""
    folder = machine.root / "var/lib/bedplate/metrics"
    folder.mkdir(parents=True)
    (folder / f".bedplate-efa.{os.getpid()}.partial").write_text("half a li")
    with served(folder) as url:
        assert "node_textfile_scrape_error 0" in scraped(url)


def test_it_takes_the_units_flags_and_has_the_tables_metrics(tmp_path: Path) -> None:
    """All of node_exporter's metrics in the table but those of arrays and services, which this host has not;
    and none of a processor.
    """
    table = read_table(node_table().decode())
    text = units.node_exporter_unit(str(find_program("node_exporter")), table)
    line = next(line for line in text.splitlines() if line.startswith("ExecStart="))
    words = [word.replace("$$", "$") for word in shlex.split(line.partition("=")[2])]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    (tmp_path / "a.prom").write_text("bedplate_efas 16\n")
    words = [
        word.replace("127.0.0.1:9100", address).replace("/var/lib/bedplate/metrics", str(tmp_path))
        for word in words
    ]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        served_text = scraped(f"http://{address}/metrics")
    finally:
        process.kill()
        process.wait()
    names = set(re.findall(r"^(\w+)", served_text, re.MULTILINE))
    promised = {each.name for each in NODE_METRICS}
    assert promised - names <= {"node_md_disks", "node_systemd_unit_state", *_OF_THIS_HOST}
    assert "bedplate_efas" in names
    assert not any(name.startswith("node_cpu") for name in names)

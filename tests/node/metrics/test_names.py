"""Every name, kind and label that the node program writes is in the table of metrics, and the other way."""

from __future__ import annotations

from bedplate.node.job_marks import note_job
from bedplate.node.metrics import command
from bedplate.node.metrics.collectors import COLLECTORS, efa, nccl
from bedplate.node.metrics.exposition import Family
from bedplate.telemetry.metrics.catalogue import METRICS
from bedplate.telemetry.metrics.efa import EFA_COUNTERS
from bedplate.telemetry.metrics.exporters import NCCL_INSPECTOR, NODE_PROGRAM
from tests.node.metrics.machine import LOGIN, SETTINGS, Machine
from tests.node.metrics.test_collected_slurm import NODES

MADE_ELSEWHERE = {
    "bedplate_capacity_end_timestamp_seconds": "a recorded series, made of the lock file",
}


def everything(machine: Machine) -> list[Family]:
    """What a compute node and a login node write, with a job and an Xid."""
    note_job({"SLURM_JOB_ID": "42", "SLURM_JOB_GPUS": "0"})
    machine.efa("rdmap80s0", **dict.fromkeys(efa.COUNTERS, 1))
    machine.journal(["ip kernel: Linux version 6", "ip kernel: NVRM: Xid (PCI:0000:53:00): 79, pid=1, lost"])
    machine.program("scontrol", f"cat <<'END'\n{NODES}END")
    for name in nccl.NAMES:
        machine.write(f"/run/bedplate/nccl/{name}.prom", f'{name}{{message_size="1073741824"}} 470\n')
    machine.program("squeue", "echo 'RUNNING|train'")
    families = []
    for settings in (SETTINGS, LOGIN):
        for each in COLLECTORS:
            if each.applies(settings):
                families += each.collect(machine.around(settings))
    summary = command._summary([command.Outcome("efa", 0.1)], [("efa", 1.0)])
    return [*families, *summary]


def test_what_is_written_is_in_the_table(machine: Machine) -> None:
    """By name, kind and labels, as metrics of the node program."""
    for family in everything(machine):
        metric = METRICS[family.name]
        assert metric.exporter in (NODE_PROGRAM, NCCL_INSPECTOR), family.name
        assert metric.kind == family.kind, family.name
        for each in family.samples:
            assert tuple(name for name, _ in each.labels) == metric.labels, family.name


def test_what_the_table_promises_is_written(machine: Machine) -> None:
    """A rule on a metric that nobody writes is silent for ever."""
    written = {family.name for family in everything(machine) if family.samples}
    ours = (NODE_PROGRAM, NCCL_INSPECTOR)
    promised = {each.name for each in METRICS.values() if each.exporter in ours}
    assert promised - written == set(MADE_ELSEWHERE)


def test_the_counters_of_efa_are_the_tables() -> None:
    """One list for the collector, one for what it means."""
    assert set(efa.COUNTERS) == set(EFA_COUNTERS)
    assert len(efa.COUNTERS) == len(EFA_COUNTERS)
